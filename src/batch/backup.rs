//! Backups: a second name for the old version of a file.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use super::failure::{Failure, reason};
use super::folder::Folder;
use super::identity::Identity;
use super::preserve::{preserve, preserve_times};
use super::temporary::Temporary;

/// A second name of an old version, removed again unless that version is replaced.
#[derive(Debug)]
pub(super) struct Backup {
    folder: Arc<Folder>,
    name: OsString,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The name is free.
    Planned,
    /// A killed run made it.
    Found,
    /// This run made it, and the file is not replaced yet.
    Made(Identity),
    /// The file is replaced: the old version has only this name.
    Final,
}

impl Backup {
    pub(super) fn new(folder: &Arc<Folder>, name: OsString) -> Self {
        Self { folder: folder.clone(), name, state: State::Planned }
    }

    /// Checks that the name is free or already has the old version, and notes which.
    pub(super) fn check(&mut self, old: &Identity) -> Result<(), Failure> {
        match self.folder.metadata(&self.name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(there) if Identity::new(&there).is_same_file(old) => {
                self.state = State::Found;
                Ok(())
            }
            Ok(_) => {
                let name = self.name.to_string_lossy();
                let what = "exists already; remove it, or give another suffix";
                Err(Failure::new(format!("its backup {name} {what}")))
            }
            Err(error) => Err(Failure::new(format!("cannot keep a backup: {}", reason(&error)))),
        }
    }

    /// Whether the old version has the name.
    pub(super) fn is_there(&self) -> bool {
        !matches!(self.state, State::Planned)
    }

    /// Gives it to the old version of a file.
    pub(super) fn make(&mut self, of: &OsStr, old: &Identity) -> Result<(), Failure> {
        let failed = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        match self.folder.link(of, &self.name) {
            Ok(()) => {
                self.state = State::Made(*old);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.check(old)?;
                let gone = || failed(&io::ErrorKind::Interrupted.into());
                if self.is_there() { Ok(()) } else { Err(gone()) }
            }
            // Not every file system has second names.
            Err(link) => match copy(&self.folder, of, &self.name) {
                Ok(made) => {
                    self.state = State::Made(made);
                    Ok(())
                }
                Err(error) if error.kind() == io::ErrorKind::StorageFull => Err(failed(&error)),
                Err(_) => Err(failed(&link)),
            },
        }
    }

    /// The old version was replaced: this is its only name.
    pub(super) fn stays(&mut self) {
        self.state = State::Final;
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        let State::Made(made) = &self.state else { return };
        // Another program may have replaced it.
        let there = self.folder.metadata(&self.name);
        if there.is_ok_and(|there| Identity::new(&there).is_same_file(made)) {
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Copies a file with its metadata.
fn copy(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Identity> {
    let mut old = folder.read(from)?;
    let metadata = old.metadata()?;
    let mut copy = Temporary::new(folder, 0o600)?;
    io::copy(&mut old, &mut copy.file())?;
    preserve(&old, &metadata, copy.file())?;
    preserve_times(&metadata, copy.file())?;
    copy.file().sync_all()?;
    copy.take_free_place(to)?;
    Ok(Identity::of(&copy.file().metadata()?))
}
