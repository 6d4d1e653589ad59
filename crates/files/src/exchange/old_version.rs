//! Preserves the old version of a file: copies its metadata (mode, owner, extended attributes) to
//! the new version, and keeps a backup, which is a hard link or a copy.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, FileTimes, Metadata};
use std::io;
use std::sync::Arc;

use super::temporary::TemporaryFile;
use crate::failure::{Failure, WriteRefusal, reason};
use crate::folder::{Folder, Identity};
use crate::read::OpenFile;

/// Whether a run in place keeps a backup of each file that it replaces; by default, it does not.
#[derive(Debug, Clone, Default)]
pub struct OldFiles {
    suffix: Option<String>,
}

/// The error for a backup suffix that is empty, or contains a path separator or NUL.
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
    /// If the suffix is empty, or contains a path separator or NUL.
    pub fn with_suffix(suffix: &str) -> Result<Self, InvalidSuffix> {
        if suffix.is_empty() || suffix.contains(['/', '\\', '\0']) {
            return Err(InvalidSuffix);
        }
        Ok(Self { suffix: Some(suffix.to_owned()) })
    }

    /// Returns the suffix of backups; `None` if no backups are kept.
    #[must_use]
    pub fn suffix(&self) -> Option<&str> {
        self.suffix.as_deref()
    }

    /// Returns the name of a file's backup; `None` if no backups are kept.
    fn backup_name(&self, name: &OsStr) -> Option<OsString> {
        let suffix = self.suffix.as_ref()?;
        Some([name, suffix.as_ref()].into_iter().collect())
    }

    /// Checks that the name of a file's backup is free, or is already that of this version.
    pub(in super::super) fn check(
        &self,
        folder: &Folder,
        name: &OsStr,
        old: &Identity,
    ) -> Result<(), Failure> {
        self.backup_name(name).map_or(Ok(()), |backup| has_backup(folder, &backup, old).map(|_| ()))
    }

    /// Whether a file has a backup already, by a run that was killed.
    pub(in super::super) fn is_backed_up(
        &self,
        folder: &Folder,
        name: &OsStr,
        old: &Identity,
    ) -> bool {
        let backup = self.backup_name(name);
        backup.is_some_and(|backup| has_backup(folder, &backup, old).is_ok_and(|exists| exists))
    }

    /// Backs up a file, if backups are kept; the caller removes the backup if the rename fails.
    pub(super) fn back_up(
        &self,
        folder: &Arc<Folder>,
        name: &OsStr,
        old: &Identity,
    ) -> Result<Option<Backup>, Failure> {
        self.backup_name(name).map(|backup| Backup::create(folder, backup, name, old)).transpose()
    }
}

/// The backup of an old version.
#[derive(Debug)]
pub(super) struct Backup {
    name: OsString,
    /// The file that this run linked or copied to the name; `None` if a killed run did.
    created: Option<Identity>,
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
    /// Creates a hard link to the old version of a file, or copies the file.
    fn create(
        folder: &Arc<Folder>,
        name: OsString,
        from: &OsStr,
        old: &Identity,
    ) -> Result<Self, Failure> {
        let backup_error = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        let created = match folder.link(from, &name) {
            Ok(()) => Some(*old),
            Err(error)
                if error.kind() == io::ErrorKind::AlreadyExists
                    && has_backup(folder, &name, old)? =>
            {
                None
            }
            // Some file systems have no hard links. If copying fails too, the first error says more
            // than the second, unless the disk is full.
            Err(link_error) => match copy_file(folder, from, &name) {
                Ok(copy) => Some(copy),
                Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                    return Err(backup_error(&error));
                }
                Err(_) => return Err(backup_error(&link_error)),
            },
        };
        Ok(Self { name, created })
    }

    /// Removes the backup, if this run created it.
    pub(super) fn remove(self, folder: &Folder) {
        // Another program may have replaced the backup.
        let is_own =
            |created| folder.identity(&self.name).is_ok_and(|now| now.is_same_file(&created));
        if self.created.is_some_and(is_own) {
            let _ = folder.remove(&self.name);
        }
    }
}

/// Copies a file with its metadata and times.
fn copy_file(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Identity> {
    let old = OpenFile::new(folder, from)?;
    let mut copy = TemporaryFile::new(folder, 0o600, None)?;
    io::copy(&mut &old.file, &mut &copy.file)?;
    copy_metadata(&old, &copy.file)?;
    copy_times(&old.metadata, &copy.file)?;
    copy.file.sync_all()?;
    copy.rename_to_free_name(to)?;
    copy.own_version()
}

/// Copies the mode, the owner and the extended attributes of the old file to the new one.
///
/// The owner is set first, since changing it removes set-user-ID bits and capabilities.
pub(super) fn copy_metadata(old: &OpenFile, new: &File) -> io::Result<()> {
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

/// Copies the times of access and modification.
fn copy_times(metadata: &Metadata, new: &File) -> io::Result<()> {
    let times =
        FileTimes::new().set_accessed(metadata.accessed()?).set_modified(metadata.modified()?);
    new.set_times(times)
}

/// Returns the mode for creating a copy of a file: its permission bits, which the umask narrows.
pub(in super::super) fn creation_mode(source: &Metadata) -> u32 {
    Identity::from(source).access.0 & 0o777
}

/// Refuses a read-only file, even if the mode of its folder allows replacing it.
pub(super) fn refuse_read_only(metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        let problem = "it is read-only; make it writable".to_owned();
        let words = "it is read-only, make it writable, or write to another file";
        return Err(io::Error::other(WriteRefusal { problem, words }));
    }
    Ok(())
}

/// Copies metadata that only Unix has, or represents differently (`docs/trees.md`).
#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::unix::fs::{MetadataExt, fchown};

    use xattr::FileExt;

    use crate::failure::{WriteRefusal, reason};

    /// Sets the user and the group of the old file, if those of the new one differ.
    pub(super) fn copy_owner(old: &Metadata, new: &File) -> io::Result<()> {
        let current = new.metadata()?;
        let changed = |old: u32, current: u32| (old != current).then_some(old);
        let user = changed(old.uid(), current.uid());
        let group = changed(old.gid(), current.gid());
        if user.is_none() && group.is_none() {
            return Ok(());
        }
        fchown(new, user, group).map_err(|error| {
            let problem = format!("its owner cannot be kept ({})", reason(&error));
            io::Error::other(WriteRefusal { problem, words: "{}, be that user, or use {o}" })
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
            // Setting a security label needs rights, but the system may have set it already.
            if new.get_xattr(&name).ok().flatten().as_deref() != Some(&*value) {
                let (name, reason) = (name.to_string_lossy(), reason(&error));
                let problem = format!("its extended attribute {name} cannot be kept ({reason})");
                return Err(io::Error::other(WriteRefusal { problem, words: "{}, use {o}" }));
            }
        }
        Ok(())
    }
}
