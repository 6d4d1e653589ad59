//! Backups: a second name for the old version of a file.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::sync::Arc;

use super::preserve::{preserve, preserve_times};
use super::temporary::Temporary;

use crate::failure::{Failure, reason};
use crate::folder::{Folder, Identity};
use crate::read::OpenFile;

/// The treatment of old versions by a run in place; by default, it keeps none.
#[derive(Debug, Clone, Default)]
pub struct OldFiles {
    suffix: Option<String>,
}

/// A text that makes no other name in the same folder when it is added to the name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSuffix;

impl fmt::Display for InvalidSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a suffix such as .orig")
    }
}

impl Error for InvalidSuffix {}

impl OldFiles {
    /// Keeps each old version beside the new one, with this suffix added to its name.
    ///
    /// # Errors
    ///
    /// If the suffix is empty, or would move the file to another folder.
    pub fn kept(suffix: &str) -> Result<Self, InvalidSuffix> {
        if suffix.is_empty() || suffix.contains(['/', '\\', '\0']) {
            return Err(InvalidSuffix);
        }
        Ok(Self { suffix: Some(suffix.to_owned()) })
    }

    /// The suffix of the old versions that are kept.
    #[must_use]
    pub fn suffix(&self) -> Option<&str> {
        self.suffix.as_deref()
    }

    /// The name that the old version of a file gets.
    fn name_of(&self, name: &OsStr) -> Option<OsString> {
        let suffix = self.suffix.as_ref()?;
        Some([name, suffix.as_ref()].into_iter().collect())
    }

    /// Checks that the old version of a file could be kept.
    pub(in super::super) fn check(
        &self,
        folder: &Folder,
        name: &OsStr,
        old: &Identity,
    ) -> Result<(), Failure> {
        self.name_of(name).map_or(Ok(()), |backup| has_backup(folder, &backup, old).map(|_| ()))
    }

    /// Whether the old version of a file is kept already, by a run that was killed.
    pub(in super::super) fn is_kept(&self, folder: &Folder, name: &OsStr, old: &Identity) -> bool {
        let backup = self.name_of(name);
        backup.is_some_and(|backup| has_backup(folder, &backup, old).is_ok_and(|is_there| is_there))
    }

    /// Keeps the old version of a file, until it is known whether that is replaced.
    pub(super) fn keep(
        &self,
        folder: &Arc<Folder>,
        name: &OsStr,
        old: &Identity,
    ) -> Result<Option<Backup>, Failure> {
        self.name_of(name).map(|backup| Backup::make(folder, backup, name, old)).transpose()
    }
}

/// A second name of an old version.
#[derive(Debug)]
pub(super) struct Backup {
    name: OsString,
    /// The file that this run gave the name; `None` if a killed run did.
    made: Option<Identity>,
}

/// Checks that the name of a backup is free or already has the old version; true for the latter.
fn has_backup(folder: &Folder, name: &OsStr, old: &Identity) -> Result<bool, Failure> {
    match folder.identity(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Ok(there) if there.is_same_file(old) => Ok(true),
        Ok(_) => {
            let name = name.to_string_lossy();
            let what = "exists already; remove it, or give another suffix";
            Err(Failure::new(format!("its backup {name} {what}")))
        }
        Err(error) => Err(Failure::new(format!("cannot keep a backup: {}", reason(&error)))),
    }
}

impl Backup {
    /// Gives a name to the old version of a file.
    fn make(
        folder: &Arc<Folder>,
        name: OsString,
        of: &OsStr,
        old: &Identity,
    ) -> Result<Self, Failure> {
        let failed = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        let made = match folder.link(of, &name) {
            Ok(()) => Some(*old),
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists
                    && has_backup(folder, &name, old)? =>
            {
                None
            }
            // Not every file system has second names.
            Err(link) => match copy(folder, of, &name) {
                Ok(made) => Some(made),
                Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                    return Err(failed(&error));
                }
                Err(_) => return Err(failed(&link)),
            },
        };
        Ok(Self { name, made })
    }

    /// Removes the name again, if the old version was not replaced.
    pub(super) fn remove(self, folder: &Folder) {
        // Another program may have replaced it.
        let is_own =
            |made| folder.identity(&self.name).is_ok_and(|there| there.is_same_file(&made));
        if self.made.is_some_and(is_own) {
            let _ = folder.remove(&self.name);
        }
    }
}

/// Copies a file with its metadata.
fn copy(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Identity> {
    let old = OpenFile::new(folder, from)?;
    let mut copy = Temporary::new(folder, 0o600, None)?;
    io::copy(&mut &old.file, &mut &copy.file)?;
    preserve(&old, &copy.file)?;
    preserve_times(&old.metadata, &copy.file)?;
    copy.file.sync_all()?;
    copy.take_free_place(to)?;
    copy.own_version()
}
