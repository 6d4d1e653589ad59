//! A file beside its target that takes the target's place when it is whole.
//!
//! It is locked as long as it is in use. What finds one that it can lock has found
//! the remains of a run that was killed, and removes it; the file of a run that
//! goes on is locked, and stays.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::folder::Folder;

/// What the names of temporary files begin with.
pub const TEMPORARY: &str = ".absolve-tmp-";

/// How often a name is tried, or a lock: each time is as good as sure, and an error
/// that stays is the disk's.
const TRIES: usize = 16;

/// A file beside its target, removed unless it takes the target's place.
#[derive(Debug)]
pub(super) struct Temporary {
    folder: Arc<Folder>,
    name: String,
    file: File,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Temporary,
    InPlace,
}

impl Temporary {
    /// Makes one, with a mode that the process's mask narrows.
    pub(super) fn new(folder: &Arc<Folder>, mode: u32) -> io::Result<Self> {
        for _ in 0..TRIES {
            let name = new_name();
            #[cfg(target_os = "linux")]
            if let Some(file) = folder.create_unnamed(mode)
                && file.try_lock().is_ok()
                && folder.name(&file, OsStr::new(&name)).is_ok()
            {
                let state = State::Temporary;
                return Ok(Self { folder: folder.clone(), name, file, state });
            }
            let file = match folder.create(OsStr::new(&name), mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            let temporary = Self { folder: folder.clone(), name, file, state: State::Temporary };
            if temporary.lock()? == Lock::Held {
                return Ok(temporary);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Locks it, unless another run was faster and took it for a remain.
    fn lock(&self) -> io::Result<Lock> {
        match self.file.try_lock() {
            // Where there are no locks, no other run gets one either.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => return Ok(Lock::Lost),
        }
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&self.file.metadata()?) == 0 {
            return Ok(Lock::Lost);
        }
        Ok(Lock::Held)
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

    /// Takes the place of what stands under this name, or an empty one.
    pub(super) fn take_place(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(OsStr::new(&self.name), name)?;
        self.state = State::InPlace;
        Ok(())
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Lock {
    Held,
    Lost,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.state == State::Temporary {
            let remove = || self.folder.remove(OsStr::new(&self.name));
            // What cannot be removed, tried twice, is left for a later run.
            let _ = remove().or_else(|_| remove());
        }
    }
}

/// A name that no other run takes: random for the process, numbered in it.
fn new_name() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{TEMPORARY}{process:016x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A folder in which a tree is put together, removed with all that is in it unless
/// the tree is moved out.
#[derive(Debug)]
pub(super) struct TemporaryFolder {
    above: Arc<Folder>,
    name: String,
    /// Held and locked; `None` while it is made and when it is removed.
    held: Option<(Arc<Folder>, File)>,
}

impl TemporaryFolder {
    pub(super) fn new(above: &Arc<Folder>) -> io::Result<Self> {
        for _ in 0..TRIES {
            let name = new_name();
            above.create_folder(OsStr::new(&name), 0o700)?;
            let mut made = Self { above: above.clone(), name, held: None };
            match made.hold() {
                // Another run was faster and took it for a remain.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                held => return held.map(|()| made),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn hold(&mut self) -> io::Result<()> {
        let folder = self.above.enter(Path::new(&self.name))?;
        let lock = folder.as_file()?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.above.metadata(OsStr::new(&self.name))?;
        self.held = Some((Arc::new(folder), lock));
        Ok(())
    }

    pub(super) fn folder(&self) -> &Arc<Folder> {
        self.held.as_ref().map_or(&self.above, |(folder, _)| folder)
    }

    /// The folder that it is in.
    pub(super) fn above(&self) -> &Arc<Folder> {
        &self.above
    }

    /// Moves everything in it to the folder that it is in.
    pub(super) fn move_out(&self) -> io::Result<()> {
        let folder = self.folder();
        folder.names()?.iter().try_for_each(|name| folder.move_to(name, &self.above))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Removing opens folders, and it may be because no more can be open.
        self.held = None;
        let remove = || self.above.remove_all(OsStr::new(&self.name));
        let _ = remove().or_else(|_| remove());
    }
}

/// Removes the temporary files and folders of runs that are no more, and says how
/// many.
pub(super) fn remove_dead(folder: &Folder) -> io::Result<usize> {
    let names = folder.names()?;
    let temporary =
        names.iter().filter(|name| name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes()));
    // One that is gone, or is not ours to open or to remove, is none of ours.
    Ok(temporary.filter(|name| remove_if_dead(folder, name).is_ok()).count())
}

fn remove_if_dead(folder: &Folder, name: &OsStr) -> io::Result<()> {
    let is_folder = folder.metadata(name)?.is_dir();
    let file =
        if is_folder { folder.enter(Path::new(name))?.as_file() } else { folder.read(name) }?;
    file.try_lock()?;
    match file.metadata()? {
        found if found.is_dir() => folder.remove_all(name),
        found if found.is_file() => folder.remove(name),
        _ => Err(io::ErrorKind::InvalidInput.into()),
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
            let made = TemporaryFolder::new(&folder).unwrap();
            made.folder().create_folder(OsStr::new(name), 0o755).unwrap();
            made
        };
        let (kept, lost) = (make("a"), make("b"));
        folder.create_folder(OsStr::new(".absolve-tmp-dead"), 0o755).unwrap();
        assert_eq!(remove_dead(&folder).unwrap(), 1);
        kept.move_out().unwrap();
        assert!(make("a").move_out().is_err());
        drop((kept, lost));
        assert_eq!(folder.names().unwrap(), ["a"]);
    }

    #[test]
    fn the_remains_of_a_dead_run_go_and_those_of_a_live_one_stay() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let live = Temporary::new(&folder, 0o600).unwrap();
        folder.create(OsStr::new(".absolve-tmp-dead"), 0o600).unwrap();
        folder.create(OsStr::new("absolve-tmp-other"), 0o600).unwrap();
        assert_eq!(remove_dead(&folder).unwrap(), 1);
        let mut names = folder.names().unwrap();
        names.sort();
        assert_eq!(names, [&*live.name, "absolve-tmp-other"]);
        drop(live);
        assert_eq!(folder.names().unwrap(), ["absolve-tmp-other"]);
    }
}
