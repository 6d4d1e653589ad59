//! `--fix`: applies the fixes of findings in rounds, each after an audit, or prints them as a diff.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use absolve::{Diagnosis, HasAdvice, Rewriter};
use absolve_archive::jobs::Workers;
use absolve_files::{
    Destination, Editor as _, FileOutcome, Monitor, OldFiles, Origins, Rewriting, RootPlace,
    RunStatus, Walk, WriteMode,
};
use absolve_site::report::Comparison;
use absolve_site::report::display::counted;
use absolve_site::{AuditReport, Finding, Fixes};

use crate::args::{AuditArgs, FixArgs};
use crate::command::diff;
use crate::run::audit::{AuditFor, AuditJob, Setup};
use crate::session::failure::{Failure, reason};
use crate::session::output::{Output, write_to_stdout};
use crate::session::signals::Signals;
use crate::terminal::{Messages, StdoutReader, printable_path};

/// The audits of a run: one for the report, and with `--fix` one for each round.
pub(super) struct SiteAudits<'a> {
    pub(super) args: &'a AuditArgs,
    pub(super) job: &'a AuditJob,
    pub(super) progress: &'a dyn Monitor,
    pub(super) signals: &'a Signals,
}

/// The last audit of a run.
pub(super) struct LastAudit<'a> {
    pub(super) audited: AuditReport,
    pub(super) comparison: Option<Comparison<'a>>,
    /// All findings with a fix, if the report does not list all findings.
    pub(super) fixable: Option<AuditReport>,
}

impl<'a> SiteAudits<'a> {
    /// Audits the site, and with `--fix` again after each round that wrote a file.
    pub(super) fn run(&self, applied: &mut AppliedFixes) -> LastAudit<'a> {
        let fixing = &self.args.fixing;
        let mut rounds = Rounds::new(fixing);
        let mut is_partial = false;
        loop {
            // After a round with a part of the findings, the next round needs no report.
            if is_partial {
                let mut audited =
                    self.audit(AuditFor::Fixes(fixing.safety()), &mut self.job.comparison());
                is_partial = !audited.unlisted.is_empty();
                let may_fix = rounds.begin(&audited) && !self.is_stopped();
                if may_fix && self.fix(applied, &mut audited) == RoundOutcome::Written {
                    continue;
                }
            }
            let mut comparison = self.job.comparison();
            let mut audited = self.audit(AuditFor::Report, &mut comparison);
            // A report may not list all findings. A second audit then keeps only those with a fix.
            let is_complete = audited.unlisted.is_empty() || !fixing.fix;
            let for_fixes = AuditFor::Fixes(fixing.safety());
            let mut fixable =
                (!is_complete).then(|| self.audit(for_fixes, &mut self.job.comparison()));
            let is_for_fixes = fixable.is_some();
            let last = fixable.as_mut().unwrap_or(&mut audited);
            is_partial = is_for_fixes && !last.unlisted.is_empty();
            let is_last = !rounds.begin(last) || self.is_stopped();
            if is_last || self.fix(applied, last) == RoundOutcome::Idle {
                applied.report_remaining(fixing, last);
                return LastAudit { audited, comparison, fixable };
            }
        }
    }

    fn audit(&self, purpose: AuditFor, comparison: &mut Option<Comparison<'_>>) -> AuditReport {
        self.job.audit(self.progress, purpose, comparison.as_mut())
    }

    fn fix(&self, applied: &mut AppliedFixes, audited: &mut AuditReport) -> RoundOutcome {
        // Paragraphs of the pages lead to their sources, so sources are found before pages change.
        if self.args.fixing.writes_files() {
            self.job.locate(&mut audited.findings);
        }
        applied.fix(self.args, self.job, &audited.findings, self.signals)
    }

    fn is_stopped(&self) -> bool {
        self.signals.received().is_some()
    }
}

/// Maximum rounds of a run with all findings. A fix may uncover another fault of the same link,
/// such as a missing anchor after the name of the page is corrected.
const MAX_ROUNDS: usize = 7;

/// Maximum rounds of a run whose limits allow only a part of the findings at once.
const MAX_PARTIAL_ROUNDS: usize = 100;

/// Maximum number of files that are fixed together; each keeps a folder open.
const MAX_TOGETHER: usize = 256;

/// The number of rounds that a run may still have.
struct Rounds {
    whole: usize,
    partial: usize,
}

impl Rounds {
    fn new(fixing: &FixArgs) -> Self {
        let whole = if fixing.writes_files() { MAX_ROUNDS } else { 0 };
        Self { whole, partial: MAX_PARTIAL_ROUNDS }
    }

    /// Uses up a round for fixing these findings; returns `false` if no round is left.
    fn begin(&mut self, audited: &AuditReport) -> bool {
        let is_partial = self.whole > 0 && !audited.unlisted.is_empty();
        let left = if is_partial { &mut self.partial } else { &mut self.whole };
        let remaining = left.checked_sub(1);
        *left = remaining.unwrap_or(0);
        remaining.is_some()
    }
}

/// Maximum number of fixed findings that a report lists.
const MAX_LISTED: usize = 50_000;

/// Maximum number of source lines that a message names.
const MAX_SOURCE_LINES: usize = 10;

/// The fixes of all rounds.
#[derive(Default)]
pub(super) struct AppliedFixes {
    /// The first findings whose fixes were written, in the order of the rounds.
    pub(super) findings: Vec<Finding>,
    /// The number of further findings whose fixes were written.
    pub(super) unlisted: u64,
    /// The files that an earlier round wrote.
    written: HashSet<PathBuf>,
    failed: HashSet<PathBuf>,
    /// The number of findings with a fix for which no round was left.
    remaining: u64,
}

/// The outcome of a round.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RoundOutcome {
    /// Files were written. Another audit finds the remaining findings.
    Written,
    /// There is nothing to write.
    Idle,
}

impl AppliedFixes {
    /// Returns the number of findings whose fixes were written.
    fn count(&self) -> u64 {
        self.findings.len() as u64 + self.unlisted
    }

    /// Whether a file with a fix could not be written.
    pub(super) fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Whether findings with a fix remain because no round was left.
    pub(super) fn has_more(&self) -> bool {
        self.remaining > 0
    }

    /// Prints the number of findings with a fix that no round applied.
    fn report_remaining(&mut self, fixing: &FixArgs, last: &AuditReport) {
        if !fixing.writes_files() {
            return;
        }
        let is_left = |finding: &&Finding| {
            let fix = finding.fix.as_ref().filter(|fix| fix.safety <= fixing.safety());
            fix.is_some() && !self.failed.contains(&finding.file)
        };
        self.remaining = last.findings.iter().filter(is_left).count() as u64;
        let remaining = counted(self.remaining, "finding");
        if !last.unlisted.is_empty() {
            Messages::error(format_args!(
                "not fixed: {remaining}, and others that --limit findings-size leaves no memory \
                 for; raise it, or run --fix again"
            ));
        } else if self.remaining > 0 {
            Messages::error(format_args!("not fixed: {remaining}; run --fix again"));
        }
    }

    /// Prints the number of fixes that an interrupted run wrote.
    pub(super) fn report_interrupted(&self) {
        if self.count() > 0 {
            let fixed = counted(self.count(), "finding");
            Messages::error(format_args!("interrupted: {fixed} fixed before"));
        }
    }

    /// Names the known sources of the fixed findings: the next build creates the faults again.
    pub(super) fn report_sources(&self, output: Output) {
        if self.count() == 0 {
            return;
        }
        let sources = self.findings.iter().filter_map(|finding| finding.source.as_ref());
        let mut sources: Vec<_> = sources.map(|source| (&*source.file, source.line)).collect();
        sources.sort_unstable();
        sources.dedup();
        let shown = sources.iter().take(MAX_SOURCE_LINES);
        let mut shown: Vec<String> =
            shown.map(|(file, line)| format!("{}:{line}", printable_path(file))).collect();
        if let Some(more) = sources.len().checked_sub(MAX_SOURCE_LINES).filter(|more| *more > 0) {
            shown.push(format!("{} more", counted(more as u64, "line")));
        }
        let unknown = self.findings.iter().filter(|finding| finding.source.is_none()).count();
        let unknown = unknown as u64 + self.unlisted;
        let undone = "built pages were changed, and the next build undoes that".to_owned();
        let known = (!shown.is_empty()).then(|| format!("correct {}", shown.join(", ")));
        let unknown = (unknown > 0).then(|| counted(unknown, "finding"));
        let unknown = unknown.map(|fixed| format!("no line of --sources is known for {fixed}"));
        let parts: Vec<_> = [Some(undone), known, unknown].into_iter().flatten().collect();
        output.messages.warning(parts.join("; "));
    }

    /// Applies the fixes of an audit in one round.
    fn fix(
        &mut self,
        args: &AuditArgs,
        job: &AuditJob,
        findings: &[Finding],
        signals: &Signals,
    ) -> RoundOutcome {
        let AuditJob { setup, workers, .. } = job;
        setup.site.remove_leftovers();
        let fixes = Fixes::new(&setup.audit, &setup.site, findings, args.fixing.safety());
        let paths = fixes.files().filter(|file| !self.failed.contains(*file));
        // `--backup` keeps the version before the first round.
        let (rewritten, first): (Vec<&Path>, Vec<&Path>) =
            paths.partition(|file| self.written.contains(*file));
        let before = self.count();
        let old_files = &args.fixing.old_files.0;
        for (paths, old_files) in [(first, old_files), (rewritten, &OldFiles::default())] {
            for paths in paths.chunks(MAX_TOGETHER) {
                self.write(args, &fixes, paths, old_files, workers, signals);
            }
        }
        if self.count() > before { RoundOutcome::Written } else { RoundOutcome::Idle }
    }

    /// Fixes some files in place, with the guarantees of `rewrite --write`.
    fn write(
        &mut self,
        args: &AuditArgs,
        fixes: &Fixes<'_>,
        paths: &[&Path],
        old_files: &OldFiles,
        workers: &Workers,
        signals: &Signals,
    ) {
        let mut walk = Walk::new(WriteMode::Replace).symlinks(args.pages.symlinks());
        for path in paths {
            walk.add(path, RootPlace::default());
        }
        let tree = walk.finish();
        let (rewriter, origins) = (Rewriter::new(), Origins::default());
        let rewriting = Rewriting::new(&rewriter, &origins, &Destination::InPlace);
        let status = rewriting.old_files(old_files.clone()).editor(fixes).run(
            &tree,
            workers,
            signals,
            &mut |item, report| {
                let path = tree.path(item);
                match report.outcome {
                    FileOutcome::Rewritten => {
                        let mut applied = fixes.findings(&path);
                        let free = MAX_LISTED - self.findings.len();
                        self.findings.extend(applied.by_ref().take(free).cloned());
                        self.unlisted += applied.count() as u64;
                        self.written.insert(path);
                    }
                    FileOutcome::Failed(failure) => self.fail(path, &failure),
                    FileOutcome::Skipped(skip) => self.fail(path, &skip),
                    _ => {}
                }
            },
        );
        if let RunStatus::Unflushed(failure) = status {
            Messages::error(failure);
        }
    }

    fn fail(&mut self, path: PathBuf, why: impl HasAdvice) {
        Messages::error(Diagnosis::of(format_args!("{}: not fixed", printable_path(&path)), why));
        self.failed.insert(path);
    }
}

/// Prints the fixes as a diff. Returns the number of findings that they fix.
pub(super) fn print_diff(
    args: &AuditArgs,
    setup: &Setup,
    findings: &[Finding],
    output: Output,
) -> Result<u64, Failure> {
    let fixes = Fixes::new(&setup.audit, &setup.site, findings, args.fixing.safety());
    let names = diff::DiffNames::new();
    let reader = StdoutReader::detect();
    let (mut changed, mut count) = (0_u64, 0_u64);
    for file in fixes.files() {
        let name = printable_path(file);
        let source =
            absolve_files::read(file, &args.reading.limits.documents).map_err(|error| {
                Failure::new(&name, format_args!("cannot read: {}", reason(&error)))
            })?;
        let edited = fixes.edit(file, &source).map_err(|failure| Failure::new(&name, failure))?;
        let Some(edited) = edited else { continue };
        let name = names.name(file);
        let diff = diff::unified_diff(name.as_os_str(), (&source, &edited), output.color, reader);
        write_to_stdout(|out| out.write_all(&diff))?;
        changed += 1;
        count += fixes.findings(file).count() as u64;
    }
    let (findings, changed) = (counted(count, "finding"), counted(changed, "file"));
    output.messages.warning(format_args!("would fix {findings} in {changed}"));
    Ok(count)
}
