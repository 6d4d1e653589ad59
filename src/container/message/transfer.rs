//! Bodies without their transfer encoding, with a way back: which bytes of the file a
//! part of them came from.

use std::borrow::Cow;
use std::ops::Range;

use super::header::Transfer;
use super::offsets::OffsetMap;
use super::{base64, quoted};

/// The body of a part without its transfer encoding, and where in the file each byte of
/// it is.
#[derive(Debug)]
pub struct Decoded<'s> {
    bytes: Cow<'s, [u8]>,
    /// Where the body begins in the file.
    start: usize,
    offsets: OffsetMap,
    written: Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Plain,
    Quoted,
    Base64,
}

impl<'s> Decoded<'s> {
    /// Decodes the body that begins at `start` of a file; none, if its encoding is unknown.
    pub(super) fn new(body: &'s [u8], start: usize, transfer: Transfer) -> Option<Self> {
        let (bytes, offsets, written) = match transfer {
            Transfer::SevenBit | Transfer::Plain => {
                (Cow::Borrowed(body), OffsetMap::default(), Written::Plain)
            }
            Transfer::QuotedPrintable => {
                let (bytes, offsets) = quoted::decode(body);
                (Cow::Owned(bytes), offsets, Written::Quoted)
            }
            Transfer::Base64 => {
                let (bytes, offsets) = base64::decode(body);
                (Cow::Owned(bytes), offsets, Written::Base64)
            }
            Transfer::Unknown => return None,
        };
        Some(Self { bytes, start, offsets, written })
    }

    /// The body.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the file that a part of the body came from, from the first byte of it to
    /// the last, line ends of the encoding between them included.
    ///
    /// # Panics
    ///
    /// If the range is not one of the body.
    #[must_use]
    pub fn in_file(&self, range: Range<usize>) -> Range<usize> {
        let Range { start, end } = self.written(range);
        self.start + start..self.start + end
    }

    /// The same in the body as it is written.
    pub(super) fn written(&self, range: Range<usize>) -> Range<usize> {
        assert!(range.start <= range.end && range.end <= self.bytes.len(), "a range of the body");
        let Range { start, end } = range;
        if self.written == Written::Plain {
            return range;
        }
        let from = if start < self.bytes.len() { self.first(start) } else { self.after(start) };
        let to = if start == end { from } else { self.last(end - 1) };
        from..to
    }

    /// What of the body as it is written goes with a part that is replaced: what is between
    /// it and the byte in front of it goes too, or it could get a meaning.
    pub(super) fn replaced(&self, range: Range<usize>) -> Range<usize> {
        self.after(range.start)..self.after(range.end)
    }

    /// Where the byte in front of a place ends.
    fn after(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |byte| self.last(byte))
    }

    /// Where the first character of a byte begins.
    fn first(&self, byte: usize) -> usize {
        match self.written {
            Written::Base64 => self.offsets.unit(base64::first_character(byte)).start,
            _ => self.offsets.unit(byte).start,
        }
    }

    /// Where the last character of a byte ends.
    fn last(&self, byte: usize) -> usize {
        match self.written {
            Written::Base64 => self.offsets.unit(base64::last_character(byte)).end,
            _ => self.offsets.unit(byte).end,
        }
    }
}
