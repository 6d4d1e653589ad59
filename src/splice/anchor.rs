//! The text of `a` elements.

use std::ops::ControlFlow;

use super::page::Page;
use super::style::context;
use crate::link::{AnchorText, Syntax};
use crate::reference::decode;
use crate::scan::{AnchorPart, Candidate, Candidates, anchor_text};

/// Where the `a` elements of a page begin that may have links, in order.
///
/// The text of one ends before the next, so that all texts are read in linear time whatever the
/// markup between them is to a tree builder.
pub(super) struct Anchors(Vec<u32>);

impl Anchors {
    pub(super) fn new(page: &Page<'_>, candidates: &Candidates) -> Self {
        let bytes = page.bytes();
        let is_a = |one: &&Candidate| bytes[one.element(bytes)].eq_ignore_ascii_case(b"a");
        let found = candidates.list.iter().filter(is_a);
        let mut starts: Vec<u32> = found.map(|candidate| candidate.element).collect();
        starts.sort_unstable();
        Self(starts)
    }

    /// The text of the element whose name begins at a place.
    pub(super) fn text(&self, page: &Page<'_>, element: u32) -> String {
        let next = self.0.partition_point(|&start| start <= element);
        let end = self.0.get(next).map_or(page.bytes().len(), |&next| next as usize - 1);
        text(page, Syntax::Html, element as usize, end)
    }
}

/// The text of the element whose name begins at `start`, up to `end`.
pub(super) fn text(page: &Page<'_>, syntax: Syntax, start: usize, end: usize) -> String {
    let mut text = AnchorText::default();
    let _ended = anchor_text(&page.bytes()[..end], syntax, start, |part| {
        match part {
            AnchorPart::Text(piece) => {
                text.push(&decode(page.text(piece.span()).text(), context(piece.kind)));
            }
            AnchorPart::Alt(span) => text.push_word(&page.value(span)),
        }
        if text.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    text.finish()
}
