//! What a scan leaves for the splice engine: the attributes that may hold
//! references, and what decides about the base.

use std::ops::{ControlFlow, Range};

use encoding_rs::Encoding;

use super::attributes::{Attributes, every};
use super::bytes::name_end;
use super::declaration::{of_candidates, of_start_tag};
use super::{
    Attribute, Fate, Interest, NameId, Namespace, Place, Quote, Sink, StartTag, TextKind, exact,
};
use crate::encoding::Confidence;
use crate::link::BaseScope;

/// An attribute that may hold references; or the text of a `style` element, or a
/// comment.
///
/// Offsets are of 32 bits, so that a document of nothing but links takes little
/// more than itself. With [`NameId::PIECES`] the value is a part of
/// [`Candidates::pieces`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Where the tag's name begins, one behind its `<`.
    pub(crate) element: u32,
    pub(crate) value_start: u32,
    pub(crate) value_end: u32,
    pub(crate) name: NameId,
    pub(crate) quote: Quote,
    pub(crate) namespace: Namespace,
}

/// A piece of the text of a `style` element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: TextKind,
}

impl Piece {
    pub(crate) fn span(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The candidates of a document, in the order of the source, and its bases.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) list: Vec<Candidate>,
    /// The text of the `style` elements that do not hold one piece of raw text.
    pub(crate) pieces: Vec<Piece>,
    /// Where the tags of the `base` elements with an `href` begin.
    pub(crate) bases: Vec<u32>,
    /// The first of them that counts.
    pub(crate) base: Option<u32>,
    /// The encoding that the first `meta` element declares which declares one, where that of the
    /// document is tentative.
    pub(crate) declared: Option<&'static Encoding>,
    /// Whether a `style` element stands inside another, so that the candidates are
    /// not in order.
    pub(crate) is_unordered: bool,
    memory: Memory,
}

/// What the exact scanner needs while it reads.
#[derive(Debug, Default)]
struct Memory {
    room: exact::Room,
    /// The open `style` elements.
    styles: Vec<Style>,
    /// Their text so far, that of the innermost last.
    texts: Vec<Piece>,
}

/// An offset into a document, which is never longer than [`Limit::MAX_INPUT`](crate::error::Limit::MAX_INPUT).
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl Candidate {
    pub(crate) fn value(&self) -> Range<usize> {
        self.value_start as usize..self.value_end as usize
    }

    /// The name of its tag.
    pub(crate) fn element(&self, source: &[u8]) -> Range<usize> {
        let start = self.element as usize;
        start..name_end(source, start)
    }
}

impl Candidates {
    /// Moves everything by so many bytes: what was scanned is a part of a document.
    pub(crate) fn shift(&mut self, by: usize) {
        let by = offset(by);
        for candidate in &mut self.list {
            candidate.element += by;
            if candidate.name != NameId::PIECES {
                candidate.value_start += by;
                candidate.value_end += by;
            }
        }
        for piece in &mut self.pieces {
            piece.start += by;
            piece.end += by;
        }
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.pieces.clear();
        self.bases.clear();
        self.declared = None;
        self.base = None;
        self.is_unordered = false;
    }

    /// Finds the candidates of a document: with the hot scanner, and where that
    /// gives up with the exact one.
    ///
    /// `source` is not longer than [`Limit::MAX_INPUT`](crate::error::Limit::MAX_INPUT).
    pub(crate) fn scan(&mut self, source: &[u8], interest: &Interest, wanted: Wanted) {
        self.clear();
        if super::hot::scan(source, interest, wanted, self).is_ok() {
            if wanted.confidence == Confidence::Tentative {
                self.declared = of_candidates(source, &self.list, interest);
            }
            self.base = self.bases.first().copied();
            if wanted.scope == BaseScope::Head {
                self.base = self.base.filter(|&base| is_in_head(source, base));
            }
            return;
        }
        self.clear();
        let Memory { mut room, mut styles, mut texts } = std::mem::take(&mut self.memory);
        styles.clear();
        texts.clear();
        let mut collector = Collector { source, interest, wanted, found: self, styles, texts };
        let _ = exact::scan_in(RULES, source, &mut collector, &mut room);
        let Collector { styles, texts, .. } = collector;
        self.memory = Memory { room, styles, texts };
    }
}

/// The engines are one in what a link is, so that the scanner has to follow the
/// parser of the other where that differs from the HTML Standard: in misnested
/// SVG and MathML, and in row groups inside templates.
pub(super) const RULES: exact::Rules = exact::Rules::Html5ever;

/// What a scan is to find besides attributes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) scope: BaseScope,
    pub(crate) comments: Comments,
    pub(crate) styles: Styles,
    pub(crate) confidence: Confidence,
}

/// Whether comments are candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comments {
    Skip,
    Keep,
}

/// Whether the text of `style` elements is a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Styles {
    Skip,
    Keep,
}

/// Where the `base` elements stand whose tags begin at these places, in order.
pub(crate) fn places_of(source: &[u8], tags: &[u32]) -> Vec<Place> {
    struct Find<'t> {
        tags: &'t [u32],
        places: Vec<Place>,
    }
    impl Sink for Find<'_> {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            let Some(next) = self.tags.get(self.places.len()) else {
                return ControlFlow::Break(());
            };
            if offset(tag.span.start) == *next {
                self.places.push(tag.place);
            }
            ControlFlow::Continue(())
        }
    }
    let mut find = Find { tags, places: Vec::with_capacity(tags.len()) };
    let _ = exact::scan_by(RULES, source, &mut find);
    find.places
}

/// Where the head ends depends on everything before, so the exact scanner reads
/// up to the tag in question. A `base` that is not in the head closed it, or came
/// behind its end, so that no later one is.
fn is_in_head(source: &[u8], base: u32) -> bool {
    struct Find {
        start: usize,
        place: Option<Place>,
    }
    impl Sink for Find {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            if tag.span.start < self.start {
                return ControlFlow::Continue(());
            }
            self.place = (tag.span.start == self.start).then_some(tag.place);
            ControlFlow::Break(())
        }
    }
    let mut find = Find { start: base as usize, place: None };
    let _ = exact::scan_by(RULES, source, &mut find);
    find.place == Some(Place::Head)
}

/// The attributes of the start tag whose name begins at `name`, and where it ends.
pub(crate) fn attributes_of(source: &[u8], name: usize) -> (Vec<Attribute>, usize) {
    let mut attributes = Attributes::default();
    let end = attributes.read(source, name_end(source, name)).map_or(source.len(), |tag| tag.end);
    (attributes.list, end)
}

/// How many attributes a tag has as it is written, be it a start tag or not.
pub(crate) fn count_attributes(source: &[u8], tag: Range<usize>) -> usize {
    let slash = usize::from(source.get(tag.start + 1) == Some(&b'/'));
    let mut attributes = Attributes::default();
    let _ = attributes.read(&source[..tag.end], name_end(source, tag.start + 1 + slash));
    attributes.count
}

/// The same, also those that do not count because another of the name goes before.
pub(crate) fn every_attribute_of(source: &[u8], name: usize) -> Vec<Attribute> {
    every(source, name_end(source, name)).collect()
}

/// Whether the start tag whose name ends at `name_end` has an `href`.
pub(super) fn has_href(source: &[u8], name_end: usize) -> bool {
    let mut attributes = Attributes::default();
    attributes.read(source, name_end).is_some()
        && attributes.list.iter().any(|one| source[one.name.clone()].eq_ignore_ascii_case(b"href"))
}

/// Takes what the exact scanner reports.
struct Collector<'c, 's> {
    source: &'s [u8],
    interest: &'c Interest,
    wanted: Wanted,
    found: &'c mut Candidates,
    /// The open `style` elements.
    styles: Vec<Style>,
    /// Their text so far, that of the innermost last.
    texts: Vec<Piece>,
}

/// An open `style` element.
#[derive(Debug)]
struct Style {
    element: u32,
    namespace: Namespace,
    /// Where its text begins in [`Collector::texts`].
    first: u32,
}

impl Sink for Collector<'_, '_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.source[tag.name.clone()];
        let candidate = |id, value: Range<usize>, quote| Candidate {
            element: offset(tag.name.start),
            value_start: offset(value.start),
            value_end: offset(value.end),
            name: id,
            quote,
            namespace: tag.namespace,
        };
        let is_there = tag.fate != Fate::Dropped && tag.place != Place::Template;
        for attribute in tag.attributes {
            if let Some(id) = self.interest.find(&self.source[attribute.name.clone()])
                && (is_there || self.interest.is_link(id))
            {
                self.found.list.push(candidate(id, attribute.value.clone(), attribute.quote));
            }
        }
        let is_html = tag.namespace == Namespace::Html;
        if is_html && name.eq_ignore_ascii_case(b"base") && has_href(self.source, tag.name.end) {
            self.found.bases.push(offset(tag.span.start));
            let is_in_scope = match tag.place {
                Place::Head => true,
                Place::Body => self.wanted.scope == BaseScope::Document,
                Place::Template => false,
            };
            if self.found.base.is_none() && is_in_scope && tag.fate != Fate::Dropped {
                self.found.base = Some(offset(tag.span.start));
            }
        }
        if self.wanted.confidence == Confidence::Tentative && self.found.declared.is_none() {
            self.found.declared = of_start_tag(self.source, tag);
        }
        let is_style = name.eq_ignore_ascii_case(b"style") && tag.namespace != Namespace::MathMl;
        if is_style && tag.fate == Fate::Inserted {
            self.found.is_unordered |= !self.styles.is_empty();
            self.styles.push(Style {
                element: offset(tag.name.start),
                namespace: tag.namespace,
                first: offset(self.texts.len()),
            });
        }
        ControlFlow::Continue(())
    }

    fn style_text(&mut self, span: Range<usize>, kind: TextKind) {
        if !self.styles.is_empty() {
            self.texts.push(Piece { start: offset(span.start), end: offset(span.end), kind });
        }
    }

    fn style_end(&mut self) {
        let Some(Style { element, namespace, first }) = self.styles.pop() else { return };
        let pieces = self.texts.drain(first as usize..);
        let (name, value_start, value_end) = match pieces.as_slice() {
            _ if self.wanted.styles == Styles::Skip => return,
            [] => return,
            &[Piece { start, end, kind: TextKind::Raw }] => (NameId::TEXT, start, end),
            _ => {
                // The elements inside a style of SVG have been reported before its end.
                self.found.is_unordered = true;
                let start = offset(self.found.pieces.len());
                self.found.pieces.extend(pieces);
                (NameId::PIECES, start, offset(self.found.pieces.len()))
            }
        };
        let quote = Quote::Absent;
        self.found.list.push(Candidate { element, value_start, value_end, name, quote, namespace });
    }

    fn comment(&mut self, span: Range<usize>) {
        if self.wanted.comments == Comments::Keep {
            self.found.list.push(Candidate {
                element: 0,
                value_start: offset(span.start),
                value_end: offset(span.end),
                name: NameId::COMMENT,
                quote: Quote::Absent,
                namespace: Namespace::Html,
            });
        }
    }
}
