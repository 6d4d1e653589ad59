//! Audits a site, and compares it with a baseline.

mod paths;
mod setup;

use std::io;
use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve_archive::jobs::Workers;
use absolve_files::Monitor;
use absolve_site::report::display::{counted, printable_path};
use absolve_site::report::{About, Baseline, BaselineDiff, Comparison, Context, InvalidBaseline};
use absolve_site::{AuditReport, Finding, Level, Safety, Sources};
use encoding_rs::Encoding;
use paths::{Folders, path_in_repository};

use crate::args::{AuditArgs, ReportingArgs};
use crate::session::failure::{Failure, reason};

pub use setup::{Setup, find_unread_redirects};

/// A site that is ready to be audited.
pub struct AuditJob {
    pub setup: Setup,
    /// The Markdown files that the pages are built from.
    pub sources: Option<Sources>,
    pub workers: Workers,
    baseline: Option<Baseline>,
    pub facts: AuditFacts,
}

/// The facts that reports need besides the findings.
pub struct AuditFacts {
    /// The folder that is served.
    pub root: PathBuf,
    /// The path of the root in its repository, for reports.
    root_in_repository: PathBuf,
    /// The folder of `--sources`, and its path in its repository.
    sources: Option<(PathBuf, PathBuf)>,
    /// The folder of the site, as it was typed.
    site: Option<String>,
    encoding: Option<&'static Encoding>,
    fail_on: Option<Level>,
    base_url: Option<String>,
    server: &'static str,
    /// The version of the site, and the date of the run, for the report page.
    pub revision: Option<String>,
    pub date: Option<String>,
}

/// The purpose of an audit, which limits its findings.
#[derive(Clone, Copy)]
pub enum AuditFor {
    Report,
    /// Findings with a fix of this certainty, without the limit on the findings of reports.
    Fixes(Safety),
}

impl AuditJob {
    /// Reads the sources, the baseline and the list of files, but no page. Calls `report_sources`
    /// with the sources before it walks the site.
    pub fn new(args: &AuditArgs, report_sources: impl FnOnce(&Sources)) -> Result<Self, Failure> {
        let folders = Folders::new(args)?;
        let reporting = &args.reporting;
        let baseline = read_baseline(reporting, folders.root)?;
        let workers = Workers::new(args.pages.jobs);
        let sources = reporting.sources.as_deref().map(|folder| {
            let read = Sources::read(folder, &workers);
            read.map_err(|why| Failure::new(&printable_path(folder), why))
        });
        let sources = sources.transpose()?;
        if let Some(sources) = &sources {
            report_sources(sources);
        }
        // Fixes change only pages, so `--report-only` selects no sources for them.
        let listed = sources.as_ref().filter(|_| !args.fixing.fix);
        let setup = Setup::new(args, &folders, listed)?;
        let with_repository_path = |folder: &Path| (folder.to_owned(), path_in_repository(folder));
        let facts = AuditFacts {
            root: folders.root.to_owned(),
            root_in_repository: path_in_repository(folders.root),
            sources: reporting.sources.as_deref().map(with_repository_path),
            site: args.paths.first().map(|path| path.to_string_lossy().into_owned()),
            encoding: args.reading.encoding(),
            fail_on: reporting.fail_on,
            base_url: args.serving.base_url.as_ref().map(|base| base.as_str().to_owned()),
            server: args.serving.server.name(),
            revision: None,
            date: None,
        };
        Ok(Self { setup, sources, workers, baseline, facts })
    }

    /// Begins a comparison with the baseline, if there is one.
    pub fn comparison(&self) -> Option<Comparison<'_>> {
        self.baseline.clone().map(|baseline| baseline.compare(&self.facts.root))
    }

    /// Audits the site, without the findings that the comparison knows.
    pub fn audit(
        &self,
        monitor: &dyn Monitor,
        purpose: AuditFor,
        comparison: Option<&mut Comparison<'_>>,
    ) -> AuditReport {
        let Self { setup: Setup { audit, site, .. }, workers, .. } = self;
        let mut is_known =
            comparison.map(|comparison| |finding: &Finding| comparison.is_known(finding));
        let is_known =
            is_known.as_mut().map(|is_known| -> &mut dyn FnMut(&Finding) -> bool { is_known });
        match (purpose, is_known) {
            (AuditFor::Report, None) => audit.run(site, workers, monitor),
            (AuditFor::Report, Some(is_known)) => {
                audit.run_without(site, workers, monitor, is_known)
            }
            (AuditFor::Fixes(safety), is_known) => {
                audit.run_for_fixes(site, workers, monitor, safety, is_known)
            }
        }
    }

    /// Finds the sources of findings.
    pub fn locate(&self, findings: &mut [Finding]) {
        if let Some(sources) = &self.sources {
            sources.locate(findings, &self.setup.site, self.facts.encoding, &self.workers);
        }
    }

    /// Finds the sources of findings, and keeps the findings that are reported.
    pub fn select(&self, findings: &mut Vec<Finding>) {
        self.locate(findings);
        self.setup.retain_reported(findings);
    }

    /// Returns the changes since the baseline.
    pub fn diff(&self, comparison: Option<Comparison<'_>>) -> Option<BaselineDiff> {
        comparison.map(|comparison| comparison.finish(|file: &Path| self.setup.is_reported(file)))
    }
}

impl AuditFacts {
    /// Returns the context of reports on an audit.
    pub fn context<'a>(
        &'a self,
        report: &'a AuditReport,
        diff: Option<&'a BaselineDiff>,
    ) -> Context<'a> {
        let context = match &self.sources {
            Some((folder, path)) => Context::new(report).sources(folder, path),
            None => Context::new(report),
        };
        context
            .repository(&self.root, &self.root_in_repository)
            .site(self.site.as_deref())
            .about(About {
                base_url: self.base_url.as_deref(),
                server: Some(self.server),
                revision: self.revision.as_deref(),
                date: self.date.as_deref(),
            })
            .encoding(self.encoding)
            .fail_on(self.fail_on)
            .baseline(diff)
    }
}

/// Maximum size of a baseline, in bytes.
const MAX_BASELINE_BYTES: u64 = 1 << 30;

/// The template of a problem with the baseline, and the advice.
const WRITE_ANEW: &str = "{}; {write-baseline} writes it anew";

/// Reads the baseline of `--baseline` for a site with this root.
fn read_baseline(args: &ReportingArgs, root: &Path) -> Result<Option<Baseline>, Failure> {
    let Some(file) = &args.baseline else {
        let problem = "--write-baseline needs a file to write to; give it with --baseline FILE";
        let refused = Err(Failure::message(problem));
        return if args.write_baseline { refused } else { Ok(None) };
    };
    if args.write_baseline {
        let problem =
            "--write-baseline would forget what is in other files; leave out --report-only";
        let refused = Err(Failure::message(problem));
        return if args.report_only.is_empty() { Ok(None) } else { refused };
    }
    let name = printable_path(file);
    // The baseline is trusted and has one line per finding, so it may be large.
    let bytes = absolve_files::read_file(file, MAX_BASELINE_BYTES).map_err(|error| {
        let problem = Diagnosis::from_words("cannot read: {}", &[&reason(&error)]);
        Failure::new(&name, Diagnosis::from_words(WRITE_ANEW, &[&problem]))
    })?;
    let baseline = Baseline::read(&bytes, root);
    let wrong = |why: InvalidBaseline| {
        Failure::new(&name, Diagnosis::from_words(WRITE_ANEW, &[&why.to_string()]))
    };
    baseline.map(Some).map_err(wrong)
}

/// Writes the findings as the baseline of later audits of a site with this root.
pub fn write_baseline(file: &Path, audited: &AuditReport, root: &Path) -> Result<(), Failure> {
    let findings = &audited.findings;
    if !audited.unlisted.is_empty() {
        let count: u64 = audited.unlisted.iter().map(|unlisted| unlisted.count).sum();
        let words = "not written: {} more than there is room for; raise {limit findings=N} and \
                     {limit findings-size=SIZE} (0 = no limit)";
        let problem = Diagnosis::from_words(words, &[&counted(count, "finding")]);
        return Err(Failure::new(&printable_path(file), problem));
    }
    let mut bytes = Vec::new();
    let written = Baseline::from_findings(findings, root).write(&mut bytes);
    written.map_err(|error| write_failure(file, &error))?;
    absolve_files::write(file, &bytes).map_err(|error| write_failure(file, &error))
}

/// Creates the failure to write a file of a report.
pub fn write_failure(file: &Path, error: &io::Error) -> Failure {
    let problem = format!("cannot write: {}; nothing was written", reason(error));
    Failure::new(&printable_path(file), problem)
}
