//! Reads documents, with a limit on their size.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use super::failure::Failure;
use super::folder::Folder;
use super::tree::{Item, Tree};
use crate::jobs::{KEPT, ThreadState};
use crate::link::Limits;
use crate::rewrite::Buffers;

/// Reads a document from a file.
///
/// # Errors
///
/// If it cannot be opened or read, or is a directory. If its size is above [`Limits::input`], it
/// is not read, and the error is of the kind [`io::ErrorKind::FileTooLarge`].
pub fn read(path: &Path, limits: &Limits) -> io::Result<Vec<u8>> {
    read_opened(File::open(path)?, limits)
}

/// Reads a document from an open file, from the current position.
///
/// # Errors
///
/// As with [`read`].
pub fn read_opened(file: File, limits: &Limits) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let position = if metadata.is_file() { (&file).stream_position()? } else { 0 };
    check_size(&metadata, position, limits)?;
    // With a byte more than the file, one call reads it, and the next one its end.
    let size = metadata.len().saturating_sub(position).min(most(limits)).saturating_add(1);
    let mut source = Vec::new();
    source.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
    file.take(most(limits)).read_to_end(&mut source)?;
    Ok(source)
}

/// Reads an item of a tree, in memory of its own.
///
/// # Errors
///
/// As with [`read`], and if it is no longer a regular file.
pub fn read_item(tree: &Tree, item: &Item, limits: &Limits) -> io::Result<Vec<u8>> {
    read_opened(FileBuffers::default().open(tree, item)?.file, limits)
}

/// Opens a file that is not a document, such as a list of them.
///
/// # Errors
///
/// If it cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads a document from a stream.
///
/// It stops one byte after [`Limits::input`], so that the rewriter sees that the limit is
/// reached and memory stays bounded.
///
/// # Errors
///
/// If it cannot be read.
pub fn read_from(stream: impl Read, limits: &Limits) -> io::Result<Vec<u8>> {
    let mut source = Vec::new();
    stream.take(most(limits)).read_to_end(&mut source)?;
    Ok(source)
}

/// Whether a file has exactly this content.
pub(super) fn same_content(file: File, bytes: &[u8]) -> io::Result<bool> {
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != bytes.len() as u64 {
        return Ok(false);
    }
    let mut there = Vec::with_capacity(bytes.len() + 1);
    file.take(bytes.len() as u64 + 1).read_to_end(&mut there)?;
    Ok(there == bytes)
}

/// Whether two files have the same content.
pub(super) fn same_files(one: File, other: &File) -> io::Result<bool> {
    let (metadata, size) = (one.metadata()?, other.metadata()?.len());
    if !metadata.is_file() || metadata.len() != size {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (here, there) = (one.fill_buf()?, other.fill_buf()?);
        let length = here.len().min(there.len());
        if here[..length] != there[..length] || here.is_empty() != there.is_empty() {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Refuses a file by its size; pipes and devices have no size.
fn check_size(metadata: &Metadata, position: u64, limits: &Limits) -> io::Result<()> {
    let size = if metadata.is_file() { metadata.len().saturating_sub(position) } else { 0 };
    limits.check_input(size).map_err(|error| io::Error::new(io::ErrorKind::FileTooLarge, error))
}

fn most(limits: &Limits) -> u64 {
    limits.max_input() as u64 + 1
}

/// Buffers of one thread, reused from file to file, and the open folder of the last file.
#[derive(Debug, Default)]
pub struct FileBuffers {
    pub(super) memory: Buffers,
    pub(super) source: Source,
    folder: Option<(usize, Arc<Folder>)>,
    pub(super) output: Option<(usize, Arc<Folder>)>,
}

/// The bytes of a document, in a reused buffer.
///
/// One system call reads a file of known size. `read_to_end` of a `Take` starts with
/// 8 KiB and doubles: five calls for a page of 60 KiB.
#[derive(Debug, Default)]
pub(super) struct Source {
    memory: Vec<u8>,
    length: usize,
}

impl Source {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[..self.length]
    }

    /// Reads a file of about `size` bytes to its end, but no more than `most` bytes.
    fn read(&mut self, file: &File, size: u64, most: u64) -> io::Result<()> {
        self.length = 0;
        let mut file = file.take(most);
        loop {
            // One byte more, to detect the end.
            let needed = usize::try_from(size.min(most)).unwrap_or(usize::MAX).saturating_add(1);
            let needed = needed.max(self.length + 1);
            if self.memory.len() < needed {
                // Doubles for a file that grows.
                self.memory.resize(needed.max(self.memory.len() * 2), 0);
            }
            match file.read(&mut self.memory[self.length..]) {
                Ok(0) => return Ok(()),
                Ok(read) => self.length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A file that was opened for reading.
pub(super) struct OpenFile {
    pub(super) folder: Arc<Folder>,
    pub(super) file: File,
    pub(super) metadata: Metadata,
}

impl FileBuffers {
    /// Reads an item, as [`read`] does; [`FileBuffers::source`] returns its bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be opened or read, or is no longer a regular file.
    pub fn read(&mut self, tree: &Tree, item: &Item, limits: &Limits) -> Result<(), Failure> {
        let opened = self.open(tree, item).map_err(|error| Failure::read(&error))?;
        self.read_opened(&opened, limits).map_err(|error| Failure::read(&error))
    }

    /// Takes bytes in place of those of a file.
    #[cfg(feature = "audit")]
    pub(crate) fn fill(&mut self, bytes: Vec<u8>) {
        self.source = Source { length: bytes.len(), memory: bytes };
    }

    /// The document that was read last, and buffers for rewriting it.
    pub fn parts(&mut self) -> (&[u8], &mut Buffers) {
        (self.source.bytes(), &mut self.memory)
    }

    /// The document that was read last.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        self.source.bytes()
    }

    pub(super) fn read_opened(&mut self, opened: &OpenFile, limits: &Limits) -> io::Result<()> {
        check_size(&opened.metadata, 0, limits)?;
        self.source.read(&opened.file, opened.metadata.len(), most(limits))
    }

    /// Opens an item's file.
    pub(super) fn open(&mut self, tree: &Tree, item: &Item) -> io::Result<OpenFile> {
        let folder = self.folder_of(tree, item)?;
        let (_, _, name) = tree.place(item);
        let file = folder.read(name)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file any more"));
        }
        Ok(OpenFile { folder, file, metadata })
    }

    pub(super) fn folder_of(&mut self, tree: &Tree, item: &Item) -> io::Result<Arc<Folder>> {
        let (root, path, _) = tree.place(item);
        if item.link.is_some() {
            return Ok(Arc::new(root.folder.enter(path)?));
        }
        if let Some((number, folder)) = &self.folder
            && *number == item.folder
        {
            return Ok(folder.clone());
        }
        let folder = Arc::new(root.folder.enter(path)?);
        self.folder = Some((item.folder, folder.clone()));
        Ok(folder)
    }
}

impl ThreadState for FileBuffers {
    fn shrink(&mut self) {
        if self.source.memory.capacity() > KEPT {
            *self = Self::default();
        }
    }
}
