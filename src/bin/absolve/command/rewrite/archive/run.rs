//! What the runs over all archives have in common.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{Workers, check_write};
use absolve::container::EntryId;
use absolve::container::wacz::WaczError;
use absolve::container::warc::{
    ArchiveError, Entry, LatePages, RecordOutcome, Rewriting, WarcInfo,
};
use absolve::{LinkCounts, Rewriter};
use indicatif::ProgressBar;

use super::output_path::output_path;
use super::totals::ArchiveTotals;
use crate::args::{RewriteArgs, StatsArg};
use crate::command::rewrite::destination::{
    is_to_stdout, is_trial, list_changed, print_stats, second_signal,
};
use crate::command::rewrite::totals::RunMode;
use crate::session::direction;
use crate::session::document_report::DocumentReport;
use crate::session::failure::{Failure, reason};
use crate::session::failure_log::{FailureLog, HeldFailures};
use crate::session::input::Input;
use crate::session::output::Output;
use crate::session::progress;
use crate::session::signals::Signals;
use crate::session::status::Status;
use crate::session::unresolved::Unresolved;
use crate::terminal::{Messages, Severity, printable_path};

/// What to do to rewrite responses with other statuses than 200 to 299.
const UNSUCCESSFUL: &str = "; redirects and errors are rewritten with --all-statuses";

/// A run over an archive.
pub(super) struct Run<'a> {
    pub(super) args: &'a RewriteArgs,
    pub(super) input: &'a Input,
    pub(super) name: String,
    /// The file that is written; stdout without it.
    pub(super) path: Option<&'a Path>,
    pub(super) rewriter: Rewriter,
    /// What the new archive says of this run.
    info: WarcInfo,
    pub(super) workers: Workers,
    pub(super) signals: Signals,
    pub(super) messages: Messages,
    pub(super) bar: ProgressBar,
    pub(super) log: FailureLog,
    /// The revisits that do not agree with rewritten records.
    pub(super) stale: HeldFailures,
    /// The pages that revisits before them refer to.
    late: LatePages,
    /// Whether this is the second run over the archive, of which only stale revisits are reported.
    is_second: Cell<bool>,
    unresolved: RefCell<Unresolved>,
    /// Whether stdout got a part of the new archive.
    pub(super) has_output: Cell<bool>,
}

/// Why a new archive was not written.
pub(super) enum ArchiveFailure {
    Archive(ArchiveError),
    /// It is not what was expected.
    Invalid(String),
    File(io::Error),
    /// The input cannot be opened.
    Input(Failure),
}

impl From<io::Error> for ArchiveFailure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<WaczError> for ArchiveFailure {
    fn from(error: WaczError) -> Self {
        match error {
            WaczError::Invalid(what) => Self::Invalid(what),
            WaczError::Read(error) => Self::Archive(ArchiveError::Read(error)),
            WaczError::Write(error) => Self::Archive(ArchiveError::Write(error)),
            _ => Self::Archive(ArchiveError::Stopped),
        }
    }
}

impl From<ArchiveError> for ArchiveFailure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(
        args: &'a RewriteArgs,
        input: &'a Input,
        output: Output,
        info: WarcInfo,
    ) -> Result<Self, Failure> {
        let name = input.name();
        let writing = &args.writing;
        let path = output_path(writing, input)?;
        direction::check_archive(args)?;
        let rewriter = direction::rewriter(args)?;
        let rewriter = Input::rewriter_of_archive(rewriter, &args.base.origins()?);
        let workers = Workers::new(args.inputs.files.jobs);
        let workers = workers.map_err(|error| Failure::threads(&error))?;
        // On a terminal, the bar would be between the lines of the archive.
        let bar = if is_to_stdout(writing) && io::stdout().is_terminal() {
            ProgressBar::hidden()
        } else {
            progress::of_bytes(0, output)
        };
        let (signals, messages) = (Signals::watch(second_signal(writing)), output.messages);
        Ok(Self {
            args,
            input,
            name,
            path,
            rewriter,
            info,
            workers,
            signals,
            messages,
            bar,
            log: FailureLog::new(output.messages, Severity::Error),
            stale: HeldFailures::new(output.messages, Severity::Warning),
            late: LatePages::default(),
            is_second: Cell::new(false),
            unresolved: RefCell::new(Unresolved::of_archive()),
            has_output: Cell::new(false),
        })
    }

    /// Checks that the file can be written, before the archive is read.
    pub(super) fn check_write(&self) -> Result<(), ArchiveFailure> {
        Ok(self.path.map_or(Ok(()), |path| check_write(path, None))?)
    }

    /// How archives are rewritten.
    pub(super) fn rewriting(&self) -> Rewriting<'_> {
        self.args.writing.rewriting(&self.rewriter, &self.info).late_pages(&self.late)
    }

    /// Whether the archive is to be read again, since revisits come before their pages. Then, this is
    /// the second run.
    pub(super) fn is_again(&self) -> bool {
        let is_again = self.signals.received().is_none() && self.late.needs_second_run();
        if is_again {
            self.is_second.set(true);
            self.stale.clear();
            self.bar.reset();
        }
        is_again
    }

    /// Counts and reports a record of the archive of this name; breaks after a signal.
    pub(super) fn record(
        &self,
        name: &str,
        entry: &Entry,
        links: &mut LinkCounts,
    ) -> ControlFlow<()> {
        if let RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) =
            &entry.outcome
        {
            *links += summary.counts();
        }
        if !self.is_second.get() || matches!(entry.outcome, RecordOutcome::Stale(_)) {
            self.report(name, entry);
        }
        match self.signals.received() {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }

    /// Reports failures and notes of a record.
    fn report(&self, name: &str, entry: &Entry) {
        let place = EntryId::Record(entry.position);
        let failed = |why: &dyn std::fmt::Display| {
            self.bar.suspend(|| self.log.add(name, place, why));
        };
        match &entry.outcome {
            RecordOutcome::Failed(problem) => failed(problem),
            RecordOutcome::Stale(problem) => self.stale.add(name, place, problem),
            RecordOutcome::Skipped(skip) => failed(skip),
            RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) => {
                let document = DocumentReport::of(Some(place), summary);
                if document.is_unresolved() {
                    self.unresolved.borrow_mut().add(&document, name);
                }
                let notes: Vec<_> = document.notes(name).collect();
                if !notes.is_empty() || self.messages.are_verbose() {
                    self.bar.suspend(|| {
                        for note in &notes {
                            self.messages.warning(note);
                        }
                        document.detail(name, self.messages);
                    });
                }
            }
            _ => {}
        }
    }

    pub(super) fn failure(&self, error: ArchiveFailure) -> Failure {
        let cannot = |what: &str, name: &str, error: &io::Error| {
            let (why, state) = (reason(error), self.output_state());
            Failure::of(name, format_args!("cannot {what}: {why}; {state}"))
        };
        match error {
            ArchiveFailure::Archive(ArchiveError::Read(error)) => {
                cannot("read", &self.name, &error)
            }
            ArchiveFailure::Archive(ArchiveError::Write(error)) | ArchiveFailure::File(error) => {
                let path = self.path.map(printable_path);
                cannot("write", path.as_deref().unwrap_or(&self.name), &error)
            }
            ArchiveFailure::Input(failure) => failure,
            ArchiveFailure::Invalid(what) => {
                Failure::of(&self.name, format_args!("{what}; {}", self.output_state()))
            }
            ArchiveFailure::Archive(other) => {
                Failure::of(&self.name, format_args!("{other}; {}", self.output_state()))
            }
        }
    }

    /// The state of the output after a failure.
    pub(super) fn output_state(&self) -> &'static str {
        if self.has_output.get() { "the output is incomplete" } else { "nothing was written" }
    }

    /// Prints the summary, and returns the exit code.
    pub(super) fn conclude(
        &self,
        totals: &ArchiveTotals,
        started: Instant,
    ) -> Result<Status, Failure> {
        let writing = &self.args.writing;
        if totals.is_changed() {
            let path = if let Input::File(path) = self.input { path } else { Path::new("stdin") };
            list_changed(writing, path, self.messages)?;
        }
        if let Some(options) = self.args.records.given().filter(|_| totals.has_no_document()) {
            let is_left_out = self.args.records.is_of_unsuccessful() && !writing.all_statuses;
            let advice = if is_left_out { UNSUCCESSFUL } else { "" };
            let name = &self.name;
            self.messages.warning(format_args!("{name}: no document matches {options}{advice}"));
        }
        let unresolved = self.unresolved.borrow();
        unresolved.report(self.messages, writing.unresolved(), &self.args.base);
        let seconds = started.elapsed().as_secs_f64();
        match writing.stats {
            StatsArg::Json => print_stats(writing, &totals.stats(&unresolved, seconds))?,
            StatsArg::Text => {
                let mode = if is_trial(writing) { RunMode::Would } else { RunMode::Done };
                totals.text(mode, seconds).iter().for_each(|line| self.messages.warning(line));
            }
        }
        Ok(match () {
            () if totals.has_failed() => Status::Failed,
            () if writing.check && totals.is_changed() => Status::Found,
            () if writing.strict && !unresolved.is_empty() => Status::Found,
            () => Status::Done,
        })
    }
}
