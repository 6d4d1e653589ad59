//! The links of a container, document by document.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Diagnosis;
use crate::batch::{Workers, lock_if_large};
use crate::container::warc::RecordPosition;
use crate::container::{
    Again, ContainerDocument, Documents, EntryId, Format, Reading, Work, path_of_member,
};
use crate::{Rewriter, Summary};

use super::document::{Document, INTERRUPTED, NO_DOCUMENT, header};
use super::listing::Given;
use super::record::Shown;
use crate::cli::session::document_report::DocumentReport;
use crate::cli::session::failure::Failure;
use crate::cli::session::failure_log::FailureLog;
use crate::cli::session::input::Input;
use crate::cli::session::ordered_output::BoundedBuffer;
use crate::cli::session::output::to_stdout;
use crate::cli::session::signals::Signals;
use crate::cli::session::status::Status;
use crate::cli::terminal::{Messages, Severity, printable_path};

/// Bytes of output that may wait for their turn; beyond that, documents are listed in their turn.
const MOST_WAITING: usize = 64 << 20;

struct ContainerListing<'a> {
    given: Given<'a>,
    input: &'a Input,
    messages: Messages,
    /// Bytes of output that wait for their turn.
    waiting: AtomicUsize,
}

/// How often a document is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passes {
    /// If its output is dropped after an error.
    One,
    /// First without output.
    Two,
}

/// Whether names of columns precede the links.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Printed,
    /// They are there already.
    Left,
}

/// Lists a container of a format, or only one of its records.
pub(super) fn run(
    given: Given<'_>,
    input: &Input,
    format: Format,
    only: Option<RecordPosition>,
    (head, signals): (Header, &Signals),
    messages: Messages,
) -> Result<Status, Failure> {
    let (args, _) = given;
    let name = input.name();
    let failed = |error| Failure::of_container(&name, error);
    let no_document = only.map(|record| format!("{name}!{}", EntryId::Record(record)));
    let rewriter = args.document.rewriter(&args.base);
    let rewriter: Rewriter = Input::rewriter_of_archive(rewriter, &args.base.origins()?);
    let workers = Workers::new(args.inputs.files.jobs);
    let options = args.document.limits.reading(args.records.selection(), only);
    let container = format.open(input.open(&())?, &options).map_err(failed)?;
    if head == Header::Printed {
        to_stdout(|out| header(args, out))?;
    }
    let listing = ContainerListing { given, input, messages, waiting: AtomicUsize::new(0) };
    let log = FailureLog::new(messages, Severity::Error);
    let (mut listed, mut printed) = (0_u64, Ok(()));
    let work = |document: &ContainerDocument<'_>| listing.work(document);
    let reading = Reading { workers: &workers, rewriter: &rewriter, work: &work };
    let read = container.read(&reading, &mut |document, work, again| {
        listed += 1;
        if signals.received().is_some() {
            return ControlFlow::Break(());
        }
        match listing.print(work, again) {
            Ok(result) => listing.report(document, &result, &log),
            Err(failure) => {
                printed = Err(failure);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    });
    log.end(&name);
    printed?;
    if let Some(signal) = signals.received() {
        Messages::error(INTERRUPTED);
        return Ok(Status::Signal(signal));
    }
    read.map_err(failed)?;
    if let (0, Some(place)) = (listed, no_document) {
        return Err(Failure::of(&place, NO_DOCUMENT));
    }
    if let (0, Some(options)) = (listed, args.records.given()) {
        messages.warning(format_args!("{name}: no document matches {options}"));
    }
    Ok(if log.is_empty() { Status::Done } else { Status::Failed })
}

impl ContainerListing<'_> {
    /// Lists a document into memory, unless much output waits already.
    fn work(&self, document: &ContainerDocument<'_>) -> Work {
        let mut out = BoundedBuffer(Vec::new());
        if self.waiting.load(Ordering::Relaxed) > MOST_WAITING {
            return Work { output: out.0, result: Err(io::ErrorKind::OutOfMemory.into()) };
        }
        let result = self.list(document, &mut out, Passes::One);
        if let Ok(Err(_)) = result {
            out.0.clear();
        }
        self.waiting.fetch_add(out.0.len(), Ordering::Relaxed);
        Work { output: out.0, result }
    }

    /// Prints the buffered output, or lists the document now if there was too much to buffer.
    fn print(&self, work: Work, again: &Again<'_>) -> Result<Result<Summary, Diagnosis>, Failure> {
        self.waiting.fetch_sub(work.output.len(), Ordering::Relaxed);
        if let Ok(result) = work.result {
            if !work.output.is_empty() {
                self.given.1.to_stdout(|stdout| stdout.write_all(&work.output))?;
            }
            return Ok(result);
        }
        let mut result = Ok(Err(Diagnosis::new("")));
        self.given.1.to_stdout(|stdout| {
            again(&mut |document| result = self.list(document, stdout, Passes::Two));
            Ok(())
        })?;
        result.map_err(Failure::output)
    }

    /// Lists the links of a document; fails only if the output fails.
    fn list(
        &self,
        document: &ContainerDocument<'_>,
        out: &mut dyn Write,
        passes: Passes,
    ) -> io::Result<Result<Summary, Diagnosis>> {
        let content = match &document.content {
            Ok(content) => content,
            Err(why) => return Ok(Err(why.clone())),
        };
        let _turn = lock_if_large(content.source.len() as u64);
        let file = path_of_member(self.input.path().as_ref(), document.member);
        let listed = Document {
            args: self.given.0,
            listing: self.given.1,
            rewriter: content.rewriter,
            source: content.source,
            file: file.as_os_str(),
            format: content.format,
            inside: Some(document.record),
            only: None,
        };
        let documents = if passes == Passes::One {
            listed.print_once(out)?
        } else {
            match listed.measure(Shown::FileAndPlace) {
                Ok((columns, documents)) => {
                    listed.print(columns, &documents, Shown::FileAndPlace, out)?;
                    Ok(documents)
                }
                Err(error) => Err(error),
            }
        };
        Ok(match documents {
            Ok(Documents::One(summary)) => Ok(*summary),
            Ok(_) => Err(Diagnosis::new("it is no document")),
            Err(error) => Err(Diagnosis::new(error)),
        })
    }

    /// Reports the notes on a document, or its failure.
    fn report(
        &self,
        document: &ContainerDocument<'_>,
        result: &Result<Summary, Diagnosis>,
        log: &FailureLog,
    ) {
        let file = printable_path(&path_of_member(self.input.shown(), document.member));
        match result {
            Ok(summary) => {
                let report = DocumentReport::of(Some(document.record), summary);
                report.not_learned(&file, self.messages);
                report.notes(&file).for_each(|note| self.messages.warning(note));
            }
            Err(why) => log.add(&file, Some(document.record), why),
        }
    }
}
