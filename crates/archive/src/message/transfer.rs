//! Decodes transfer encodings, with a map from decoded bytes to bytes of the file.

use std::borrow::Cow;
use std::ops::Range;

use super::header::Transfer;
use super::offsets::OffsetMap;
use super::{base64, quoted};

/// The decoded body of a part, with the offset of each byte in the file.
#[derive(Debug)]
pub struct DecodedBody<'s> {
    bytes: Cow<'s, [u8]>,
    /// The start of the body in the file.
    start: usize,
    offsets: OffsetMap,
    transfer: Transfer,
}

impl<'s> DecodedBody<'s> {
    /// Decodes the body that begins at offset `start` of a file; `None` for an unknown encoding.
    pub(super) fn new(body: &'s [u8], start: usize, transfer: Transfer) -> Option<Self> {
        let (bytes, offsets) = match transfer {
            Transfer::SevenBit | Transfer::EightBit => return Some(Self::new_plain(body, start)),
            Transfer::QuotedPrintable => quoted::decode(body),
            Transfer::Base64 => base64::decode(body),
            Transfer::Unknown => return None,
        };
        Some(Self { bytes: Cow::Owned(bytes), start, offsets, transfer })
    }

    fn new_plain(body: &'s [u8], start: usize) -> Self {
        let (bytes, offsets) = (Cow::Borrowed(body), OffsetMap::default());
        Self { bytes, start, offsets, transfer: Transfer::EightBit }
    }

    /// Returns the decoded bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the span in the file of a range of decoded bytes, with soft line breaks inside it.
    ///
    /// # Panics
    ///
    /// If the range exceeds the decoded bytes.
    #[must_use]
    pub fn span_in_file(&self, range: Range<usize>) -> Range<usize> {
        let Range { start, end } = self.encoded_span(range);
        self.start + start..self.start + end
    }

    /// Returns the span of a range in the encoded body. The span of an empty range is empty: it
    /// lies in front of the next encoded byte, or after the last one.
    pub(super) fn encoded_span(&self, range: Range<usize>) -> Range<usize> {
        assert!(range.start <= range.end && range.end <= self.bytes.len(), "a range of the body");
        let Range { start, end } = range;
        if self.transfer == Transfer::EightBit {
            return range;
        }
        let from =
            if start < self.bytes.len() { self.unit_start(start) } else { self.end_before(start) };
        let to = if start == end { from } else { self.unit_end(end - 1) };
        from..to
    }

    /// Returns the span of the encoded body to replace for an edit of a range. White space and soft
    /// line breaks in front of the range are included: white space in front of a line end is
    /// dropped, but new text after it would make it a part of the body.
    pub(super) fn span_to_replace(&self, range: Range<usize>) -> Range<usize> {
        self.end_before(range.start)..self.end_before(range.end)
    }

    /// Returns the end of the encoded byte in front of an offset; 0 at the beginning.
    fn end_before(&self, offset: usize) -> usize {
        offset.checked_sub(1).map_or(0, |byte| self.unit_end(byte))
    }

    /// Returns the start of the first character that encodes a byte.
    fn unit_start(&self, byte: usize) -> usize {
        match self.transfer {
            Transfer::Base64 => self.offsets.locate_unit(base64::first_char_index(byte)).start,
            _ => self.offsets.locate_unit(byte).start,
        }
    }

    /// Returns the end of the last character that encodes a byte.
    fn unit_end(&self, byte: usize) -> usize {
        match self.transfer {
            Transfer::Base64 => self.offsets.locate_unit(base64::last_char_index(byte)).end,
            _ => self.offsets.locate_unit(byte).end,
        }
    }
}
