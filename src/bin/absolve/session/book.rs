//! Books, and the documents in them: `book.epub!OEBPS/ch1.xhtml`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use absolve::container::Format;
use absolve::container::epub::{Book, BookError};
use absolve::{Limits, Rewriter, batch};

use crate::args::{InputArgs, RewriteArgs};
use crate::session::direction;
use crate::session::failure::Failure;
use crate::terminal::printable_path;

/// The URL of the root of a book without another: its relative links lead to its own files, which no
/// URL of `--map` is ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://book.invalid/";

/// Whether a file that a command reads is a book; an error if `--as` says that it is something else.
pub(crate) fn is_book(args: &InputArgs, path: &Path) -> Result<bool, Failure> {
    let is_book = is_book_file(path);
    if is_book && args.file_format.is_some() {
        let what = "a book, whose manifest says the formats of its documents; leave out --as";
        return Err(Failure::of(&printable_path(path), what));
    }
    Ok(is_book)
}

/// Whether a file is a book, by its name or by its first bytes.
pub(crate) fn is_book_file(path: &Path) -> bool {
    if Format::is_epub(path) {
        return !path.is_dir();
    }
    // Opening a pipe would wait for its writer.
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut start = [0; 64];
    let mut read = || batch::open(path).and_then(|file| file.take(64).read(&mut start));
    is_file
        && Format::of_name(path) == Format::Html
        && read().is_ok()
        && Format::begins_epub(&start)
}

/// Opens a book.
pub(crate) fn open(path: &Path, limits: &Limits) -> Result<Book<File>, Failure> {
    let name = printable_path(path);
    let file = batch::open(path).map_err(|error| Failure::unreadable(&name, &error))?;
    Book::open(file, *limits).map_err(|error| failure(&name, error))
}

/// The failure of a command that reads a book of this name.
pub(crate) fn failure(name: &str, error: BookError) -> Failure {
    match error {
        BookError::Read(error) => Failure::unreadable(name, &error),
        error => Failure::of(name, error),
    }
}

/// The book, and the name of the member in it, of a path that no file has; the name may be empty.
pub(crate) fn member_path(path: &Path) -> Option<(PathBuf, &str)> {
    let text = path.to_str().filter(|_| !path.exists())?;
    let parts = text.match_indices('!').map(|(at, _)| (Path::new(&text[..at]), &text[at + 1..]));
    let (file, name) = parts.into_iter().find(|(file, _)| file.is_file() && is_book_file(file))?;
    Some((file.to_owned(), name))
}

/// Why a name is not that of a file in the book; `None` if it is.
pub(crate) fn not_a_file(book: &Book<File>, path: &Path, name: &str) -> Option<Failure> {
    if book.names().any(|other| other == name) {
        return None;
    }
    let folder = name.trim_end_matches('/');
    let is_in_folder = |file: &str| {
        folder.is_empty() || file.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    let documents = book.documents().iter().map(|document| &*document.name);
    let example = documents.chain(book.names()).find(|file| is_in_folder(file));
    let example = example.map(|file| printable_path(&path_of_member(path, file)));
    let what = match example {
        Some(file) if folder.is_empty() => format!("the name of a file is missing, as in {file}"),
        Some(file) => format!("it is a folder of the book; give a file in it, such as {file}"),
        None => "no file of the book has this name; links and audit print those of its documents"
            .to_owned(),
    };
    Some(Failure::of(&printable_path(&path_of_member(path, name)), what))
}

/// The path of a member of a book.
pub(crate) fn path_of_member(book: &Path, member: &str) -> PathBuf {
    let mut path = book.as_os_str().to_owned();
    path.push("!");
    path.push(member);
    path.into()
}

/// The rewriter for the book of this name, whose links only `--map` changes; an error for options that
/// are not for books.
pub(crate) fn rewriter(args: &RewriteArgs, name: &str) -> Result<Rewriter, Failure> {
    check_args(args).map_err(|what| Failure::of(name, what))?;
    let root = args.base.base_url().map_or(ROOT, |base| base.as_str());
    direction::rewriter(args)?.base_url(root).map_err(Failure::message)
}

/// Refuses options that are not for books.
fn check_args(args: &RewriteArgs) -> Result<(), String> {
    let writing = &args.writing;
    let given = [
        (writing.backup.is_some(), "--backup"),
        (args.base.has_map(), "--base-map"),
        (args.inputs.files.root_dir.is_some(), "--root-dir"),
    ];
    let given = given.into_iter().find_map(|(is_given, name)| is_given.then_some(name));
    let given = given.or_else(|| writing.for_many()).or_else(|| writing.for_archives());
    if let Some(option) = given {
        return Err(format!("{option} is not for a book"));
    }
    if let Some(what) = args.direction.not_for_archives() {
        return Err(format!("{what} is not for a book, which takes --map alone"));
    }
    if args.direction.is_default() {
        let what = "links between the files of a book stay relative, as absolute ones would lead out \
                    of it; give --map OLD=NEW to move its links to the web";
        return Err(what.to_owned());
    }
    Ok(())
}
