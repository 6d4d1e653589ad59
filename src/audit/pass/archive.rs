//! Looking at a web archive: its pages as they come.

use std::ops::ControlFlow;

use crate::audit::anchors::Anchors;
use crate::audit::context::collector::Collector;
use crate::audit::context::draft::{PageFindings, Turn};
use crate::audit::context::requests::{Blocks, block_of};
use crate::audit::context::state::{Pass, Refresh};
use crate::audit::context::{AuditContext, PageResult};
use crate::audit::finding::Finding;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::examine::examine;
use crate::audit::position;
use crate::audit::rules::{Level, Rule};
use crate::audit::summary::AuditReport;
use crate::batch::Failure;
use crate::container::EntryId;
use crate::container::warc::{Entry, Page, RecordOutcome, Skip};
use crate::encoding::Lines;
use crate::rewrite::{Buffers, Rewriter, detect};

/// Anchors of an archive that are kept, in 256 MiB.
const MAX_ANCHORS: usize = 1 << 25;

/// What one page gave.
#[derive(Default)]
struct RecordResult {
    page: PageResult,
    known: Option<(usize, Anchors, Option<Refresh>)>,
}

/// What is kept of an archive, beside what its pages ask for.
#[derive(Default)]
struct Totals {
    anchors: usize,
    /// Pages whose anchors there was no room for.
    unlearned: u64,
}

impl AuditContext<'_> {
    /// Looks at the pages of an archive that are in some blocks, in order.
    pub(crate) fn audit_archive(
        &self,
        file: usize,
        is_asked: impl Fn(Blocks) -> bool + Sync,
        pass: Pass<'_>,
        audited: &mut AuditReport,
        collector: &mut Collector<'_, '_>,
    ) {
        let (_, failure) = self.held.archive();
        let is_first = matches!(pass, Pass::Read);
        let whole = |message: String| {
            let level = self.audit.level_of(Rule::Unreadable);
            Finding::new(Rule::Unreadable, level, self.site.shown(file), message)
        };
        let mut totals = Totals::default();
        let mut own_scratch = Buffers::default();
        let read = self.audit.rewriter_for_baseless(file, self.site).and_then(|rewriter| {
            let look_at = |scratch: &mut Buffers, found: Result<Page<'_>, Entry>| match found {
                _ if self.watch.is_stopped() => RecordResult::default(),
                Ok(page) => {
                    self.audit_record(&page, &rewriter, scratch, pass, &is_asked, Turn::Parallel)
                }
                Err(entry) if is_first => self.unread_entry(file, &entry),
                Err(_) => RecordResult::default(),
            };
            let reader =
                self.site.archive_reader(file, self.watch)?.limits(self.audit.bounds_set());
            let read = reader.pages_in_order(self.jobs, look_at, |found, mut seen| {
                if seen.page.findings.is_deferred() {
                    seen.page.findings = found.show(|found| {
                        let Ok(page) = found else { return PageFindings::none() };
                        let (scratch, turn) = (&mut own_scratch, Turn::Alone);
                        let seen =
                            self.audit_record(&page, &rewriter, scratch, pass, &is_asked, turn);
                        seen.page.findings
                    });
                }
                if is_first {
                    audited.links += seen.page.links;
                }
                collector.add_page(seen.page.findings);
                self.learn_within(seen.known, &mut totals);
                audited.is_stopped = self.watch.is_stopped();
                if audited.is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            read.map_err(|error| Failure::read(&error))
        });
        audited.is_stopped |= self.watch.is_stopped();
        let mut messages = Vec::new();
        if is_first {
            let failure = read.err().or_else(|| failure.cloned());
            messages.extend(failure.map(|failure| failure.to_string()));
            self.watch.read(0);
        }
        if totals.unlearned > 0 {
            messages.push(format!(
                "it has more than {MAX_ANCHORS} anchors: of {} pages no anchor is reported as \
                 missing; split the archive",
                totals.unlearned
            ));
        }
        if self.audit.reports(file) {
            messages.into_iter().map(whole).for_each(|finding| collector.add_always(finding));
        }
    }

    /// Keeps the anchors of a page, in the order of the archive, so that what there is no
    /// room for does not depend on threads.
    fn learn_within(
        &self,
        learned: Option<(usize, Anchors, Option<Refresh>)>,
        totals: &mut Totals,
    ) {
        let Some((number, anchors, refresh)) = learned else { return };
        if totals.anchors + anchors.len() > MAX_ANCHORS {
            totals.unlearned += 1;
            return;
        }
        totals.anchors += anchors.len();
        self.state.learn(number, anchors, refresh);
    }

    fn audit_record(
        &self,
        page: &Page<'_>,
        rewriter: &Rewriter,
        scratch: &mut Buffers,
        pass: Pass<'_>,
        is_asked: &impl Fn(Blocks) -> bool,
        turn: Turn,
    ) -> RecordResult {
        // None where there was no room for it in the index, or the file is another by now.
        let Some(number) = self.held.at(page.position()) else { return RecordResult::default() };
        let block = block_of(self.held.index(number).unwrap_or(0), self.held.len());
        if !is_asked(block) {
            return RecordResult::default();
        }
        let document = page.document();
        let _turn = crate::batch::lock_if_large(document.len() as u64);
        let mut buffers = self.take_buffers();
        let url = page.record().target_uri();
        let subject = self.held.subject_in_archive(number, url.as_deref());
        let mut auditor = PageAuditor::new(self, &mut buffers, pass, subject, block, turn);
        let rewriter = page.rewriter(rewriter);
        let examined = examine(&mut auditor, document, &rewriter, scratch, |error| error);
        let detected = detect(document, examined.encoding);
        let known = examined.known.map(|(anchors, mut refresh)| {
            if let Some(refresh) = &mut refresh {
                position::put(&mut refresh.finding, &mut Lines::new(document, detected));
            }
            (number, anchors, refresh)
        });
        let (mut findings, links) = (auditor.take_findings(), auditor.links);
        position::fill(&mut findings.drafts, document, detected);
        self.put_back(buffers);
        RecordResult { page: PageResult { findings, links }, known }
    }

    /// A record that holds a page which cannot be shown, or damage.
    fn unread_entry(&self, file: usize, entry: &Entry) -> RecordResult {
        let level = self.audit.level_of(Rule::Unreadable);
        let Some(message) = why_unread(&entry.outcome) else { return RecordResult::default() };
        if level == Level::Off || !self.audit.reports(file) {
            return RecordResult::default();
        }
        let finding = Finding {
            inside: Some(EntryId::Record(entry.position)),
            page: entry.target_uri.clone(),
            ..Finding::new(Rule::Unreadable, level, self.site.shown(file), message)
        };
        let mut findings = PageFindings::none();
        findings.push(finding.into(), &self.budget);
        RecordResult { page: PageResult { findings, links: 0 }, known: None }
    }
}

/// Why a record cannot be read.
fn why_unread(outcome: &RecordOutcome) -> Option<String> {
    match outcome {
        RecordOutcome::Failed(problem) => Some(problem.to_string()),
        RecordOutcome::Skipped(Skip::TooLarge) => Some(
            "it is larger than what is held in memory, its links and anchors are not known; raise \
             --max-record if it is trusted"
                .to_owned(),
        ),
        RecordOutcome::Skipped(Skip::AfterOversized) => Some(
            "it stands in one gzip member behind a record that is larger than what is held in \
             memory: all behind that is not known"
                .to_owned(),
        ),
        _ => None,
    }
}
