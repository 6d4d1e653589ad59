//! Collects the candidates of a document: by the fast scanner, or by the exact one.

use std::ops::{ControlFlow, Range};

use super::base::first_base;
use super::candidates::{
    Candidate, Candidates, CollectorBuffers, Piece, ScanOptions, Style, Styles, offset,
};
use super::declaration::{of_candidates, of_start_tag};
use super::events::{Namespace, Placement, Quote, Sink, StartTag, TextKind, TreeAction};
use super::exact::{self, Rules};
use super::hidden::has_text;
use super::hot;
use super::interest::{Interest, NameId};
use super::tags::{may_be_json, may_have_tag};
use super::text::script_end;
use crate::encoding::Confidence;

impl Candidates {
    /// Finds the candidates of a document: with the fast scanner, or with the exact one if that
    /// bails out.
    ///
    /// `source` is not longer than [`Limit::MAX_INPUT`](crate::error::Limit::MAX_INPUT).
    pub(crate) fn scan(&mut self, source: &[u8], interest: &Interest, options: ScanOptions) {
        self.clear();
        if hot::scan(source, interest, options, self).is_ok() {
            if options.confidence == Confidence::Tentative {
                self.declared = of_candidates(source, &self.list, interest);
            }
        } else {
            self.clear();
            self.has_base = may_have_tag(source, b"base");
            self.scan_exactly(source, interest, options);
        }
        if self.has_base {
            self.base = first_base(source);
        }
    }

    fn scan_exactly(&mut self, source: &[u8], interest: &Interest, options: ScanOptions) {
        let CollectorBuffers { mut scanner, mut styles, mut texts } =
            std::mem::take(&mut self.buffers);
        styles.clear();
        texts.clear();
        let mut collector = Collector { source, interest, options, found: self, styles, texts };
        let _ = exact::scan_in(Rules::Standard, source, &mut collector, &mut scanner);
        let Collector { styles, texts, .. } = collector;
        self.buffers = CollectorBuffers { scanner, styles, texts };
    }
}

/// Takes what the exact scanner reports.
struct Collector<'c, 's> {
    source: &'s [u8],
    interest: &'c Interest,
    options: ScanOptions,
    found: &'c mut Candidates,
    /// The open `style` elements.
    styles: Vec<Style>,
    /// Their text so far, that of the innermost last.
    texts: Vec<Piece>,
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
        let is_there = tag.action != TreeAction::Dropped && tag.place != Placement::Template;
        for attribute in tag.attributes {
            if let Some(id) = self.interest.find(&self.source[attribute.name.clone()])
                && (is_there || self.interest.is_link(id))
            {
                self.found.list.push(candidate(id, attribute.value.clone(), attribute.quote));
            }
        }
        let is_html = tag.namespace == Namespace::Html;
        if is_html && tag.is_self_closing && name.eq_ignore_ascii_case(b"script") {
            let text = &self.source[tag.span.end..script_end(self.source, tag.span.end)];
            self.found.has_closed_script |= tag.action == TreeAction::Inserted && has_text(text);
        }
        if is_html
            && tag.action == TreeAction::Inserted
            && name.eq_ignore_ascii_case(b"script")
            && may_be_json(&self.source[tag.name.end..tag.span.end])
        {
            let text = tag.span.end..script_end(self.source, tag.span.end);
            self.found.list.push(candidate(NameId::JSON, text, Quote::Absent));
        }
        if self.options.confidence == Confidence::Tentative && self.found.declared.is_none() {
            self.found.declared = of_start_tag(self.source, tag);
        }
        let is_style = name.eq_ignore_ascii_case(b"style") && tag.namespace != Namespace::MathMl;
        if is_style && tag.action == TreeAction::Inserted {
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
            _ if self.options.styles == Styles::Skip => return,
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
}
