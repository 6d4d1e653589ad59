//! Finds the files of a run at the given paths.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::Syntax;
use absolve_archive::Format;
use walkdir::{DirEntry, WalkDir};

use super::exchange::is_temporary;
use super::failure::Failure;
use super::folder::{Folder, LastLink, parent};
use super::globs::Globs;
use super::tree::{FOLLOW, Item, ItemKind, Root, RootKind, RootPlace, Skip, Tree, TreeFolder};

/// Whether symbolic links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Symlinks {
    /// Links are skipped, or copied as links if other files are copied too.
    #[default]
    Kept,
    /// Links are followed to targets inside the tree.
    Followed,
}

/// Whether files that are not documents are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherFiles {
    /// Documents alone are listed.
    #[default]
    Ignored,
    /// Other files are listed, and symbolic links with them.
    Listed,
}

/// The way in which a run writes files, which decides the files that it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteMode {
    /// Files are only read: a given path may be a symbolic link.
    #[default]
    Read,
    /// Files are replaced: a given path may not be a symbolic link, unless it ends with a slash
    /// or links are followed; no file is listed twice.
    Replace,
    /// Files are written to another folder: no output path is listed twice.
    Mirror,
}

/// Finds the files of a run: [`Walk::add`] for each path, then [`Walk::finish`].
///
/// [`Rewriting`](crate::Rewriting) has an example.
#[derive(Debug, Default)]
pub struct Walk {
    globs: Globs,
    symlinks: Symlinks,
    others: OtherFiles,
    mode: WriteMode,
    tree: Tree,
    /// The items by the path that is written: the file itself for [`WriteMode::Replace`], its
    /// output for [`WriteMode::Mirror`].
    by_path: HashMap<PathBuf, usize>,
}

impl Walk {
    /// Creates a walk for a run that writes in this way; every option has its default.
    #[must_use]
    pub fn new(mode: WriteMode) -> Self {
        Self { mode, ..Self::default() }
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

    /// Adds a file, or every file of a folder. A path that cannot be inspected becomes an
    /// [`ItemKind::Failed`] item.
    pub fn add(&mut self, path: &Path, place: RootPlace) {
        let link = match (self.mode, self.symlinks) {
            (WriteMode::Replace, Symlinks::Kept) => LastLink::Refused,
            _ => LastLink::Followed,
        };
        let metadata = match link {
            LastLink::Followed => fs::metadata(path),
            LastLink::Refused => fs::symlink_metadata(path),
        };
        if metadata.as_ref().is_ok_and(fs::Metadata::is_symlink) {
            let why = "symbolic link; give the path of its target, or follow symbolic links";
            return self.add_failure(path, Failure::new(why).advising(FOLLOW));
        }
        let added = metadata.and_then(|metadata| {
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

    /// Returns the files that were found.
    #[must_use]
    pub fn finish(mut self) -> Tree {
        self.tree.has_xml_by_default = self.globs.has_xml();
        self.tree
    }

    /// Adds a given path that failed, as an [`ItemKind::Failed`] item.
    pub fn add_failure(&mut self, path: &Path, failure: Failure) {
        // An item needs an open folder, but no file in it is opened.
        let Ok(folder) = Folder::open(Path::new("."), LastLink::Followed) else { return };
        let shown = path.parent().unwrap_or(Path::new("")).to_owned();
        let place = RootPlace::default();
        let folder = self.add_root(folder, RootKind::File, shown, PathBuf::new(), place);
        let name = path.file_name().unwrap_or(path.as_os_str()).to_owned();
        self.add_item(Item { folder, name, link: None, kind: ItemKind::Failed(failure) });
    }

    fn add_file(
        &mut self,
        path: &Path,
        place: RootPlace,
        link: LastLink,
        is_file: bool,
    ) -> io::Result<()> {
        let kind = if is_file { ItemKind::Document } else { ItemKind::Skipped(Skip::Special) };
        let real = match link {
            LastLink::Followed => path.canonicalize()?,
            LastLink::Refused => path.to_owned(),
        };
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let folder = Folder::open(parent(&real), LastLink::Followed)?;
        let shown = path.parent().unwrap_or(Path::new("")).to_owned();
        let in_folder = parent(&real).canonicalize()?;
        let folder = self.add_root(folder, RootKind::File, shown, in_folder, place);
        let link = real.file_name().filter(|&real| real != name);
        let link = link.map(|real| Box::new((PathBuf::new(), real.to_owned())));
        self.add_item(Item { folder, name, link, kind });
        Ok(())
    }

    fn add_folder(&mut self, path: &Path, place: RootPlace, link: LastLink) -> io::Result<()> {
        let folder = Folder::open(path, link)?;
        let real = path.canonicalize()?;
        let root = self.add_root(folder, RootKind::Folder, path.to_owned(), real, place);
        let mut entries = WalkDir::new(path)
            .min_depth(1)
            .follow_links(self.symlinks == Symlinks::Followed)
            // Compares whole paths: siblings differ only in the name, and splitting it off takes
            // longer.
            .sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str()))
            .into_iter();
        // The numbers of the folders that the walk is in, the root first.
        let mut entered = vec![root];
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.add_error(path, &entered, &error);
                    continue;
                }
            };
            entered.truncate(entry.depth());
            let folder = entered[entry.depth() - 1];
            if entry.file_type().is_dir() {
                match self.enter(&entry, folder) {
                    Some(number) => entered.push(number),
                    None => entries.skip_current_dir(),
                }
            } else {
                self.add_entry(&entry, folder);
            }
        }
        Ok(())
    }

    /// Adds a folder, and returns its number; `None` if it is skipped.
    fn enter(&mut self, entry: &DirEntry, parent: usize) -> Option<usize> {
        // Another run is staging a tree in a folder with a temporary name, or left the folder.
        if self.note_temporary(entry.file_name(), parent) {
            return None;
        }
        let folder = &self.tree.folders[parent];
        let (root, path) = (folder.root, folder.path.join(entry.file_name()));
        if self.others == OtherFiles::Ignored && self.globs.is_closed(&path) {
            return None;
        }
        let real = if entry.path_is_symlink() {
            let Some(real) = self.resolve_beneath(entry.path(), root) else {
                let name = entry.file_name().to_owned();
                let kind = ItemKind::Skipped(Skip::LeadsOutside);
                self.add_item(Item { folder: parent, name, link: None, kind });
                return None;
            };
            real
        } else {
            folder.real.join(entry.file_name())
        };
        self.tree.folders.push(TreeFolder { root, path, real });
        Some(self.tree.folders.len() - 1)
    }

    /// Lists an entry that is not a folder, if the run needs it.
    fn add_entry(&mut self, entry: &DirEntry, folder: usize) {
        let name = entry.file_name();
        if self.note_temporary(name, folder) {
            return;
        }
        let is_document = self.globs.is_document(&self.tree.folders[folder].path.join(name));
        let file_type = entry.file_type();
        let is_xml = || Format::from_name(name.as_ref()).syntax() == Some(Syntax::Xml);
        if !is_document && file_type.is_file() && is_xml() {
            self.tree.xml_files += 1;
        }
        let is_wanted = is_document || self.others == OtherFiles::Listed;
        let mut link = None;
        let kind = if entry.path_is_symlink() {
            match (self.symlinks, self.others) {
                _ if !is_wanted => return,
                (Symlinks::Kept, OtherFiles::Ignored) => ItemKind::Skipped(Skip::Link),
                (Symlinks::Kept, OtherFiles::Listed) => ItemKind::Link,
                (Symlinks::Followed, _) => {
                    let root = self.tree.folders[folder].root;
                    let real = self.resolve_beneath(entry.path(), root);
                    match real.as_deref().and_then(|real| Some((real.parent()?, real.file_name()?)))
                    {
                        Some((parent, name)) => {
                            link = Some(Box::new((parent.to_owned(), name.to_owned())));
                            classify_file(file_type.is_file(), is_document)
                        }
                        None => ItemKind::Skipped(Skip::LeadsOutside),
                    }
                }
            }
        } else if !file_type.is_file() || is_wanted {
            classify_file(file_type.is_file(), is_document)
        } else {
            return;
        };
        self.add_item(Item { folder, name: name.to_owned(), link, kind });
    }

    /// Whether a name is temporary. Also notes the folder, from which leftovers are removed later.
    fn note_temporary(&mut self, name: &OsStr, folder: usize) -> bool {
        let is_temporary = is_temporary(name);
        if is_temporary && self.tree.leftover_folders.last() != Some(&folder) {
            self.tree.leftover_folders.push(folder);
        }
        is_temporary
    }

    /// Returns the path below the root of a symbolic link's target; `None` outside of the root.
    fn resolve_beneath(&self, path: &Path, root: usize) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        Some(real.strip_prefix(&self.tree.roots[root].real).ok()?.to_owned())
    }

    /// Lists an entry that the walk cannot inspect: a broken or cyclic link, or an unreadable
    /// folder.
    fn add_error(&mut self, root: &Path, entered: &[usize], error: &walkdir::Error) {
        let path = error.path().unwrap_or(root);
        let depth = error.depth().clamp(1, entered.len());
        let folder = entered[depth - 1];
        let name = path.file_name().unwrap_or(OsStr::new("")).to_owned();
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let kind = if error.loop_ancestor().is_some() {
            ItemKind::Skipped(Skip::LeadsBack)
        } else if is_link && !self.globs.is_document(&self.tree.folders[folder].path.join(&name)) {
            match self.others {
                OtherFiles::Ignored => return,
                OtherFiles::Listed => ItemKind::Link,
            }
        } else {
            let unknown = || Failure::read(&io::ErrorKind::Other.into());
            ItemKind::Failed(error.io_error().map_or_else(unknown, Failure::read))
        };
        self.add_item(Item { folder, name, link: None, kind });
    }

    /// Adds a root, and returns the number of its folder.
    fn add_root(
        &mut self,
        folder: Folder,
        kind: RootKind,
        shown: PathBuf,
        real: PathBuf,
        place: RootPlace,
    ) -> usize {
        let root = self.tree.roots.len();
        self.tree.roots.push(Root { folder: Arc::new(folder), kind, shown, real, place });
        self.tree.folders.push(TreeFolder { root, path: PathBuf::new(), real: PathBuf::new() });
        self.tree.folders.len() - 1
    }

    /// Lists an item. If another item has the same written path, one of the two is skipped.
    fn add_item(&mut self, mut item: Item) {
        let may_repeat = self.tree.roots.len() > 1
            || self.mode == WriteMode::Replace && self.symlinks == Symlinks::Followed;
        if may_repeat && let Some(file) = self.written_path(&item) {
            self.index_listed_items();
            let first = self.by_path.get(&file).copied();
            match first {
                None => _ = self.by_path.insert(file, self.tree.items.len()),
                // The preflight refuses two files with one output path.
                Some(first)
                    if self.source_path(&self.tree.items[first]) != self.source_path(&item) => {}
                // The path of the file itself determines its URL, so the link to it is skipped.
                Some(first)
                    if self.tree.is_own(&item) && !self.tree.is_own(&self.tree.items[first]) =>
                {
                    let skip = Skip::Again(self.tree.path(&item));
                    self.tree.items[first].kind = ItemKind::Skipped(skip);
                    self.by_path.insert(file, self.tree.items.len());
                }
                Some(first) => {
                    let skip = Skip::Again(self.tree.path(&self.tree.items[first]));
                    item.kind = ItemKind::Skipped(skip);
                }
            }
        }
        self.tree.items.push(item);
    }

    /// Returns the path that is written for an item.
    fn written_path(&self, item: &Item) -> Option<PathBuf> {
        match (self.mode, &item.kind) {
            (WriteMode::Replace, ItemKind::Document) => Some(self.source_path(item)),
            (WriteMode::Mirror, ItemKind::Document | ItemKind::Other | ItemKind::Link) => {
                Some(self.tree.output_folder(item.folder).join(&item.name))
            }
            _ => None,
        }
    }

    /// Returns the path of an item's file, without symbolic links.
    fn source_path(&self, item: &Item) -> PathBuf {
        let (root, folder, name) = self.tree.locate(item);
        root.real.join(folder).join(name)
    }

    /// Adds the items listed so far to `by_path`. It is empty until a second root makes duplicates
    /// possible.
    fn index_listed_items(&mut self) {
        if !self.by_path.is_empty() {
            return;
        }
        for (index, item) in self.tree.items.iter().enumerate() {
            if let Some(file) = self.written_path(item) {
                self.by_path.entry(file).or_insert(index);
            }
        }
    }
}

fn classify_file(is_file: bool, is_document: bool) -> ItemKind {
    match (is_file, is_document) {
        (false, _) => ItemKind::Skipped(Skip::Special),
        (true, true) => ItemKind::Document,
        (true, false) => ItemKind::Other,
    }
}
