//! Detects whether a file is still the version that was read.

use std::fs::{File, Metadata};
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What is under a name: one version of a file, or something else.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    /// The numbers of the file system, and of the file on it.
    pub(super) file: (u64, u64),
    pub(super) is_file: bool,
    pub(super) is_folder: bool,
    /// How many names (hard links) it has.
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
    /// Whether it is the same file, whatever it contains.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.file == other.file
    }

    /// Whether it is the same file with the same contents and metadata.
    pub(super) fn is_still(&self, now: &Self) -> bool {
        // Removing one of several names changes the time.
        let is_unchanged = self.names != 1 || (1, self.changed) == (now.names, now.changed);
        is_unchanged && self.is_same_version(now)
    }

    /// Like [`Self::is_still`], for a file that got another name in between, which changes its
    /// `ctime` on most file systems.
    pub(super) fn is_same_version(&self, now: &Self) -> bool {
        let version = |one: &Self| (one.file, one.size, one.modified, one.access);
        version(self) == version(now)
    }

    /// The time of its last modification, in nanoseconds since 1970, and 0 before.
    pub(super) fn modified_nanos(&self) -> u64 {
        u64::try_from(self.modified.max(0)).unwrap_or(u64::MAX)
    }
}

/// The metadata of a file, read at a time after which every change is detectable.
///
/// File times advance with the ticks of the kernel's clock, every 10 ms at the slowest. What
/// was changed in the current tick can be changed again without a new time: such a file is
/// inspected again after the tick.
///
/// # Errors
///
/// If the file cannot be inspected, or changes all the time.
pub(super) fn settled(file: &File, metadata: Metadata) -> io::Result<Metadata> {
    const TICK: Duration = Duration::from_millis(20);
    const TRIES: usize = 3;
    let mut metadata = metadata;
    for _ in 0..TRIES {
        let Some(age) = age(&metadata).filter(|age| *age < TICK) else { return Ok(metadata) };
        std::thread::sleep(TICK.saturating_sub(age));
        metadata = file.metadata()?;
    }
    Err(io::Error::other("another program is writing it; run again when that has ended"))
}

/// How long ago something about a file changed; `None` for a time in the future, which another
/// clock gave it.
fn age(metadata: &Metadata) -> Option<Duration> {
    let changed = u64::try_from(Identity::from(metadata).changed).ok()?;
    SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_nanos(changed)).ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::folder::{Folder, LastLink};
    use super::*;
    use std::ffi::OsStr;
    use std::fs::{self, FileTimes, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    /// Whether a file is as it was after something was done to its folder.
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
    fn what_happened_to_a_file_is_seen() {
        assert!(is_still(&[], |_| {}));
        assert!(!is_still(&[], |at| {
            fs::set_permissions(at.join("a"), Permissions::from_mode(0o600)).unwrap();
        }));
        assert!(!is_still(&[], |at| fs::hard_link(at.join("a"), at.join("b")).unwrap()));
        assert!(!is_still(&[], |at| {
            let modified = fs::metadata(at.join("a")).unwrap().modified().unwrap();
            fs::write(at.join("a"), "new").unwrap();
            let file = File::options().write(true).open(at.join("a")).unwrap();
            file.set_times(FileTimes::new().set_modified(modified)).unwrap();
        }));
    }

    #[test]
    fn a_file_of_which_another_name_goes_is_as_it_was() {
        assert!(is_still(&["b"], |at| fs::remove_file(at.join("b")).unwrap()));
    }

    #[test]
    fn a_file_that_was_just_written_is_looked_at_again() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("a");
        let is_seen = |_| {
            fs::write(&path, "1").unwrap();
            let file = File::open(&path).unwrap();
            let first = file.metadata().unwrap();
            fs::write(&path, "22").unwrap();
            settled(&file, first).unwrap().len() == 2
        };
        // A machine with much to do may hold the thread longer than a tick.
        assert!((0..20).any(is_seen));
    }
}
