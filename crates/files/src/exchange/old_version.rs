//! The old version of a file: its metadata, which the new version gets (mode, owner, extended
//! attributes), and its backup, which is a second name for it.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::sync::Arc;

use super::temporary::Temporary;
use crate::failure::{Failure, NotWritten, reason};
use crate::folder::{Folder, Identity};
use crate::read::OpenFile;

/// The treatment of old versions by a run in place; by default, it keeps none.
#[derive(Debug, Clone, Default)]
pub struct OldFiles {
    suffix: Option<String>,
}

/// The error of a suffix that gives a file no other name in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSuffix;

impl fmt::Display for InvalidSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a suffix such as .orig")
    }
}

impl Error for InvalidSuffix {}

impl OldFiles {
    /// Keeps the old version of each file beside the new one, under its name with this suffix.
    ///
    /// # Errors
    ///
    /// If the suffix is empty, or would move the file to another folder.
    pub fn with_suffix(suffix: &str) -> Result<Self, InvalidSuffix> {
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

    /// The name for the old version of a file; `None` if old versions are not kept.
    fn backup_name(&self, name: &OsStr) -> Option<OsString> {
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
        self.backup_name(name).map_or(Ok(()), |backup| has_backup(folder, &backup, old).map(|_| ()))
    }

    /// Whether the old version of a file is kept already, by a run that was killed.
    pub(in super::super) fn is_kept(&self, folder: &Folder, name: &OsStr, old: &Identity) -> bool {
        let backup = self.backup_name(name);
        backup.is_some_and(|backup| has_backup(folder, &backup, old).is_ok_and(|is_there| is_there))
    }

    /// Keeps the old version of a file, until it is known whether that is replaced.
    pub(super) fn keep(
        &self,
        folder: &Arc<Folder>,
        name: &OsStr,
        old: &Identity,
    ) -> Result<Option<Backup>, Failure> {
        self.backup_name(name).map(|backup| Backup::create(folder, backup, name, old)).transpose()
    }
}

/// A second name of an old version.
#[derive(Debug)]
pub(super) struct Backup {
    name: OsString,
    /// The file that this run gave the name; `None` if a killed run did.
    made: Option<Identity>,
}

/// Whether the name of a backup already has the old version; fails if it has another file.
fn has_backup(folder: &Folder, name: &OsStr, old: &Identity) -> Result<bool, Failure> {
    match folder.identity(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Ok(identity) if identity.is_same_file(old) => Ok(true),
        Ok(_) => {
            let name = name.to_string_lossy();
            let why = "exists already; remove it, or give another suffix";
            Err(Failure::new(format!("its backup {name} {why}")))
        }
        Err(error) => Err(Failure::new(format!("cannot keep a backup: {}", reason(&error)))),
    }
}

impl Backup {
    /// Gives a name to the old version of a file.
    fn create(
        folder: &Arc<Folder>,
        name: OsString,
        from: &OsStr,
        old: &Identity,
    ) -> Result<Self, Failure> {
        let failed = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        let made = match folder.link(from, &name) {
            Ok(()) => Some(*old),
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists
                    && has_backup(folder, &name, old)? =>
            {
                None
            }
            // On file systems without second names, the backup is a copy.
            Err(link) => match copy_file(folder, from, &name) {
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
        // Another program may have replaced the backup.
        let is_own = |made| folder.identity(&self.name).is_ok_and(|now| now.is_same_file(&made));
        if self.made.is_some_and(is_own) {
            let _ = folder.remove(&self.name);
        }
    }
}

/// Copies a file with its metadata.
fn copy_file(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Identity> {
    let old = OpenFile::new(folder, from)?;
    let mut copy = Temporary::new(folder, 0o600, None)?;
    io::copy(&mut &old.file, &mut &copy.file)?;
    preserve(&old, &copy.file)?;
    preserve_times(&old.metadata, &copy.file)?;
    copy.file.sync_all()?;
    copy.rename_to_free_name(to)?;
    copy.own_version()
}

/// Gives a new file the metadata of the old one.
///
/// The owner is set first, since changing it removes set-user-ID bits and capabilities.
pub(super) fn preserve(old: &OpenFile, new: &File) -> io::Result<()> {
    let OpenFile { file, metadata, .. } = old;
    #[cfg(unix)]
    unix::copy_owner(metadata, new)?;
    new.set_permissions(metadata.permissions())?;
    #[cfg(unix)]
    unix::copy_attributes(file, new)?;
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Gives a file the times of another.
fn preserve_times(metadata: &Metadata, new: &File) -> io::Result<()> {
    let times =
        FileTimes::new().set_accessed(metadata.accessed()?).set_modified(metadata.modified()?);
    new.set_times(times)
}

/// The mode of a new file with this source, which the process's mask narrows.
pub(in super::super) fn mode_of(source: &Metadata) -> u32 {
    Identity::from(source).access.0 & 0o777
}

/// Refuses a read-only file, even if the mode of its folder allows replacing it.
pub(super) fn check_mode(metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        let problem = "it is read-only; make it writable".to_owned();
        let words = "it is read-only, make it writable, or write to another file";
        return Err(io::Error::other(NotWritten { problem, words }));
    }
    Ok(())
}

/// Metadata that other systems keep otherwise or not at all: `docs/trees.md`.
#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::unix::fs::{MetadataExt, fchown};

    use xattr::FileExt;

    use crate::failure::{NotWritten, reason};

    pub(super) fn copy_owner(old: &Metadata, new: &File) -> io::Result<()> {
        let own = new.metadata()?;
        let other = |old: u32, own: u32| (old != own).then_some(old);
        let (user, group) = (other(old.uid(), own.uid()), other(old.gid(), own.gid()));
        if user.is_none() && group.is_none() {
            return Ok(());
        }
        fchown(new, user, group).map_err(|error| {
            let problem = format!("its owner cannot be kept ({})", reason(&error));
            io::Error::other(NotWritten { problem, words: "{}, be that user, or use {o}" })
        })
    }

    /// Copies the extended attributes, which include access control lists.
    pub(super) fn copy_attributes(old: &File, new: &File) -> io::Result<()> {
        let names = match old.list_xattr() {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(error) => return Err(error),
        };
        for name in names {
            let Some(value) = old.get_xattr(&name)? else { continue };
            let Err(error) = new.set_xattr(&name, &value) else { continue };
            // A security label that the system already gave the new file needs rights to be set.
            if new.get_xattr(&name).ok().flatten().as_deref() != Some(&*value) {
                let (name, reason) = (name.to_string_lossy(), reason(&error));
                let problem = format!("its extended attribute {name} cannot be kept ({reason})");
                return Err(io::Error::other(NotWritten { problem, words: "{}, use {o}" }));
            }
        }
        Ok(())
    }
}
