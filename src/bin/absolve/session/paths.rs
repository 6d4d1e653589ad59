//! Where paths are: their folders, without symbolic links.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use super::failure::Failure;
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

/// Whether a path leads to a folder. The base URL of a folder means something else than that of
/// a file, so that an error is not taken for a file.
pub(super) fn is_folder(path: &Path) -> io::Result<bool> {
    match path.metadata() {
        Err(error) if is_missing(&error) => Ok(false),
        found => found.map(|metadata| metadata.is_dir()),
    }
}

/// The same for a path; an error fails the whole command.
pub(crate) fn is_folder_given(path: &Path) -> Result<bool, Failure> {
    is_folder(path).map_err(|error| Failure::unreadable(&printable_path(path), &error))
}

/// The path without symbolic links, or another where nothing is there, which is reported when it
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

/// The folder that the path of a file counts from, and its path below: the current
/// folder, or its own where it is not in there.
pub(crate) fn counted(path: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let current = match env::current_dir().and_then(|current| current.canonicalize()) {
        // It was deleted, and nothing is in it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PathBuf::new()),
        current => current,
    };
    let folder = current.and_then(|current| folder_of(path, &current));
    let (root, folder) =
        folder.map_err(|error| Failure::unreadable(&printable_path(path), &error))?;
    let below = path.file_name().map_or_else(PathBuf::new, |name| folder.join(name));
    Ok((root, below))
}
