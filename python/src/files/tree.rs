//! A tree of documents, into another folder or in place.

use std::path::Path;
use std::time::Instant;

use absolve::Rewriter;
use absolve::batch::{
    Destination, Mirror, Monitor, Origins, PlannedMirror, Rewriting, RunStatus, Tree, Workers,
    WriteMode, check_in_place,
};
use pyo3::prelude::*;

use super::failure::RunError;
use super::finished;
use super::result::RewriteResult;
use crate::args::{RewriteArgs, WritingArgs};
use crate::arguments::Function;
use crate::progress::{Unit, Watch, Watched, watched};
use crate::session::direction;
use crate::session::input::Input;
use crate::session::inputs::{Inputs, Paths};

/// Rewrites a folder.
pub(super) fn rewrite(
    py: Python<'_>,
    function: &Function,
    args: &RewriteArgs,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<RewriteResult> {
    let done = watched(py, progress, Unit::Files, |watch| Run::start(args, watch));
    let name = args.inputs.paths.first().map_or(Path::new(""), |path| path);
    Ok(conclude(py, function, name, done)?.in_python(function))
}

/// Rewrites a file in place; its failure is an exception.
pub(super) fn rewrite_in_place(
    py: Python<'_>,
    function: &Function,
    args: &RewriteArgs,
) -> PyResult<RewriteResult> {
    let result = rewrite(py, function, args, None)?;
    match &result.failures[..] {
        [failure, ..] if failure.inside.is_none() => {
            Err(failure.exception(py, failure.to_string()))
        }
        _ => Ok(result),
    }
}

/// A run that was not stopped by an error.
struct Done {
    result: RewriteResult,
    status: RunStatus,
    /// The new tree, which is not in its place yet.
    mirror: Option<Mirror>,
    sync: absolve::batch::Sync,
}

/// Moves the new tree to its place, or removes it.
fn conclude(
    py: Python<'_>,
    function: &Function,
    name: &Path,
    mut done: Watched<Result<Done, RunError>>,
) -> PyResult<RewriteResult> {
    let is_raised = done.raised.is_some();
    if let Ok(Ok(run)) = done.result {
        let placed = py.detach(|| run.place(is_raised));
        done.result = Ok(placed);
    }
    let done = finished(py, function, name, done)?;
    match done.status {
        RunStatus::Unflushed(failure) => {
            Err(RunError::Unwritten(failure.to_string()).exception(py, function))
        }
        _ => Ok(done.result),
    }
}

impl Done {
    /// Moves a new tree to its place, unless the run is not to be kept.
    fn place(mut self, is_raised: bool) -> Result<Self, RunError> {
        let Some(mirror) = self.mirror.take() else { return Ok(self) };
        let is_stopped = self.status == RunStatus::Stopped || is_raised;
        if mirror.is_staged() && is_stopped {
            mirror.discard();
        } else if self.status != RunStatus::Stopped {
            mirror.finish(self.sync)?;
        }
        Ok(self)
    }
}

/// A run over a tree.
struct Run<'a> {
    writing: &'a WritingArgs,
    args: &'a RewriteArgs,
    tree: &'a Tree,
    rewriter: &'a Rewriter,
    origins: &'a Origins,
    workers: Workers,
}

impl Run<'_> {
    /// Finds the files, and rewrites them.
    fn start(args: &RewriteArgs, watch: &Watch) -> Result<Done, RunError> {
        let started = Instant::now();
        let writing = &args.writing;
        check(args)?;
        let origins = &args.base.origins()?;
        let tree = &walk(args, origins)?;
        let rewriter = &direction::rewriter(args)?;
        let workers = Workers::new(args.inputs.files.jobs)
            .map_err(|error| RunError::Message(error.to_string()))?;
        watch.set_total(tree.items().len() as u64);
        let run = Run { writing, args, tree, rewriter, origins, workers };
        let destination = run.destination()?;
        let (mut result, status) = run.rewrite(&destination, watch);
        if status != RunStatus::Stopped {
            watch.complete();
        }
        result.seconds = started.elapsed().as_secs_f64();
        let mirror =
            if let Destination::Mirror(mirror) = destination { Some(mirror) } else { None };
        Ok(Done { result, status, mirror, sync: writing.sync })
    }

    fn rewrite(&self, to: &Destination, monitor: &dyn Monitor) -> (RewriteResult, RunStatus) {
        let writing = self.writing;
        let mut result = RewriteResult::default();
        let rewriting = Rewriting::new(self.rewriter, self.origins, to)
            .format(self.args.inputs.file_format)
            .sync(writing.sync)
            .timestamps(writing.times())
            .hard_links(writing.hard_links())
            .backup(writing.backup.as_deref());
        let status = rewriting.run(self.tree, &self.workers, monitor, &mut |item, report| {
            result.add(|| self.tree.path(item).into_os_string(), &report);
        });
        (result, status)
    }

    /// The destination of the documents, after all checks that come before the first write.
    fn destination(&self) -> Result<Destination, RunError> {
        let writing = self.writing;
        let trial = if let Some(path) = &writing.output {
            Destination::Preview(PlannedMirror::new(self.tree, path, writing.not_empty())?)
        } else {
            check_in_place(self.tree)?;
            Destination::Check(WriteMode::Replace)
        };
        if writing.dry_run {
            return Ok(trial);
        }
        Ok(match trial {
            Destination::Preview(planned) => Destination::Mirror(planned.make(self.tree)?),
            _ => Destination::InPlace,
        })
    }
}

/// Refuses options that would do nothing, or harm the next run.
pub(super) fn check(args: &RewriteArgs) -> Result<(), RunError> {
    let unused = args.document.selection.check();
    unused.map_err(|unused| RunError::Message(unused.to_string()))?;
    if let Some(suffix) = &args.writing.backup
        && args.inputs.globs().is_document(format!("page{suffix}").as_ref())
    {
        let what =
            "would be documents of the next run; give a suffix that --include does not match";
        return Err(RunError::Message(format!("files with the suffix '{suffix}' {what}")));
    }
    Ok(())
}

fn walk(args: &RewriteArgs, origins: &Origins) -> Result<Tree, RunError> {
    let paths = match Inputs::new(&args.inputs, args.base.base_url(), None)? {
        Inputs::Many(paths) => paths,
        Inputs::One(Input::File(path)) => Paths::of_file(path, &args.inputs),
        Inputs::One(Input::Stdin) => return Err(RunError::Message("no path".to_owned())),
    };
    let mode = if args.writing.output.is_some() { WriteMode::Mirror } else { WriteMode::Replace };
    Ok(paths.walk(&args.inputs, args.walk(mode), origins.base())?)
}
