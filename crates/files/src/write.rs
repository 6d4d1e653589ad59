//! Writes one file atomically.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::exchange::{PendingRename, ReplaceError, remove_leftovers};
use super::folder::{Folder, LastLink, parent, resolve_links};
use super::read::{OpenFile, has_content};

/// Writes a file atomically: a temporary file is flushed to the disk, and then renamed over it.
/// The mode, the owner and the extended attributes of an existing file are kept; a file with the
/// same content is left alone; a symbolic link stays, and its target is replaced. Devices and
/// pipes are written to directly.
///
/// # Errors
///
/// If anything fails on the way, or another program changes the file in the meantime; the file
/// is then as it was, or as that program left it.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_like(path, path, bytes)
}

/// Writes a file as [`write()`] does; a new file has the mode of its source, if that is a file. The
/// process's mask narrows it.
///
/// # Errors
///
/// If [`write()`] would fail.
pub fn write_like(source: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = WriteTarget::open(path)?;
    if let Some(old) = target.old()
        && has_content(&old.file, bytes.len() as u64, bytes)?
    {
        return Ok(());
    }
    target.write(source, |mut new, _| new.write_all(bytes))
}

/// Appends a line to a file of `size` bytes, or creates the file if the size is 0. The file is
/// written as [`write()`] does, so it always has its old or its new content.
///
/// # Errors
///
/// If it has another size by now, since another program appended to it, or if [`write()`] would
/// fail.
pub fn append(path: &Path, size: u64, line: &[u8]) -> io::Result<()> {
    let target = WriteTarget::open(path)?;
    if target.old().is_some_and(|old| old.metadata.len() != size) {
        return Err(ReplaceError::Changed.into());
    }
    target.write(path, |mut new, old| {
        if let Some(old) = old {
            io::copy(&mut &old.file, &mut new)?;
        }
        new.write_all(line)
    })
}

/// Writes a file as [`write()`] does, with content that a callback writes.
///
/// # Errors
///
/// If anything fails on the way, or `fill` does; the file is then as it was.
pub fn write_with(path: &Path, fill: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    WriteTarget::open(path)?.write(path, |new, _| fill(new))
}

/// Checks that a file could be written; a file that already has these bytes passes, even if it is
/// read-only.
///
/// # Errors
///
/// If [`write()`] or [`write_with`] would refuse it.
pub fn check_write(path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
    // Opening a pipe would wait for its reader.
    let Some((folder, name, _)) = find_target(path)? else { return Ok(()) };
    let old = OpenFile::open_existing(&folder, &name)?;
    if let (Some(old), Some(bytes)) = (&old, bytes)
        && has_content(&old.file, bytes.len() as u64, bytes)?
    {
        return Ok(());
    }
    PendingRename::check(&folder, &name, old.as_ref())
}

/// The file that a path leads to, opened to write it.
enum WriteTarget {
    /// A device or a pipe.
    Special(File),
    /// A name in a folder, with the file that has it.
    Regular(Arc<Folder>, OsString, Option<Box<OpenFile>>),
}

impl WriteTarget {
    fn open(path: &Path) -> io::Result<Self> {
        let Some((folder, name, exists)) = find_target(path)? else {
            return fs::OpenOptions::new().write(true).open(path).map(Self::Special);
        };
        // A folder that cannot be listed can be written to.
        let _ = remove_leftovers(&folder);
        let old = OpenFile::open_existing(&folder, &name)?;
        // The two differ for a link in `/dev/fd` to an open file that was deleted.
        if exists != old.is_some() {
            return Err(ReplaceError::Changed.into());
        }
        Ok(Self::Regular(folder, name, old.map(Box::new)))
    }

    fn old(&self) -> Option<&OpenFile> {
        if let Self::Regular(_, _, old) = self { old.as_deref() } else { None }
    }

    /// Replaces the file by new content, if `fill` succeeds; writes a device or pipe directly.
    fn write(
        self,
        source: &Path,
        fill: impl FnOnce(&File, Option<&OpenFile>) -> io::Result<()>,
    ) -> io::Result<()> {
        let (folder, name, old) = match self {
            Self::Special(device) => return fill(&device, None),
            Self::Regular(folder, name, old) => (folder, name, old),
        };
        // The source may be the missing file itself.
        let source = fs::metadata(source).ok().filter(fs::Metadata::is_file);
        let write = |new: &File| fill(new, old.as_deref());
        let new = PendingRename::write(&folder, &name, old.as_deref(), source.as_ref(), write)?;
        new.file().sync_all()?;
        // Windows may refuse to replace a file that is open.
        drop(old);
        new.rename_into_place()?;
        // Makes the new name durable.
        folder.flush()
    }
}

/// Finds the folder and the name of the regular file that a path leads to, and whether the file
/// exists; `None` for a device or a pipe.
fn find_target(path: &Path) -> io::Result<Option<(Arc<Folder>, OsString, bool)>> {
    let exists = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => return Ok(None),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        metadata => metadata.is_ok(),
    };
    let path = follow_links(path)?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    Ok(Some((Arc::new(Folder::open(parent(&path), LastLink::Followed)?), name, exists)))
}

/// Returns the number of hard links of the file that a path leads to.
///
/// # Errors
///
/// If it cannot be inspected.
pub fn names(path: &Path) -> io::Result<u64> {
    let path = path.canonicalize()?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(Folder::open(parent(&path), LastLink::Followed)?.identity(name)?.names)
}

/// Whether two paths lead to the same file, which may not exist yet.
#[must_use]
pub fn is_same_file(path: &Path, other: &Path) -> bool {
    let (Ok(path), Ok(other)) = (follow_links(path), follow_links(other)) else { return false };
    parent(&path).exists() && resolve_links(&path) == resolve_links(&other)
}

/// Follows symbolic links from a path to a file, which may not exist yet.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    /// Maximum symbolic links in a path, as on Linux.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(link);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.html"]);
    }

    #[test]
    fn a_new_file_replaces_the_old_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let write =
            |end: io::Result<()>| write_with(&path, |mut file| file.write_all(b"new").and(end));
        write(Ok(())).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::write(&path, "old").unwrap();
        assert!(write(Err(io::ErrorKind::Other.into())).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.warc"]);
    }

    #[test]
    fn what_another_program_writes_in_the_meantime_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let write = |other: &dyn Fn()| {
            let written = write_with(&path, |mut file| {
                other();
                file.write_all(b"new")
            });
            assert_eq!(names(folder.path()), ["a.warc"]);
            (written.map_err(|error| error.to_string()), fs::read_to_string(&path).unwrap())
        };
        let (written, text) = write(&|| fs::write(&path, "made").unwrap());
        assert!(written.unwrap_err().starts_with("another program created it"));
        assert_eq!(text, "made");
        let (written, text) = write(&|| {
            let mut file = File::options().append(true).open(&path).unwrap();
            file.write_all(b" and more").unwrap();
        });
        assert!(written.unwrap_err().starts_with("it changed in the meantime"));
        assert_eq!(text, "made and more");
        // Not every Windows lets a file be replaced that is open.
        if cfg!(windows) {
            return;
        }
        let (written, text) = write(&|| {
            fs::write(path.with_extension("new"), "replaced").unwrap();
            fs::rename(path.with_extension("new"), &path).unwrap();
        });
        assert!(written.unwrap_err().starts_with("it changed in the meantime"));
        assert_eq!(text, "replaced");
    }

    #[test]
    fn a_line_is_appended_to_what_was_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        append(&path, 0, b"1\n").unwrap();
        append(&path, 2, b"2\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"1\n2\n");
        let late = append(&path, 2, b"3\n").unwrap_err();
        assert!(late.to_string().starts_with("it changed in the meantime"));
        assert!(append(&path, 0, b"3\n").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"1\n2\n");
        assert_eq!(names(folder.path()), ["a.jsonl"]);
    }

    #[test]
    #[cfg(unix)]
    fn a_file_keeps_its_mode_and_a_link_stays_a_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.html"), folder.path().join("b.html"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a.html", &link).unwrap();
        write(&link, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    #[cfg(unix)]
    fn a_new_file_has_the_mode_of_its_source() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [source, new, old] =
            ["a.html", "b.html", "c.html"].map(|name| folder.path().join(name));
        fs::write(&source, "one").unwrap();
        fs::set_permissions(&source, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&old, "old").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for (path, expected) in [(&new, 0o600), (&old, 0o640)] {
            write_like(&source, path, b"two").unwrap();
            assert_eq!(mode(path), expected);
        }
    }

    #[test]
    fn what_cannot_be_written_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let kind = |path: &Path| write(path, b"x").unwrap_err().kind();
        assert_eq!(kind(folder.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("no/a.html")), io::ErrorKind::NotFound);
        assert!(names(folder.path()).is_empty());
    }
}
