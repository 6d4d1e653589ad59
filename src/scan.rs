//! Finds the start tags that an HTML parser sees, with the byte spans of their attributes.
//!
//! A [`Sink`] receives the tags as events, in the order of the source. The terms are those of
//! <https://html.spec.whatwg.org/multipage/parsing.html>. The callers decode character references,
//! and know the attributes with links.

mod anchor_text;
mod candidates;
mod collect;
mod declarations;
pub mod exact;
mod extents;
mod hot;
mod interest;
pub(crate) mod json;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
mod tag;
mod text;
pub(crate) mod xml;

use std::ops::{ControlFlow, Range};

pub use crate::attributes::Namespace;
pub(crate) use anchor_text::{AnchorPart, read_anchor_text};
pub(crate) use candidates::{BaseElement, Candidate, Candidates, Piece, ScanOptions, hides_markup};
pub(crate) use declarations::{declared_encoding, find_all_bases, find_first_base};
#[doc(hidden)]
pub use extents::extents_of;
pub(crate) use interest::{Fact, Interest, NameId};
pub(crate) use tag::{Opens, count_attributes, iterate_attributes, read_attributes, tag_end};

/// The quotes of an attribute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quote {
    /// `name="value"`
    Double,
    /// `name='value'`
    Single,
    /// `name=value`, or `name=` with nothing after it.
    Unquoted,
    /// `name` alone, without `=`.
    Absent,
}

impl Quote {
    /// Whether a quotation mark ends the value.
    pub(crate) fn is_mark(self) -> bool {
        matches!(self, Self::Double | Self::Single)
    }
}

/// An attribute of a start tag, as byte spans into the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name as written. Names are equal regardless of ASCII case.
    pub name: Range<usize>,
    /// The value as written, without its quotes; empty after the name if there is no value.
    pub value: Range<usize>,
    /// The quotes of the value.
    pub quote: Quote,
}

/// The part of the tree that receives an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placement {
    /// Inside the `head` element, even if the tag follows the end of the head and is moved into it.
    Head,
    /// Anywhere else in the document.
    Body,
    /// Inside the contents of a `template` element.
    Template,
}

/// The effect of a start tag on the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeAction {
    /// The tree builder inserts an element.
    Inserted,
    /// The tree builder ignores the tag.
    Dropped,
    /// The existing `html` or `body` element receives the attributes that it lacks.
    Merged,
}

/// A start tag of the document.
#[derive(Clone, Debug)]
pub struct StartTag<'s> {
    /// The tag from `<` to `>`, both included.
    pub span: Range<usize>,
    /// The name as written: in any case, and `image` if the parser creates an `img`.
    pub name: Range<usize>,
    /// The namespace of the element; [`Namespace::Html`] for a dropped tag.
    pub namespace: Namespace,
    /// The part of the tree that receives the element.
    pub place: Placement,
    /// The effect of the tag: only [`TreeAction::Inserted`] creates an element.
    pub action: TreeAction,
    /// The attributes in source order; of equal names, only the first.
    pub attributes: &'s [Attribute],
    /// The number of attributes as written, duplicates included.
    pub attribute_count: usize,
    /// Whether the tag ends with `/>`, which has no effect on an HTML element.
    pub is_self_closing: bool,
    /// Whether the tag is in the content of a `noscript` element, which is text in a browser that
    /// runs scripts.
    pub is_in_noscript: bool,
}

/// The syntax of a piece of the text of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextKind {
    /// Raw text: `&` means itself (an HTML `style`).
    Raw,
    /// `&` begins character references (an SVG `style`).
    Escapable,
    /// The inside of a CDATA section: `&` means itself (an SVG `style`).
    Cdata,
    /// The text of an element of XML: `&` begins references of XML.
    Xml,
}

/// Whether the last tag opened the innermost of the special and foreign elements on the stack.
/// Other elements are not considered, as their order on the stack can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Innermost {
    /// The tag opened a special or foreign element, which is now the innermost one.
    New,
    /// The tag opened no such element, or another one is innermost.
    Other,
}

/// Receives the events of a scanner, in the order of the source.
pub trait Sink {
    /// A start tag; `Break` ends the scan.
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()>;

    /// The content of a `noscript` element. The next events are those of the tags in it, as in a
    /// separate document: the end of the content closes the elements that are open in it.
    fn noscript(&mut self, _content: Range<usize>) {}

    /// An end tag, or an unfinished tag at the end of the source, which a parser drops.
    fn other_tag(&mut self, _span: Range<usize>) {}

    /// The number of open special and foreign elements after a tag.
    fn stack(&mut self, _depth: usize, _innermost: Innermost, _tag: Range<usize>) {}

    /// Whether the current node is foreign. The event follows each end tag, and precedes each
    /// declaration that is neither a comment nor a doctype.
    fn current_node(&mut self, _is_foreign: bool) {}

    /// The number of clones of formatting elements in the whole document; `usize::MAX` if unknown.
    fn clones(&mut self, _count: usize) {}

    /// A piece of the text directly inside the innermost open `style` element or `script` of SVG.
    fn style_text(&mut self, _span: Range<usize>, _kind: TextKind) {}

    /// The end of the innermost open `style` element (HTML or SVG) or `script` of SVG: one event
    /// for each inserted element.
    fn style_end(&mut self) {}

    /// A comment (`<!--`, never a bogus one): the span between its delimiters.
    fn comment(&mut self, _span: Range<usize>) {}
}
