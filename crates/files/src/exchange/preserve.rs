//! Copies metadata of a file to the one that replaces it: mode, owner, extended
//! attributes, and for a copy of the old version times.

use std::fs::{File, FileTimes, Metadata};
use std::io;

use crate::failure::NotWritten;
use crate::folder::Identity;
use crate::read::OpenFile;

/// Gives a new file the metadata of the old one.
///
/// The owner is first: changing it removes set-user-ID bits and capabilities.
pub(super) fn preserve(old: &OpenFile, new: &File) -> io::Result<()> {
    let OpenFile { file, metadata, .. } = old;
    #[cfg(unix)]
    unix::owner(metadata, new)?;
    new.set_permissions(metadata.permissions())?;
    #[cfg(unix)]
    unix::attributes(file, new)?;
    #[cfg(not(unix))]
    let _ = file;
    Ok(())
}

/// Gives a file the times of another.
pub(super) fn preserve_times(metadata: &Metadata, new: &File) -> io::Result<()> {
    let times =
        FileTimes::new().set_accessed(metadata.accessed()?).set_modified(metadata.modified()?);
    new.set_times(times)
}

/// The mode of a new file with this source; the process's mask narrows it.
pub(in super::super) fn mode_of(source: &Metadata) -> u32 {
    Identity::from(source).access.0 & 0o777
}

/// Refuses a read-only file, which its folder's mode would allow to replace.
pub(super) fn writable(metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        let problem = "it is read-only; make it writable".to_owned();
        let words = "it is read-only, make it writable, or write to another file";
        return Err(io::Error::other(NotWritten { problem, words }));
    }
    Ok(())
}

/// Metadata that other systems keep otherwise or not at all: `docs/trees.md`.
#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata};
    use std::io;
    use std::os::unix::fs::{MetadataExt, fchown};

    use xattr::FileExt;

    use crate::failure::{NotWritten, reason};

    pub(super) fn owner(old: &Metadata, new: &File) -> io::Result<()> {
        let own = new.metadata()?;
        let other = |old: u32, own: u32| (old != own).then_some(old);
        let (user, group) = (other(old.uid(), own.uid()), other(old.gid(), own.gid()));
        if user.is_none() && group.is_none() {
            return Ok(());
        }
        fchown(new, user, group).map_err(|error| {
            let problem = format!("its owner cannot be kept ({})", reason(&error));
            io::Error::other(NotWritten { problem, words: "{}, be that user, or use {o}" })
        })
    }

    /// Copies the extended attributes, which include access control lists.
    pub(super) fn attributes(old: &File, new: &File) -> io::Result<()> {
        let names = match old.list_xattr() {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(error) => return Err(error),
        };
        for name in names {
            let Some(value) = old.get_xattr(&name)? else { continue };
            let Err(error) = new.set_xattr(&name, &value) else { continue };
            // A security label that the system already gave the new file needs rights to be set.
            if new.get_xattr(&name).ok().flatten().as_deref() != Some(&*value) {
                let (name, reason) = (name.to_string_lossy(), reason(&error));
                let problem = format!("its extended attribute {name} cannot be kept ({reason})");
                return Err(io::Error::other(NotWritten { problem, words: "{}, use {o}" }));
            }
        }
        Ok(())
    }
}
