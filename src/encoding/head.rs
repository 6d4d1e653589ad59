//! The beginning of a document, where a saved page records its URL.

use std::borrow::Cow;

use super::{Detected, HAS_TABLES};

/// The first bytes of a document, with their encoding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'s> {
    bytes: &'s [u8],
    detected: Detected,
}

impl<'s> Head<'s> {
    /// The maximum number of bytes.
    pub(crate) const LENGTH: usize = 64 * 1024;

    pub(crate) fn new(source: &'s [u8], detected: Detected) -> Self {
        let length = source.len().min(detected.bom + Self::LENGTH);
        Self { bytes: &source[..length], detected }
    }

    /// Decodes the bytes; malformed ones, including a character that is cut off, become U+FFFD.
    pub(crate) fn text(self) -> Cow<'s, str> {
        self.detected.decode(self.bytes)
    }

    /// The bytes in a form that a scanner can read ([`Detected::scannable`]).
    pub(crate) fn scannable(self) -> Cow<'s, [u8]> {
        self.detected.scannable(self.bytes)
    }

    /// Decodes a piece of the text as UTF-8, if its bytes are valid: some programs write UTF-8 into
    /// a document in any encoding. Otherwise the piece stays unchanged.
    pub(crate) fn in_utf_8(self, piece: &str) -> Cow<'_, str> {
        let encoding = self.detected.encoding;
        if piece.is_ascii() || !encoding.is_ascii_compatible() || !HAS_TABLES {
            return Cow::Borrowed(piece);
        }
        let (bytes, _, has_errors) = encoding.encode(piece);
        let utf_8 = (!has_errors).then(|| String::from_utf8(bytes.into_owned()).ok()).flatten();
        utf_8.map_or(Cow::Borrowed(piece), Cow::Owned)
    }
}
