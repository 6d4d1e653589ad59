//! `absolve audit`: checks the links of a site.

mod history;
mod reports;
mod rules;
mod setup;
mod sources;

use std::path::Path;

use absolve::audit::{AuditReport, Finding};
use absolve::batch::Workers;
use absolve::report::display::counted;
use absolve::report::{self, BaselineDiff, Comparison, Context, Detail};

use crate::args::AuditArgs;
use crate::session::config::{Settings, with_settings};
use crate::session::failure::Failure;
use crate::session::output::Output;
use crate::session::progress::{Progress, Results};
use crate::session::signals::{SecondSignal, Signals};
use crate::session::status::Status;
use crate::terminal::{Messages, printable_path};
use history::RunHistory;
use reports::Reports;
use setup::{Folders, Setup};

pub(crate) fn run(args: &AuditArgs, output: Output) -> Result<Status, Failure> {
    if args.checks.list_rules {
        return rules::list();
    }
    if let Some(rule) = args.checks.explain {
        return rules::explain(rule);
    }
    with_settings(&args.config, args.dir.as_slice(), output.messages, |settings| {
        check(settings, output)
    })
}

fn check(settings: &Settings<AuditArgs>, output: Output) -> Result<Status, Failure> {
    let args = &settings.args;
    let reporting = &args.reporting;
    let reports = Reports::new(&reporting.format, settings.confined("format"))?;
    // Errors in the arguments are reported before the audit.
    let folders = Folders::new(args)?;
    let baseline = reports::baseline(reporting, folders.root)?;
    let mut history = RunHistory::read(reporting, settings.confined("history"))?;
    let setup = Setup::new(args, &folders)?;
    let workers = Workers::new(args.pages.jobs).map_err(Failure::message)?;
    let sources = sources::read(reporting.sources.as_deref(), &workers, output)?;

    let signals =
        Signals::watch(if reporting.write_baseline || history.is_some() || reports.have_files() {
            SecondSignal::Ignored
        } else {
            SecondSignal::Ends
        });
    let progress = match setup.files() {
        Some(files) => Progress::new(files, output, Results::Afterwards, &signals),
        None => Progress::of_one(output, &signals),
    };
    let mut comparison = baseline.map(|baseline| baseline.compare(folders.root));
    let mut audited = audit(&setup, &workers, &progress, comparison.as_mut());
    progress.finish();
    if let Some(signal) = signals.received() {
        Messages::error("interrupted: the audit is incomplete, no report was written");
        return Ok(Status::Signal(signal));
    }

    sources::locate(sources.as_ref(), &mut audited, &setup, args.reading.encoding(), &workers);
    audited.findings.iter_mut().for_each(report::mask_passwords);
    let diff = comparison.map(|all| all.finish(|file: &Path| setup.is_reported(file)));
    let known = diff.as_ref().map_or(0, BaselineDiff::known);
    let is_empty = audited.pages == 0 && audited.findings.is_empty() && known == 0;
    if let (true, Some(dir)) = (is_empty && !args.pages.allow_empty, &args.dir) {
        let what = "there is no page in it; give --allow-empty if that may be";
        return Err(Failure::of(&printable_path(dir), what));
    }

    let appended =
        history.as_mut().map_or(Ok(()), |history| history.append(&audited, diff.as_ref()));
    if let (true, Some(file)) = (reporting.write_baseline, &reporting.baseline) {
        let own_folder = settings.confined("baseline");
        reports::write_baseline(file, own_folder, &audited, folders.root)?;
        let found = counted(audited.findings.len() as u64, "finding");
        output.messages.warning(format_args!("{}: {found} written", printable_path(file)));
        return appended.map(|()| Status::Done);
    }
    let findings = &audited.findings;
    let read = |path: &Path| setup.site.read(path);
    let detail = if output.messages.are_quiet() { Detail::Errors } else { Detail::Full };
    let site = args.dir.as_deref().map(Path::to_string_lossy);
    let below = folders.in_repository();
    let context = Context::new(&audited)
        .repository(folders.root, &below)
        .site(site.as_deref())
        .history(history.as_ref().map(RunHistory::runs))
        .color(output.color)
        .source(&read)
        .encoding(args.reading.encoding())
        .fail_on(reporting.fail_on)
        .baseline(diff.as_ref())
        .detail(detail);
    reports.write(findings, &context).and(appended)?;
    report_omissions(&setup, &reports, findings, &context, output);
    Ok(if context.fails(findings) { Status::Found } else { Status::Done })
}

/// Audits the site without the known findings.
fn audit(
    setup: &Setup,
    workers: &Workers,
    progress: &Progress<'_>,
    comparison: Option<&mut Comparison<'_>>,
) -> AuditReport {
    match comparison {
        None => setup.audit.run(&setup.site, workers, progress),
        Some(comparison) => {
            let is_known = &mut |finding: &Finding| {
                let mut masked = finding.clone();
                report::mask_passwords(&mut masked);
                comparison.is_known(&masked)
            };
            setup.audit.run_without(&setup.site, workers, progress, is_known)
        }
    }
}

/// Prints on stderr what the reports leave out: the summary if all are files, and what was not
/// audited or is not listed.
fn report_omissions(
    setup: &Setup,
    reports: &Reports<'_>,
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
    if reports.are_all_files() {
        output.messages.warning(context.summary(findings));
    }
    let remarks = [context.not_listed(), context.base_url_hint()].into_iter().flatten();
    for text in remarks.filter(|_| !reports.have_text()) {
        output.messages.warning(text);
    }
}
