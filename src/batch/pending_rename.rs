//! Files that are written and not yet renamed.

use std::ffi::OsString;
use std::sync::Arc;

use super::backup::Backup;
use super::exchange;
use super::failure::Failure;
use super::folder::Folder;
use super::identity::Identity;
use super::outcome::{FileOutcome, Report};
use super::temporary::Temporary;

/// A file that is written and not yet renamed to its final name.
#[derive(Debug)]
pub(super) struct PendingRename {
    pub(super) temporary: Temporary,
    pub(super) name: OsString,
    pub(super) replaces: Replaces,
}

/// What has the final name before the rename.
#[derive(Debug)]
pub(super) enum Replaces {
    /// Nothing.
    Nothing,
    /// The version of a file that was read, and its backup.
    File { old: Identity, backup: Option<Backup> },
}

impl PendingRename {
    pub(super) fn folder(&self) -> &Arc<Folder> {
        self.temporary.folder()
    }

    /// Renames the file to its final name.
    pub(super) fn take_place(&mut self) -> Result<(), Failure> {
        if let Replaces::Nothing = self.replaces {
            return Ok(exchange::create(&mut self.temporary, &self.name)?);
        }
        self.keep_old()?;
        let Replaces::File { old, backup } = &mut self.replaces else { return Ok(()) };
        exchange::replace(&mut self.temporary, &self.name, old)?;
        backup.iter_mut().for_each(Backup::stays);
        Ok(())
    }

    /// Checks that the name still has the version that was read, and makes its backup.
    fn keep_old(&mut self) -> Result<(), Failure> {
        let Replaces::File { old, backup } = &mut self.replaces else { return Ok(()) };
        exchange::check(self.temporary.folder(), &self.name, old)?;
        if let Some(backup) = backup.as_mut().filter(|backup| !backup.is_there()) {
            backup.make(&self.name, old)?;
            *old = old.with_another_name();
        }
        Ok(())
    }
}

/// An item that is done except for the rename.
pub(super) struct PendingItem {
    pub(super) report: Report,
    pub(super) pending: Option<Box<PendingRename>>,
}

impl From<FileOutcome> for PendingItem {
    fn from(outcome: FileOutcome) -> Self {
        Self { report: Report { outcome, documents: None }, pending: None }
    }
}
