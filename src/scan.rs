//! Finds the start tags of a document, with the byte spans of their attributes, and reports nothing
//! that an HTML parser would not see as markup.
//!
//! The names are those of <https://html.spec.whatwg.org/multipage/parsing.html>. The callers decode
//! character references and know which attributes hold links.

mod anchor_text;
mod attributes;
mod base;
mod bytes;
mod candidates;
mod collect;
mod declaration;
mod events;
pub mod exact;
mod extents;
mod hidden;
mod hot;
mod interest;
pub(crate) mod json;
#[cfg(feature = "markdown")]
pub(crate) mod markdown;
mod text;
pub(crate) mod xml;

pub(crate) use anchor_text::{AnchorPart, anchor_text};
pub(crate) use attributes::count_attributes;
pub(crate) use attributes::{attributes_of, every_attribute_of, tag_end};
pub(crate) use base::first_base;
pub(crate) use base::{BaseElement, all_bases};
pub(crate) use bytes::Opens;
pub(crate) use candidates::{Candidate, Candidates, Piece, ScanOptions, Styles};
pub(crate) use declaration::declared_encoding;
pub use events::{
    Attribute, Innermost, Namespace, Placement, Quote, Sink, StartTag, TextKind, TreeAction,
};
#[doc(hidden)]
pub use extents::extents_of;
pub(crate) use hidden::hides_markup;
pub(crate) use interest::{Fact, Interest, NameId};
