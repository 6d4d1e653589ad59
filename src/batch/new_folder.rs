//! A folder that appears with everything in it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::flush::{self, Sync};
use super::folder::{Folder, LastLink, parent};
use super::temporary::{TemporaryFolder, has_only_leftovers, remove_leftovers};

/// A new folder, assembled beside its place and moved there whole; removed unless it is finished.
#[derive(Debug)]
pub struct NewFolder {
    staged: TemporaryFolder,
    /// The first folder of its path that is not there.
    path: PathBuf,
    /// Its path in that.
    inner: PathBuf,
}

impl NewFolder {
    /// Begins a folder at a path that is free, or an empty folder's. Folders above it that are missing
    /// appear with it.
    ///
    /// # Errors
    ///
    /// If something is there, or the lowest folder above that is there cannot be written.
    pub fn new(path: &Path) -> io::Result<Self> {
        let missing = path.ancestors().take_while(|at| *at == path || !at.exists());
        let missing = missing.filter(|at| !at.as_os_str().is_empty()).last();
        let whole = missing.unwrap_or(path);
        let inner = path.strip_prefix(whole).unwrap_or(Path::new("")).to_owned();
        let path = whole;
        let above = Arc::new(Folder::open(parent(path), LastLink::Followed)?);
        // Without a name, it is a folder such as `..`.
        let name = path.file_name().ok_or(io::ErrorKind::AlreadyExists)?;
        remove_leftovers(&above)?;
        match above.identity(name) {
            Ok(found) if found.is_folder && has_only_leftovers(&above.enter(Path::new(name))?)? => {
                remove_leftovers(&above.enter(Path::new(name))?)?;
            }
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let staged = TemporaryFolder::new(&above, 0o777)?;
        Ok(Self { staged, path: path.to_owned(), inner })
    }

    /// Makes a file in it, with the folders above that; its name must be free.
    ///
    /// # Errors
    ///
    /// If a part of the path is no name, a folder cannot be made, or the name is taken.
    pub fn create(&self, path: &Path) -> io::Result<File> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.folder(&self.inner.join(parent(path)))?.create(name, 0o666)
    }

    fn folder(&self, path: &Path) -> io::Result<Folder> {
        let root = self.staged.folder();
        match root.enter(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            entered => return entered,
        }
        let mut folder = root.enter(Path::new("."))?;
        for name in path {
            match folder.create_folder(name, 0o777) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => created?,
            }
            folder = folder.enter(Path::new(name))?;
        }
        Ok(folder)
    }

    /// Moves the folder to its place.
    ///
    /// # Errors
    ///
    /// If its place is taken meanwhile, or it cannot be flushed.
    pub fn finish(mut self, sync: Sync) -> io::Result<()> {
        let name = self.path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        if sync == Sync::Always {
            flush::file_system(self.staged.folder())?;
        }
        // An empty folder at its place makes way.
        let _ = self.staged.above().remove_empty(name);
        self.staged.move_to(Some(name))?;
        if sync == Sync::Always { self.staged.above().flush() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("new");
        let folder = NewFolder::new(&path).unwrap();
        folder.create(Path::new("a/b/c")).unwrap().write_all(b"x").unwrap();
        assert!(!path.exists());
        let taken = folder.create(Path::new("a/b/c")).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert!(folder.create(Path::new("../c")).is_err());
        folder.finish(Sync::default()).unwrap();
        assert_eq!(fs::read(path.join("a/b/c")).unwrap(), b"x");
        assert_eq!(fs::read_dir(at.path()).unwrap().count(), 1);
        assert_eq!(NewFolder::new(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let empty = at.path().join("empty");
        fs::create_dir(&empty).unwrap();
        drop(NewFolder::new(&empty).unwrap());
        assert_eq!(fs::read_dir(at.path()).unwrap().count(), 2);
        NewFolder::new(&empty).unwrap().finish(Sync::default()).unwrap();
        assert!(empty.exists());
    }
}
