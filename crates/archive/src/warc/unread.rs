//! Reports on records that cannot be read.

use std::fmt;

use absolve::{Advice, Diagnosis, HasAdvice};

use super::options::ArchiveLimits;
use super::record::{Record, RecordPosition};

/// A record whose document cannot be read, or damage between records.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadRecord {
    /// The position of the record or the damage in the archive.
    pub position: RecordPosition,
    /// Its `WARC-Target-URI`, if its head could be read.
    pub target_uri: Option<String>,
    /// The reason why it cannot be read.
    pub problem: RecordProblem,
}

/// The reason why a document cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordProblem {
    /// Its record, or the document, is larger than
    /// [`ArchiveLimits::record`](super::ArchiveLimits::record).
    TooLarge,
    /// No record begins at the position.
    NoRecord,
    /// The record is damaged, or reaches another limit.
    Damaged(Diagnosis),
}

impl RecordProblem {
    pub(super) fn damaged(why: impl HasAdvice) -> Self {
        Self::Damaged(Diagnosis::new(why))
    }
}

impl fmt::Display for RecordProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("record is not read: it exceeds the limit for records"),
            Self::NoRecord => f.write_str("expected a record that begins with WARC/"),
            Self::Damaged(why) => why.fmt(f),
        }
    }
}

impl HasAdvice for RecordProblem {
    fn advice(&self) -> Option<Advice> {
        match self {
            Self::TooLarge => ArchiveLimits::advice("record"),
            Self::NoRecord => None,
            Self::Damaged(why) => why.advice(),
        }
    }
}

impl UnreadRecord {
    pub(super) fn new(position: RecordPosition, problem: RecordProblem) -> Self {
        Self { position, target_uri: None, problem }
    }

    pub(super) fn from_record(
        position: RecordPosition,
        record: &Record<'_>,
        problem: RecordProblem,
    ) -> Self {
        Self { target_uri: record.target_uri().map(Into::into), ..Self::new(position, problem) }
    }
}
