//! Backups: a second name for the old version of a file.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use super::failure::{Failure, reason};
use super::folder::Folder;
use super::identity::Identity;
use super::preserve::{preserve, preserve_times};
use super::read::OpenFile;
use super::temporary::Temporary;

/// A second name of an old version, removed again unless that version is replaced.
#[derive(Debug)]
pub(super) struct Backup {
    folder: Arc<Folder>,
    name: OsString,
    /// What this run made; `None` if a killed run made it, or it is to stay.
    made: Option<Identity>,
}

/// The name of the backup of a file.
pub(super) fn backup_name(name: &OsStr, suffix: &str) -> OsString {
    let mut backup = name.to_owned();
    backup.push(suffix);
    backup
}

/// Checks that the name of a backup is free or already has the old version, and tells which.
pub(super) fn has_backup(folder: &Folder, name: &OsStr, old: &Identity) -> Result<bool, Failure> {
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
    pub(super) fn make(
        folder: &Arc<Folder>,
        name: &OsStr,
        of: &OsStr,
        old: &Identity,
    ) -> Result<Self, Failure> {
        let failed = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        let made = match folder.link(of, name) {
            Ok(()) => Some(*old),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !has_backup(folder, name, old)? {
                    return Err(failed(&io::ErrorKind::Interrupted.into()));
                }
                None
            }
            // Not every file system has second names.
            Err(link) => match copy(folder, of, name) {
                Ok(made) => Some(made),
                Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                    return Err(failed(&error));
                }
                Err(_) => return Err(failed(&link)),
            },
        };
        Ok(Self { folder: folder.clone(), name: name.to_owned(), made })
    }

    /// The old version was replaced: this is its only name.
    pub(super) fn keep(mut self) {
        self.made = None;
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        let Some(made) = &self.made else { return };
        // Another program may have replaced it.
        let there = self.folder.identity(&self.name);
        if there.is_ok_and(|there| there.is_same_file(made)) {
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Copies a file with its metadata.
fn copy(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Identity> {
    let old = OpenFile::new(folder, from)?;
    let mut copy = Temporary::new(folder, 0o600, None)?;
    io::copy(&mut &old.file, &mut copy.file())?;
    preserve(&old, copy.file())?;
    preserve_times(&old.metadata, copy.file())?;
    copy.file().sync_all()?;
    copy.take_free_place(to)?;
    copy.own_version()
}
