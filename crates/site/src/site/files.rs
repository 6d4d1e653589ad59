//! The list of a site's files and folders, with indexes for lookups.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry as TableEntry;

/// A map for the lookups that every link of a site needs.
///
/// `foldhash` seeds each process at random, as the standard library does. On openjdk-17-doc the
/// standard library's hasher took 6 % of an audit's time.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// A set with the hasher of [`HashMap`].
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// The kind of an entry in [`Files`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// The files and folders of a site, by path, by path regardless of case, by folder, and by name.
///
/// Paths are relative to the root: the bytes of the names in the file system, with `/` between
/// them. The root itself is the empty path. A file's number is its index among the entries.
#[derive(Debug, Default)]
pub struct Files {
    /// The bytes of all paths in one allocation: with 100,000 files and an allocation for each
    /// path, a lookup took 1.5 times as long.
    path_bytes: Vec<u8>,
    /// Sorted by folder, then by name.
    entries: Vec<FileEntry>,
    /// The numbers of files by path. Folders have a separate table, so the table alone tells that a
    /// path is a file.
    file_numbers: HashTable<Slot>,
    folder_numbers: HashTable<Slot>,
    hasher: RandomState,
    /// The paths by their lower case, computed at the first use.
    by_lower_case: OnceLock<HashMap<Box<[u8]>, EqualPaths>>,
    /// The paths by their last names, computed at the first use.
    by_name: OnceLock<HashTable<EqualPaths>>,
}

/// The paths that are equal in lower case, or in their last names.
#[derive(Debug, Clone, Copy)]
struct EqualPaths {
    /// The number of a path in lower case if there is one, else of the first path.
    number: usize,
    is_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileEntry {
    path: PathSpan,
    kind: FileKind,
}

/// The span of a path in `Files::path_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PathSpan {
    start: usize,
    len: u32,
}

impl PathSpan {
    fn slice(self, path_bytes: &[u8]) -> &[u8] {
        &path_bytes[self.start..][..self.len as usize]
    }
}

/// A slot of a table: a path and its number.
#[derive(Debug, Clone, Copy)]
struct Slot {
    path: PathSpan,
    number: u32,
}

impl Files {
    /// Creates a list of these paths, in any order, and of the folders that contain them.
    #[must_use]
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = (P, FileKind)>) -> Self {
        let mut files = Self::default();
        files.add(b"", FileKind::Folder);
        for (path, kind) in paths {
            let path = bytes_of(path.as_ref());
            files.add(&path, kind);
            let mut inner: &[u8] = &path;
            while let Some((folder, _)) = split_name(inner)
                && files.add(folder, FileKind::Folder)
            {
                inner = folder;
            }
        }
        let Self { path_bytes, entries, file_numbers, folder_numbers, hasher, .. } = &mut files;
        entries.sort_by(|a, b| {
            split_name(a.path.slice(path_bytes)).cmp(&split_name(b.path.slice(path_bytes)))
        });
        for (number, entry) in (0..).zip(&*entries) {
            let table = match entry.kind {
                FileKind::File => &mut *file_numbers,
                FileKind::Folder => &mut *folder_numbers,
            };
            let path = entry.path.slice(path_bytes);
            if let Some(slot) =
                table.find_mut(hasher.hash_one(path), |slot| slot.path == entry.path)
            {
                slot.number = number;
            }
        }
        files
    }

    /// Adds a path unless it is known, and returns whether it is new. Numbers follow after sorting.
    fn add(&mut self, path: &[u8], kind: FileKind) -> bool {
        let Ok(len) = u32::try_from(path.len()) else { return false };
        if self.find(path).is_some() {
            return false;
        }
        let span = PathSpan { start: self.path_bytes.len(), len };
        self.path_bytes.extend_from_slice(path);
        self.entries.push(FileEntry { path: span, kind });
        let (path_bytes, hasher) = (&self.path_bytes, &self.hasher);
        let table = match kind {
            FileKind::File => &mut self.file_numbers,
            FileKind::Folder => &mut self.folder_numbers,
        };
        let slot = Slot { path: span, number: 0 };
        table.insert_unique(hasher.hash_one(path), slot, |slot| {
            hasher.hash_one(slot.path.slice(path_bytes))
        });
        true
    }

    /// Returns the kind of the entry at a path, if there is one.
    #[must_use]
    pub fn kind(&self, path: &[u8]) -> Option<FileKind> {
        self.find(path).map(|at| self.entries[at].kind)
    }

    /// Finds the number of a path: less than [`Files::len`], and equal for equal sets of paths.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(path);
        self.find_in(&self.file_numbers, hash, path)
            .or_else(|| self.find_in(&self.folder_numbers, hash, path))
    }

    /// Finds the number of a file; a folder has none here.
    pub(crate) fn find_file(&self, path: &[u8]) -> Option<usize> {
        self.find_in(&self.file_numbers, self.hasher.hash_one(path), path)
    }

    fn find_in(&self, table: &HashTable<Slot>, hash: u64, path: &[u8]) -> Option<usize> {
        let slot = table.find(hash, |slot| slot.path.slice(&self.path_bytes) == path)?;
        Some(slot.number as usize)
    }

    /// Returns the number of files and folders, including the root.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing besides the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 1
    }

    /// Returns the path of a number, and its kind.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<(&[u8], FileKind)> {
        self.entries.get(number).map(|entry| (entry.path.slice(&self.path_bytes), entry.kind))
    }

    /// Returns all paths, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|entry| (entry.path.slice(&self.path_bytes), entry.kind))
    }

    /// Finds a path that equals this one regardless of case: the very path if it exists, else a
    /// path in lower case, else the first one.
    #[must_use]
    pub fn ignoring_case(&self, path: &[u8]) -> Option<(&[u8], FileKind)> {
        let by_lower_case = self.by_lower_case.get_or_init(|| self.index_lower_case());
        let equal = || by_lower_case.get(&*lower_case(path)).map(|paths| paths.number);
        self.get(self.find(path).or_else(equal)?)
    }

    /// Whether at most one path equals this one regardless of case.
    pub(crate) fn is_only_in_any_case(&self, path: &[u8]) -> bool {
        let by_lower_case = self.by_lower_case.get_or_init(|| self.index_lower_case());
        by_lower_case.get(&*lower_case(path)).is_none_or(|paths| paths.is_only)
    }

    /// Returns the names in a folder with their kinds, sorted.
    pub fn names_in(&self, folder: &[u8]) -> impl Iterator<Item = (&[u8], FileKind)> {
        let split = |entry: &FileEntry| split_name(entry.path.slice(&self.path_bytes));
        let is_before = |entry: &FileEntry| split(entry).is_none_or(|(other, _)| other < folder);
        let start = self.entries.partition_point(is_before);
        let entries = self.entries[start..].iter().map(move |entry| (split(entry), entry.kind));
        entries.map_while(move |(split, kind)| match split {
            Some((other, name)) if other == folder => Some((name, kind)),
            _ => None,
        })
    }

    /// Finds the only file or folder with this name in the site; `None` if there are several.
    pub(crate) fn only_named(&self, name: &[u8]) -> Option<(&[u8], FileKind)> {
        let by_name = self.by_name.get_or_init(|| self.index_names());
        let has_name = |paths: &EqualPaths| self.last_name(paths.number) == name;
        let paths = by_name.find(self.hasher.hash_one(name), has_name)?;
        self.get(paths.number).filter(|_| paths.is_only)
    }

    fn last_name(&self, number: usize) -> &[u8] {
        split_name(self.entries[number].path.slice(&self.path_bytes)).map_or(b"", |(_, name)| name)
    }

    fn index_names(&self) -> HashTable<EqualPaths> {
        let hash = |paths: &EqualPaths| self.hasher.hash_one(self.last_name(paths.number));
        let mut by_name = HashTable::with_capacity(self.entries.len());
        for number in 0..self.entries.len() {
            let paths = EqualPaths { number, is_only: true };
            let has_name =
                |other: &EqualPaths| self.last_name(other.number) == self.last_name(number);
            match by_name.entry(hash(&paths), has_name, hash) {
                TableEntry::Occupied(mut other) => other.get_mut().is_only = false,
                TableEntry::Vacant(slot) => _ = slot.insert(paths),
            }
        }
        by_name
    }

    fn index_lower_case(&self) -> HashMap<Box<[u8]>, EqualPaths> {
        let mut by_lower_case: HashMap<Box<[u8]>, EqualPaths> = HashMap::default();
        by_lower_case.reserve(self.entries.len());
        for (number, (path, _)) in self.iter().enumerate() {
            let lower = lower_case(path);
            let is_lower = *lower == *path;
            let entry = by_lower_case.entry(lower.into()).and_modify(|paths| paths.is_only = false);
            let paths = entry.or_insert(EqualPaths { number, is_only: true });
            if is_lower {
                paths.number = number;
            }
        }
        by_lower_case
    }
}

/// Splits a path into its folder and the name in it; returns `None` for the root.
///
/// Searches for names split all paths of a folder: with `rposition`, an audit of apache2-doc's
/// `manual/en/mod` took 333.7 million instructions instead of 327.0 (callgrind, `-j 1`).
pub(crate) fn split_name(path: &[u8]) -> Option<(&[u8], &[u8])> {
    if path.is_empty() {
        return None;
    }
    Some(match memchr::memrchr(b'/', path) {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b"", path),
    })
}

/// Joins a folder and a name to a path; the root needs no slash.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = folder.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// Splits a path into its names, and drops empty ones.
pub(crate) fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty())
}

/// Converts a name to lower case, to compare it as a file system that ignores case does.
pub(crate) fn lower_case(name: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(name) {
        Ok(name) if !name.is_ascii() => Cow::Owned(name.to_lowercase().into_bytes()),
        _ if name.iter().any(u8::is_ascii_uppercase) => Cow::Owned(name.to_ascii_lowercase()),
        _ => Cow::Borrowed(name),
    }
}

/// Converts a relative path to bytes, as [`Files`] has them.
#[must_use]
pub fn bytes_of(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(path.as_os_str().len());
    for component in path.components() {
        if let Component::Normal(name) = component {
            if !bytes.is_empty() {
                bytes.push(b'/');
            }
            bytes.extend_from_slice(name.as_encoded_bytes());
        }
    }
    bytes
}

/// Converts bytes to a path; on systems with names in Unicode, invalid bytes are replaced.
#[must_use]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    absolve_files::path_of(bytes)
        .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned().into())
}

#[cfg(test)]
impl Files {
    /// Creates a list of these paths; a slash at the end marks a folder.
    pub(crate) fn from_paths(paths: &[&str]) -> Self {
        Self::new(paths.iter().map(|path| match path.strip_suffix('/') {
            Some(folder) => (folder, FileKind::Folder),
            None => (*path, FileKind::File),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_comes_with_what_is_in_it() {
        let files = Files::from_paths(&["a/b/c.html", "a/b.html", "empty/"]);
        assert_eq!(files.kind(b"a/b/c.html"), Some(FileKind::File));
        assert_eq!(files.kind(b"a/b"), Some(FileKind::Folder));
        assert_eq!(files.kind(b"empty"), Some(FileKind::Folder));
        assert_eq!(files.kind(b""), Some(FileKind::Folder));
        assert_eq!(files.kind(b"a/"), None);
        assert_eq!(files.kind(b"b"), None);
        assert_eq!(files.len(), 6);
        assert!(!files.is_empty() && Files::from_paths(&[]).is_empty());
    }

    #[test]
    fn a_number_stands_for_a_path() {
        let files = Files::from_paths(&["b.html", "a/b.html", "a.html"]);
        for (number, entry) in files.iter().enumerate() {
            assert_eq!(files.find(entry.0), Some(number));
            assert_eq!(files.get(number), Some(entry));
        }
        assert_eq!(files.get(files.len()), None);
        let other_order = Files::from_paths(&["a.html", "a/b.html", "b.html"]);
        assert!(files.iter().eq(other_order.iter()));
    }

    #[track_caller]
    fn folded(paths: &[&str], path: &str, expected: Option<&str>) {
        let files = Files::from_paths(paths);
        let found = files.ignoring_case(path.as_bytes());
        assert_eq!(found.map(|(path, _)| path), expected.map(str::as_bytes), "{path}");
    }

    #[test]
    fn a_path_is_found_in_any_case() {
        folded(&["Docs/A.html"], "docs/a.HTML", Some("Docs/A.html"));
        folded(&["a", "A"], "A", Some("A"));
        folded(&["A", "a", "aA", "AA"], "Aa", Some("AA"));
        folded(&["AA", "aa", "aA"], "Aa", Some("aa"));
        folded(&["\u{c4}.html"], "\u{e4}.html", Some("\u{c4}.html"));
        folded(&["a"], "b", None);
    }

    #[test]
    fn a_name_is_found_if_it_is_the_only_one() {
        let files = Files::from_paths(&["a/b/c.html", "b.html", "d/b.html", "d/c/"]);
        let found = |name: &str| files.only_named(name.as_bytes()).map(|(path, _)| path);
        assert_eq!(found("c.html"), Some(&b"a/b/c.html"[..]));
        assert_eq!(found("c"), Some(&b"d/c"[..]));
        assert_eq!([found("b.html"), found("C.html")], [None; 2]);
    }

    #[test]
    fn names_are_listed_by_folder() {
        let files = Files::from_paths(&["a/z", "a/b/c", "a-b/x", "a0", "b"]);
        let names = |folder: &[u8]| -> Vec<String> {
            let names = files.names_in(folder);
            names.map(|(name, _)| String::from_utf8_lossy(name).into_owned()).collect()
        };
        assert_eq!(names(b"a"), ["b", "z"]);
        assert_eq!(names(b"a/b"), ["c"]);
        assert_eq!(names(b""), ["a", "a-b", "a0", "b"]);
        assert_eq!(names(b"none"), [""; 0]);
    }

    #[test]
    fn a_path_is_its_names() {
        assert_eq!(bytes_of(Path::new("./a//b/c/")), b"a/b/c");
        assert_eq!(path_of(b"a/b"), Path::new("a/b"));
    }

    #[test]
    #[cfg(unix)]
    fn a_name_that_is_not_utf_8_is_its_bytes() {
        let path = path_of(b"d/\xe9.html");
        assert_eq!(bytes_of(&path), b"d/\xe9.html");
        let files = Files::new([(path, FileKind::File)]);
        assert_eq!(files.kind(b"d/\xe9.html"), Some(FileKind::File));
        assert_eq!(
            files.ignoring_case(b"D/\xe9.html").map(|(path, _)| path),
            Some(&b"d/\xe9.html"[..])
        );
    }
}
