//! The files that a document's retrieval URL is read from.

use std::ffi::OsStr;
use std::fs::File;
use std::io;

use crate::batch::folder::Folder;

/// A file whose retrieval URL may be in its attributes or in a file beside it.
pub(super) struct FileSources<'f> {
    pub(super) folder: &'f Folder,
    pub(super) name: &'f OsStr,
}

impl FileSources<'_> {
    /// Opens the file, or another in its folder, if it is a regular file.
    pub(super) fn open(&self, name: &OsStr) -> io::Result<Option<File>> {
        match self.folder.read(name) {
            Ok(file) => Ok(file.metadata()?.is_file().then_some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            // A symbolic link or a socket cannot be opened either.
            Err(error) => match self.folder.identity(name) {
                Ok(found) if !found.is_file => Ok(None),
                Err(error) if is_absent(&error) => Ok(None),
                _ => Err(error),
            },
        }
    }
}

/// Whether no file has the name, which may be longer than any.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename)
}
