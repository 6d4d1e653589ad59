//! Audits a site, and converts the report to objects of Python.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use absolve_cli::args::AuditArgs;
use absolve_cli::args::functions::AUDIT;
use absolve_cli::run::audit::{AuditFacts, AuditFor, AuditJob, Setup, write_baseline};
use absolve_cli::session::failure::Failure;
use absolve_cli::session::provenance;
use absolve_files::Monitor;
use absolve_site::report::{self, BaselineDiff, Context, Format};
use absolve_site::{Level, Rule, Safety};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::arguments::parse;
use crate::errors::{Error, from_failure, message_for_python, os_error};
use crate::options::{base_url, file_path, find_choice, read_text, site_path, try_path};
use crate::progress::{ProgressUnit, Watch, watch_work};

/// Adds the function and its classes to the module.
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
/// `progress` is called with the number of files that were read and the number of all, at most 20
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
    let arguments = base_url.map(|url| format!("--base-url={url}").into());
    let arguments = arguments.into_iter().collect();
    let args: AuditArgs = parse(&AUDIT, py, options, arguments, std::slice::from_ref(&path))?;
    if let Err(error) = py.detach(|| path.metadata()) {
        return Err(os_error(&path, &error));
    }
    watch_work(py, progress, ProgressUnit::Files, &path, |watch| run_audit(&args, watch))
}

/// Audits a site as the command does, but writes no report.
fn run_audit(args: &AuditArgs, watch: &Watch) -> Result<AuditReport, Failure> {
    args.reading.options.check()?;
    let mut job = AuditJob::new(args, |_| ())?;
    if let (Some(name), true) = (job.setup.unreported.first(), job.setup.reports_none()) {
        let problem = "it is not in the site; report_only takes files of the site, and of sources";
        return Err(Failure::new(&name.to_string_lossy(), problem));
    }
    watch.set_total(job.setup.files() as u64);
    let mut comparison = job.comparison();
    let mut report = job.audit(watch, AuditFor::Report, comparison.as_mut());
    if !watch.is_stopped() {
        watch.complete();
    }
    job.select(&mut report.findings);
    for finding in report.findings.iter_mut().filter(|finding| finding.rule == Rule::Unreadable) {
        finding.message = message_for_python(finding.problem());
    }
    let diff = job.diff(comparison);
    job.facts.revision = provenance::find_commit(Path::new("."));
    job.facts.date = provenance::read_date().ok().map(provenance::format_date);
    Ok(AuditReport { report, diff, setup: job.setup, facts: job.facts })
}

/// The findings of an audit, and what it covered.
///
/// >>> import io, pathlib, tempfile
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (folder / "index.html").write_text("<a href=b.html>")
/// >>> report = audit(folder)
/// >>> print(report)
/// 1 error on 1 page; checked 1 page with 1 link (1 internal)
/// >>> report.write("sarif", folder / "report.sarif")
/// >>> out = io.StringIO()
/// >>> report.write("jsonl", out)
/// >>> out.getvalue()[:21]
/// '{"rule":"broken-link"'
#[pyclass(frozen, module = "absolve")]
pub(super) struct AuditReport {
    pub(super) report: absolve_site::AuditReport,
    pub(super) diff: Option<BaselineDiff>,
    /// The site and the facts that reports of other formats need.
    pub(super) setup: Setup,
    pub(super) facts: AuditFacts,
}

impl AuditReport {
    fn context(&self) -> Context<'_> {
        self.facts.context(&self.report, self.diff.as_ref())
    }

    /// Formats the report.
    fn format_report(&self, format: Format) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = |path: &Path| self.setup.site.read(path);
        report::write(format, &self.report.findings, &self.context().source(&read), &mut bytes)?;
        Ok(bytes)
    }
}

#[pymethods]
impl AuditReport {
    /// The findings, in the order of files and places.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let findings = self.report.findings.iter();
        let findings = findings.map(|finding| Py::new(py, Finding::from(finding)));
        PyTuple::new(py, findings.collect::<PyResult<Vec<_>>>()?)
    }

    /// The numbers of findings, pages and links.
    #[getter]
    fn summary(&self) -> AuditSummary {
        AuditSummary::new(&self.report, self.diff.as_ref())
    }

    /// Whether a finding has at least the level of `fail_on`; the command has exit code 1 then.
    ///
    /// The findings that `baseline` lists do not count.
    #[getter]
    fn fails(&self) -> bool {
        self.context().fails(&self.report.findings)
    }

    /// Write a report in a format of the command, such as `json` or `html`.
    ///
    /// `file` is a path, which is written whole or not at all, or an open file, of text or bytes.
    fn write(&self, format: &Bound<'_, PyAny>, file: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, format) = (file.py(), read_text("format", format)?);
        let formats = Format::ALL.iter().map(|format| (format.name(), *format));
        let format = find_choice("format", format, formats)?;
        let written = py.detach(|| self.format_report(format));
        let bytes = written.map_err(|error| Error::new_err(error.to_string()))?;
        if let Some(path) = try_path(file)? {
            let written = py.detach(|| absolve_files::write(&path, &bytes));
            return written.map_err(|error| os_error(&path, &error));
        }
        let Some(write) = file.getattr_opt("write")? else {
            return Err(PyTypeError::new_err("'file' must be a path or an open file"));
        };
        let text_files = py.import("io")?.getattr("TextIOBase")?;
        if file.is_instance(&text_files)? {
            write.call1((PyString::from_bytes(py, &bytes)?,))?;
        } else {
            write.call1((PyBytes::new(py, &bytes),))?;
        }
        Ok(())
    }

    /// Write the findings to a file, as the `baseline` of later audits.
    fn write_baseline(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = file_path)] file: PathBuf,
    ) -> PyResult<()> {
        let written = py.detach(|| write_baseline(&file, &self.report, &self.facts.root));
        written.map_err(|failure| from_failure(py, failure))
    }

    /// The summary in one line.
    fn __str__(&self) -> String {
        self.context().summary(&self.report.findings)
    }

    fn __repr__(&self) -> String {
        format!("<AuditReport: {}>", self.__str__())
    }
}

/// The numbers of findings, pages and links, as in the JSON report.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct AuditSummary {
    /// Findings of level `error`.
    errors: u64,
    /// Findings of level `warn`.
    warnings: u64,
    /// Findings of level `note`.
    notes: u64,
    /// Findings that the `baseline` lists; `None` without one.
    known: Option<u64>,
    /// Pages that were checked.
    pages: u64,
    /// Their links.
    links: u64,
    /// Links into the site.
    internal: u64,
    /// Links elsewhere, which are not looked up.
    external: u64,
    /// Links to the host of the site, outside the path of its base URL.
    outside: u64,
    /// Links that `ignore_link` leaves out.
    ignored: u64,
    /// Findings that are counted and not listed, by rule.
    unlisted: BTreeMap<&'static str, u64>,
    /// Targets without a search for similar names.
    unsearched: u64,
    /// The base URL that may be missing, as a question.
    base_url_hint: Option<String>,
    /// Listed findings that `absolve audit --fix` fixes.
    fixable: u64,
}

impl AuditSummary {
    pub(super) fn new(report: &absolve_site::AuditReport, diff: Option<&BaselineDiff>) -> Self {
        let mut summary = Self {
            known: diff.map(BaselineDiff::known),
            pages: report.pages,
            links: report.links,
            internal: report.by_scope.internal,
            external: report.by_scope.external,
            outside: report.by_scope.outside,
            ignored: report.by_scope.ignored,
            unlisted: report.unlisted.iter().map(|row| (row.rule.id(), row.count)).collect(),
            unsearched: report.unsearched,
            base_url_hint: Context::new(report).base_url_hint(),
            ..Self::default()
        };
        let listed = report.findings.iter().map(|finding| (finding.level, 1));
        let unlisted = report.unlisted.iter().map(|unlisted| (unlisted.level, unlisted.count));
        for (level, count) in listed.chain(unlisted) {
            *match level {
                Level::Error => &mut summary.errors,
                Level::Warn => &mut summary.warnings,
                _ => &mut summary.notes,
            } += count;
        }
        let fixes = report.findings.iter().filter_map(|finding| finding.fix.as_ref());
        summary.fixable = fixes.filter(|fix| fix.safety == Safety::Safe).count() as u64;
        summary
    }
}

#[pymethods]
impl AuditSummary {
    fn __repr__(&self) -> String {
        let Self { errors, warnings, notes, pages, links, .. } = self;
        format!(
            "AuditSummary(errors={errors}, warnings={warnings}, notes={notes}, pages={pages}, \
             links={links})"
        )
    }
}

/// A result of an audit, with the fields of the JSON report.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Finding {
    /// The name of the rule, such as `broken-link`.
    rule: &'static str,
    /// The level of the rule in this audit: `error`, `warn` or `note`.
    level: &'static str,
    /// The path of the file.
    file: OsString,
    /// The line, from 1.
    line: Option<u64>,
    /// The column in characters, from 1.
    column: Option<u64>,
    /// Start and end of the reference as it is written, in bytes.
    span: Option<(usize, usize)>,
    /// The name of the element, in lower case.
    element: Option<String>,
    /// The name of the attribute, in lower case.
    attribute: Option<String>,
    /// The reference as an HTML parser reads it.
    reference: Option<String>,
    /// The URL that it resolves to.
    url: Option<String>,
    /// The base URL that it was resolved against.
    base: Option<String>,
    /// The source of the base URL.
    base_source: Option<&'static str>,
    /// The problem, in one line.
    message: String,
    /// The probable meaning of the reference, or its correction.
    hint: Option<String>,
    /// The replacement, if it is certain or the only similar name.
    fix: Option<Fix>,
    /// The line of Markdown that made the link, with `sources`.
    source: Option<SourceLine>,
}

/// The replacement of a reference.
#[pyclass(frozen, get_all, eq, hash, module = "absolve", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Fix {
    /// Start and end of the bytes of the file to replace.
    span: (usize, usize),
    /// The text to write there, escaped for its attribute.
    replacement: String,
    /// `safe` if only this can be meant, else `unsafe`.
    safety: &'static str,
}

/// The line of Markdown that made a link.
#[pyclass(frozen, get_all, eq, hash, module = "absolve", from_py_object)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SourceLine {
    /// The path of the file.
    file: OsString,
    /// The line, from 1.
    line: u64,
}

impl From<&absolve_site::Finding> for Finding {
    fn from(finding: &absolve_site::Finding) -> Self {
        Self {
            rule: finding.rule.id(),
            level: finding.level.name(),
            file: finding.file.clone().into_os_string(),
            line: finding.line,
            column: finding.column,
            span: finding.span.as_ref().map(|span| (span.start, span.end)),
            element: finding.element.clone(),
            attribute: finding.attribute.clone(),
            reference: finding.reference.clone(),
            url: finding.url.clone(),
            base: finding.base.clone(),
            base_source: finding.base_source.map(absolve::BaseSource::name),
            message: finding.message.clone(),
            hint: finding.hint.clone(),
            fix: finding.fix.as_ref().map(|fix| Fix {
                span: (fix.span.start, fix.span.end),
                replacement: fix.replacement.clone(),
                safety: fix.safety.name(),
            }),
            source: finding.source.as_ref().map(|source| SourceLine {
                file: source.file.as_os_str().to_owned(),
                line: source.line,
            }),
        }
    }
}

#[pymethods]
impl Finding {
    /// The place, the level and the rule, as compilers print them.
    fn __str__(&self) -> String {
        let mut place = self.file.to_string_lossy().into_owned();
        place.extend([self.line, self.column].iter().flatten().map(|number| format!(":{number}")));
        format!("{place}: {} [{}]: {}", self.level, self.rule, self.message)
    }

    fn __repr__(&self) -> String {
        format!("Finding({:?})", self.__str__())
    }
}

#[pymethods]
impl Fix {
    fn __repr__(&self) -> String {
        format!("Fix(replacement={:?}, safety={:?})", self.replacement, self.safety)
    }
}

#[pymethods]
impl SourceLine {
    fn __repr__(&self) -> String {
        let file = self.file.to_string_lossy();
        format!("SourceLine(file={file:?}, line={})", self.line)
    }
}
