//! Bases that are not usable, and why.

use std::fmt;
use std::ops::Range;

use crate::error::{Error, Location};
use crate::url::masked;

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

/// What an unusable `base` element does to the links of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// They are resolved against the layer below.
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

    /// What is wrong, without its line and column.
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
    pub(super) fn outside_head() -> Self {
        let why = "it is not in the head".to_owned();
        let place = RejectedPlace::OutsideHead;
        Self { why, effect: Effect::LayerBelow, place, written: None }
    }

    pub(super) fn new(error: &Error, effect: Effect) -> Self {
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
