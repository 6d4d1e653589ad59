//! Finds the attributes and texts of an XML document that may hold references, and the bases.
//!
//! quick-xml finds the beginning and end of markup. The scanner checks the parts of
//! [well-formedness][spec] that quick-xml does not: tags, names, references, characters, and
//! [namespaces](https://www.w3.org/TR/xml-names/). It expands entities only in the URI of a
//! namespace, and reads nothing external. It never recurses, so elements may nest to any depth.
//!
//! NOTE: the scanner checks neither the internal subset nor the replacement text of entities, and
//! reads no default values of attributes.
//!
//! [spec]: https://www.w3.org/TR/xml/#sec-well-formed

mod doctype;
mod element;
mod scanner;
mod tag;

use std::ops::Range;

use memchr::memchr_iter;

use crate::attributes::{Namespace, RequiredForm};
use crate::error::{Error, Location, shortened};
use crate::link::{AnchorKind, BasePlace};
use crate::scan::candidates::{Piece, to_u32};

pub(crate) use tag::{has_entity, iterate_attributes, spell_attribute, spell_element, split_name};

/// The candidates of an XML document, in the order of the source, and its bases, anchors and items.
#[derive(Debug, Default)]
pub(crate) struct XmlCandidates {
    pub(crate) list: Vec<XmlCandidate>,
    /// The pieces of every text that is a candidate.
    pub(crate) pieces: Vec<Piece>,
    /// The scopes of bases, each after its outer scope. The first is the scope of the document,
    /// whose base is from a `base` element.
    pub(crate) scopes: Vec<XmlScope>,
    /// The `href` of the first `base` element that would be in effect in the head.
    pub(crate) base_outside_head: Option<Range<u32>>,
    /// The `href` and the position of every `base` element of XHTML, if facts are collected.
    pub(crate) bases: Vec<(Range<u32>, BasePlace)>,
    /// The form that the links of the root element's language need.
    pub(crate) form: RequiredForm,
    /// The first declaration of an unknown namespace, or name of an element in an unknown
    /// namespace. The scanner finds no links of its language.
    pub(crate) unknown_namespace: Option<Range<u32>>,
    /// Whether the document may have links if it is read as HTML instead.
    pub(crate) is_page: bool,
    /// The offset of the XML declaration, if white space precedes it.
    pub(crate) late_declaration: Option<usize>,
    /// The anchors, if facts are collected.
    pub(crate) anchors: Vec<XmlAnchor>,
    /// Whether `anchors` is complete: an entity may contain or name further anchors.
    pub(crate) anchor_content: XmlContent,
    /// The items of a feed, if the HTML in them is relative to their links.
    pub(crate) items: Vec<FeedItem>,
    /// The extents of the outermost elements with a marker.
    marked: Vec<Range<u32>>,
}

/// An attribute that a fragment can name.
#[derive(Debug, Clone)]
pub(crate) struct XmlAnchor {
    /// The offset of the element's name.
    pub(crate) element: u32,
    pub(crate) value: Range<u32>,
    pub(crate) kind: AnchorKind,
}

/// The element to which an `xml:base` applies, or the document, whose base may be a `base` element.
#[derive(Debug, Clone, Default)]
pub(crate) struct XmlScope {
    /// The index of the scope around it.
    pub(crate) outer: u32,
    /// The offset of the name of the element that has the base.
    pub(crate) element: u32,
    /// The value of `xml:base` or `href`; `0..0` without a base.
    pub(crate) base: Range<u32>,
    /// Whether the meaning of `base` is known.
    pub(crate) base_content: XmlContent,
    /// Whether `base`, or a value in the scope, stays unchanged because it has an entity.
    pub(crate) content: XmlContent,
}

/// An attribute or a text that may hold references.
#[derive(Debug, Clone)]
pub(crate) struct XmlCandidate {
    /// The offset of the name of the element, or of the target of the instruction.
    pub(crate) element: u32,
    pub(crate) namespace: Namespace,
    /// The index of the scope that contains it.
    pub(crate) scope: u32,
    pub(crate) part: XmlPart,
    pub(crate) content: XmlContent,
}

/// The part of an element that is a candidate.
#[derive(Debug, Clone)]
pub(crate) enum XmlPart {
    /// An attribute, whose name may be in a namespace.
    Attribute { name: Range<u32>, prefix: Prefix, value: Range<u32> },
    /// The text of the element: a range of [`XmlCandidates::pieces`] that is not empty.
    Text(Range<u32>),
}

/// An item of a feed: an [`entry`](https://www.rfc-editor.org/rfc/rfc4287#section-4.1.2) of Atom,
/// or an [`item`](https://www.rssboard.org/rss-specification#hrelementsOfLtitemgt) of RSS.
#[derive(Debug, Clone)]
pub(crate) struct FeedItem {
    /// The item, from the name of its start tag to the end of its end tag.
    span: Range<u32>,
    /// The index of the scope inside the item.
    pub(crate) scope: u32,
    /// The best link of the item so far.
    pub(crate) link: Option<(ItemLink, XmlPart)>,
}

/// The elements with the link of an item, in ascending order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ItemLink {
    /// A `guid` that is a permalink.
    Guid,
    /// A `link`, which in Atom is an alternate.
    Link,
}

/// The prefix that the table of attributes uses for a namespace; a document may use another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// [XLink](https://www.w3.org/TR/xlink11/).
    XLink,
    /// [RDF](https://www.w3.org/TR/rdf-syntax-grammar/), whose namespace has elements too.
    Rdf,
    /// [EPUB](https://www.w3.org/TR/epub-33/#sec-overlays-elements-attrs).
    Epub,
    /// The attribute has no namespace, or one without a prefix in the table.
    AsWritten,
}

/// Whether the scanner knows the text of a value, and the reason if not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum XmlContent {
    #[default]
    Known,
    /// The value has an entity, which represents characters other than markup.
    TextEntity,
    /// The value has an entity that may represent markup of XML or HTML.
    Entity,
}

/// The kind of document that the root element declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// A document that browsers show: `base` has an effect, `xml:base` has none.
    Page,
    /// Elements without namespace belong to RSS or to a sitemap.
    Unqualified(Namespace),
    /// Elements outside of the namespace of XSLT belong to the documents that it produces.
    Stylesheet,
    Other,
}

impl XmlCandidates {
    /// Removes all results, but keeps the memory of the lists.
    fn clear(&mut self) {
        let Self { mut list, mut pieces, .. } = std::mem::take(self);
        list.clear();
        pieces.clear();
        *self = Self {
            is_page: true,
            list,
            pieces,
            scopes: vec![XmlScope::default()],
            ..Self::default()
        };
    }

    /// Adds a candidate.
    fn push(&mut self, candidate: XmlCandidate) {
        if candidate.content != XmlContent::Known && candidate.namespace != Namespace::Instruction {
            self.keep_bases(candidate.scope);
        }
        self.list.push(candidate);
    }

    /// Marks the bases of a scope and of its outer scopes to stay unchanged: a value with an entity
    /// stays unchanged, and may be relative to these bases.
    fn keep_bases(&mut self, scope: u32) {
        let mut scope = scope as usize;
        while self.scopes[scope].content == XmlContent::Known {
            self.scopes[scope].content = XmlContent::Entity;
            scope = self.scopes[scope].outer as usize;
        }
    }

    /// Whether the element at an offset has a marker, or is in an element with a marker.
    pub(crate) fn is_marked(&self, element: u32) -> bool {
        let next = self.marked.partition_point(|part| part.end <= element);
        self.marked.get(next).is_some_and(|part| part.start <= element)
    }
}

/// Narrows a range to 32 bits; a document has less than 4 GiB (`Page::new`).
fn narrow(span: &Range<usize>) -> Range<u32> {
    to_u32(span.start)..to_u32(span.end)
}

/// Widens a range that [`narrow`] has narrowed.
pub(crate) fn widen(span: &Range<u32>) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// The reason why a document is not well-formed, and the offset of the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) why: String,
}

impl Fault {
    fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }

    /// Converts the fault to an error, with its line and column in `bytes`, the document.
    pub(crate) fn into_error(self, bytes: &[u8]) -> Error {
        Error::not_well_formed(self.why, locate(bytes, self.at))
    }
}

/// Finds the line and column of an offset in `bytes`, the document.
pub(crate) fn locate(bytes: &[u8], at: usize) -> Location {
    let before = &bytes[..at.min(bytes.len())];
    let lines = memchr_iter(b'\n', before).count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = &before[start..];
    let column = std::str::from_utf8(line).map_or(line.len(), |line| line.chars().count());
    Location::Character { line: lines as u64 + 1, column: column as u64 + 1 }
}

/// Quotes a name for a message.
fn quote_name(name: &[u8]) -> String {
    format!("'{}'", shortened(&String::from_utf8_lossy(name)).escape_debug())
}

/// The number of bytes that are checked together.
const CHUNK_LEN: usize = 256;

/// Fails at the first control character that
/// [XML does not allow](https://www.w3.org/TR/xml/#charsets).
fn check_characters(bytes: &[u8]) -> Result<(), Fault> {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // A fold without an early exit compares all bytes of a chunk at once.
    let has_control = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | is_control(byte));
    let chunk = bytes.chunks(CHUNK_LEN).position(has_control).map(|chunk| chunk * CHUNK_LEN);
    let at = chunk.and_then(|start| Some(start + bytes[start..].iter().position(is_control)?));
    if let Some(at) = at {
        return Err(Fault::new(at, format!("the character U+{:04X}", bytes[at])));
    }
    Ok(())
}
