//! From the paths that were given to the files that they mean.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use super::descriptor::is_descriptor;
use super::failure::Failure;
use super::folder::{Folder, LastLink, parent};
use super::globs::Globs;
use super::temporary::is_temporary;
use super::tree::{FolderAt, Item, Kind, Root, RootKind, Skip, Tree};

/// Whether symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Symlinks {
    /// They are skipped, or made again where the other files are copied too.
    #[default]
    Kept,
    /// They are followed where they lead to something in the tree.
    Followed,
}

/// Treatment of files that are not documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherFiles {
    /// They are not listed.
    #[default]
    Ignored,
    /// They are listed, and symbolic links with them.
    Listed,
}

/// What the run is for, as far as it matters which files it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteMode {
    /// Files are only read: a path that is given may be a symbolic link.
    #[default]
    Read,
    /// Files are replaced: a path that is given may not be a symbolic link, unless
    /// it ends with a slash or links are followed; and no file is replaced twice.
    Replace,
    /// Files are written to another folder: none is written twice under one name there.
    Mirror,
}

/// Why an open descriptor is not replaced.
const NOT_A_FILE: &str = "it is an open descriptor and not a file; give the path of the file";

/// Finds the files of a run: [`Walk::add`] for each path, then [`Walk::finish`].
///
/// [`Rewriting`](crate::batch::Rewriting) has an example.
#[derive(Debug, Default)]
pub struct Walk {
    globs: Globs,
    symlinks: Symlinks,
    others: OtherFiles,
    purpose: WriteMode,
    tree: Tree,
    /// Where each file is that was found: itself for [`WriteMode::Replace`], and in the
    /// output for [`WriteMode::Mirror`].
    found: HashMap<PathBuf, usize>,
}

/// Where a path that is given is in the output and below the base URL.
///
/// [`Rewriting`](crate::batch::Rewriting) has an example.
#[derive(Debug, Clone, Default)]
pub struct RootPlace {
    /// Its path in the output: empty for the only root.
    pub output: PathBuf,
    /// The path of its folder below the one that the base URL is that of; `None`
    /// where the base URL is that of the one file.
    pub below_base: Option<PathBuf>,
    /// The path of its folder below the one that paths count from in lists and layouts,
    /// where `below_base` is `None`.
    pub below_counted: PathBuf,
    /// The folder that paths count from, with no symbolic link in its path.
    pub counted_from: PathBuf,
}

impl Walk {
    /// Finds files for this use of them; every option has its default.
    #[must_use]
    pub fn new(mode: WriteMode) -> Self {
        Self { purpose: mode, ..Self::default() }
    }

    /// Sets which files are documents.
    #[must_use]
    pub fn globs(mut self, globs: Globs) -> Self {
        self.globs = globs;
        self
    }

    /// Sets whether symbolic links are followed.
    #[must_use]
    pub fn symlinks(mut self, symlinks: Symlinks) -> Self {
        self.symlinks = symlinks;
        self
    }

    /// Sets whether files that are not documents are listed.
    #[must_use]
    pub fn other_files(mut self, others: OtherFiles) -> Self {
        self.others = others;
        self
    }

    /// Adds a file, or every file of a folder. What cannot be inspected becomes an
    /// item that says so.
    pub fn add(&mut self, path: &Path, place: RootPlace) {
        if self.purpose == WriteMode::Replace && is_descriptor(path) {
            return self.add_failure(path, Failure::new(NOT_A_FILE));
        }
        let link = match (self.purpose, self.symlinks) {
            (WriteMode::Replace, Symlinks::Kept) => LastLink::Refused,
            _ => LastLink::Followed,
        };
        let is_folder = match link {
            LastLink::Followed => fs::metadata(path),
            LastLink::Refused => fs::symlink_metadata(path),
        };
        if is_folder.as_ref().is_ok_and(fs::Metadata::is_symlink) {
            let what = "symbolic link; give the path of its target, or --follow-symlinks";
            return self.add_failure(path, Failure::new(what));
        }
        let added = is_folder.and_then(|metadata| {
            if metadata.is_dir() {
                self.add_folder(path, place, link)
            } else {
                self.add_file(path, place, link, metadata.is_file())
            }
        });
        if let Err(error) = added {
            self.add_failure(path, Failure::read(&error));
        }
    }

    /// Adds a path that cannot be inspected, as an item that says so.
    pub fn add_unread(&mut self, path: &Path, error: &io::Error) {
        self.add_failure(path, Failure::read(error));
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Tree {
        self.tree
    }

    /// A path that was given and leads to nothing.
    fn add_failure(&mut self, path: &Path, failure: Failure) {
        // Nothing is opened beneath it: the current directory serves as its folder.
        let Ok(folder) = Folder::open(Path::new("."), LastLink::Followed) else { return };
        let shown = path.parent().unwrap_or(Path::new("")).to_owned();
        self.add_root(folder, RootKind::File, shown, PathBuf::new(), RootPlace::default());
        let name = path.file_name().unwrap_or(path.as_os_str()).to_owned();
        self.push(Item {
            folder: self.tree.folders.len() - 1,
            name,
            link: None,
            kind: Kind::Failed(failure),
        });
    }

    fn add_file(
        &mut self,
        path: &Path,
        place: RootPlace,
        link: LastLink,
        is_file: bool,
    ) -> io::Result<()> {
        let kind = if is_file { Kind::Document } else { Kind::Skipped(Skip::Special) };
        // A link that is followed is as good as what it leads to.
        let real = match link {
            LastLink::Followed => path.canonicalize()?,
            LastLink::Refused => path.to_owned(),
        };
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let folder = Folder::open(parent(&real), LastLink::Followed)?;
        let shown = path.parent().unwrap_or(Path::new("")).to_owned();
        let in_folder = parent(&real).canonicalize()?;
        self.add_root(folder, RootKind::File, shown, in_folder, place);
        let link = real.file_name().filter(|&real| real != name);
        let link = link.map(|real| Box::new((PathBuf::new(), real.to_owned())));
        self.push(Item { folder: self.tree.folders.len() - 1, name, link, kind });
        Ok(())
    }

    fn add_root(
        &mut self,
        folder: Folder,
        kind: RootKind,
        shown: PathBuf,
        real: PathBuf,
        place: RootPlace,
    ) {
        let RootPlace { output, below_base, below_counted, counted_from } = place;
        let root = self.tree.roots.len();
        self.tree.roots.push(Root {
            folder: Arc::new(folder),
            kind,
            shown,
            real,
            output,
            below_base,
            below_counted,
            counted_from,
        });
        self.tree.folders.push(FolderAt { root, path: PathBuf::new(), real: PathBuf::new() });
    }

    fn add_folder(&mut self, path: &Path, place: RootPlace, link: LastLink) -> io::Result<()> {
        let folder = Folder::open(path, link)?;
        self.add_root(folder, RootKind::Folder, path.to_owned(), path.canonicalize()?, place);
        let mut entries = WalkDir::new(path)
            .min_depth(1)
            .follow_links(self.symlinks == Symlinks::Followed)
            .sort_by_file_name()
            .into_iter();
        // The folders that the walk is in, the root first.
        let mut inside = vec![self.tree.folders.len() - 1];
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.add_error(path, &inside, &error);
                    continue;
                }
            };
            inside.truncate(entry.depth());
            let folder = inside[entry.depth() - 1];
            if entry.file_type().is_dir() {
                match self.enter(&entry, folder) {
                    Some(entered) => inside.push(entered),
                    None => entries.skip_current_dir(),
                }
            } else {
                self.add_entry(&entry, folder);
            }
        }
        Ok(())
    }

    /// Goes into a folder, or says why not.
    fn enter(&mut self, entry: &DirEntry, parent: usize) -> Option<usize> {
        // A tree that another run puts together, or left.
        if self.is_temporary(entry.file_name(), parent) {
            return None;
        }
        let folder = &self.tree.folders[parent];
        let (root, path) = (folder.root, folder.path.join(entry.file_name()));
        if self.others == OtherFiles::Ignored && self.globs.is_closed(&path) {
            return None;
        }
        let real = if entry.path_is_symlink() {
            let Some(real) = self.beneath(entry.path(), root) else {
                self.push_entry(entry, parent, None, Kind::Skipped(Skip::LeadsOutside));
                return None;
            };
            real
        } else {
            folder.real.join(entry.file_name())
        };
        self.tree.folders.push(FolderAt { root, path, real });
        Some(self.tree.folders.len() - 1)
    }

    fn add_entry(&mut self, entry: &DirEntry, folder: usize) {
        let name = entry.file_name();
        if self.is_temporary(name, folder) {
            return;
        }
        let is_document = self.globs.is_document(&self.tree.folders[folder].path.join(name));
        let file_type = entry.file_type();
        let is_wanted = is_document || self.others == OtherFiles::Listed;
        let mut link = None;
        let kind = if entry.path_is_symlink() {
            match (self.symlinks, self.others) {
                _ if !is_wanted => return,
                (Symlinks::Kept, OtherFiles::Ignored) => Kind::Skipped(Skip::Link),
                (Symlinks::Kept, OtherFiles::Listed) => Kind::Link,
                (Symlinks::Followed, _) => {
                    let root = self.tree.folders[folder].root;
                    let real = self.beneath(entry.path(), root);
                    match real.as_deref().and_then(|real| Some((real.parent()?, real.file_name()?)))
                    {
                        Some((parent, name)) => {
                            link = Some(Box::new((parent.to_owned(), name.to_owned())));
                            of_file(file_type.is_file(), is_document)
                        }
                        None => Kind::Skipped(Skip::LeadsOutside),
                    }
                }
            }
        } else if !file_type.is_file() || is_wanted {
            of_file(file_type.is_file(), is_document)
        } else {
            return;
        };
        self.push_entry(entry, folder, link, kind);
    }

    /// Whether a name is one of a run's own, which is noted for its folder.
    fn is_temporary(&mut self, name: &OsStr, folder: usize) -> bool {
        let is_temporary = is_temporary(name);
        if is_temporary && self.tree.with_remains.last() != Some(&folder) {
            self.tree.with_remains.push(folder);
        }
        is_temporary
    }

    fn push_entry(
        &mut self,
        entry: &DirEntry,
        folder: usize,
        link: Option<Box<(PathBuf, std::ffi::OsString)>>,
        kind: Kind,
    ) {
        self.push(Item { folder, name: entry.file_name().to_owned(), link, kind });
    }

    /// Lists an item, unless its file is listed and may not be replaced twice.
    fn push(&mut self, mut item: Item) {
        let can_meet = self.tree.roots.len() > 1
            || self.purpose == WriteMode::Replace && self.symlinks == Symlinks::Followed;
        if can_meet && let Some(file) = self.written(&item) {
            self.look_back();
            let first = self.found.get(&file).copied();
            match first {
                None => {
                    self.found.insert(file, self.tree.items.len());
                }
                // Two files under one name are refused later.
                Some(first) if self.source(&self.tree.items[first]) != self.source(&item) => {}
                // Its own name says what its URL is, not that of a link.
                Some(first)
                    if self.tree.is_own(&item) && !self.tree.is_own(&self.tree.items[first]) =>
                {
                    let again = Skip::Again(self.tree.path(&item));
                    self.tree.items[first].kind = Kind::Skipped(again);
                    self.found.insert(file, self.tree.items.len());
                }
                Some(first) => {
                    let again = Skip::Again(self.tree.path(&self.tree.items[first]));
                    item.kind = Kind::Skipped(again);
                }
            }
        }
        self.tree.items.push(item);
    }

    /// What is written for an item.
    fn written(&self, item: &Item) -> Option<PathBuf> {
        match (self.purpose, &item.kind) {
            (WriteMode::Replace, Kind::Document) => Some(self.source(item)),
            (WriteMode::Mirror, Kind::Document | Kind::Other | Kind::Link) => {
                Some(self.tree.output_folder(item.folder).join(&item.name))
            }
            _ => None,
        }
    }

    /// Where an item's file is, with no symbolic link in the path.
    fn source(&self, item: &Item) -> PathBuf {
        let (root, folder, name) = self.tree.place(item);
        root.real.join(folder).join(name)
    }

    /// Makes up for what was listed while no file could be met twice.
    fn look_back(&mut self) {
        if !self.found.is_empty() {
            return;
        }
        for (index, item) in self.tree.items.iter().enumerate() {
            if let Some(file) = self.written(item) {
                self.found.entry(file).or_insert(index);
            }
        }
    }

    /// Where a symbolic link leads, below the root; `None` if it leads outside.
    fn beneath(&self, path: &Path, root: usize) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        Some(real.strip_prefix(&self.tree.roots[root].real).ok()?.to_owned())
    }

    /// What the walk could not look at: a link that leads nowhere or back, or a
    /// folder that cannot be read.
    fn add_error(&mut self, root: &Path, inside: &[usize], error: &walkdir::Error) {
        let path = error.path().unwrap_or(root);
        let depth = error.depth().clamp(1, inside.len());
        let folder = inside[depth - 1];
        let name = path.file_name().unwrap_or(OsStr::new("")).to_owned();
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        let kind = if error.loop_ancestor().is_some() {
            Kind::Skipped(Skip::LeadsBack)
        } else if is_link && !self.globs.is_document(&self.tree.folders[folder].path.join(&name)) {
            match self.others {
                OtherFiles::Ignored => return,
                OtherFiles::Listed => Kind::Link,
            }
        } else {
            let unknown = || Failure::read(&io::ErrorKind::Other.into());
            Kind::Failed(error.io_error().map_or_else(unknown, Failure::read))
        };
        self.push(Item { folder, name, link: None, kind });
    }
}

fn of_file(is_file: bool, is_document: bool) -> Kind {
    match (is_file, is_document) {
        (false, _) => Kind::Skipped(Skip::Special),
        (true, true) => Kind::Document,
        (true, false) => Kind::Other,
    }
}
