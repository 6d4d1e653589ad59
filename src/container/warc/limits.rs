//! What keeps hostile archives from costing too much.

/// Limits on the records of an archive; 0 is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveLimits {
    /// Bytes of the head of a record; 64 KiB. A longer one is an error.
    pub head: usize,
    /// Bytes of a record, and of the document in it, that are held in memory; 16 MiB. A
    /// larger record is copied in segments, and its document is not read.
    pub record: usize,
    /// How many times its size anything may grow to when it is decompressed, beyond what
    /// is held in memory anyway; 200.
    pub ratio: u64,
}

impl ArchiveLimits {
    pub(super) fn exceeds(max: usize, value: u64) -> bool {
        max != 0 && value > max as u64
    }

    /// The most bytes of a record, where there is no limit a number that none has.
    pub(super) fn most_held(&self) -> usize {
        if self.record == 0 { usize::MAX / 4 } else { self.record }
    }

    pub(super) fn most_growth(&self) -> u64 {
        if self.ratio == 0 { u64::MAX } else { self.ratio }
    }
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self { head: 64 * 1024, record: 16 * 1024 * 1024, ratio: 200 }
    }
}
