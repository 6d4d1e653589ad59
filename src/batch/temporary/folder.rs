//! A temporary folder, in which a tree is assembled.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::super::folder::{Folder, is_locked};
use super::name::{TRIES, new_name};

/// A folder in which a tree is assembled, removed with its contents unless the tree is moved
/// out.
///
/// The tree is in a subfolder that has a temporary name too: so a later run recognizes such a
/// folder not only by its name, but by containing nothing else.
#[derive(Debug)]
pub(in super::super) struct TemporaryFolder {
    above: Arc<Folder>,
    name: String,
    /// `None` during creation and removal.
    inner_folder: Option<InnerFolder>,
}

#[derive(Debug)]
struct InnerFolder {
    name: String,
    tree: Arc<Folder>,
    /// Of the outer folder.
    _lock: File,
}

impl TemporaryFolder {
    /// Creates one for a tree whose own folder has this mode.
    pub(in super::super) fn new(above: &Arc<Folder>, mode: u32) -> io::Result<Self> {
        for _ in 0..TRIES {
            let name = new_name();
            above.create_folder(OsStr::new(&name), 0o700)?;
            let mut created = Self { above: above.clone(), name, inner_folder: None };
            match created.lock(mode) {
                // Another run was faster and removed it as a leftover.
                Err(error) if error.kind() == io::ErrorKind::NotFound || is_locked(&error) => {}
                inner_folder => return inner_folder.map(|()| created),
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn lock(&mut self, mode: u32) -> io::Result<()> {
        let folder = self.above.enter(Path::new(&self.name))?;
        let lock = folder.as_file()?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.above.identity(OsStr::new(&self.name))?;
        let inner = new_name();
        folder.create_folder(OsStr::new(&inner), mode)?;
        let tree = Arc::new(folder.enter(Path::new(&inner))?);
        self.inner_folder = Some(InnerFolder { name: inner, tree, _lock: lock });
        Ok(())
    }

    pub(in super::super) fn folder(&self) -> &Arc<Folder> {
        self.inner_folder.as_ref().map_or(&self.above, |inner| &inner.tree)
    }

    /// The folder that it is in.
    pub(in super::super) fn above(&self) -> &Arc<Folder> {
        &self.above
    }

    /// Moves the tree to a free name in the folder that it is in, or everything in the tree.
    pub(in super::super) fn move_to(&mut self, name: Option<&OsStr>) -> io::Result<()> {
        let Some(inner) = self.inner_folder.take() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let Some(name) = name else {
            let names = inner.tree.names()?;
            let moved = names.iter().map(|name| inner.tree.rename_to_free(name, &self.above, name));
            return moved.collect();
        };
        let outer = self.above.enter(Path::new(&self.name))?;
        // Windows renames no folder that is open.
        drop(inner.tree);
        outer.rename_to_free(OsStr::new(&inner.name), &self.above, name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Removing opens folders, and the limit of open files may be reached.
        self.inner_folder = None;
        let remove = || self.above.remove_all(OsStr::new(&self.name));
        let _ = remove().or_else(|_| remove());
    }
}
