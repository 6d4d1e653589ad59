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
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::folder::Folder;

/// What the names of temporary files begin with.
pub const TEMPORARY: &str = ".absolve-tmp-";

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
        /// Each is as good as sure; an error that stays is the disk's.
        const TRIES: usize = 16;
        for _ in 0..TRIES {
            let name = new_name();
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
            // What cannot be removed is left for a later run.
            let _ = self.folder.remove(OsStr::new(&self.name));
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

/// Removes the temporary files of runs that are no more, and says how many.
pub(super) fn remove_dead(folder: &Folder) -> io::Result<usize> {
    let names = folder.names()?;
    let temporary =
        names.iter().filter(|name| name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes()));
    let mut removed = 0;
    for name in temporary {
        // One that is gone, or is no file, or is not ours to open, is none of ours.
        let Ok(file) = folder.read(name) else { continue };
        if file.metadata().is_ok_and(|old| old.is_file())
            && file.try_lock().is_ok()
            && folder.remove(name).is_ok()
        {
            removed += 1;
        }
    }
    Ok(removed)
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
