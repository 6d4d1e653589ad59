//! One document of a message or a web archive, decoded.

use std::ops::ControlFlow;
use std::path::Path;

use crate::container::warc::{Page, RecordPosition, RecordSelection};
use crate::container::{EntryId, Message};
use crate::{Rewriter, batch};

use crate::cli::args::ExtractArgs;
use crate::cli::session::entry_path::entry_path;
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::output::{to_stdout, uninterrupted};
use crate::cli::session::status::Status;
use crate::cli::terminal::{printable, printable_path};

/// Writes the document at a path; `None` if that names no document of a container.
pub fn run(args: &ExtractArgs, path: &Path) -> Option<Result<Status, Failure>> {
    let (file, entry) = entry_path(path)?;
    Some(of_entry(args, &printable_path(path), &Input::File(file), entry))
}

fn of_entry(
    args: &ExtractArgs,
    place: &str,
    input: &Input,
    entry: EntryId,
) -> Result<Status, Failure> {
    check_options(args)?;
    check_output(args, input)?;
    let document = match entry {
        EntryId::Record(position) => record(args, place, input, position)?,
        EntryId::Part(number) => part(args, place, input, number)?,
    };
    let Some(document) = document else {
        return Err(Failure::of(
            place,
            "no record or part begins there; give a position as links prints it",
        ));
    };
    write(args, input, &document)
}

/// Refuses to replace the container.
fn check_output(args: &ExtractArgs, input: &Input) -> Result<(), Failure> {
    match args.output.as_deref().filter(|output| input.is_same_file(output)) {
        Some(output) => Err(Failure::of(&printable_path(output), "is the container itself")),
        None => Ok(()),
    }
}

/// Refuses options for a crawl.
fn check_options(args: &ExtractArgs) -> Result<(), Failure> {
    args.not_for_one_document().map_or(Ok(()), |why| Err(Failure::message(why)))
}

/// Writes a document of the container.
pub(super) fn write(args: &ExtractArgs, input: &Input, document: &[u8]) -> Result<Status, Failure> {
    check_output(args, input)?;
    match args.output.as_deref().filter(|output| *output != Path::new("-")) {
        Some(output) => {
            let write = || batch::write_like(input.path().as_ref(), output, document);
            let signal = uninterrupted(output, || {
                let failed = |error| Failure::unwritten(output, error, "nothing was written");
                write().map_err(failed)
            });
            signal.map(|signal| signal.map_or(Status::Done, Status::Signal))
        }
        None => to_stdout(|out| out.write_all(document)).map(|()| Status::Done),
    }
}

/// The decoded body of a part of a message.
fn part(
    args: &ExtractArgs,
    place: &str,
    input: &Input,
    number: usize,
) -> Result<Option<Vec<u8>>, Failure> {
    let source = input.read(&args.limits.documents)?;
    let rewriter = Rewriter::new().limits(args.limits.documents);
    let failed = |error| Failure::of(&input.name(), error);
    let message = Message::read(&source, &rewriter).map_err(failed)?;
    let Some(part) = message.parts().nth(number) else { return Ok(None) };
    match part.decoded_body() {
        Some(body) => Ok(Some(body.bytes().to_owned())),
        None => Err(Failure::of(place, "its transfer encoding is damaged")),
    }
}

/// The decoded payload of a record.
fn record(
    args: &ExtractArgs,
    place: &str,
    input: &Input,
    position: RecordPosition,
) -> Result<Option<Vec<u8>>, Failure> {
    let source = input.open(&())?;
    let unreadable = |error| Failure::unreadable(&input.name(), &error);
    let reader = source.reader_at(position).map_err(unreadable)?;
    let reader = reader.limits(args.limits.archives).select(RecordSelection::any());
    let mut found = None;
    let read = reader.pages(|page| {
        found = Some(page.map(|page: Page<'_>| document(&page)));
        ControlFlow::Break(())
    });
    read.map_err(unreadable)?;
    let why = match found {
        Some(Ok(Ok(document))) => return Ok(Some(document)),
        Some(Ok(Err(why))) => why,
        None => return Ok(None),
        Some(Err(entry)) => return Err(Failure::of(place, entry.problem)),
    };
    Err(Failure::of(place, why))
}

/// The document of a record, or why it has none.
fn document(page: &Page<'_>) -> Result<Vec<u8>, String> {
    let record = page.record();
    if record.kind() != "revisit" {
        return Ok(page.document().to_owned());
    }
    let own = record.target_uri();
    let other = record.headers().text("WARC-Refers-To-Target-URI");
    let url = other.as_deref().or(own.as_deref()).unwrap_or_default();
    let date = record.headers().text("WARC-Refers-To-Date");
    let date = date.map_or_else(String::new, |date| format!(" of {date}"));
    Err(format!(
        "it is a revisit, without the document; extract the record of '{}'{} that it refers to",
        printable(url),
        printable(&date)
    ))
}
