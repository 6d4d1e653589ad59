//! The report of an audit, which it writes in each format.

use std::io;
use std::path::{Path, PathBuf};

use absolve::audit::{self, Level};
use absolve::batch;
use absolve::report::{self, About, BaselineDiff, Context, Format};
use encoding_rs::Encoding;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use super::finding::Finding;
use super::summary::AuditSummary;
use crate::errors::Error;
use crate::files::{exception, os_error};
use crate::options::{as_path, file_path, named, text};
use absolve::cli::command::audit::reports;
use absolve::cli::command::audit::setup::Setup;

/// An audit, and what its reports need.
pub(super) struct Audited {
    pub(super) report: audit::AuditReport,
    pub(super) diff: Option<BaselineDiff>,
    pub(super) setup: Setup,
    pub(super) root: PathBuf,
    /// The path of the root in its repository.
    pub(super) below: PathBuf,
    /// The folder of `sources`, and its path in its repository.
    pub(super) sources: Option<(PathBuf, PathBuf)>,
    /// The site as it was given.
    pub(super) name: Option<String>,
    pub(super) encoding: Option<&'static Encoding>,
    pub(super) fail_on: Option<Level>,
    pub(super) run: RunFacts,
}

/// What the head of the report page says of the run.
pub(super) struct RunFacts {
    pub(super) base_url: Option<String>,
    pub(super) server: Option<&'static str>,
    pub(super) revision: Option<String>,
    pub(super) date: Option<String>,
}

impl Audited {
    fn context(&self) -> Context<'_> {
        let context = match &self.sources {
            Some((folder, below)) => Context::new(&self.report).sources(folder, below),
            None => Context::new(&self.report),
        };
        context
            .repository(&self.root, &self.below)
            .site(self.name.as_deref())
            .about(About {
                base_url: self.run.base_url.as_deref(),
                server: self.run.server,
                revision: self.run.revision.as_deref(),
                date: self.run.date.as_deref(),
            })
            .encoding(self.encoding)
            .fail_on(self.fail_on)
            .baseline(self.diff.as_ref())
    }

    /// A report of this format.
    fn write(&self, format: Format) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = |path: &Path| self.setup.site.read(path);
        report::write(format, &self.report.findings, &self.context().source(&read), &mut bytes)?;
        Ok(bytes)
    }
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
    audited: Audited,
}

impl AuditReport {
    pub(super) fn new(audited: Audited) -> Self {
        Self { audited }
    }
}

#[pymethods]
impl AuditReport {
    /// The findings, in the order of files and places.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let findings = self.audited.report.findings.iter();
        let findings = findings.map(|finding| Py::new(py, Finding::from(finding)));
        PyTuple::new(py, findings.collect::<PyResult<Vec<_>>>()?)
    }

    /// The numbers of findings, pages and links.
    #[getter]
    fn summary(&self) -> AuditSummary {
        AuditSummary::new(&self.audited.report, self.audited.diff.as_ref())
    }

    /// Whether a finding has at least the level of `fail_on`; the command has exit code 1 then.
    ///
    /// The findings that `baseline` lists do not count.
    #[getter]
    fn fails(&self) -> bool {
        self.audited.context().fails(&self.audited.report.findings)
    }

    /// Write a report in a format of the command, such as `json` or `html`.
    ///
    /// `file` is a path, which is written whole or not at all, or an open file, of text or bytes.
    fn write(&self, format: &Bound<'_, PyAny>, file: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, format) = (file.py(), text("format", format)?);
        let formats = Format::ALL.iter().map(|one| (one.name(), *one));
        let format = named("format", format, formats)?;
        let written = py.detach(|| self.audited.write(format));
        let bytes = written.map_err(|error| Error::new_err(error.to_string()))?;
        if let Some(path) = as_path(file)? {
            let written = py.detach(|| batch::write(&path, &bytes));
            return written.map_err(|error| os_error(&path, &error));
        }
        let Some(write) = file.getattr_opt("write")? else {
            let what = "'file' must be a path or an open file";
            return Err(PyTypeError::new_err(what));
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
        let Audited { report, root, .. } = &self.audited;
        let written = py.detach(|| reports::write_baseline(&file, report, root));
        written.map_err(|failure| exception(py, failure))
    }

    /// The summary in one line.
    fn __str__(&self) -> String {
        self.audited.context().summary(&self.audited.report.findings)
    }

    fn __repr__(&self) -> String {
        format!("<AuditReport: {}>", self.__str__())
    }
}
