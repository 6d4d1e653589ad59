//! A web archive in, a web archive out.

mod index;
mod output_path;
mod totals;

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{Access, Content, Workers, check_write, write_with};
use absolve::container::EntryId;
use absolve::container::warc::{ArchiveError, Entry, Reader, RecordOutcome, WarcInfo};
use absolve::{LinkCounts, Rewriter};
use indicatif::ProgressBar;

use super::destination::{is_to_stdout, is_trial, list_changed, print_stats, second_signal};
use super::totals::RunMode;
use super::unresolved::Unresolved;
use crate::args::{RewriteArgs, StatsArg};
use crate::session::config::Settings;
use crate::session::date;
use crate::session::document_report::DocumentReport;
use crate::session::failure::{Failure, reason};
use crate::session::failure_log::FailureLog;
use crate::session::input::{Input, Stream};
use crate::session::output::Output;
use crate::session::progress;
use crate::session::signals::Signals;
use crate::session::status::Status;
use crate::terminal::{Messages, Severity, printable_path};
use index::{ArchiveIndex, IndexFile};
use output_path::{check_replaceable, output_path};
use totals::ArchiveTotals;

pub(super) fn run(
    settings: &Settings<RewriteArgs>,
    input: &Input,
    output: Output,
) -> Result<Status, Failure> {
    let started = Instant::now();
    let args = &settings.args;
    let name = input.name();
    if let Some(option) = args.writing.not_for_archives() {
        return Err(Failure::of(&name, format_args!("{option} is not for a web archive")));
    }
    if let Input::File(path) = input {
        check_replaceable(args, path).map_err(|why| Failure::of(&name, why))?;
    }
    let info = WarcInfo::new(date::text(date::of_run()?)).options(settings.options());
    let run = Run::new(args, input, output, info)?;
    if !args.writing.write {
        run.check_write().map_err(|error| run.failure(error))?;
    }
    let index = IndexFile::new(&args.writing, input, run.path)?;
    let totals = if is_trial(&args.writing) {
        run.trial(input.open()?).map_err(|error| run.failure(error))
    } else if let Some(index) = index {
        index.write_after(run.messages, |index| run.write(Some(index)))
    } else {
        run.write(None)
    };
    run.bar.finish_and_clear();
    run.log.end(&run.name);
    run.stale.end(&run.name);
    match (totals, run.signals.received()) {
        (Err(Failure::Message(_)), Some(signal)) => {
            Messages::error(format_args!("interrupted: {}: {}", run.name, run.output_state()));
            Ok(Status::Signal(signal))
        }
        (_, Some(signal)) => Ok(Status::Signal(signal)),
        (Err(failure), None) => Err(failure),
        (Ok(totals), None) => run.conclude(&totals, started),
    }
}

/// A run over an archive.
struct Run<'a> {
    args: &'a RewriteArgs,
    input: &'a Input,
    name: String,
    /// The file that is written; stdout without it.
    path: Option<&'a Path>,
    rewriter: Rewriter,
    /// What the new archive says of this run.
    info: WarcInfo,
    workers: Workers,
    signals: Signals,
    messages: Messages,
    bar: ProgressBar,
    log: FailureLog,
    /// The revisits that do not agree with rewritten records.
    stale: FailureLog,
    unresolved: RefCell<Unresolved>,
}

/// Why a new archive was not written.
enum ArchiveFailure {
    Archive(ArchiveError),
    File(io::Error),
    /// The input cannot be opened.
    Input(Failure),
    /// Some records failed, and `--all-or-nothing` is set.
    Part,
}

impl From<io::Error> for ArchiveFailure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<ArchiveError> for ArchiveFailure {
    fn from(error: ArchiveError) -> Self {
        Self::Archive(error)
    }
}

impl<'a> Run<'a> {
    fn new(
        args: &'a RewriteArgs,
        input: &'a Input,
        output: Output,
        info: WarcInfo,
    ) -> Result<Self, Failure> {
        let name = input.name();
        let writing = &args.writing;
        let path = output_path(writing, input)?;
        let rewriter = args.document.rewriter(&args.base);
        let rewriter = rewriter.map_err(|error| Failure::of(&name, error))?;
        let rewriter = Input::rewriter_of_archive(rewriter, &args.base.origins()?);
        let workers = Workers::new(args.inputs.files.jobs);
        let workers = workers.map_err(|error| Failure::of(&name, error))?;
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
            stale: FailureLog::new(output.messages, Severity::Warning),
            unresolved: RefCell::new(Unresolved::of_archive()),
        })
    }

    /// Checks that the file can be written, before the archive is read.
    fn check_write(&self) -> Result<(), ArchiveFailure> {
        Ok(self.path.map_or(Ok(()), |path| check_write(path, None))?)
    }

    /// Does everything except writing.
    fn trial(&self, stream: Stream) -> Result<ArchiveTotals, ArchiveFailure> {
        let totals = self.pass(stream, None::<io::Sink>, None)?;
        if totals.is_changed() {
            self.check_write()?;
        }
        Ok(totals)
    }

    /// Writes the new archive, and adds its records to an index.
    fn write(&self, index: ArchiveIndex<'_>) -> Result<ArchiveTotals, Failure> {
        if let Some(path) = self.path {
            return write_with(path, |file, access| self.to_file(file, access, index))
                .map_err(|error| self.failure(error));
        }
        let stdout = io::stdout().lock();
        self.pass(self.input.open()?, Some(stdout), index).map_err(|error| match error {
            ArchiveFailure::Archive(ArchiveError::Write(error)) => Failure::output(&error),
            error => self.failure(error),
        })
    }

    /// Writes the new archive; without output, reports what would change.
    fn pass(
        &self,
        stream: Stream,
        output: Option<impl Write>,
        index: ArchiveIndex<'_>,
    ) -> Result<ArchiveTotals, ArchiveFailure> {
        match stream {
            Stream::File(file, size) => {
                self.bar.set_length(size);
                self.read(Reader::seekable(self.bar.wrap_read(file)), output, index)
            }
            Stream::Other(source) => self.read(Reader::new(source), output, index),
        }
    }

    fn read<R: Read + Send>(
        &self,
        archive: Reader<R>,
        output: Option<impl Write>,
        index: ArchiveIndex<'_>,
    ) -> Result<ArchiveTotals, ArchiveFailure> {
        let rewriting = self.args.writing.rewriting(&self.rewriter, &self.info);
        let limits = self.args.document.limits.archives;
        let archive = archive.limits(limits).select(self.args.records.selection());
        let mut links = LinkCounts::default();
        let report = |entry: &Entry| {
            if let RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) =
                &entry.outcome
            {
                links += summary.counts();
            }
            self.report(entry);
            match self.signals.received() {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        };
        let workers = &self.workers;
        let records = match (output, index) {
            (Some(output), Some(index)) => {
                rewriting.run_with_index(archive, output, workers, index, report)
            }
            (Some(output), None) => rewriting.run(archive, output, workers, report),
            (None, _) => rewriting.check(archive, workers, report),
        };
        Ok(ArchiveTotals { records: records.map_err(ArchiveFailure::Archive)?, links })
    }

    fn to_file(
        &self,
        mut file: &File,
        access: Access,
        mut index: ArchiveIndex<'_>,
    ) -> Result<Content<ArchiveTotals>, ArchiveFailure> {
        let open = || self.input.open().map_err(ArchiveFailure::Input);
        let totals = self.pass(open()?, Some(file), index.as_deref_mut())?;
        if self.args.writing.all_or_nothing && totals.has_failed() {
            return Err(ArchiveFailure::Part);
        }
        if totals.is_changed() {
            return Ok(Content::New(totals));
        }
        // No record changed, so that the split of large gzip members is undone.
        if totals.records.split > 0
            && access == Access::New
            && let Stream::File(mut source, _) = open()?
        {
            if !self.args.writing.write {
                file.set_len(0)?;
                file.rewind()?;
                io::copy(&mut source, &mut file)?;
                source.rewind()?;
            }
            if let Some(index) = index {
                index.clear();
                let source = Reader::seekable(source).limits(self.args.document.limits.archives);
                source.index(index).map_err(ArchiveError::Read)?;
            }
        }
        if self.args.writing.write {
            return Ok(Content::Unchanged(totals));
        }
        Ok(Content::New(totals))
    }

    /// Reports failures and notes of a record.
    fn report(&self, entry: &Entry) {
        let place = EntryId::Record(entry.position);
        let failed = |why: &dyn std::fmt::Display| {
            self.bar.suspend(|| self.log.add(&self.name, place, why));
        };
        match &entry.outcome {
            RecordOutcome::Failed(problem) => failed(problem),
            RecordOutcome::Stale(problem) => {
                self.bar.suspend(|| self.stale.add(&self.name, place, problem));
            }
            RecordOutcome::Skipped(skip) => failed(skip),
            RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) => {
                let document = DocumentReport::of(Some(place), summary);
                if document.is_unresolved() {
                    self.unresolved.borrow_mut().add(&document, &self.name);
                }
                let notes: Vec<_> = document.notes(&self.name).collect();
                if !notes.is_empty() || self.messages.are_verbose() {
                    self.bar.suspend(|| {
                        for note in &notes {
                            self.messages.warning(note);
                        }
                        document.detail(&self.name, self.messages);
                    });
                }
            }
            _ => {}
        }
    }

    fn failure(&self, error: ArchiveFailure) -> Failure {
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
            ArchiveFailure::Part => {
                Failure::of(&self.name, "not all of it could be done, nothing was written")
            }
            ArchiveFailure::Archive(other) => {
                Failure::of(&self.name, format_args!("{other}; {}", self.output_state()))
            }
        }
    }

    /// The state of the output after a failure.
    fn output_state(&self) -> &'static str {
        if is_to_stdout(&self.args.writing) {
            "the output is incomplete"
        } else {
            "nothing was written"
        }
    }

    /// Prints the summary, and returns the exit code.
    fn conclude(&self, totals: &ArchiveTotals, started: Instant) -> Result<Status, Failure> {
        let writing = &self.args.writing;
        if totals.is_changed() {
            let path = if let Input::File(path) = self.input { path } else { Path::new("stdin") };
            list_changed(writing, path, self.messages)?;
        }
        let unresolved = self.unresolved.borrow();
        unresolved.report(self.messages, writing.unresolved());
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
