//! The segments of an archive.

use super::super::codec::Codec;
use super::super::outcome::Entry;
use super::super::record::RecordPosition;
use super::super::record_info::RecordInfo;
use super::super::record_type::PayloadKind;

/// A segment of an archive; the concatenation of all segments is the archive.
#[derive(Debug)]
pub(in super::super) enum Segment {
    /// Records with documents, to be processed.
    RecordGroup(RecordGroup),
    /// Bytes that are copied.
    Bytes(Vec<u8>),
    /// A record in copied bytes, or a problem there.
    Skipped(Box<Entry>),
    /// What is kept of a record in other segments.
    Info(RecordInfo),
}

/// Approximate size in bytes of a report about a record.
const REPORT_SIZE: usize = 512;

impl Segment {
    /// Its size in memory.
    pub(in super::super) fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Info(RecordInfo::Unchanged(keys)) => size_of_val(keys),
            Self::Skipped(_) | Self::Info(_) => REPORT_SIZE,
            Self::RecordGroup(group) => {
                let member =
                    if let Form::Member(_, member) = &group.form { member.len() } else { 0 };
                member + group.text.len() + group.parts.len() * REPORT_SIZE
            }
        }
    }
}

/// Buffered records.
#[derive(Debug)]
pub(in super::super) struct RecordGroup {
    pub(in super::super) form: Form,
    /// The uncompressed records, and more where [`Segments::returned`](super::Segments::returned) is set.
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
