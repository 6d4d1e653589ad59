//! Reads the element of a candidate and the other attributes of its tag.

use std::borrow::Cow;
use std::ops::Range;

use super::page::Page;
use crate::scan::{Candidate, every_attribute_of};

/// Whether the value's first byte shows that it is not empty, nor white space alone.
pub(super) fn begins_with_text(page: &Page<'_>, candidate: &Candidate) -> bool {
    // A character reference may represent white space.
    page.bytes()[candidate.value()].first().is_some_and(|&byte| byte > b' ' && byte != b'&')
}

/// The element's name as a parser has it.
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

/// Whether it is a `link` element that states something about the page as a whole: its canonical URL
/// or an alternate.
pub(super) fn states_relation(page: &Page<'_>, candidate: &Candidate) -> bool {
    let rest = &page.bytes()[candidate.element as usize..];
    rest[0] | 0x20 == b'l'
        && rest[..candidate.element(page.bytes()).len()].eq_ignore_ascii_case(b"link")
        && Tag::new(page, candidate.element).value("rel").is_some_and(|rel| {
            let is =
                |kind: &str| rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(kind));
            is("canonical") || is("alternate")
        })
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

/// The markup inside the text of a [conditional comment][spec]: between `[if …]>`
/// and `<![endif]`.
///
/// [spec]: https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/compatibility/ms537512(v=vs.85)
pub(super) fn conditional(text: &[u8]) -> Option<Range<usize>> {
    let trimmed = text.trim_ascii_start();
    let is_if = trimmed.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"[if"));
    let start = memchr::memmem::find(text, b"]>").filter(|_| is_if)? + 2;
    let end = memchr::memmem::rfind(text, b"<!")?;
    let tail = text.get(end..)?.trim_ascii_end();
    (tail.eq_ignore_ascii_case(b"<![endif]") && start <= end).then_some(start..end)
}
