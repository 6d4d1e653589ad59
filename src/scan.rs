//! What a scanner reports: start tags with the byte spans of their attributes, and nothing that
//! an HTML parser would not see as markup.
//!
//! The vocabulary of <https://html.spec.whatwg.org/multipage/parsing.html>; decoding character
//! references and knowing which attributes hold links is left to the callers.

use std::ops::{ControlFlow, Range};

mod attributes;
mod bytes;
mod candidates;
mod declaration;
pub mod exact;
mod extents;
mod hot;
mod interest;
mod text;

pub use crate::attributes::Namespace;
pub(crate) use candidates::{
    Candidate, Candidates, Comments, Piece, Styles, Wanted, attributes_of, count_attributes,
    every_attribute_of, places_of,
};
pub(crate) use declaration::declared_encoding;
pub(crate) use extents::extents_of;
pub(crate) use interest::{Fact, Interest, NameId};

/// How the value of an attribute is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quote {
    /// `name="value"`
    Double,
    /// `name='value'`
    Single,
    /// `name=value`, and also `name=` with nothing behind it.
    Unquoted,
    /// A name alone, without `=`.
    Absent,
}

impl Quote {
    /// Whether a mark stands behind the value.
    pub(crate) fn is_mark(self) -> bool {
        matches!(self, Self::Double | Self::Single)
    }
}

/// One attribute of a start tag, as byte spans into the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name as written; it compares ASCII case-insensitively.
    pub name: Range<usize>,
    /// The value as written, without its quotes; empty behind the name where there is none.
    pub value: Range<usize>,
    /// How the value is written.
    pub quote: Quote,
}

/// Where an element lands in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Inside the `head` element, also when a late start tag goes back there.
    Head,
    /// Anywhere else in the document.
    Body,
    /// Inside the contents of a `template` element.
    Template,
}

/// What the tree builder makes of a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// An element is inserted for it.
    Inserted,
    /// It is ignored.
    Dropped,
    /// Its attributes go to the `html` or `body` element that stands, where those are missing.
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
    pub place: Place,
    /// Whether there is an element at all.
    pub fate: Fate,
    /// The attributes in source order; of equal names only the first.
    pub attributes: &'s [Attribute],
    /// The number of attributes as written, duplicates included.
    pub attribute_count: usize,
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
}

/// Receives what a scanner finds, in source order.
pub trait Sink {
    /// A start tag; `Break` ends the scan.
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()>;

    /// An end tag, or a tag that is unfinished at the end of the source, which is
    /// none.
    fn other_tag(&mut self, _span: Range<usize>) {}

    /// How many special and foreign elements are open behind a tag, and whether the
    /// innermost of all is its own.
    fn stack(&mut self, _depth: usize, _innermost: exact::Innermost, _tag: Range<usize>) {}

    /// How many formatting elements were opened anew up to a tag, itself included, or up to
    /// the end of the document.
    fn reopened(&mut self, _count: usize, _at: Option<Range<usize>>) {}

    /// A piece of the text directly inside the innermost open `style` element.
    fn style_text(&mut self, _span: Range<usize>, _kind: TextKind) {}

    /// The end of the innermost open `style` element (HTML or SVG); one for each that was inserted.
    fn style_end(&mut self) {}

    /// A comment (`<!--`, never a bogus one): the span between its delimiters.
    fn comment(&mut self, _span: Range<usize>) {}
}
