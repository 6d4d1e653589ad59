//! The outcomes of records.

use std::fmt;

use crate::rewrite::Summary;

use super::record::{Record, RecordPosition};

/// The outcome of a record.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RecordOutcome {
    /// Its document was rewritten, in a record of the chosen
    /// [`RecordType`](super::RecordType); or its `Location` was.
    Rewritten(Summary),
    /// Its document has no link to change, or the archive has the conversion already.
    Unchanged(Summary),
    /// It has no document that is to be rewritten.
    Copied,
    /// It has a part of a document (status 206, or `WARC-Segment-Number`), which is not read.
    PassedOver,
    /// A revisit or a redirect whose header was made to agree with rewritten records.
    Updated,
    /// A revisit that may not agree with rewritten records: the page that it refers to is not in
    /// the archive before it, is one of several, or has another URL.
    Stale(Problem),
    /// Its document was not read, or would become too large.
    Skipped(Skip),
    /// It could not be read.
    Failed(Problem),
}

/// Why a document was not rewritten; its record was copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// Its record, or the document, is larger than [`ArchiveLimits::record`](super::ArchiveLimits::record).
    TooLarge,
    /// Records follow one that is larger, in the same gzip member.
    AfterOversized,
    /// Its new record would be larger than that, so that no run could read it again.
    GrowsTooLarge,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "record stays as it is: it exceeds the limit for records",
            Self::AfterOversized => {
                "the rest of the compressed member stays as it is: it begins with a record that exceeds the limit for records"
            }
            Self::GrowsTooLarge => {
                "record stays as it is: the new one would exceed the limit for records"
            }
        })
    }
}

/// A problem of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    message: String,
}

impl Problem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// A record, and its outcome.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Entry {
    /// Where it is in the archive.
    pub position: RecordPosition,
    /// Its `WARC-Record-ID`, where it has a document.
    pub id: Option<String>,
    /// Its `WARC-Target-URI`, where it has a document.
    pub target_uri: Option<String>,
    /// Its outcome.
    pub outcome: RecordOutcome,
}

impl Entry {
    pub(super) fn at(position: RecordPosition, outcome: RecordOutcome) -> Self {
        Self { position, id: None, target_uri: None, outcome }
    }

    /// The entry of a record with a document.
    pub(super) fn of(
        position: RecordPosition,
        record: &Record<'_>,
        outcome: RecordOutcome,
    ) -> Self {
        let target_uri = record.target_uri().map(Into::into);
        Self { position, id: record.id().map(Into::into), target_uri, outcome }
    }

    /// An archive that is copied as a whole, in a file with several.
    #[cfg(feature = "wacz")]
    pub(in crate::container) fn damaged_archive(why: String) -> Self {
        let start = RecordPosition { offset: 0, within: 0 };
        Self::at(start, RecordOutcome::Failed(Problem::new(why)))
    }

    /// Why its document cannot be read.
    #[must_use]
    #[doc(hidden)]
    pub fn problem(&self) -> String {
        match &self.outcome {
            RecordOutcome::Failed(problem) => problem.to_string(),
            RecordOutcome::Skipped(skip) => skip.to_string(),
            _ => "it was not read".to_owned(),
        }
    }

    /// The entry of a page whose conversion is in the archive already.
    pub(super) fn unchanged(self) -> Self {
        let outcome = match self.outcome {
            RecordOutcome::Rewritten(summary) => RecordOutcome::Unchanged(summary),
            other => other,
        };
        Self { outcome, ..self }
    }
}

/// The number of records, by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Totals {
    /// All records and damaged stretches; the sum of the outcomes.
    pub records: u64,
    /// With other links.
    pub rewritten: u64,
    /// With a document that has no link to change.
    pub unchanged: u64,
    /// Without a document that is to be rewritten.
    pub copied: u64,
    /// With a part of a document (status 206, or `WARC-Segment-Number`), which is not read.
    pub passed_over: u64,
    /// Revisits and redirects whose header changed.
    pub updated: u64,
    /// Revisits that do not agree with rewritten records.
    pub stale: u64,
    /// With a document that was not read, or would become too large.
    pub skipped: u64,
    /// Unreadable.
    pub failed: u64,
    /// Unchanged records of a gzip member of several that became members of their own; they are
    /// counted above as well. If no record was rewritten, the old archive is as good.
    pub split: u64,
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.rewritten += other.rewritten;
        self.unchanged += other.unchanged;
        self.copied += other.copied;
        self.passed_over += other.passed_over;
        self.updated += other.updated;
        self.stale += other.stale;
        self.skipped += other.skipped;
        self.failed += other.failed;
        self.split += other.split;
    }
}

impl Totals {
    /// Whether a record changed, so that the new archive is another one.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.rewritten + self.updated > 0
    }

    pub(super) fn add(&mut self, outcome: &RecordOutcome) {
        self.records += 1;
        *match outcome {
            RecordOutcome::Rewritten(_) => &mut self.rewritten,
            RecordOutcome::Unchanged(_) => &mut self.unchanged,
            RecordOutcome::Copied => &mut self.copied,
            RecordOutcome::PassedOver => &mut self.passed_over,
            RecordOutcome::Updated => &mut self.updated,
            RecordOutcome::Stale(_) => &mut self.stale,
            RecordOutcome::Skipped(_) => &mut self.skipped,
            RecordOutcome::Failed(_) => &mut self.failed,
        } += 1;
    }
}
