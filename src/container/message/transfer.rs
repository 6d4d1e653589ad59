//! Bodies without their transfer encoding, with a way back: which bytes of the file a
//! part of them came from.

use std::borrow::Cow;
use std::ops::Range;

use super::header::Transfer;
use super::{base64, quoted};

/// The body of a part without its transfer encoding, and where in the file each byte of
/// it stands.
#[derive(Debug)]
pub struct Decoded<'s> {
    bytes: Cow<'s, [u8]>,
    /// Where the body begins in the file.
    start: usize,
    runs: Vec<Run>,
    written: Written,
}

/// Bytes in a row that take equally many characters of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// In the decoded body; in base64, in characters of it.
    pub(super) decoded: u32,
    /// In the body as it is written.
    pub(super) written: u32,
    /// Bytes that each takes.
    pub(super) step: u32,
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
        let (bytes, runs, written) = match transfer {
            Transfer::SevenBit | Transfer::Plain => {
                (Cow::Borrowed(body), Vec::new(), Written::Plain)
            }
            Transfer::QuotedPrintable => {
                let (bytes, runs) = quoted::decode(body);
                (Cow::Owned(bytes), runs, Written::Quoted)
            }
            Transfer::Base64 => {
                let (bytes, runs) = base64::decode(body);
                (Cow::Owned(bytes), runs, Written::Base64)
            }
            Transfer::Unknown => return None,
        };
        Some(Self { bytes, start, runs, written })
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
        let from = if start < self.bytes.len() { self.first(start) } else { self.behind(start) };
        let to = if start == end { from } else { self.last(end - 1) };
        from..to
    }

    /// What of the body as it is written goes with a part that is replaced: what stands between
    /// it and the byte in front of it goes too, or it could get a meaning.
    pub(super) fn replaced(&self, range: Range<usize>) -> Range<usize> {
        self.behind(range.start)..self.behind(range.end)
    }

    /// Where the byte in front of a place ends.
    fn behind(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |byte| self.last(byte))
    }

    /// Where the first character of a byte begins.
    fn first(&self, byte: usize) -> usize {
        match self.written {
            Written::Base64 => self.unit(base64::first_character(byte)).start,
            _ => self.unit(byte).start,
        }
    }

    /// Where the last character of a byte ends.
    fn last(&self, byte: usize) -> usize {
        match self.written {
            Written::Base64 => self.unit(base64::last_character(byte)).end,
            _ => self.unit(byte).end,
        }
    }

    fn unit(&self, unit: usize) -> Range<usize> {
        let index = self.runs.partition_point(|run| run.decoded as usize <= unit);
        let Some(run) = index.checked_sub(1).map(|index| self.runs[index]) else { return 0..0 };
        let step = run.step as usize;
        let start = run.written as usize + (unit - run.decoded as usize) * step;
        start..start + step
    }
}

/// Appends a unit to runs, or lengthens the last.
#[derive(Debug, Default)]
pub(super) struct Runs {
    pub(super) list: Vec<Run>,
    /// How many units there are.
    count: usize,
    /// Where the last one ends.
    end: usize,
}

impl Runs {
    /// Adds a unit that takes `step` bytes at `written`.
    pub(super) fn add(&mut self, written: usize, step: usize) {
        let is_next = self.list.last().is_some_and(|run| run.step as usize == step);
        if !is_next || self.end != written {
            // A file is never longer than 32 bits can say.
            let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
            let (decoded, written) = (narrow(self.count), narrow(written));
            self.list.push(Run { decoded, written, step: narrow(step) });
        }
        self.count += 1;
        self.end = written + step;
    }
}
