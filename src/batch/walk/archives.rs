//! The web archives below a folder.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::container::Format;

/// The web archives below a folder, in the order of their names; none if one of its files is another
/// document. Symbolic links are not followed.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn archives_below(
    folder: &Path,
    is_document: impl Fn(&Path) -> bool,
) -> io::Result<Vec<PathBuf>> {
    let mut archives = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        if Format::of_name(entry.path()).is_archive() {
            archives.push(entry.into_path());
        } else if is_document(entry.path()) {
            return Ok(Vec::new());
        }
    }
    Ok(archives)
}
