//! Finds the start tags of a document, with the byte spans of their attributes, and reports nothing
//! that an HTML parser would not see as markup.
//!
//! The names are those of <https://html.spec.whatwg.org/multipage/parsing.html>. The callers decode
//! character references and know which attributes hold links.

mod anchor_text;
mod attributes;
mod bytes;
mod candidates;
mod collect;
mod declarations;
mod events;
pub mod exact;
mod extents;
mod hot;
mod interest;
pub(crate) mod json;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
mod text;
pub(crate) mod xml;

pub(crate) use anchor_text::{AnchorPart, read_anchor_text};
pub(crate) use attributes::count_attributes;
pub(crate) use attributes::{iterate_attributes, read_attributes, tag_end};
pub(crate) use bytes::Opens;
pub(crate) use candidates::{
    BaseElement, Candidate, Candidates, Piece, ScanOptions, Styles, hides_markup,
};
pub(crate) use declarations::find_first_base;
pub(crate) use declarations::{declared_encoding, find_all_bases};
pub use events::{
    Attribute, Innermost, Namespace, Placement, Quote, Sink, StartTag, TextKind, TreeAction,
};
#[doc(hidden)]
pub use extents::extents_of;
pub(crate) use interest::{Fact, Interest, NameId};
