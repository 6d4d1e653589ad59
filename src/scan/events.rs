//! What a scanner reports: start tags with the byte spans of their attributes, and the text of
//! `style` elements.

use std::ops::{ControlFlow, Range};

pub use crate::attributes::Namespace;

/// How the value of an attribute is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quote {
    /// `name="value"`
    Double,
    /// `name='value'`
    Single,
    /// `name=value`, and also `name=` with nothing after it.
    Unquoted,
    /// A name alone, without `=`.
    Absent,
}

impl Quote {
    /// Whether a mark is after the value.
    pub(crate) fn is_mark(self) -> bool {
        matches!(self, Self::Double | Self::Single)
    }
}

/// One attribute of a start tag, as byte spans into the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name as written; it compares ASCII case-insensitively.
    pub name: Range<usize>,
    /// The value as written, without its quotes; empty after the name where there is none.
    pub value: Range<usize>,
    /// How the value is written.
    pub quote: Quote,
}

/// Where an element lands in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Placement {
    /// Inside the `head` element, also when a late start tag goes back there.
    Head,
    /// Anywhere else in the document.
    Body,
    /// Inside the contents of a `template` element.
    Template,
}

/// What the tree builder makes of a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeAction {
    /// An element is inserted for it.
    Inserted,
    /// It is ignored.
    Dropped,
    /// Its attributes go to the `html` or `body` element that exists, where those are missing.
    Merged,
}

/// One start tag of the document.
#[derive(Clone, Debug)]
pub struct StartTag<'s> {
    /// The tag from `<` to `>`, both included.
    pub span: Range<usize>,
    /// The name as written: any case, and `image` where the element will be an `img`.
    pub name: Range<usize>,
    /// The namespace of the element; [`Namespace::Html`] for a dropped tag.
    pub namespace: Namespace,
    /// Where the element lands.
    pub place: Placement,
    /// Whether there is an element at all.
    pub action: TreeAction,
    /// The attributes in source order; of equal names only the first.
    pub attributes: &'s [Attribute],
    /// The number of attributes as written, duplicates included.
    pub attribute_count: usize,
    /// Whether it ends with `/>`, which means nothing on an HTML element.
    pub is_self_closing: bool,
    /// Whether it is in the content of a `noscript` element, which is text where scripts run.
    pub is_in_noscript: bool,
}

/// How the text inside a `style` element is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextKind {
    /// Raw text: `&` means itself (an HTML `style`).
    Raw,
    /// Character references count (an SVG `style`).
    Escapable,
    /// The inside of a CDATA section: `&` means itself (an SVG `style`).
    Cdata,
    /// The text of an element of XML: the references of XML count.
    Xml,
}

/// Whether the innermost of the elements that are open is the one of the tag that was
/// read last.
///
/// It gets special and foreign elements only, whose order never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Innermost {
    /// It is, and special or foreign.
    New,
    /// It is not, or it is neither.
    Other,
}

/// Receives what a scanner finds, in source order.
pub trait Sink {
    /// A start tag; `Break` ends the scan.
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()>;

    /// The content of a `noscript` element, whose tags are reported next, as those of a document of
    /// its own; its end closes what is open in it.
    fn noscript(&mut self, _content: Range<usize>) {}

    /// An end tag, or a tag that is unfinished at the end of the source, which is
    /// none.
    fn other_tag(&mut self, _span: Range<usize>) {}

    /// How many special and foreign elements are open after a tag, and whether the
    /// innermost of all is its own.
    fn stack(&mut self, _depth: usize, _innermost: Innermost, _tag: Range<usize>) {}

    /// Whether the current node is foreign, after an end tag and at a declaration that is neither a comment
    /// nor a doctype.
    fn current_node(&mut self, _is_foreign: bool) {}

    /// How many clones of formatting elements the whole document has; `usize::MAX` if that is not known.
    fn clones(&mut self, _count: usize) {}

    /// A piece of the text directly inside the innermost open `style` element, or `script` of SVG.
    fn style_text(&mut self, _span: Range<usize>, _kind: TextKind) {}

    /// The end of the innermost open `style` element (HTML or SVG), or `script` of SVG; one for each that
    /// was inserted.
    fn style_end(&mut self) {}

    /// A comment (`<!--`, never a bogus one): the span between its delimiters.
    fn comment(&mut self, _span: Range<usize>) {}
}
