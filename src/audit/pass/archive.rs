//! Audits the pages of a web archive, in order.

use std::ops::ControlFlow;

use crate::audit::anchors::Anchors;
use crate::audit::container::document::AuditedDocument;
use crate::audit::context::{
    AuditContext, Collector, DocumentFacts, PageFindings, PageReading, PageResult, Pass,
    Requesters, Turn,
};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::examine::examine;
use crate::audit::page::sink::FindingSink;
use crate::audit::rules::Rule;
use crate::audit::summary::{AuditReport, LinkTotals};
use crate::container::EntryId;
use crate::container::warc::{Entry, Page, PageHandle, RecordOutcome, Skip};
use crate::rewrite::{Buffers, Rewriter};

/// The most anchors of an archive that are kept: 256 MiB.
const MAX_ANCHORS: usize = 1 << 25;

/// The result of one record.
#[derive(Default)]
struct RecordResult {
    page: PageResult,
    known: Option<(usize, DocumentFacts)>,
}

/// Anchors kept so far.
#[derive(Default)]
struct Totals {
    anchors: usize,
    /// Pages whose anchors did not fit.
    dropped_pages: u64,
}

impl Totals {
    fn dropped(&self) -> Option<String> {
        let pages = self.dropped_pages;
        (pages > 0).then(|| {
            format!(
                "the archive has more than {MAX_ANCHORS} anchors: missing anchors of {pages} pages \
                 are not reported; split the archive"
            )
        })
    }
}

impl AuditContext<'_> {
    /// Audits the pages of an archive that are in the selected blocks, in order.
    pub(crate) fn audit_archive(
        &self,
        file: usize,
        is_selected: impl Fn(Requesters) -> bool + Sync,
        pass: Pass<'_>,
        audited: &mut AuditReport,
        collector: &mut Collector<'_, '_>,
    ) {
        let (_, failure) = self.containers.archive();
        let is_first = matches!(pass, Pass::Read);
        let mut totals = Totals::default();
        let mut own_buffers = Buffers::default();
        let rewriter = self.audit.rewriter_for_baseless(file, self.site);
        let shown = |what| (self.site.shown(file), what);
        let rewriter = rewriter.map_err(|failure| shown(failure.to_string()));
        let read = rewriter.and_then(|rewriter| {
            let audit_entry = |buffers: &mut Buffers, found: Result<Page<'_>, Entry>| match found {
                _ if self.monitor.is_stopped() => RecordResult::default(),
                Ok(page) => {
                    let turn = (pass, Turn::Parallel);
                    self.audit_record(&page, &rewriter, buffers, turn, &is_selected)
                }
                Err(entry) if is_first => self.unread_entry(file, &entry),
                Err(_) => RecordResult::default(),
            };
            let mut finish = |found: &PageHandle<'_>, mut result: RecordResult| {
                if result.page.findings.is_deferred() {
                    result.page.findings = found.show(|found| {
                        let Ok(page) = found else { return PageFindings::default() };
                        let (buffers, turn) = (&mut own_buffers, (pass, Turn::Alone));
                        let result =
                            self.audit_record(&page, &rewriter, buffers, turn, &is_selected);
                        result.page.findings
                    });
                }
                if is_first {
                    audited.by_scope.append(result.page.links);
                }
                collector.add_page(result.page.findings);
                self.keep_anchors(result.known, &mut totals);
                audited.is_stopped = self.monitor.is_stopped();
                if audited.is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            self.site.read_archives(self.monitor, |reader| {
                let reader = reader.limits(self.audit.archive_limits);
                reader.pages_in_order(self.workers, audit_entry, &mut finish)
            })
        });
        audited.is_stopped |= self.monitor.is_stopped();
        let mut messages = Vec::new();
        if is_first {
            let failure = read.err().or_else(|| failure.cloned());
            // A run that is stopped reads no further.
            messages.extend(failure.filter(|_| !self.monitor.is_stopped()));
            self.monitor.read(0);
        }
        messages.extend(totals.dropped().map(shown));
        if self.audit.reports(file) {
            for (file, message) in messages {
                collector.add_always(self.audit.finding(Rule::Unreadable, file, message));
            }
        }
    }

    /// Keeps the anchors of a page. Pages come in the order of the archive, so that the number of
    /// threads does not decide whose anchors fit.
    fn keep_anchors(&self, known: Option<(usize, DocumentFacts)>, totals: &mut Totals) {
        let Some((number, mut facts)) = known else { return };
        let count = facts.anchors.as_ref().map_or(0, Anchors::len);
        if totals.anchors + count > MAX_ANCHORS {
            totals.dropped_pages += 1;
            (facts.anchors, facts.refresh) = (None, None);
        } else {
            totals.anchors += count;
        }
        self.state.record(number, facts);
    }

    fn audit_record(
        &self,
        page: &Page<'_>,
        rewriter: &Rewriter,
        buffers: &mut Buffers,
        (pass, turn): (Pass<'_>, Turn),
        is_selected: &impl Fn(Requesters) -> bool,
    ) -> RecordResult {
        // `None` if the index had no room for the page, or the file has changed.
        let Some(number) = self.containers.at(page.position()) else {
            return RecordResult::default();
        };
        let index = self.containers.index(number).unwrap_or(0);
        let is_audited = self.containers.is_audited(number);
        let requester = match (is_audited, pass) {
            (true, _) => Requesters::one(index, self.containers.len()),
            (false, Pass::Read) => Requesters::NONE,
            (false, Pass::Recheck(_)) => return RecordResult::default(),
        };
        if is_audited && !is_selected(requester) {
            return RecordResult::default();
        }
        let document = page.document();
        let _turn = crate::batch::lock_if_large(document.len() as u64);
        let url = page.url();
        let subject = self.containers.subject_in_archive(number, url.as_deref());
        let mut auditor = PageAuditor::new(self, subject, PageReading { pass, requester, turn });
        auditor.sink.is_reported &= is_audited;
        let rewriter = page.rewriter(rewriter);
        let (detected, known) = examine(&mut auditor, document, &rewriter, buffers, |error| error);
        if !is_audited {
            auditor.links = LinkTotals::default();
        }
        let known = known.map(|facts| (number, facts));
        RecordResult { page: auditor.into_result(document, detected), known }
    }

    /// The finding about a record that is damaged, or whose page cannot be decoded.
    fn unread_entry(&self, file: usize, entry: &Entry) -> RecordResult {
        let Some(message) = why_unread(&entry.outcome) else { return RecordResult::default() };
        let record = AuditedDocument {
            inside: Some(EntryId::Record(entry.position)),
            url: entry.target_uri.as_deref(),
            ..AuditedDocument::file(file)
        };
        let mut sink = FindingSink::new(self, record, Turn::Alone);
        if let Some(level) = sink.level(Rule::Unreadable) {
            let finding = sink.whole(Rule::Unreadable, level, message);
            sink.add(finding);
        }
        let page = PageResult { findings: sink.take(), ..PageResult::default() };
        RecordResult { page, known: None }
    }
}

/// Why a record cannot be read.
fn why_unread(outcome: &RecordOutcome) -> Option<String> {
    match outcome {
        RecordOutcome::Failed(problem) => Some(problem.to_string()),
        RecordOutcome::Skipped(Skip::TooLarge) => Some(
            "its links and anchors are unknown: it exceeds the limit for records".to_owned(),
        ),
        RecordOutcome::Skipped(Skip::AfterOversized) => Some(
            "the rest of its gzip member is unknown: a record before it exceeds the limit for records"
                .to_owned(),
        ),
        _ => None,
    }
}
