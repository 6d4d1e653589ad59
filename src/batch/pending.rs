//! A file that is written and has not yet taken its place.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use cap_std::time::SystemTime;

use super::failure::{Failure, reason};
use super::folder::Folder;
use super::keep::{keep, keep_times};
use super::temporary::Temporary;

/// What a file is known again by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    file: (u64, u64),
    size: u64,
    modified: Option<SystemTime>,
    /// The last change of anything about it, mode and owner among them, which nobody can
    /// set back as the time above; `None` where it has several names, as it changes when
    /// another of them goes.
    changed: Option<(i64, i64)>,
}

impl Identity {
    pub(super) fn new(metadata: &Metadata) -> Self {
        Self {
            file: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            changed: changed(metadata),
        }
    }

    /// Whether it is the same file, and nothing about it changed.
    fn is_still(&self, now: &Self) -> bool {
        let is_same = |one: &Self, other: &Self| {
            (one.file, one.size, one.modified) == (other.file, other.size, other.modified)
        };
        is_same(self, now) && (self.changed.is_none() || self.changed == now.changed)
    }
}

fn changed(metadata: &Metadata) -> Option<(i64, i64)> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt as _;
        let at = (metadata.ctime(), metadata.ctime_nsec());
        (MetadataExt::nlink(metadata) == 1).then_some(at)
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// A file that is written and has not yet taken its place.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) temporary: Temporary,
    pub(super) name: OsString,
    pub(super) replaces: Replaces,
}

/// What stands in the place.
#[derive(Debug)]
pub(super) enum Replaces {
    /// Nothing, or what need not be looked at.
    Whatever,
    /// The file that was read, and the name that it goes on under.
    Source { identity: Identity, backup: Option<OsString> },
}

impl Pending {
    pub(super) fn folder(&self) -> &Arc<Folder> {
        self.temporary.folder()
    }

    /// Puts the file in its place.
    pub(super) fn take_place(&mut self) -> Result<(), Failure> {
        let Replaces::Source { identity, backup } = &self.replaces else {
            return self.temporary.take_place(&self.name).map_err(|error| Failure::write(&error));
        };
        let folder = self.temporary.folder().clone();
        let now = folder.metadata(&self.name).map_err(|error| Failure::write(&error))?;
        if !identity.is_still(&Identity::new(&now)) {
            return Err(Failure::new("it changed while it was rewritten, run again"));
        }
        let Some(backup) = backup.clone() else {
            return self.temporary.take_place(&self.name).map_err(|error| Failure::write(&error));
        };
        let made = self.keep_as(&folder, &backup, *identity)?;
        self.temporary.take_place(&self.name).map_err(|error| {
            if made == Backup::Made {
                // It is a second name of what stands as it stood.
                let _ = folder.remove(&backup);
            }
            Failure::write(&error)
        })
    }

    /// Gives the old file a second name, which it keeps when it loses its own.
    fn keep_as(
        &self,
        folder: &Arc<Folder>,
        backup: &OsStr,
        old: Identity,
    ) -> Result<Backup, Failure> {
        let failed = |error: &io::Error| {
            let reason = reason(error);
            Failure::new(format!("cannot keep a backup: {reason}; it was left as it was"))
        };
        match folder.link(&self.name, backup) {
            Ok(()) => Ok(Backup::Made),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // A run that was killed between the two names left it, or it has gone
                // meanwhile.
                check_backup(folder, backup, old)?
                    .ok_or_else(|| failed(&io::ErrorKind::Interrupted.into()))
            }
            // Not every file system has second names.
            Err(link) => copy(folder, &self.name, backup).map_err(|error| {
                failed(if error.kind() == io::ErrorKind::StorageFull { &error } else { &link })
            }),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backup {
    Made,
    Found,
}

/// Finds out whether a file may go on under the name of its backup: one that is free, or
/// its own already, which is said.
pub(super) fn check_backup(
    folder: &Folder,
    backup: &OsStr,
    old: Identity,
) -> Result<Option<Backup>, Failure> {
    match folder.metadata(backup) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(there) if Identity::new(&there).file == old.file => Ok(Some(Backup::Found)),
        Ok(_) => {
            let name = backup.to_string_lossy();
            let what = "is there already; take it away, or give another suffix";
            Err(Failure::new(format!("its backup {name} {what}")))
        }
        Err(error) => Err(Failure::new(format!("cannot keep a backup: {}", reason(&error)))),
    }
}

/// Copies a file with everything that it has.
fn copy(folder: &Arc<Folder>, from: &OsStr, to: &OsStr) -> io::Result<Backup> {
    let mut old = folder.read(from)?;
    let metadata = old.metadata()?;
    let mut copy = Temporary::new(folder, 0o600)?;
    io::copy(&mut old, &mut copy.file())?;
    keep(&old, &metadata, copy.file())?;
    keep_times(&metadata, copy.file())?;
    copy.file().sync_all()?;
    copy.take_place(to)?;
    Ok(Backup::Made)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::super::folder::LastLink;
    use super::*;
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
        let look = || Identity::new(&folder.metadata(OsStr::new("a")).unwrap());
        let before = look();
        // Times are as coarse as the clock's ticks.
        std::thread::sleep(std::time::Duration::from_millis(20));
        act(at.path());
        before.is_still(&look())
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
            let file = fs::File::options().write(true).open(at.join("a")).unwrap();
            file.set_times(FileTimes::new().set_modified(modified)).unwrap();
        }));
    }

    #[test]
    fn a_file_of_which_another_name_goes_is_as_it_was() {
        assert!(is_still(&["b"], |at| fs::remove_file(at.join("b")).unwrap()));
    }
}
