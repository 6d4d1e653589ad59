//! The beginning of a document, where it says what it is.

use std::borrow::Cow;

use super::{Detected, HAS_TABLES};

/// The first bytes of a document, with their encoding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'s> {
    bytes: &'s [u8],
    detected: Detected,
}

impl<'s> Head<'s> {
    /// How much of a document it is.
    pub(crate) const LENGTH: usize = 64 * 1024;

    pub(crate) fn new(source: &'s [u8], detected: Detected) -> Self {
        let length = source.len().min(detected.bom + Self::LENGTH);
        Self { bytes: &source[..length], detected }
    }

    /// As text; what is malformed, also because it is cut, becomes U+FFFD.
    pub(crate) fn text(self) -> Cow<'s, str> {
        self.detected.decode(self.bytes)
    }

    /// As bytes that a scanner can read ([`Detected::scannable`]).
    pub(crate) fn scannable(self) -> Cow<'s, [u8]> {
        self.detected.scannable(self.bytes)
    }

    /// A piece of the text as it is if its bytes are UTF-8, which is how some programs write
    /// into a document in any encoding; as it was, if they are not.
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
