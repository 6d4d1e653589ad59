//! The links of a web archive, record by record.

use std::borrow::Borrow;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use absolve::batch::{Workers, lock_if_large};
use absolve::container::warc::{Entry, Page, PageHandle, Reader, RecordOutcome, RecordPosition};
use absolve::container::{Documents, EntryId, Format};
use absolve::{Rewriter, Summary};

use super::document::{Document, INTERRUPTED, NO_DOCUMENT, header};
use super::record::Shown;
use crate::args::LinksArgs;
use crate::session::document_report::DocumentReport;
use crate::session::failure::{Failure, reason};
use crate::session::failure_log::FailureLog;
use crate::session::input::{Input, Stream};
use crate::session::ordered_output::BoundedBuffer;
use crate::session::output::to_stdout;
use crate::session::signals::{SecondSignal, Signals};
use crate::session::status::Status;
use crate::session::stored::{open_range, path_of_stored, stored_archives};
use crate::terminal::{Messages, Severity, printable_path};

/// Lists an archive, or the record at a position.
pub(super) fn run(
    args: &LinksArgs,
    input: &Input,
    only: Option<RecordPosition>,
    messages: Messages,
) -> Result<Status, Failure> {
    let archives = [input.open().map(|stream| (input, stream))];
    run_all(args, archives, &input.name(), only, messages)
}

/// Lists the archives in a WACZ archive, in the order of their bytes.
pub(super) fn run_wacz(
    args: &LinksArgs,
    wacz: &Path,
    messages: Messages,
) -> Result<Status, Failure> {
    let archives = stored_archives(wacz)?;
    let archives = archives.iter().map(|archive| {
        let (bytes, size) = open_range(wacz, archive)?;
        Ok((Input::File(path_of_stored(wacz, archive)), Stream::Stored(bytes, size)))
    });
    run_all(args, archives, &printable_path(wacz), None, messages)
}

fn run_all(
    args: &LinksArgs,
    archives: impl IntoIterator<Item = Result<(impl Borrow<Input>, Stream), Failure>>,
    name: &str,
    only: Option<RecordPosition>,
    messages: Messages,
) -> Result<Status, Failure> {
    to_stdout(|out| header(args, out))?;
    let (signals, listed) = (&Signals::watch(SecondSignal::Ends), &AtomicU64::new(0));
    let mut status = Status::Done;
    for archive in archives {
        let (input, stream) = archive?;
        let input = input.borrow();
        let listing = Listing { args, input, only, messages, signals, listed };
        match listing.stream(stream)? {
            Status::Done => {}
            Status::Failed => status = Status::Failed,
            other => return Ok(other),
        }
    }
    if let (0, Some(options)) = (listed.load(Ordering::Relaxed), args.records.given()) {
        messages.warning(format_args!("{name}: no document matches {options}"));
    }
    Ok(status)
}

/// Bytes of output that may wait for their turn; beyond that, records are listed in their turn.
const MOST_WAITING: usize = 64 << 20;

struct Listing<'a> {
    args: &'a LinksArgs,
    input: &'a Input,
    /// The only record that is listed, if there is one.
    only: Option<RecordPosition>,
    messages: Messages,
    signals: &'a Signals,
    /// Documents that were listed, or could not be.
    listed: &'a AtomicU64,
}

/// How often a document is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passes {
    /// If its output is dropped after an error.
    One,
    /// First without output.
    Two,
}

/// The summary of a record, or why it was not listed.
type ListResult = Result<Summary, String>;

impl Listing<'_> {
    fn stream(&self, stream: Stream) -> Result<Status, Failure> {
        let failed = |error| Failure::unreadable(&self.input.name(), &error);
        match (stream, self.only) {
            (Stream::File(file, _), Some(only)) => {
                self.of(Reader::seek(file, only).map_err(failed)?)
            }
            (Stream::File(file, _), None) => self.of(Reader::seekable(file)),
            (Stream::Stored(archive, _), Some(only)) => {
                self.of(Reader::seek(archive, only).map_err(failed)?)
            }
            (Stream::Stored(archive, _), None) => self.of(Reader::seekable(archive)),
            (Stream::Other(source), Some(only)) => self.of(Reader::new(source).only(only)),
            (Stream::Other(source), None) => self.of(Reader::new(source)),
        }
    }

    fn of<R: Read + Send>(&self, archive: Reader<R>) -> Result<Status, Failure> {
        let name = self.input.name();
        let failed = |error: &dyn std::fmt::Display| Failure::of(&name, error);
        let rewriter =
            self.args.document.rewriter(&self.args.base).map_err(|error| failed(&error))?;
        let rewriter = Input::rewriter_of_archive(rewriter, &self.args.base.origins()?);
        let workers = Workers::new(self.args.inputs.files.jobs);
        let workers = workers.map_err(|error| Failure::threads(&error))?;
        let (mut result, log) = (Ok(()), FailureLog::new(self.messages, Severity::Error));
        let (waiting, listed) = (AtomicUsize::new(0), self.listed);
        let limits = self.args.document.limits.archives;
        let archive = archive.limits(limits).select(self.args.records.selection());
        let read = archive.pages_in_order(
            &workers,
            |_, found| {
                let mut out = BoundedBuffer(Vec::new());
                if waiting.load(Ordering::Relaxed) > MOST_WAITING {
                    return (out.0, Err(io::ErrorKind::OutOfMemory.into()));
                }
                let made = self.list(found, &rewriter, &mut out, Passes::One);
                if let Ok(Err(_)) = made {
                    out.0.clear();
                }
                waiting.fetch_add(out.0.len(), Ordering::Relaxed);
                (out.0, made)
            },
            |found, (out, made)| {
                waiting.fetch_sub(out.len(), Ordering::Relaxed);
                listed.fetch_add(1, Ordering::Relaxed);
                if self.signals.received().is_some() {
                    return ControlFlow::Break(());
                }
                match self.print(found, &out, made, &rewriter) {
                    Ok(listed) => {
                        self.report(&name, EntryId::Record(found.position()), &listed, &log);
                        ControlFlow::Continue(())
                    }
                    Err(failure) => {
                        result = Err(failure);
                        ControlFlow::Break(())
                    }
                }
            },
        );
        log.end(&name);
        result?;
        if let (Some(only), 0, None) =
            (self.only, listed.load(Ordering::Relaxed), self.signals.received())
        {
            read.map_err(|error| failed(&format_args!("cannot read: {}", reason(&error))))?;
            return Err(Failure::of(&format!("{name}!{only}"), NO_DOCUMENT));
        }
        read.map_err(|error| failed(&format_args!("cannot read: {}", reason(&error))))?;
        Ok(match self.signals.received() {
            Some(signal) => {
                Messages::error(INTERRUPTED);
                Status::Signal(signal)
            }
            None if log.is_empty() => Status::Done,
            None => Status::Failed,
        })
    }

    /// Prints the buffered output, or lists the record now if there was too much to buffer.
    fn print(
        &self,
        found: &PageHandle<'_>,
        out: &[u8],
        made: io::Result<ListResult>,
        rewriter: &Rewriter,
    ) -> Result<ListResult, Failure> {
        if let Ok(listed) = made {
            if !out.is_empty() {
                to_stdout(|stdout| stdout.write_all(out))?;
            }
            return Ok(listed);
        }
        let mut listed = Err(String::new());
        to_stdout(|stdout| {
            listed = found.show(|found| self.list(found, rewriter, stdout, Passes::Two))?;
            Ok(())
        })?;
        Ok(listed)
    }

    /// Lists the links of a document; fails only if the output fails.
    fn list(
        &self,
        found: Result<Page<'_>, Entry>,
        rewriter: &Rewriter,
        out: &mut dyn Write,
        passes: Passes,
    ) -> io::Result<ListResult> {
        let page = match found {
            Ok(page) => page,
            Err(Entry { outcome: RecordOutcome::Failed(problem), .. }) => {
                return Ok(Err(problem.to_string()));
            }
            Err(Entry { outcome: RecordOutcome::Skipped(skip), .. }) => {
                return Ok(Err(skip.to_string()));
            }
            Err(_) => return Ok(Err("it was not read".to_owned())),
        };
        let _turn = lock_if_large(page.document().len() as u64);
        let document = Document {
            args: self.args,
            rewriter: &page.rewriter(rewriter),
            source: page.document(),
            file: self.input.path(),
            format: Format::Html,
            inside: Some(EntryId::Record(page.position())),
            only: None,
        };
        let listed = if passes == Passes::One {
            document.print_once(out)?
        } else {
            match document.measure(Shown::FileAndPlace) {
                Ok((columns, documents)) => {
                    document.print(columns, &documents, Shown::FileAndPlace, out)?;
                    Ok(documents)
                }
                Err(error) => Err(error),
            }
        };
        let documents = match listed {
            Ok(documents) => documents,
            Err(error) => return Ok(Err(error.to_string())),
        };
        Ok(match documents {
            Documents::One(summary) => Ok(*summary),
            _ => Err("it is no document".to_owned()),
        })
    }

    /// Reports the notes on a record, or its failure.
    fn report(&self, name: &str, place: EntryId, listed: &ListResult, log: &FailureLog) {
        match listed {
            Ok(summary) => {
                let document = DocumentReport::of(Some(place), summary);
                document.not_learned(name, self.messages);
                document.notes(name).for_each(|note| self.messages.warning(note));
            }
            Err(why) => log.add(name, place, why),
        }
    }
}
