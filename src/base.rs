//! Which base URL a document has: the layers of [RFC 1808 section 3][rfc].
//!
//! The innermost layer counts: the document's own `base` element (3.1), else
//! the entity that holds the document (3.2), else the URL that it was retrieved
//! from (3.3), given or learned. Without any (3.4), relative references stay as they are.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3

mod source;

use std::fmt;
use std::ops::Range;

use encoding_rs::Encoding;
pub use source::{BaseSource, Learn};

use crate::error::{Advice, Error, HasAdvice, Location};
use crate::url::{Base, Resolution, Standard, clean, is_inert, masked};

/// A base URL, if there is one, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseLayer {
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

    /// A base URL from `source`; [`BaseLayer::NONE`] without `base`.
    #[must_use]
    pub(crate) fn new(base: Option<Base>, source: BaseSource) -> Self {
        match base {
            Some(_) => Self { base, source },
            None => Self::NONE,
        }
    }

    /// No base URL: `source` gives one that no reference resolves against.
    #[must_use]
    pub(crate) fn without_base(source: BaseSource) -> Self {
        Self { base: None, source }
    }

    /// The base URL.
    #[must_use]
    pub(crate) fn into_base(self) -> Option<Base> {
        self.base
    }

    pub(crate) fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// The same base, and the encoding of the document that it is for.
    #[must_use]
    pub(crate) fn with_query_encoding(self, encoding: &'static Encoding) -> Self {
        Self { base: self.base.map(|base| base.with_query_encoding(encoding)), ..self }
    }

    /// Takes user and password out of the base URL, so that no link shows them.
    pub(crate) fn hide_credentials(&mut self) {
        if let Some(base) = self.base.as_mut().filter(|base| base.as_str().contains('@')) {
            *base = base.without_credentials();
        }
    }

    /// Where it came from; where there is none, the `base` element that says so, or
    /// [`BaseSource::None`].
    #[must_use]
    pub(crate) fn source(&self) -> BaseSource {
        self.source
    }
}

/// The `href` of the first `base` element.
#[derive(Debug)]
pub(crate) struct BaseHref {
    pub(crate) text: String,
    /// Whether the element is where one counts.
    pub(crate) counts: bool,
}

impl BaseHref {
    /// The `href`, if it counts.
    pub(crate) fn own(self) -> Option<String> {
        self.counts.then_some(self.text)
    }
}

/// The base of one document: the layer that counts, and the one below its own
/// `base` element.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedBase {
    /// What references are resolved against.
    pub(crate) layer: BaseLayer,
    /// What the `href` of a `base` element is resolved against, and what a
    /// reference is that means the document's own URL.
    pub(crate) below: BaseLayer,
    /// The `base` element that would have counted, had it been usable and in the head.
    pub(crate) rejected: Option<RejectedBase>,
}

impl ResolvedBase {
    /// The base of a document whose first `base` element with an `href` has this
    /// one, above the layer `below`.
    ///
    /// A relative `href` is resolved against the layer below, an empty one is
    /// that layer, and an unusable one leaves it in force, as the [HTML
    /// Standard][spec] has it for what is no URL, and for `data:` and `javascript:`. With one
    /// that browsers take and resolve nothing against, such as `about:srcdoc`, `blob:x` and
    /// `mailto:x`, there is no base URL. `encoding` is the document's.
    ///
    /// [spec]: https://html.spec.whatwg.org/multipage/semantics.html#set-the-frozen-base-url
    pub(crate) fn new(
        href: Option<&str>,
        below: &BaseLayer,
        standard: Standard,
        encoding: &'static Encoding,
    ) -> Self {
        let under = |rejected| Self { layer: below.clone(), below: below.clone(), rejected };
        let Some(href) = href else {
            return under(None);
        };
        if clean(href).is_empty() {
            return under(None);
        }
        match own_base(href, below.base(), standard) {
            Ok(base) => Self {
                layer: BaseLayer::new(
                    Some(base.with_query_encoding(encoding)),
                    BaseSource::BaseElement,
                ),
                below: below.clone(),
                rejected: None,
            },
            Err(error) if is_inert(href) => Self {
                layer: BaseLayer::without_base(BaseSource::BaseElement),
                below: below.clone(),
                rejected: Some(RejectedBase::new(&error, Effect::Unresolved)),
            },
            Err(error) => under(Some(RejectedBase::new(&error, Effect::LayerBelow))),
        }
    }

    /// Sets that a `base` element outside the head has this `href`, if it is usable.
    pub(crate) fn reject_outside_head(&mut self, href: &str, standard: Standard) {
        if !clean(href).is_empty() && own_base(href, self.below.base(), standard).is_ok() {
            self.rejected = Some(RejectedBase::outside_head());
        }
    }
}

/// The base that a document, or its header, gives itself above the layer `below`.
pub(crate) fn own_base(
    href: &str,
    below: Option<&Base>,
    standard: Standard,
) -> Result<Base, Error> {
    // A usable base is usable under every standard, also if this one refuses it.
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

/// A source of a retrieval URL that is not usable as a base, and why.
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
    pub(crate) fn new(source: BaseSource, error: Error) -> Self {
        Self { source, error }
    }

    /// What names it.
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

/// The layer of a retrieval URL that was learned, and what was skipped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learned {
    pub(crate) layer: BaseLayer,
    pub(crate) refused: Vec<NotLearned>,
}

impl Learned {
    /// This, or another where nothing was learned.
    pub(crate) fn or(mut self, other: &Self) -> Self {
        if self.layer.base().is_none() {
            self.layer = other.layer.clone();
            self.refused.extend(other.refused.iter().cloned());
        }
        self
    }
}

/// The `href` of a `base` element that does not count, and why: it is not usable, or not in the
/// head.
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

/// Where a base of XML is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenBase {
    /// The local name of the element.
    pub(crate) element: String,
    /// The value, with its entities as they are written.
    pub(crate) reference: String,
    /// The bytes of the document that hold the value.
    pub(crate) span: Range<usize>,
    pub(crate) location: Location,
}

/// Where a base is written that does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RejectedPlace {
    BaseElement,
    /// It would count there by [`BaseScope::Document`](crate::BaseScope::Document).
    OutsideHead,
    XmlBase,
}

/// The effect of an unusable `base` element on the links of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Links are resolved against the layer below.
    LayerBelow,
    /// Relative ones are not resolved at all.
    Unresolved,
}

impl RejectedBase {
    /// Whether relative references stay unresolved because of it, whatever the retrieval URL is.
    #[must_use]
    pub fn leaves_unresolved(&self) -> bool {
        self.effect == Effect::Unresolved
    }

    /// Whether it is a usable one that would count by
    /// [`BaseScope::Document`](crate::BaseScope::Document).
    #[must_use]
    pub fn is_outside_head(&self) -> bool {
        self.place == RejectedPlace::OutsideHead
    }

    /// Where it is written: `base element`, or `xml:base` of an element of XML, whose links alone
    /// it is for.
    #[must_use]
    pub fn place(&self) -> &'static str {
        match self.place {
            RejectedPlace::BaseElement | RejectedPlace::OutsideHead => "base element",
            RejectedPlace::XmlBase => "xml:base",
        }
    }

    /// Its line and column in XML, where it is known.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        self.written.as_ref().map(|written| written.location)
    }

    /// Where it is written in XML.
    #[cfg(feature = "audit")]
    pub(crate) fn written(&self) -> Option<&WrittenBase> {
        self.written.as_deref()
    }

    /// The attribute that it is.
    #[cfg(feature = "audit")]
    pub(crate) fn attribute(&self) -> &'static str {
        match self.place {
            RejectedPlace::BaseElement | RejectedPlace::OutsideHead => "href",
            RejectedPlace::XmlBase => "xml:base",
        }
    }

    /// The problem, without its line and column.
    pub(crate) fn problem(&self) -> String {
        let effect = match self.effect {
            Effect::LayerBelow => "does not count",
            Effect::Unresolved => "leaves relative references unresolved",
        };
        format!("the {} {effect}: {}", self.place(), self.why)
    }

    /// The same of an `xml:base`.
    pub(crate) fn of_xml_base(self) -> Self {
        Self { place: RejectedPlace::XmlBase, ..self }
    }

    /// The same in an XML document.
    pub(crate) fn written_at(self, written: WrittenBase) -> Self {
        Self { written: Some(Box::new(written)), ..self }
    }

    /// One of XML that has an entity, so that no relative reference resolves against it.
    pub(crate) fn with_entity(href: &str) -> Self {
        let why = "it has an entity, and entities are not expanded";
        Self::new(&Error::unusable_base(&masked(href), why), Effect::Unresolved)
    }

    /// One that is usable and not in the head.
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
                    let made = ResolvedBase::new(Some(href), below, standard, encoding_rs::UTF_8);
                    assert_eq!(
                        made.layer,
                        BaseLayer::without_base(BaseSource::BaseElement),
                        "{href}"
                    );
                    assert_eq!(&made.below, below, "{href}");
                    let why = made.rejected.unwrap().to_string();
                    let start = "the base element leaves relative references unresolved: ";
                    assert!(why.starts_with(start), "{why}");
                }
            }
        }
    }

    #[cfg(feature = "whatwg")]
    #[test]
    fn a_special_scheme_needs_no_slash_by_the_url_standard() {
        let of = |href: &str, below: Option<&str>| {
            let below = below.map(|url| Base::new(url).unwrap());
            let base = own_base(href, below.as_ref(), Standard::Whatwg);
            base.map(|base| base.as_str().to_owned()).ok()
        };
        let is = |href: &str, below: Option<&str>, url: &str| {
            assert_eq!(of(href, below).as_deref(), Some(url), "{href} {below:?}");
        };
        is("http:sub/", Some("http://h/a/b"), "http://h/a/sub/");
        is("http:sub/", Some("https://h/a/b"), "http://sub/");
        is("http:sub/", None, "http://sub/");
        is("HTTPS:\\\\h\\a\\", None, "https://h/a/");
        assert_eq!(of("x:sub/", None), None);
        assert!(own_base("http:sub/", None, Standard::Rfc1808).is_err());
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
