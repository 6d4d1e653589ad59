//! `absolve links`: every link of documents, for people or for programs.

mod container;
mod document;
mod external;
mod listing;
mod record;

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::Diagnosis;
use crate::batch::{
    FileOutcome, Item, Report, Skip, Tree, Walk, Workers, WriteMode, lock_if_large,
};
use crate::container::warc::RecordPosition;
use crate::container::{Documents, EntryId, Format};

use crate::cli::args::LinksArgs;
use crate::cli::session::archives::for_each_archive;
use crate::cli::session::document_report::{DocumentReport, failures, notes, report_symlinks};
use crate::cli::session::entry_path::entry_path;
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::inputs::{Inputs, Paths};
use crate::cli::session::ordered_output::{PrintError, map_ordered};
use crate::cli::session::output::{Output, is_special, to_stdout};
use crate::cli::session::signals::{SecondSignal, Signals};
use crate::cli::session::status::Status;
use crate::cli::session::unresolved::Unresolved;
use crate::cli::terminal::{Messages, Severity, printable_path};
use container::Header;
use document::{Document, INTERRUPTED, NO_DOCUMENT, header};
use listing::{Given, Listing};
use record::Shown;

pub fn run(mut args: LinksArgs, output: Output) -> Result<Status, Failure> {
    args.document.options.check().map_err(Failure::message)?;
    let messages = output.messages;
    let listing = Listing::new(&mut args, messages)?;
    let status = list_all((&args, &listing), messages)?;
    listing.report(messages);
    Ok(status)
}

fn list_all((args, listing): Given<'_>, messages: Messages) -> Result<Status, Failure> {
    let given = (args, listing);
    if let [path] = &args.inputs.paths[..]
        && let Some((file, entry)) = entry_path(path)
    {
        let input = Input::File(file);
        return match entry {
            EntryId::Record(position) => {
                let format = Format::of_name(input.shown());
                of_container(given, &input, format, Some(position), messages)
            }
            entry => check(args).and_then(|()| one(given, &input, Some(entry), messages)),
        };
    }
    let input = match Inputs::new(&args.inputs, args.base.base_url(), None)? {
        Inputs::One(input) => input,
        Inputs::Archives(archives) => return several(given, archives, messages),
        Inputs::Many(paths) => return check(args).and_then(|()| many(given, &paths, messages)),
    };
    let format = input.format(&args.inputs);
    if format.is_archive() {
        return of_container(given, &input, format, None, messages);
    }
    check(args)?;
    one(given, &input, None, messages)
}

/// Lists a container, or only one of its records.
fn of_container(
    given: Given<'_>,
    input: &Input,
    format: Format,
    only: Option<RecordPosition>,
    messages: Messages,
) -> Result<Status, Failure> {
    let signals = Signals::watch(SecondSignal::Ends);
    container::run(given, input, format, only, (Header::Printed, &signals), messages)
}

/// Lists web archives one after the other.
fn several(
    given: Given<'_>,
    archives: Vec<PathBuf>,
    messages: Messages,
) -> Result<Status, Failure> {
    let (args, _) = given;
    to_stdout(|out| header(args, out))?;
    let signals = Signals::watch(SecondSignal::Ends);
    for_each_archive(archives, |path| {
        // To open a pipe waits for its writer, also after a signal.
        if is_special(&path) {
            return Err(Failure::of(
                &printable_path(&path),
                "it is a pipe or a device; list it alone",
            ));
        }
        let input = Input::File(path);
        let format = input.format(&args.inputs);
        container::run(given, &input, format, None, (Header::Left, &signals), messages)
    })
}

/// Refuses options that are for web archives.
fn check(args: &LinksArgs) -> Result<(), Failure> {
    let what = args.records.for_archives();
    what.map_or(Ok(()), |what| Err(Failure::message(what)))
}

fn one(
    (args, listing): Given<'_>,
    input: &Input,
    only: Option<EntryId>,
    messages: Messages,
) -> Result<Status, Failure> {
    let name = input.name();
    let failed = |error| Failure::of(&name, error);
    let origins = args.base.origins()?;
    let rewriter = input.rewriter(&args.document.rewriter(&args.base), origins, &args.inputs)?;
    let source = input.read(&args.document.limits.documents)?;
    let format = input.detect(&args.inputs, &source).map_err(failed)?;
    let document = Document {
        args,
        listing,
        rewriter: &rewriter,
        source: &source,
        file: input.path(),
        format,
        inside: None,
        only,
    };
    let shown = if format.has_parts() { Shown::FileAndPlace } else { Shown::Place };
    // Errors occur before the first line is printed.
    let (columns, documents) = document.measure(shown).map_err(failed)?;
    if let (Some(entry @ EntryId::Part(number)), Documents::Parts(parts)) = (only, &documents) {
        let has_failed = parts.failures().iter().any(|error| error.part() == Some(number));
        if !has_failed && !parts.summaries().iter().any(|part| part.part == number) {
            return Err(Failure::of(&format!("{name}!{entry}"), NO_DOCUMENT));
        }
    }
    for document in DocumentReport::all(&documents) {
        document.not_learned(&name, messages);
        document.notes(&name).for_each(|note| messages.warning(note));
        if let Some(why) = document.unresolved(&name, &args.base) {
            messages.warning(why);
        }
    }
    to_stdout(|out| header(args, out))?;
    listing.to_stdout(|out| document.print(columns, &documents, shown, out))?;
    let failures = failures(&documents, &name);
    failures.iter().for_each(Messages::error);
    Ok(if failures.is_empty() { Status::Done } else { Status::Failed })
}

/// Lists the links of a document of a folder, unless it is skipped.
fn list(
    document: &Document<'_>,
    (tree, item): (&Tree, &Item),
    out: &mut dyn Write,
) -> Result<Report, PrintError> {
    let (columns, documents) = match document.measure(Shown::FileAndPlace) {
        Ok(measured) => measured,
        Err(error) => {
            let Some(skip) = tree.skipped(item, &error) else { return Err(error.into()) };
            return Ok(Report { outcome: FileOutcome::Skipped(skip), documents: None });
        }
    };
    document.print(columns, &documents, Shown::FileAndPlace, out).map_err(PrintError::Output)?;
    Ok(Report { outcome: FileOutcome::Unchanged, documents: Some(documents) })
}

/// The notes on many files, which are printed after their links.
#[derive(Default)]
struct FileNotes {
    failed: Vec<Diagnosis>,
    unresolved: Unresolved,
    symlinks: usize,
}

impl FileNotes {
    fn add(&mut self, report: &Report, name: &str, messages: Messages) {
        notes(report, messages, || name.to_owned()).iter().for_each(Messages::error);
        if let Some(documents) = &report.documents {
            for document in DocumentReport::all(documents) {
                document.not_learned(name, messages);
                if document.is_unresolved() {
                    self.unresolved.add(&document, name);
                }
            }
            self.failed.extend(failures(documents, name));
        }
        match &report.outcome {
            FileOutcome::Failed(failure) => self.failed.push(Diagnosis::of(name, failure)),
            FileOutcome::Skipped(Skip::Link) => self.symlinks += 1,
            _ => {}
        }
    }
}

fn many((args, listing): Given<'_>, paths: &Paths, messages: Messages) -> Result<Status, Failure> {
    let origins = args.base.origins()?;
    let walk = Walk::new(WriteMode::Read).globs(listing.globs(&args.inputs));
    let tree = paths.walk(&args.inputs, walk, origins.base())?;
    let rewriter = args.document.rewriter(&args.base);
    let workers = Workers::new(args.inputs.files.jobs);
    let signals = Signals::watch(SecondSignal::Ends);
    let limits = args.document.limits.documents;
    let mut files = FileNotes::default();
    to_stdout(|out| header(args, out))?;
    map_ordered(
        (&workers, &tree, &signals),
        |write| listing.to_stdout(write),
        |buffers, item, out| {
            buffers.read(&tree, item, &limits)?;
            let rewriter = buffers.rewriter(&tree, item, &rewriter, &origins)?;
            let _turn = lock_if_large(buffers.source().len() as u64);
            let path = tree.path(item);
            let document = Document {
                args,
                listing,
                rewriter: &rewriter,
                source: buffers.source(),
                file: path.as_os_str(),
                format: args.inputs.detect(&path, buffers.source())?,
                inside: None,
                only: None,
            };
            list(&document, (&tree, item), out)
        },
        |item, report| {
            files.add(&report, &printable_path(&tree.path(item)), messages);
            ControlFlow::Continue(())
        },
    )?;
    files.failed.iter().for_each(Messages::error);
    files.unresolved.report(messages, Severity::Warning, &args.base);
    report_symlinks(files.symlinks, messages);
    Ok(match signals.received() {
        Some(signal) => {
            Messages::error(INTERRUPTED);
            Status::Signal(signal)
        }
        None if files.failed.is_empty() => Status::Done,
        None => Status::Failed,
    })
}
