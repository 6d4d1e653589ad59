//! What a reader shows of a segment.

use std::ops::ControlFlow;

use super::super::frame::NO_RECORD;
use super::super::limits::ArchiveLimits;
use super::super::outcome::{Entry, Problem, RecordOutcome};
use super::super::page::{Page, PageError};
use super::super::record::{Record, RecordPosition};
use super::super::segments::{RecordGroup, RecordSpan, Segment, SkipReason};

impl From<SkipReason> for RecordOutcome {
    fn from(reason: SkipReason) -> Self {
        match reason {
            SkipReason::Copied => Self::Copied,
            SkipReason::PassedOver => Self::PassedOver,
            SkipReason::Skipped(skip) => Self::Skipped(skip),
            SkipReason::Failed(problem) => Self::Failed(problem),
        }
    }
}

/// A document in a segment, or a skipped record.
#[derive(Clone, Copy)]
pub(super) enum RecordView<'p> {
    Skipped(&'p SkipReason),
    Document(&'p RecordGroup, &'p RecordSpan),
}

/// Stops after the only record that is read.
pub(super) fn after(only: Option<RecordPosition>) -> ControlFlow<()> {
    if only.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The documents and skipped records of a segment, or the one at this position.
pub(super) fn views(
    segment: &Segment,
    only: Option<RecordPosition>,
) -> impl Iterator<Item = (RecordPosition, RecordView<'_>)> {
    let (reason, group) = match segment {
        Segment::Bytes(_)
        | Segment::Capture(_)
        | Segment::Indexed(_)
        | Segment::Unchanged(_)
        | Segment::Skipped(_, SkipReason::Copied | SkipReason::PassedOver) => (None, None),
        Segment::Skipped(position, reason) => {
            (Some((*position, RecordView::Skipped(reason))), None)
        }
        Segment::RecordGroup(group) => (None, Some(group)),
    };
    let documents = group.into_iter().flat_map(|group| {
        let parts = group.parts.iter().filter(|part| part.payload.is_document());
        parts.map(move |part| (part.position, RecordView::Document(group, part)))
    });
    let views = reason.into_iter().chain(documents);
    // Where no record begins, there is no damage to report.
    let is_record = |view: &RecordView<'_>| match view {
        RecordView::Skipped(SkipReason::Failed(problem)) => problem.to_string() != NO_RECORD,
        _ => true,
    };
    views.filter(move |(position, view)| {
        only.is_none_or(|only| only == *position && is_record(view))
    })
}

/// Shows a document, or why it cannot be read.
pub(super) fn show<T>(
    (position, view): (RecordPosition, RecordView<'_>),
    limits: &ArchiveLimits,
    visit: impl FnOnce(Result<Page<'_>, Entry>) -> T,
) -> T {
    let (group, part) = match view {
        RecordView::Skipped(reason) => {
            return visit(Err(Entry::at(position, reason.clone().into())));
        }
        RecordView::Document(group, part) => (group, part),
    };
    match Record::parse(&group.text[part.start..part.end]) {
        Ok(record) => {
            let page = Page::of(position, &record, limits);
            visit(page.map_err(|error| error_entry(position, &record, error)))
        }
        Err(why) => visit(Err(Entry::at(position, RecordOutcome::Failed(Problem::new(why))))),
    }
}

/// The report of a record whose document cannot be read.
pub(in super::super) fn error_entry(
    position: RecordPosition,
    record: &Record<'_>,
    error: PageError,
) -> Entry {
    entry(
        position,
        record,
        match error {
            PageError::Skipped(skip) => RecordOutcome::Skipped(skip),
            PageError::Failed(problem) => RecordOutcome::Failed(problem),
        },
    )
}

/// The report of a record with a document.
pub(in super::super) fn entry(
    position: RecordPosition,
    record: &Record<'_>,
    outcome: RecordOutcome,
) -> Entry {
    Entry {
        position,
        id: record.id().map(Into::into),
        target_uri: record.target_uri().map(Into::into),
        outcome,
    }
}
