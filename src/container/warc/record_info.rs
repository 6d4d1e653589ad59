//! What is kept of a record besides its document.

use super::capture::Capture;
use super::capture_keys::CaptureKeys;
use super::index::IndexEntry;
use super::record::Record;
use super::record_type::{Interest, PayloadKind};
use super::selection::RecordSelection;

/// What is kept of a record besides its document.
#[derive(Debug)]
pub(super) enum RecordInfo {
    Capture(Box<Capture>),
    Index(Box<IndexEntry>),
    /// What names a record that stays as it is.
    Unchanged(Box<CaptureKeys>),
}

impl RecordInfo {
    /// What is of interest in a record, which has its whole block, or the beginning of it.
    pub(super) fn of(
        record: &Record<'_>,
        interest: Interest,
        payload: PayloadKind,
        has_block: bool,
        selection: &RecordSelection,
    ) -> Option<Self> {
        match interest {
            Interest::Captures => Capture::of(record, selection).map(Self::Capture),
            Interest::Index => IndexEntry::of(record, has_block).map(Self::Index),
            Interest::Rewriting(..) => {
                CaptureKeys::of_unchanged(record, interest, payload, has_block)
                    .map(|keys| Self::Unchanged(Box::new(keys)))
            }
            Interest::Documents => None,
        }
    }
}
