//! The segments of an archive.

use super::super::capture::Capture;
use super::super::capture_keys::CaptureKeys;
use super::super::codec::Codec;
use super::super::index::IndexEntry;
use super::super::outcome::{Problem, Skip};
use super::super::record::RecordPosition;
use super::super::record_type::PayloadKind;

/// A segment of an archive; the concatenation of all segments is the archive.
#[derive(Debug)]
pub(in super::super) enum Segment {
    /// Records with documents, to be processed.
    RecordGroup(RecordGroup),
    /// Bytes that are copied.
    Bytes(Vec<u8>),
    /// A record in copied bytes, or a problem there.
    Skipped(RecordPosition, SkipReason),
    /// The capture of a record in other segments.
    Capture(Box<Capture>),
    /// What an index has of a record in other segments.
    Indexed(Box<IndexEntry>),
    /// What names a record in other segments that stays as it is.
    Unchanged(Box<CaptureKeys>),
}

/// Approximate size in bytes of a report about a record.
const REPORT_SIZE: usize = 512;

impl Segment {
    /// Its size in memory.
    pub(in super::super) fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Skipped(..) | Self::Capture(_) | Self::Indexed(_) => REPORT_SIZE,
            Self::Unchanged(_) => size_of::<CaptureKeys>(),
            Self::RecordGroup(group) => {
                let member =
                    if let Form::Member(_, member) = &group.form { member.len() } else { 0 };
                member + group.text.len() + group.parts.len() * REPORT_SIZE
            }
        }
    }
}

/// Why a record is not processed.
#[derive(Debug, Clone)]
pub(in super::super) enum SkipReason {
    Copied,
    PassedOver,
    Skipped(Skip),
    Failed(Problem),
}

impl SkipReason {
    /// Why a record with a payload of this kind is copied.
    pub(super) fn of(payload: PayloadKind) -> Self {
        if payload == PayloadKind::PassedOver { Self::PassedOver } else { Self::Copied }
    }
}

/// Buffered records.
#[derive(Debug)]
pub(in super::super) struct RecordGroup {
    pub(in super::super) form: Form,
    /// The uncompressed records.
    pub(in super::super) text: Vec<u8>,
    pub(in super::super) parts: Vec<RecordSpan>,
}

/// How records are stored in the file.
#[derive(Debug)]
pub(in super::super) enum Form {
    /// Uncompressed.
    Plain,
    /// In a compressed member of these bytes.
    Member(Codec, Vec<u8>),
    /// In a compressed member that is too large for memory: each record becomes a member.
    Split(Codec),
}

impl Form {
    /// How new records are compressed.
    pub(in super::super) fn codec(&self) -> Option<Codec> {
        match self {
            Self::Plain => None,
            Self::Member(codec, _) | Self::Split(codec) => Some(*codec),
        }
    }
}

/// A record of a group, or the junk in its place.
#[derive(Debug)]
pub(in super::super) struct RecordSpan {
    pub(in super::super) position: RecordPosition,
    pub(in super::super) start: usize,
    pub(in super::super) end: usize,
    pub(in super::super) payload: PayloadKind,
}
