//! Writes one file of a tree: beside the one that it replaces, or to the folder that mirrors
//! the tree. The rename follows later.

mod copies;

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Write};
use std::sync::Arc;

use super::backup::Backup;
use super::failure::Failure;
use super::flush::Sync;
use super::folder::Folder;
use super::identity::{Identity, settled};
use super::mirror::{Mirror, PlannedMirror};
use super::pending_rename::{PendingRename, Replaces};
use super::preserve::{Timestamps, preserve, preserve_times};
use super::read::{FileBuffers, OpenFile, same_content};
use super::settings::{Destination, Rewriting};
use super::temporary::Temporary;
use super::tree::{Item, Tree};

/// The result of writing a document.
#[derive(Debug)]
pub(super) enum WriteResult {
    /// The output has this content already.
    Unchanged,
    /// The output is complete, or would be in a check.
    Complete,
    /// The temporary file is to be renamed.
    Pending(Box<PendingRename>),
}

impl Rewriting<'_> {
    /// Checks that a document could be replaced.
    pub(super) fn could_replace(
        &self,
        opened: &OpenFile,
        item: &Item,
        tree: &Tree,
    ) -> Result<(), Failure> {
        let refused = |error: io::Error| self.not_written(tree, item, &error);
        self.check_writable(&opened.metadata)?;
        if !opened.folder.is_writable() {
            return Err(refused(io::ErrorKind::PermissionDenied.into()));
        }
        let (_, _, name) = tree.place(item);
        opened.folder.check_replaceable(name).map_err(refused)?;
        let Some(suffix) = self.backup else { return Ok(()) };
        let backup = backup_name(name, suffix);
        Backup::new(&opened.folder, backup).check(&Identity::of(&opened.metadata))
    }

    /// Writes a document to a temporary file beside the one that it will replace.
    pub(super) fn beside(
        &self,
        opened: &OpenFile,
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
        opened: &OpenFile,
        bytes: &[u8],
    ) -> io::Result<WriteResult> {
        let folder = output_folder(buffers, tree, item, mirror)?;
        let write = |mut file: &File| file.write_all(bytes);
        if mirror.is_staged() {
            return self
                .staged(mirror, &folder, item, opened, write)
                .map(|()| WriteResult::Complete);
        }
        let old = existing(&folder, item)?;
        if let Some(old) = &old
            && same_content(old.file.try_clone()?, bytes)?
        {
            return Ok(WriteResult::Unchanged);
        }
        let placed = self.to_place(&folder, item, opened, old.as_ref(), write);
        placed.map(|(pending, ())| WriteResult::Pending(Box::new(pending)))
    }

    /// Writes a file into the staging folder.
    fn staged<T>(
        &self,
        mirror: &Mirror,
        folder: &Folder,
        item: &Item,
        opened: &OpenFile,
        write: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<T> {
        let file = folder.create(&item.name, mode_of(&opened.metadata))?;
        let written =
            write(&file).and_then(|written| self.complete(&file, opened).map(|()| written));
        if written.is_err() && folder.remove(&item.name).is_err() {
            mirror.mark_incomplete();
        }
        written
    }

    /// Writes a temporary file in the output; it keeps the metadata of an existing file.
    fn to_place<T>(
        &self,
        folder: &Arc<Folder>,
        item: &Item,
        opened: &OpenFile,
        old: Option<&ReplacedFile>,
        write: impl FnOnce(&File) -> io::Result<T>,
    ) -> io::Result<(PendingRename, T)> {
        old.map_or(Ok(()), |old| writable(&old.metadata))?;
        let identity = old.map(|old| Identity::of(&old.metadata));
        let temporary = match &identity {
            Some(identity) => Temporary::to_replace(folder, 0o600, identity)?,
            None => Temporary::new(folder, mode_of(&opened.metadata))?,
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
    fn complete(&self, file: &File, opened: &OpenFile) -> io::Result<()> {
        if self.timestamps == Timestamps::Kept {
            preserve_times(&opened.metadata, file)?;
        }
        if cfg!(not(target_os = "linux")) && self.sync == Sync::Always {
            file.sync_all()?;
        }
        Ok(())
    }

    /// The failure to write the output of an item, with the output path in a mirror.
    pub(super) fn not_written(&self, tree: &Tree, item: &Item, error: &io::Error) -> Failure {
        let folder = match self.destination {
            Destination::Mirror(mirror) => mirror.path(),
            Destination::Preview(checked) => checked.path(),
            Destination::Check(_) | Destination::InPlace if self.editor.is_some() => {
                return Failure::write_edited(error);
            }
            Destination::Check(_) | Destination::InPlace => return Failure::write(error),
        };
        Failure::write_to(&folder.join(tree.path_in_output(item)), error)
    }

    /// Refuses a read-only file, which its folder's mode would allow to replace.
    pub(super) fn check_writable(&self, metadata: &Metadata) -> Result<(), Failure> {
        if self.editor.is_some() && metadata.permissions().readonly() {
            return Err(Failure::new("cannot write: it is read-only; make it writable"));
        }
        writable(metadata).map_err(|error| Failure::write(&error))
    }
}

/// Checks that a document could be written to the planned mirror.
pub(super) fn could_mirror(
    tree: &Tree,
    item: &Item,
    checked: &PlannedMirror,
    bytes: &[u8],
) -> io::Result<WriteResult> {
    could_place(tree, item, checked, |old| same_content(old.try_clone()?, bytes))
}

/// Checks that a file could be written; an existing one with the same content stays, read-only
/// or not.
fn could_place(
    tree: &Tree,
    item: &Item,
    checked: &PlannedMirror,
    has_it: impl FnOnce(&File) -> io::Result<bool>,
) -> io::Result<WriteResult> {
    let Some(folder) = checked.folder(tree, item.folder)? else { return Ok(WriteResult::Complete) };
    if let Some(old) = existing(&folder, item)? {
        if has_it(&old.file)? {
            return Ok(WriteResult::Unchanged);
        }
        writable(&old.metadata)?;
        folder.check_replaceable(&item.name)?;
    }
    if folder.is_writable() {
        Ok(WriteResult::Complete)
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

/// An existing file in the output, which is to be replaced.
struct ReplacedFile {
    file: File,
    metadata: Metadata,
}

/// The existing file under the name of an item's output.
fn existing(folder: &Folder, item: &Item) -> io::Result<Option<ReplacedFile>> {
    match folder.metadata(&item.name) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is not a regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = folder.read(&item.name)?;
    let metadata = file.metadata()?;
    let metadata = settled(&file, metadata)?;
    Ok(Some(ReplacedFile { file, metadata }))
}

/// The mode of a new file with this source; the process's mask narrows it.
pub(super) fn mode_of(source: &Metadata) -> u32 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        source.permissions().mode() & 0o777
    }
    #[cfg(not(unix))]
    {
        let _ = source;
        0o666
    }
}

/// Refuses a read-only file, which its folder's mode would allow to replace.
pub(super) fn writable(metadata: &Metadata) -> io::Result<()> {
    if metadata.permissions().readonly() {
        let what = "it is read-only, make it writable, or write to another file";
        return Err(io::Error::other(what));
    }
    Ok(())
}

/// The name of the backup of a file.
pub(super) fn backup_name(name: &OsStr, suffix: &str) -> OsString {
    let mut backup = name.to_owned();
    backup.push(suffix);
    backup
}
