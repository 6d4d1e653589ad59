//! The course of an audit: every page once, then again where others ask for it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::check::{Audit, Audited};
use super::collector::{Collector, IsKnown};
use super::draft::{FindingBudget, PageFindings, Turn};
use super::finding::Finding;
use super::held::Held;
use super::look::{Kept, Look, Why};
use super::rules::Rule;
use super::site::Site;
use super::state::State;
use super::subject::{Scope, Subject};
use super::target::Lookup;
use super::wanted::{Blocks, block_of};
use super::{meant, orphans, path_of, places, redirecting, sheet, sitemap, verdicts};
use crate::batch::{Failure, FileBuffers, Globs, Monitor, Workers};
use crate::container::Format;
use crate::encoding::Lines;
use crate::rewrite::detect;

/// An audit while it runs.
pub(super) struct Course<'a> {
    pub(super) audit: &'a Audit,
    pub(super) site: &'a Site,
    pub(super) held: &'a Held,
    pub(super) jobs: &'a Workers,
    pub(super) watch: &'a dyn Monitor,
    pub(super) lookup: Lookup<'a>,
    pub(super) state: State,
    pub(super) budget: FindingBudget,
    /// One for each thread that is at work.
    kept: Mutex<Vec<Kept>>,
    /// What is read: pages, then style sheets, then messages.
    files: Vec<usize>,
}

/// What one page gave.
pub(super) struct Looked {
    pub(super) findings: PageFindings,
    pub(super) links: u64,
}

impl Default for Looked {
    fn default() -> Self {
        Self { findings: PageFindings::none(), links: 0 }
    }
}

/// Files that are read at a time; the findings of no more wait to be collected.
const WINDOW: usize = 1024;

impl<'a> Course<'a> {
    pub(super) fn new(
        audit: &'a Audit,
        site: &'a Site,
        held: &'a Held,
        jobs: &'a Workers,
        watch: &'a dyn Monitor,
    ) -> Self {
        let (deployment, server) = (audit.deployment(), audit.server());
        let documents = Globs::default();
        let is_document =
            |path: &Path| Format::of_name(path) == Format::Html && documents.is_document(path);
        let mut is_page: Vec<bool> =
            site.files().iter().map(|(path, _)| is_document(&path_of(path))).collect();
        for &page in site.pages() {
            is_page[page] = true;
        }
        is_page.resize(held.end(), true);
        Self {
            audit,
            site,
            held,
            jobs,
            watch,
            lookup: Lookup { site, deployment, server, scope: Scope::Site, beginnings: None },
            state: State::new(is_page),
            budget: FindingBudget::default(),
            kept: Mutex::default(),
            files: [site.pages(), site.styles(), site.messages()].concat(),
        }
    }

    /// Runs to the end, or until it is stopped.
    pub(super) fn run<'k>(&self, is_known: Option<&'k mut IsKnown<'k>>) -> Audited {
        let pages = (self.site.pages().len() + self.held.len()) as u64;
        let mut audited = Audited { pages, ..Audited::default() };
        let mut collector = Collector::new(self.audit.findings_size(), &self.budget, is_known);
        self.look(|_| true, Why::First, &mut audited, &mut collector);
        if !audited.is_stopped {
            let verdicts = verdicts::of(self);
            let again = verdicts.blocks;
            if again != 0 {
                let is_asked = |block| again & block != 0;
                let why = Why::Again(&verdicts.verdicts);
                self.look(is_asked, why, &mut audited, &mut collector);
            }
        }
        redirecting::circles(self, &mut collector);
        redirecting::lines(self, &mut collector);
        sitemap::check(self, &mut collector);
        self.unread(&mut collector);
        orphans::find(self, &mut collector);
        let (drafts, unlisted) = collector.finish(self.audit);
        (audited.findings, audited.unsearched) = meant::search(self, drafts);
        audited.unlisted = unlisted;
        audited
    }

    /// Looks at every page, style sheet and message of some blocks.
    fn look(
        &self,
        is_asked: impl Fn(Blocks) -> bool + Sync,
        why: Why<'_>,
        audited: &mut Audited,
        collector: &mut Collector<'_, '_>,
    ) {
        if let Some(file) = self.site.archive() {
            self.look_at_archive(file, is_asked, why, audited, collector);
            return;
        }
        let pages = self.files.len();
        let asked: Vec<usize> =
            (0..pages).filter(|&page| is_asked(block_of(page, pages))).collect();
        let look_at = |desk: &mut FileBuffers, page: usize, turn: Turn| {
            let (file, block) = (self.files[page], block_of(page, pages));
            if self.site.is_message(file) {
                return self.look_at_message(desk, file, block, why, turn);
            }
            self.look_at(desk, file, block, why, turn)
        };
        let mut own_desk = FileBuffers::default();
        self.jobs.map_ordered(
            asked.len(),
            WINDOW,
            |desk, number| {
                if self.watch.is_stopped() {
                    return Looked::default();
                }
                look_at(desk, asked[number], Turn::Parallel)
            },
            |numbers, looked| {
                audited.is_stopped = self.watch.is_stopped();
                for (number, Looked { mut findings, links }) in numbers.zip(looked) {
                    if findings.is_deferred() {
                        findings = look_at(&mut own_desk, asked[number], Turn::Alone).findings;
                    }
                    collector.add_page(findings);
                    if matches!(why, Why::First) {
                        audited.links += links;
                    }
                }
                ControlFlow::Continue(())
            },
        );
    }

    pub(super) fn look_at(
        &self,
        desk: &mut FileBuffers,
        file: usize,
        block: Blocks,
        why: Why<'_>,
        turn: Turn,
    ) -> Looked {
        let mut kept = self.take_kept();
        let mut look = Look::new(self, &mut kept, why, Subject::file(file), block, turn);
        let read = self.site.read_number(file, desk, &self.audit.limits());
        let (source, scratch) = desk.parts();
        let _turn = crate::batch::lock_if_large(source.len() as u64);
        let mut encoding = self.audit.encoding();
        let seen = read.and_then(|()| {
            if self.site.is_style(file) {
                sheet::look(self, &mut look, source);
                return Ok(());
            }
            if let Some(what) = Format::foreign(source) {
                let what = format!("it is {what}, and no HTML; give it another name, or --exclude");
                return Err(Failure::new(what));
            }
            let rewriter = self.audit.rewriter_for(file, self.site)?;
            let summary = rewriter.inspect(source, scratch, &mut look)?;
            look.summary(&summary);
            encoding = Some(summary.encoding());
            Ok(())
        });
        let detected = || {
            if self.site.is_style(file) { sheet::detect(source) } else { detect(source, encoding) }
        };
        if matches!(why, Why::First) {
            if let Err(failure) = &seen {
                look.unreadable(failure);
            }
            let is_known = seen.is_ok() && !look.is_unreadable && !self.site.is_style(file);
            let (anchors, mut refresh) = (look.finish(), look.refresh.take());
            // Without scripts, as with them off, and in a template it sends nobody on.
            refresh = refresh.filter(|refresh| !is_hidden(&refresh.finding, source));
            if let Some(refresh) = &mut refresh {
                places::put(&mut refresh.finding, &mut Lines::new(source, detected()));
            }
            if is_known {
                self.state.learn(file, anchors, refresh);
            }
            if turn == Turn::Parallel {
                self.watch.read(source.len() as u64);
            }
        }
        let (mut findings, links) = (look.take_findings(), look.links);
        if findings.drafts.iter().any(|draft| draft.finding.span.is_some()) {
            places::fill(&mut findings.drafts, source, detected());
        }
        self.put_back(kept);
        Looked { findings, links }
    }

    /// Whether a file is a page to audit, or a document in one.
    pub(super) fn is_page(&self, number: usize) -> bool {
        self.held.index(number).is_some() || self.site.is_page(number)
    }

    pub(super) fn put_back(&self, kept: Kept) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }

    pub(super) fn take_kept(&self) -> Kept {
        // A thread that panicked left nothing half done here.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// What the walk could not look at.
    fn unread(&self, collector: &mut Collector<'_, '_>) {
        let level = self.audit.level_of(Rule::Unreadable);
        for (path, failure) in self.site.unread() {
            let message = failure.to_string();
            collector.add(Finding::new(Rule::Unreadable, level, path.clone(), message));
        }
    }
}

/// Whether a finding is inside a `noscript` or a `template`, as the tags before it say.
pub(super) fn is_hidden(finding: &Finding, source: &[u8]) -> bool {
    let before = finding.span.as_ref().and_then(|span| source.get(..span.start));
    let before = before.unwrap_or_default().to_ascii_lowercase();
    ["noscript", "template"].iter().any(|name| {
        let last = |tag: String| memchr::memmem::rfind(&before, tag.as_bytes());
        last(format!("<{name}")) > last(format!("</{name}"))
    })
}
