//! The places of an XML document that may hold references, and the bases.

use std::ops::Range;

use crate::attributes::Namespace;
use crate::scan::candidates::Piece;

/// The places of an XML document that may hold references, in the order of the source.
#[derive(Debug, Default)]
pub(crate) struct XmlCandidates {
    pub(crate) list: Vec<XmlCandidate>,
    /// The text of all elements whose text is a candidate.
    pub(crate) pieces: Vec<Piece>,
    /// Each scope of a base after the one that it is in; the first is that of the document.
    pub(crate) scopes: Vec<Scope>,
    /// The `href` of the `base` element that counts.
    pub(crate) base: Option<Range<usize>>,
}

/// An element whose `xml:base` counts, or the document.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// The number of the scope around it.
    pub(crate) outer: u32,
    /// The value of `xml:base`; `None` where it is not known what it represents.
    pub(crate) base: Option<Range<u32>>,
}

/// A place that may hold references.
#[derive(Debug, Clone)]
pub(crate) struct XmlCandidate {
    /// Where the name of the element, or the target of the instruction, begins.
    pub(crate) element: u32,
    pub(crate) namespace: Namespace,
    /// The number of the scope that it is in.
    pub(crate) scope: u32,
    pub(crate) place: XmlPlace,
    pub(crate) content: XmlContent,
}

/// Where in an element a candidate is.
#[derive(Debug, Clone)]
pub(crate) enum XmlPlace {
    /// An attribute, whose name may be in a namespace.
    Attribute { name: Range<u32>, is_xlink: bool, value: Range<u32> },
    /// Its text: a range of [`XmlCandidates::pieces`], which is not empty.
    Text(Range<u32>),
}

/// Whether it is known what a candidate represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum XmlContent {
    Known,
    /// An entity, which is not expanded, is in it or in its base.
    Entity,
}

/// What the root element says of the whole document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// Browsers show it: `base` counts, `xml:base` does not.
    Page,
    /// Elements without namespace are those of RSS.
    Rss,
    /// Elements beside those of XSLT are of the documents that it makes.
    Stylesheet,
    Other,
}

impl XmlCandidates {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.pieces.clear();
        self.scopes.clear();
        self.scopes.push(Scope { outer: 0, base: None });
        self.base = None;
    }
}

/// The range in 32 bits: a document has less than 4 GiB (`Page::new`).
pub(super) fn narrow(span: &Range<usize>) -> Range<u32> {
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    narrow(span.start)..narrow(span.end)
}
