//! The links of a book, document by document.

use std::path::Path;

use absolve::container::epub::BookDocument;
use absolve::{Limits, Rewriter};

use super::document::{Document, INTERRUPTED, header};
use super::record::Shown;
use crate::args::LinksArgs;
use crate::session::book::{failure, not_a_file, open, path_of_member};
use crate::session::failure::Failure;
use crate::session::output::to_stdout;
use crate::session::signals::{SecondSignal, Signals};
use crate::session::status::Status;
use crate::terminal::{Messages, printable_path};

/// Lists a book, or the document of a name.
pub(super) fn run(args: &LinksArgs, path: &Path, only: Option<&str>) -> Result<Status, Failure> {
    let name = printable_path(path);
    let limits: Limits = args.document.limits.documents;
    let mut book = open(path, &limits)?;
    let rewriter = args.document.rewriter(&args.base).map_err(|error| Failure::of(&name, error))?;
    let rewriter = match args.base.base_url() {
        Some(base) => rewriter.base_url(base.as_str()),
        None => Ok(rewriter),
    };
    let rewriter = rewriter.map_err(|error| Failure::of(&name, error))?;
    let mut documents = book.documents().to_vec();
    documents.retain(|document| only.is_none_or(|only| only == document.name));
    if let (Some(only), []) = (only, &documents[..]) {
        return Err(not_a_file(&book, path, only).unwrap_or_else(|| {
            let what = "its links are not read: the manifest lists it as no page, SVG image, style \
                        sheet or other document";
            Failure::of(&printable_path(&path_of_member(path, only)), what)
        }));
    }
    let signals = Signals::watch(SecondSignal::Ends);
    to_stdout(|out| header(args, out))?;
    let mut has_failed = false;
    for document in &documents {
        if let Some(signal) = signals.received() {
            Messages::error(INTERRUPTED);
            return Ok(Status::Signal(signal));
        }
        let file = path_of_member(path, &document.name);
        let source = book.read(&document.name).map_err(|error| failure(&name, error))?;
        if let Err(error) = list(args, &rewriter, document, &source, &file)? {
            Messages::error(format_args!("{}: {error}", printable_path(&file)));
            has_failed = true;
        }
    }
    Ok(if has_failed { Status::Failed } else { Status::Done })
}

/// Lists one document, whose path is `file`.
fn list(
    args: &LinksArgs,
    rewriter: &Rewriter,
    document: &BookDocument,
    source: &[u8],
    file: &Path,
) -> Result<Result<(), absolve::Error>, Failure> {
    let rewriter = match document.rewriter(rewriter) {
        Ok(rewriter) => rewriter,
        Err(error) => return Ok(Err(error)),
    };
    let listed = Document {
        args,
        rewriter: &rewriter,
        source,
        file: file.as_os_str(),
        format: document.format,
        inside: None,
        only: None,
    };
    let (columns, documents) = match listed.measure(Shown::FileAndPlace) {
        Ok(measured) => measured,
        Err(error) => return Ok(Err(error)),
    };
    to_stdout(|out| listed.print(columns, &documents, Shown::FileAndPlace, out))?;
    Ok(Ok(()))
}
