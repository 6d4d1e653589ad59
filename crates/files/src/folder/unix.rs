//! Accesses a folder on Unix by a descriptor, with calls that take one name in it.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::fs::RenameFlags;
use rustix::fs::{self, Access, AtFlags, Dir, FileType, Mode, OFlags, RawMode, Stat};
#[cfg(target_os = "linux")]
use rustix::fs::{ResolveFlags, StatxAttributes as Attributes, StatxFlags};
use rustix::io::Errno;

use super::{Identity, Rename};

/// Opens a folder. With `O_PATH`, it need not be readable.
#[cfg(any(target_os = "android", target_os = "freebsd", target_os = "linux"))]
const FOLDER_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC).union(OFlags::PATH);
#[cfg(not(any(target_os = "android", target_os = "freebsd", target_os = "linux")))]
const FOLDER_FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Opens a file, but not through a symbolic link.
const FILE_FLAGS: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// An open folder.
#[derive(Debug)]
pub(in super::super) struct Folder {
    dir: File,
}

impl Folder {
    /// Opens a folder by a path, whose links are followed.
    pub(super) fn open_path(path: &Path) -> io::Result<Self> {
        let flags = FOLDER_FLAGS.bits().cast_signed();
        Ok(Self { dir: OpenOptions::new().read(true).custom_flags(flags).open(path)? })
    }

    /// Opens a folder in this one; `name` is one component of a path.
    pub(super) fn enter_name(&self, name: &OsStr) -> io::Result<Self> {
        let flags = FOLDER_FLAGS | OFlags::NOFOLLOW;
        Ok(Self { dir: fs::openat(&self.dir, name, flags, Mode::empty())?.into() })
    }

    /// Does [`Self::enter`] with one system call; `None` if the system does not have the call.
    ///
    /// For folders ten deep with ten files each, one call for each part of the path was a tenth of
    /// all calls of a run (`strace -c`).
    #[cfg(target_os = "linux")]
    pub(super) fn enter_at_once(&self, path: &Path) -> Option<io::Result<Self>> {
        if path.as_os_str().is_empty() {
            return None;
        }
        let flags = FOLDER_FLAGS | OFlags::NOFOLLOW;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match fs::openat2(&self.dir, path, flags, Mode::empty(), resolve) {
            // Old kernels and some sandboxes do not have it, and a rename elsewhere can disturb it.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
            entered => Some(entered.map(|fd| Self { dir: fd.into() }).map_err(io::Error::from)),
        }
    }

    /// Opens a file for reading; a pipe does not block.
    pub(in super::super) fn read(&self, name: &OsStr) -> io::Result<File> {
        let flags = FILE_FLAGS | OFlags::RDONLY | OFlags::NONBLOCK;
        Ok(fs::openat(&self.dir, check_name(name)?, flags, Mode::empty())?.into())
    }

    /// Creates a file, whose name must be free, with a mode that the process's mask narrows.
    pub(in super::super) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = FILE_FLAGS | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        Ok(fs::openat(&self.dir, check_name(name)?, flags, Mode::from(mode as RawMode))?.into())
    }

    /// Creates a folder, with a mode that the process's mask narrows.
    pub(in super::super) fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        Ok(fs::mkdirat(&self.dir, check_name(name)?, Mode::from(mode as RawMode))?)
    }

    /// Returns the identity of an entry; a symbolic link is not followed.
    pub(in super::super) fn identity(&self, name: &OsStr) -> io::Result<Identity> {
        let status = fs::statat(&self.dir, check_name(name)?, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Identity::from(&status))
    }

    /// Returns the identity of the folder itself.
    pub(in super::super) fn own_identity(&self) -> io::Result<Identity> {
        Ok(Identity::from(&self.dir.metadata()?))
    }

    /// Moves a file over a name in this or another folder.
    pub(super) fn move_to(&self, from: &OsStr, to: &Self, name: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.dir, check_name(from)?, &to.dir, check_name(name)?)?)
    }

    /// Renames in a special way; `false` if the system or the file system does not support that.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) fn try_rename(
        &self,
        rename: Rename,
        from: &OsStr,
        to: &Self,
        name: &OsStr,
    ) -> io::Result<bool> {
        let flags = match rename {
            Rename::Exchange => RenameFlags::EXCHANGE,
            Rename::ToFree => RenameFlags::NOREPLACE,
        };
        match fs::renameat_with(&self.dir, check_name(from)?, &to.dir, check_name(name)?, flags) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
            renamed => Ok(renamed.map(|()| true)?),
        }
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    pub(super) fn try_rename(&self, _: Rename, _: &OsStr, _: &Self, _: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    /// Creates a hard link to a file, under a name that must be free.
    pub(in super::super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to) = (check_name(from)?, check_name(to)?);
        Ok(fs::linkat(&self.dir, from, &self.dir, to, AtFlags::empty())?)
    }

    /// Refuses mount points and immutable files, over which no file can be renamed.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn check_replaceable(&self, name: &OsStr) -> io::Result<()> {
        let refused = [
            (Attributes::MOUNT_ROOT, "it is a mount point, over which no file can be renamed"),
            (Attributes::IMMUTABLE, "it is immutable, make it mutable (chattr -i)"),
            (Attributes::APPEND, "it can only be appended to, make it mutable (chattr -a)"),
        ];
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        // On a system without this call, the rename fails later.
        let attributes = fs::statx(&self.dir, check_name(name)?, flags, StatxFlags::empty())
            .map_or(Attributes::empty(), |status| status.stx_attributes);
        match refused.iter().find(|(attribute, _)| attributes.contains(*attribute)) {
            Some((_, why)) => Err(io::Error::other(*why)),
            None => Ok(()),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn check_replaceable(&self, _: &OsStr) -> io::Result<()> {
        Ok(())
    }

    /// Removes a folder and its contents; links are removed, not followed.
    pub(in super::super) fn remove_all(&self, name: &OsStr) -> io::Result<()> {
        let inner = self.enter_name(check_name(name)?)?;
        for name in inner.names()? {
            match fs::unlinkat(&inner.dir, &name, AtFlags::empty()) {
                // For a folder, Linux returns the first error, and POSIX demands the second.
                Err(Errno::ISDIR | Errno::PERM) => inner.remove_all(&name)?,
                removed => removed?,
            }
        }
        self.remove_empty(name)
    }

    /// Removes an empty folder.
    pub(in super::super) fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.dir, check_name(name)?, AtFlags::REMOVEDIR)?)
    }

    pub(in super::super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.dir, check_name(name)?, AtFlags::empty())?)
    }

    /// Returns the folder as a file, to lock it or to flush it.
    pub(in super::super) fn as_file(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(fs::openat(&self.dir, ".", flags, Mode::empty())?.into())
    }

    /// Returns the target of a symbolic link, as written.
    pub(in super::super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        let target = fs::readlinkat(&self.dir, check_name(name)?, Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    /// Creates a symbolic link with any target.
    pub(in super::super) fn make_link(&self, to: &Path, name: &OsStr) -> io::Result<()> {
        Ok(fs::symlinkat(to, &self.dir, check_name(name)?)?)
    }

    pub(in super::super) fn names(&self) -> io::Result<Vec<OsString>> {
        let mut names = Vec::new();
        for entry in Dir::new(self.as_file()?)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name != b"." && name != b".." {
                names.push(OsString::from_vec(name));
            }
        }
        Ok(names)
    }

    /// Narrows the mode of the folder by its name, since a descriptor by `O_PATH` does not allow
    /// `fchmod`.
    pub(in super::super) fn narrow_mode(&self, mode: u32) -> io::Result<()> {
        let mode = Mode::from((self.mode()? & mode) as RawMode);
        Ok(fs::chmodat(&self.dir, ".", mode, AtFlags::empty())?)
    }

    /// Checks that files can be created in it.
    pub(in super::super) fn check_writable(&self) -> io::Result<()> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        fs::accessat(&self.dir, ".", access, AtFlags::EACCESS)
            .map_err(|_| io::ErrorKind::PermissionDenied.into())
    }
}

/// Refuses a name that is not a single component, or that leads to the folder itself or its parent.
fn check_name(name: &OsStr) -> io::Result<&OsStr> {
    match Path::new(name).components().next() {
        Some(Component::Normal(part)) if part == name => Ok(name),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

impl Identity {
    /// Returns the version of an open file that has this metadata.
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(in super::super) fn from_file(_: &File, metadata: &Metadata) -> io::Result<Self> {
        Ok(Self::from(metadata))
    }
}

impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            is_file: metadata.is_file(),
            is_folder: metadata.is_dir(),
            names: metadata.nlink(),
            size: metadata.len(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            access: (metadata.mode(), metadata.uid(), metadata.gid()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Converts the fields by casts, since their types differ from system to system; all of them fit.
impl From<&Stat> for Identity {
    fn from(stat: &Stat) -> Self {
        let file_type = FileType::from_raw_mode(stat.st_mode);
        Self {
            file: (stat.st_dev as _, stat.st_ino as _),
            is_file: file_type.is_file(),
            is_folder: file_type.is_dir(),
            names: stat.st_nlink as _,
            size: stat.st_size.cast_unsigned(),
            modified: nanos(stat.st_mtime, stat.st_mtime_nsec),
            access: (stat.st_mode as _, stat.st_uid, stat.st_gid),
            changed: nanos(stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

/// Returns a time in nanoseconds since 1970.
fn nanos(seconds: impl Into<i128>, nanos: impl Into<i128>) -> i128 {
    seconds.into() * 1_000_000_000 + nanos.into()
}
