//! Copies the files of a tree that are not documents, and its symbolic links.

use std::fs::File;
use std::io::{self, Seek};

use super::super::failure::Failure;
use super::super::mirror::Mirror;
use super::super::outcome::{FileOutcome, Monitor};
use super::super::pending_rename::PendingItem;
use super::super::read::{FileBuffers, OpenFile, same_files};
use super::super::settings::{Destination, Rewriting};
use super::super::tree::{Item, Tree};
use super::{WriteResult, could_place, existing, output_folder};

impl Rewriting<'_> {
    /// Copies a file that is not a document.
    pub(in super::super) fn other(
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
                WriteResult::Unchanged => FileOutcome::Unchanged.into(),
                _ => FileOutcome::Copied.into(),
            }),
            Destination::Check(_) | Destination::InPlace => Ok(FileOutcome::Copied.into()),
        };
        copied.map_err(|error| self.not_written(tree, item, &error))
    }

    fn copied(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        mirror: &Mirror,
        opened: &OpenFile,
        monitor: &dyn Monitor,
    ) -> io::Result<PendingItem> {
        let folder = output_folder(buffers, tree, item, mirror)?;
        // `std::fs::copy` takes paths instead of files.
        let write = |mut file: &File| io::copy(&mut &opened.file, &mut file);
        let mut step = PendingItem::from(FileOutcome::Copied);
        let bytes = if mirror.is_staged() {
            self.staged(mirror, &folder, item, opened, write)?
        } else {
            let old = existing(&folder, item)?;
            if let Some(old) = &old
                && is_copy(&old.file, opened)?
            {
                return Ok(FileOutcome::Unchanged.into());
            }
            let (pending, bytes) = self.to_place(&folder, item, opened, old.as_ref(), write)?;
            step.pending = Some(Box::new(pending));
            bytes
        };
        monitor.read(bytes);
        Ok(step)
    }

    /// Copies a symbolic link.
    pub(in super::super) fn link(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
    ) -> io::Result<PendingItem> {
        let Destination::Mirror(mirror) = self.destination else {
            return Ok(FileOutcome::Copied.into());
        };
        let to = buffers.folder_of(tree, item)?.read_link(&item.name)?;
        let folder = output_folder(buffers, tree, item, mirror)?;
        match folder.make_link(&to, &item.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if folder.read_link(&item.name).is_ok_and(|old| old == to) {
                    return Ok(FileOutcome::Unchanged.into());
                }
                Err(error)
            }
            made => made.map(|()| FileOutcome::Copied.into()),
        }
    }
}

/// Whether a file has the content of another, which is then rewound.
fn is_copy(file: &File, opened: &OpenFile) -> io::Result<bool> {
    let is_same = same_files(file.try_clone()?, &opened.file)?;
    (&opened.file).rewind()?;
    Ok(is_same)
}
