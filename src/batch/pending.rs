//! A file that is written and has not yet taken its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use cap_std::time::SystemTime;

use super::failure::{Failure, reason};
use super::folder::Folder;
use super::keep::{keep, keep_times};
use super::temporary::Temporary;

/// What a file is known again by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    file: (u64, u64),
    size: u64,
    modified: Option<SystemTime>,
}

impl Identity {
    pub(super) fn new(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }
}

/// A file that is written and has not yet taken its place.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) temporary: Temporary,
    pub(super) name: OsString,
    pub(super) replaces: Replaces,
}

/// What stands in the place.
#[derive(Debug)]
pub(super) enum Replaces {
    /// Nothing, or what need not be looked at.
    Whatever,
    /// The file that was read, and the name that it goes on under.
    Source { identity: Identity, backup: Option<OsString> },
}

impl Pending {
    pub(super) fn folder(&self) -> &Arc<Folder> {
        self.temporary.folder()
    }

    /// Puts the file in its place.
    pub(super) fn take_place(&mut self) -> Result<(), Failure> {
        let Replaces::Source { identity, backup } = &self.replaces else {
            return self.temporary.take_place(&self.name).map_err(|error| Failure::write(&error));
        };
        let folder = self.temporary.folder().clone();
        let now = folder.metadata(&self.name).map_err(|error| Failure::write(&error))?;
        if Identity::new(&now) != *identity {
            return Err(Failure::new("it changed while it was rewritten, run again"));
        }
        let Some(backup) = backup.clone() else {
            return self.temporary.take_place(&self.name).map_err(|error| Failure::write(&error));
        };
        let made = self.keep_as(&folder, &backup, *identity)?;
        self.temporary.take_place(&self.name).map_err(|error| {
            if made == Backup::Made {
                // It is a second name of what stands as it stood.
                let _ = folder.remove(&backup);
            }
            Failure::write(&error)
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
                // A run that was killed between the two names left it.
                // It may have gone in between.
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
        Ok(there) if Identity::new(&there).file == old.file => Ok(Some(Backup::Found)),
        Ok(_) => {
            let name = backup.to_string_lossy();
            let what = "is there already; take it away, or give another suffix";
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
    copy.take_place(to)?;
    Ok(Backup::Made)
}
