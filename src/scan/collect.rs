//! Collects the candidates of a document: runs the fast scanner or the exact scanner, and turns the
//! events of the exact scanner into candidates.

use std::ops::{ControlFlow, Range};

use super::candidates::{
    Candidate, Candidates, CollectorBuffers, OpenStyle, Piece, ScanOptions, StyleKind, Styles,
    has_text, to_u32,
};
use super::declarations::{find_declared_encoding, find_first_base, read_meta_tag};
use super::exact;
use super::hot;
use super::interest::{Interest, NameId};
use super::tag::{may_be_json, may_have_tag};
use super::text::find_script_end;
use super::{Namespace, Placement, Quote, Sink, StartTag, TextKind, TreeAction};
use crate::encoding::Confidence;

impl Candidates {
    /// Finds the candidates of a document. Runs the exact scanner if the fast scanner bails out.
    ///
    /// `source` is not longer than [`Limit::MAX_INPUT`](crate::error::Limit::MAX_INPUT).
    pub(crate) fn scan(&mut self, source: &[u8], interest: &Interest, options: ScanOptions) {
        self.clear();
        self.list.reserve(source.len() / BYTES_PER_CANDIDATE);
        if hot::scan(source, interest, options, self).is_ok() {
            if options.confidence == Confidence::Tentative {
                self.declared = find_declared_encoding(source, self, interest);
            }
        } else {
            self.clear();
            self.has_base = may_have_tag(source, b"base");
            self.scan_exactly(source, interest, options);
        }
        if self.has_base {
            self.base = find_first_base(source);
        }
    }

    fn scan_exactly(&mut self, source: &[u8], interest: &Interest, options: ScanOptions) {
        let CollectorBuffers { mut scanner, mut styles, mut texts } =
            std::mem::take(&mut self.buffers);
        styles.clear();
        texts.clear();
        let mut collector =
            CandidateCollector { source, interest, options, found: self, styles, texts };
        let _ = exact::scan_in(source, &mut collector, &mut scanner);
        let CandidateCollector { styles, texts, .. } = collector;
        self.buffers = CollectorBuffers { scanner, styles, texts };
    }
}

/// The list of a document has room for one candidate per this many bytes before it grows. The pages
/// of `python3.11-doc` have one link in 285 bytes, those of `postgresql-doc-15` one in 574.
///
/// A list that grows leaves its old memory to the allocator: a page of 50 MB takes 61 MB of memory
/// beside its input (`RssAnon` of `absolve rewrite`) if the list grows, and 57 MB with room for all.
const BYTES_PER_CANDIDATE: usize = 256;

/// Collects candidates from the events of the exact scanner.
struct CandidateCollector<'c, 's> {
    source: &'s [u8],
    interest: &'c Interest,
    options: ScanOptions,
    found: &'c mut Candidates,
    /// The open `style` elements, and `script` elements of SVG.
    styles: Vec<OpenStyle>,
    /// The text of these elements so far; the text of the innermost is last.
    texts: Vec<Piece>,
}

impl CandidateCollector<'_, '_> {
    /// Finds the text of the HTML `script` element that begins with this start tag.
    fn find_script_text(&self, tag: &StartTag<'_>) -> Range<usize> {
        let noscript = self.found.noscripts.last().filter(|_| tag.is_in_noscript);
        let end = noscript.map_or(self.source.len(), |content| content.end);
        tag.span.end..find_script_end(&self.source[..end], tag.span.end)
    }
}

impl Sink for CandidateCollector<'_, '_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        let name = &self.source[tag.name.clone()];
        let candidate = |id, value: Range<usize>, quote| Candidate {
            element: to_u32(tag.name.start),
            value_start: to_u32(value.start),
            value_end: to_u32(value.end),
            name: id,
            quote,
            namespace: tag.namespace,
        };
        let may_have_fact = tag.action != TreeAction::Dropped && tag.place != Placement::Template;
        for attribute in tag.attributes {
            let Some(id) = self.interest.find(&self.source[attribute.name.clone()]) else {
                continue;
            };
            self.found.has_marker |= self.interest.is_marker(id);
            if may_have_fact || self.interest.is_link(id) {
                self.found.list.push(candidate(id, attribute.value.clone(), attribute.quote));
            }
        }
        let is_html = tag.namespace == Namespace::Html;
        if is_html && tag.is_self_closing && name.eq_ignore_ascii_case(b"script") {
            let text = &self.source[self.find_script_text(tag)];
            self.found.has_closed_script |= tag.action == TreeAction::Inserted && has_text(text);
        }
        if is_html
            && tag.action == TreeAction::Inserted
            && name.eq_ignore_ascii_case(b"script")
            && may_be_json(&self.source[tag.name.end..tag.span.end])
        {
            let text = self.find_script_text(tag);
            self.found.list.push(candidate(NameId::JSON, text, Quote::Absent));
        }
        if self.options.confidence == Confidence::Tentative && self.found.declared.is_none() {
            self.found.declared = read_meta_tag(self.source, tag);
        }
        let kind = match tag.namespace {
            Namespace::Html | Namespace::Svg if name.eq_ignore_ascii_case(b"style") => {
                Some(StyleKind::Style)
            }
            Namespace::Svg if name.eq_ignore_ascii_case(b"script") => {
                let is_json = may_be_json(&self.source[tag.name.end..tag.span.end]);
                Some(if is_json { StyleKind::Json } else { StyleKind::OtherScript })
            }
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| tag.action == TreeAction::Inserted) {
            self.found.is_unordered |= !self.styles.is_empty();
            self.styles.push(OpenStyle {
                kind,
                element: to_u32(tag.name.start),
                namespace: tag.namespace,
                first: to_u32(self.texts.len()),
            });
        }
        ControlFlow::Continue(())
    }

    fn noscript(&mut self, content: Range<usize>) {
        self.found.noscripts.push(content);
    }

    fn style_text(&mut self, span: Range<usize>, kind: TextKind) {
        if !self.styles.is_empty() {
            self.texts.push(Piece { start: to_u32(span.start), end: to_u32(span.end), kind });
        }
    }

    fn style_end(&mut self) {
        let Some(OpenStyle { kind, element, namespace, first }) = self.styles.pop() else { return };
        let pieces = self.texts.drain(first as usize..);
        let is_wanted = match kind {
            StyleKind::Style => self.options.styles == Styles::Keep,
            StyleKind::Json => true,
            StyleKind::OtherScript => false,
        };
        let (name, value_start, value_end) = match pieces.as_slice() {
            _ if !is_wanted => return,
            [] => return,
            &[Piece { start, end, kind: TextKind::Raw }] => (NameId::TEXT, start, end),
            _ => {
                // An SVG style may contain elements, whose candidates precede this one.
                self.found.is_unordered = true;
                let start = to_u32(self.found.pieces.len());
                self.found.pieces.extend(pieces);
                let is_json = kind == StyleKind::Json;
                let name = if is_json { NameId::JSON_PIECES } else { NameId::PIECES };
                (name, start, to_u32(self.found.pieces.len()))
            }
        };
        let quote = Quote::Absent;
        self.found.list.push(Candidate { element, value_start, value_end, name, quote, namespace });
    }
}
