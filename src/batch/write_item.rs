//! Writing one file: beside the one that it replaces, or to the folder that mirrors
//! the tree. It is put in place later.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Seek, Write};
use std::sync::Arc;

use super::backup::Backup;
use super::failure::Failure;
use super::flush::Sync;
use super::folder::Folder;
use super::identity::{Identity, settled};
use super::mirror::{Mirror, PlannedMirror};
use super::outcome::{Monitor, Outcome};
use super::pending_rename::{PendingItem, PendingRename, Replaces};
use super::preserve::{Timestamps, preserve, preserve_times};
use super::read::{FileBuffers, Opened, same_content, same_files};
use super::settings::{Destination, Rewriting};
use super::temporary::Temporary;
use super::tree::{Item, Tree};

/// How far a document has come.
#[derive(Debug)]
pub(super) enum Written {
    /// It is there already.
    There,
    /// It is written, or would be, and nothing is left to do.
    Whole,
    /// It is written beside its place.
    Beside(Box<PendingRename>),
}

impl Rewriting<'_> {
    /// Finds out whether a document could be replaced.
    pub(super) fn could_replace(
        &self,
        opened: &Opened,
        item: &Item,
        tree: &Tree,
    ) -> Result<(), Failure> {
        writable(&opened.metadata).map_err(|error| Failure::write(&error))?;
        if !opened.folder.is_writable() {
            return Err(Failure::write(&io::ErrorKind::PermissionDenied.into()));
        }
        let (_, _, name) = tree.place(item);
        opened.folder.check_replaceable(name).map_err(|error| Failure::write(&error))?;
        let Some(suffix) = self.backup else { return Ok(()) };
        let backup = backup_name(name, suffix);
        Backup::new(&opened.folder, backup).check(&Identity::of(&opened.metadata))
    }

    /// Writes a document beside the one that it will replace.
    pub(super) fn beside(
        &self,
        opened: &Opened,
        item: &Item,
        tree: &Tree,
        bytes: &[u8],
    ) -> io::Result<PendingRename> {
        let (_, _, name) = tree.place(item);
        let old = Identity::of(&opened.metadata);
        let temporary = Temporary::to_replace(&opened.folder, 0o600, &old)?;
        temporary.file().write_all(bytes)?;
        preserve(&opened.file, &opened.metadata, temporary.file())?;
        if self.timestamps == Timestamps::Kept {
            preserve_times(&opened.metadata, temporary.file())?;
        }
        let backup =
            self.backup.map(|suffix| Backup::new(&opened.folder, backup_name(name, suffix)));
        let replaces = Replaces::File { old, backup };
        Ok(PendingRename { temporary, name: name.to_owned(), replaces })
    }

    /// Writes a document to the folder that mirrors the tree.
    pub(super) fn mirrored(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        mirror: &Mirror,
        opened: &Opened,
        bytes: &[u8],
    ) -> io::Result<Written> {
        let folder = output_folder(buffers, tree, item, mirror)?;
        let write = |mut file: &File| file.write_all(bytes);
        if mirror.is_staged() {
            return self.staged(mirror, &folder, item, opened, write).map(|()| Written::Whole);
        }
        let old = there(&folder, item)?;
        if let Some(old) = &old
            && same_content(old.file.try_clone()?, bytes)?
        {
            return Ok(Written::There);
        }
        let placed = self.to_place(&folder, item, opened, old.as_ref(), write);
        placed.map(|(pending, ())| Written::Beside(Box::new(pending)))
    }

    /// Writes a file where nobody sees it before the whole tree is there.
    fn staged<T>(
        &self,
        mirror: &Mirror,
        folder: &Folder,
        item: &Item,
        opened: &Opened,
        write: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<T> {
        let file = folder.create(&item.name, mode_of(opened))?;
        let written =
            write(&file).and_then(|written| self.complete(&file, opened).map(|()| written));
        if written.is_err() && folder.remove(&item.name).is_err() {
            mirror.spoil();
        }
        written
    }

    /// Writes a file beside its place; it takes over what the old one there has.
    fn to_place<T>(
        &self,
        folder: &Arc<Folder>,
        item: &Item,
        opened: &Opened,
        old: Option<&Old>,
        write: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<(PendingRename, T)> {
        old.map_or(Ok(()), |old| writable(&old.metadata))?;
        let identity = old.map(|old| Identity::of(&old.metadata));
        let temporary = match &identity {
            Some(identity) => Temporary::to_replace(folder, 0o600, identity)?,
            None => Temporary::new(folder, mode_of(opened))?,
        };
        let written = write(temporary.file())?;
        if let Some(old) = old {
            preserve(&old.file, &old.metadata, temporary.file())?;
        }
        self.complete(temporary.file(), opened)?;
        let replaces =
            identity.map_or(Replaces::Nothing, |old| Replaces::File { old, backup: None });
        Ok((PendingRename { temporary, name: item.name.clone(), replaces }, written))
    }

    /// What is left to do with a file that is written.
    fn complete(&self, file: &File, opened: &Opened) -> io::Result<()> {
        if self.timestamps == Timestamps::Kept {
            preserve_times(&opened.metadata, file)?;
        }
        if cfg!(not(target_os = "linux")) && self.sync == Sync::Always {
            file.sync_all()?;
        }
        Ok(())
    }

    /// Takes a file along that is not a document.
    pub(super) fn other(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        monitor: &dyn Monitor,
    ) -> Result<PendingItem, Failure> {
        let opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        let copied = match self.destination {
            Destination::Mirror(mirror) => {
                self.copied(buffers, tree, item, mirror, &opened, monitor)
            }
            Destination::Preview(checked) => could_place(tree, item, checked, |old| {
                is_copy(old, &opened)
            })
            .map(|written| match written {
                Written::There => Outcome::Unchanged.into(),
                _ => Outcome::Copied.into(),
            }),
            Destination::Nowhere(_) | Destination::InPlace => Ok(Outcome::Copied.into()),
        };
        copied.map_err(|error| self.not_written(tree, item, &error))
    }

    /// Why the output of an item cannot be written, by its path where that is not the item's.
    pub(super) fn not_written(&self, tree: &Tree, item: &Item, error: &io::Error) -> Failure {
        let folder = match self.destination {
            Destination::Mirror(mirror) => mirror.path(),
            Destination::Preview(checked) => checked.path(),
            Destination::Nowhere(_) | Destination::InPlace => return Failure::write(error),
        };
        Failure::write_to(&folder.join(tree.path_in_output(item)), error)
    }

    fn copied(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        mirror: &Mirror,
        opened: &Opened,
        monitor: &dyn Monitor,
    ) -> io::Result<PendingItem> {
        let folder = output_folder(buffers, tree, item, mirror)?;
        // `std::fs::copy` takes paths; this is what it does with the files at their ends.
        let write = |mut file: &File| io::copy(&mut &opened.file, &mut file);
        let mut step = PendingItem::from(Outcome::Copied);
        let bytes = if mirror.is_staged() {
            self.staged(mirror, &folder, item, opened, write)?
        } else {
            let old = there(&folder, item)?;
            if let Some(old) = &old
                && is_copy(&old.file, opened)?
            {
                return Ok(Outcome::Unchanged.into());
            }
            let (pending, bytes) = self.to_place(&folder, item, opened, old.as_ref(), write)?;
            step.pending = Some(Box::new(pending));
            bytes
        };
        monitor.read(bytes);
        Ok(step)
    }

    /// Makes a symbolic link again.
    pub(super) fn link(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
    ) -> io::Result<PendingItem> {
        let Destination::Mirror(mirror) = self.destination else {
            return Ok(Outcome::Copied.into());
        };
        let to = buffers.folder_of(tree, item)?.read_link(&item.name)?;
        let folder = output_folder(buffers, tree, item, mirror)?;
        match folder.make_link(&to, &item.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if folder.read_link(&item.name).is_ok_and(|there| there == to) {
                    return Ok(Outcome::Unchanged.into());
                }
                Err(error)
            }
            made => made.map(|()| Outcome::Copied.into()),
        }
    }
}

/// Finds out whether a document could be written to the folder that would mirror the tree.
pub(super) fn could_mirror(
    tree: &Tree,
    item: &Item,
    checked: &PlannedMirror,
    bytes: &[u8],
) -> io::Result<Written> {
    could_place(tree, item, checked, |old| same_content(old.try_clone()?, bytes))
}

/// The same for any file; one that has the content already stays, read-only or not.
fn could_place(
    tree: &Tree,
    item: &Item,
    checked: &PlannedMirror,
    has_it: impl FnOnce(&File) -> io::Result<bool>,
) -> io::Result<Written> {
    let Some(folder) = checked.folder(tree, item.folder)? else { return Ok(Written::Whole) };
    if let Some(old) = there(&folder, item)? {
        if has_it(&old.file)? {
            return Ok(Written::There);
        }
        writable(&old.metadata)?;
        folder.check_replaceable(&item.name)?;
    }
    if folder.is_writable() {
        Ok(Written::Whole)
    } else {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

fn output_folder(
    buffers: &mut FileBuffers,
    tree: &Tree,
    item: &Item,
    mirror: &Mirror,
) -> io::Result<Arc<Folder>> {
    if let Some((number, folder)) = &buffers.output
        && *number == item.folder
    {
        return Ok(folder.clone());
    }
    let folder = Arc::new(mirror.folder(tree, item.folder)?);
    buffers.output = Some((item.folder, folder.clone()));
    Ok(folder)
}

/// Whether a file has the content of another, which is then read again from its
/// beginning.
fn is_copy(file: &File, opened: &Opened) -> io::Result<bool> {
    let is_same = same_files(file.try_clone()?, &opened.file)?;
    (&opened.file).rewind()?;
    Ok(is_same)
}

/// A file in the output that is replaced.
struct Old {
    file: File,
    metadata: Metadata,
}

/// The file that is there already under the name of an item's output.
fn there(folder: &Folder, item: &Item) -> io::Result<Option<Old>> {
    match folder.metadata(&item.name) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(io::Error::other("what is there is no regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = folder.read(&item.name)?;
    let metadata = file.metadata()?;
    let metadata = settled(&file, metadata)?;
    Ok(Some(Old { file, metadata }))
}

/// The mode that a file in the mirror is made with; the process's mask narrows it.
fn mode_of(opened: &Opened) -> u32 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        opened.metadata.permissions().mode() & 0o777
    }
    #[cfg(not(unix))]
    {
        let _ = opened;
        0o666
    }
}

/// Refuses a file that is read-only: its folder's mode alone would let it be replaced.
pub(super) fn writable(metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        let what = "it is read-only, make it writable, or write to another file";
        return Err(io::Error::other(what));
    }
    Ok(())
}

/// The name that an old file keeps.
pub(super) fn backup_name(name: &OsStr, suffix: &str) -> OsString {
    let mut backup = name.to_owned();
    backup.push(suffix);
    backup
}
