//! Temporary files and folders: a file beside the one that it replaces, and a folder in which a
//! tree is assembled.
//!
//! They are locked while they are in use. One that another run can lock is a leftover of a killed
//! run; it is removed if its name shows that nothing is lost (`name`).

mod folder;
mod leftovers;
mod name;

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::sync::Arc;

#[cfg(target_os = "linux")]
use cap_std::fs::Metadata;

use super::folder::Folder;
use super::identity::Identity;
pub(super) use folder::TemporaryFolder;
pub(super) use leftovers::{has_only_leftovers, remove_leftovers};
#[cfg(target_os = "linux")]
use name::exchanged_name;
pub(super) use name::is_temporary;
use name::{TRIES, new_name};

/// A file beside its target, removed unless it is renamed to the target.
#[derive(Debug)]
pub(super) struct Temporary {
    folder: Arc<Folder>,
    name: String,
    file: File,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The temporary name has the file of this run.
    Temporary,
    /// The same, and the name stays valid after an exchange.
    #[cfg(target_os = "linux")]
    Exchangeable,
    /// The temporary name has what was under the other name, and must be inspected before removal.
    #[cfg(target_os = "linux")]
    Exchanged,
    /// The temporary name is gone.
    InPlace,
}

impl Temporary {
    /// Creates a file, with a mode that the process's mask narrows.
    pub(super) fn new(folder: &Arc<Folder>, mode: u32) -> io::Result<Self> {
        Self::of(folder, mode, None)
    }

    /// Creates a file that can be exchanged with a version of a file, if the file system can.
    pub(super) fn to_replace(folder: &Arc<Folder>, mode: u32, old: &Identity) -> io::Result<Self> {
        Self::of(folder, mode, Some(old))
    }

    fn of(folder: &Arc<Folder>, mode: u32, old: Option<&Identity>) -> io::Result<Self> {
        for _ in 0..TRIES {
            #[cfg(target_os = "linux")]
            if let Some(file) = folder.create_unnamed(mode)
                && file.try_lock().is_ok()
                && let Some((name, state)) = Self::name_for(&file, old)
                && folder.name(&file, OsStr::new(&name)).is_ok()
            {
                return Ok(Self { folder: folder.clone(), name, file, state });
            }
            #[cfg(not(target_os = "linux"))]
            let _ = old;
            let name = new_name();
            let file = match folder.create(OsStr::new(&name), mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            let temporary = Self { folder: folder.clone(), name, file, state: State::Temporary };
            if temporary.lock()? == Lock::Acquired {
                return Ok(temporary);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    #[cfg(target_os = "linux")]
    fn name_for(file: &File, old: Option<&Identity>) -> Option<(String, State)> {
        let Some(old) = old else { return Some((new_name(), State::Temporary)) };
        let own = Identity::of(&file.metadata().ok()?);
        Some((exchanged_name(own.inode(), old), State::Exchangeable))
    }

    /// Locks it, unless another run was faster and removed it as a leftover.
    fn lock(&self) -> io::Result<Lock> {
        match self.file.try_lock() {
            // Without support for locks, no other run gets one either.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => return Ok(Lock::Lost),
        }
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&self.file.metadata()?) == 0 {
            return Ok(Lock::Lost);
        }
        Ok(Lock::Acquired)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn folder(&self) -> &Arc<Folder> {
        &self.folder
    }

    /// Renames it over another name.
    pub(super) fn take_place(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(OsStr::new(&self.name), name)?;
        self.state = State::InPlace;
        Ok(())
    }

    /// Renames it to a name that must be free.
    pub(super) fn take_free_place(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename_to_free(OsStr::new(&self.name), &self.folder, name)?;
        self.state = State::InPlace;
        Ok(())
    }
}

/// See `exchange`.
#[cfg(target_os = "linux")]
impl Temporary {
    pub(super) fn can_be_exchanged(&self) -> bool {
        self.state == State::Exchangeable
    }

    /// Exchanges its name with another one; `false` if the file system cannot do that.
    pub(super) fn exchange(&mut self, name: &OsStr) -> io::Result<bool> {
        let is_exchanged = self.folder.exchange(OsStr::new(&self.name), name)?;
        if is_exchanged {
            self.state = State::Exchanged;
        }
        Ok(is_exchanged)
    }

    /// What is under the temporary name.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.folder.metadata(OsStr::new(&self.name))
    }

    /// Removes the old version, which is under the temporary name.
    pub(super) fn remove_replaced(&mut self) {
        self.state = State::InPlace;
        self.remove();
    }

    /// After the names were exchanged again.
    pub(super) fn has_own_version(&mut self) {
        self.state = State::Exchangeable;
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Lock {
    Acquired,
    Lost,
}

impl Temporary {
    /// Removes the file with the temporary name; after two failures it is left for a later run.
    fn remove(&self) {
        let remove = || self.folder.remove(OsStr::new(&self.name));
        let _ = remove().or_else(|_| remove());
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        match self.state {
            State::Temporary => self.remove(),
            #[cfg(target_os = "linux")]
            State::Exchangeable => self.remove(),
            #[cfg(target_os = "linux")]
            State::Exchanged => {}
            State::InPlace => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::LastLink;
    use super::*;
    use std::io::Write;

    fn folder(at: &tempfile::TempDir) -> Arc<Folder> {
        Arc::new(Folder::open(at.path(), LastLink::Followed).unwrap())
    }

    #[test]
    fn it_takes_a_place_or_is_removed() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let mut kept = Temporary::new(&folder, 0o600).unwrap();
        let lost = Temporary::new(&folder, 0o600).unwrap();
        kept.file().write_all(b"x").unwrap();
        kept.take_place(OsStr::new("a.html")).unwrap();
        drop((kept, lost));
        assert_eq!(folder.names().unwrap(), ["a.html"]);
    }

    #[test]
    fn a_tree_is_moved_out_or_removed() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let make = |name: &str| {
            let made = TemporaryFolder::new(&folder, 0o755).unwrap();
            made.folder().create_folder(OsStr::new(name), 0o755).unwrap();
            made
        };
        let (kept, lost) = (make("a"), make("b"));
        let dead = ".absolve-tmp-0123456789abcdef-0";
        folder.create_folder(OsStr::new(dead), 0o755).unwrap();
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
        kept.move_out().unwrap();
        assert!(make("a").move_out().is_err());
        let whole = make("c");
        assert!(whole.move_to(OsStr::new("a")).is_err());
        whole.move_to(OsStr::new("d")).unwrap();
        drop((kept, lost, whole));
        let mut names = folder.names().unwrap();
        names.sort();
        assert_eq!(names, ["a", "d"]);
        assert_eq!(folder.enter(std::path::Path::new("d")).unwrap().names().unwrap(), ["c"]);
    }

    #[test]
    fn the_remains_of_a_dead_run_go_and_those_of_a_live_one_stay() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let live = Temporary::new(&folder, 0o600).unwrap();
        folder.create(OsStr::new(".absolve-tmp-0123456789abcdef-1"), 0o600).unwrap();
        for other in ["absolve-tmp-other", ".absolve-tmp-mine", ".absolve-tmp-0123456789abcdef-x"] {
            folder.create(OsStr::new(other), 0o600).unwrap();
        }
        assert!(!has_only_leftovers(&folder).unwrap());
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
        assert!(folder.metadata(OsStr::new(&live.name)).is_ok());
        drop(live);
        let mut names = folder.names().unwrap();
        names.sort();
        let mine = [".absolve-tmp-0123456789abcdef-x", ".absolve-tmp-mine", "absolve-tmp-other"];
        assert_eq!(names, mine);
    }

    #[test]
    fn a_folder_that_contains_something_else_stays() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let path = at.path().join(".absolve-tmp-0123456789abcdef-0");
        std::fs::create_dir_all(path.join(".absolve-tmp-0123456789abcdef-1/d")).unwrap();
        std::fs::write(path.join("mine.html"), "mine").unwrap();
        assert_eq!(remove_leftovers(&folder).unwrap(), 0);
        std::fs::remove_file(path.join("mine.html")).unwrap();
        assert!(has_only_leftovers(&folder).unwrap());
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
    }
}
