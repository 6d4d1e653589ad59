//! The text of `a` elements, and of those with raw text.

use std::ops::ControlFlow;

use super::page::Page;
use super::style::context;
use crate::link::{AnchorText, Syntax};
use crate::reference::decode;
use crate::scan::{AnchorPart, Candidate, Candidates, anchor_text};

/// Where elements of a page begin that may have links, in order: those of some names.
///
/// The text of one ends before the next, so that all texts are read in linear time whatever the
/// markup between them is to a tree builder.
pub(super) struct Anchors<'d> {
    starts: Vec<u32>,
    candidates: &'d Candidates,
}

impl<'d> Anchors<'d> {
    pub(super) fn new(page: &Page<'_>, candidates: &'d Candidates, names: &[&str]) -> Self {
        let bytes = page.bytes();
        let is_named = |one: &&Candidate| {
            let name = &bytes[one.element(bytes)];
            names.iter().any(|one| name.eq_ignore_ascii_case(one.as_bytes()))
        };
        let found = candidates.list.iter().filter(is_named);
        let mut starts: Vec<u32> = found.map(|candidate| candidate.element).collect();
        starts.sort_unstable();
        Self { starts, candidates }
    }

    /// The text of the element of an attribute.
    pub(super) fn text(&self, page: &Page<'_>, attribute: &Candidate) -> String {
        let Candidate { element, value_end, quote, .. } = *attribute;
        let read = value_end as usize + usize::from(quote.is_mark());
        text(page, Syntax::Html, (element as usize, Some(read)), self.end(page, element))
    }

    /// The same as it is written, with that of scripts and style sheets.
    pub(super) fn content(&self, page: &Page<'_>, element: u32) -> String {
        let mut content = String::new();
        let source = &page.bytes()[..self.end(page, element)];
        let _ended = anchor_text(source, Syntax::Html, (element as usize, None), |part| {
            if let AnchorPart::Text(piece) | AnchorPart::Hidden(piece) = part {
                content.push_str(&decode(page.text(piece.span()).text(), context(piece.kind)));
            }
            ControlFlow::Continue(())
        });
        content
    }

    /// Where the text of an element ends at most.
    fn end(&self, page: &Page<'_>, element: u32) -> usize {
        let noscript = self.candidates.noscript_around(element);
        let end = noscript.map_or(page.bytes().len(), |content| content.end);
        let next = self.starts.partition_point(|&start| start <= element);
        self.starts.get(next).map_or(end, |&next| end.min(next as usize - 1))
    }
}

/// The text of the element with a tag, as [`anchor_text`] has it, up to `end`.
pub(super) fn text(
    page: &Page<'_>,
    syntax: Syntax,
    tag: (usize, Option<usize>),
    end: usize,
) -> String {
    let mut text = AnchorText::default();
    let _ended = anchor_text(&page.bytes()[..end], syntax, tag, |part| {
        match part {
            AnchorPart::Text(piece) => {
                text.push(&decode(page.text(piece.span()).text(), context(piece.kind)));
            }
            AnchorPart::Alt(span) => text.push_word(&page.value(span)),
            AnchorPart::Hidden(_) => {}
        }
        if text.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    text.finish()
}
