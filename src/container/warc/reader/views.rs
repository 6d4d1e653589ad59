//! What a reader shows of a segment.

use std::ops::ControlFlow;

use super::super::frame::NO_RECORD;
use super::super::limits::ArchiveLimits;
use super::super::outcome::{Entry, Problem, RecordOutcome};
use super::super::page::Page;
use super::super::record::{Record, RecordPosition};
use super::super::record_type::PayloadKind;
use super::super::segments::Segment;

/// A document in a segment, or a skipped record.
#[derive(Clone, Copy)]
pub(super) struct RecordView<'p> {
    pub(super) position: RecordPosition,
    /// The bytes of the record, or why it is skipped.
    record: Result<&'p [u8], &'p Entry>,
}

/// Stops after the only record that is read.
pub(super) fn after(only: Option<RecordPosition>) -> ControlFlow<()> {
    if only.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The documents and skipped records of a segment, or the one at this position.
pub(super) fn views(
    segment: &Segment,
    only: Option<RecordPosition>,
) -> impl Iterator<Item = RecordView<'_>> {
    let (skipped, group) = match segment {
        Segment::Skipped(entry) => (Some(&**entry), None),
        Segment::RecordGroup(group) => (None, Some(group)),
        Segment::Bytes(_) | Segment::Info(_) => (None, None),
    };
    let is_shown = |entry: &&Entry| {
        !matches!(entry.outcome, RecordOutcome::Copied | RecordOutcome::PassedOver)
    };
    let skipped = skipped.filter(is_shown);
    let skipped = skipped.map(|entry| RecordView { position: entry.position, record: Err(entry) });
    let documents = group.into_iter().flat_map(|group| {
        let parts = group.parts.iter().filter(|part| part.payload == PayloadKind::Page);
        parts.map(|part| RecordView {
            position: part.position,
            record: Ok(&group.text[part.start..part.end]),
        })
    });
    // Where no record begins, there is no damage to report.
    let is_record = |view: &RecordView<'_>| match view.record {
        Err(Entry { outcome: RecordOutcome::Failed(why), .. }) => why.to_string() != NO_RECORD,
        _ => true,
    };
    let views = skipped.into_iter().chain(documents);
    views.filter(move |view| only.is_none_or(|only| only == view.position && is_record(view)))
}

/// Shows a document, or why it cannot be read.
pub(super) fn show<T>(
    RecordView { position, record }: RecordView<'_>,
    limits: &ArchiveLimits,
    visit: impl FnOnce(Result<Page<'_>, Entry>) -> T,
) -> T {
    let text = match record {
        Ok(text) => text,
        Err(entry) => return visit(Err(entry.clone())),
    };
    match Record::parse(text) {
        Ok(record) => {
            let page = Page::of(position, &record, limits);
            visit(page.map_err(|outcome| Entry::of(position, &record, *outcome)))
        }
        Err(why) => visit(Err(Entry::at(position, RecordOutcome::Failed(Problem::new(why))))),
    }
}
