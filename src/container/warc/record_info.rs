//! What is kept of a record besides its document.

use super::capture::Capture;
use super::index::IndexEntry;
use super::payloads::CaptureKeys;
use super::record::{Record, RecordPlace};
use super::record_type::{Interest, PayloadKind, RecordOptions, RecordType};

/// What is kept of a record besides its document.
#[derive(Debug)]
pub(super) enum RecordInfo {
    Capture(Box<Capture>),
    /// What an index has of a record.
    Index(Box<IndexEntry>),
    /// What names a record that stays as it is.
    Unchanged(CaptureKeys),
}

impl RecordInfo {
    /// What is of interest in a record.
    pub(super) fn of(
        record: &Record<'_>,
        place: RecordPlace,
        payload: PayloadKind,
        options: &RecordOptions,
    ) -> Option<Self> {
        match options.interest {
            Interest::Captures => {
                let capture = Capture::of(record, place, &options.selection)?;
                Some(Self::Capture(Box::new(capture)))
            }
            Interest::Index => IndexEntry::of(record, place).map(Box::new).map(Self::Index),
            Interest::Rewriting(RecordType::Response, _) => {
                // The outcome of a document is that of its page.
                let is_page = payload == PayloadKind::Page && place.has_block;
                let is_capture = matches!(&*record.kind(), "response" | "resource");
                (is_capture && !is_page).then(|| Self::Unchanged(CaptureKeys::of(record)))
            }
            Interest::Rewriting(RecordType::Conversion, _) | Interest::Documents => None,
        }
    }
}
