//! `absolve audit`: checks the links of a site, writes reports, and applies fixes.

mod fix;
mod reports;
mod rules;

use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve::internal::typed;
use absolve_site::report::display::counted;
use absolve_site::report::{BaselineDiff, Context, Detail};
use absolve_site::{AuditReport, Finding, Rule, Sources};
use fix::{AppliedFixes, LastAudit, SiteAudits};
use reports::{Reports, RunHistory};

use crate::args::{AuditArgs, CommandLine};
use crate::run::audit::{AuditJob, Setup, find_unread_redirects, write_baseline};
use crate::session::config::{Settings, run_with_settings};
use crate::session::failure::{Failure, Status};
use crate::session::output::Output;
use crate::session::progress::{Progress, ResultTime};
use crate::session::signals::{SecondSignal, Signals};
use crate::terminal::{Messages, printable_path, stdout_columns};

/// Explains a rule, or audits the site with the settings of the command line and the configuration.
pub fn run(args: AuditArgs, line: CommandLine, output: Output) -> Result<Status, Failure> {
    if let Some(selection) = args.checks.explain {
        return rules::explain(selection);
    }
    run_with_settings(args, line, output.messages, |settings| run_audit(settings, output))
}

fn run_audit(settings: &Settings<AuditArgs>, output: Output) -> Result<Status, Failure> {
    let args = &settings.args;
    let reporting = &args.reporting;
    let reports = Reports::new(reporting)?;
    // All arguments are checked before the audit begins.
    if args.fixing.diff && !args.fixing.fix {
        return Err(Failure::message("--diff shows what --fix would write; give --fix too"));
    }
    if args.fixing.writes_files() {
        check_fix_selection(settings)?;
    }
    let history = RunHistory::read(reporting)?;
    let mut job = AuditJob::new(args, |sources| report_unread(sources, output))?;
    report_skipped(&job.setup.unreported, output);

    let writes =
        reporting.write_baseline || args.fixing.fix || history.is_some() || reports.have_files();
    let signals = Signals::watch(if writes { SecondSignal::Ignored } else { SecondSignal::Ends });
    let progress = Progress::new(job.setup.files(), output, ResultTime::AfterRun, &signals);
    let mut applied = AppliedFixes::default();
    let audits = SiteAudits { args, job: &job, progress: &progress, signals: &signals };
    let LastAudit { mut audited, comparison, fixable } = audits.run(&mut applied);
    progress.finish();
    if let Some(signal) = signals.received() {
        Messages::error("interrupted: the audit is incomplete, no report was written");
        applied.report_interrupted();
        return Ok(Status::Signal(signal));
    }
    job.select(&mut audited.findings);
    if job.setup.selects_sources() && !audited.unlisted.is_empty() {
        let problem = "the site has more findings than the limits allow to list, so that those of \
                       the sources of --report-only are not all known; raise --limit findings and \
                       --limit findings-size";
        return Err(Failure::message(problem));
    }
    audited.findings.iter_mut().chain(&mut applied.findings).for_each(spell_options);
    let diff = job.diff(comparison);
    let fixable = fixable.map(|fixable| fixable.findings);
    (job.facts.revision, job.facts.date) = reports.about();
    let run = CompletedAudit { settings, job: &job, reports: &reports, output, fixable };
    let status = run.conclude(&audited, diff.as_ref(), &applied, history);
    // The process ends soon: freeing the findings and the tree would take 3 of the 110 ms of
    // python3.11-doc.
    std::mem::forget((audited, job));
    status
}

/// The last audit of a run that was not interrupted, and the reports to write.
struct CompletedAudit<'a> {
    settings: &'a Settings<AuditArgs>,
    job: &'a AuditJob,
    reports: &'a Reports,
    output: Output,
    /// All findings with a fix, if the report does not list all findings.
    fixable: Option<Vec<Finding>>,
}

impl CompletedAudit<'_> {
    /// Warns of a redirects file that the server does not read, but whose rules would answer broken
    /// links.
    fn report_unread_redirects(&self, findings: &[Finding]) {
        let (site, root) = (&self.job.setup.site, &self.job.facts.root);
        let AuditArgs { serving, reading, .. } = &self.settings.args;
        let limits = &reading.limits.documents;
        if let Some((file, links)) = find_unread_redirects(serving, limits, site, root, findings) {
            let (file, links) = (printable_path(&file), counted(links, "broken link"));
            let effect = format!("not read; with --server netlify, its rules answer {links}");
            self.output.messages.warning(format_args!("{file}: {effect}"));
        }
    }

    /// Writes the baseline, the diff or the reports, and returns the exit code.
    fn conclude(
        &self,
        audited: &AuditReport,
        diff: Option<&BaselineDiff>,
        applied: &AppliedFixes,
        mut history: Option<RunHistory>,
    ) -> Result<Status, Failure> {
        let &Self { settings, job, reports, output, .. } = self;
        let AuditJob { setup, facts, .. } = job;
        let (args, reporting) = (&settings.args, &settings.args.reporting);
        self.check_empty(audited, diff)?;
        let findings = &audited.findings;
        if args.fixing.diff {
            let fixable = self.fixable.as_ref().unwrap_or(findings);
            let fixable = fix::print_diff(args, setup, fixable, output)?;
            return Ok(Status::new(false, fixable > 0));
        }
        let appended = history.as_mut().map_or(Ok(()), |history| history.append(audited, diff));
        if let (true, Some(file)) = (reporting.write_baseline, &reporting.baseline) {
            write_baseline(file, audited, &facts.root)?;
            let count = counted(findings.len() as u64, "finding");
            output.messages.warning(format_args!("{}: {count} written", printable_path(file)));
            appended?;
            return Ok(Status::new(applied.has_failed(), applied.has_more()));
        }
        let read = |path: &Path| setup.site.read(path);
        let detail = if output.messages.are_quiet() { Detail::Errors } else { Detail::Full };
        let mut context = facts
            .context(audited, diff)
            .history(history.as_ref().map(RunHistory::runs))
            .source_url(reporting.source_url.as_ref())
            .color(output.color)
            .width(stdout_columns())
            .source(&read)
            .detail(detail);
        if args.fixing.fix {
            context = context.applied(&applied.findings).applied_unlisted(applied.unlisted);
        }
        reports.write(findings, &context).and(appended)?;
        report_omissions(setup, reports, findings, &context, output);
        self.report_unread_redirects(findings);
        report_unreadable(diff.map_or(&[], BaselineDiff::unreadable), output);
        if job.sources.is_some() {
            applied.report_sources(output);
        }
        let has_findings = applied.has_more() || context.fails(findings);
        Ok(Status::new(applied.has_failed(), has_findings))
    }

    /// Rejects an audit without pages, links and findings, unless `--allow-empty` is given.
    fn check_empty(
        &self,
        audited: &AuditReport,
        diff: Option<&BaselineDiff>,
    ) -> Result<(), Failure> {
        let args = &self.settings.args;
        let known = diff.map_or(0, BaselineDiff::known);
        let is_empty =
            audited.pages == 0 && audited.links == 0 && audited.findings.is_empty() && known == 0;
        if let (true, Some(dir)) = (is_empty && !args.pages.allow_empty, args.paths.first()) {
            let problem = "there is no page in it; give --allow-empty if that may be";
            return Err(Failure::new(&printable_path(dir), problem));
        }
        Ok(())
    }
}

/// Rejects a configuration found on disk that selects the files to fix.
fn check_fix_selection(settings: &Settings<AuditArgs>) -> Result<(), Failure> {
    let keys = ["path", "include", "follow-symlinks"];
    let Some(key) = keys.into_iter().find(|key| settings.confining_folder(key).is_some()) else {
        return Ok(());
    };
    Err(Failure::message(format_args!(
        "--fix writes only files that the command line chooses, and a configuration that was found \
         sets '{key}'; give it on the command line, or trust the file with --config"
    )))
}

/// Spells options of the command in the message about a file that cannot be read.
fn spell_options(finding: &mut Finding) {
    if finding.rule == Rule::Unreadable {
        finding.message = finding.problem().spelled(typed);
    }
}

/// Warns of files of `--sources` that are not searched.
fn report_unread(sources: &Sources, output: Output) {
    for (file, failure) in sources.unread() {
        output.messages.warning(Diagnosis::of(printable_path(file), failure));
    }
    if sources.is_truncated() {
        output.messages.warning(format_args!(
            "{}: there are more paragraphs than --sources keeps; some findings have no source",
            printable_path(sources.folder())
        ));
    }
}

/// Warns of names of `--report-only` that are neither files of the site nor sources.
fn report_skipped(names: &[PathBuf], output: Output) {
    if let [first, ..] = names {
        let (names, first) = (counted(names.len() as u64, "name"), printable_path(first));
        let skipped = format!("{names} of no file of the site skipped, first {first}");
        output.messages.warning(format_args!("--report-only: {skipped}"));
    }
}

/// Warns of documents that the baseline lists as not completely read.
fn report_unreadable(known: &[Finding], output: Output) {
    for finding in known {
        let name = format!("{}: in the baseline, and not checked", printable_path(&finding.file));
        output.messages.warning(Diagnosis::of(name, finding.problem()));
    }
}

/// Prints facts that reports on stdout leave out: the number of pages that were not audited, and
/// the totals.
fn report_omissions(
    setup: &Setup,
    reports: &Reports,
    findings: &[Finding],
    context: &Context<'_>,
    output: Output,
) {
    let skipped = setup.site.skipped_pages();
    if skipped > 0 {
        output.messages.warning(format_args!(
            "{} not audited because symbolic links lead there; --follow-symlinks audits them too",
            counted(skipped, "page")
        ));
    }
    if !reports.have_text() {
        context.remarks(findings).iter().for_each(|text| output.messages.warning(text));
        output.messages.warning(context.summary(findings));
    }
}
