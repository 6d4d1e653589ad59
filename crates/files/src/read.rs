//! Reads documents and lists, with limits on their size.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use absolve::Buffers;
use absolve::Limits;
use absolve_archive::jobs::{MAX_KEPT, ThreadState};

use super::failure::Failure;
use super::folder::{Folder, Identity, read_stable_metadata};
use super::tree::{Item, Tree};

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
/// If [`read`] would fail on the file.
pub fn read_opened(file: File, limits: &Limits) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let position = if metadata.is_file() { (&file).stream_position()? } else { 0 };
    check_size(&metadata, position, limits)?;
    // With room for another byte, one call reads the file, and the next one finds its end.
    let size = metadata.len().saturating_sub(position).min(max_bytes(limits)).saturating_add(1);
    let mut source = Vec::new();
    source.try_reserve_exact(usize::try_from(size).unwrap_or(usize::MAX))?;
    file.take(max_bytes(limits)).read_to_end(&mut source)?;
    Ok(source)
}

/// Reads an item of a tree into new memory.
///
/// # Errors
///
/// If [`read`] would fail on the file, or the item is no longer a regular file.
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

/// Reads the beginning of a file, up to this many bytes; 0 does not open the file.
///
/// # Errors
///
/// If it cannot be opened or read.
pub fn read_beginning(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    if bytes > 0 {
        File::open(path)?.take(bytes as u64).read_to_end(&mut beginning)?;
    }
    Ok(beginning)
}

/// Reads a document from a stream.
///
/// Reading stops one byte after [`Limits::input`], so that the rewriter sees that the limit is
/// reached and memory stays bounded.
///
/// # Errors
///
/// If it cannot be read.
pub fn read_from(stream: impl Read, limits: &Limits) -> io::Result<Vec<u8>> {
    let mut source = Vec::new();
    stream.take(max_bytes(limits)).read_to_end(&mut source)?;
    Ok(source)
}

/// Whether a file has this content, of `size` bytes.
pub(super) fn has_content(file: &File, size: u64, mut content: impl BufRead) -> io::Result<bool> {
    /// The size of the buffer, in bytes. Most pages fit, so one call reads them.
    const BUFFER_LEN: usize = 64 * 1024;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() != size {
        return Ok(false);
    }
    let mut file = BufReader::with_capacity(BUFFER_LEN, file);
    loop {
        let (actual, expected) = (file.fill_buf()?, content.fill_buf()?);
        let length = actual.len().min(expected.len());
        if actual[..length] != expected[..length] || actual.is_empty() != expected.is_empty() {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
        file.consume(length);
        content.consume(length);
    }
}

/// Refuses a file that is larger than the limit; pipes and devices have no size.
fn check_size(metadata: &Metadata, position: u64, limits: &Limits) -> io::Result<()> {
    let size = if metadata.is_file() { metadata.len().saturating_sub(position) } else { 0 };
    limits.check_input(size).map_err(|error| io::Error::new(io::ErrorKind::FileTooLarge, error))
}

/// Returns the maximum bytes to read: one more than the limit, so an excess is detected.
fn max_bytes(limits: &Limits) -> u64 {
    limits.max_input() as u64 + 1
}

/// Maximum bytes of a list.
const MAX_LIST_BYTES: u64 = 1 << 30;
/// Maximum bytes of a line of a list: longer than any path and any URL in use.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// Opens a list of files, for [`read_list`].
///
/// # Errors
///
/// If it cannot be opened, or is a file of more than 1 GiB.
pub fn open_list(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > MAX_LIST_BYTES {
        return Err(list_too_large());
    }
    Ok(file)
}

/// Reads a list whose lines end with a newline or NUL.
///
/// # Errors
///
/// If it cannot be read. If it has more than 1 GiB, or a line of it has more than 64 KiB, the
/// rest is not read, and the error is of the kind [`io::ErrorKind::FileTooLarge`].
pub fn read_list(mut list: impl Read) -> io::Result<Vec<u8>> {
    let (mut bytes, mut line, mut number) = (Vec::new(), 0, 1_u64);
    loop {
        let from = bytes.len();
        if list.by_ref().take(MAX_LINE_BYTES as u64).read_to_end(&mut bytes)? == 0 {
            return Ok(bytes);
        }
        if bytes.len() as u64 > MAX_LIST_BYTES {
            return Err(list_too_large());
        }
        for &byte in &bytes[from..] {
            if matches!(byte, b'\n' | 0) {
                (line, number) = (0, number + 1);
            } else {
                line += 1;
            }
            if line > MAX_LINE_BYTES {
                let why = "exceeds 64 KiB, more than any path and URL have";
                return Err(too_large(format!("line {number} {why}; give another list")));
            }
        }
    }
}

/// Reads a file, up to a limit in bytes.
///
/// # Errors
///
/// If it cannot be opened or read. If it has more bytes, the error is of the kind
/// [`io::ErrorKind::FileTooLarge`]; a regular file is not read then.
pub fn read_file(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    let exceeds = || too_large(format!("it exceeds {max} bytes"));
    if metadata.is_file() && metadata.len() > max {
        return Err(exceeds());
    }
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(exceeds()) } else { Ok(bytes) }
}

fn list_too_large() -> io::Error {
    too_large("it exceeds 1 GiB; split it".to_owned())
}

fn too_large(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

/// The buffers of a thread, reused from file to file, and the open folders of the last file.
#[derive(Debug, Default)]
pub struct FileBuffers {
    pub(super) rewrite_buffers: Buffers,
    pub(super) source: SourceBuffer,
    folder: LastFolder,
    /// The folder that the last file was written to.
    pub(super) output: LastFolder,
}

/// The folder of a tree that was opened last, with its number.
#[derive(Debug, Default)]
pub(super) struct LastFolder(Option<(usize, Arc<Folder>)>);

impl LastFolder {
    /// Returns the folder with this number, and opens it unless it was the last.
    pub(super) fn get(
        &mut self,
        number: usize,
        open: impl FnOnce() -> io::Result<Folder>,
    ) -> io::Result<Arc<Folder>> {
        if let Some((last, folder)) = &self.0
            && *last == number
        {
            return Ok(folder.clone());
        }
        let folder = Arc::new(open()?);
        self.0 = Some((number, folder.clone()));
        Ok(folder)
    }
}

/// The bytes of a document, in a reused buffer.
///
/// A single system call reads a file of known size. `read_to_end` of a `Take` would begin with
/// 8 KiB and double that: five calls for a page of 60 KiB.
#[derive(Debug, Default)]
pub(super) struct SourceBuffer {
    /// The document, followed by bytes of earlier ones.
    buffer: Vec<u8>,
    length: usize,
}

impl SourceBuffer {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    /// Reads a file of about `size` bytes to its end, but no more than `max` bytes.
    fn read(&mut self, file: &File, size: u64, max: u64) -> io::Result<()> {
        self.length = 0;
        let mut file = file.take(max);
        loop {
            // The extra byte detects the end.
            let needed = usize::try_from(size.min(max)).unwrap_or(usize::MAX).saturating_add(1);
            let needed = needed.max(self.length + 1);
            if self.buffer.len() < needed {
                // Doubling keeps the number of copies small for a file that grows.
                self.buffer.resize(needed.max(self.buffer.len() * 2), 0);
            }
            match file.read(&mut self.buffer[self.length..]) {
                Ok(0) => return Ok(()),
                Ok(read) => self.length += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// A regular file that was opened for reading.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) folder: Arc<Folder>,
    pub(super) file: File,
    pub(super) metadata: Metadata,
}

impl OpenFile {
    /// Opens a file by its name.
    pub(super) fn new(folder: &Arc<Folder>, name: &OsStr) -> io::Result<Self> {
        let file = folder.read(name)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file any more"));
        }
        Ok(Self { folder: folder.clone(), file, metadata })
    }

    /// Opens a file to replace it, at a time after which every change is detectable; `None` if the
    /// name is free.
    pub(super) fn open_existing(folder: &Arc<Folder>, name: &OsStr) -> io::Result<Option<Self>> {
        match folder.identity(name) {
            Ok(identity) if identity.is_file => {
                Self::new(folder, name)?.with_stable_metadata().map(Some)
            }
            Ok(_) => Err(io::Error::other("it is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the version that was opened.
    pub(super) fn identity(&self) -> io::Result<Identity> {
        Identity::from_file(&self.file, &self.metadata)
    }

    /// Inspects the file again, at a time after which every change is detectable.
    pub(super) fn with_stable_metadata(self) -> io::Result<Self> {
        Ok(Self { metadata: read_stable_metadata(&self.file, self.metadata)?, ..self })
    }
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

    /// Returns the document that was read last, and buffers for rewriting it.
    pub fn parts(&mut self) -> (&[u8], &mut Buffers) {
        (self.source.bytes(), &mut self.rewrite_buffers)
    }

    /// Returns the document that was read last.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        self.source.bytes()
    }

    pub(super) fn read_opened(&mut self, opened: &OpenFile, limits: &Limits) -> io::Result<()> {
        check_size(&opened.metadata, 0, limits)?;
        self.source.read(&opened.file, opened.metadata.len(), max_bytes(limits))
    }

    /// Opens an item's file.
    pub(super) fn open(&mut self, tree: &Tree, item: &Item) -> io::Result<OpenFile> {
        let (_, _, name) = tree.locate(item);
        OpenFile::new(&self.open_folder(tree, item)?, name)
    }

    /// Opens the folder of an item's file, unless the last item had the same folder.
    pub(super) fn open_folder(&mut self, tree: &Tree, item: &Item) -> io::Result<Arc<Folder>> {
        let (root, path, _) = tree.locate(item);
        // The file of a followed link is not in the item's folder.
        if item.link.is_some() {
            return Ok(Arc::new(root.folder.enter(path)?));
        }
        self.folder.get(item.folder, || root.folder.enter(path))
    }
}

impl ThreadState for FileBuffers {
    fn shrink(&mut self) {
        if self.source.buffer.capacity() > MAX_KEPT {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_limit() {
        let line = "x".repeat(MAX_LINE_BYTES);
        let list = format!("a\n{line}\nb");
        assert_eq!(read_list(list.as_bytes()).unwrap(), list.as_bytes());
        let error = read_list(format!("a\n{line}x").as_bytes()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("line 2 exceeds 64 KiB"), "{error}");
        // A file that never ends is not read to its end.
        let error = read_list(io::repeat(b'x')).unwrap_err();
        assert!(error.to_string().starts_with("line 1 exceeds 64 KiB"), "{error}");
    }

    #[test]
    fn a_file_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(MAX_LIST_BYTES + 1).unwrap();
        let error = open_list(&path).unwrap_err();
        assert_eq!(error.to_string(), "it exceeds 1 GiB; split it");
        let error = read_file(&path, MAX_LIST_BYTES).unwrap_err();
        assert_eq!(error.to_string(), "it exceeds 1073741824 bytes");
        File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
        assert_eq!(read_file(&path, 3).unwrap(), [0; 3]);
        assert_eq!(read_file(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
