//! Writes one file atomically.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::descriptor::{LinkTarget, follow};
use super::exchange::NotReplaced;
use super::folder::{Folder, LastLink, parent};
use super::pending_rename::PendingRename;
use super::preserve::{preserve, writable};
use super::read::{OpenFile, same_content};
use super::temporary::remove_leftovers;

/// Writes a file atomically: a temporary file is flushed to the disk, and then renamed over it.
/// The mode, the owner and the extended attributes of an existing file are kept; a file with the
/// same content is left alone; a symbolic link stays, and its target is replaced. Devices, pipes
/// and open descriptors, such as `/dev/stdout`, are written to directly.
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
/// As for [`write()`].
pub fn write_like(source: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    match Destination::open(path)? {
        Destination::Special(mut file) => file.write_all(bytes),
        Destination::Regular(regular) => {
            if let Some(old) = &regular.old
                && same_content(&old.file, bytes.len() as u64, bytes)?
            {
                return Ok(());
            }
            let fill = |mut new: &File, _: Option<&_>| new.write_all(bytes).map(Content::New);
            regular.write(source, fill).map(|_| ())
        }
    }
}

/// Appends to a file of `size` bytes, or creates it where that is 0: it is written as [`write()`]
/// does, so that it always has its old or its new content.
///
/// # Errors
///
/// If it has another size by now, as another program appended to it, and as for [`write()`].
pub fn append(path: &Path, size: u64, line: &[u8]) -> io::Result<()> {
    match Destination::open(path)? {
        Destination::Special(mut file) => file.write_all(line),
        Destination::Regular(regular) => {
            let old = regular.old.as_ref();
            if old.is_some_and(|old| old.metadata.len() != size) {
                return Err(NotReplaced::Changed.into());
            }
            let fill = |mut new: &File, old: Option<&OpenFile>| {
                if let Some(old) = old {
                    io::copy(&mut &old.file, &mut new)?;
                }
                new.write_all(line).map(Content::New)
            };
            regular.write(path, fill).map(|_| ())
        }
    }
}

/// Content that a callback wrote to a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<T> {
    /// New content, which replaces the old.
    New(T),
    /// The same content; the old file stays.
    Unchanged(T),
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A new file, which may be truncated and written again.
    New,
    /// A device, a pipe or an open descriptor, whose output cannot be undone.
    Stream,
}

/// Writes a file as [`write()`] does, with content that a callback writes.
///
/// # Errors
///
/// If anything fails on the way, or `fill` does; the file is then as it was.
pub fn write_with<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&File, Access) -> Result<Content<T>, E>,
) -> Result<T, E> {
    write_with_like(path, path, fill)
}

/// Writes a file as [`write_with`] does; a new file has the mode of its source, as for [`write_like`].
///
/// # Errors
///
/// As for [`write_with`].
pub fn write_with_like<T, E: From<io::Error>>(
    source: &Path,
    path: &Path,
    fill: impl FnOnce(&File, Access) -> Result<Content<T>, E>,
) -> Result<T, E> {
    let made = match Destination::open(path)? {
        Destination::Special(device) => fill(&device, Access::Stream)?,
        Destination::Regular(regular) => regular.write(source, |new, _| fill(new, Access::New))?,
    };
    let (Content::New(made) | Content::Unchanged(made)) = made;
    Ok(made)
}

/// Checks that a file could be written; one that already has these bytes passes, read-only or
/// not.
///
/// # Errors
///
/// If [`write()`] or [`write_with`] would refuse it.
pub fn check_write(path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        // Opening a pipe would wait for its reader.
        Ok(old) if !old.is_file() => return Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let LinkTarget::File(path) = follow(path)? else { return Ok(()) };
    let name = path.file_name().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
    let folder = Folder::open(parent(&path), LastLink::Followed)?;
    match folder.read(name) {
        Ok(old) => {
            if let Some(bytes) = bytes
                && same_content(&old, bytes.len() as u64, bytes)?
            {
                return Ok(());
            }
            writable(&old.metadata()?)?;
            folder.check_replaceable(name)?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    folder.check_writable()
}

/// The target of a path.
enum Destination {
    /// A device, a pipe or an open descriptor.
    Special(File),
    Regular(Box<RegularFile>),
}

/// A regular file, which may not exist yet.
struct RegularFile {
    folder: Arc<Folder>,
    name: OsString,
    old: Option<OpenFile>,
}

impl Destination {
    fn open(path: &Path) -> io::Result<Self> {
        let leads = match follow(path)? {
            LinkTarget::Descriptor(descriptor) => return descriptor.open().map(Self::Special),
            LinkTarget::File(leads) => leads,
        };
        match fs::metadata(path) {
            Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(old) if !old.is_file() => {
                fs::OpenOptions::new().write(true).open(path).map(Self::Special)
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(Self::Regular(Box::new(RegularFile::open(&leads)?))),
        }
    }
}

impl RegularFile {
    fn open(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let folder = Arc::new(Folder::open(parent(path), LastLink::Followed)?);
        // A folder that cannot be listed can be written to.
        let _ = remove_leftovers(&folder);
        let old = OpenFile::existing(&folder, &name)?;
        Ok(Self { folder, name, old })
    }

    /// Replaces it by new content, if it is made.
    fn write<T, E: From<io::Error>>(
        self,
        source: &Path,
        fill: impl FnOnce(&File, Option<&OpenFile>) -> Result<Content<T>, E>,
    ) -> Result<Content<T>, E> {
        let Self { folder, name, old } = &self;
        // Without a source, that is the missing file itself.
        let source = fs::metadata(source).ok().filter(fs::Metadata::is_file);
        let new = PendingRename::new(folder, name, old.as_ref(), source.as_ref())?;
        let made = fill(new.file(), old.as_ref())?;
        if let Content::Unchanged(_) = made {
            return Ok(made);
        }
        if let Some(old) = old {
            preserve(old, new.file())?;
            // Not earlier: an unchanged read-only file is not an error.
            writable(&old.metadata)?;
            folder.check_replaceable(name)?;
        }
        new.file().sync_all()?;
        // Windows need not replace a file that is open.
        let Self { folder, old, .. } = self;
        drop(old);
        new.take_place().map_err(io::Error::from)?;
        // Makes the new name durable.
        folder.flush()?;
        Ok(made)
    }
}

/// How many names (hard links) the file has that a path leads to.
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
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((real(one), real(other)), (Ok(one), Ok(other)) if one == other)
}

/// The path of a file without symbolic links; for a missing file the path that [`write()`] would
/// create.
fn real(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found,
    }
    match follow(path)? {
        LinkTarget::File(path) => {
            let name = path.file_name().ok_or(io::ErrorKind::NotFound)?;
            Ok(parent(&path).canonicalize()?.join(name))
        }
        LinkTarget::Descriptor(_) => Err(io::ErrorKind::NotFound.into()),
    }
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
        let write = |made: io::Result<Content<u8>>| {
            write_with(&path, |mut file, _| file.write_all(b"new").and(made))
        };
        assert_eq!(write(Ok(Content::New(1))).unwrap(), 1);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        fs::write(&path, "old").unwrap();
        assert_eq!(write(Ok(Content::Unchanged(1))).unwrap(), 1);
        assert!(write(Err(io::ErrorKind::Other.into())).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.warc"]);
    }

    #[test]
    fn what_another_program_writes_in_the_meantime_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let write = |other: &dyn Fn()| {
            let written = write_with(&path, |mut file, _| {
                other();
                file.write_all(b"new").map(Content::New)
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
        fs::remove_file(&new).unwrap();
        let fill = |mut file: &File, _| file.write_all(b"two").map(Content::New);
        write_with_like::<_, io::Error>(&source, &new, fill).unwrap();
        assert_eq!(mode(&new), 0o600);
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
