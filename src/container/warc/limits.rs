//! Limits against hostile archives.

/// Limits on the records of an archive; 0 is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveLimits {
    /// Bytes of the head of a record; 64 KiB. A longer one is an error.
    pub head: usize,
    /// Bytes of a record, and of the document in it, that are kept in memory; 16 MiB. A
    /// larger record is copied in segments, and its document is not read.
    pub record: usize,
    /// Maximum growth by decompression, beyond `record` bytes; 200 times the size.
    pub ratio: usize,
}

impl ArchiveLimits {
    pub(super) fn exceeds(max: usize, value: u64) -> bool {
        max != 0 && value > max as u64
    }

    /// Maximum bytes of a record; without a limit, more than any record has.
    pub(super) fn max_in_memory(&self) -> usize {
        if self.record == 0 { usize::MAX / 4 } else { self.record }
    }

    pub(super) fn most_growth(&self) -> u64 {
        if self.ratio == 0 { u64::MAX } else { self.ratio as u64 }
    }
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self { head: 64 * 1024, record: 16 * 1024 * 1024, ratio: 200 }
    }
}
