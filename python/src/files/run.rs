//! What the functions that rewrite files have in common: arguments, checks, and the run itself.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve::batch::RunStatus;
use absolve::cli::args::RewriteArgs;
use absolve::cli::args::functions::Function;
use absolve::cli::command::rewrite::{Totals, TreeRun, check};
use absolve::cli::session::failure::{Cause, Failure};
use absolve::cli::session::input::Input;
use absolve::cli::session::inputs::{Inputs, Paths};
use pyo3::exceptions::{PyIsADirectoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::collector::Collector;
use super::failure::{exception, os_error};
use super::result::RewriteResult;
use crate::arguments::not_a_stream;
use crate::progress::{Unit, Watch, watched};

/// The arguments of the parameters, which say where the documents go: nothing is replaced unless
/// that is asked for.
pub(super) fn parameters(
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
        Some(path) => {
            own.push(with("--output=", not_a_stream(path).into_os_string()));
            // A folder that is not empty is another matter.
            own.extend((function.name != "rewrite_tree").then(|| "--force".into()));
        }
        // A trial reports what cannot be replaced, too.
        None if in_place || is_dry_run => own.push("--write".into()),
        None => {
            let what = "needs a destination, or in_place=True to replace what it rewrites";
            return Err(PyTypeError::new_err(format!("{}() {what}", function.name)));
        }
    }
    Ok(own)
}

pub(super) fn check_is_no_folder(py: Python<'_>, path: &Path) -> PyResult<()> {
    if metadata(py, path)?.is_dir() {
        let what = format!("{}: it is a folder; rewrite_tree takes one", path.display());
        return Err(PyIsADirectoryError::new_err(what));
    }
    Ok(())
}

pub(super) fn metadata(py: Python<'_>, path: &Path) -> PyResult<Metadata> {
    py.detach(|| fs::metadata(path)).map_err(|error| os_error(path, &error))
}

pub(super) fn inputs(args: &RewriteArgs) -> Result<Inputs, Failure> {
    Inputs::new(&args.inputs, args.base.base_url(), None)
}

/// Why a web archive is refused.
pub(super) const ARCHIVE: &str = "a web archive is read and not rewritten; rewrite the pages that \
    WarcReader.read_pages reads with rewrite_array";

/// Rewrites a folder, or a file in place.
pub(super) fn tree(
    py: Python<'_>,
    args: &RewriteArgs,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<RewriteResult> {
    let name = args.inputs.paths.first().map_or(Path::new(""), |path| path);
    run(py, (name, progress, Unit::Files), |watch, collector| {
        check(args)?;
        let paths = match inputs(args)? {
            Inputs::Many(paths) => paths,
            Inputs::One(Input::File(path)) => Paths::of_file(path, &args.inputs),
            Inputs::Archives(_) => return Err(Failure::of(&name.to_string_lossy(), ARCHIVE)),
            Inputs::One(Input::Stdin) => return Err(Failure::message("no path")),
        };
        let end = TreeRun::new(args, &paths)?.run(&mut collector.observers(watch))?;
        if end.status != RunStatus::Stopped {
            watch.complete();
        }
        match end.status {
            RunStatus::Unflushed(failure) => {
                let kind = std::io::ErrorKind::Other;
                Err(Failure::Caused(Diagnosis::new(failure), Cause::Preflight(kind)))
            }
            _ => Ok(end.totals),
        }
    })
}

/// Does the work of a call on the file of a name, with its progress callback and what that counts.
pub(super) fn run(
    py: Python<'_>,
    (name, progress, unit): (&Path, Option<&Bound<'_, PyAny>>, Unit),
    work: impl FnOnce(&Watch, &mut Collector<'_>) -> Result<Totals, Failure> + Send,
) -> PyResult<RewriteResult> {
    let done = watched(py, progress, unit, |watch| {
        let mut collector = Collector::new(watch);
        let totals = work(watch, &mut collector)?;
        Ok(collector.finish(&totals))
    });
    done.finish(name)?.map_err(|failure| exception(py, failure))
}
