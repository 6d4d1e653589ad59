//! Where in a file the bytes of a decoded body are.

use std::ops::Range;

/// Bytes in a row that take equally many characters of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OffsetRun {
    /// In the decoded body; in base64, in characters of it.
    decoded: u32,
    /// In the body as it is written.
    written: u32,
    /// Bytes that each takes.
    step: u32,
}

/// The offset of each unit of a body: a byte, or in base64 a character.
#[derive(Debug, Default)]
pub(super) struct OffsetMap {
    list: Vec<OffsetRun>,
    /// How many units there are.
    count: usize,
    /// Where the last one ends.
    end: usize,
}

impl OffsetMap {
    /// Adds a unit that takes `step` bytes at `written`.
    pub(super) fn add(&mut self, written: usize, step: usize) {
        let is_next = self.list.last().is_some_and(|run| run.step as usize == step);
        if !is_next || self.end != written {
            // A file is never longer than 32 bits can say.
            let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
            let (decoded, written) = (narrow(self.count), narrow(written));
            self.list.push(OffsetRun { decoded, written, step: narrow(step) });
        }
        self.count += 1;
        self.end = written + step;
    }

    /// The bytes that a unit takes.
    pub(super) fn unit(&self, unit: usize) -> Range<usize> {
        let index = self.list.partition_point(|run| run.decoded as usize <= unit);
        let Some(run) = index.checked_sub(1).map(|index| self.list[index]) else { return 0..0 };
        let step = run.step as usize;
        let start = run.written as usize + (unit - run.decoded as usize) * step;
        start..start + step
    }
}
