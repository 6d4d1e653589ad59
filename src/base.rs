//! Determines the base URL of a document by the layers of [RFC 1808 section 3][rfc].
//!
//! The innermost layer applies: the document's own `base` element (3.1), else the entity that
//! encloses the document (3.2), else the URL that it was retrieved from (3.3), given or learned.
//! Without a base URL (3.4), relative references stay unchanged.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3

mod source;

use std::fmt;
use std::ops::Range;

use encoding_rs::Encoding;

pub use source::{BaseSource, Learn};

use crate::error::{Advice, Error, HasAdvice, Location};
use crate::url::{Base, Resolution, Standard, clean, is_inert, masked};

/// A base URL, if there is one, and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseLayer {
    base: Option<Base>,
    source: BaseSource,
}

impl Default for BaseLayer {
    fn default() -> Self {
        Self::NONE
    }
}

impl BaseLayer {
    /// No base URL (RFC 1808 section 3.4).
    pub(crate) const NONE: Self = Self { base: None, source: BaseSource::None };

    /// Creates a layer with a base URL from `source`; [`BaseLayer::NONE`] without `base`.
    #[must_use]
    pub fn new(base: Option<Base>, source: BaseSource) -> Self {
        match base {
            Some(_) => Self { base, source },
            None => Self::NONE,
        }
    }

    /// Creates a layer without a base URL, because no reference resolves against the base that
    /// `source` gives.
    #[must_use]
    pub(crate) fn without_base(source: BaseSource) -> Self {
        Self { base: None, source }
    }

    #[must_use]
    pub(crate) fn into_base(self) -> Option<Base> {
        self.base
    }

    #[must_use]
    #[doc(hidden)]
    pub fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// Sets the encoding of queries to the encoding of the document that uses the base.
    #[must_use]
    pub(crate) fn with_query_encoding(self, encoding: &'static Encoding) -> Self {
        Self { base: self.base.map(|base| base.with_query_encoding(encoding)), ..self }
    }

    /// Removes user and password from the base URL, so that no link shows them.
    pub fn hide_credentials(&mut self) {
        if let Some(base) = self.base.as_mut().filter(|base| base.as_str().contains('@')) {
            *base = base.without_credentials();
        }
    }

    /// The source of the base URL. Without a base URL, the `base` element that prevents one, or
    /// [`BaseSource::None`].
    #[must_use]
    pub fn source(&self) -> BaseSource {
        self.source
    }
}

/// The `href` of the first `base` element.
#[derive(Debug)]
pub(crate) struct BaseHref {
    pub(crate) text: String,
    /// Whether the element is where `base` elements take effect
    /// ([`BaseScope`](crate::BaseScope)).
    pub(crate) counts: bool,
}

impl BaseHref {
    /// Returns the `href`, if it takes effect.
    pub(crate) fn into_counted(self) -> Option<String> {
        self.counts.then_some(self.text)
    }
}

/// The base of a document: the layer in effect, and the layer below its own `base` element.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedBase {
    /// The base URL for references.
    pub(crate) layer: BaseLayer,
    /// The base URL for the `href` of a `base` element, and for references that mean the document's
    /// own URL.
    pub(crate) below: BaseLayer,
    /// The `base` element that would take effect if it were usable and in the head.
    pub(crate) rejected: Option<RejectedBase>,
}

impl ResolvedBase {
    /// Resolves the base of a document above the layer `below`. `href` is the value of its first
    /// `base` element with an `href`, and `encoding` is the document's.
    ///
    /// A relative `href` is resolved against the layer below. An empty `href` leaves that layer in
    /// effect, and so does an unusable `href`, as the [HTML Standard][spec] specifies for invalid
    /// URLs, and for `data:` and `javascript:`. If browsers accept the `href` but resolve nothing
    /// against it, as with `about:srcdoc`, `blob:x` and `mailto:x`, there is no base URL.
    ///
    /// [spec]: https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url
    pub(crate) fn new(
        href: Option<&str>,
        below: &BaseLayer,
        standard: Standard,
        encoding: &'static Encoding,
    ) -> Self {
        let keep_below = |rejected| Self { layer: below.clone(), below: below.clone(), rejected };
        let Some(href) = href else { return keep_below(None) };
        if clean(href).is_empty() {
            return keep_below(None);
        }
        match resolve_own_base(href, below.base(), standard) {
            Ok(base) => {
                let base = base.with_query_encoding(encoding);
                let layer = BaseLayer::new(Some(base), BaseSource::BaseElement);
                Self { layer, below: below.clone(), rejected: None }
            }
            Err(error) if is_inert(href) => Self {
                layer: BaseLayer::without_base(BaseSource::BaseElement),
                below: below.clone(),
                rejected: Some(RejectedBase::new(&error, Effect::Unresolved)),
            },
            Err(error) => keep_below(Some(RejectedBase::new(&error, Effect::LayerBelow))),
        }
    }

    /// Records the `href` of a `base` element outside the head, if it is usable.
    pub(crate) fn reject_outside_head(&mut self, href: &str, standard: Standard) {
        if !clean(href).is_empty() && resolve_own_base(href, self.below.base(), standard).is_ok() {
            self.rejected = Some(RejectedBase::outside_head());
        }
    }
}

/// Resolves the base that a document, or its header, sets above the layer `below`.
#[doc(hidden)]
pub fn resolve_own_base(
    href: &str,
    below: Option<&Base>,
    standard: Standard,
) -> Result<Base, Error> {
    // A usable base is usable under every standard, even if this standard refuses the reference.
    if let Ok(base) = Base::new(href)
        && !matches!(standard.resolve(below, href), Ok(Resolution::Resolved(_)))
    {
        return Ok(base);
    }
    match standard.resolve(below, href) {
        Ok(Resolution::Absolute(url)) => standard.base(&url),
        Ok(Resolution::Resolved(url)) => Base::new(&url),
        Ok(Resolution::Unresolved) => {
            let why = "it is relative and there is no base URL below it";
            Err(Error::unusable_base(&masked(href), why))
        }
        Err(refusal) => Err(Error::unusable_base(&masked(href), &refusal.to_string())),
    }
}

/// A recorded retrieval URL that is not usable as a base: its source, and the reason.
///
/// ```
/// let page = b"<!-- saved from url=(0010)mailto:a@b --><a href=x>";
/// let result = absolve::Rewriter::new().rewrite(page)?;
/// assert_eq!(result.summary().not_learned().len(), 1);
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotLearned {
    source: BaseSource,
    error: Error,
}

impl NotLearned {
    #[must_use]
    #[doc(hidden)]
    pub fn new(source: BaseSource, error: Error) -> Self {
        Self { source, error }
    }

    /// The source of the URL.
    #[must_use]
    pub fn source(&self) -> BaseSource {
        self.source
    }
}

impl fmt::Display for NotLearned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not count: {}", self.source, self.error)
    }
}

impl HasAdvice for NotLearned {
    fn advice(&self) -> Option<Advice> {
        self.error.advice()
    }
}

impl std::error::Error for NotLearned {}

/// The layer of a learned retrieval URL, and the recorded URLs that were refused.
#[derive(Debug, Clone, Default)]
pub struct Learned {
    #[doc(hidden)]
    pub layer: BaseLayer,
    #[doc(hidden)]
    pub refused: Vec<NotLearned>,
}

impl Learned {
    /// Adds the layer and the refusals of `other` if nothing was learned.
    pub(crate) fn or(mut self, other: &Self) -> Self {
        if self.layer.base().is_none() {
            self.layer = other.layer.clone();
            self.refused.extend(other.refused.iter().cloned());
        }
        self
    }
}

/// A base without effect, and the reason: a `base` element or an `xml:base` that is not usable, or
/// a `base` element outside the head.
///
/// ```
/// let page = b"<base href=mailto:a@b><a href=x>";
/// let result = absolve::Rewriter::new().base_url("http://h/")?.rewrite(page)?;
/// let rejected = result.rejected_base().expect("the base element is not usable");
/// assert!(rejected.leaves_unresolved());
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedBase {
    why: String,
    effect: Effect,
    place: RejectedPlace,
    written: Option<Box<WrittenBase>>,
}

/// The text of a base in XML, and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenBase {
    /// The local name of the element.
    pub element: String,
    /// The value, with its entities not expanded.
    pub reference: String,
    /// The span of the value in the document.
    pub span: Range<usize>,
    pub(crate) location: Location,
}

/// The place of a base without effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RejectedPlace {
    BaseElement,
    /// A `base` element outside the head, which takes effect with
    /// [`BaseScope::Document`](crate::BaseScope::Document).
    OutsideHead,
    XmlBase,
}

/// The effect of an unusable base on the links of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Links are resolved against the layer below.
    LayerBelow,
    /// Relative links are not resolved at all.
    Unresolved,
}

impl RejectedBase {
    /// Whether this base leaves relative references unresolved, whatever the retrieval URL is.
    #[must_use]
    pub fn leaves_unresolved(&self) -> bool {
        self.effect == Effect::Unresolved
    }

    /// Whether this base is usable, and takes effect with
    /// [`BaseScope::Document`](crate::BaseScope::Document).
    #[must_use]
    pub fn is_outside_head(&self) -> bool {
        self.place == RejectedPlace::OutsideHead
    }

    /// The place of this base: `base element`, or `xml:base`, which affects only the links of its
    /// XML element.
    #[must_use]
    pub fn place(&self) -> &'static str {
        match self.place {
            RejectedPlace::BaseElement | RejectedPlace::OutsideHead => "base element",
            RejectedPlace::XmlBase => "xml:base",
        }
    }

    /// The line and column of this base in XML, if known.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        self.written.as_ref().map(|written| written.location)
    }

    /// The text of this base in XML.
    #[must_use]
    #[doc(hidden)]
    pub fn written(&self) -> Option<&WrittenBase> {
        self.written.as_deref()
    }

    /// The attribute that has this base.
    #[must_use]
    #[doc(hidden)]
    pub fn attribute(&self) -> &'static str {
        match self.place {
            RejectedPlace::BaseElement | RejectedPlace::OutsideHead => "href",
            RejectedPlace::XmlBase => "xml:base",
        }
    }

    /// The problem, without line and column.
    #[must_use]
    #[doc(hidden)]
    pub fn problem(&self) -> String {
        let effect = match self.effect {
            Effect::LayerBelow => "does not count",
            Effect::Unresolved => "leaves relative references unresolved",
        };
        format!("the {} {effect}: {}", self.place(), self.why)
    }

    /// Changes the place to an `xml:base`.
    pub(crate) fn at_xml_base(self) -> Self {
        Self { place: RejectedPlace::XmlBase, ..self }
    }

    /// Adds the text and the location in an XML document.
    pub(crate) fn written_at(self, written: WrittenBase) -> Self {
        Self { written: Some(Box::new(written)), ..self }
    }

    /// Rejects a base in XML that has an entity: no relative reference resolves against it.
    pub(crate) fn with_entity(href: &str) -> Self {
        let why = "it has an entity, and entities are not expanded";
        Self::new(&Error::unusable_base(&masked(href), why), Effect::Unresolved)
    }

    /// Rejects a base that is usable, but not in the head.
    fn outside_head() -> Self {
        let why = "it is not in the head".to_owned();
        let place = RejectedPlace::OutsideHead;
        Self { why, effect: Effect::LayerBelow, place, written: None }
    }

    fn new(error: &Error, effect: Effect) -> Self {
        let place = RejectedPlace::BaseElement;
        Self { why: error.to_string(), effect, place, written: None }
    }
}

impl fmt::Display for RejectedBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = self.location() {
            write!(f, "{location}: ")?;
        }
        f.write_str(&self.problem())
    }
}

impl std::error::Error for RejectedBase {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn establishes(href: Option<&str>, below: Option<&str>, expected: Option<&str>, source: &str) {
        let below = below.map(|url| Base::new(url).unwrap());
        let below = BaseLayer::new(below, BaseSource::RetrievalUrl);
        let established = ResolvedBase::new(href, &below, Standard::Rfc1808, encoding_rs::UTF_8);
        assert_eq!(established.layer.base().map(Base::as_str), expected, "{href:?}");
        assert_eq!(established.layer.source().name(), source, "{href:?}");
        assert_eq!(established.below, below, "{href:?}");
        let counts = source == "base-element" || href.is_none_or(|href| href.trim().is_empty());
        assert_eq!(established.rejected.is_none(), counts, "{href:?}");
    }

    #[test]
    fn the_innermost_layer_counts() {
        let page = Some("http://h/a/b");
        establishes(Some("http://i/"), page, Some("http://i/"), "base-element");
        establishes(Some(" http://i/\n"), None, Some("http://i/"), "base-element");
        establishes(Some("../c/"), page, Some("http://h/c/"), "base-element");
        establishes(Some("//i"), page, Some("http://i"), "base-element");
        establishes(Some("?q"), page, Some("http://h/a/b?q"), "base-element");
        establishes(None, page, page, "retrieval-url");
        establishes(Some(""), page, page, "retrieval-url");
        establishes(Some(" \t"), page, page, "retrieval-url");
        establishes(Some(""), None, None, "none");
        establishes(None, None, None, "none");
    }

    #[test]
    fn an_unusable_base_element_leaves_the_layer_below_in_force() {
        let page = Some("http://h/a/b");
        for href in ["data:,", "http:c", "http://[::1/", "javascript:void(0)", "x://[", " DATA:x"] {
            establishes(Some(href), page, page, "retrieval-url");
            establishes(Some(href), None, None, "none");
        }
        establishes(Some("c/"), None, None, "none");
    }

    #[test]
    fn nothing_resolves_against_a_base_that_browsers_take_and_cannot_use() {
        let page =
            BaseLayer::new(Some(Base::new("http://h/a/b").unwrap()), BaseSource::RetrievalUrl);
        for href in [
            "about:srcdoc",
            " ABOUT:blank",
            "blob:http://h/0-1",
            "blob:",
            "about:/x",
            "mailto:x",
            "MAILTO:x@y",
            "ma\nilto:x",
            "urn:a:b",
            "urn:/a/b",
            "tel:1",
            "cid:a@b",
            "news:a",
            "telnet://h/",
            "localhost:8000/x",
            "user:password@host/",
            "x:y",
            "x:",
            "x:y?q#f",
        ] {
            for &standard in Standard::ALL {
                for below in [&page, &BaseLayer::NONE] {
                    let resolved =
                        ResolvedBase::new(Some(href), below, standard, encoding_rs::UTF_8);
                    assert_eq!(
                        resolved.layer,
                        BaseLayer::without_base(BaseSource::BaseElement),
                        "{href}"
                    );
                    assert_eq!(&resolved.below, below, "{href}");
                    let why = resolved.rejected.unwrap().to_string();
                    let start = "the base element leaves relative references unresolved: ";
                    assert!(why.starts_with(start), "{why}");
                }
            }
        }
    }

    #[test]
    fn a_special_scheme_needs_no_slash_by_the_url_standard() {
        let resolve = |href: &str, below: Option<&str>| {
            let below = below.map(|url| Base::new(url).unwrap());
            let base = resolve_own_base(href, below.as_ref(), Standard::Whatwg);
            base.map(|base| base.as_str().to_owned()).ok()
        };
        let resolves_to = |href: &str, below: Option<&str>, url: &str| {
            assert_eq!(resolve(href, below).as_deref(), Some(url), "{href} {below:?}");
        };
        resolves_to("http:sub/", Some("http://h/a/b"), "http://h/a/sub/");
        resolves_to("http:sub/", Some("https://h/a/b"), "http://sub/");
        resolves_to("http:sub/", None, "http://sub/");
        resolves_to("HTTPS:\\\\h\\a\\", None, "https://h/a/");
        assert_eq!(resolve("x:sub/", None), None);
        assert!(resolve_own_base("http:sub/", None, Standard::Rfc1808).is_err());
    }

    #[test]
    fn a_rejected_base_says_why() {
        let established = ResolvedBase::new(
            Some("data:x"),
            &BaseLayer::NONE,
            Standard::Rfc1808,
            encoding_rs::UTF_8,
        );
        assert_eq!(
            established.rejected.unwrap().to_string(),
            "the base element does not count: the base URL 'data:x' is not usable: no reference resolves against data: URLs",
        );
    }
}
