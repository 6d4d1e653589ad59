//! A tree of documents.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{
    Commit, Destination, FileOutcome, HardLinks, Item, Origins, PlannedMirror, Report, Rewriting,
    RunStatus, Tree, Workers, WriteMode, allow_open_files, check_in_place, lock_if_large, names,
};
use absolve::{Limits, Rewriter, container};

use super::destination::{
    is_to_stdout, is_trial, list_changed, names_stdout, purpose, second_signal,
};
use super::diff;
use super::totals::{Ending, Interrupted, RunMode, Totals};
use crate::args::{RewriteArgs, StatsArg, WritingArgs};
use crate::session::document_report::{DocumentReport, failures, notes};
use crate::session::failure::Failure;
use crate::session::inputs::Paths;
use crate::session::ordered_output::map_ordered;
use crate::session::output::Output;
use crate::session::progress::{Progress, Results};
use crate::session::signals::Signals;
use crate::session::status::Status;
use crate::terminal::{Messages, Reader, printable};
use absolve::report::display::counted;

/// What a run over a tree has.
struct Run<'a> {
    args: &'a RewriteArgs,
    tree: &'a Tree,
    rewriter: &'a Rewriter,
    origins: &'a Origins,
    jobs: Workers,
    output: Output,
    signals: Signals,
}

pub(super) fn run(args: &RewriteArgs, paths: &Paths, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let writing = &args.writing;
    let origins = &args.base.origins()?;
    let (others, purpose) = (writing.others(), purpose(writing));
    let tree = paths.walk(&args.inputs, others, purpose, origins.base(), output.messages)?;
    if tree.items().is_empty() && is_to_stdout(writing) {
        output.messages.warning("no documents found");
        return Ok(Status::Done);
    }
    refuse_stdout(writing)?;
    let rewriter =
        args.document.rewriter(&args.base).map_err(|error| Failure::Message(error.to_string()))?;
    let jobs = Workers::new(args.inputs.files.jobs)
        .map_err(|error| Failure::Message(error.to_string()))?;
    let signals = Signals::watch(second_signal(writing));
    let run = Run { args, tree: &tree, rewriter: &rewriter, origins, jobs, output, signals };
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
    let (mut interrupted, mut mode) = match destination {
        Destination::Check(_) | Destination::Preview(_) => (Interrupted::Trial, RunMode::Would),
        Destination::InPlace => (Interrupted::InPlace, RunMode::Done),
        Destination::Mirror(_) => (Interrupted::IntoFolder, RunMode::Done),
    };
    let (totals, end, listed) = run.rewrite(&destination);
    if end == RunStatus::NotWritten {
        return Err(not_written(totals.failures()));
    }
    if let Destination::Mirror(mirror) = destination {
        let is_unwanted = writing.all_or_nothing && totals.has_failed();
        if mirror.is_staged() && (end == RunStatus::Stopped || is_unwanted) {
            mode = RunMode::Would;
            interrupted = Interrupted::Discarded;
            mirror.discard();
            if end != RunStatus::Stopped {
                output.messages.warning("nothing was written");
            }
        } else if end != RunStatus::Stopped {
            mirror.finish(writing.sync()).map_err(refused)?;
        }
    }
    let status = if end == RunStatus::Stopped {
        run.stopped(&totals, interrupted, started)?
    } else {
        run.conclude(&totals, mode, started)?
    };
    // Who reads the list no more still gets the files, and the exit code for them.
    if !matches!(listed, Err(Failure::ClosedPipe)) {
        listed?;
    }
    Ok(unless_unflushed(&end, status))
}

/// The exit code of a run whose files may not be on the disk yet, which is an error.
fn unless_unflushed(end: &RunStatus, status: Status) -> Status {
    let RunStatus::Unflushed(failure) = end else { return status };
    Messages::error(failure);
    if let Status::Done = status { Status::Failed } else { status }
}

/// Refuses to write several documents to stdout.
fn refuse_stdout(writing: &WritingArgs) -> Result<(), Failure> {
    let to_stdout = writing.output.is_none() || names_stdout(writing);
    if !writing.write && to_stdout && (writing.output.is_some() || !is_trial(writing)) {
        let what = "cannot write several documents to stdout; give --output DIR, or --write to rewrite in place";
        return Err(Failure::Message(what.to_owned()));
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn refused(refusal: absolve::batch::PreflightError) -> Failure {
    Failure::of(&printable(&refusal.path().to_string_lossy()), refusal.message())
}

/// After `--all-or-nothing` found documents that fail.
fn not_written(failed: usize) -> Failure {
    let documents = counted(failed, "document");
    Failure::Message(format!("{documents} failed, nothing was written"))
}

impl Run<'_> {
    fn writing(&self) -> &WritingArgs {
        &self.args.writing
    }

    fn rewriting<'r>(&'r self, destination: &'r Destination) -> Rewriting<'r> {
        let writing = self.writing();
        Rewriting {
            rewriter: self.rewriter,
            format: self.args.inputs.format(),
            origins: self.origins,
            destination,
            sync: writing.sync(),
            commit: if writing.all_or_nothing { Commit::AtEnd } else { Commit::InBatches },
            times: writing.times(),
            hard_links: writing.hard_links(),
            backup: writing.backup.as_deref(),
        }
    }

    /// Where documents go, after everything that is refused before anything is written.
    fn destination(&self) -> Result<Destination, Failure> {
        let writing = self.writing();
        let checked = match &writing.output {
            Some(path) => {
                Some(PlannedMirror::new(self.tree, path, writing.not_empty()).map_err(refused)?)
            }
            None if writing.write => {
                check_in_place(self.tree).map_err(refused)?;
                None
            }
            None => return Ok(Destination::Check(WriteMode::Read)),
        };
        let trial = checked.map_or(Destination::Check(purpose(writing)), Destination::Preview);
        if writing.dry_run {
            return Ok(trial);
        }
        let written = if writing.all_or_nothing { Some(self.try_all(&trial)?) } else { None };
        let checked = if let Destination::Preview(checked) = trial { Some(checked) } else { None };
        if let Some(written) = written {
            if checked.as_ref().is_none_or(|checked| !checked.is_empty()) {
                let path = writing.output.as_deref().unwrap_or(Path::new("."));
                allow_open_files(written, path).map_err(refused)?;
            }
            if self.signals.received().is_some() {
                return Ok(Destination::Check(WriteMode::Read));
            }
        }
        Ok(match checked {
            Some(checked) => Destination::Mirror(checked.make(self.tree).map_err(refused)?),
            None => Destination::InPlace,
        })
    }

    /// Finds out whether any document fails, before anything is written, and how many files
    /// would be written.
    fn try_all(&self, trial: &Destination) -> Result<usize, Failure> {
        let (mut failed, mut written) = (0, 0);
        self.rewriting(trial).run(self.tree, &self.jobs, &self.signals, &mut |item, report| {
            let failures = self.failures(item, &report);
            failed += failures.len();
            let is_written = match purpose(self.writing()) {
                WriteMode::Replace => matches!(report.outcome, FileOutcome::Rewritten),
                _ => true,
            };
            written += usize::from(is_written);
            failures.iter().for_each(Messages::error);
        });
        if failed > 0 { Err(not_written(failed)) } else { Ok(written) }
    }

    /// Rewrites the tree. A failure to print the list of changed files is
    /// returned apart, as the files do not depend on it.
    fn rewrite(&self, destination: &Destination) -> (Totals, RunStatus, Result<(), Failure>) {
        let mut totals = Totals::default();
        let mut failures = Vec::new();
        let mut different = Ok(());
        let is_listed = self.writing().list_different || self.writing().check;
        let results = if is_listed { Results::Meanwhile } else { Results::Afterwards };
        let files = self.tree.items().len();
        let progress = Progress::new(files, self.output, results, &self.signals);
        let end = self.rewriting(destination).run(
            self.tree,
            &self.jobs,
            &progress,
            &mut |item, report| {
                totals.add(&report, || self.name(item));
                self.say(item, &report, |print| progress.aside(print));
                failures.extend(self.failures(item, &report));
                let is_listed = matches!(report.outcome, FileOutcome::Rewritten);
                if is_listed && different.is_ok() {
                    let (writing, messages) = (self.writing(), self.output.messages);
                    different = list_changed(writing, &self.tree.path(item), messages);
                }
            },
        );
        progress.finish();
        for failure in failures {
            Messages::error(failure);
        }
        (totals, end, different)
    }

    /// Says of one document what a reader should know.
    fn say(&self, item: &Item, report: &Report, aside: impl FnOnce(&dyn Fn())) {
        let messages = self.output.messages;
        let notes = notes(report, messages, || self.name(item));
        let detail = report.documents.as_ref().filter(|_| messages.are_verbose());
        // Printing redraws the bar after the text, which few documents need.
        if notes.is_empty() && detail.is_none() {
            return;
        }
        aside(&|| {
            notes.iter().for_each(Messages::error);
            for seen in detail.iter().copied().flat_map(DocumentReport::all) {
                seen.detail(&self.name(item), messages);
            }
        });
    }

    /// What went wrong in a file.
    fn failures(&self, item: &Item, report: &Report) -> Vec<String> {
        let name = self.name(item);
        let of_parts = report.documents.iter().flat_map(|seen| failures(seen, &name));
        match &report.outcome {
            FileOutcome::Failed(failure) => vec![format!("{name}: {failure}")],
            _ => of_parts.collect(),
        }
    }

    fn name(&self, item: &Item) -> String {
        printable(&self.tree.path(item).to_string_lossy())
    }

    /// Prints what would change.
    fn diff(&self, started: Instant) -> Result<Status, Failure> {
        let mut totals = Totals::default();
        let mut failures = Vec::new();
        let (color, reader) = (self.output.color, Reader::of_stdout());
        let shown = diff::Names::new();
        let limits: Limits = self.args.document.limits();
        let printed = map_ordered(
            &self.jobs,
            self.tree,
            &self.signals,
            |desk, item, out| {
                desk.read(self.tree, item, &limits)?;
                let rewriter = desk.rewriter(self.tree, item, self.rewriter, self.origins)?;
                let _turn = lock_if_large(desk.source().len() as u64);
                let path = self.tree.path(item);
                if let Some(names) = self.other_names(&path) {
                    let outcome = FileOutcome::of_hard_links(self.tree, item, names);
                    return Ok(Report { outcome, documents: None });
                }
                let format = self.args.inputs.detect(&path, desk.source())?;
                let (source, scratch) = desk.parts();
                let rewritten = container::rewrite(source, format, &rewriter, scratch)?;
                let is_changed = rewritten.is_changed();
                if is_changed {
                    let diff = diff::unified(
                        shown.of(&path).as_os_str(),
                        (source, rewritten.bytes()),
                        color,
                        reader,
                    );
                    out.write_all(&diff)?;
                }
                let outcome =
                    if is_changed { FileOutcome::Rewritten } else { FileOutcome::Unchanged };
                Ok(Report { outcome, documents: Some(rewritten.into_summary()) })
            },
            |item, report| {
                totals.add(&report, || self.name(item));
                self.say(item, &report, |print| print());
                failures.extend(self.failures(item, &report));
                ControlFlow::Continue(())
            },
        );
        printed?;
        for failure in failures {
            Messages::error(failure);
        }
        if self.signals.received().is_some() && totals.seen() < self.tree.items().len() {
            return self.stopped(&totals, Interrupted::Trial, started);
        }
        self.conclude(&totals, RunMode::Would, started)
    }

    /// How many names a file has, if a run in place does not rewrite it because of them.
    fn other_names(&self, path: &Path) -> Option<u64> {
        let are_skipped = self.writing().hard_links() == HardLinks::Skip;
        names(path).ok().filter(|&names| are_skipped && names > 1)
    }

    /// Prints how far a run came that a signal stopped, which is an error.
    fn interrupted(&self, totals: &Totals, interrupted: Interrupted) {
        Messages::error(totals.interrupted(self.tree.items().len(), interrupted));
    }

    /// The summary of a run that a signal stopped, and its exit code.
    fn stopped(
        &self,
        totals: &Totals,
        interrupted: Interrupted,
        started: Instant,
    ) -> Result<Status, Failure> {
        self.interrupted(totals, interrupted);
        match totals.print_json(self.writing(), Ending::Interrupted, started) {
            Err(Failure::ClosedPipe) | Ok(()) => {}
            failed => failed?,
        }
        Ok(self.signals.received().map_or(Status::Failed, Status::Signal))
    }

    /// The summary, and the exit code.
    fn conclude(
        &self,
        totals: &Totals,
        mode: RunMode,
        started: Instant,
    ) -> Result<Status, Failure> {
        let (writing, messages) = (self.writing(), self.output.messages);
        totals.unresolved().report(messages, writing.unresolved());
        // Who reads the totals no more still gets the exit code for the files.
        match totals.print_json(writing, Ending::Complete, started) {
            Err(Failure::ClosedPipe) | Ok(()) => {}
            failed => failed?,
        }
        if writing.stats == StatsArg::Text {
            for line in totals.text(mode, started) {
                messages.warning(line);
            }
        }
        if let Some(signal) = self.signals.received() {
            return Ok(Status::Signal(signal));
        }
        Ok(match () {
            () if totals.has_failed() => Status::Failed,
            () if (writing.check || writing.diff) && totals.would_change() => Status::Found,
            () if writing.strict && !totals.unresolved().is_empty() => Status::Found,
            () => Status::Done,
        })
    }
}
