//! Creates temporary files beside the files that they replace, and temporary folders in which trees
//! are assembled.
//!
//! Temporary files are locked while they are in use. A file that another run can lock is a leftover
//! of a killed run; it is removed only if its name shows that no other program's bytes are lost
//! (see `exchange`). Names have two forms, with a decimal `COUNT` and other numbers in hexadecimal:
//!
//! - `.absolve-tmp-PROCESS-COUNT`: the file or folder contains only bytes that a run wrote.
//! - `.absolve-tmp-PROCESS-COUNT-OWN-OLD-SIZE-TIME`: the name has the new version of a file before
//!   the exchange, and the old one afterwards. `OWN` is the inode of the new version; `OLD`, `SIZE`
//!   and `TIME` are the inode, the size and the time (in nanoseconds since 1970; 0 for an earlier
//!   time) of the version that was read.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::folder::{Folder, Identity, is_locked};

/// Maximum tries to create and lock a file or folder, which another run may take for a leftover in
/// between. The first try almost always succeeds.
const MAX_TRIES: usize = 16;

/// The prefix of the names of temporary files and folders.
pub(crate) const TEMPORARY_PREFIX: &str = ".absolve-tmp-";

/// The contents of a temporary file or folder, by the form of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// Only bytes that a run wrote.
    Own,
    /// The new version of a file, with `OWN`, or the old one, with `OLD`, `SIZE` and `TIME`.
    Exchanged(u64, [u64; 3]),
}

impl Contents {
    /// Whether a file with such a name may be removed if this is its version.
    fn is_removable(self, version: &Identity) -> bool {
        match self {
            Self::Own => true,
            Self::Exchanged(own, old) => own == version.file.1 || old == version_fields(version),
        }
    }
}

/// Returns `OLD`, `SIZE` and `TIME` of a version.
fn version_fields(version: &Identity) -> [u64; 3] {
    [version.file.1, version.size, version.modified_nanos()]
}

/// Generates a name that no other run uses: random for the process, and numbered within it.
fn generate_name() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{TEMPORARY_PREFIX}{process:016x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Extends a name to that of a file which is exchanged with the old version.
fn extend_name(name: &str, own: &Identity, old: &Identity) -> String {
    let [old, size, time] = version_fields(old);
    format!("{name}-{:x}-{old:x}-{size:x}-{time:x}", own.file.1)
}

/// Parses a name that has one of the two forms exactly, without signs and leading zeros.
fn parse_name(name: &OsStr) -> Option<Contents> {
    let name = name.to_str()?;
    let fields = name.strip_prefix(TEMPORARY_PREFIX)?.split('-').enumerate();
    let number = |(index, field)| u64::from_str_radix(field, if index == 1 { 10 } else { 16 }).ok();
    let fields: Vec<u64> = fields.map(number).collect::<Option<_>>()?;
    let (process, count) = (fields.first()?, fields.get(1)?);
    let exact = format!("{TEMPORARY_PREFIX}{process:016x}-{count}");
    let exact = fields[2..].iter().fold(exact, |name, field| format!("{name}-{field:x}"));
    let contents = match fields[2..] {
        [] => Contents::Own,
        [own, old, size, time] => Contents::Exchanged(own, [old, size, time]),
        _ => return None,
    };
    (name == exact).then_some(contents)
}

/// Whether a name has one of the two forms.
pub(in super::super) fn is_temporary(name: &OsStr) -> bool {
    parse_name(name).is_some()
}

/// A locked file beside its target, removed unless it is renamed to the target.
#[derive(Debug)]
pub(super) struct TemporaryFile {
    pub(super) folder: Arc<Folder>,
    pub(super) name: String,
    pub(super) file: File,
    /// Whether dropping this value removes the file that has the temporary name.
    is_removable: bool,
}

impl TemporaryFile {
    /// Creates and locks a file, with a mode that the umask narrows. With `old`, its name also
    /// records the version that it will be exchanged with.
    pub(super) fn new(folder: &Arc<Folder>, mode: u32, old: Option<&Identity>) -> io::Result<Self> {
        for _ in 0..MAX_TRIES {
            let name = generate_name();
            let file = folder.create(OsStr::new(&name), mode)?;
            let mut temporary = Self { folder: folder.clone(), name, file, is_removable: true };
            let Some(own) = temporary.lock()? else { continue };
            // The inode is known only after the file was created.
            if let Some(old) = old {
                let name = extend_name(&temporary.name, &own, old);
                folder.rename(OsStr::new(&temporary.name), OsStr::new(&name))?;
                temporary.name = name;
            }
            return Ok(temporary);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Locks the file, and returns its version; `None` if another run removes it as a leftover.
    fn lock(&self) -> io::Result<Option<Identity>> {
        // Without support for locks, no other run gets one either.
        if let Err(TryLockError::WouldBlock) = self.file.try_lock() {
            return Ok(None);
        }
        // A file without a name was removed before it was locked.
        Ok(Some(self.own_version()?).filter(|own| own.names > 0))
    }

    /// Returns the version of the file that this run created, whatever its name is.
    pub(super) fn own_version(&self) -> io::Result<Identity> {
        Identity::from_file(&self.file, &self.file.metadata()?)
    }

    /// Returns the version of the file that has the temporary name.
    pub(super) fn version(&self) -> io::Result<Identity> {
        self.folder.identity(OsStr::new(&self.name))
    }

    /// Renames the file over another name.
    pub(super) fn rename_into_place(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename(OsStr::new(&self.name), name)?;
        self.is_removable = false;
        Ok(())
    }

    /// Renames the file to a name that must be free.
    pub(super) fn rename_to_free_name(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.rename_to_free(OsStr::new(&self.name), &self.folder, name)?;
        self.is_removable = false;
        Ok(())
    }

    /// Exchanges the temporary name with another one; `false` if the file system cannot do that.
    /// Afterwards, the temporary name has the other file, which is not removable.
    pub(super) fn exchange(&mut self, name: &OsStr) -> io::Result<bool> {
        let is_exchanged = self.folder.exchange(OsStr::new(&self.name), name)?;
        self.is_removable &= !is_exchanged;
        Ok(is_exchanged)
    }

    /// Marks the file that has the temporary name as removable.
    pub(super) fn mark_removable(&mut self) {
        self.is_removable = true;
    }
}

impl Drop for TemporaryFile {
    /// Removes a removable file; after two failures, it is left to a later run.
    fn drop(&mut self) {
        if self.is_removable {
            let remove = || self.folder.remove(OsStr::new(&self.name));
            let _ = remove().or_else(|_| remove());
        }
    }
}

/// Whether the file system of a folder ignores the case of names.
pub(in super::super) fn ignores_case(folder: &Arc<Folder>) -> io::Result<bool> {
    let probe = TemporaryFile::new(folder, 0o600, None)?;
    Ok(folder.identity(probe.name.to_ascii_uppercase().as_ref()).is_ok())
}

/// A locked folder in which a tree is assembled, removed with its contents unless the tree is moved
/// out.
///
/// The tree is in a subfolder that has a temporary name too, so a later run recognizes a leftover
/// by its name and by its only entry, such a subfolder.
#[derive(Debug)]
pub(in super::super) struct TemporaryFolder {
    parent: Arc<Folder>,
    name: String,
    /// `None` before it is created, and after the tree was moved out.
    inner_folder: Option<InnerFolder>,
}

/// The subfolder with the tree.
#[derive(Debug)]
struct InnerFolder {
    name: String,
    tree: Arc<Folder>,
    /// The lock of the temporary folder.
    _lock: File,
}

impl TemporaryFolder {
    /// Creates and locks a folder, and the subfolder for the tree, which gets this mode.
    pub(in super::super) fn new(parent: &Arc<Folder>, mode: u32) -> io::Result<Self> {
        for _ in 0..MAX_TRIES {
            let name = generate_name();
            parent.create_folder(OsStr::new(&name), 0o700)?;
            let mut created = Self { parent: parent.clone(), name, inner_folder: None };
            match created.create_inner_folder(mode) {
                // Another run locked the folder first, to remove it as a leftover.
                Err(error) if error.kind() == io::ErrorKind::NotFound || is_locked(&error) => {}
                result => return result.map(|()| created),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// Locks the folder and creates the subfolder; fails with `NotFound` if another run has locked
    /// or removed the folder.
    fn create_inner_folder(&mut self, mode: u32) -> io::Result<()> {
        let folder = self.parent.enter(Path::new(&self.name))?;
        let lock = folder.as_file()?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(io::ErrorKind::NotFound.into());
        }
        // Fails if the folder was removed before it was locked.
        self.parent.identity(OsStr::new(&self.name))?;
        let inner = generate_name();
        folder.create_folder(OsStr::new(&inner), mode)?;
        let tree = Arc::new(folder.enter(Path::new(&inner))?);
        self.inner_folder = Some(InnerFolder { name: inner, tree, _lock: lock });
        Ok(())
    }

    /// Returns the folder of the tree; the parent folder if the tree was moved there.
    pub(in super::super) fn folder(&self) -> &Arc<Folder> {
        self.inner_folder.as_ref().map_or(&self.parent, |inner| &inner.tree)
    }

    /// Returns the folder that contains the temporary one.
    pub(in super::super) fn parent(&self) -> &Arc<Folder> {
        &self.parent
    }

    /// Moves the tree to a free name in the parent folder; without a name, moves its entries there.
    pub(in super::super) fn move_to(&mut self, name: Option<&OsStr>) -> io::Result<()> {
        let Some(inner) = self.inner_folder.take() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let Some(name) = name else {
            let names = inner.tree.names()?;
            let moved =
                names.iter().map(|name| inner.tree.rename_to_free(name, &self.parent, name));
            return moved.collect();
        };
        let temporary = self.parent.enter(Path::new(&self.name))?;
        // Windows renames no folder that is open.
        drop(inner.tree);
        temporary.rename_to_free(OsStr::new(&inner.name), &self.parent, name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Closes folders first: removing opens some, and the limit of open files may be reached.
        self.inner_folder = None;
        let remove = || self.parent.remove_all(OsStr::new(&self.name));
        let _ = remove().or_else(|_| remove());
    }
}

/// Removes the temporary files and folders of dead runs in a folder, and returns their number.
pub(in super::super) fn remove_leftovers(folder: &Folder) -> io::Result<usize> {
    let names = folder.names()?;
    // A file that cannot be opened or removed stays.
    Ok(names.iter().filter(|name| remove_if_unused(folder, name).is_ok()).count())
}

/// Whether a folder contains nothing, or only what [`remove_leftovers`] removes.
pub(in super::super) fn has_only_leftovers(folder: &Folder) -> io::Result<bool> {
    Ok(folder.names()?.iter().all(|name| lock_if_unused(folder, name).is_ok()))
}

fn remove_if_unused(folder: &Folder, name: &OsStr) -> io::Result<()> {
    let (Some(inner), lock) = lock_if_unused(folder, name)? else { return folder.remove(name) };
    for name in inner.names()? {
        inner.remove_all(&name).or_else(|_| inner.remove(&name))?;
    }
    // Windows removes no folder that is open. A run that locks the folder now finds it gone.
    drop((inner, lock));
    folder.remove_empty(name)
}

/// Locks a temporary file or folder, if no run uses it and removing it loses no bytes of another
/// program. The lock keeps other runs from using it. Also returns the opened folder, for a folder.
fn lock_if_unused(folder: &Folder, name: &OsStr) -> io::Result<(Option<Folder>, File)> {
    let other = || io::Error::from(io::ErrorKind::InvalidInput);
    let contents = parse_name(name).ok_or_else(other)?;
    let identity = folder.identity(name)?;
    let (locked, is_removable) = if identity.is_folder {
        let (inner, lock) = folder.lock_folder(name)?;
        let is_own = |name: &OsStr| parse_name(name) == Some(Contents::Own);
        let is_removable = is_own(name) && inner.names()?.iter().all(|name| is_own(name));
        ((Some(inner), lock), is_removable)
    } else if identity.is_file {
        let lock = folder.read(name)?;
        lock.try_lock()?;
        // Inspects the name again, since the run that created the file may have exchanged it.
        let now = folder.identity(name)?;
        let is_locked = now.is_same_file(&Identity::from_file(&lock, &lock.metadata()?)?);
        ((None, lock), is_locked && contents.is_removable(&now))
    } else {
        return Err(other());
    };
    is_removable.then_some(locked).ok_or_else(other)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;
    use crate::folder::LastLink;

    fn folder(at: &tempfile::TempDir) -> Arc<Folder> {
        Arc::new(Folder::open(at.path(), LastLink::Followed).unwrap())
    }

    #[test]
    fn it_takes_a_place_or_is_removed() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let mut kept = TemporaryFile::new(&folder, 0o600, None).unwrap();
        let lost = TemporaryFile::new(&folder, 0o600, None).unwrap();
        kept.file.write_all(b"x").unwrap();
        kept.rename_into_place(OsStr::new("a.html")).unwrap();
        drop((kept, lost));
        assert_eq!(folder.names().unwrap(), ["a.html"]);
    }

    #[test]
    fn a_tree_is_moved_out_or_removed() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at);
        let make = |name: &str| {
            let created = TemporaryFolder::new(&folder, 0o755).unwrap();
            created.folder().create_folder(OsStr::new(name), 0o755).unwrap();
            created
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
        assert_eq!(folder.enter(Path::new("d")).unwrap().names().unwrap(), ["c"]);
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
        let live = TemporaryFile::new(&folder, 0o600, None).unwrap();
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
        fs::create_dir_all(path.join(".absolve-tmp-0123456789abcdef-1/d")).unwrap();
        fs::write(path.join("mine.html"), "mine").unwrap();
        assert_eq!(remove_leftovers(&folder).unwrap(), 0);
        fs::remove_file(path.join("mine.html")).unwrap();
        assert!(has_only_leftovers(&folder).unwrap());
        assert_eq!(remove_leftovers(&folder).unwrap(), 1);
    }

    #[test]
    fn only_exact_names_are_temporary_files() {
        let is_own = |name: &str| parse_name(OsStr::new(name)).is_some();
        assert!(is_own(&generate_name()));
        for own in [
            ".absolve-tmp-0123456789abcdef-0",
            ".absolve-tmp-0123456789abcdef-18446744073709551615",
            ".absolve-tmp-0123456789abcdef-1-2-3-0-5",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            ".absolve-tmp-",
            ".absolve-tmp-notes",
            ".absolve-tmp-0123456789abcdef",
            ".absolve-tmp-0123456789abcdef-",
            ".absolve-tmp-0123456789abcdef-1.html",
            ".absolve-tmp-0123456789ABCDEF-1",
            ".absolve-tmp-0123456789abcde-1",
            ".absolve-tmp-0123456789abcdef0-1",
            ".absolve-tmp-+123456789abcdef-1",
            ".absolve-tmp-0123456789abcdef-01234567890123456789012345",
            ".absolve-tmp-0123456789abcdef-01",
            ".absolve-tmp-0123456789abcdef-00",
            ".absolve-tmp-0123456789abcdef-+1",
            ".absolve-tmp-0123456789abcdef-18446744073709551616",
            ".absolve-tmp-0123456789abcdef-1-02-3-4-5",
            ".absolve-tmp-0123456789abcdef-1-2-3-4-A",
            ".absolve-tmp-0123456789abcdef-1-2-3-10000000000000000-5",
            ".absolve-tmp-0123456789abcdef-1-2",
            ".absolve-tmp-0123456789abcdef-1-2-3-4-",
            ".absolve-tmp-0123456789abcdef-1-2-3-4-5-6",
            "absolve-tmp-0123456789abcdef-1",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn a_name_says_which_version_was_read() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("a");
        for seconds in [-5_000_000_000_i64, 0, 1_000_000_000] {
            fs::write(&path, "old").unwrap();
            let span = std::time::Duration::from_secs(seconds.unsigned_abs());
            let epoch = std::time::SystemTime::UNIX_EPOCH;
            let time = if seconds < 0 { epoch - span } else { epoch + span };
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
            let identity = Identity::from(&file.metadata().unwrap());
            let name = extend_name(&generate_name(), &identity, &identity);
            let contents = parse_name(OsStr::new(&name)).unwrap();
            assert!(contents != Contents::Own && contents.is_removable(&identity), "{name}");
        }
    }

    /// Returns the number of leftovers that are removed after a run was killed at some moment of an
    /// exchange, and the contents of the files that remain.
    #[cfg(target_os = "linux")]
    fn left(put: impl FnOnce(&Path, &Path)) -> (usize, Vec<String>) {
        let at = tempfile::tempdir().unwrap();
        let page = at.path().join("page");
        fs::write(&page, "old").unwrap();
        let new = at.path().join("new");
        fs::write(&new, "new bytes").unwrap();
        let identity = |path: &Path| Identity::from(&fs::metadata(path).unwrap());
        let name = extend_name(&generate_name(), &identity(&new), &identity(&page));
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

    #[cfg(target_os = "linux")]
    fn exchange(one: &Path, other: &Path) {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
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
