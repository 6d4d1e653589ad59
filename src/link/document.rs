//! A document whose links are resolved, and the attributes that contain them.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};

use super::policy::{Direction, Policy, WrittenBases};
use super::settings::{BaseElement, Credentials, SameDocument, Settings};
use super::visit::Siblings;
use crate::attributes::{Namespace, RequiredForm, Rule, Spot, is_statement};
use crate::base::{BaseLayer, BaseSource, RejectedBase, ResolvedBase, resolve_own_base};
use crate::error::{Error, Limit, Limits, Location};
use crate::url::rfc1808::scheme_end;
use crate::url::{Base, clean};

/// A document whose links are being resolved.
pub(crate) struct Document {
    pub(crate) established: ResolvedBase,
    /// The number of documents around this one.
    nesting: usize,
    /// The span of the attribute that contains this document, in the outermost document.
    pub(super) enclosing: Option<Range<usize>>,
    pub(crate) base_owner: BaseOwner,
    base_use: BaseUse,
    /// The bases in the written document; empty if the policy does not need them.
    written: WrittenBases,
    /// Whether it is the HTML of a Markdown document.
    pub(crate) is_in_markdown: bool,
    /// The base of images and media if it is another one, as in Markdown.
    raw: Option<RawBase>,
}

/// A base that only images and media have, and the form of their links.
struct RawBase {
    layer: BaseLayer,
    direction: Option<Direction>,
    written: Option<Base>,
}

/// The author of the first `base` element with an `href`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseOwner {
    /// The page: the element takes effect, if it exists and is usable.
    Page,
    /// The browser that saved the page.
    Browser,
}

/// The values that depend on a `base` element, or on the `xml:base` of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BaseUse {
    /// Only links, which can be written without the base.
    Links,
    /// Also values that stay as written, because they have an entity or are inside an element with
    /// a marker.
    Kept,
}

/// An attribute, or the text of an element, that contains references.
pub(crate) struct Site<'a> {
    /// The element's name, in lower case.
    pub(crate) element: &'a str,
    /// The element's namespace.
    pub(crate) namespace: Namespace,
    /// In lower case, with its prefix.
    pub(crate) attribute: &'a str,
    pub(crate) spot: Spot,
    /// The element's `codebase`, if the rule needs it.
    pub(crate) codebase: Option<String>,
    /// The element's other attributes.
    pub(crate) siblings: Siblings<'a>,
}

impl<'a> Site<'a> {
    /// Looks up an attribute in the table and in the rules of the user; the site has no siblings.
    pub(crate) fn find(
        settings: &Settings,
        element: &'a str,
        namespace: Namespace,
        attribute: &'a str,
    ) -> Option<Self> {
        let spot = settings.selection.find(element, namespace, attribute, |_| None)?;
        let siblings = Siblings::NONE;
        Some(Self { element, namespace, attribute, spot, codebase: None, siblings })
    }

    /// Returns the form that the link needs: absolute if it states a URL to other programs.
    pub(super) fn required_form(&self) -> RequiredForm {
        let named = (self.attribute, self.spot.rule);
        let sibling = |name: &str| self.siblings.value(name);
        let is_statement = is_statement((self.element, self.namespace), named, sibling);
        if is_statement { RequiredForm::Absolute } else { RequiredForm::Any }
    }
}

impl Document {
    /// Resolves the base of a document from the `href` of its first `base` element. An error
    /// has this location.
    pub(crate) fn new(
        href: Option<&str>,
        below: &BaseLayer,
        encoding: &'static Encoding,
        settings: &Settings,
        location: Option<Location>,
    ) -> Result<Self, Error> {
        let mut established = ResolvedBase::new(href, below, settings.standard, encoding);
        let max = settings.limits.base_url;
        for base in [&established.layer, &established.below].into_iter().filter_map(BaseLayer::base)
        {
            if Limits::exceeds(max, base.as_str().len()) {
                return Err(Error::limit(Limit::BaseUrl, max, location));
            }
        }
        if settings.credentials == Credentials::Drop {
            established.layer.hide_credentials();
            established.below.hide_credentials();
        }
        let document = Self {
            established,
            nesting: 0,
            enclosing: None,
            base_owner: BaseOwner::Page,
            base_use: BaseUse::Links,
            written: WrittenBases::default(),
            is_in_markdown: false,
            raw: None,
        };
        Ok(document.with_written_bases(settings, href, None))
    }

    /// Sets the bases that references are written against; `outer` is the written base of the
    /// document that contains this one.
    fn with_written_bases(
        mut self,
        settings: &Settings,
        href: Option<&str>,
        outer: Option<&Base>,
    ) -> Self {
        let Policy::Directed(direction) = &settings.policy else { return self };
        let ResolvedBase { layer, below, .. } = &self.established;
        let write_base =
            |layer: &BaseLayer| Some(direction.written_base(layer.base()?, layer.source()));
        let below = outer.cloned().or_else(|| write_base(below));
        let is_own = layer.source() == BaseSource::BaseElement && !self.removes_bases(settings);
        let stays = settings.base_element() != BaseElement::Absolute;
        let base = match href {
            _ if !is_own => below.clone(),
            // The element keeps its text, which then resolves against a document that may move.
            Some(href) if stays => resolve_own_base(href, below.as_ref(), settings.standard).ok(),
            _ => write_base(layer),
        };
        let encoding = layer.base().map_or(UTF_8, Base::query_encoding);
        let base = base.map(|base| base.with_query_encoding(encoding));
        self.written = WrittenBases { base, below };
        self
    }

    /// Marks the document as Markdown, or as the HTML in it, and gives its images their base.
    pub(crate) fn in_markdown(self, settings: &Settings) -> Self {
        let raw = settings.raw_base.clone().map(|base| {
            let page = &self.established.layer;
            let mut layer = BaseLayer::new(Some(base), page.source());
            if settings.credentials == Credentials::Drop {
                layer.hide_credentials();
            }
            let (direction, written) = match (&settings.policy, layer.base()) {
                (Policy::Directed(direction), Some(raw)) => {
                    let direction = direction.for_raw_files(page.base(), raw);
                    let written = direction.written_base(raw, layer.source());
                    (Some(direction), Some(written))
                }
                _ => (None, None),
            };
            RawBase { layer, direction, written }
        });
        Self { is_in_markdown: true, raw, ..self }
    }

    /// Sets the use of the base, in a document whose first `base` element has this `href`.
    pub(crate) fn with_base_use(
        self,
        base_use: BaseUse,
        href: Option<&str>,
        settings: &Settings,
    ) -> Self {
        Self { base_use, ..self }.with_written_bases(settings, href, None)
    }

    /// Makes the base unknown: no relative reference resolves.
    pub(crate) fn with_unknown_base(self, rejected: RejectedBase) -> Self {
        let layer = BaseLayer::without_base(BaseSource::BaseElement);
        let established = ResolvedBase { layer, rejected: Some(rejected), ..self.established };
        let written = WrittenBases { base: None, ..self.written };
        Self { established, written, ..self }
    }

    /// Returns the base that the references of a site are written against.
    pub(super) fn written_base(&self, site: &Site<'_>) -> Option<&Base> {
        match (site.spot.rule, self.raw_base(site)) {
            (Rule::Base | Rule::DocumentUrl, _) => self.written.below.as_ref(),
            (_, Some(raw)) => raw.written.as_ref(),
            _ => self.written.base.as_ref(),
        }
    }

    /// Returns the direction of a site that has another base than the document.
    pub(super) fn direction(&self, site: &Site<'_>) -> Option<&Direction> {
        self.raw_base(site)?.direction.as_ref()
    }

    /// Returns the base of images and media, if the site loads such a file.
    fn raw_base(&self, site: &Site<'_>) -> Option<&RawBase> {
        let is_loaded = || matches!(site.attribute, "src" | "srcset" | "poster");
        self.raw.as_ref().filter(|_| is_loaded())
    }

    /// Opens an element of this document whose `xml:base` is `href`.
    pub(crate) fn scope(
        &self,
        (href, base_use): (&str, BaseUse),
        encoding: &'static Encoding,
        settings: &Settings,
        location: Location,
    ) -> Result<Self, Error> {
        let layer = &self.established.layer;
        let document = Self::new(Some(href), layer, encoding, settings, Some(location))?;
        let document = Self { base_use, ..document };
        Ok(document.with_written_bases(settings, Some(href), self.written.base.as_ref()))
    }

    /// Opens the HTML in an item of this feed, with the link of the item as the base; `None` if the
    /// link is unusable.
    pub(crate) fn item(
        &self,
        href: &str,
        encoding: &'static Encoding,
        settings: &Settings,
        location: Location,
    ) -> Result<Option<Self>, Error> {
        let feed = self.established.layer.base();
        let link =
            (!clean(href).is_empty()).then(|| resolve_own_base(href, feed, settings.standard).ok());
        let Some(base) = link.flatten() else { return Ok(None) };
        let below = BaseLayer::new(Some(base.with_query_encoding(encoding)), BaseSource::ItemLink);
        let document = Self::new(None, &below, encoding, settings, Some(location))?;
        // The link stays, so relative references remain relative to it.
        let written = match (&settings.policy, document.established.layer.base()) {
            (Policy::Directed(direction), Some(base)) => {
                Some(direction.written_base(base, BaseSource::BaseElement))
            }
            _ => None,
        };
        let written = WrittenBases { base: written.clone(), below: written };
        Ok(Some(Self { written, ..document }))
    }

    /// Opens a document inside an attribute of this one
    /// ([RFC 1808 section 3.2](https://www.rfc-editor.org/rfc/rfc1808#section-3.2)).
    pub(crate) fn nested(
        &self,
        href: Option<&str>,
        enclosing: Option<Range<usize>>,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let nesting = self.nesting + 1;
        let max = settings.limits.max_srcdoc();
        if nesting > max {
            return Err(Error::limit(Limit::Srcdoc, max, start_location(enclosing.as_ref())));
        }
        // A document in an attribute is in UTF-8:
        // https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding
        let base = self.established.layer.base().map(|url| url.clone().with_query_encoding(UTF_8));
        let below = BaseLayer::new(base, BaseSource::Enclosing);
        let location = start_location(enclosing.as_ref());
        let document = Self::new(href, &below, UTF_8, settings, location)?;
        let outer = self.written.base.as_ref();
        let document = Self { base_use: self.base_use, ..document };
        let document = document.with_written_bases(settings, href, outer);
        let enclosing = self.enclosing.clone().or(enclosing);
        Ok(Self { nesting, enclosing, ..document })
    }

    /// Whether a reference is relative to the base of this document, or of the outermost document
    /// around it.
    pub(super) fn needs_base(&self, reference: &str) -> bool {
        let is_own = self.is_nested() && self.established.layer.source() == BaseSource::BaseElement;
        !is_own && scheme_end(&clean(reference)).is_none()
    }

    /// Whether the document is inside another.
    pub(crate) fn is_nested(&self) -> bool {
        self.nesting > 0
    }

    /// Returns the base that the references of a site resolve against.
    pub(super) fn layer(
        &self,
        site: &Site<'_>,
        encoding: &'static Encoding,
        settings: &Settings,
    ) -> Cow<'_, BaseLayer> {
        match (site.spot.rule, &site.codebase) {
            (Rule::Base | Rule::DocumentUrl, _) => Cow::Borrowed(&self.established.below),
            (Rule::Codebase, Some(codebase)) => {
                Cow::Owned(self.resolve_codebase(codebase, encoding, settings))
            }
            _ => {
                let raw = self.raw_base(site).map(|raw| &raw.layer);
                Cow::Borrowed(raw.unwrap_or(&self.established.layer))
            }
        }
    }

    /// Resolves HTML 4's [`codebase`][spec], which is relative to the document's base.
    ///
    /// [spec]: https://www.w3.org/TR/html401/struct/objects.html#adef-codebase-OBJECT
    fn resolve_codebase(
        &self,
        codebase: &str,
        encoding: &'static Encoding,
        settings: &Settings,
    ) -> BaseLayer {
        let base = self.established.layer.base();
        let url = settings.standard.resolve(base, codebase).ok();
        let codebase = url.and_then(|url| url.url().and_then(|url| Base::new(url).ok()));
        match codebase {
            Some(codebase) => BaseLayer::new(
                Some(codebase.with_query_encoding(encoding)),
                self.established.layer.source(),
            ),
            None => self.established.layer.clone(),
        }
    }

    /// Whether a `base` element gives the document another base URL than it would have without.
    pub(crate) fn has_own_base(&self) -> bool {
        let ResolvedBase { layer, below, .. } = &self.established;
        layer.source() == BaseSource::BaseElement
            && below.base().is_some()
            && layer.base() != below.base()
    }

    /// Resolves a reference as if there were no `base` element.
    pub(super) fn resolve_baseless(&self, reference: &str, settings: &Settings) -> Option<String> {
        let resolved = settings.standard.resolve(self.established.below.base(), reference).ok()?;
        resolved.url().map(str::to_owned)
    }

    /// Whether the `base` elements of the document are removed. All stay if one element makes the
    /// base unusable: without it, the relative references that stay would resolve against another
    /// URL, and inert links would become live. All stay too if other values need them.
    pub(crate) fn removes_bases(&self, settings: &Settings) -> bool {
        let leaves_unresolved =
            self.established.rejected.is_some() && self.established.layer.base().is_none();
        let is_needed = leaves_unresolved || self.base_use == BaseUse::Kept;
        settings.base_element() == BaseElement::Remove && !is_needed
    }

    /// Whether a reference stays as written although it is resolved.
    pub(super) fn keeps(&self, site: &Site<'_>, reference: &str, settings: &Settings) -> bool {
        match site.spot.rule {
            Rule::Codebase => site.codebase.is_some(),
            Rule::Permalink => scheme_end(&clean(reference)).is_some(),
            // Links such as `#x` that stay need this base in the next run.
            Rule::Base => {
                let stays = settings.same_document == SameDocument::Keep;
                settings.base_element() != BaseElement::Absolute
                    || (stays && self.base_owner == BaseOwner::Browser && clean(reference) == ".")
            }
            _ => {
                settings.same_document == SameDocument::Keep
                    && is_same_document(reference)
                    && self.established.layer.base() == self.established.below.base()
            }
        }
    }
}

/// Locates an error at the first byte of a span.
pub(super) fn start_location(span: Option<&Range<usize>>) -> Option<Location> {
    span.map(|span| Location::Byte(span.start))
}

/// Whether a reference names the document itself: it is empty or only a fragment.
fn is_same_document(reference: &str) -> bool {
    let reference = clean(reference);
    reference.is_empty() || reference.starts_with('#')
}
