//! Removes what killed runs left.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::super::folder::Folder;
#[cfg(target_os = "linux")]
use super::super::identity::Identity;
#[cfg(target_os = "linux")]
use super::name::Version;
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
    let dead = lock_if_unused(folder, name)?;
    match dead.kind {
        LeftoverKind::Folder => folder.remove_all(name),
        LeftoverKind::File => folder.remove(name),
    }
}

/// A temporary file or folder that no run uses.
struct Leftover {
    kind: LeftoverKind,
    /// Keeps other runs from using it.
    _lock: std::fs::File,
}

enum LeftoverKind {
    File,
    Folder,
}

/// Locks a temporary file or folder, if no run uses it and it contains nothing that would be
/// lost.
fn lock_if_unused(folder: &Folder, name: &OsStr) -> io::Result<Leftover> {
    let other = || io::Error::from(io::ErrorKind::InvalidInput);
    let contents = contents(name).ok_or_else(other)?;
    let found = folder.metadata(name)?;
    if found.is_dir() {
        let inner = folder.enter(Path::new(name))?;
        let lock = inner.as_file()?;
        lock.try_lock()?;
        return if contents == Contents::Own && is_made_by_a_run(&inner)? {
            Ok(Leftover { kind: LeftoverKind::Folder, _lock: lock })
        } else {
            Err(other())
        };
    }
    if !found.is_file() {
        return Err(other());
    }
    let lock = folder.read(name)?;
    lock.try_lock()?;
    let is_removable = match contents {
        Contents::Own => lock.metadata()?.is_file(),
        #[cfg(target_os = "linux")]
        Contents::Exchanged { own, old } => {
            // By the name, as the run that made it may have exchanged it since it was opened.
            let now = Identity::new(&folder.metadata(name)?);
            let locked = Identity::of(&lock.metadata()?);
            now.is_same_file(&locked) && (now.inode() == own || Version::new(&now) == old)
        }
        #[cfg(not(target_os = "linux"))]
        Contents::Exchanged { .. } => false,
    };
    if is_removable { Ok(Leftover { kind: LeftoverKind::File, _lock: lock }) } else { Err(other()) }
}

/// Whether everything in a folder has the name of a temporary file or folder.
fn is_made_by_a_run(folder: &Folder) -> io::Result<bool> {
    Ok(folder.names()?.iter().all(|name| contents(name) == Some(Contents::Own)))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::super::super::folder::LastLink;
    use super::super::name::exchanged_name;
    use super::*;
    use std::fs;

    /// What a run that was killed at some moment of an exchange left.
    fn left(put: impl FnOnce(&Path, &Path)) -> (usize, Vec<String>) {
        let at = tempfile::tempdir().unwrap();
        let page = at.path().join("page");
        fs::write(&page, "old").unwrap();
        let new = at.path().join("new");
        fs::write(&new, "new bytes").unwrap();
        let identity = |path: &Path| Identity::of(&fs::metadata(path).unwrap());
        let temporary = at.path().join(exchanged_name(identity(&new).inode(), &identity(&page)));
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
