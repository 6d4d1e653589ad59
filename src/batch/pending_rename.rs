//! Files that are written and not yet renamed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::OldFiles;
use super::exchange::{self, NotReplaced};
use super::folder::Folder;
use super::identity::Identity;
use super::preserve::mode_of;
use super::read::OpenFile;
use super::temporary::Temporary;

/// A file that is written and not yet renamed to its final name.
#[derive(Debug)]
pub(super) struct PendingRename {
    temporary: Temporary,
    name: OsString,
    /// The version of a file that was read, which has the final name.
    old: Option<Identity>,
    old_files: OldFiles,
}

impl PendingRename {
    /// Creates the temporary file beside a name, with the mode of its source if the name is free.
    pub(super) fn new(
        folder: &Arc<Folder>,
        name: &OsStr,
        old: Option<&OpenFile>,
        source: Option<&std::fs::Metadata>,
    ) -> io::Result<Self> {
        let old = old.map(OpenFile::identity).transpose()?;
        // The process's mask narrows the mode, as for any other program.
        let mode = if old.is_some() { 0o600 } else { source.map_or(0o666, mode_of) };
        let temporary = Temporary::new(folder, mode, old.as_ref())?;
        Ok(Self { temporary, name: name.to_owned(), old, old_files: OldFiles::default() })
    }

    /// Sets whether the old version is kept.
    pub(super) fn old_files(self, old_files: OldFiles) -> Self {
        Self { old_files, ..self }
    }

    pub(super) fn file(&self) -> &File {
        self.temporary.file()
    }

    pub(super) fn folder(&self) -> &Arc<Folder> {
        self.temporary.folder()
    }

    /// Renames the file to its final name.
    pub(super) fn take_place(mut self) -> Result<(), NotReplaced> {
        let (temporary, name) = (&mut self.temporary, &self.name);
        let Some(old) = &self.old else { return exchange::create(temporary, name) };
        exchange::check(temporary.folder(), name, old)?;
        let kept = self.old_files.keep(temporary.folder(), name, old);
        let kept = kept.map_err(NotReplaced::OldNotKept)?;
        exchange::replace(temporary, name, old)?;
        if let Some(kept) = kept {
            kept.confirm();
        }
        Ok(())
    }
}
