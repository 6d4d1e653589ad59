//! Where the records of an archive are after it was rewritten.

use std::io::{self, Read};

use super::recent::Recording;
use crate::container::warc::{ArchiveLimits, IndexEntry, Reader};

/// The new place of a record that an index may have.
#[derive(Debug)]
pub(super) struct MovedRecord {
    /// Where it was; several may have been in one gzip member.
    old_offset: u64,
    /// Where it is.
    pub(super) offset: u64,
    /// Bytes of the record, or of its gzip member.
    pub(super) length: u64,
    /// Its new digest, if that is another one.
    pub(super) digest: Option<Box<str>>,
    /// The SHA-256 of its bytes; `None` for a record too large to be changed.
    pub(super) record_digest: Option<[u8; 32]>,
}

/// The records of an archive that an index may have, in the order of their positions.
#[derive(Debug, Default)]
pub(super) struct MovedRecords {
    records: Vec<MovedRecord>,
}

impl MovedRecords {
    /// Adds the records of a new archive while it is written.
    pub(super) fn add_new(&mut self, written: impl Read, limits: ArchiveLimits) -> io::Result<()> {
        let max = if limits.record == 0 { usize::MAX } else { limits.record };
        let (written, recent) = Recording::new(written, max);
        Reader::new(written).limits(limits).index_entries(|entry| {
            let IndexEntry { position, length, digest, .. } = entry;
            self.records.push(MovedRecord {
                old_offset: 0,
                offset: position.offset,
                length,
                digest: digest.map(String::into_boxed_str),
                record_digest: recent.borrow_mut().sha256(position.offset, length),
            });
            Ok(())
        })
    }

    /// Adds where the records were, in the old archive; returns whether it has the same records.
    pub(super) fn add_old<R: Read>(&mut self, archive: Reader<R>) -> io::Result<bool> {
        let mut count = 0;
        archive.index_entries(|entry| {
            if let Some(record) = self.records.get_mut(count) {
                record.old_offset = entry.position.offset;
                if record.digest.as_deref() == entry.digest.as_deref() {
                    record.digest = None;
                }
            }
            count += 1;
            Ok(())
        })?;
        Ok(count == self.records.len())
    }

    /// The record that was at this position: the first one, if several were.
    pub(super) fn from(&self, old_offset: u64) -> Option<&MovedRecord> {
        let first = self.records.partition_point(|record| record.old_offset < old_offset);
        self.records.get(first).filter(|record| record.old_offset == old_offset)
    }
}
