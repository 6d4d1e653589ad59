//! `absolve audit`: whether the links of a site tree lead somewhere.

mod baseline;
mod excerpt;
mod fingerprint;
mod format;
mod github;
mod groups;
mod json;
mod junit;
mod markdown;
mod output;
mod recognition;
mod report;
mod rules;
#[cfg(test)]
mod sample;
mod sarif;
mod setup;
mod text;
mod tsv;

use std::path::Path;

use absolve::audit::{AuditReport, Finding, Level};
use absolve::batch::Jobs;

use crate::Status;
use crate::args::AuditArgs;
use crate::config::{self, Settings};
use crate::failure::Failure;
use crate::output::{Messages, Output};
use crate::progress::{Progress, Results};
use crate::signals::{SecondSignal, Signals};
use baseline::Comparison;
use output::Reports;
use report::{Checked, Context, Detail};
use setup::{Folders, Setup};

pub(crate) use format::{FormatArg, FormatParser};

pub(crate) fn run(args: &AuditArgs, output: Output) -> Result<Status, Failure> {
    if args.looking.list_rules {
        return rules::list();
    }
    if let Some(rule) = args.looking.explain {
        return rules::explain(rule);
    }
    let settings = Settings::<AuditArgs>::new(&args.config, args.dir.as_slice())?;
    settings.check(settings.args.reading.check())?;
    if args.config.print_config {
        return config::print(&settings);
    }
    if let Some(file) = &settings.file {
        output.messages.detail(format_args!("settings from {}", report::shown(file)));
    }
    check(&settings, output)
}

fn check(settings: &Settings<AuditArgs>, output: Output) -> Result<Status, Failure> {
    let args = &settings.args;
    let reporting = &args.reporting;
    let reports = Reports::new(&reporting.format, settings.confined("format"))?;
    // What is wrong with it is told before the work.
    let folders = Folders::new(args)?;
    let baseline = output::baseline(reporting, folders.root)?;
    let setup = Setup::new(args, &folders)?;
    let failed = |error: &dyn std::fmt::Display| Failure::Message(error.to_string());
    let jobs = Jobs::new(args.pages.jobs).map_err(|error| failed(&error))?;

    let signals = Signals::watch(if reporting.write_baseline || reports.have_files() {
        SecondSignal::Ignored
    } else {
        SecondSignal::Ends
    });
    let progress = match setup.files() {
        Some(files) => Progress::new(files, output, Results::Afterwards, &signals),
        None => Progress::of_one(output, &signals),
    };
    let mut comparison = baseline.map(|baseline| baseline.compare(folders.root));
    let audited = audit(&setup, &jobs, &progress, comparison.as_mut());
    progress.finish();
    if let Some(signal) = signals.received() {
        let what = "interrupted: the audit is incomplete, no report was written";
        Messages::error(what);
        return Ok(Status::Signal(signal));
    }

    let settled = comparison.map(|all| all.settle(|file: &Path| setup.is_reported(file)));
    let known = settled.as_ref().map_or(0, |settled| settled.known);
    let is_empty = audited.pages == 0 && audited.findings.is_empty() && known == 0;
    if let (true, Some(dir)) = (is_empty && !args.pages.allow_empty, &args.dir) {
        let what = "there is no page in it; give --allow-empty if that may be";
        return Err(Failure::of(&report::shown(dir), what));
    }

    if let (true, Some(file)) = (reporting.write_baseline, &reporting.baseline) {
        let own_folder = settings.confined("baseline");
        output::write_baseline(file, own_folder, &audited, folders.root)?;
        let found = report::counted(audited.findings.len() as u64, "finding");
        output.messages.warning(format_args!("{}: {found} written", report::shown(file)));
        return Ok(Status::Done);
    }
    let findings = &audited.findings;
    let context = Context {
        colour: output.colour(),
        source: &|path: &Path| setup.site.read(path),
        encoding: args.reading.encoding(),
        fail_on: reporting.fail_on(),
        checked: Checked {
            pages: audited.pages,
            links: audited.links,
            unlisted: &audited.unlisted,
            unsearched: audited.unsearched,
        },
        settled: settled.as_ref(),
        detail: if output.messages.are_quiet() { Detail::Errors } else { Detail::Full },
    };
    reports.write(findings, &context)?;
    report_omissions(&setup, &reports, findings, &context, output);
    let worst = findings.iter().map(|finding| finding.level).max();
    let worst = worst.max(context.checked.worst_unlisted());
    let fails = context.fail_on.zip(worst).is_some_and(|(least, worst)| worst >= least);
    Ok(if fails { Status::Found } else { Status::Done })
}

/// Audits the site, without the findings that are known; no finding shows a password.
fn audit(
    setup: &Setup,
    jobs: &Jobs,
    progress: &Progress<'_>,
    comparison: Option<&mut Comparison<'_>>,
) -> AuditReport {
    let mut audited = match comparison {
        None => setup.audit.run(&setup.site, jobs, progress),
        Some(comparison) => {
            let is_known = &mut |finding: &Finding| {
                let mut masked = finding.clone();
                report::mask(&mut masked);
                comparison.is_known(&masked)
            };
            setup.audit.run_without(&setup.site, jobs, progress, is_known)
        }
    };
    audited.findings.iter_mut().for_each(report::mask);
    audited
}

/// Says on stderr what the reports do not say: the summary where all are files, and what was not
/// audited or is not listed.
fn report_omissions(
    setup: &Setup,
    reports: &Reports<'_>,
    findings: &[Finding],
    context: &Context<'_>,
    output: Output,
) {
    let behind = setup.site.behind_links();
    if behind > 0 {
        output.messages.warning(format_args!(
            "{} behind symbolic links not audited, --follow-symlinks audits them too",
            report::counted(behind, "page")
        ));
    }
    if reports.are_all_files() {
        output.messages.warning(report::summary(findings, context.checked));
    }
    if let Some(text) = context.checked.not_listed(Level::Note).filter(|_| !reports.have_text()) {
        output.messages.warning(text);
    }
}
