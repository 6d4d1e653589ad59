//! The files and folders of a site.

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

/// A set by the same hash.
pub(crate) type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// The kind of an entry of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A file.
    File,
    /// A folder.
    Folder,
}

/// The files and folders below a root, by path, by path in any case, and by folder.
///
/// Paths are relative to the root: the bytes of the names in the file system, with `/` between
/// them. The root itself is the empty path.
#[derive(Debug, Default)]
pub struct Files {
    /// The bytes of all paths, one after the other: for 100,000 files, a lookup by paths of their
    /// own allocation took 1.5 times as long.
    names: Vec<u8>,
    /// By folder, then by name.
    entries: Vec<FileEntry>,
    /// The numbers of files by path, apart from those of folders, so that a link to a file needs no
    /// entry.
    numbers: HashTable<Slot>,
    folder_numbers: HashTable<Slot>,
    hasher: RandomState,
    /// The paths in lower case, made at the first use.
    folded: OnceLock<HashMap<Box<[u8]>, EqualPaths>>,
    /// The paths by their last names, made at the first use.
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
    name: Name,
    kind: FileKind,
}

/// A path in `Files::names`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Name {
    start: usize,
    len: u32,
}

impl Name {
    fn slice(self, names: &[u8]) -> &[u8] {
        &names[self.start..][..self.len as usize]
    }
}

/// A row of a table: a path and its number.
#[derive(Debug, Clone, Copy)]
struct Slot {
    name: Name,
    number: u32,
}

impl Files {
    /// Creates a list of these paths, in any order, and of the folders that contain them.
    #[must_use]
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = (P, FileKind)>) -> Self {
        let mut all = Self::default();
        all.add(b"", FileKind::Folder);
        for (path, kind) in paths {
            let path = bytes_of(path.as_ref());
            all.add(&path, kind);
            let mut inner: &[u8] = &path;
            while let Some((folder, _)) = split_name(inner)
                && all.add(folder, FileKind::Folder)
            {
                inner = folder;
            }
        }
        let Self { names, entries, numbers, folder_numbers, hasher, .. } = &mut all;
        entries
            .sort_by(|a, b| split_name(a.name.slice(names)).cmp(&split_name(b.name.slice(names))));
        for (number, entry) in (0..).zip(&*entries) {
            let table = match entry.kind {
                FileKind::File => &mut *numbers,
                FileKind::Folder => &mut *folder_numbers,
            };
            let path = entry.name.slice(names);
            if let Some(slot) =
                table.find_mut(hasher.hash_one(path), |slot| slot.name == entry.name)
            {
                slot.number = number;
            }
        }
        all
    }

    /// Adds a path unless it is known, and returns whether it was new; its number is set later.
    fn add(&mut self, path: &[u8], kind: FileKind) -> bool {
        let Ok(len) = u32::try_from(path.len()) else { return false };
        if self.find(path).is_some() {
            return false;
        }
        let name = Name { start: self.names.len(), len };
        self.names.extend_from_slice(path);
        self.entries.push(FileEntry { name, kind });
        let (names, hasher) = (&self.names, &self.hasher);
        let table = match kind {
            FileKind::File => &mut self.numbers,
            FileKind::Folder => &mut self.folder_numbers,
        };
        let slot = Slot { name, number: 0 };
        table.insert_unique(hasher.hash_one(path), slot, |slot| {
            hasher.hash_one(slot.name.slice(names))
        });
        true
    }

    /// The kind of the entry at a path, if there is one.
    #[must_use]
    pub fn kind(&self, path: &[u8]) -> Option<FileKind> {
        self.find(path).map(|at| self.entries[at].kind)
    }

    /// The number of a path: below [`Files::len`], and equal for equal lists.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(path);
        self.find_in(&self.numbers, hash, path)
            .or_else(|| self.find_in(&self.folder_numbers, hash, path))
    }

    /// The number of a file.
    pub(crate) fn find_file(&self, path: &[u8]) -> Option<usize> {
        self.find_in(&self.numbers, self.hasher.hash_one(path), path)
    }

    fn find_in(&self, table: &HashTable<Slot>, hash: u64, path: &[u8]) -> Option<usize> {
        let slot = table.find(hash, |slot| slot.name.slice(&self.names) == path)?;
        Some(slot.number as usize)
    }

    /// The number of files and folders, including the root.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing besides the root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 1
    }

    /// The path of a number, and its kind.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<(&[u8], FileKind)> {
        self.entries.get(number).map(|entry| (entry.name.slice(&self.names), entry.kind))
    }

    /// All paths, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|entry| (entry.name.slice(&self.names), entry.kind))
    }

    /// The path that equals this one regardless of case: this very path if it exists, else one in
    /// lower case, else the first one.
    #[must_use]
    pub fn ignoring_case(&self, path: &[u8]) -> Option<(&[u8], FileKind)> {
        let folded = self.folded.get_or_init(|| self.fold());
        let folded = || folded.get(&*lower_case(path)).map(|folded| folded.number);
        self.get(self.find(path).or_else(folded)?)
    }

    /// Whether at most one path equals this one regardless of case.
    pub(crate) fn is_only_in_any_case(&self, path: &[u8]) -> bool {
        let folded = self.folded.get_or_init(|| self.fold());
        folded.get(&*lower_case(path)).is_none_or(|folded| folded.is_only)
    }

    /// The names in a folder, sorted.
    pub fn names_in(&self, folder: &[u8]) -> impl Iterator<Item = (&[u8], FileKind)> {
        let split = |entry: &FileEntry| split_name(entry.name.slice(&self.names));
        let is_before = |entry: &FileEntry| split(entry).is_none_or(|(other, _)| other < folder);
        let start = self.entries.partition_point(is_before);
        let entries = self.entries[start..].iter().map(move |entry| (split(entry), entry.kind));
        entries.map_while(move |(split, kind)| match split {
            Some((other, name)) if other == folder => Some((name, kind)),
            _ => None,
        })
    }

    /// The only file or folder of the site with this name, in whatever folder it is.
    pub(crate) fn only_named(&self, name: &[u8]) -> Option<(&[u8], FileKind)> {
        let by_name = self.by_name.get_or_init(|| self.index_names());
        let has_name = |same: &EqualPaths| self.last_name(same.number) == name;
        let paths = by_name.find(self.hasher.hash_one(name), has_name)?;
        self.get(paths.number).filter(|_| paths.is_only)
    }

    fn last_name(&self, number: usize) -> &[u8] {
        split_name(self.entries[number].name.slice(&self.names)).map_or(b"", |(_, name)| name)
    }

    fn index_names(&self) -> HashTable<EqualPaths> {
        let hash = |same: &EqualPaths| self.hasher.hash_one(self.last_name(same.number));
        let mut by_name = HashTable::with_capacity(self.entries.len());
        for number in 0..self.entries.len() {
            let same = EqualPaths { number, is_only: true };
            let has_name =
                |other: &EqualPaths| self.last_name(other.number) == self.last_name(number);
            match by_name.entry(hash(&same), has_name, hash) {
                TableEntry::Occupied(mut other) => other.get_mut().is_only = false,
                TableEntry::Vacant(place) => {
                    place.insert(same);
                }
            }
        }
        by_name
    }

    fn fold(&self) -> HashMap<Box<[u8]>, EqualPaths> {
        let mut folded: HashMap<Box<[u8]>, EqualPaths> = HashMap::default();
        folded.reserve(self.entries.len());
        for (at, (path, _)) in self.iter().enumerate() {
            let lower = lower_case(path);
            let is_lower = *lower == *path;
            let entry = folded.entry(lower.into()).and_modify(|equal| equal.is_only = false);
            let equal = entry.or_insert(EqualPaths { number: at, is_only: true });
            if is_lower {
                equal.number = at;
            }
        }
        folded
    }
}

/// A path's folder and the name in it; `None` for the root.
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

/// Joins a folder and a name to a path.
pub(crate) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = folder.to_vec();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The names on a path, without empty ones.
pub(crate) fn segments(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|segment| !segment.is_empty())
}

/// A name in lower case, as a file system that ignores case compares it.
pub(crate) fn lower_case(name: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(name) {
        Ok(name) if !name.is_ascii() => Cow::Owned(name.to_lowercase().into_bytes()),
        _ if name.iter().any(u8::is_ascii_uppercase) => Cow::Owned(name.to_ascii_lowercase()),
        _ => Cow::Borrowed(name),
    }
}

/// The bytes of a relative path, as in [`Files`].
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

/// The path of these bytes; on systems whose names are text, invalid bytes are replaced.
#[must_use]
pub fn path_of(bytes: &[u8]) -> PathBuf {
    absolve_files::path_of(bytes)
        .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned().into())
}

#[cfg(test)]
impl Files {
    /// Files of these paths; one that ends with a slash is a folder.
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
