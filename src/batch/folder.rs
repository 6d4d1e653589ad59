//! An open folder.
//!
//! Everything in a tree is accessed by one name in an open folder, and subfolders are
//! opened from there: a path is resolved once, when the root is opened, so that a
//! symbolic link that is swapped in afterwards has no effect.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, Metadata, OpenOptions};
#[cfg(unix)]
use cap_std::fs::{DirBuilderExt, OpenOptionsExt};

/// Whether a symbolic link that a path ends with is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    Followed,
    Refused,
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder {
    dir: Dir,
}

impl Folder {
    /// Opens a folder by its path. A path that ends with a slash, or a dot after one,
    /// says itself that a link is to be followed.
    pub(super) fn open(path: &Path, link: LastLink) -> io::Result<Self> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let ends_in_slash = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
        if let (LastLink::Refused, Some(name), false) = (link, path.file_name(), ends_in_slash) {
            return Self::open(parent(path), LastLink::Followed)?.enter(Path::new(name));
        }
        Ok(Self { dir: Dir::open_ambient_dir(path, ambient_authority())? })
    }

    /// Opens a folder beneath this one, through no symbolic link.
    pub(super) fn enter(&self, path: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(entered) = self.enter_at_once(path) {
            return entered;
        }
        let mut dir = self.dir.try_clone()?;
        for part in path.components() {
            match part {
                Component::Normal(name) => dir = dir.open_dir_nofollow(name)?,
                Component::CurDir => {}
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(Self { dir })
    }

    /// [`Self::enter`] with one system call; `None` if the system does not have it.
    ///
    /// Folders ten deep, ten files in each: one call for each part of the path was a tenth of
    /// all calls of a run (`strace -c`).
    #[cfg(target_os = "linux")]
    fn enter_at_once(&self, path: &Path) -> Option<io::Result<Self>> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        if path.as_os_str().is_empty() {
            return None;
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(&self.dir, path, flags, Mode::empty(), resolve) {
            // Old kernels and some sandboxes do not have it.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM | rustix::io::Errno::AGAIN) => {
                None
            }
            entered => Some(
                entered
                    .map(|fd| Self { dir: Dir::from_std_file(File::from(fd)) })
                    .map_err(io::Error::from),
            ),
        }
    }

    /// Opens a file for reading; a pipe does not block.
    pub(super) fn read(&self, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        Ok(self.dir.open_with(name, &options)?.into_std())
    }

    /// Makes a file that is not there, with a mode that the process's mask narrows.
    pub(super) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        options.mode(mode);
        #[cfg(not(unix))]
        let _ = mode;
        Ok(self.dir.open_with(name, &options)?.into_std())
    }

    /// Makes a folder, with a mode that the process's mask narrows.
    pub(super) fn create_folder(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        builder.mode(mode);
        #[cfg(not(unix))]
        let _ = (&mut builder, mode);
        self.dir.create_dir_with(name, &builder)
    }

    /// What is under a name, a symbolic link as itself.
    pub(super) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        self.dir.symlink_metadata(name)
    }

    /// What the folder itself is.
    pub(super) fn own_metadata(&self) -> io::Result<Metadata> {
        self.dir.dir_metadata()
    }

    /// Renames a file over another name.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.dir.rename(from, &self.dir, to)
    }

    /// Gives a file a second name, which must be free.
    pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.dir.hard_link(from, &self.dir, to)
    }

    /// Refuses what no file can be renamed over: mount points and immutable files.
    pub(super) fn check_replaceable(&self, name: &OsStr) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{AtFlags, StatxAttributes as Has, StatxFlags, statx};
            let refused = [
                (Has::MOUNT_ROOT, "it is a mount point, over which no file can be renamed"),
                (Has::IMMUTABLE, "it is immutable, make it mutable (chattr -i)"),
                (Has::APPEND, "it can only be appended to, make it mutable (chattr -a)"),
            ];
            let flags = AtFlags::SYMLINK_NOFOLLOW;
            // Where the system has no such call, the rename fails later.
            let has = statx(&self.dir, name, flags, StatxFlags::empty());
            let has = has.map_or(Has::empty(), |found| found.stx_attributes);
            if let Some((_, what)) = refused.iter().find(|(which, _)| has.contains(*which)) {
                return Err(io::Error::other(*what));
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = name;
        Ok(())
    }

    /// Exchanges two names; `false` if the system or the file system cannot do that.
    pub(super) fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<bool> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(&self.dir, one, &self.dir, other, RenameFlags::EXCHANGE) {
                Err(Errno::INVAL | Errno::NOSYS) => Ok(false),
                exchanged => Ok(exchanged.map(|()| true)?),
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (one, other);
            Ok(false)
        }
    }

    /// Moves a file to a name in this or another folder that must be free.
    pub(super) fn rename_to_free(&self, from: &OsStr, to: &Self, name: &OsStr) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            use rustix::io::Errno;
            let flags = RenameFlags::NOREPLACE;
            match renameat_with(&self.dir, from, &to.dir, name, flags) {
                // Not every file system supports it; the next best is to check first.
                Err(Errno::INVAL | Errno::NOSYS) => {}
                moved => return Ok(moved?),
            }
        }
        match to.metadata(name) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.dir.rename(from, &to.dir, name)
            }
            Err(error) => Err(error),
        }
    }

    /// Removes a folder and all that is in it, links in it as themselves.
    pub(super) fn remove_all(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_dir_all(name)
    }

    /// Removes a folder that has nothing in it.
    pub(super) fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_dir(name)
    }

    /// The folder as a file, to lock it or to flush it.
    pub(super) fn as_file(&self) -> io::Result<File> {
        Ok(self.dir.open(".")?.into_std())
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.dir.remove_file_or_symlink(name)
    }

    /// The target of a symbolic link, as written.
    pub(super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        self.dir.read_link_contents(name)
    }

    /// Creates a symbolic link with any target.
    pub(super) fn make_link(&self, to: &Path, name: &OsStr) -> io::Result<()> {
        #[cfg(unix)]
        return self.dir.symlink_contents(to, name);
        #[cfg(not(unix))]
        return DirExt::symlink(&self.dir, to, name);
    }

    pub(super) fn names(&self) -> io::Result<Vec<OsString>> {
        self.dir.entries()?.map(|entry| Ok(entry?.file_name())).collect()
    }

    /// The folder's own mode, without the bits that no output folder gets.
    pub(super) fn mode(&self) -> io::Result<u32> {
        let permissions = self.own_metadata()?.permissions();
        #[cfg(unix)]
        return Ok(cap_std::fs::PermissionsExt::mode(&permissions) & 0o777);
        #[cfg(not(unix))]
        return Ok(0o777);
    }

    /// Narrows the folder's own mode.
    pub(super) fn narrow_mode(&self, mode: u32) -> io::Result<()> {
        #[cfg(unix)]
        {
            use cap_std::fs::{Permissions, PermissionsExt};
            let permissions = Permissions::from_mode(self.mode()? & mode);
            self.dir.set_permissions(".", permissions)?;
        }
        #[cfg(not(unix))]
        let _ = mode;
        Ok(())
    }

    /// Checks that files can be made in it.
    pub(super) fn check_writable(&self) -> io::Result<()> {
        #[cfg(unix)]
        {
            use rustix::fs::{Access, AtFlags, accessat};
            let access = Access::WRITE_OK | Access::EXEC_OK;
            accessat(&self.dir, ".", access, AtFlags::EACCESS)
                .map_err(|_| io::ErrorKind::PermissionDenied)?;
        }
        Ok(())
    }

    /// Flushes the names in it to the disk.
    pub(super) fn flush(&self) -> io::Result<()> {
        if cfg!(unix) { self.as_file()?.sync_all() } else { Ok(()) }
    }
}

/// The folder that a path's last name is in.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
