//! Web archives with an index in a ZIP file: `.wacz`
//! ([WACZ 1.1.1](https://specs.webrecorder.net/wacz/1.1.1/)).
//!
//! The archives in `archive/` are stored as they are, so that each is a range of the file's bytes.
//!
//! NOTE: the crate `zip` 9.8 keeps every entry of the table of contents in memory before a limit could
//! be checked, and does not notice archives that overlap: a small hostile file would be read for hours.

mod directory;

use std::io::{Read, Seek};
use std::ops::Range;

use super::ContainerError;
use super::stored::{ByteRange, StoredArchive};
use super::warc::{ArchiveLimits, Reader, RecordSelection};

/// A WACZ archive, in a seekable file.
///
/// ```
/// use std::io::{Cursor, Write};
///
/// use absolve_archive::wacz::Wacz;
/// use zip::write::{SimpleFileOptions, ZipWriter};
///
/// let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
/// let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
/// zip.start_file("archive/data.warc", stored)?;
/// zip.write_all(b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 0\r\n\r\n\r\n\r\n")?;
/// zip.start_file("datapackage.json", stored)?;
/// zip.write_all(b"{}")?;
/// let wacz = Wacz::open(zip.finish()?)?;
/// assert_eq!(wacz.archives()[0].name, "archive/data.warc");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Wacz<R> {
    source: R,
    archives: Vec<StoredArchive>,
    limits: ArchiveLimits,
    selection: RecordSelection,
}

impl<R: Read + Seek + Send> Wacz<R> {
    /// Reads the table of contents.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is larger than 8 MiB, or is not that of a WACZ archive; if archives
    /// overlap, or one is encrypted or compressed by ZIP.
    pub fn open(mut source: R) -> Result<Self, ContainerError> {
        let archives = directory::archives(&mut source)?;
        let (limits, selection) = (ArchiveLimits::default(), RecordSelection::default());
        Ok(Self { source, archives, limits, selection })
    }

    /// Limits on records; [`ArchiveLimits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: ArchiveLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Which documents are read; all of them unless set.
    #[must_use]
    pub fn select(mut self, selection: RecordSelection) -> Self {
        self.selection = selection;
        self
    }

    /// The archives in it, in the order of their bytes, which are those of the archives as files.
    #[must_use]
    pub fn archives(&self) -> &[StoredArchive] {
        &self.archives
    }

    /// Reads the archive at these bytes.
    pub(super) fn reader(
        &mut self,
        bytes: Range<u64>,
    ) -> Result<Reader<ByteRange<&mut R>>, ContainerError> {
        let bytes = ByteRange::new(&mut self.source, bytes).map_err(ContainerError::Read)?;
        Ok(Reader::seekable(bytes).limits(self.limits).select(self.selection.clone()))
    }
}
