//! Files, directory trees and web archives.
//!
//! The promises are those of the command: a file holds its complete old or its complete new
//! contents at every moment, and is replaced only when that is asked for.

mod archive;
mod counting;
mod document;
mod failure;
mod result;
mod tree;

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyIsADirectoryError, PyNotADirectoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::args::RewriteArgs;
use crate::arguments::{Function, not_a_stream};
use crate::errors::Failure;
use crate::progress::Watched;
use failure::RunError;
pub(crate) use failure::os_error;
use result::{Counts, FileFailure, LinkCounts, RewriteResult};

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RewriteResult>()?;
    module.add_class::<Counts>()?;
    module.add_class::<LinkCounts>()?;
    module.add_class::<FileFailure>()?;
    module.add_function(wrap_pyfunction!(rewrite_tree, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_file, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_warc, module)?)
}

const TREE: Function = Function {
    name: "rewrite_tree",
    command: "rewrite",
    without: &[
        "base-url",
        "output",
        "write",
        "check",
        "diff",
        "list-different",
        "stats",
        "strict",
        "config",
        "no-config",
        "print-config",
        "files-from",
        "null",
        "keep-originals",
    ],
};

const FILE: Function = Function {
    name: "rewrite_file",
    command: "rewrite",
    without: &[
        "base-url",
        "output",
        "write",
        "check",
        "diff",
        "list-different",
        "stats",
        "strict",
        "config",
        "no-config",
        "print-config",
        "files-from",
        "null",
        "keep-originals",
        "copy-assets",
        "force",
        "include",
        "exclude",
        "allow-empty",
        "jobs",
    ],
};

const WARC: Function = Function {
    name: "rewrite_warc",
    command: "rewrite",
    without: &[
        "base-url",
        "output",
        "write",
        "check",
        "diff",
        "list-different",
        "stats",
        "strict",
        "config",
        "no-config",
        "print-config",
        "files-from",
        "null",
        "copy-assets",
        "force",
        "include",
        "exclude",
        "allow-empty",
        "backup",
        "break-hardlinks",
        "keep-time",
        "sync",
        "as",
        "root-dir",
        "follow-symlinks",
        "layout",
    ],
};

/// Makes every link of the documents in a folder absolute.
#[pyfunction]
#[pyo3(
    signature = (source, destination=None, base_url=None, *, in_place=false, progress=None, **options),
    text_signature = "(source, destination=None, base_url=None, *, in_place=False, progress=None, **options)"
)]
fn rewrite_tree(
    py: Python<'_>,
    source: PathBuf,
    destination: Option<PathBuf>,
    base_url: Option<&str>,
    in_place: bool,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&TREE, destination, base_url, in_place, options)?;
    let args = TREE.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    if !metadata(py, &source)?.is_dir() {
        let what = format!("{}: it is not a folder; rewrite_file takes a file", source.display());
        return Err(PyNotADirectoryError::new_err(what));
    }
    tree::rewrite(py, &TREE, &args, progress)
}

/// Makes every link of a file absolute.
#[pyfunction]
#[pyo3(
    signature = (source, destination=None, base_url=None, *, in_place=false, **options),
    text_signature = "(source, destination=None, base_url=None, *, in_place=False, **options)"
)]
fn rewrite_file(
    py: Python<'_>,
    source: PathBuf,
    destination: Option<PathBuf>,
    base_url: Option<&str>,
    in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&FILE, destination, base_url, in_place, options)?;
    let args = FILE.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    if metadata(py, &source)?.is_dir() {
        let what = format!("{}: it is a folder; rewrite_tree takes one", source.display());
        return Err(PyIsADirectoryError::new_err(what));
    }
    if args.writing.output.is_some() {
        document::rewrite(py, &FILE, &args, not_a_stream(source))
    } else {
        tree::rewrite_in_place(py, &FILE, &args)
    }
}

/// Makes every link of the documents in a web archive absolute.
#[pyfunction]
#[pyo3(
    signature = (source, destination, base_url=None, *, progress=None, **options),
    text_signature = "(source, destination, base_url=None, *, progress=None, **options)"
)]
fn rewrite_warc(
    py: Python<'_>,
    source: PathBuf,
    destination: PathBuf,
    base_url: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&WARC, Some(destination.clone()), base_url, false, options)?;
    let args = WARC.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    if metadata(py, &source)?.is_dir() {
        let what = format!("{}: it is a folder; rewrite_tree takes one", source.display());
        return Err(PyIsADirectoryError::new_err(what));
    }
    archive::rewrite(py, &args, &not_a_stream(source), &not_a_stream(destination), progress)
}

/// The arguments of the parameters, which say where the documents go: nothing is replaced unless
/// that is asked for.
fn parameters(
    function: &Function,
    destination: Option<PathBuf>,
    base_url: Option<&str>,
    in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<OsString>> {
    let with = |option: &str, value: OsString| {
        let mut argument = OsString::from(option);
        argument.push(value);
        argument
    };
    let mut own = Vec::new();
    own.extend(base_url.map(|url| with("--base-url=", url.into())));
    let dry_run =
        options.and_then(|options| options.get_item("dry_run").transpose()).transpose()?;
    let is_dry_run = dry_run.is_some_and(|value| value.is_truthy().unwrap_or(true));
    match destination {
        Some(_) if in_place => {
            let what = "takes a destination or in_place=True, not both";
            return Err(PyTypeError::new_err(format!("{}() {what}", function.name)));
        }
        Some(path) => own.push(with("--output=", not_a_stream(path).into_os_string())),
        None if in_place => own.push("--write".into()),
        None if is_dry_run => {}
        None => {
            let what = "needs a destination, or in_place=True to replace what it rewrites";
            return Err(PyTypeError::new_err(format!("{}() {what}", function.name)));
        }
    }
    Ok(own)
}

fn metadata(py: Python<'_>, path: &Path) -> PyResult<Metadata> {
    py.detach(|| fs::metadata(path)).map_err(|error| os_error(path, &error))
}

/// The result of work, unless an exception was to stop it or it failed.
fn finished<T>(
    py: Python<'_>,
    function: &Function,
    name: &Path,
    watched: Watched<Result<T, RunError>>,
) -> PyResult<T> {
    if let Some(raised) = watched.raised {
        return Err(raised);
    }
    let result = watched.result.map_err(|bug: Failure| bug.exception(py, &name.to_string_lossy()));
    result?.map_err(|error| error.exception(py, function))
}
