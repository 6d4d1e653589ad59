//! Writing one file: its old bytes or its new bytes, whole, at every moment.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::Builder;

/// What the names of temporary files begin with.
const TEMPORARY: &str = ".absolve-tmp-";

/// Writes a file: beside its place, flushed to the disk, and then renamed over
/// it. A file that is there keeps its mode; a symbolic link stays one, and what
/// it points to is replaced. What is no regular file, such as a device or a pipe,
/// is written to as it is.
///
/// # Errors
///
/// If anything fails on the way; the file is then as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let old = match fs::metadata(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match old {
        Some(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // Not by what a link says: `/dev/stdout` leads to what has no path.
        Some(old) if !old.is_file() => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        // The mode alone would let a file be replaced that may not be written.
        Some(old) if old.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        old => replace(&target(path)?, bytes, old.map(|old| old.permissions())),
    }
}

/// What a path leads to through symbolic links, also where nothing is there yet.
fn target(path: &Path) -> io::Result<PathBuf> {
    /// As many links as Linux follows.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("")).join(link),
            // It is no link, or not there.
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

fn replace(path: &Path, bytes: &[u8], mode: Option<Permissions>) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A new file gets what the process's mask leaves, as from any other program.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // The new name is in the folder, which has to reach the disk as well.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
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
    #[cfg(unix)]
    fn a_file_keeps_its_mode_and_a_link_stays_a_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.html"), folder.path().join("b.html"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        symlink("a.html", &link).unwrap();
        write(&link, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
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
