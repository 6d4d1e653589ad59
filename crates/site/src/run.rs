//! Runs an audit: reads every document, and then rereads those with links to faulty targets.

mod hints;
mod likely_base;

use std::ops::ControlFlow;

use absolve::encoding::{Detected, Lines};
use absolve::{Advice, Buffers, Rewriter, Syntax, detect};
use absolve_archive::Format;
use absolve_archive::jobs::Workers;
use absolve_files::{Failure, FileBuffers, Monitor};

use crate::checks::documents;
use crate::{
    Audit, AuditContext, AuditReport, Collector, Compact, DocumentFacts, Draft, Finding,
    FindingLimits, IsKnown, PageAuditor, PageReading, PageResult, Pass, ReadDocument, Recheck,
    Requesters, Safety, Selection, Site, Turn, checks, fixes, page,
};

impl Audit {
    /// Audits every page of a site.
    #[must_use]
    pub fn run(&self, site: &Site, workers: &Workers, monitor: &dyn Monitor) -> AuditReport {
        AuditContext::new(self, site, workers, monitor, Selection::All).run(None)
    }

    /// Audits every page, without the findings for which `is_known` returns true.
    ///
    /// `is_known` gets the findings in the order of files. Known findings are neither listed nor
    /// counted, and do not use up the limit on memory.
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
    /// [`FindingLimits::findings`] does not apply. [`FindingLimits::size`] applies to the findings
    /// with a fix: the audit ends when they exceed it, and [`AuditReport::unlisted`] shows that
    /// there are others. `is_known` works as in [`Audit::run_without`].
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
    /// Runs all passes and the checks of the site, until the monitor stops the audit.
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
        audited.findings = fixes::place_fixes(self, drafts);
        audited.unlisted = unlisted;
        audited.links = audited.by_scope.total();
        audited.likely_base = likely_base::guess(self, &from_root, audited.by_scope);
        audited.is_stopped = self.monitor.is_stopped();
        audited
    }

    /// Runs the recheck and the checks of the site, which need all pages to have been read.
    fn audit_site(&self, audited: &mut AuditReport, collector: &mut Collector<'_, '_>) {
        if !audited.is_stopped {
            let Recheck { problems, pages } = find_rechecks(self);
            if !pages.is_empty() {
                let is_selected = |page| pages.contains(page);
                let pass = Pass::Recheck(&problems);
                self.audit_pages(is_selected, pass, audited, collector);
            }
        }
        for check in checks::SITE.iter().copied().flatten() {
            check(self, collector);
        }
    }

    /// Audits the selected documents in parallel, and collects their findings in order. Stops early
    /// if the findings suffice for a round of fixes.
    fn audit_pages(
        &self,
        is_selected: impl Fn(Requesters) -> bool + Sync,
        pass: Pass<'_>,
        audited: &mut AuditReport,
        collector: &mut Collector<'_, '_>,
    ) {
        let pages = self.files.len();
        let selected: Vec<usize> =
            (0..pages).filter(|&page| is_selected(Requesters::from_page(page, pages))).collect();
        let audit = |buffers: &mut FileBuffers, page: usize, turn: Turn| {
            let requester = Requesters::from_page(page, pages);
            self.audit_file(buffers, self.files[page], PageReading { pass, requester, turn })
        };
        let mut own_buffers = FileBuffers::default();
        self.workers.map_ahead(
            selected.len(),
            collector.max_ahead(),
            |buffers, number| {
                if self.monitor.is_stopped() {
                    return PageResult::default();
                }
                audit(buffers, selected[number], Turn::Parallel)
            },
            |numbers, results| {
                audited.is_stopped = self.monitor.is_stopped();
                for (number, PageResult { mut findings, links }) in numbers.zip(results) {
                    if findings.is_deferred() {
                        // Earlier pages left no room for these findings; they are collected by now.
                        findings = audit(&mut own_buffers, selected[number], Turn::Alone).findings;
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

/// Maximum files that are read at a time.
const FILES_AT_A_TIME: usize = 64;

/// Finds the problems of targets after all pages have been read, and the pages to reread for them.
fn find_rechecks(context: &AuditContext<'_>) -> Recheck {
    read_missing_pages(context);
    let mut recheck = Recheck::default();
    checks::RECHECKS.iter().copied().flatten().for_each(|check| check(context, &mut recheck));
    recheck
}

/// Reads the pages with requested anchors that the audit does not cover, and the pages that they
/// redirect to, as a fragment also applies to the target of a redirect.
fn read_missing_pages(context: &AuditContext<'_>) {
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
            FILES_AT_A_TIME,
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

impl AuditContext<'_> {
    /// Reads and audits one file of the site.
    pub(crate) fn audit_file(
        &self,
        file_buffers: &mut FileBuffers,
        file: usize,
        reading: PageReading<'_>,
    ) -> PageResult {
        let read_result = self.site.read_into(file, file_buffers, &self.audit.limits());
        let (source, buffers) = file_buffers.parts();
        let _lock = absolve_archive::jobs::lock_if_large(source.len() as u64);
        let result = self.audit_page((file, source), read_result, buffers, reading);
        if matches!(reading.pass, Pass::Read) && reading.turn == Turn::Parallel {
            self.monitor.read(source.len() as u64);
        }
        result
    }

    /// Audits a document, or reports that it could not be read.
    fn audit_page(
        &self,
        (file, source): (usize, &[u8]),
        read_result: Result<(), Failure>,
        buffers: &mut Buffers,
        reading: PageReading<'_>,
    ) -> PageResult {
        let mut auditor = PageAuditor::start(self, file, reading);
        let detected =
            read_result.and_then(|()| self.audit_document(&mut auditor, source, buffers));
        if let (Err(failure), Pass::Read) = (&detected, reading.pass) {
            documents::report_unreadable(&mut auditor, failure);
        }
        let detected = detected.unwrap_or_else(|_| detect(source, self.audit.encoding()));
        auditor.into_result(source, detected)
    }

    /// Audits a document, and records the facts that other pages need. Fails if the content has
    /// another format, such as a PNG image named `.html`.
    fn audit_document(
        &self,
        auditor: &mut PageAuditor<'_>,
        source: &[u8],
        buffers: &mut Buffers,
    ) -> Result<Detected, Failure> {
        let file = auditor.number();
        let format = Format::from_name(&self.site.shown(file));
        let is_markdown = !Format::begins_page(source) && format.syntax() == Some(Syntax::Markdown);
        let by_name = is_markdown.then(|| format.noun());
        let foreign = Format::foreign(source).or(by_name);
        if let (Some(format), false) = (foreign, self.site.is_style(file)) {
            let why = format!("it is {format}, and no HTML; give it another name, or exclude it");
            return Err(Failure::new(why).advising(Advice::Set("{exclude}")));
        }
        let rewriter = self.audit.rewriter_for(file, self.site)?;
        let (detected, facts) = examine(auditor, source, &rewriter, buffers);
        if let Some(facts) = facts {
            self.state.record(file, facts);
        }
        Ok(detected)
    }
}

/// Audits a document with this rewriter. Returns the detected encoding and, in the first pass, the
/// facts that other pages need.
pub(crate) fn examine(
    auditor: &mut PageAuditor<'_>,
    document: &[u8],
    rewriter: &Rewriter,
    buffers: &mut Buffers,
) -> (Detected, Option<DocumentFacts>) {
    let is_first = matches!(auditor.pass, Pass::Read);
    let syntax = rewriter.settings().syntax;
    auditor.sink.syntax = syntax;
    let read = rewriter.inspect(document, buffers, auditor);
    let encoding =
        read.as_ref().map_or(rewriter.settings().encoding, |summary| Some(summary.encoding()));
    let detected = match syntax {
        Syntax::Html => detect(document, encoding),
        _ => rewriter.detect(document),
    };
    let is_read = match read {
        Ok(summary) => {
            auditor.facts.is_unreadable |= summary.is_unreadable() && syntax != Syntax::Css;
            if is_first {
                let summary = &summary;
                let mut read =
                    ReadDocument { source: document, syntax, summary, detected, rewriter, buffers };
                let checks = auditor.checks.documents.iter().copied().flatten();
                checks.for_each(|check| check(auditor, &mut read));
            }
            !auditor.facts.is_unreadable
        }
        Err(error) => {
            if is_first {
                (auditor.checks.failed)(auditor, error);
            }
            false
        }
    };
    let facts = is_first.then(|| {
        let has_anchors = is_read && syntax != Syntax::Css;
        let refresh = auditor.facts.refresh.take().filter(|_| has_anchors);
        // Browsers with scripts ignore a refresh in `noscript`, and all browsers one in `template`.
        let mut refresh = refresh.filter(|refresh| !is_hidden(&refresh.finding, document));
        if let Some(refresh) = &mut refresh {
            page::fill_position(&mut refresh.finding, &mut Lines::new(document, detected));
        }
        let facts = auditor.finish(refresh);
        DocumentFacts { anchors: facts.anchors.filter(|_| has_anchors), ..facts }
    });
    (detected, facts)
}

/// Whether a finding is inside `noscript` or `template`, judging by the last tags before it.
fn is_hidden(finding: &Finding, source: &[u8]) -> bool {
    let before = finding.span.as_ref().and_then(|span| source.get(..span.start));
    let before = before.unwrap_or_default().to_ascii_lowercase();
    ["noscript", "template"].iter().any(|name| {
        let find_last = |tag: String| memchr::memmem::rfind(&before, tag.as_bytes());
        find_last(format!("<{name}")) > find_last(format!("</{name}"))
    })
}
