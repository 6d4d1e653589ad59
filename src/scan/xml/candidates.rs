//! The places of an XML document that may hold references, and the bases.

use std::ops::Range;

use super::namespaces::Prefix;
use crate::attributes::{Namespace, RequiredForm};
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
    /// Where the name of that element begins.
    pub(crate) base_element: u32,
    /// Whether it is known what that represents.
    pub(crate) base_content: XmlContent,
    /// The `href` of the first `base` element that would count in the head.
    pub(crate) base_outside_head: Option<Range<usize>>,
    /// Every `base` element with an `href`, if facts are collected.
    pub(crate) bases: Vec<XmlBase>,
    /// The form that the links of the root element's language need.
    pub(crate) form: RequiredForm,
    /// Where a namespace is declared, or an element whose namespace is not known: no link of its
    /// language is found.
    pub(crate) unknown_namespace: Option<Range<u32>>,
    /// The anchors, if facts are collected.
    pub(crate) anchors: Vec<XmlAnchor>,
    /// Whether these are all of them.
    pub(crate) anchor_content: XmlContent,
    /// The elements with a marker, if facts are collected; none is inside another.
    pub(super) marked: Vec<Range<u32>>,
}

/// Whether what is no link is collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Facts {
    /// Anchors, `base` elements and [markers](crate::link::MARKERS).
    Collected,
    LeftOut,
}

/// A `base` element of XHTML.
#[derive(Debug, Clone)]
pub(crate) struct XmlBase {
    pub(crate) href: Range<u32>,
    pub(crate) is_in_head: bool,
}

/// An attribute that a fragment can name.
#[derive(Debug, Clone)]
pub(crate) struct XmlAnchor {
    /// Where the name of the element begins.
    pub(crate) element: u32,
    pub(crate) value: Range<u32>,
    /// Whether it is the `name` of an `a` element, and else an id.
    pub(crate) is_name: bool,
}

/// An element whose `xml:base` counts, or the document.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// The number of the scope around it.
    pub(crate) outer: u32,
    /// Where the name of the element begins.
    pub(crate) element: u32,
    /// The value of `xml:base`.
    pub(crate) base: Range<u32>,
    /// Whether it is known what that represents.
    pub(crate) base_content: XmlContent,
    /// Whether a value in it, or that itself, stays because it has an entity.
    pub(crate) content: XmlContent,
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
    Attribute { name: Range<u32>, prefix: Prefix, value: Range<u32> },
    /// Its text: a range of [`XmlCandidates::pieces`], which is not empty.
    Text(Range<u32>),
}

/// Whether it is known what a candidate represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum XmlContent {
    #[default]
    Known,
    /// An entity, which is not expanded, is in it: one that stands for characters alone.
    TextEntity,
    /// An entity that may stand for markup, of XML or of HTML, is in it.
    Entity,
}

/// What the root element says of the whole document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// Browsers show it: `base` counts, `xml:base` does not.
    Page,
    /// Elements without namespace are those of RSS or of a sitemap.
    Unqualified(Namespace),
    /// Elements beside those of XSLT are of the documents that it makes.
    Stylesheet,
    Other,
}

impl XmlCandidates {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.pieces.clear();
        self.scopes.clear();
        let known = XmlContent::Known;
        let base_content = known;
        self.scopes.push(Scope { outer: 0, element: 0, base: 0..0, base_content, content: known });
        self.base = None;
        self.base_outside_head = None;
        self.base_content = XmlContent::Known;
        self.bases.clear();
        self.anchors.clear();
        self.anchor_content = XmlContent::Known;
        self.unknown_namespace = None;
        self.form = RequiredForm::Any;
        self.marked.clear();
    }

    /// Adds a place that may hold references.
    pub(super) fn push(&mut self, candidate: XmlCandidate) {
        if candidate.content != XmlContent::Known && candidate.namespace != Namespace::Instruction {
            self.keep_bases(candidate.scope);
        }
        self.list.push(candidate);
    }

    /// Keeps the bases of a scope, and of those around it: what stays may be relative to them.
    pub(super) fn keep_bases(&mut self, scope: u32) {
        let mut scope = scope as usize;
        while self.scopes[scope].content == XmlContent::Known {
            self.scopes[scope].content = XmlContent::Entity;
            scope = self.scopes[scope].outer as usize;
        }
    }

    /// Whether the element at a place is in one with a marker.
    pub(crate) fn is_marked(&self, element: u32) -> bool {
        let next = self.marked.partition_point(|part| part.end <= element);
        self.marked.get(next).is_some_and(|part| part.start <= element)
    }
}

/// The range in 32 bits: a document has less than 4 GiB (`Page::new`).
pub(super) fn narrow(span: &Range<usize>) -> Range<u32> {
    let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    narrow(span.start)..narrow(span.end)
}
