//! A file that is written and has not yet taken its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use super::exchange;
use super::failure::{Failure, reason};
use super::folder::Folder;
use super::identity::Identity;
use super::keep::{keep, keep_times};
use super::temporary::Temporary;

/// A file that is written and has not yet taken its place.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) temporary: Temporary,
    pub(super) name: OsString,
    pub(super) replaces: Replaces,
}

/// What is under the name before.
#[derive(Debug)]
pub(super) enum Replaces {
    /// Nothing.
    Nothing,
    /// The version of a file that was read, and the name that it keeps.
    File { old: Identity, backup: Option<OsString> },
}

impl Pending {
    pub(super) fn folder(&self) -> &Arc<Folder> {
        self.temporary.folder()
    }

    /// Finds out whether the name still has what it had before.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match &self.replaces {
            Replaces::Nothing => Ok(()),
            Replaces::File { old, .. } => Ok(exchange::check(self.folder(), &self.name, old)?),
        }
    }

    /// Puts the file under its name.
    pub(super) fn take_place(&mut self) -> Result<(), Failure> {
        let Replaces::File { old, backup } = &self.replaces else {
            return Ok(exchange::create(&mut self.temporary, &self.name)?);
        };
        let old = *old;
        let backup = backup.clone();
        self.check()?;
        let Some(backup) = backup else {
            return Ok(exchange::replace(&mut self.temporary, &self.name, &old)?);
        };
        let folder = self.folder().clone();
        let made = self.keep_as(&folder, &backup, old)?;
        exchange::replace(&mut self.temporary, &self.name, &old).map_err(|error| {
            if made == Backup::Made {
                // It is a second name of what was read, and the file was not replaced.
                let _ = folder.remove(&backup);
            }
            error.into()
        })
    }

    /// Gives the old file a second name, which it keeps when it loses its own.
    fn keep_as(
        &self,
        folder: &Arc<Folder>,
        backup: &OsStr,
        old: Identity,
    ) -> Result<Backup, Failure> {
        let failed = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        match folder.link(&self.name, backup) {
            Ok(()) => Ok(Backup::Made),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A run that was killed between the two names left it, or it has gone
                // meanwhile.
                check_backup(folder, backup, old)?
                    .ok_or_else(|| failed(&io::ErrorKind::Interrupted.into()))
            }
            // Not every file system has second names.
            Err(link) => copy(folder, &self.name, backup).map_err(|error| {
                failed(if error.kind() == io::ErrorKind::StorageFull { &error } else { &link })
            }),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backup {
    Made,
    Found,
}

/// Finds out whether a file may go on under the name of its backup: one that is free, or
/// its own already, which is said.
pub(super) fn check_backup(
    folder: &Folder,
    backup: &OsStr,
    old: Identity,
) -> Result<Option<Backup>, Failure> {
    match folder.metadata(backup) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(there) if Identity::new(&there).is_same_file(&old) => Ok(Some(Backup::Found)),
        Ok(_) => {
            let name = backup.to_string_lossy();
            let what = "exists already; remove it, or give another suffix";
            Err(Failure::new(format!("its backup {name} {what}")))
        }
        Err(error) => Err(Failure::new(format!("cannot keep a backup: {}", reason(&error)))),
    }
}

/// Copies a file with everything that it has.
fn copy(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Backup> {
    let mut old = folder.read(from)?;
    let metadata = old.metadata()?;
    let mut copy = Temporary::new(folder, 0o600)?;
    io::copy(&mut old, &mut copy.file())?;
    keep(&old, &metadata, copy.file())?;
    keep_times(&metadata, copy.file())?;
    copy.file().sync_all()?;
    copy.take_free_place(to)?;
    Ok(Backup::Made)
}
