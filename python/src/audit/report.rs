//! The report of an audit, which it writes in each format.

use std::io;
use std::path::{Path, PathBuf};

use absolve::audit;
use absolve::batch;
use absolve::report::{self, BaselineDiff, Context, Format};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use super::finding::Finding;
use super::summary::AuditSummary;
use crate::errors::Error;
use crate::files::{exception, os_error};
use crate::options::{as_path, file_path, named, text};
use absolve::cli::run::audit::{AuditFacts, Setup, write_baseline};

/// An audit, and what its reports need.
pub(super) struct Audited {
    pub(super) report: audit::AuditReport,
    pub(super) diff: Option<BaselineDiff>,
    pub(super) setup: Setup,
    pub(super) facts: AuditFacts,
}

impl Audited {
    fn context(&self) -> Context<'_> {
        self.facts.context(&self.report, self.diff.as_ref())
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
        let Audited { report, facts, .. } = &self.audited;
        let written = py.detach(|| write_baseline(&file, report, &facts.root));
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
