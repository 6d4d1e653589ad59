//! `absolve links`: every link of documents, for people or for programs.

mod container;
mod document;
mod external;
mod listing;
mod record;

use std::io::Write;
use std::ops::ControlFlow;

use crate::batch::{FileOutcome, Item, Report, Tree, Walk, Workers, WriteMode, lock_if_large};
use crate::container::{Documents, EntryId, Format, Only, path_of_member};

use crate::cli::args::LinksArgs;
use crate::cli::session::archives::{ArchivePath, for_each_archive};
use crate::cli::session::book::{self, member_path};
use crate::cli::session::document_report::{DocumentReport, failures, notes};
use crate::cli::session::entry_path::entry_path;
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::inputs::{Inputs, Paths};
use crate::cli::session::ordered_output::{PrintError, map_ordered};
use crate::cli::session::output::{Output, to_stdout};
use crate::cli::session::signals::{SecondSignal, Signals};
use crate::cli::session::status::Status;
use crate::cli::session::unresolved::Unresolved;
use crate::cli::terminal::{Messages, Severity, printable_path};
use container::Header;
use document::{Document, INTERRUPTED, NO_DOCUMENT, header};
use listing::{Given, Listing};
use record::Shown;

pub fn run(mut args: LinksArgs, output: Output) -> Result<Status, Failure> {
    args.document.selection.check().map_err(Failure::message)?;
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
                let only = Some(Only::Record(position));
                of_container(given, &input, Format::Warc, only, messages)
            }
            entry => check(args).and_then(|()| one(given, &input, Some(entry), messages)),
        };
    }
    if let [path] = &args.inputs.paths[..]
        && let Some((file, member)) = member_path(path)
    {
        let input = Input::File(file);
        let format = input.format(&args.inputs)?;
        check(args)?;
        check_member(args, &input, member)?;
        let only = Some(Only::Member(member.to_owned()));
        return of_container(given, &input, format, only, messages);
    }
    let input = match Inputs::new(&args.inputs, args.base.base_url(), None)? {
        Inputs::One(input) => input,
        Inputs::Archives(archives) => return several(given, archives, messages),
        Inputs::Many(paths) => return check(args).and_then(|()| many(given, &paths, messages)),
    };
    let format = input.format(&args.inputs)?;
    if !format.is_archive() {
        check(args)?;
    }
    if format.is_container() {
        return of_container(given, &input, format, None, messages);
    }
    one(given, &input, None, messages)
}

/// Lists a container, or only one of its documents.
fn of_container(
    given: Given<'_>,
    input: &Input,
    format: Format,
    only: Option<Only>,
    messages: Messages,
) -> Result<Status, Failure> {
    let signals = Signals::watch(SecondSignal::Ends);
    container::run(given, input, format, only, (Header::Printed, &signals), messages)
}

/// Lists web archives one after the other.
fn several(
    given: Given<'_>,
    archives: Vec<ArchivePath>,
    messages: Messages,
) -> Result<Status, Failure> {
    let (args, _) = given;
    to_stdout(|out| header(args, out))?;
    let signals = Signals::watch(SecondSignal::Ends);
    for_each_archive(archives, |archive| {
        let input = Input::File(archive.path);
        let format = input.format(&args.inputs)?;
        container::run(given, &input, format, None, (Header::Left, &signals), messages)
    })
}

/// Checks that a member of a book has links.
fn check_member(args: &LinksArgs, input: &Input, member: &str) -> Result<(), Failure> {
    let path = input.shown();
    let book = book::open(path, &args.document.limits.documents)?;
    if book.documents().iter().any(|document| document.name == member) {
        return Ok(());
    }
    Err(book::not_a_file(&book, path, member).unwrap_or_else(|| {
        let what = "its links are not read: the manifest lists it as no page, SVG image, style \
                    sheet or other document";
        Failure::of(&printable_path(&path_of_member(path, Some(member))), what)
    }))
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
    let rewriter = input.rewriter(
        &args.document.rewriter(&args.base).map_err(failed)?,
        origins,
        &args.inputs,
    )?;
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
    let shown = match format {
        Format::Html | Format::Css | Format::Xml | Format::JsonFeed | Format::Markdown => {
            Shown::Place
        }
        _ => Shown::FileAndPlace,
    };
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

fn many((args, listing): Given<'_>, paths: &Paths, messages: Messages) -> Result<Status, Failure> {
    let origins = args.base.origins()?;
    let walk = Walk::new(WriteMode::Read).globs(listing.globs(&args.inputs));
    let tree = paths.walk(&args.inputs, walk, origins.base())?;
    let rewriter = args.document.rewriter(&args.base).map_err(Failure::message)?;
    let workers = Workers::new(args.inputs.files.jobs);
    let signals = Signals::watch(SecondSignal::Ends);
    let limits = args.document.limits.documents;
    let name = |item: &Item| printable_path(&tree.path(item));
    let mut failed_files = Vec::new();
    let mut unresolved = Unresolved::default();
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
            notes(&report, messages, || name(item)).iter().for_each(Messages::error);
            if let Some(documents) = &report.documents {
                let name = name(item);
                for document in DocumentReport::all(documents) {
                    document.not_learned(&name, messages);
                    if document.is_unresolved() {
                        unresolved.add(&document, &name);
                    }
                }
                failed_files.extend(failures(documents, &name));
            }
            if let FileOutcome::Failed(failure) = report.outcome {
                failed_files.push(format!("{}: {failure}", name(item)));
            }
            ControlFlow::Continue(())
        },
    )?;
    failed_files.iter().for_each(Messages::error);
    unresolved.report(messages, Severity::Warning, &args.base);
    Ok(match signals.received() {
        Some(signal) => {
            Messages::error(INTERRUPTED);
            Status::Signal(signal)
        }
        None if failed_files.is_empty() => Status::Done,
        None => Status::Failed,
    })
}
