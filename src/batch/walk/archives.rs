//! The web archives below a folder.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::container::Format;

/// The files below a folder whose format is among these, in the order of their names; none if one of
/// the others is a document: files are looked at before folders, so that most sites end the search.
/// Symbolic links are not followed.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn archives_below(
    folder: &Path,
    is_archive: impl Fn(Format) -> bool,
    is_document: impl Fn(&Path) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut archives = Vec::new();
    let files_first = |one: &DirEntry, other: &DirEntry| {
        one.file_type().is_dir().cmp(&other.file_type().is_dir())
    };
    for entry in WalkDir::new(folder).sort_by(files_first) {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        if is_archive(Format::of_name(entry.path())) {
            archives.push(entry.into_path());
        } else if is_document(entry.path()) {
            return Ok(Vec::new());
        }
    }
    archives.sort_unstable();
    Ok(archives)
}
