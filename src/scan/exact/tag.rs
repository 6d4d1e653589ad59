//! Answers the questions of tree construction about a start tag besides its name.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::attributes::Attributes;
use super::super::bytes::name_end;
use super::super::text::reference;
use super::Attribute;
use super::names::Id;

/// A start tag during tree construction.
#[derive(Clone, Copy)]
pub(super) struct Tag<'t> {
    pub(super) name: Id,
    pub(super) self_closing: bool,
    /// The offset of the `<`.
    pub(super) start: usize,
    pub(super) source: &'t [u8],
    pub(super) attributes: &'t [Attribute],
}

impl Tag<'_> {
    /// The value of an attribute, as written.
    fn value(&self, name: &[u8]) -> Option<&[u8]> {
        let attribute = self
            .attributes
            .iter()
            .find(|one| self.source[one.name.clone()].eq_ignore_ascii_case(name))?;
        Some(&self.source[attribute.value.clone()])
    }

    /// Whether a `font` has an attribute of HTML, which makes it end foreign content.
    pub(super) fn is_html_font(&self) -> bool {
        [b"color".as_slice(), b"face", b"size"].iter().any(|name| self.value(name).is_some())
    }

    /// Whether an `input` is hidden.
    pub(super) fn is_hidden(&self) -> bool {
        self.value(b"type").is_some_and(|value| decodes_to(value, b"hidden"))
    }

    /// Whether an `annotation-xml` holds HTML.
    pub(super) fn is_html_annotation(&self) -> bool {
        self.value(b"encoding").is_some_and(|value| {
            decodes_to(value, b"text/html") || decodes_to(value, b"application/xhtml+xml")
        })
    }

    /// Digests the attributes of the start tag at `start`: equal attributes, in any order, give
    /// equal numbers.
    ///
    /// NOTE: values compare as written: the same value with different character references differs.
    pub(super) fn digest_at(&self, start: usize) -> u64 {
        let mut attributes = Attributes::default();
        attributes.read(self.source, name_end(self.source, start));
        let digest = |attribute: &Attribute| {
            let mut hasher = DefaultHasher::new();
            let name = self.source[attribute.name.clone()].to_ascii_lowercase();
            (name, &self.source[attribute.value.clone()]).hash(&mut hasher);
            hasher.finish()
        };
        attributes.list.iter().map(digest).fold(0, u64::wrapping_add)
    }
}

/// Whether a value with its character references decoded is this text, ASCII case-insensitively.
fn decodes_to(mut value: &[u8], mut text: &[u8]) -> bool {
    while let Some((&wanted, rest)) = text.split_first() {
        let (found, length) = match value.first() {
            Some(b'&') => reference(value),
            Some(&byte) => (Some(byte), 1),
            None => return false,
        };
        if !found.is_some_and(|byte| byte.eq_ignore_ascii_case(&wanted)) {
            return false;
        }
        value = &value[length..];
        text = rest;
    }
    value.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn html(value: &str, expected: bool) {
        assert_eq!(decodes_to(value.as_bytes(), b"text/html"), expected, "{value}");
    }

    #[test]
    fn encodings() {
        html("text/html", true);
        html("TEXT/HtmL", true);
        html("text/htm", false);
        html("text/html ", false);
        html("text&#47;html", true);
        html("text&#x2f;html", true);
        html("text&sol;html", true);
        html("te&#120t/html", true);
        html("text&solhtml", false);
        html("text&#;html", false);
        html("&", false);
    }
}
