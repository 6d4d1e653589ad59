//! The folder of a system other than Unix, by cap-std. Its functions are those of `unix`, without
//! modes and without what only a system call of Linux can do.

#![expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the signatures are those of Unix, where more can be done"
)]

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, Metadata as CapMetadata, OpenOptions};

use super::super::identity::Identity;
use super::Rename;

/// An open folder.
#[derive(Debug)]
pub(in super::super) struct Folder {
    dir: Dir,
}

impl Folder {
    pub(super) fn open_path(path: &Path) -> io::Result<Self> {
        Ok(Self { dir: Dir::open_ambient_dir(path, ambient_authority())? })
    }

    pub(super) fn enter_name(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self { dir: self.dir.open_dir_nofollow(name)? })
    }

    pub(in super::super) fn read(&self, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        Ok(self.dir.open_with(name, &options)?.into_std())
    }

    pub(in super::super) fn create(&self, name: &OsStr, _: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        Ok(self.dir.open_with(name, &options)?.into_std())
    }

    pub(in super::super) fn create_folder(&self, name: &OsStr, _: u32) -> io::Result<()> {
        self.dir.create_dir_with(name, &DirBuilder::new())
    }

    pub(in super::super) fn identity(&self, name: &OsStr) -> io::Result<Identity> {
        Ok(Identity::from(&self.dir.symlink_metadata(name)?))
    }

    pub(in super::super) fn own_identity(&self) -> io::Result<Identity> {
        Ok(Identity::from(&self.dir.dir_metadata()?))
    }

    pub(super) fn move_to(&self, from: &OsStr, to: &Self, name: &OsStr) -> io::Result<()> {
        self.dir.rename(from, &to.dir, name)
    }

    pub(super) fn try_rename(&self, _: Rename, _: &OsStr, _: &Self, _: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    pub(in super::super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.dir.hard_link(from, &self.dir, to)
    }

    pub(in super::super) fn check_replaceable(&self, _: &OsStr) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn remove_all(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_dir_all(name)
    }

    pub(in super::super) fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_dir(name)
    }

    pub(in super::super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_file_or_symlink(name)
    }

    pub(in super::super) fn as_file(&self) -> io::Result<File> {
        Ok(self.dir.try_clone()?.into_std_file())
    }

    /// Folders have no locks there. One that a run uses is open, and cannot be renamed.
    pub(in super::super) fn lock_folder(&self, name: &OsStr) -> io::Result<Option<File>> {
        let other: OsString = [name, "0".as_ref()].into_iter().collect();
        self.dir.rename(name, &self.dir, &other)?;
        self.dir.rename(&other, &self.dir, name)?;
        Ok(None)
    }

    pub(in super::super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        self.dir.read_link_contents(name)
    }

    pub(in super::super) fn make_link(&self, to: &Path, name: &OsStr) -> io::Result<()> {
        DirExt::symlink(&self.dir, to, name)
    }

    pub(in super::super) fn names(&self) -> io::Result<Vec<OsString>> {
        self.dir.entries()?.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub(in super::super) fn narrow_mode(&self, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn check_writable(&self) -> io::Result<()> {
        Ok(())
    }
}

impl From<&CapMetadata> for Identity {
    fn from(metadata: &CapMetadata) -> Self {
        let file = (metadata.dev(), metadata.ino());
        Self { file, names: metadata.nlink(), ..without_numbers(metadata) }
    }
}

impl Identity {
    /// The version of an open file that this metadata is of: its numbers come from the file.
    pub(in super::super) fn opened(file: &File, metadata: &Metadata) -> io::Result<Self> {
        let Self { file, names, .. } = Self::from(&CapMetadata::from_file(file)?);
        Ok(Self { file, names, ..Self::from(metadata) })
    }
}

impl From<&Metadata> for Identity {
    /// Without the numbers, which the metadata of Windows does not have.
    fn from(metadata: &Metadata) -> Self {
        without_numbers(&CapMetadata::from_just_metadata(metadata.clone()))
    }
}

/// A file that is not known to be the same as another.
fn without_numbers(metadata: &CapMetadata) -> Identity {
    let modified = metadata.modified().map_or(0, |time| nanos(time.into_std()));
    Identity {
        file: (0, 0),
        is_file: metadata.is_file(),
        is_folder: metadata.is_dir(),
        names: 1,
        size: metadata.len(),
        modified,
        access: (if metadata.permissions().readonly() { 0o555 } else { 0o777 }, 0, 0),
        changed: modified,
    }
}

/// A time in nanoseconds since 1970.
fn nanos(time: SystemTime) -> i128 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos().cast_signed(),
        Err(before) => -before.duration().as_nanos().cast_signed(),
    }
}
