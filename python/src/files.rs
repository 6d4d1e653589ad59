//! Rewrites files and directory trees.
//!
//! The command and these functions share their promises: a file holds its complete old or its
//! complete new contents at every moment, and is replaced only on request.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fmt, io};

use absolve::Diagnosis;
use absolve_archive::Documents;
use absolve_cli::args::RewriteArgs;
use absolve_cli::args::functions::{FILE, Function, TREE};
use absolve_cli::run::rewrite::{Counts as FileCounts, Listener, Observers, RewriteJob};
use absolve_cli::session::failure::{Cause, Failure};
use absolve_files::{FileOutcome, Report, RunStatus};
use pyo3::exceptions::{PyIsADirectoryError, PyNotADirectoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{escape_dash, join_argument, parse};
use crate::errors::{self, Error, message_for_python, os_error};
use crate::options::{base_url, in_place, optional_path, source_path};
use crate::progress::{ProgressUnit, Watch, watch_work};

/// Adds the functions and their classes to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RewriteResult>()?;
    module.add_class::<Counts>()?;
    module.add_class::<LinkCounts>()?;
    module.add_class::<FileFailure>()?;
    module.add_function(wrap_pyfunction!(rewrite_tree, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_file, module)?)
}

#[doc = signature!("rewrite_tree(source, destination=None, base_url=None", * "in_place=False, progress=None", tree)]
/// Make every link of the documents in a folder absolute, as `absolve rewrite` does.
///
/// They are written to the folder `destination`, or replace the old ones with `in_place=True`;
/// `dry_run=True` writes nothing. `base_url` is the URL of the folder. A file holds its complete
/// old or its complete new contents at every moment, also if the process is killed, and a new
/// folder gets its files when all are done.
///
/// >>> import pathlib, tempfile
/// >>> site, new = pathlib.Path(tempfile.mkdtemp()), pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (site / "a.html").write_text("<a href=b.html>")
/// >>> result = rewrite_tree(site, new, "http://h/docs/", exclude=["draft-*"])
/// >>> result.counts.rewritten, result.links.rewritten
/// (1, 1)
/// >>> (new / "a.html").read_text()
/// '<a href=http://h/docs/b.html>'
///
/// A file that fails stays as it was, and is one of the `failures` of the result.
///
/// `progress` is called with the number of files that were read and the number of all, at most 20
/// times a second. An exception in it, and Ctrl-C, end the run: every file is whole, and a new
/// folder is not written.
///
/// Raises `OSError` for a folder that cannot be read or written, and `Error` for the value of an
/// option.
#[pyfunction]
#[pyo3(
    signature = (source, destination=None, base_url=None, *, in_place=false, progress=None, **options),
    text_signature = None
)]
fn rewrite_tree(
    py: Python<'_>,
    #[pyo3(from_py_with = source_path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] destination: Option<PathBuf>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    #[pyo3(from_py_with = in_place)] in_place: bool,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let arguments = make_arguments(&TREE, destination, base_url, in_place, options)?;
    let args: RewriteArgs = parse(&TREE, py, options, arguments, std::slice::from_ref(&source))?;
    if !read_metadata(py, &source)?.is_dir() {
        let problem =
            format!("{}: it is not a folder; rewrite_file takes a file", source.display());
        return Err(PyNotADirectoryError::new_err(problem));
    }
    refuse_unresolved(rewrite(py, &args, progress)?, &args)
}

#[doc = signature!("rewrite_file(source, destination=None, base_url=None", * "in_place=False", file)]
/// Make every link of a file absolute: a document, a message or MHTML.
///
/// It is written to the file `destination`, or replaces the old one with `in_place=True`;
/// `dry_run=True` writes nothing. `base_url` is the URL of the file.
///
/// >>> import pathlib, tempfile
/// >>> page = pathlib.Path(tempfile.mkdtemp(), "a.html")
/// >>> _ = page.write_text("<a href=b.html>")
/// >>> rewrite_file(page, base_url="http://h/docs/", in_place=True).links.rewritten
/// 1
/// >>> page.read_text()
/// '<a href=http://h/docs/b.html>'
///
/// Raises `OSError` for a file that cannot be read or written, and `Error` for a document or an
/// option that cannot be used: `LimitError` for a document that reaches a limit, `BaseUrlError` and
/// `EncodingError`. The files are then as they were. A part of a message that fails is one of the
/// `failures` of the result.
#[pyfunction]
#[pyo3(
    signature = (source, destination=None, base_url=None, *, in_place=false, **options),
    text_signature = None
)]
fn rewrite_file(
    py: Python<'_>,
    #[pyo3(from_py_with = source_path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] destination: Option<PathBuf>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    #[pyo3(from_py_with = in_place)] in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let arguments = make_arguments(&FILE, destination, base_url, in_place, options)?;
    let args: RewriteArgs = parse(&FILE, py, options, arguments, std::slice::from_ref(&source))?;
    if read_metadata(py, &source)?.is_dir() {
        let problem = format!("{}: it is a folder; rewrite_tree takes one", source.display());
        return Err(PyIsADirectoryError::new_err(problem));
    }
    if args.inputs.is_archive(&source) {
        return Err(Error::new_err(format!("{}: {ARCHIVE_PROBLEM}", source.display())));
    }
    let result = rewrite(py, &args, None)?;
    match result.only_failure() {
        Some(failure) => Err(failure.exception(py)),
        None => refuse_unresolved(result, &args),
    }
}

/// Refuses a result in which links stay relative, with `strict`.
fn refuse_unresolved(result: RewriteResult, args: &RewriteArgs) -> PyResult<RewriteResult> {
    let links = result.links.unresolved;
    if links == 0 || !args.writing.strict {
        return Ok(result);
    }
    let problem = "links that stay relative; give base_url or base_map";
    Err(Error::new_err(format!("{links} {problem}")))
}

/// Converts the parameters of a function to arguments of the command. Without a destination, files
/// are replaced only with `in_place`.
fn make_arguments(
    function: &Function,
    destination: Option<PathBuf>,
    base_url: Option<&str>,
    in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<OsString>> {
    let mut arguments: Vec<OsString> = Vec::new();
    arguments.extend(base_url.map(|url| format!("--base-url={url}").into()));
    let dry_run =
        options.and_then(|options| options.get_item("dry_run").transpose()).transpose()?;
    // The parser refuses a value that is no bool.
    let is_dry_run = dry_run.is_some_and(|value| value.is_truthy().unwrap_or(true));
    match destination {
        Some(_) if in_place => {
            let problem = "takes a destination or in_place=True, not both";
            return Err(PyTypeError::new_err(format!("{}() {problem}", function.name)));
        }
        Some(path) => {
            arguments.push(join_argument("--output", escape_dash(path)));
            // A new folder has to be empty; a file is replaced.
            arguments.extend((function.name != "rewrite_tree").then(|| "--force".into()));
        }
        // A dry run reports files that cannot be replaced, too.
        None if in_place || is_dry_run => arguments.push("--write".into()),
        None => {
            let problem = "needs a destination, or in_place=True to replace what it rewrites";
            return Err(PyTypeError::new_err(format!("{}() {problem}", function.name)));
        }
    }
    Ok(arguments)
}

fn read_metadata(py: Python<'_>, path: &Path) -> PyResult<Metadata> {
    py.detach(|| fs::metadata(path)).map_err(|error| os_error(path, &error))
}

/// The problem of a web archive, with advice.
const ARCHIVE_PROBLEM: &str = "a web archive is read and not rewritten; rewrite the pages that \
    WarcReader.read_pages reads with rewrite_array";

/// Rewrites a folder or a file.
fn rewrite(
    py: Python<'_>,
    args: &RewriteArgs,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<RewriteResult> {
    let name = args.inputs.paths.first().map_or(Path::new(""), |path| path);
    watch_work(py, progress, ProgressUnit::Files, name, |watch| {
        let started = Instant::now();
        let job = RewriteJob::new(args, None)?;
        if let RewriteJob::Archive(_) = job {
            return Err(Failure::new(&name.to_string_lossy(), ARCHIVE_PROBLEM));
        }
        let mut collector = Collector { watch, result: RewriteResult::default() };
        let observers = &mut Observers { monitor: watch, listener: &mut collector };
        let outcome = job.run(observers)?;
        if outcome.status != RunStatus::Stopped {
            watch.complete();
        }
        if let RunStatus::Unflushed(failure) = outcome.status {
            let cause = Cause::Preflight(io::ErrorKind::Other);
            return Err(Failure::Caused(Diagnosis::new(failure), cause));
        }
        Ok(RewriteResult {
            counts: outcome.totals.counts.into(),
            links: outcome.totals.links.into(),
            failed_parts: outcome.totals.failed_parts,
            seconds: started.elapsed().as_secs_f64(),
            ..collector.result
        })
    })
}

/// Collects the failures of a run and the paths of changed files, and reports its progress.
struct Collector<'w> {
    watch: &'w Watch,
    result: RewriteResult,
}

impl Listener for Collector<'_> {
    fn start(&mut self, files: usize) {
        self.watch.set_total(files as u64);
    }

    fn report_file(&mut self, path: &Path, report: &Report) {
        let RewriteResult { failures, changed, .. } = &mut self.result;
        match &report.outcome {
            FileOutcome::Failed(failure) => failures.push(FileFailure {
                file: path.into(),
                inside: None,
                message: message_for_python(failure),
                error: failure.document_error().cloned(),
            }),
            FileOutcome::Rewritten => changed.push(path.into()),
            _ => {}
        }
        let documents = report.documents.iter();
        failures.extend(documents.flat_map(Documents::failures).map(|error| FileFailure {
            file: path.into(),
            inside: error.part().map(|part| part.to_string()),
            message: message_for_python(error),
            error: Some(error.clone()),
        }));
    }

    fn may_commit(&mut self) -> bool {
        self.watch.may_commit()
    }
}

/// The numbers of files, by outcome.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Counts {
    /// All of them: the sum of the others.
    seen: u64,
    /// With other links.
    rewritten: u64,
    /// Without a link to change.
    unchanged: u64,
    /// No document.
    copied: u64,
    /// Not read, such as symbolic links.
    skipped: u64,
    /// Not readable or not writable, and as they were.
    failed: u64,
}

#[pymethods]
impl Counts {
    fn __repr__(&self) -> String {
        format_repr(self)
    }
}

impl From<FileCounts> for Counts {
    fn from(counts: FileCounts) -> Self {
        let FileCounts { seen, rewritten, unchanged, copied, skipped, failed } = counts;
        Self { seen, rewritten, unchanged, copied, skipped, failed }
    }
}

/// Formats a struct of numbers as Python does.
fn format_repr(numbers: &impl fmt::Debug) -> String {
    format!("{numbers:?}").replace(" { ", "(").replace(": ", "=").replace(" }", ")")
}

/// The numbers of links by outcome.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct LinkCounts {
    /// All of them: the sum of the others.
    seen: usize,
    /// Replaced by another text.
    rewritten: usize,
    /// Absolute before.
    absolute: usize,
    /// Left as they are by an option or a rule.
    kept: usize,
    /// Relative, in a document without a base URL.
    pub(super) unresolved: usize,
    /// Refused by the standard.
    invalid: usize,
}

#[pymethods]
impl LinkCounts {
    fn __repr__(&self) -> String {
        format_repr(self)
    }
}

impl From<absolve::LinkCounts> for LinkCounts {
    fn from(counts: absolve::LinkCounts) -> Self {
        let absolve::LinkCounts { links, rewritten, absolute, kept, unresolved, invalid, .. } =
            counts;
        Self { seen: links, rewritten, absolute, kept, unresolved, invalid }
    }
}

/// Why a file, or a document in it, stays as it was.
#[pyclass(frozen, eq, hash, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileFailure {
    /// The path of the file, below the path that was given.
    #[pyo3(get)]
    pub(super) file: OsString,
    /// The part of a message; `None` for the whole file.
    #[pyo3(get)]
    pub(super) inside: Option<String>,
    /// The problem, and what to do.
    #[pyo3(get)]
    pub(super) message: String,
    /// The error of the document, if that failed.
    pub(super) error: Option<absolve::Error>,
}

impl FileFailure {
    /// Makes the exception of the only failure of a call.
    pub(super) fn exception(&self, py: Python<'_>) -> PyErr {
        match &self.error {
            Some(error) => errors::with_message(py, error, self.to_string()),
            None => Error::new_err(self.to_string()),
        }
    }
}

impl fmt::Display for FileFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = self.inside.iter().flat_map(|inside| ["!", inside]).collect::<String>();
        write!(f, "{}{inside}: {}", self.file.to_string_lossy(), self.message)
    }
}

#[pymethods]
impl FileFailure {
    fn __str__(&self) -> String {
        self.to_string()
    }

    fn __repr__(&self) -> String {
        format!("FileFailure({:?})", self.to_string())
    }
}

/// The result of `rewrite_tree` or `rewrite_file`.
#[pyclass(frozen, get_all, module = "absolve")]
#[derive(Debug, Default)]
pub(crate) struct RewriteResult {
    /// The numbers of files, by outcome.
    pub(super) counts: Counts,
    /// The numbers of links by outcome.
    pub(super) links: LinkCounts,
    /// The number of parts of messages that failed; their messages do not count as failed.
    pub(super) failed_parts: usize,
    /// The failures, by file.
    pub(super) failures: Vec<FileFailure>,
    /// The paths of files with other links.
    pub(super) changed: Vec<OsString>,
    /// How long it took.
    pub(super) seconds: f64,
}

#[pymethods]
impl RewriteResult {
    fn __repr__(&self) -> String {
        let (counts, links) = (self.counts.__repr__(), self.links.__repr__());
        format!("RewriteResult(counts={counts}, links={links}, failures={})", self.failures.len())
    }
}

impl RewriteResult {
    /// Returns the failure of the only file, unless a part of it failed.
    pub(super) fn only_failure(&self) -> Option<&FileFailure> {
        self.failures.first().filter(|failure| failure.inside.is_none())
    }
}
