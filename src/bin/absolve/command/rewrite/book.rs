//! A book in, a book out.

use std::fs::File;
use std::io::{self, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{Access, Content, check_write, write_with_like};
use absolve::container::epub::{Book, BookEntry, BookError, BookTotals};
use absolve::report::display::{counted, thousands};
use absolve::{LinkCounts, Rewriter, batch};
use serde::Serialize;

use super::destination::{
    check_output, check_replaceable, is_to_stdout, is_trial, list_changed, names_stdout,
    print_stats,
};
use super::totals::{LinkStats, RunMode, links_text};
use crate::args::{RewriteArgs, StatsArg};
use crate::command::diff;
use crate::session::book::{failure, open, path_of_member, rewriter};
use crate::session::document_report::DocumentReport;
use crate::session::failure::{Failure, reason};
use crate::session::input::Input;
use crate::session::output::{Output, is_special, to_stdout};
use crate::session::signals::{SecondSignal, Signals};
use crate::session::status::Status;
use crate::terminal::{Messages, Reader, Severity, printable_path};

/// A run over a book.
struct Run<'a> {
    args: &'a RewriteArgs,
    path: &'a Path,
    name: String,
    rewriter: Rewriter,
    signals: Signals,
    output: Output,
}

/// Why a new book was not written.
enum BookFailure {
    Book(BookError),
    File(io::Error),
    /// It can be written to a regular file only.
    NotAFile,
    Other(Failure),
}

impl From<io::Error> for BookFailure {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<BookError> for BookFailure {
    fn from(error: BookError) -> Self {
        Self::Book(error)
    }
}

pub(super) fn run(args: &RewriteArgs, path: &Path, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let name = printable_path(path);
    let input = Input::File(path.to_owned());
    let rewriter = rewriter(args, &name)?;
    if is_to_stdout(&args.writing) || names_stdout(&args.writing) {
        let what = "a book cannot be written to stdout; give --output FILE, or --write";
        return Err(Failure::of(&name, what));
    }
    check_output(&input, &args.writing)?;
    check_replaceable(args, path).map_err(|why| Failure::of(&name, why))?;
    let signals = Signals::watch(SecondSignal::Ends);
    let run = Run { args, path, name, rewriter, signals, output };
    let to = if args.writing.write { Some(path) } else { args.writing.output.as_deref() };
    let totals = match to.filter(|_| !is_trial(&args.writing)) {
        None => run.trial(to),
        Some(to) if is_special(to) => Err(BookFailure::NotAFile),
        Some(to) => write_with_like(path, to, |file, access| run.to_file(file, access)),
    };
    match (totals, run.signals.received()) {
        (Ok(totals), None) => run.conclude(&totals, started),
        (Ok(_) | Err(BookFailure::Book(BookError::Stopped)), Some(signal)) => {
            Messages::error(format_args!("interrupted: {}: nothing was written", run.name));
            Ok(Status::Signal(signal))
        }
        (Err(error), _) => Err(run.failure(error, to)),
    }
}

impl Run<'_> {
    fn open(&self) -> Result<Book<File>, BookFailure> {
        open(self.path, &self.args.document.limits.documents).map_err(BookFailure::Other)
    }

    /// Does everything except writing.
    fn trial(&self, to: Option<&Path>) -> Result<BookTotals, BookFailure> {
        let totals = self.open()?.check(&self.rewriter, |entry| self.report(entry))?;
        if let Some(to) = to {
            check_write(to, None)?;
        }
        Ok(totals)
    }

    fn to_file(&self, mut file: &File, access: Access) -> Result<Content<BookTotals>, BookFailure> {
        if access != Access::New {
            return Err(BookFailure::NotAFile);
        }
        let mut book = self.open()?;
        let buffered = io::BufWriter::new(file);
        let totals = book.rewrite(buffered, &self.rewriter, |entry| self.report(entry))?;
        if totals.bytes > 0 {
            return Ok(Content::New(totals));
        }
        if self.args.writing.write {
            return Ok(Content::Unchanged(totals));
        }
        file.rewind()?;
        io::copy(&mut batch::open(self.path)?, &mut file)?;
        Ok(Content::New(totals))
    }

    /// Reports one document.
    fn report(&self, entry: &BookEntry<'_>) -> ControlFlow<()> {
        let (writing, messages) = (&self.args.writing, self.output.messages);
        let path = path_of_member(self.path, &entry.document.name);
        let name = printable_path(&path);
        match &entry.result {
            Err(error) => Messages::error(format_args!("{name}: {error}")),
            Ok(rewritten) => {
                let document = DocumentReport::of(None, rewritten.summary());
                document.report(&name, messages, Severity::Warning, &self.args.base);
                if rewritten.is_changed() && writing.diff {
                    let texts = (entry.source, rewritten.bytes());
                    let (color, reader) = (self.output.color, Reader::of_stdout());
                    let diff = diff::unified(path.as_os_str(), texts, color, reader);
                    if to_stdout(|out| out.write_all(&diff)).is_err() {
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        if self.signals.received().is_some() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn failure(&self, error: BookFailure, to: Option<&Path>) -> Failure {
        match error {
            BookFailure::Other(failure) => failure,
            BookFailure::NotAFile => {
                let what = "a book can be written to a regular file only; nothing was written";
                Failure::of(&self.name, what)
            }
            BookFailure::File(error) | BookFailure::Book(BookError::Write(error)) => {
                let path = to.map_or_else(|| self.name.clone(), printable_path);
                let what = format_args!("cannot write: {}; nothing was written", reason(&error));
                Failure::of(&path, what)
            }
            BookFailure::Book(BookError::Invalid(what)) => {
                Failure::of(&self.name, format_args!("{what}; nothing was written"))
            }
            BookFailure::Book(error) => failure(&self.name, error),
        }
    }

    /// Prints the summary, and returns the exit code.
    fn conclude(&self, totals: &BookTotals, started: Instant) -> Result<Status, Failure> {
        let (writing, messages) = (&self.args.writing, self.output.messages);
        let is_changed = totals.rewritten > 0;
        if is_changed {
            list_changed(writing, self.path, messages)?;
        }
        let seconds = started.elapsed().as_secs_f64();
        let mode = if is_trial(writing) { RunMode::Would } else { RunMode::Done };
        match writing.stats {
            StatsArg::Json => print_stats(writing, &Stats::of(totals, seconds))?,
            StatsArg::Text => {
                let BookTotals { rewritten, unchanged, failed, .. } = *totals;
                messages.warning(format_args!(
                    "{}: {} {}, {} unchanged, {} failed",
                    counted(rewritten + unchanged + failed, "document"),
                    thousands(rewritten),
                    mode.rewritten(),
                    thousands(unchanged),
                    thousands(failed)
                ));
                messages.warning(links_text(&totals.links, mode, seconds));
            }
        }
        Ok(match () {
            () if totals.failed > 0 => Status::Failed,
            () if (writing.check || writing.diff) && is_changed => Status::Found,
            () => Status::Done,
        })
    }
}

/// The totals as JSON.
#[derive(Serialize)]
struct Stats {
    documents: DocumentCounts,
    #[serde(with = "LinkStats")]
    links: LinkCounts,
    seconds: f64,
}

/// Documents by outcome.
#[derive(Serialize)]
struct DocumentCounts {
    rewritten: u64,
    unchanged: u64,
    failed: u64,
}

impl Stats {
    fn of(totals: &BookTotals, seconds: f64) -> Self {
        let BookTotals { rewritten, unchanged, failed, links, .. } = *totals;
        Self { documents: DocumentCounts { rewritten, unchanged, failed }, links, seconds }
    }
}
