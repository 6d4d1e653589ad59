//! An open folder.
//!
//! Everything in a tree is accessed by one name in an open folder, and subfolders are
//! opened from there: a path is resolved once, when the root is opened, so that a
//! symbolic link that is swapped in afterwards has no effect.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Component, Path};

#[cfg(unix)]
pub(super) use unix::Folder;
#[cfg(not(unix))]
pub(super) use windows::Folder;

/// Whether a symbolic link that a path ends with is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastLink {
    Followed,
    Refused,
}

/// A rename that not every system and file system supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rename {
    /// The two names exchange their files.
    Exchange,
    /// The new name must be free.
    ToFree,
}

impl Folder {
    /// Opens a folder by its path. A path that ends with a slash, or a dot after one,
    /// says itself that a link is to be followed.
    pub(super) fn open(path: &Path, link: LastLink) -> io::Result<Self> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let ends_in_slash = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
        if let (LastLink::Refused, Some(name), false) = (link, path.file_name(), ends_in_slash) {
            return Self::open_path(parent(path))?.enter(Path::new(name));
        }
        Self::open_path(path)
    }

    /// Opens a folder beneath this one, through no symbolic link.
    pub(super) fn enter(&self, path: &Path) -> io::Result<Self> {
        let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !path.components().all(is_name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[cfg(target_os = "linux")]
        if let Some(entered) = self.enter_at_once(path) {
            return entered;
        }
        let own = self.enter_name(OsStr::new("."))?;
        path.iter().try_fold(own, |folder, name| folder.enter_name(name))
    }

    /// Opens and locks a folder in it that no run uses.
    pub(super) fn lock_folder(&self, name: &OsStr) -> io::Result<(Self, File)> {
        let folder = self.enter(Path::new(name))?;
        let lock = folder.as_file()?;
        // Windows locks it while it is open.
        if cfg!(unix) {
            lock.try_lock()?;
        }
        Ok((folder, lock))
    }

    /// The folder's own mode, without the bits that no output folder gets.
    pub(super) fn mode(&self) -> io::Result<u32> {
        Ok(self.own_identity()?.access.0 & 0o777)
    }

    /// Flushes the names in it to the disk.
    pub(super) fn flush(&self) -> io::Result<()> {
        if cfg!(unix) { self.as_file()?.sync_all() } else { Ok(()) }
    }

    /// Renames a file over another name.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.move_to(from, self, to)
    }

    /// Exchanges two names; `false` if the system or the file system cannot do that.
    pub(super) fn exchange(&self, one: &OsStr, other: &OsStr) -> io::Result<bool> {
        self.try_rename(Rename::Exchange, one, self, other)
    }

    /// Moves a file to a name in this or another folder that must be free.
    pub(super) fn rename_to_free(&self, from: &OsStr, to: &Self, name: &OsStr) -> io::Result<()> {
        if self.try_rename(Rename::ToFree, from, to, name)? {
            return Ok(());
        }
        // The next best is to check first.
        match to.identity(name) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.move_to(from, to, name),
            Err(error) => Err(error),
        }
    }
}

/// Whether a folder cannot be opened because another run has locked it, as on Windows.
pub(super) fn is_locked(error: &io::Error) -> bool {
    const ERROR_SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
}

/// The folder that a path's last name is in.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn nothing_outside_of_a_folder_is_reached() {
        let at = tempfile::tempdir().unwrap();
        fs::create_dir_all(at.path().join("root/inner")).unwrap();
        fs::write(at.path().join("root/inner/a"), "a").unwrap();
        fs::write(at.path().join("b"), "b").unwrap();
        let root = Folder::open(&at.path().join("root"), LastLink::Refused).unwrap();
        assert_eq!(root.enter(Path::new("./inner/.")).unwrap().names().unwrap(), ["a"]);
        let absolute = at.path().join("root/inner");
        for path in ["..", "inner/..", "inner/../..", "/", absolute.to_str().unwrap()] {
            let entered = root.enter(Path::new(path)).map_err(|error| error.kind());
            assert_eq!(entered.unwrap_err(), io::ErrorKind::InvalidInput, "{path}");
        }
        let outside = at.path().join("b");
        for name in ["../b", "inner/../../b", outside.to_str().unwrap()] {
            let name = OsStr::new(name);
            assert!(root.read(name).is_err(), "{name:?}");
            assert!(root.identity(name).is_err(), "{name:?}");
            assert!(root.create(name, 0o600).is_err(), "{name:?}");
            assert!(root.rename(OsStr::new("inner"), name).is_err(), "{name:?}");
            assert!(root.rename(name, OsStr::new("c")).is_err(), "{name:?}");
            assert!(root.remove(name).is_err(), "{name:?}");
        }
        for name in ["..", "."] {
            assert!(root.remove_all(OsStr::new(name)).is_err(), "{name}");
        }
        assert_eq!(fs::read(outside).unwrap(), b"b");
    }

    #[test]
    #[cfg(unix)]
    fn a_symbolic_link_is_not_followed() {
        use std::os::unix::fs::symlink;
        let at = tempfile::tempdir().unwrap();
        fs::create_dir_all(at.path().join("outside/inner")).unwrap();
        fs::write(at.path().join("outside/a"), "a").unwrap();
        fs::create_dir(at.path().join("root")).unwrap();
        symlink(at.path().join("outside"), at.path().join("root/link")).unwrap();
        symlink("../outside/a", at.path().join("root/a")).unwrap();
        let root = Folder::open(&at.path().join("root/"), LastLink::Followed).unwrap();
        for path in ["link", "link/", "link/inner", "./link/."] {
            assert!(root.enter(Path::new(path)).is_err(), "{path}");
        }
        assert!(Folder::open(&at.path().join("root/link"), LastLink::Refused).is_err());
        assert!(Folder::open(&at.path().join("root/link/"), LastLink::Refused).is_ok());
        assert!(root.read(OsStr::new("a")).is_err());
        assert!(root.create(OsStr::new("a"), 0o600).is_err());
        assert!(!root.identity(OsStr::new("a")).unwrap().is_file);
        // Removed with their folder, links are removed as themselves.
        assert!(root.remove_all(OsStr::new("link")).is_err());
        let above = Folder::open(at.path(), LastLink::Refused).unwrap();
        above.remove_all(OsStr::new("root")).unwrap();
        assert_eq!(above.names().unwrap(), ["outside"]);
        assert_eq!(fs::read(at.path().join("outside/a")).unwrap(), b"a");
    }
}
