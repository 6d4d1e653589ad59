//! What an archive is made of.

use super::super::capture::Capture;
use super::super::frame::PayloadKind;
use super::super::outcome::{Problem, Skip};
use super::super::record::RecordPosition;

/// What an archive is made of. Written one after the other, the bytes of the segments are
/// the archive's.
#[derive(Debug)]
pub(in super::super) enum Segment {
    /// Records with a document among them, to be worked on.
    RecordGroup(RecordGroup),
    /// Bytes that stay as they are.
    Bytes(Vec<u8>),
    /// A record that was in such bytes, or would have been.
    Skipped(RecordPosition, SkipReason),
    /// What a record in any of these has for a URL.
    Capture(Box<Capture>),
}

/// Approximate size in bytes of a report about a record.
const REPORT_SIZE: usize = 512;

impl Segment {
    /// Bytes that it holds.
    pub(in super::super) fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Skipped(..) | Self::Capture(_) => REPORT_SIZE,
            Self::RecordGroup(group) => {
                let member = if let Form::Gzip(member) = &group.form { member.len() } else { 0 };
                member + group.text.len() + group.parts.len() * REPORT_SIZE
            }
        }
    }
}

/// Why a record is not worked on.
#[derive(Debug, Clone)]
pub(in super::super) enum SkipReason {
    Copied,
    Skipped(Skip),
    Failed(Problem),
}

/// Records that are buffered.
#[derive(Debug)]
pub(in super::super) struct RecordGroup {
    pub(in super::super) form: Form,
    /// Not compressed.
    pub(in super::super) text: Vec<u8>,
    pub(in super::super) parts: Vec<RecordSpan>,
}

/// How records are in the file.
#[derive(Debug)]
pub(in super::super) enum Form {
    /// As they are.
    Plain,
    /// In a gzip member of these bytes.
    Gzip(Vec<u8>),
    /// In a gzip member that is too large for memory: each becomes a member of its own.
    Split,
}

/// A record of a group, or what is where there should be one.
#[derive(Debug)]
pub(in super::super) struct RecordSpan {
    pub(in super::super) position: RecordPosition,
    pub(in super::super) start: usize,
    pub(in super::super) end: usize,
    pub(in super::super) holds: PayloadKind,
}
