//! Files and directory trees.
//!
//! The promises are those of the command: a file holds its complete old or its complete new
//! contents at every moment, and is replaced only when that is asked for.

mod collector;
mod failure;
mod result;
mod run;

use std::path::PathBuf;

use absolve::cli::args::RewriteArgs;
use absolve::cli::args::functions::{FILE, TREE};
use absolve::cli::command::rewrite::{DocumentRun, Listener, Totals, check, report};
use absolve::cli::session::failure::Failure;
use absolve::cli::session::inputs::Inputs;
use pyo3::exceptions::PyNotADirectoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::parse;
use crate::errors::Error;
use crate::options::{base_url, in_place, optional_path, source_path};
use crate::progress::Unit;
pub(crate) use failure::{exception, os_error, python_exception};
pub(crate) use result::RewriteResult;
use result::{Counts, FileFailure, LinkCounts};
use run::{ARCHIVE, check_is_no_folder, inputs, metadata, parameters, run, tree};

/// Adds what is here to the module.
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
    let own = parameters(&TREE, destination, base_url, in_place, options)?;
    let args: RewriteArgs = parse(&TREE, py, options, own, std::slice::from_ref(&source))?;
    if !metadata(py, &source)?.is_dir() {
        let what = format!("{}: it is not a folder; rewrite_file takes a file", source.display());
        return Err(PyNotADirectoryError::new_err(what));
    }
    checked(tree(py, &args, progress)?, &args)
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
    let own = parameters(&FILE, destination, base_url, in_place, options)?;
    let args: RewriteArgs = parse(&FILE, py, options, own, std::slice::from_ref(&source))?;
    check_is_no_folder(py, &source)?;
    if args.inputs.is_archive(&source) {
        return Err(Error::new_err(format!("{}: {ARCHIVE}", source.display())));
    }
    let Some(destination) = &args.writing.output else {
        let result = tree(py, &args, None)?;
        return match result.failure() {
            Some(failure) => Err(failure.exception(py, failure.to_string())),
            None => checked(result, &args),
        };
    };
    let result = run(py, (&source, None, Unit::Files), |_, collector| {
        check(&args)?;
        let Inputs::One(input) = inputs(&args)? else { return Err(Failure::message("no path")) };
        let document = DocumentRun::new(&args, &input)?;
        document.run(|_, rewritten| {
            let report = report(rewritten);
            collector.file(input.shown(), &report);
            if collector.commits() {
                document.write(destination, rewritten.bytes())?;
            }
            Ok(Totals::of_document(&report, &input.name()))
        })
    })?;
    checked(result, &args)
}

/// The result of a run, unless `strict` refuses that links stay relative in it.
fn checked(result: RewriteResult, args: &RewriteArgs) -> PyResult<RewriteResult> {
    match result.links.unresolved {
        links if links > 0 && args.writing.strict => {
            let what = "links that stay relative; give base_url or base_map";
            Err(Error::new_err(format!("{links} {what}")))
        }
        _ => Ok(result),
    }
}
