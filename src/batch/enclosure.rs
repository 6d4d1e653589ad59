//! A folder that confines reading and writing.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::exchange;
use super::folder::{Folder, LastLink, parent};
use super::identity::{Identity, settled};
use super::preserve::preserve;
use super::temporary::{Temporary, remove_leftovers};

/// An open folder that confines reading and writing: paths out of it are refused.
#[derive(Debug, Clone)]
pub struct Enclosure {
    folder: Arc<Folder>,
    /// Its path, without symbolic links.
    real: PathBuf,
}

impl Enclosure {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn new(path: &Path) -> io::Result<Self> {
        let real = path.canonicalize()?;
        let folder = Folder::open(&real, LastLink::Followed)?;
        Ok(Self { folder: Arc::new(folder), real })
    }

    /// The path below the folder that a path resolves to, with symbolic links followed; `None`
    /// outside of the folder.
    ///
    /// # Errors
    ///
    /// If nothing is there, or it cannot be inspected.
    pub fn below(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        Ok(path.canonicalize()?.strip_prefix(&self.real).ok().map(Path::to_owned))
    }

    /// Opens the regular file that a path resolves to.
    ///
    /// The resolved path is opened from the open folder through no symbolic link, so that a link
    /// swapped in after the resolution fails.
    ///
    /// # Errors
    ///
    /// If the path leads out of the folder, or the target is not a regular file.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let outside =
            || io::Error::new(io::ErrorKind::PermissionDenied, "it is outside the folder");
        let below = self.below(path)?.ok_or_else(outside)?;
        let name = below.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let file = self.folder.enter(parent(&below))?.read(name)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if metadata.is_file() {
            Ok(file)
        } else {
            Err(io::Error::other("it is not a regular file"))
        }
    }

    /// Writes a file by its path below the folder, through no symbolic link: to a temporary file
    /// that is flushed and renamed over an existing file, if `may_replace` allows that. The mode,
    /// the owner and the extended attributes of an existing file are kept, and its first `kept`
    /// bytes before the new ones.
    ///
    /// # Errors
    ///
    /// If the path leads out of the folder, a symbolic link is in it, what is there is no
    /// regular file or may not be replaced, another program changes it in the meantime, or
    /// anything fails on the way; the file is then as it was, or as that program left it.
    pub fn write(
        &self,
        path: &Path,
        kept: u64,
        bytes: &[u8],
        may_replace: impl FnOnce(&File) -> io::Result<bool>,
    ) -> io::Result<()> {
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let name = path.file_name().filter(|_| is_plain).ok_or(io::ErrorKind::InvalidInput)?;
        let folder = Arc::new(self.folder.enter(parent(path))?);
        // A folder that cannot be listed can be written to.
        let _ = remove_leftovers(&folder);
        let mut old = replaceable(&folder, name)?;
        let mut new = match &old {
            Some((old, metadata)) => {
                if !may_replace(old)? {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                let new = Temporary::to_replace(&folder, 0o600, &Identity::of(metadata))?;
                preserve(old, metadata, new.file())?;
                new
            }
            None => Temporary::new(&folder, 0o666)?,
        };
        let mut file = new.file();
        if let Some((old, _)) = &mut old {
            old.rewind()?;
            io::copy(&mut old.take(kept), &mut file)?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        exchange::put(&mut new, name, old.map(|(_, metadata)| Identity::of(&metadata)).as_ref())?;
        folder.flush()
    }
}

/// The regular file with this name, if it may be replaced, and its settled metadata.
fn replaceable(folder: &Folder, name: &OsStr) -> io::Result<Option<(File, Metadata)>> {
    match folder.metadata(name) {
        Ok(metadata) if metadata.is_symlink() => {
            return Err(io::Error::other("it is a symbolic link"));
        }
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    // The opened file decides, even if the name has another one by now.
    let old = folder.read(name)?;
    let metadata = old.metadata()?;
    if !metadata.is_file() || metadata.permissions().readonly() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let metadata = settled(&old, metadata)?;
    Ok(Some((old, metadata)))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn laid_out() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = |path: &str| folder.path().join(path);
        fs::create_dir_all(path("in/d")).unwrap();
        fs::write(path("out.txt"), "out").unwrap();
        fs::write(path("in/a.txt"), "old").unwrap();
        symlink("../out.txt", path("in/leads-out")).unwrap();
        symlink("..", path("in/above")).unwrap();
        symlink("a.txt", path("in/stays")).unwrap();
        folder
    }

    #[test]
    fn a_file_outside_is_not_opened() {
        let folder = laid_out();
        let enclosure = Enclosure::new(&folder.path().join("in")).unwrap();
        let opens = |path: &str| enclosure.open(&folder.path().join(path)).is_ok();
        assert!(opens("in/a.txt") && opens("in/stays") && opens("in/d/../a.txt"));
        for path in ["out.txt", "in/leads-out", "in/above/out.txt", "in/../out.txt", "in/d", "in"] {
            assert!(!opens(path), "{path}");
        }
    }

    #[test]
    fn what_another_program_writes_in_the_meantime_stays() {
        use std::os::unix::fs::PermissionsExt;
        let folder = laid_out();
        let path = folder.path().join("in/a.txt");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let enclosure = Enclosure::new(&folder.path().join("in")).unwrap();
        let write = |other: &dyn Fn()| {
            enclosure.write(Path::new("a.txt"), 0, b"new", |_| {
                other();
                Ok(true)
            })
        };
        let replaced = write(&|| {
            fs::write(path.with_extension("new"), "theirs").unwrap();
            fs::rename(path.with_extension("new"), &path).unwrap();
        });
        assert!(replaced.unwrap_err().to_string().starts_with("it changed in the meantime"));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write(&|| {}).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let mut names: Vec<_> =
            fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["a.txt", "above", "d", "leads-out", "stays"]);
    }

    #[test]
    fn a_file_that_is_created_in_the_meantime_stays() {
        let folder = laid_out();
        let path = folder.path().join("in/b.txt");
        let enclosure = Enclosure::new(&folder.path().join("in")).unwrap();
        let put = |theirs: bool| {
            let folder = Arc::new(enclosure.folder.enter(Path::new("")).unwrap());
            let old = replaceable(&folder, OsStr::new("b.txt")).unwrap();
            assert!(old.is_none());
            let mut new = Temporary::new(&folder, 0o666).unwrap();
            if theirs {
                fs::write(&path, "theirs").unwrap();
            }
            exchange::put(&mut new, OsStr::new("b.txt"), None)
        };
        let created = io::Error::from(put(true).unwrap_err());
        assert!(created.to_string().starts_with("another program created it"));
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        fs::remove_file(&path).unwrap();
        assert!(put(false).is_ok());
    }

    #[test]
    fn nothing_is_written_outside_or_through_links() {
        let folder = laid_out();
        let enclosure = Enclosure::new(&folder.path().join("in")).unwrap();
        let writes = |path: &str| enclosure.write(Path::new(path), 0, b"new", |_| Ok(true)).is_ok();
        let refused =
            ["../out.txt", "d/../a.txt", "leads-out", "above/out.txt", "stays", "d", "", "/tmp/x"];
        for path in refused {
            assert!(!writes(path), "{path}");
        }
        assert!(enclosure.write(Path::new("a.txt"), 0, b"new", |_| Ok(false)).is_err());
        assert_eq!(fs::read(folder.path().join("in/a.txt")).unwrap(), b"old");
        assert_eq!(fs::read(folder.path().join("out.txt")).unwrap(), b"out");
        assert!(writes("a.txt") && writes("d/b.txt"));
        assert_eq!(fs::read(folder.path().join("in/a.txt")).unwrap(), b"new");
        assert_eq!(fs::read(folder.path().join("in/d/b.txt")).unwrap(), b"new");
    }
}
