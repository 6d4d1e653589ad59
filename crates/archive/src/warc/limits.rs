//! Limits against hostile archives.

use absolve::{Advice, LimitRow, limits};

/// The commands that read web archives.
const USERS: &[&str] = &["links", "extract"];

limits! {
    /// Limits on the records of an archive; 0 is unlimited.
    ArchiveLimits;

    /// Bytes of the head of a record; 64 KiB. A longer one is an error.
    head = 64 << 10,
        LimitRow::new("record-header", "the limit for headers of records", "Header of a record of a web archive", USERS);
    /// Bytes of a record, and of the document in it, that are kept in memory; 16 MiB. The document
    /// in a larger record is not read.
    record = 16 << 20,
        LimitRow::new("record", "the limit for records", "Size of a record of a web archive; larger ones are skipped", USERS);
    /// Maximum growth by decompression, beyond `record` bytes; 200 times the size.
    ratio = 200,
        LimitRow::new("ratio", "the limit for compressed data", "Ratio of decompressed to compressed size in a web archive", USERS);
}

impl ArchiveLimits {
    pub(super) fn exceeds(max: usize, value: u64) -> bool {
        max != 0 && value > max as u64
    }

    /// The advice to raise the limit of this name.
    pub(super) fn advice(name: &str) -> Option<Advice> {
        let row = Self::ROWS.iter().map(|(row, _)| row).find(|row| row.name == name);
        row.map(Advice::Raise)
    }

    /// Maximum bytes of a record; without a limit, more than any record has.
    pub(super) fn max_in_memory(&self) -> usize {
        if self.record == 0 { usize::MAX / 4 } else { self.record }
    }

    pub(super) fn most_growth(&self) -> u64 {
        if self.ratio == 0 { u64::MAX } else { self.ratio as u64 }
    }
}
