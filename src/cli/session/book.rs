//! Books, and the documents in them: `book.epub!OEBPS/ch1.xhtml`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::container::epub::Book;
use crate::container::{ContainerError, Format, path_of_member};
use crate::{Limits, batch};

use crate::cli::args::BaseUrlArgs;
use crate::cli::session::entry_path::split_at_member;
use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;

/// The URL of the root of a book without another: its relative links lead to its own files, which no
/// URL of `--map` is ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://book.invalid/";

/// Whether a file is a book, by its name or by its first bytes.
pub fn is_book(path: &Path) -> bool {
    match Format::of_name(path) {
        Format::Epub => !path.is_dir(),
        Format::Html => begins_book(path),
        _ => false,
    }
}

fn begins_book(path: &Path) -> bool {
    let mut start = [0; 64];
    let mut read = || batch::open(path).and_then(|file| file.take(64).read(&mut start));
    // Opening a pipe would wait for its writer.
    path.is_file() && read().is_ok() && Format::begins_epub(&start)
}

/// Opens a book.
pub fn open(path: &Path, limits: &Limits) -> Result<Book<File>, Failure> {
    let name = printable_path(path);
    let file = batch::open(path).map_err(|error| Failure::unreadable(&name, &error))?;
    Book::open(file, *limits).map_err(|error| failure(&name, error))
}

/// The failure of a command that reads a book of this name.
pub fn failure(name: &str, error: ContainerError) -> Failure {
    match error {
        ContainerError::Read(error) => Failure::unreadable(name, &error),
        error => Failure::of(name, error),
    }
}

/// The book, and the name of the member in it, of a path that no file has; the name may be empty.
pub fn member_path(path: &Path) -> Option<(PathBuf, &str)> {
    split_at_member(path, |file| file.is_file() && is_book(file))
}

/// Why a name is not that of a file in the book; `None` if it is.
pub fn not_a_file(book: &Book<File>, path: &Path, name: &str) -> Option<Failure> {
    if book.names().any(|other| other == name) {
        return None;
    }
    let folder = name.trim_end_matches('/');
    let is_in_folder = |file: &str| {
        folder.is_empty() || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let documents = book.documents().iter().map(|document| &*document.name);
    let example = documents.chain(book.names()).find(|file| is_in_folder(file));
    let example = example.map(|file| printable_path(&path_of_member(path, Some(file))));
    let what = match example {
        Some(file) if folder.is_empty() => format!("the name of a file is missing, as in {file}"),
        Some(file) => format!("it is a folder of the book; give a file in it, such as {file}"),
        None => "no file of the book has this name; links and audit print those of its documents"
            .to_owned(),
    };
    Some(Failure::of(&printable_path(&path_of_member(path, Some(name))), what))
}

/// The base URL of the root of the book, unless it is given.
pub fn root(base: &BaseUrlArgs) -> &str {
    base.base_url().map_or(ROOT, |base| base.as_str())
}
