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

use super::folder::Folder;
use super::identity::Identity;
pub(super) use folder::TemporaryFolder;
pub(super) use leftovers::{has_only_leftovers, remove_leftovers};
#[cfg(feature = "crawl")]
pub(crate) use name::TEMPORARY;
pub(super) use name::is_temporary;
use name::{TRIES, exchanged_name, new_name};

/// A file beside its target, removed unless it is renamed to the target.
#[derive(Debug)]
pub(super) struct Temporary {
    folder: Arc<Folder>,
    name: String,
    file: File,
    /// Whether the temporary name has the file of this run, or another that may be removed.
    is_removable: bool,
}

impl Temporary {
    /// Creates a file, with a mode that the process's mask narrows; its name says which version
    /// of a file it is exchanged with.
    pub(super) fn new(folder: &Arc<Folder>, mode: u32, old: Option<&Identity>) -> io::Result<Self> {
        for _ in 0..TRIES {
            let name = new_name();
            let file = folder.create(OsStr::new(&name), mode)?;
            let mut temporary = Self { folder: folder.clone(), name, file, is_removable: true };
            let Some(own) = temporary.lock()? else { continue };
            if let Some(old) = old {
                let name = exchanged_name(&temporary.name, &own, old);
                folder.rename(OsStr::new(&temporary.name), OsStr::new(&name))?;
                temporary.name = name;
            }
            return Ok(temporary);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Locks it; `None` if another run was faster and removed it as a leftover.
    fn lock(&self) -> io::Result<Option<Identity>> {
        // Without support for locks, no other run gets one either.
        if let Err(TryLockError::WouldBlock) = self.file.try_lock() {
            return Ok(None);
        }
        Ok(Some(self.own_version()?).filter(|own| own.names > 0))
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

    /// The version of the file of this run.
    pub(super) fn own_version(&self) -> io::Result<Identity> {
        Identity::opened(&self.file, &self.file.metadata()?)
    }

    /// The version of the file that has the temporary name.
    pub(super) fn version(&self) -> io::Result<Identity> {
        self.folder.identity(OsStr::new(&self.name))
    }

    /// Renames it over another name.
    pub(super) fn take_place(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(OsStr::new(&self.name), name)?;
        self.is_removable = false;
        Ok(())
    }

    /// Renames it to a name that must be free.
    pub(super) fn take_free_place(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename_to_free(OsStr::new(&self.name), &self.folder, name)?;
        self.is_removable = false;
        Ok(())
    }

    /// Exchanges its name with another one, whose file is then not removed; `false` if the file
    /// system cannot do that.
    pub(super) fn exchange(&mut self, name: &OsStr) -> io::Result<bool> {
        let is_exchanged = self.folder.exchange(OsStr::new(&self.name), name)?;
        self.is_removable &= !is_exchanged;
        Ok(is_exchanged)
    }

    /// Lets the file that has the temporary name be removed.
    pub(super) fn give_up(&mut self) {
        self.is_removable = true;
    }
}

impl Drop for Temporary {
    /// Removes the file with the temporary name; after two failures it is left for a later run.
    fn drop(&mut self) {
        if self.is_removable {
            let remove = || self.folder.remove(OsStr::new(&self.name));
            let _ = remove().or_else(|_| remove());
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
        let mut kept = Temporary::new(&folder, 0o600, None).unwrap();
        let lost = Temporary::new(&folder, 0o600, None).unwrap();
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
        let (mut kept, lost) = (make("a"), make("b"));
        let dead = ".absolve-tmp-0123456789abcdef-0";
        folder.create_folder(OsStr::new(dead), 0o755).unwrap();
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
        kept.move_to(None).unwrap();
        assert!(make("a").move_to(None).is_err());
        assert!(make("c").move_to(Some(OsStr::new("a"))).is_err());
        let mut whole = make("c");
        whole.move_to(Some(OsStr::new("d"))).unwrap();
        drop((kept, lost, whole));
        let mut names = folder.names().unwrap();
        names.sort();
        assert_eq!(names, ["a", "d"]);
        assert_eq!(folder.enter(std::path::Path::new("d")).unwrap().names().unwrap(), ["c"]);
    }

    #[test]
    fn a_folder_has_one_user_at_a_time() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let dead = OsStr::new(".absolve-tmp-0123456789abcdef-0");
        folder.create_folder(dead, 0o755).unwrap();
        let lock = folder.lock_folder(dead).unwrap();
        assert!(folder.lock_folder(dead).is_err());
        assert_eq!(remove_leftovers(&folder).unwrap(), 0);
        drop(lock);
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
        let live = TemporaryFolder::new(&folder, 0o755).unwrap();
        assert!(folder.lock_folder(&folder.names().unwrap()[0]).is_err());
        assert_eq!(remove_leftovers(&folder).unwrap(), 0);
        drop(live);
        assert!(folder.names().unwrap().is_empty());
    }

    #[test]
    fn the_remains_of_a_dead_run_go_and_those_of_a_live_one_stay() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let live = Temporary::new(&folder, 0o600, None).unwrap();
        folder.create(OsStr::new(".absolve-tmp-0123456789abcdef-1"), 0o600).unwrap();
        for other in ["absolve-tmp-other", ".absolve-tmp-mine", ".absolve-tmp-0123456789abcdef-x"] {
            folder.create(OsStr::new(other), 0o600).unwrap();
        }
        assert!(!has_only_leftovers(&folder).unwrap());
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
        assert!(folder.identity(OsStr::new(&live.name)).is_ok());
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
