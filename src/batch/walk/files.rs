//! The files below a folder, whatever they are.

use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// The files below a folder, in the order of their names; symbolic links are not followed.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
    let files =
        entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
    files.map(|entry| Ok(entry?.into_path())).collect()
}
