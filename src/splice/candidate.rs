//! Reads the element of a candidate: its name, the other attributes of its tag, and its text.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::page::Page;
use super::value::context;
use crate::link::{AnchorText, Syntax};
use crate::reference::decode;
use crate::scan::{AnchorPart, Candidate, Candidates, anchor_text, every_attribute_of};

/// Whether the value's first byte shows that the value is more than white space.
pub(super) fn begins_with_text(page: &Page<'_>, candidate: &Candidate) -> bool {
    // A character reference may represent white space.
    page.bytes()[candidate.value()].first().is_some_and(|&byte| byte > b' ' && byte != b'&')
}

/// The element's name as a parser reports it.
pub(super) fn element_name<'p>(page: &'p Page<'_>, candidate: &Candidate) -> Cow<'p, str> {
    let bytes = page.bytes();
    let span = candidate.element(bytes);
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    match std::str::from_utf8(&bytes[span.clone()]) {
        Ok(name) if name.bytes().all(is_lower) => Cow::Borrowed(name),
        _ => {
            let name = page.text(span).text().to_ascii_lowercase();
            Cow::Owned(name.replace('\0', "\u{fffd}"))
        }
    }
}

pub(super) fn is_base(page: &Page<'_>, candidate: &Candidate) -> bool {
    let rest = &page.bytes()[candidate.element as usize..];
    rest[0] | 0x20 == b'b'
        && rest[..candidate.element(page.bytes()).len()].eq_ignore_ascii_case(b"base")
}

/// Whether the element is an `a`.
#[inline]
pub(super) fn is_a(page: &Page<'_>, candidate: &Candidate) -> bool {
    let rest = &page.bytes()[candidate.element as usize..];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    rest[0] | 0x20 == b'a' && rest.get(1).is_some_and(is_end)
}

/// Whether the element is a `link` that describes the page as a whole (its canonical URL or an
/// alternate) or may name only a host, or a `link` or `script` with the digest of the file that it
/// loads.
#[inline]
pub(super) fn is_special_link(page: &Page<'_>, candidate: &Candidate) -> bool {
    let first = page.bytes()[candidate.element as usize] | 0x20;
    matches!(first, b'l' | b's') && has_special_attribute(page, candidate)
}

fn has_special_attribute(page: &Page<'_>, candidate: &Candidate) -> bool {
    let name = &page.bytes()[candidate.element(page.bytes())];
    let is_link = name.eq_ignore_ascii_case(b"link");
    if !is_link && !name.eq_ignore_ascii_case(b"script") {
        return false;
    }
    let tag = Tag::new(page, candidate.element);
    let is_special = |kind: &str| {
        ["canonical", "alternate", "preconnect", "dns-prefetch"]
            .iter()
            .any(|one| kind.eq_ignore_ascii_case(one))
    };
    tag.value("integrity").is_some()
        || is_link
            && tag.value("rel").is_some_and(|rel| rel.split_ascii_whitespace().any(is_special))
}

/// The start tag of a candidate's element.
pub(super) struct Tag<'d> {
    page: &'d Page<'d>,
    element: u32,
}

impl<'d> Tag<'d> {
    pub(super) fn new(page: &'d Page<'d>, element: u32) -> Self {
        Self { page, element }
    }

    pub(super) fn value(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        let found = every_attribute_of(bytes, self.element as usize)
            .find(|one| bytes[one.name.clone()].eq_ignore_ascii_case(name.as_bytes()))?;
        Some(self.page.value(found.value.clone()).into_owned())
    }
}

/// The offsets of the elements with certain names, in order, that may have links.
///
/// The text of an element ends before the next one, so that all texts are read in linear time,
/// however a tree builder nests the elements.
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

    /// The text of the element of an attribute, without markup.
    pub(super) fn text(&self, page: &Page<'_>, attribute: &Candidate) -> String {
        let Candidate { element, value_end, quote, .. } = *attribute;
        let read = value_end as usize + usize::from(quote.is_mark());
        text(page, Syntax::Html, (element as usize, Some(read)), self.end(page, element))
    }

    /// The text of an element, including scripts and style sheets.
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

    /// The upper limit of the end of an element's text.
    fn end(&self, page: &Page<'_>, element: u32) -> usize {
        let noscript = self.candidates.noscript_around(element);
        let end = noscript.map_or(page.bytes().len(), |content| content.end);
        let next = self.starts.partition_point(|&start| start <= element);
        self.starts.get(next).map_or(end, |&next| end.min(next as usize - 1))
    }
}

/// The text of the element with a tag, up to `end`, collected by [`anchor_text`].
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
