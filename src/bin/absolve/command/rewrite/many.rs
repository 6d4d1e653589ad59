//! A tree of documents.

mod preview;

use std::time::Instant;

use absolve::Rewriter;
use absolve::batch::{
    Destination, FileOutcome, Item, Origins, PlannedMirror, PreflightError, Report, Rewriting,
    RunStatus, Tree, Workers, WriteMode, check_in_place,
};

use super::destination::{is_to_stdout, list_changed, purpose, refuse_stdout, second_signal};
use super::totals::{Ending, Interrupted, RunMode, Totals};
use crate::args::{RewriteArgs, StatsArg, WritingArgs};
use crate::session::direction;
use crate::session::document_report::{DocumentReport, failures, notes};
use crate::session::failure::Failure;
use crate::session::inputs::Paths;
use crate::session::output::Output;
use crate::session::progress::{Progress, Results};
use crate::session::signals::Signals;
use crate::session::status::Status;
use crate::terminal::{Messages, printable_path};

/// A run over a tree.
struct Run<'a> {
    args: &'a RewriteArgs,
    tree: &'a Tree,
    rewriter: &'a Rewriter,
    origins: &'a Origins,
    workers: Workers,
    output: Output,
    signals: Signals,
}

pub(super) fn run(args: &RewriteArgs, paths: &Paths, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let writing = &args.writing;
    let origins = &args.base.origins()?;
    let walk = args.walk(purpose(writing));
    let tree = paths.walk(&args.inputs, walk, origins.base())?;
    if tree.items().is_empty() && is_to_stdout(writing) {
        output.messages.warning("no documents found");
        return Ok(Status::Done);
    }
    refuse_stdout(writing)?;
    let rewriter = direction::rewriter(args)?;
    let workers = Workers::new(args.inputs.files.jobs).map_err(|error| Failure::threads(&error))?;
    let signals = Signals::watch(second_signal(writing));
    let run = Run { args, tree: &tree, rewriter: &rewriter, origins, workers, output, signals };
    if writing.diff {
        return run.diff(started);
    }
    let destination = run.destination()?;
    if let Some(signal) = run.signals.received() {
        run.interrupted(&Totals::default(), Interrupted::Discarded);
        if let Destination::Mirror(mirror) = destination {
            mirror.discard();
        }
        return Ok(Status::Signal(signal));
    }
    let (mut interrupted, mode) = match destination {
        Destination::Check(_) | Destination::Preview(_) => (Interrupted::Trial, RunMode::Would),
        Destination::InPlace => (Interrupted::InPlace, RunMode::Done),
        Destination::Mirror(_) => (Interrupted::IntoFolder, RunMode::Done),
    };
    let (totals, end, listed) = run.rewrite(&destination);
    if let Destination::Mirror(mirror) = destination {
        if end != RunStatus::Stopped {
            mirror.finish(writing.sync).map_err(refused)?;
        } else if mirror.is_staged() {
            interrupted = Interrupted::Discarded;
            mirror.discard();
        }
    }
    let status = if end == RunStatus::Stopped {
        run.stopped(&totals, interrupted, started)?
    } else {
        run.conclude(&totals, mode, started)?
    };
    unless_closed(listed)?;
    Ok(unless_unflushed(&end, status))
}

/// Ignores a closed stdout: the exit code depends only on the files.
fn unless_closed(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::ClosedPipe) => Ok(()),
        printed => printed,
    }
}

/// The exit code of a run whose files may not be on the disk yet, which is an error.
fn unless_unflushed(end: &RunStatus, status: Status) -> Status {
    let RunStatus::Unflushed(failure) = end else { return status };
    Messages::error(failure);
    if let Status::Done = status { Status::Failed } else { status }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn refused(refusal: PreflightError) -> Failure {
    Failure::of(&printable_path(refusal.path()), refusal.message())
}

impl Run<'_> {
    /// The destination of the documents, after all checks that come before the first write.
    fn destination(&self) -> Result<Destination, Failure> {
        let writing = self.writing();
        let planned = match &writing.output {
            Some(path) => {
                PlannedMirror::new(self.tree, path, writing.not_empty()).map_err(refused)?
            }
            None if writing.write => {
                check_in_place(self.tree).map_err(refused)?;
                let trial = Destination::Check(purpose(writing));
                return Ok(if writing.dry_run { trial } else { Destination::InPlace });
            }
            None => return Ok(Destination::Check(WriteMode::Read)),
        };
        if writing.dry_run {
            return Ok(Destination::Preview(planned));
        }
        Ok(Destination::Mirror(planned.make(self.tree).map_err(refused)?))
    }

    fn writing(&self) -> &WritingArgs {
        &self.args.writing
    }

    /// The totals of no file yet. Links in XML files stay, which is worth knowing where the links
    /// of other files become relative or move.
    fn totals(&self) -> Totals {
        Totals::new(if self.args.direction.is_default() { 0 } else { self.tree.xml_files() })
    }

    fn rewriting<'r>(&'r self, destination: &'r Destination) -> Rewriting<'r> {
        let writing = self.writing();
        Rewriting::new(self.rewriter, self.origins, destination)
            .format(self.args.inputs.file_format)
            .sync(writing.sync)
            .timestamps(writing.times())
            .hard_links(writing.hard_links())
            .backup(writing.backup.as_deref())
    }

    /// Rewrites the tree. The third result is whether the list of changed files was printed.
    fn rewrite(&self, destination: &Destination) -> (Totals, RunStatus, Result<(), Failure>) {
        let mut totals = self.totals();
        let mut failures = Vec::new();
        let mut different = Ok(());
        let is_listed = self.writing().list_different || self.writing().check;
        let results = if is_listed { Results::Meanwhile } else { Results::Afterwards };
        let files = self.tree.items().len();
        let progress = Progress::new(files, self.output, results, &self.signals);
        let end = self.rewriting(destination).run(
            self.tree,
            &self.workers,
            &progress,
            &mut |item, report| {
                totals.add(&report, || self.name(item));
                self.report(item, &report, |print| progress.aside(print));
                failures.extend(self.failures(item, &report));
                let is_changed = matches!(report.outcome, FileOutcome::Rewritten);
                if is_listed && is_changed && different.is_ok() {
                    let (writing, messages) = (self.writing(), self.output.messages);
                    different = list_changed(writing, &self.tree.path(item), messages);
                }
            },
        );
        progress.finish();
        failures.iter().for_each(Messages::error);
        (totals, end, different)
    }

    /// Prints the notes on a document, and its details with `--verbose`.
    fn report(&self, item: &Item, report: &Report, aside: impl FnOnce(&dyn Fn())) {
        let messages = self.output.messages;
        let notes = notes(report, messages, || self.name(item));
        let detail = report.documents.as_ref().filter(|_| messages.are_verbose());
        // Printing redraws the bar after the text, which few documents need.
        if notes.is_empty() && detail.is_none() {
            return;
        }
        aside(&|| {
            notes.iter().for_each(Messages::error);
            for document in detail.iter().copied().flat_map(DocumentReport::all) {
                document.detail(&self.name(item), messages);
            }
        });
    }

    /// The failures of a file or of its parts.
    fn failures(&self, item: &Item, report: &Report) -> Vec<String> {
        if let FileOutcome::Failed(failure) = &report.outcome {
            return vec![format!("{}: {failure}", self.name(item))];
        }
        match &report.documents {
            Some(documents) if !documents.failures().is_empty() => {
                failures(documents, &self.name(item))
            }
            _ => Vec::new(),
        }
    }

    fn name(&self, item: &Item) -> String {
        printable_path(&self.tree.path(item))
    }

    /// Prints how far an interrupted run came, which is an error.
    fn interrupted(&self, totals: &Totals, interrupted: Interrupted) {
        Messages::error(totals.interrupted(self.tree.items().len(), interrupted));
    }

    /// Prints the summary of an interrupted run, and returns its exit code.
    fn stopped(
        &self,
        totals: &Totals,
        interrupted: Interrupted,
        started: Instant,
    ) -> Result<Status, Failure> {
        self.interrupted(totals, interrupted);
        unless_closed(totals.print_json(self.writing(), Ending::Interrupted, started))?;
        Ok(self.signals.received().map_or(Status::Failed, Status::Signal))
    }

    /// Prints the summary, and returns the exit code.
    fn conclude(
        &self,
        totals: &Totals,
        mode: RunMode,
        started: Instant,
    ) -> Result<Status, Failure> {
        let (writing, messages) = (self.writing(), self.output.messages);
        totals.report_signed(messages);
        totals.unresolved().report(messages, writing.unresolved(), &self.args.base);
        unless_closed(totals.print_json(writing, Ending::Complete, started))?;
        if writing.stats == StatsArg::Text {
            totals.text(mode, started).iter().for_each(|line| messages.warning(line));
        }
        if let Some(signal) = self.signals.received() {
            return Ok(Status::Signal(signal));
        }
        Ok(match () {
            () if totals.failures() > 0 => Status::Failed,
            () if (writing.check || writing.diff) && totals.would_change() => Status::Found,
            () if writing.strict && !totals.unresolved().is_empty() => Status::Found,
            () => Status::Done,
        })
    }
}
