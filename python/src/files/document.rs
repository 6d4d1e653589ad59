//! One file, into another.

use std::path::PathBuf;

use absolve::batch;
use absolve::{Buffers, container};
use pyo3::prelude::*;

use super::failure::RunError;
use super::finished;
use super::result::RewriteResult;
use super::tree::check;
use crate::args::RewriteArgs;
use crate::arguments::Function;
use crate::progress::{Unit, Watch, watched};
use crate::session::direction;
use crate::session::input::Input;

/// Rewrites a file into the file of `--output`.
pub(super) fn rewrite(
    py: Python<'_>,
    function: &Function,
    args: &RewriteArgs,
    path: PathBuf,
) -> PyResult<RewriteResult> {
    let name = path.clone();
    let done = watched(py, None, Unit::Files, |watch| rewrite_one(args, path, watch));
    finished(py, function, &name, done)
}

fn rewrite_one(
    args: &RewriteArgs,
    path: PathBuf,
    watch: &Watch,
) -> Result<RewriteResult, RunError> {
    let writing = &args.writing;
    check(args)?;
    if let Some(option) = writing.for_many() {
        return Err(RunError::Message(format!("{option} is for folders and --write")));
    }
    let Some(output) = &writing.output else { return Err(RunError::Message("no path".to_owned())) };
    if batch::is_same_file(&path, output) {
        let what = "is the input itself; rewrite it with --write, or give another file";
        return Err(RunError::Message(format!("{}: {what}", output.display())));
    }
    args.inputs.check_given_name(&path)?;
    let limits = &args.document.limits.documents;
    let source = batch::read(&path, limits);
    let source = source.map_err(|error| RunError::File(path.clone(), error))?;
    let name = path.clone().into_os_string();
    let format = args.inputs.detect(&path, &source)?;
    let rewriter = direction::rewriter(args)?;
    let input = Input::File(path);
    let rewriter = input.rewriter(&rewriter, args.base.origins()?, &args.inputs)?;
    let mut buffers = Buffers::new();
    let rewritten = container::rewrite(&source, format, &rewriter, &mut buffers)?;
    let result = RewriteResult::of_one(rewritten.summary(), rewritten.is_changed(), name);
    let written = match writing.dry_run {
        _ if !watch.goes_on() => Ok(()),
        true => batch::check_write(output, Some(rewritten.bytes())),
        false => batch::write_like(input.path().as_ref(), output, rewritten.bytes()),
    };
    written.map_err(|error| RunError::File(output.clone(), error))?;
    Ok(result)
}
