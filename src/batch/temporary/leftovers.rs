//! Removes what killed runs left.

use std::ffi::OsStr;
use std::fs::File;
use std::io;

use super::super::folder::Folder;
use super::super::identity::Identity;
use super::name::{Contents, contents};

/// Removes the temporary files and folders of dead runs, and returns how many.
pub(in super::super) fn remove_leftovers(folder: &Folder) -> io::Result<usize> {
    let names = folder.names()?;
    // What may not be opened or removed stays.
    Ok(names.iter().filter(|name| remove_if_unused(folder, name).is_ok()).count())
}

/// Whether a folder contains nothing, or only what [`remove_leftovers`] removes.
pub(in super::super) fn has_only_leftovers(folder: &Folder) -> io::Result<bool> {
    Ok(folder.names()?.iter().all(|name| lock_if_unused(folder, name).is_ok()))
}

fn remove_if_unused(folder: &Folder, name: &OsStr) -> io::Result<()> {
    match lock_if_unused(folder, name)? {
        Leftover::Folder(inner, lock) => {
            for name in inner.names()? {
                inner.remove_all(&name).or_else(|_| inner.remove(&name))?;
            }
            // Windows removes no folder that is open. A run that locks it now finds it gone.
            drop((inner, lock));
            folder.remove_empty(name)
        }
        Leftover::File(_lock) => folder.remove(name),
    }
}

/// A temporary file or folder that no run uses, with a lock that keeps others from using it.
enum Leftover {
    File(File),
    Folder(Folder, File),
}

/// Locks a temporary file or folder, if no run uses it and it contains nothing that would be
/// lost.
fn lock_if_unused(folder: &Folder, name: &OsStr) -> io::Result<Leftover> {
    let other = || io::Error::from(io::ErrorKind::InvalidInput);
    let named = contents(name).ok_or_else(other)?;
    let found = folder.identity(name)?;
    let (leftover, is_removable) = if found.is_folder {
        let (inner, lock) = folder.lock_folder(name)?;
        let is_own = |name: &OsStr| contents(name) == Some(Contents::Own);
        let is_removable = is_own(name) && inner.names()?.iter().all(|name| is_own(name));
        (Leftover::Folder(inner, lock), is_removable)
    } else if found.is_file {
        let lock = folder.read(name)?;
        lock.try_lock()?;
        // By the name, as the run that made it may have exchanged it since it was opened.
        let now = folder.identity(name)?;
        let is_locked = now.is_same_file(&Identity::opened(&lock, &lock.metadata()?)?);
        (Leftover::File(lock), is_locked && named.is_removable(&now))
    } else {
        return Err(other());
    };
    is_removable.then_some(leftover).ok_or_else(other)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::super::folder::LastLink;
    use super::super::name::{exchanged_name, new_name};
    use super::*;
    use std::fs;
    use std::path::Path;

    /// What a run that was killed at some moment of an exchange left.
    fn left(put: impl FnOnce(&Path, &Path)) -> (usize, Vec<String>) {
        let at = tempfile::tempdir().unwrap();
        let page = at.path().join("page");
        fs::write(&page, "old").unwrap();
        let new = at.path().join("new");
        fs::write(&new, "new bytes").unwrap();
        let identity = |path: &Path| Identity::from(&fs::metadata(path).unwrap());
        let name = exchanged_name(&new_name(), &identity(&new), &identity(&page));
        let temporary = at.path().join(name);
        fs::rename(&new, &temporary).unwrap();
        put(&page, &temporary);
        let folder = Folder::open(at.path(), LastLink::Followed).unwrap();
        let removed = remove_leftovers(&folder).unwrap();
        let mut texts: Vec<String> = fs::read_dir(at.path())
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        texts.sort();
        (removed, texts)
    }

    fn exchange(one: &Path, other: &Path) {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }

    #[test]
    fn the_new_and_the_old_version_go_and_a_newer_one_stays() {
        // Killed before the exchange, and after it.
        assert_eq!(left(|_, _| {}), (1, vec!["old".to_owned()]));
        assert_eq!(left(exchange), (1, vec!["new bytes".to_owned()]));
        let texts = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        // Another program replaced the file, or wrote to it, just before the exchange.
        let replaced = left(|page, temporary| {
            fs::write(page.with_file_name("other"), "newest").unwrap();
            fs::rename(page.with_file_name("other"), page).unwrap();
            exchange(page, temporary);
        });
        assert_eq!(replaced, (0, texts(["new bytes", "newest"])));
        let appended = left(|page, temporary| {
            fs::write(page, "old and newer").unwrap();
            exchange(page, temporary);
        });
        assert_eq!(appended, (0, texts(["new bytes", "old and newer"])));
    }
}
