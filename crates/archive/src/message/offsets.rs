//! Maps offsets of a decoded body to offsets of the encoded one.

use std::ops::Range;

/// Consecutive units of equal encoded length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OffsetRun {
    /// The number of the first unit.
    decoded: u32,
    /// The offset of the first unit in the encoded body.
    written: u32,
    /// Encoded bytes of each unit.
    step: u32,
}

/// Maps the units of a body to their spans in the encoded body. A unit is a byte, or in base64 a
/// character.
#[derive(Debug, Default)]
pub(super) struct OffsetMap {
    runs: Vec<OffsetRun>,
    /// The number of units.
    count: usize,
    /// The end of the last unit in the encoded body.
    end: usize,
}

impl OffsetMap {
    /// Adds a unit that takes `step` bytes at offset `written`.
    pub(super) fn add(&mut self, written: usize, step: usize) {
        let is_next = self.runs.last().is_some_and(|run| run.step as usize == step);
        if !is_next || self.end != written {
            // Files are shorter than 4 GiB.
            let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
            let (decoded, written) = (narrow(self.count), narrow(written));
            self.runs.push(OffsetRun { decoded, written, step: narrow(step) });
        }
        self.count += 1;
        self.end = written + step;
    }

    /// Returns the span of a unit in the encoded body; `0..0` for a body without units.
    pub(super) fn unit(&self, unit: usize) -> Range<usize> {
        let index = self.runs.partition_point(|run| run.decoded as usize <= unit);
        let Some(run) = index.checked_sub(1).map(|index| self.runs[index]) else { return 0..0 };
        let step = run.step as usize;
        let start = run.written as usize + (unit - run.decoded as usize) * step;
        start..start + step
    }
}
