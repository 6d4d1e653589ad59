//! Reads the element of a candidate and the other attributes of its tag.

use std::borrow::Cow;

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

/// Whether it is an `a` element.
#[inline]
pub(super) fn is_a(page: &Page<'_>, candidate: &Candidate) -> bool {
    let rest = &page.bytes()[candidate.element as usize..];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    rest[0] | 0x20 == b'a' && rest.get(1).is_some_and(is_end)
}

/// Whether it is a `link` element that states something about the page as a whole, its canonical URL
/// or an alternate, or may name only a host; or a `link` or `script` with the digest of what it loads.
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
