//! The folders of paths, without symbolic links.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve::url::Base;
use absolve_archive::Format;

use super::failure::{Failure, reason};

use crate::args::{FileArgs, InputArgs};
use crate::terminal::printable_path;

/// The folder that the path of a file counts from, and the path of its own folder below:
/// the root, or its own folder where it is not in there.
pub(super) fn folder_of(path: &Path, root: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = real_path(parent.unwrap_or(Path::new(".")), root)?;
    Ok(match folder.strip_prefix(root) {
        Ok(below) => (root.to_owned(), below.to_owned()),
        Err(_) => (folder, PathBuf::new()),
    })
}

/// Whether a path leads to a folder. An error is not taken for a file, since the base URL has
/// another meaning for a folder.
pub(super) fn is_folder(path: &Path) -> io::Result<bool> {
    match path.metadata() {
        Err(error) if is_missing(&error) => Ok(false),
        found => found.map(|metadata| metadata.is_dir()),
    }
}

/// Whether PATH leads to a folder; an error fails the whole command.
pub fn is_folder_given(path: &Path) -> Result<bool, Failure> {
    is_folder(path).map_err(|error| Failure::unreadable(&printable_path(path), &error))
}

/// Bytes in which the beginning of a book is.
const BOOK_BEGINNING: usize = 64;

/// Refuses a book, by its name or its first bytes.
pub fn refuse_book(path: &Path) -> Result<(), Failure> {
    // Opening a pipe would wait for its writer.
    if !path.is_file() {
        return Ok(());
    }
    let beginning = absolve_files::read_beginning(path, BOOK_BEGINNING).unwrap_or_default();
    let why = Format::refused_book(path, &beginning);
    why.map_or(Ok(()), |why| Err(Failure::of(&printable_path(path), why)))
}

/// The path without symbolic links, or `missing` if it does not exist, which is reported when it
/// is read.
pub(super) fn real_path(path: &Path, missing: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if is_missing(&error) => Ok(missing.to_owned()),
        found => found,
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The folder that the path of a file counts from, and its path below: `--root-dir` or the
/// current folder, or its own where it is not in there.
///
/// A base URL is that of `--root-dir`, which the file has to be in then.
pub fn counted(
    path: &Path,
    args: &InputArgs,
    base: Option<&Base>,
) -> Result<(PathBuf, PathBuf), Failure> {
    let files = &args.files;
    let root = match &files.root_dir {
        Some(root) => root.canonicalize().map_err(|error| not_a_root(files, &error))?,
        None => match env::current_dir().and_then(|current| current.canonicalize()) {
            // It was deleted, and nothing is in it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => PathBuf::new(),
            current => {
                current.map_err(|error| Failure::unreadable(&printable_path(path), &error))?
            }
        },
    };
    let (folder, below) = folder_of(path, &root)
        .map_err(|error| Failure::unreadable(&printable_path(path), &error))?;
    if files.root_dir.is_some() && base.is_some() && folder != root {
        return Err(not_below_root(path, files));
    }
    let below = path.file_name().map_or_else(PathBuf::new, |name| below.join(name));
    Ok((folder, below))
}

/// Why the folder that paths count from cannot be read.
pub(super) fn not_a_root(files: &FileArgs, error: &io::Error) -> Failure {
    let root = files.root_dir.as_deref().unwrap_or(Path::new("."));
    let what = Diagnosis::from_words("cannot be the {root-dir}: {}", &[&reason(error)]);
    Failure::of(&printable_path(root), what)
}

/// Why a path has no URL below the base URL.
pub(super) fn not_below_root(path: &Path, files: &FileArgs) -> Failure {
    let what = match &files.root_dir {
        Some(root) => not_in_root(root),
        None => Diagnosis::from_words(
            "it is not in the current folder; give {root-dir} DIR, a folder that all paths are in",
            &[],
        ),
    };
    Failure::of(&printable_path(path), what)
}

/// The problem of a path that is not in the root folder.
pub fn not_in_root(root: &Path) -> Diagnosis {
    let words = "it is not in {root-dir _}; give a folder above it";
    Diagnosis::from_words(words, &[&printable_path(root)])
}
