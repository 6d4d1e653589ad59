//! Runs an audit: reads every page, then again those with links to targets that have problems.

use std::ops::ControlFlow;

use absolve_archive::jobs::Workers;
use absolve_files::{FileBuffers, Monitor};

use crate::checks;
use crate::pass::{base_path, fixes, hints};
use crate::{
    Audit, AuditContext, AuditReport, Collector, Compact, Draft, Finding, FindingLimits, IsKnown,
    PageReading, PageResult, Pass, Recheck, Requesters, Safety, Selection, Site, Turn,
};

impl Audit {
    /// Audits every page of a site.
    #[must_use]
    pub fn run(&self, site: &Site, workers: &Workers, monitor: &dyn Monitor) -> AuditReport {
        AuditContext::new(self, site, workers, monitor, Selection::All).run(None)
    }

    /// Audits every page, without the findings for which `is_known` returns true.
    ///
    /// `is_known` gets each finding in the order of files; known ones are neither listed nor
    /// counted, and take no memory.
    #[must_use]
    pub fn run_without(
        &self,
        site: &Site,
        workers: &Workers,
        monitor: &dyn Monitor,
        is_known: &mut dyn FnMut(&Finding) -> bool,
    ) -> AuditReport {
        AuditContext::new(self, site, workers, monitor, Selection::All).run(Some(is_known))
    }

    /// Audits every page for the findings with a fix that is at least as certain as `safety`, and
    /// lists only these.
    ///
    /// [`FindingLimits::findings`] does not limit them. After those without a fix are removed,
    /// [`FindingLimits::size`] does: the audit ends there, and [`AuditReport::unlisted`] shows
    /// that there are others. `is_known` is that of [`Audit::run_without`].
    #[must_use]
    pub fn run_for_fixes(
        &self,
        site: &Site,
        workers: &Workers,
        monitor: &dyn Monitor,
        safety: Safety,
        is_known: Option<&mut dyn FnMut(&Finding) -> bool>,
    ) -> AuditReport {
        let findings = FindingLimits { findings: 0, ..self.findings };
        let audit = self.clone().finding_limits(findings);
        let selection = Selection::Fixable(safety);
        let context = AuditContext::new(&audit, site, workers, monitor, selection);
        let mut audited = context.run(is_known);
        let is_fixable =
            |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety);
        audited.findings.retain(is_fixable);
        audited
    }
}

impl AuditContext<'_> {
    /// Runs all passes, until the monitor stops them.
    fn run<'k>(&self, is_known: Option<&'k mut IsKnown<'k>>) -> AuditReport {
        let pages = self.site.pages().len() as u64;
        let files = (self.site.styles().len() + self.site.xml_documents().len()) as u64;
        let mut audited = AuditReport { pages, files, ..AuditReport::default() };
        let compact = |drafts: &mut Vec<Draft>| {
            hints::search(self, drafts);
            drafts.retain(|draft| self.budget.selects(draft));
        };
        let is_for_fixes = self.budget.selection != Selection::All;
        let compact: Option<&Compact<'_>> = if is_for_fixes { Some(&compact) } else { None };
        let max_size = self.audit.findings.size;
        let mut collector = Collector::new(max_size, &self.budget, is_known, compact);
        self.audit_pages(|_| true, Pass::Read, &mut audited, &mut collector);
        if !collector.ends_round() {
            self.audit_site(&mut audited, &mut collector);
        }
        let from_root = std::mem::take(&mut collector.from_root);
        let (mut drafts, unlisted) = collector.finish(self.audit, &self.state);
        audited.unsearched = hints::search(self, &mut drafts);
        audited.findings = fixes::place(self, drafts);
        audited.unlisted = unlisted;
        audited.links = audited.by_scope.total();
        audited.likely_base = base_path::likely(self, &from_root, audited.by_scope);
        audited.is_stopped = self.monitor.is_stopped();
        audited
    }

    /// Audits what needs all pages to have been read.
    fn audit_site(&self, audited: &mut AuditReport, collector: &mut Collector<'_, '_>) {
        if !audited.is_stopped {
            let Recheck { verdicts, again } = recheck(self);
            if !again.is_empty() {
                let is_selected = |page| again.contains(page);
                let pass = Pass::Recheck(&verdicts);
                self.audit_pages(is_selected, pass, audited, collector);
            }
        }
        for check in checks::SITE.iter().copied().flatten() {
            check(self, collector);
        }
    }

    /// Audits every selected page, style sheet and XML document, until the findings suffice for a
    /// round of fixes.
    fn audit_pages(
        &self,
        is_selected: impl Fn(Requesters) -> bool + Sync,
        pass: Pass<'_>,
        audited: &mut AuditReport,
        collector: &mut Collector<'_, '_>,
    ) {
        let pages = self.files.len();
        let selected: Vec<usize> =
            (0..pages).filter(|&page| is_selected(Requesters::one(page, pages))).collect();
        let audit_one = |buffers: &mut FileBuffers, page: usize, turn: Turn| {
            let requester = Requesters::one(page, pages);
            self.audit_file(buffers, self.files[page], PageReading { pass, requester, turn })
        };
        let mut own_buffers = FileBuffers::default();
        self.workers.map_ahead(
            selected.len(),
            collector.ahead(),
            |buffers, number| {
                if self.monitor.is_stopped() {
                    return PageResult::default();
                }
                audit_one(buffers, selected[number], Turn::Parallel)
            },
            |numbers, results| {
                audited.is_stopped = self.monitor.is_stopped();
                for (number, PageResult { mut findings, links }) in numbers.zip(results) {
                    if findings.is_deferred() {
                        findings =
                            audit_one(&mut own_buffers, selected[number], Turn::Alone).findings;
                    }
                    collector.add_page(findings);
                    if matches!(pass, Pass::Read) {
                        audited.by_scope.append(links);
                    }
                }
                if collector.ends_round() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
    }
}

/// Files that are read at a time.
const WINDOW: usize = 64;

/// The problems of targets, and the pages with links to them.
fn recheck(context: &AuditContext<'_>) -> Recheck {
    read_the_rest(context);
    let mut recheck = Recheck::default();
    checks::RECHECKS.iter().copied().flatten().for_each(|check| check(context, &mut recheck));
    recheck
}

/// Reads the pages with requested anchors that the audit does not cover, and those that they
/// redirect to.
fn read_the_rest(context: &AuditContext<'_>) {
    let mut files = context.state.requests.files();
    files.extend(context.state.redirecting().filter_map(|(_, refresh)| refresh.to));
    let mut tried = vec![false; context.site.files().len()];
    loop {
        files.retain(|&file| {
            let is_new = context.state.has_anchors(file)
                && context.state.anchors(file).is_none()
                && !context.site.is_document(file)
                && !tried[file];
            tried[file] = true;
            is_new
        });
        if files.is_empty() {
            return;
        }
        context.workers.map_ordered(
            files.len(),
            WINDOW,
            |file_buffers, number| {
                if context.monitor.is_stopped() {
                    return;
                }
                let requester = Requesters::NONE;
                let reading = PageReading { pass: Pass::Read, requester, turn: Turn::Alone };
                context.audit_file(file_buffers, files[number], reading);
            },
            |_, _| ControlFlow::Continue(()),
        );
        files = files
            .iter()
            .filter_map(|&file| context.state.refresh(file).and_then(|refresh| refresh.to))
            .collect();
    }
}
