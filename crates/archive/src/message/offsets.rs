//! Maps offsets of a decoded body to offsets of the encoded one.

use std::ops::Range;

/// Consecutive units of equal encoded length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OffsetRun {
    /// The number of the first unit.
    first_unit: u32,
    /// The offset of the first unit in the encoded body.
    encoded_start: u32,
    /// Encoded bytes of each unit.
    unit_len: u32,
}

/// Maps the units of a body, bytes or base64 characters, to their spans in the encoded body.
#[derive(Debug, Default)]
pub(super) struct OffsetMap {
    runs: Vec<OffsetRun>,
    /// The number of units.
    unit_count: usize,
    /// The end of the last unit in the encoded body.
    end: usize,
}

impl OffsetMap {
    /// Adds a unit that takes `unit_len` bytes at offset `encoded_start`.
    pub(super) fn add(&mut self, encoded_start: usize, unit_len: usize) {
        let is_next = self.runs.last().is_some_and(|run| run.unit_len as usize == unit_len);
        if !is_next || self.end != encoded_start {
            // Files are shorter than 4 GiB.
            let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
            let (first_unit, encoded_start) = (narrow(self.unit_count), narrow(encoded_start));
            self.runs.push(OffsetRun { first_unit, encoded_start, unit_len: narrow(unit_len) });
        }
        self.unit_count += 1;
        self.end = encoded_start + unit_len;
    }

    /// Returns the span of a unit in the encoded body; `0..0` for a body without units.
    pub(super) fn locate_unit(&self, unit: usize) -> Range<usize> {
        let index = self.runs.partition_point(|run| run.first_unit as usize <= unit);
        let Some(run) = index.checked_sub(1).map(|index| self.runs[index]) else { return 0..0 };
        let unit_len = run.unit_len as usize;
        let start = run.encoded_start as usize + (unit - run.first_unit as usize) * unit_len;
        start..start + unit_len
    }
}
