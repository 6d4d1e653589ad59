//! Copies metadata of a file to the one that replaces it: mode, owner, extended
//! attributes, and for a backup times.

use std::fs::{File, FileTimes, Metadata};
use std::io;

use super::failure::{NotKept, reason};
use super::identity::Identity;
use super::read::OpenFile;

/// Gives a new file the metadata of the old one.
///
/// The owner is first: changing it removes set-user-ID bits and capabilities.
pub(super) fn preserve(old: &OpenFile, new: &File) -> io::Result<()> {
    let OpenFile { file, metadata, .. } = old;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = new.metadata()?;
        let other = |old: u32, own: u32| (old != own).then_some(old);
        let user = other(metadata.uid(), own.uid());
        let group = other(metadata.gid(), own.gid());
        if user.is_some() || group.is_some() {
            std::os::unix::fs::fchown(new, user, group).map_err(|error| {
                let reason = reason(&error);
                let problem = format!("its owner cannot be kept ({reason})");
                io::Error::other(NotKept { problem, advice: "be that user, or use -o" })
            })?;
        }
    }
    new.set_permissions(metadata.permissions())?;
    #[cfg(unix)]
    attributes(file, new)?;
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
pub(super) fn mode_of(source: &Metadata) -> u32 {
    Identity::from(source).access.0 & 0o777
}

/// Refuses a read-only file, which its folder's mode would allow to replace.
pub(super) fn writable(metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        let what = "it is read-only, make it writable, or write to another file";
        return Err(io::Error::other(what));
    }
    Ok(())
}

/// Copies the extended attributes, which include access control lists.
#[cfg(unix)]
fn attributes(old: &File, new: &File) -> io::Result<()> {
    use xattr::FileExt;
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
            let name = name.to_string_lossy();
            let reason = reason(&error);
            let problem = format!("its extended attribute {name} cannot be kept ({reason})");
            return Err(io::Error::other(NotKept { problem, advice: "use -o" }));
        }
    }
    Ok(())
}
