//! Replaces a file by a new version, without losing a version that another program writes at the
//! same time.
//!
//! Between a check of the old file and a rename over it, another program can put a newer version
//! under the name, and the rename deletes it. So the names of the temporary file and of the old
//! file are *exchanged* (`renameat2` with `RENAME_EXCHANGE`, and `renameatx_np` of macOS), and the
//! file that comes out is inspected, under the temporary name, where no other program finds it:
//!
//! 1. Check that the name has the version that was read: same file, size, times, mode and owner. If
//!    not, stop.
//! 2. Exchange the names. At every moment the name has one of the two files, whole.
//! 3. If the version that was read came out, delete it. Its size and time would show if a program
//!    had written to it that had opened it before.
//! 4. If a newer version came out, exchange again. Now the new version of this run comes out; it is
//!    deleted, and the file counts as changed. If yet another version comes out, a program replaced
//!    the file between the two exchanges: that newest version is exchanged back in turn, and the
//!    version that it replaced is left under the temporary name, which the message says.
//!
//! A run can be killed between steps 2 and 3, or 4. The temporary name then has the version that
//! was read, which may be deleted, or a newer one, which may not. The temporary name tells a later
//! run which (`temporary`): it contains the inode of the new version, and inode, size and time of
//! the version that was read. A later run deletes a file that is one of these two versions, and
//! leaves any other, such as a newer version. Another run at the same moment does the same: if it
//! deletes the old version first, nothing is lost. A backup (`OldFiles`) is created before the
//! exchange, so it does not depend on the temporary name.
//!
//! Two gaps remain. Bytes that a program writes to the old file after it was inspected in step 3,
//! through a handle that it opened before the exchange, are lost with the old file, as they are
//! with every program that replaces files. And a change between 1 and 2 that leaves size and time
//! as they were is not detected.
//!
//! On Windows, and on file systems without the exchange (NFS, FAT, some of FUSE), a rename follows
//! step 1: there, a version that is written within the microseconds between the two is lost.

mod old_version;
mod temporary;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::sync::Arc;

use super::failure::{Failure, reason};
use super::folder::{Folder, Identity};
use super::read::OpenFile;

pub(super) use old_version::creation_mode;
pub use old_version::{InvalidSuffix, OldFiles};
use old_version::{copy_metadata, refuse_read_only};
pub(crate) use temporary::TEMPORARY_PREFIX;
use temporary::TemporaryFile;
pub(super) use temporary::{
    TemporaryFolder, has_only_leftovers, ignores_case, is_temporary, remove_leftovers,
};

/// The new version of a file: a temporary file beside it, which is not renamed yet.
#[derive(Debug)]
pub(super) struct PendingRename {
    temporary: TemporaryFile,
    name: OsString,
    /// The version to replace, as it was read; `None` if the name was free.
    old: Option<Identity>,
    old_files: OldFiles,
}

impl PendingRename {
    /// Checks that a file could be created in a folder, and could replace the old version.
    pub(super) fn check(folder: &Folder, name: &OsStr, old: Option<&OpenFile>) -> io::Result<()> {
        old.map_or(Ok(()), |old| check_replaceable(folder, name, old))?;
        folder.check_writable()
    }

    /// Writes a temporary file beside a name. It gets the metadata of the old version, or if the
    /// name is free, the mode of its source.
    pub(super) fn write(
        folder: &Arc<Folder>,
        name: &OsStr,
        old: Option<&OpenFile>,
        source: Option<&Metadata>,
        fill: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<Self> {
        old.map_or(Ok(()), |old| check_replaceable(folder, name, old))?;
        let version = old.map(OpenFile::identity).transpose()?;
        // A replacement is private until it has the metadata of the old version. The umask narrows
        // the mode of a new file, as for any other program.
        let mode = if old.is_some() { 0o600 } else { source.map_or(0o666, creation_mode) };
        let temporary = TemporaryFile::new(folder, mode, version.as_ref())?;
        fill(&temporary.file)?;
        if let Some(old) = old {
            copy_metadata(old, &temporary.file)?;
        }
        let (name, old_files) = (name.to_owned(), OldFiles::default());
        Ok(Self { temporary, name, old: version, old_files })
    }

    /// Sets whether a backup of the old version is kept.
    pub(super) fn old_files(self, old_files: OldFiles) -> Self {
        Self { old_files, ..self }
    }

    pub(super) fn file(&self) -> &File {
        &self.temporary.file
    }

    pub(super) fn folder(&self) -> &Arc<Folder> {
        &self.temporary.folder
    }

    /// Renames the file to its final name.
    pub(super) fn rename_into_place(mut self) -> Result<(), ReplaceError> {
        let (temporary, name) = (&mut self.temporary, &self.name);
        let Some(old) = &self.old else { return Ok(temporary.rename_to_free_name(name)?) };
        if !old.is_still(&temporary.folder.identity(name)?) {
            return Err(ReplaceError::Changed);
        }
        let backup = self.old_files.back_up(&temporary.folder, name, old);
        let backup = backup.map_err(ReplaceError::Backup)?;
        let replaced = replace(temporary, name, old);
        if let (Err(_), Some(backup)) = (&replaced, backup) {
            backup.remove(&temporary.folder);
        }
        replaced
    }
}

/// The error of a temporary file that could not be renamed to its final name.
#[derive(Debug)]
pub(super) enum ReplaceError {
    /// The file changed after it was read, or it was removed.
    Changed,
    /// Another program created the file in the meantime.
    Created,
    /// The file changed, and a newer version of it may be under this temporary name in its folder.
    Left(String),
    /// The backup of the old version could not be created.
    Backup(Failure),
    Io(io::Error),
}

impl From<io::Error> for ReplaceError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::Created,
            io::ErrorKind::NotFound => Self::Changed,
            _ => Self::Io(error),
        }
    }
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("it changed in the meantime, and was left as it is"),
            Self::Created => {
                f.write_str("another program created it in the meantime, and it was left as it is")
            }
            Self::Left(name) => write!(
                f,
                "it changed in the meantime; a newer version of it may be in {name} beside it"
            ),
            Self::Backup(failure) => failure.fmt(f),
            Self::Io(error) => f.write_str(&reason(error)),
        }
    }
}

impl From<ReplaceError> for Failure {
    fn from(error: ReplaceError) -> Self {
        match error {
            ReplaceError::Io(error) => Self::write(&error),
            ReplaceError::Backup(failure) => failure,
            ReplaceError::Left(_) => Self::new(format!("{error}: compare the two")),
            other => Self::new(format!("{other}; run again")),
        }
    }
}

impl From<ReplaceError> for io::Error {
    fn from(error: ReplaceError) -> Self {
        match error {
            ReplaceError::Io(error) => error,
            other => Self::other(other.to_string()),
        }
    }
}

/// Refuses a file that could not be replaced, before a new version of it is written.
fn check_replaceable(folder: &Folder, name: &OsStr, old: &OpenFile) -> io::Result<()> {
    refuse_read_only(&old.metadata)?;
    folder.check_replaceable(name)
}

/// Replaces the version that was read by the temporary file: steps 2 to 4 above. The caller has
/// done step 1.
fn replace(
    temporary: &mut TemporaryFile,
    name: &OsStr,
    old: &Identity,
) -> Result<(), ReplaceError> {
    // The new version is inspected while no other program can write to it.
    let new = temporary.own_version()?;
    if !temporary.exchange(name)? {
        return Ok(temporary.rename_into_place(name)?);
    }
    let why = match temporary.version() {
        Ok(removed) if old.is_same_version(&removed) => {
            temporary.mark_removable();
            return Ok(());
        }
        // Another run recognized the old version by its temporary name, and deleted it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Ok(_) => ReplaceError::Changed,
        Err(error) => error.into(),
    };
    match put_back(temporary, name, new) {
        Ok(()) => Err(why),
        Err(_) => Err(ReplaceError::Left(temporary.name.clone())),
    }
}

/// Exchanges the names again, so a newer version gets its name back. If the new version of this run
/// comes out as it was written, it may be removed.
fn put_back(temporary: &mut TemporaryFile, name: &OsStr, new: Identity) -> io::Result<()> {
    temporary.exchange(name)?;
    if new.is_same_version(&temporary.version()?) {
        temporary.mark_removable();
        return Ok(());
    }
    // Another program replaced the file in between, and its version is the newest.
    temporary.exchange(name)?;
    Err(io::ErrorKind::Interrupted.into())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::folder::LastLink;
    use std::fs;
    use std::io::Write;
    use std::path::Path;
    use std::sync::Arc;

    /// Replaces a file after a change that no check detected, and returns the contents of all files
    /// in the folder.
    fn replaced(happens: impl FnOnce(&Path)) -> (Result<(), ReplaceError>, Vec<(String, String)>) {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("a");
        fs::write(&path, "old").unwrap();
        let folder = Arc::new(Folder::open(at.path(), LastLink::Followed).unwrap());
        let old = folder.identity(OsStr::new("a")).unwrap();
        let mut new = TemporaryFile::new(&folder, 0o600, Some(&old)).unwrap();
        new.file.write_all(b"new").unwrap();
        happens(&path);
        let result = replace(&mut new, OsStr::new("a"), &old);
        drop(new);
        let entries = fs::read_dir(at.path()).unwrap().map(|entry| entry.unwrap());
        let mut found: Vec<_> = entries
            .map(|entry| {
                let text = fs::read_to_string(entry.path()).unwrap_or_else(|e| e.to_string());
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        found.sort();
        (result, found)
    }

    fn only(text: &str) -> Vec<(String, String)> {
        vec![("a".to_owned(), text.to_owned())]
    }

    #[test]
    fn the_version_that_was_read_is_replaced() {
        let (result, found) = replaced(|_| {});
        assert!(result.is_ok());
        assert_eq!(found, only("new"));
    }

    #[test]
    fn a_newer_version_goes_back() {
        let (result, found) = replaced(|path| {
            fs::write(path.with_file_name("b"), "newer").unwrap();
            fs::rename(path.with_file_name("b"), path).unwrap();
        });
        assert!(matches!(result, Err(ReplaceError::Changed)), "{result:?}");
        assert_eq!(found, only("newer"));
        let (result, found) = replaced(|path| {
            let mut file = File::options().append(true).open(path).unwrap();
            file.write_all(b" and more").unwrap();
        });
        assert!(matches!(result, Err(ReplaceError::Changed)), "{result:?}");
        assert_eq!(found, only("old and more"));
    }

    #[test]
    fn a_file_that_was_deleted_is_not_made_again() {
        let (result, found) = replaced(|path| fs::remove_file(path).unwrap());
        assert!(matches!(result, Err(ReplaceError::Changed)), "{result:?}");
        assert_eq!(found, []);
    }

    #[test]
    fn a_link_or_a_folder_that_is_there_now_goes_back() {
        let (result, found) = replaced(|path| {
            fs::remove_file(path).unwrap();
            std::os::unix::fs::symlink("/nowhere", path).unwrap();
        });
        assert!(matches!(result, Err(ReplaceError::Changed)), "{result:?}");
        assert!(found.len() == 1 && found[0].1.contains("No such file"), "{found:?}");
        let (result, found) = replaced(|path| {
            fs::remove_file(path).unwrap();
            fs::create_dir(path).unwrap();
        });
        assert!(matches!(result, Err(ReplaceError::Changed)), "{result:?}");
        assert!(found.len() == 1 && found[0].1.contains("directory"), "{found:?}");
    }
}
