//! Writes one file of a tree: beside the one that it replaces, or to the folder that mirrors
//! the tree. The rename follows later.

use std::fs::File;
use std::io::{self, BufReader, Seek, Write};

use super::failure::Failure;
use super::flush::Sync;
use super::mirror::{Mirror, PlannedMirror};
use super::pending_rename::PendingRename;
use super::preserve::{mode_of, preserve, writable};
use super::read::{LastFolder, OpenFile, same_content};
use super::settings::{Destination, Rewriting};
use super::tree::{Item, Tree};

/// One file of a tree, open for its rewriting.
pub(super) struct FileJob<'j> {
    pub(super) rewriting: &'j Rewriting<'j>,
    pub(super) tree: &'j Tree,
    pub(super) item: &'j Item,
    pub(super) opened: OpenFile,
}

/// What is written for a file.
#[derive(Clone, Copy)]
pub(super) enum NewContent<'c> {
    Bytes(&'c [u8]),
    CopyOf(&'c OpenFile),
}

impl NewContent<'_> {
    /// Whether a file has this content.
    fn is_in(self, file: &File) -> io::Result<bool> {
        match self {
            Self::Bytes(bytes) => same_content(file, bytes.len() as u64, bytes),
            Self::CopyOf(OpenFile { file: source, metadata, .. }) => {
                let is_same = same_content(file, metadata.len(), BufReader::new(source))?;
                (&*source).rewind()?;
                Ok(is_same)
            }
        }
    }

    fn write_to(self, mut file: &File) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => file.write_all(bytes),
            // `std::fs::copy` takes paths instead of files.
            Self::CopyOf(source) => io::copy(&mut &source.file, &mut file).map(|_| ()),
        }
    }
}

/// The result of writing a file.
#[derive(Debug)]
pub(super) enum WriteResult {
    /// The output has this content already.
    Unchanged,
    /// The output is complete, or would be in a check.
    Complete,
    /// The temporary file is to be renamed.
    Pending(Box<PendingRename>),
}

impl WriteResult {
    pub(super) fn pending(self) -> Option<Box<PendingRename>> {
        if let Self::Pending(pending) = self { Some(pending) } else { None }
    }
}

impl FileJob<'_> {
    /// Checks that a document could be replaced.
    pub(super) fn could_replace(&self) -> Result<(), Failure> {
        let folder = &self.opened.folder;
        let refused = |error: io::Error| self.not_written(&error);
        self.check_writable()?;
        folder.check_writable().map_err(refused)?;
        let (_, _, name) = self.tree.place(self.item);
        folder.check_replaceable(name).map_err(refused)?;
        let old = self.opened.identity().map_err(refused)?;
        self.rewriting.old_files.check(folder, name, &old)
    }

    /// Writes a document to a temporary file beside the one that it will replace.
    pub(super) fn replace(&self, bytes: &[u8]) -> Result<WriteResult, Failure> {
        self.check_writable()?;
        let (_, _, name) = self.tree.place(self.item);
        let old = &self.opened;
        let write = || {
            let pending = PendingRename::new(&old.folder, name, Some(old), None)?;
            NewContent::Bytes(bytes).write_to(pending.file())?;
            preserve(old, pending.file())?;
            self.complete(pending.file())?;
            Ok(pending)
        };
        let pending = write().map_err(|error| self.not_written(&error))?;
        let pending = pending.old_files(self.rewriting.old_files.clone());
        Ok(WriteResult::Pending(Box::new(pending)))
    }

    /// Writes a file to the folder that mirrors the tree, or checks that this could be done.
    pub(super) fn mirror(
        &self,
        folder: &mut LastFolder,
        content: NewContent<'_>,
    ) -> Result<WriteResult, Failure> {
        let written = match self.rewriting.destination {
            Destination::Check(_) | Destination::InPlace => Ok(WriteResult::Complete),
            Destination::Preview(planned) => self.could_place(planned, content),
            Destination::Mirror(mirror) => self.place(mirror, folder, content),
        };
        written.map_err(|error| self.not_written(&error))
    }

    fn place(
        &self,
        mirror: &Mirror,
        folder: &mut LastFolder,
        content: NewContent<'_>,
    ) -> io::Result<WriteResult> {
        let Self { item: Item { folder: number, name, .. }, opened, .. } = self;
        let folder = folder.get(*number, || mirror.folder(self.tree, *number))?;
        if mirror.is_staged() {
            let file = folder.create(name, mode_of(&opened.metadata))?;
            let written = content.write_to(&file).and_then(|()| self.complete(&file));
            if written.is_err() && folder.remove(name).is_err() {
                mirror.mark_incomplete();
            }
            return written.map(|()| WriteResult::Complete);
        }
        let old = OpenFile::existing(&folder, name)?;
        if let Some(old) = &old {
            if content.is_in(&old.file)? {
                return Ok(WriteResult::Unchanged);
            }
            writable(&old.metadata)?;
        }
        let pending = PendingRename::new(&folder, name, old.as_ref(), Some(&opened.metadata))?;
        content.write_to(pending.file())?;
        if let Some(old) = &old {
            preserve(old, pending.file())?;
        }
        self.complete(pending.file())?;
        Ok(WriteResult::Pending(Box::new(pending)))
    }

    /// Checks that a file could be written to the planned mirror; an existing one with the same
    /// content stays, read-only or not.
    fn could_place(
        &self,
        planned: &PlannedMirror,
        content: NewContent<'_>,
    ) -> io::Result<WriteResult> {
        let name = &self.item.name;
        let Some(folder) = planned.folder(self.tree, self.item.folder)? else {
            return Ok(WriteResult::Complete);
        };
        if let Some(old) = OpenFile::existing(&folder, name)? {
            if content.is_in(&old.file)? {
                return Ok(WriteResult::Unchanged);
            }
            writable(&old.metadata)?;
            folder.check_replaceable(name)?;
        }
        folder.check_writable().map(|()| WriteResult::Complete)
    }

    /// What is left to do with a file that is written.
    fn complete(&self, file: &File) -> io::Result<()> {
        if cfg!(not(target_os = "linux")) && self.rewriting.sync == Sync::Always {
            file.sync_all()?;
        }
        Ok(())
    }

    fn not_written(&self, error: &io::Error) -> Failure {
        self.rewriting.not_written(self.tree, self.item, error)
    }

    /// Refuses a read-only file, which its folder's mode would allow to replace.
    fn check_writable(&self) -> Result<(), Failure> {
        let metadata = &self.opened.metadata;
        if self.rewriting.editor.is_some() && metadata.permissions().readonly() {
            return Err(Failure::new("cannot write: it is read-only; make it writable"));
        }
        writable(metadata).map_err(|error| Failure::write(&error))
    }
}

impl Rewriting<'_> {
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
}
