//! The entries of a folder: which are listed, and as what.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::super::failure::Failure;
use super::super::folder::{Folder, LastLink};
use super::super::temporary::is_temporary;
use super::super::tree::{FolderAt, Item, Kind, RootKind, Skip};
use super::{OtherFiles, RootPlace, Symlinks, Walk};
use crate::container::Format;

impl Walk {
    pub(super) fn add_folder(
        &mut self,
        path: &Path,
        place: RootPlace,
        link: LastLink,
    ) -> io::Result<()> {
        let folder = Folder::open(path, link)?;
        let real = path.canonicalize()?;
        let root = self.add_root(folder, RootKind::Folder, path.to_owned(), real, place);
        let mut entries = WalkDir::new(path)
            .min_depth(1)
            .follow_links(self.symlinks == Symlinks::Followed)
            // By name: siblings share the rest of the path, which takes longer to split off.
            .sort_by(|one, other| one.path().as_os_str().cmp(other.path().as_os_str()))
            .into_iter();
        // The open folders, the root first.
        let mut inside = vec![root];
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

    /// Enters a folder, unless it is skipped.
    fn enter(&mut self, entry: &DirEntry, parent: usize) -> Option<usize> {
        // The staging folder of another run, or a leftover.
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
                let name = entry.file_name().to_owned();
                let kind = Kind::Skipped(Skip::LeadsOutside);
                self.push(Item { folder: parent, name, link: None, kind });
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
        if !is_document && file_type.is_file() && Format::of_name(name.as_ref()) == Format::Xml {
            self.tree.xml_files += 1;
        }
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
        self.push(Item { folder, name: name.to_owned(), link, kind });
    }

    /// Whether a name is that of a temporary file; notes its folder.
    fn is_temporary(&mut self, name: &OsStr, folder: usize) -> bool {
        let is_temporary = is_temporary(name);
        if is_temporary && self.tree.with_leftovers.last() != Some(&folder) {
            self.tree.with_leftovers.push(folder);
        }
        is_temporary
    }

    /// The target of a symbolic link, below the root; `None` outside of it.
    fn beneath(&self, path: &Path, root: usize) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        Some(real.strip_prefix(&self.tree.roots[root].real).ok()?.to_owned())
    }

    /// Lists what the walk cannot inspect: a broken or cyclic link, or an unreadable folder.
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
