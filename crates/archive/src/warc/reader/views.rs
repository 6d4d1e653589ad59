//! What a reader shows of a segment.

use std::ops::ControlFlow;

use super::super::frame::SpanKind;
use super::super::limits::ArchiveLimits;
use super::super::page::Page;
use super::super::record::{Record, RecordPosition};
use super::super::segments::Segment;
use super::super::unread::{RecordProblem, UnreadRecord};

/// A document in a segment, or a record that cannot be read.
#[derive(Clone, Copy)]
pub(super) struct RecordView<'p> {
    pub(super) position: RecordPosition,
    /// The bytes of the record, with what was parsed of them, or why it cannot be read.
    record: Result<(&'p [u8], &'p SpanKind), &'p UnreadRecord>,
}

/// Stops after the only record that is read.
pub(super) fn after(only: Option<RecordPosition>) -> ControlFlow<()> {
    if only.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// The documents and unread records of a segment, or the one at this position.
pub(super) fn views(
    segment: &Segment,
    only: Option<RecordPosition>,
) -> impl Iterator<Item = RecordView<'_>> {
    let (unread, text, pages): (_, &[u8], &[_]) = match segment {
        Segment::Unread(unread) => (Some(&**unread), &[], &[]),
        Segment::Pages { text, pages } => (None, text, pages),
        Segment::Capture(_) => (None, &[], &[]),
    };
    let unread = unread.map(|unread| RecordView { position: unread.position, record: Err(unread) });
    let pages = pages.iter().map(|page| RecordView {
        position: page.position,
        record: Ok((&text[page.start..page.end], &page.kind)),
    });
    // Where no record begins, there is no damage to report.
    let is_record = |view: &RecordView<'_>| {
        !view.record.is_err_and(|unread| unread.problem == RecordProblem::NoRecord)
    };
    let views = unread.into_iter().chain(pages);
    views.filter(move |view| only.is_none_or(|only| only == view.position && is_record(view)))
}

/// Shows a document, or why it cannot be read.
pub(super) fn show<T>(
    RecordView { position, record }: RecordView<'_>,
    limits: &ArchiveLimits,
    visit: impl FnOnce(Result<Page<'_>, UnreadRecord>) -> T,
) -> T {
    let record = match record {
        Ok((text, SpanKind::Page(Some(parsed)))) => Ok(parsed.moved(text)),
        Ok((text, _)) => Record::parse(text),
        Err(unread) => return visit(Err(unread.clone())),
    };
    match record {
        Ok(record) => {
            let page = Page::of(position, &record, limits);
            visit(page.map_err(|problem| UnreadRecord::of(position, &record, problem)))
        }
        Err(why) => visit(Err(UnreadRecord::at(position, RecordProblem::damaged(why)))),
    }
}
