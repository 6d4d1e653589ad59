//! Accesses files by one name in an open folder, from which subfolders are opened.
//!
//! A path is resolved once, when the root of a tree is opened, so a symbolic link that replaces a
//! folder afterwards has no effect.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
    /// Opens a folder by its path. A link is always followed if the path ends with a slash, or with
    /// a slash and a dot.
    pub(super) fn open(path: &Path, link: LastLink) -> io::Result<Self> {
        let bytes = path.as_os_str().as_encoded_bytes();
        let ends_in_slash = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
        if let (LastLink::Refused, Some(name), false) = (link, path.file_name(), ends_in_slash) {
            return Self::open_path(parent(path))?.enter(Path::new(name));
        }
        Self::open_path(path)
    }

    /// Opens a folder beneath this one, never through a symbolic link.
    pub(super) fn enter(&self, path: &Path) -> io::Result<Self> {
        let is_name = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !path.components().all(is_name) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[cfg(target_os = "linux")]
        if let Some(entered) = self.enter_at_once(path) {
            return entered;
        }
        let this = self.enter_name(OsStr::new("."))?;
        path.iter().try_fold(this, |folder, name| folder.enter_name(name))
    }

    /// Opens and locks a folder in it; fails if another run has locked that folder.
    pub(super) fn lock_folder(&self, name: &OsStr) -> io::Result<(Self, File)> {
        let folder = self.enter(Path::new(name))?;
        let lock = folder.as_file()?;
        // On Windows, opening the folder as a file locks it.
        if cfg!(unix) {
            lock.try_lock()?;
        }
        Ok((folder, lock))
    }

    /// Returns the permission bits of the folder; an output folder gets no other bits of the mode.
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
    pub(super) fn exchange(&self, name: &OsStr, other: &OsStr) -> io::Result<bool> {
        self.try_rename(Rename::Exchange, name, self, other)
    }

    /// Moves a file to a name in this or another folder that must be free.
    pub(super) fn rename_to_free(&self, from: &OsStr, to: &Self, name: &OsStr) -> io::Result<()> {
        if self.try_rename(Rename::ToFree, from, to, name)? {
            return Ok(());
        }
        // Without such a rename, a check comes first; another program may take the name in between.
        match to.identity(name) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.move_to(from, to, name),
            Err(error) => Err(error),
        }
    }
}

/// Whether a folder cannot be opened because another run has locked it, which only Windows
/// enforces.
pub(super) fn is_locked(error: &io::Error) -> bool {
    const ERROR_SHARING_VIOLATION: i32 = 32;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_SHARING_VIOLATION)
}

/// Returns the folder of the last name of a path; `.` if the path has a single name.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Resolves the symbolic links of a path, of which only the beginning need exist.
pub(super) fn resolve_links(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    for ancestor in path.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            return real.join(path.strip_prefix(ancestor).unwrap_or(Path::new("")));
        }
    }
    path
}

/// A version of a file or of another entry: which file it is, and the metadata that shows a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    /// The numbers of the file system, and of the file on it (inode).
    pub(super) file: (u64, u64),
    pub(super) is_file: bool,
    pub(super) is_folder: bool,
    /// The number of its hard links.
    pub(super) names: u64,
    pub(super) size: u64,
    /// The time of its last modification, in nanoseconds since 1970.
    pub(super) modified: i128,
    /// Mode, user and group.
    pub(super) access: (u32, u32, u32),
    /// The time of the last change of contents or metadata, which no program can set (`ctime`).
    pub(super) changed: i128,
}

impl Identity {
    /// Whether it is the same file, with any contents.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.file == other.file
    }

    /// Whether it is the same file with the same contents and metadata.
    pub(super) fn is_still(&self, now: &Self) -> bool {
        // Removing one of several hard links changes the time, so it is ignored for such a file.
        let is_unchanged = self.names != 1 || (1, self.changed) == (now.names, now.changed);
        is_unchanged && self.is_same_version(now)
    }

    /// Like [`Self::is_still`], for a file that was renamed in between, which changes its `ctime`
    /// on most file systems.
    pub(super) fn is_same_version(&self, now: &Self) -> bool {
        let fields =
            |identity: &Self| (identity.file, identity.size, identity.modified, identity.access);
        fields(self) == fields(now)
    }

    /// Returns the time of its last modification, in nanoseconds since 1970; 0 for an earlier time.
    pub(super) fn modified_nanos(&self) -> u64 {
        u64::try_from(self.modified.max(0)).unwrap_or(u64::MAX)
    }
}

/// Returns the metadata of a file, read at a time after which every change is detectable.
///
/// File times advance with the ticks of the kernel's clock, every 10 ms at the slowest. A file that
/// changed in the current tick can change again without a new time, so a recent change makes this
/// function wait for twice the tick and inspect the file again.
///
/// # Errors
///
/// If the file cannot be inspected, or keeps changing.
pub(super) fn read_stable_metadata(file: &File, metadata: Metadata) -> io::Result<Metadata> {
    const MIN_AGE: Duration = Duration::from_millis(20);
    const MAX_TRIES: usize = 3;
    let mut metadata = metadata;
    for _ in 0..MAX_TRIES {
        let Some(age) = compute_age(&metadata).filter(|age| *age < MIN_AGE) else {
            return Ok(metadata);
        };
        std::thread::sleep(MIN_AGE.saturating_sub(age));
        metadata = file.metadata()?;
    }
    Err(io::Error::other("another program is writing it; run again when that has ended"))
}

/// Returns the time since the last change of contents or metadata; `None` if the change is in the
/// future by the clock of this machine, as on a network file system.
fn compute_age(metadata: &Metadata) -> Option<Duration> {
    let changed = u64::try_from(Identity::from(metadata).changed).ok()?;
    SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_nanos(changed)).ok()
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

    /// Whether a file is as it was after something was done to its folder.
    #[cfg(unix)]
    fn is_still(names: &[&str], act: impl FnOnce(&Path)) -> bool {
        let at = tempfile::tempdir().unwrap();
        let folder = Folder::open(at.path(), LastLink::Followed).unwrap();
        fs::write(at.path().join("a"), "old").unwrap();
        for name in names {
            fs::hard_link(at.path().join("a"), at.path().join(name)).unwrap();
        }
        let identity = || folder.identity(OsStr::new("a")).unwrap();
        let before = identity();
        // Times are as coarse as the clock's ticks.
        std::thread::sleep(Duration::from_millis(20));
        act(at.path());
        before.is_still(&identity())
    }

    #[test]
    #[cfg(unix)]
    fn what_happened_to_a_file_is_seen() {
        assert!(is_still(&[], |_| {}));
        assert!(!is_still(&[], |at| {
            fs::set_permissions(at.join("a"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
                .unwrap();
        }));
        assert!(!is_still(&[], |at| fs::hard_link(at.join("a"), at.join("b")).unwrap()));
        assert!(!is_still(&[], |at| {
            let modified = fs::metadata(at.join("a")).unwrap().modified().unwrap();
            fs::write(at.join("a"), "new").unwrap();
            let file = File::options().write(true).open(at.join("a")).unwrap();
            file.set_times(fs::FileTimes::new().set_modified(modified)).unwrap();
        }));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_of_which_another_name_goes_is_as_it_was() {
        assert!(is_still(&["b"], |at| fs::remove_file(at.join("b")).unwrap()));
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_was_just_written_is_looked_at_again() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("a");
        let is_seen = |_| {
            fs::write(&path, "1").unwrap();
            let file = File::open(&path).unwrap();
            let first = file.metadata().unwrap();
            fs::write(&path, "22").unwrap();
            read_stable_metadata(&file, first).unwrap().len() == 2
        };
        // A machine with much to do may hold the thread longer than a tick.
        assert!((0..20).any(is_seen));
    }
}
