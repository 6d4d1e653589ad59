//! Extracts the files of a crawl into a folder that a browser opens.

use std::path::PathBuf;

use absolve_cli::args::ExtractArgs;
use absolve_cli::args::functions::EXTRACT;
use absolve_cli::run::extract::{ExtractJob, write};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::parse;
use crate::errors::message_for_python;
use crate::options::{destination_path, path_or_paths};
use crate::progress::{ProgressUnit, watch_work};

/// Adds the function and its class to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ExtractResult>()?;
    module.add_function(wrap_pyfunction!(extract, module)?)
}

/// What `extract` did.
#[pyclass(frozen, get_all, module = "absolve")]
#[derive(Debug)]
pub(crate) struct ExtractResult {
    /// Files that were written.
    files: u64,
    /// Links to what the crawl does not have.
    missing: u64,
    /// Revisits of records that are in no archive.
    revisits: u64,
    /// Records larger than `max_record`.
    too_large: u64,
    /// URLs that could not be extracted, or whose links stay, and why.
    failures: Vec<(String, String)>,
}

#[pymethods]
impl ExtractResult {
    fn __repr__(&self) -> String {
        let Self { files, missing, revisits, too_large, failures } = self;
        let failures = failures.len();
        format!(
            "ExtractResult(files={files}, missing={missing}, revisits={revisits}, too_large={too_large}, failures=<{failures}>)"
        )
    }
}

#[doc = signature!("extract(crawl, destination", * "progress=None", extract)]
/// Write the last response of each URL of web archives into a new folder.
///
/// `crawl` is a path of a `.warc`, `.warc.gz`, `.warc.zst`, `.wacz` or `.mhtml`, or of a
/// folder of them, or several paths, which are one crawl. With `to="relative"`, links lead from
/// file to file, so that a browser opens the folder `destination` from the disk; `missing` says
/// what becomes of others.
///
/// >>> import pathlib, tempfile
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> record = [
/// ...     "WARC/1.1", "WARC-Type: resource", "Content-Type: text/html",
/// ...     "WARC-Target-URI: http://h/a", "Content-Length: 11", "", "<a href=/a>", "", "",
/// ... ]
/// >>> _ = (folder / "a.warc").write_text("\r\n".join(record), newline="")
/// >>> extract(folder / "a.warc", folder / "site", to="relative").files
/// 1
/// >>> (folder / "site/h/a.html").read_text()
/// '<a href=a.html>'
///
/// `progress` is called with the bytes that were read and the bytes of the archive, at most 20
/// times a second. An exception in it, and Ctrl-C, end the run, and nothing is written.
///
/// Raises `OSError` for an archive that cannot be read and a folder that is there already, and
/// `Error` for the value of an option.
#[pyfunction]
#[pyo3(signature = (crawl, destination, *, progress=None, **options), text_signature = None)]
fn extract(
    py: Python<'_>,
    crawl: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = destination_path)] destination: PathBuf,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<ExtractResult> {
    let paths = path_or_paths("crawl", crawl)?;
    let args: ExtractArgs = parse(&EXTRACT, py, options, Vec::new(), &paths)?;
    watch_work(py, progress, ProgressUnit::Bytes, &destination, |watch| {
        let crawl = ExtractJob::new(&args)?.read(watch)?;
        let extracted = write(&args, crawl, &destination, watch, || watch.may_commit())?;
        let failures = extracted.problems.into_iter();
        Ok(ExtractResult {
            files: extracted.files,
            missing: extracted.missing,
            revisits: extracted.unread.revisits,
            too_large: extracted.unread.too_large,
            failures: failures.map(|(url, why)| (url, message_for_python(why))).collect(),
        })
    })
}
