//! Places in a document, as Python counts them.

use std::ops::Range;

use absolve::encoding::{Detected, Lines};
use encoding_rs::Encoding;

/// What offsets in a document count.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit<'s> {
    /// The bytes of `bytes`.
    Byte,
    /// The code points of a `str`.
    Character(&'s str),
}

impl Unit<'_> {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Character(_) => "character",
        }
    }

    /// The offset of a byte.
    pub(crate) fn offset(self, byte: usize) -> usize {
        match self {
            Self::Byte => byte,
            Self::Character(text) => characters(text, 0..byte),
        }
    }
}

/// Finds offsets, lines and columns of a document's bytes, fastest in ascending order.
pub(crate) struct Places<'s> {
    unit: Unit<'s>,
    lines: Lines<'s>,
    /// The last byte whose offset was asked for, and that offset.
    last: (usize, usize),
    /// The same of the start and the end of the last span around another, which many may share.
    last_around: [(usize, usize); 2],
}

impl<'s> Places<'s> {
    /// At the start of a document that is in this encoding.
    pub(crate) fn new(source: &'s [u8], unit: Unit<'s>, encoding: &'static Encoding) -> Self {
        let bom = Encoding::for_bom(source).map_or(0, |(_, bom)| bom);
        let lines = Lines::new(source, Detected { encoding, bom });
        Self { unit, lines, last: (0, 0), last_around: [(0, 0); 2] }
    }

    /// The span in units of a range of bytes.
    pub(crate) fn span(&mut self, bytes: &Range<usize>) -> (usize, usize) {
        (self.offset(bytes.start), self.offset(bytes.end))
    }

    /// The line and the column of a byte; both count from 1.
    pub(crate) fn line_and_column(&mut self, byte: usize) -> (u64, u64) {
        self.lines.place(byte)
    }

    /// The offset of a byte in units.
    pub(crate) fn offset(&mut self, byte: usize) -> usize {
        let Unit::Character(text) = self.unit else { return byte };
        self.last = offset_from(text, self.last, byte);
        self.last.1
    }

    /// The span in units of a range of bytes around others.
    pub(crate) fn span_around(&mut self, bytes: &Range<usize>) -> (usize, usize) {
        let Unit::Character(text) = self.unit else { return (bytes.start, bytes.end) };
        let [start, end] = &mut self.last_around;
        *start = offset_from(text, *start, bytes.start);
        *end = offset_from(text, *end, bytes.end);
        (start.1, end.1)
    }
}

/// A byte and its offset, from those of another byte before or after it.
fn offset_from(text: &str, (from, offset): (usize, usize), to: usize) -> (usize, usize) {
    let new = match to.checked_sub(from) {
        Some(_) => offset + characters(text, from..to),
        None => offset.saturating_sub(characters(text, to..from)),
    };
    (to, new)
}

fn characters(text: &str, bytes: Range<usize>) -> usize {
    text.get(bytes).map_or(0, |text| text.chars().count())
}
