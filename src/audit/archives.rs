//! Looking at a web archive: its pages as they come.

use std::ops::ControlFlow;

use super::anchors::Anchors;
use super::check::Audited;
use super::collector::Collector;
use super::draft::{PageFindings, Turn};
use super::finding::Finding;
use super::look::{Look, Why};
use super::places;
use super::rules::{Level, Rule};
use super::run::{Course, Looked, is_hidden};
use super::state::Refresh;
use super::wanted::{Blocks, block_of};
use crate::batch::Failure;
use crate::container::EntryId;
use crate::container::warc::{Entry, Outcome, Page, Skip};
use crate::encoding::Lines;
use crate::rewrite::{Buffers, Rewriter, detect};

/// Anchors of an archive that are kept, in 256 MiB.
const MAX_ANCHORS: usize = 1 << 25;

/// What one page gave.
#[derive(Default)]
struct Seen {
    looked: Looked,
    learned: Option<(usize, Anchors, Option<Refresh>)>,
}

/// What is kept of an archive, beside what its pages ask for.
#[derive(Default)]
struct Totals {
    anchors: usize,
    /// Pages whose anchors there was no room for.
    unlearned: u64,
}

impl Course<'_> {
    /// Looks at the pages of an archive that are in some blocks, in order.
    pub(super) fn look_at_archive(
        &self,
        file: usize,
        is_asked: impl Fn(Blocks) -> bool + Sync,
        why: Why<'_>,
        audited: &mut Audited,
        collector: &mut Collector<'_, '_>,
    ) {
        let (_, failure) = self.held.archive();
        let is_first = matches!(why, Why::First);
        let whole = |message: String| {
            let level = self.audit.level_of(Rule::Unreadable);
            Finding::new(Rule::Unreadable, level, self.site.shown(file), message)
        };
        let mut totals = Totals::default();
        let mut own_scratch = Buffers::default();
        let read = self.audit.rewriter_for_baseless(file, self.site).and_then(|rewriter| {
            let look_at = |scratch: &mut Buffers, found: Result<Page<'_>, Entry>| match found {
                _ if self.watch.is_stopped() => Seen::default(),
                Ok(page) => {
                    self.look_at_page(&page, &rewriter, scratch, why, &is_asked, Turn::Parallel)
                }
                Err(entry) if is_first => self.unread_entry(file, &entry),
                Err(_) => Seen::default(),
            };
            let reader =
                self.site.archive_reader(file, self.watch)?.limits(self.audit.bounds_set());
            let read = reader.pages_in_order(self.jobs, look_at, |found, mut seen| {
                if seen.looked.findings.is_deferred() {
                    seen.looked.findings = found.show(|found| {
                        let Ok(page) = found else { return PageFindings::none() };
                        let (scratch, turn) = (&mut own_scratch, Turn::Alone);
                        let seen =
                            self.look_at_page(&page, &rewriter, scratch, why, &is_asked, turn);
                        seen.looked.findings
                    });
                }
                if is_first {
                    audited.links += seen.looked.links;
                }
                collector.add_page(seen.looked.findings);
                self.learn_within(seen.learned, &mut totals);
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
                "it has more than {MAX_ANCHORS} anchors: of {} pages no anchor is told to be \
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

    fn look_at_page(
        &self,
        page: &Page<'_>,
        rewriter: &Rewriter,
        scratch: &mut Buffers,
        why: Why<'_>,
        is_asked: &impl Fn(Blocks) -> bool,
        turn: Turn,
    ) -> Seen {
        // None where there was no room for it in the index, or the file is another by now.
        let Some(number) = self.held.at(page.position()) else { return Seen::default() };
        let block = block_of(self.held.index(number).unwrap_or(0), self.held.len());
        if !is_asked(block) {
            return Seen::default();
        }
        let document = page.document();
        let _turn = crate::batch::lock_if_large(document.len() as u64);
        let mut kept = self.take_kept();
        let url = page.record().target_uri();
        let subject = self.held.subject_in_archive(number, url.as_deref());
        let mut look = Look::new(self, &mut kept, why, subject, block, turn);
        let rewriter = page.rewriter(rewriter);
        let seen = rewriter.inspect(document, scratch, &mut look);
        let is_first = matches!(why, Why::First);
        match &seen {
            Ok(summary) => look.summary(summary),
            Err(error) if is_first => look.unreadable(&error.clone().into()),
            Err(_) => {}
        }
        // The summary has the encoding that the document was read in.
        let known = seen.as_ref().map_or(rewriter.settings().encoding, |one| Some(one.encoding()));
        let detected = detect(document, known);
        let mut learned = None;
        if is_first {
            let (anchors, refresh) = (look.finish(), look.refresh.take());
            let mut refresh = refresh.filter(|refresh| !is_hidden(&refresh.finding, document));
            if let Some(refresh) = &mut refresh {
                places::put(&mut refresh.finding, &mut Lines::new(document, detected));
            }
            let is_known = seen.is_ok() && !look.is_unreadable;
            learned = is_known.then_some((number, anchors, refresh));
        }
        let (mut findings, links) = (look.take_findings(), look.links);
        places::fill(&mut findings.drafts, document, detected);
        self.put_back(kept);
        Seen { looked: Looked { findings, links }, learned }
    }

    /// A record that holds a page which cannot be shown, or damage.
    fn unread_entry(&self, file: usize, entry: &Entry) -> Seen {
        let level = self.audit.level_of(Rule::Unreadable);
        let Some(message) = told(&entry.outcome) else { return Seen::default() };
        if level == Level::Off || !self.audit.reports(file) {
            return Seen::default();
        }
        let finding = Finding {
            inside: Some(EntryId::Record(entry.position)),
            page: entry.target_uri.clone(),
            ..Finding::new(Rule::Unreadable, level, self.site.shown(file), message)
        };
        let mut findings = PageFindings::none();
        findings.push(finding.into(), &self.budget);
        Seen { looked: Looked { findings, links: 0 }, learned: None }
    }
}

/// Why a record cannot be read.
fn told(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Failed(problem) => Some(problem.to_string()),
        Outcome::Skipped(Skip::TooLarge) => Some(
            "it is larger than what is held in memory, its links and anchors are not known; raise \
             --max-record if it is trusted"
                .to_owned(),
        ),
        Outcome::Skipped(Skip::AfterOversized) => Some(
            "it stands in one gzip member behind a record that is larger than what is held in \
             memory: all behind that is not known"
                .to_owned(),
        ),
        _ => None,
    }
}
