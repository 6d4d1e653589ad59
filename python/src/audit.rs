//! The check of a site.

mod report;

use std::path::{Path, PathBuf};

use absolve_cli::args::AuditArgs;
use absolve_cli::args::functions::AUDIT;
use absolve_cli::run::audit::{AuditFor, AuditJob};
use absolve_cli::session::failure::Failure;
use absolve_cli::session::{date, revision};
use absolve_files::Monitor;
use absolve_site::Rule;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use report::{AuditReport, AuditSummary, Finding, Fix, SourceLine};

use crate::arguments::parse;
use crate::errors::{in_python, os_error};
use crate::options::{base_url, site_path};
use crate::progress::{Unit, Watch, watched};

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AuditReport>()?;
    module.add_class::<AuditSummary>()?;
    module.add_class::<Finding>()?;
    module.add_class::<Fix>()?;
    module.add_class::<SourceLine>()?;
    module.add_function(wrap_pyfunction!(audit, module)?)
}

#[doc = signature!("audit(path, base_url=None", * "progress=None", audit)]
/// Check the links of a built site, as `absolve audit` does.
///
/// `path` is the folder of the site, and `base_url` the URL that it is served at. Nothing is
/// fetched.
///
/// >>> import pathlib, tempfile
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (folder / "index.html").write_text("<a href=b.html>")
/// >>> report = audit(folder, "http://h/docs/", server="netlify")
/// >>> for finding in report.findings:
/// ...     print(finding.rule, finding.reference, finding.line)
/// broken-link b.html 1
/// >>> report.summary.errors, report.fails
/// (1, True)
/// >>> audit(folder, rule={"all": "off", "broken-link": "warn"}).summary.warnings
/// 1
///
/// `progress` is called with the number of pages that were read and the number of all, at most 20
/// times a second. An exception in it, and Ctrl-C, end the audit.
///
/// Raises `OSError` for a path that does not exist, and `Error` for a site or an option that
/// cannot be used. `extract` makes a folder of a web archive, which this function checks.
#[pyfunction]
#[pyo3(signature = (path, base_url=None, *, progress=None, **options), text_signature = None)]
fn audit(
    py: Python<'_>,
    #[pyo3(from_py_with = site_path)] path: PathBuf,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<AuditReport> {
    let own = base_url.map(|url| format!("--base-url={url}").into());
    let own = own.into_iter().collect();
    let args: AuditArgs = parse(&AUDIT, py, options, own, std::slice::from_ref(&path))?;
    if let Err(error) = py.detach(|| path.metadata()) {
        return Err(os_error(&path, &error));
    }
    watched(py, progress, Unit::Files, &path, |watch| check(&args, watch))
}

/// Audits a site, as the command does without reports.
fn check(args: &AuditArgs, watch: &Watch) -> Result<AuditReport, Failure> {
    args.reading.options.check()?;
    let mut job = AuditJob::new(args, |_| ())?;
    if let (Some(name), true) = (job.setup.unreported.first(), job.setup.reports_none()) {
        let what = "it is not in the site; report_only takes files of the site, and of sources";
        return Err(Failure::of(&name.to_string_lossy(), what));
    }
    watch.set_total(job.setup.files() as u64);
    let mut comparison = job.comparison();
    let mut report = job.audit(watch, AuditFor::Report, comparison.as_mut());
    if !watch.is_stopped() {
        watch.complete();
    }
    job.select(&mut report.findings);
    for finding in report.findings.iter_mut().filter(|one| one.rule == Rule::Unreadable) {
        finding.message = in_python(finding.problem());
    }
    let diff = job.diff(comparison);
    job.facts.revision = revision::of_folder(Path::new("."));
    job.facts.date = date::of_run().ok().map(date::text);
    Ok(AuditReport { report, diff, setup: job.setup, facts: job.facts })
}
