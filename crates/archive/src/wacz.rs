//! Reads web archives with an index in a ZIP file: `.wacz`
//! ([WACZ 1.1.1](https://specs.webrecorder.net/wacz/1.1.1/)).
//!
//! The archives in `archive/` are stored without compression, so each archive is a range of the
//! bytes of the file. The central directory of the ZIP file ([APPNOTE]) has their offsets.
//!
//! NOTE: the crate `zip` 9.8 reads every entry of the central directory into memory before a limit
//! can be checked, and accepts archives that overlap: it would read a small hostile file for hours.
//!
//! [APPNOTE]: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::error::escape_controls;
use super::warc::{ArchiveLimits, Reader, RecordSelection};
use super::{ContainerError, Format};

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
    /// Reads the central directory.
    ///
    /// # Errors
    ///
    /// If the directory cannot be read, is larger than 8 MiB, or is not that of a WACZ archive; if
    /// archives overlap, or an archive is encrypted or compressed by ZIP.
    pub fn open(mut source: R) -> Result<Self, ContainerError> {
        let archives = read_directory(&mut source)?;
        let (limits, selection) = (ArchiveLimits::default(), RecordSelection::default());
        Ok(Self { source, archives, limits, selection })
    }

    /// Sets the limits on records; [`ArchiveLimits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: ArchiveLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Selects the documents to read; all of them unless set.
    #[must_use]
    pub fn select(mut self, selection: RecordSelection) -> Self {
        self.selection = selection;
        self
    }

    /// Returns the archives in the file, in the order of their offsets.
    #[must_use]
    pub fn archives(&self) -> &[StoredArchive] {
        &self.archives
    }

    /// Opens the archive at these bytes.
    pub(super) fn open_archive(
        &mut self,
        bytes: Range<u64>,
    ) -> Result<Reader<ByteRange<&mut R>>, ContainerError> {
        let bytes = ByteRange::new(&mut self.source, bytes).map_err(ContainerError::Read)?;
        Ok(Reader::seekable(bytes).limits(self.limits).select(self.selection.clone()))
    }
}

/// Maximum bytes of the central directory, which is read into memory: enough for 100,000 members.
const MAX_DIRECTORY_LEN: u64 = 8 << 20;

/// The member that every WACZ archive has.
const PACKAGE: &str = "datapackage.json";

/// Maximum archives outside `archive/` that an error names.
const MAX_NAMED_ARCHIVES: usize = 3;

/// Bytes of the record at the end of the central directory, without its comment.
const END_RECORD_LEN: usize = 22;

/// Bytes of an entry of the central directory, without its texts.
const ENTRY_LEN: usize = 46;

/// Bytes of a local file header, without its texts.
const LOCAL_HEADER_LEN: usize = 30;

/// Bytes of the ZIP64 record at the end of the central directory.
const ZIP64_RECORD_LEN: usize = 56;

/// Bytes of the ZIP64 record and of the ZIP64 locator after it, which precede the last record.
const ZIP64_RECORDS_LEN: usize = ZIP64_RECORD_LEN + 20;

/// The value of a 32-bit field whose number is in the ZIP64 extra field.
const ZIP64_VALUE: u64 = u32::MAX as u64;

/// The location of the central directory.
struct DirectoryExtent {
    start: u64,
    length: u64,
}

/// An entry of the central directory, which describes a member.
struct DirectoryEntry<'t> {
    name: &'t [u8],
    flags: u64,
    method: u64,
    compressed_size: u64,
    /// The offset of its local file header in the file.
    header_offset: u64,
}

/// Reads the central directory, and returns the archives in the order of their offsets.
fn read_directory(source: &mut (impl Read + Seek)) -> Result<Vec<StoredArchive>, ContainerError> {
    let directory = DirectoryExtent::read(source)?;
    if directory.length > MAX_DIRECTORY_LEN {
        let max = MAX_DIRECTORY_LEN >> 20;
        let why = format!("its table of contents is larger than {max} MiB; unpack it");
        return Err(ContainerError::Invalid(why));
    }
    let bytes =
        read_at(source, directory.start, usize::try_from(directory.length).unwrap_or_default())?;
    let (mut rest, mut archives, mut has_package) = (&*bytes, Vec::new(), false);
    let mut other_archives = Vec::new();
    while !rest.is_empty() {
        let (entry, after) = DirectoryEntry::parse(rest)
            .ok_or_else(|| ContainerError::damaged_zip("its table of contents is cut off"))?;
        rest = after;
        has_package |= entry.name == PACKAGE.as_bytes();
        let name = String::from_utf8_lossy(entry.name).into_owned();
        let format = Format::from_name(Path::new(&name));
        if name.starts_with("archive/") && format == Format::Warc {
            archives.push(entry.locate_archive(source, name, directory.start)?);
        } else if format.is_archive() && other_archives.len() < MAX_NAMED_ARCHIVES {
            other_archives.push(escape_controls(&name));
        }
    }
    if !has_package {
        let why = format!("has no {PACKAGE}; unpack it and give the WARC files in it");
        return Err(ContainerError::Invalid(why));
    }
    if archives.is_empty() {
        // A multi-WACZ, for example, is a package of several WACZ archives.
        let why = match &other_archives[..] {
            [] => "has no WARC file in archive/".to_owned(),
            names => {
                let names = names.join(", ");
                format!("has no WARC file in archive/, but {names}; unpack it and give what it has")
            }
        };
        return Err(ContainerError::Invalid(why));
    }
    archives.sort_by_key(|archive| archive.bytes.start);
    // A hostile file can list the same bytes thousands of times, and they would be read each time.
    let overlap = archives.windows(2).find(|pair| pair[0].bytes.end > pair[1].bytes.start);
    overlap.map_or(Ok(()), |pair| {
        Err(ContainerError::invalid_member(
            &pair[1].name,
            "it overlaps another part of the ZIP file",
        ))
    })?;
    Ok(archives)
}

impl DirectoryExtent {
    /// Reads the location from the records at the end of the file: their fields are at the offsets
    /// of APPNOTE 4.3.16, and of 4.3.14 for ZIP64.
    fn read(source: &mut (impl Read + Seek)) -> Result<Self, ContainerError> {
        let size = source.seek(SeekFrom::End(0)).map_err(ContainerError::from_read)?;
        let max = (END_RECORD_LEN + usize::from(u16::MAX) + ZIP64_RECORDS_LEN)
            .min(usize::try_from(size).unwrap_or(usize::MAX));
        let tail = read_at(source, size - max as u64, max)?;
        // The comment of the last record must end at the end of the file.
        let end = memchr::memmem::rfind(&tail, b"PK\x05\x06").filter(|&at| {
            tail.len() as u64 == (at + END_RECORD_LEN) as u64 + read_number(&tail, at + 20, 2)
        });
        let Some(end) = end else {
            let why = "not a ZIP file, or one that is cut off or has bytes after its end";
            return Err(ContainerError::Invalid(why.to_owned()));
        };
        let [disk, first, on_disk, count] = [4, 6, 8, 10].map(|at| read_number(&tail, end + at, 2));
        if disk != 0 || first != 0 || on_disk != count {
            let why = "one of several volumes of a ZIP file; join them (zip -s 0)";
            return Err(ContainerError::Invalid(why.to_owned()));
        }
        let [length, start] = [12, 16].map(|at| read_number(&tail, end + at, 4));
        let mut directory = Self { start, length };
        let mut directory_end = size - (tail.len() - end) as u64;
        // Writers may add the records of ZIP64 even if the numbers fit without them.
        let records = end.checked_sub(ZIP64_RECORDS_LEN).map(|at| &tail[at..end]);
        if let Some(records) = records.filter(|records| {
            records.starts_with(b"PK\x06\x06")
                && records[ZIP64_RECORD_LEN..].starts_with(b"PK\x06\x07")
        }) {
            let [length, start] = [40, 48].map(|at| read_number(records, at, 8));
            directory = Self { start, length };
            directory_end -= ZIP64_RECORDS_LEN as u64;
        }
        if directory.start.checked_add(directory.length) == Some(directory_end) {
            return Ok(directory);
        }
        Err(ContainerError::damaged_zip(
            "its table of contents is not where the end of the file says",
        ))
    }
}

impl<'t> DirectoryEntry<'t> {
    /// Parses the first entry of a table (APPNOTE 4.3.12), and returns it with the rest; `None` if
    /// the entry is damaged.
    fn parse(table: &'t [u8]) -> Option<(Self, &'t [u8])> {
        let (entry, rest) = table.split_at_checked(ENTRY_LEN)?;
        let length = |at| usize::try_from(read_number(entry, at, 2)).unwrap_or_default();
        let (name, rest) = rest.split_at_checked(length(28))?;
        let (fields, rest) = rest.split_at_checked(length(30))?;
        let (_, rest) = rest.split_at_checked(length(32))?;
        let [size, compressed_size, header_offset] =
            [24, 20, 42].map(|at| read_number(entry, at, 4));
        let mut zip64_values = find_zip64_values(fields).chunks_exact(8);
        let mut value = |small| match small {
            ZIP64_VALUE => zip64_values.next().map(|bytes| read_number(bytes, 0, 8)),
            _ => Some(small),
        };
        let [_, compressed_size, header_offset] =
            [value(size)?, value(compressed_size)?, value(header_offset)?];
        let [flags, method] = [8, 10].map(|at| read_number(entry, at, 2));
        let is_entry = entry.starts_with(b"PK\x01\x02");
        is_entry.then_some((Self { name, flags, method, compressed_size, header_offset }, rest))
    }

    /// Locates the bytes of an archive after its local file header (APPNOTE 4.3.7). The bytes must
    /// end before the central directory.
    fn locate_archive(
        &self,
        source: &mut (impl Read + Seek),
        name: String,
        directory_start: u64,
    ) -> Result<StoredArchive, ContainerError> {
        if self.flags & 1 != 0 {
            return Err(ContainerError::invalid_member(&name, "encrypted; decrypt it first"));
        }
        if self.method != 0 {
            let why = "compressed by ZIP, which WACZ does not allow; store it (zip -0)";
            return Err(ContainerError::invalid_member(&name, why));
        }
        let mismatch_error = || {
            let why = "its header and the table of contents of the ZIP file differ";
            ContainerError::invalid_member(&name, why)
        };
        if self.header_offset >= directory_start {
            return Err(mismatch_error());
        }
        let header = read_at(source, self.header_offset, LOCAL_HEADER_LEN + self.name.len())?;
        let texts_len = read_number(&header, 26, 2) + read_number(&header, 28, 2);
        let start = self.header_offset + LOCAL_HEADER_LEN as u64 + texts_len;
        let end = start.checked_add(self.compressed_size).filter(|&end| end <= directory_start);
        match end {
            Some(end)
                if header.starts_with(b"PK\x03\x04")
                    && header[LOCAL_HEADER_LEN..] == *self.name =>
            {
                Ok(StoredArchive { name, bytes: start..end })
            }
            _ => Err(mismatch_error()),
        }
    }
}

/// Finds the values of ZIP64 in extra field 1 (APPNOTE 4.5.3); no bytes if the field is missing.
fn find_zip64_values(mut fields: &[u8]) -> &[u8] {
    while let Some((head, rest)) = fields.split_at_checked(4) {
        let length = usize::try_from(read_number(head, 2, 2)).unwrap_or_default();
        let Some((field, rest)) = rest.split_at_checked(length) else { break };
        if read_number(head, 0, 2) == 1 {
            return field;
        }
        fields = rest;
    }
    &[]
}

fn read_at(
    source: &mut (impl Read + Seek),
    at: u64,
    length: usize,
) -> Result<Vec<u8>, ContainerError> {
    let mut bytes = vec![0; length];
    source.seek(SeekFrom::Start(at)).map_err(ContainerError::from_read)?;
    source.read_exact(&mut bytes).map_err(ContainerError::from_read)?;
    Ok(bytes)
}

/// Reads the little-endian number of `size` bytes at an offset; 0 after the end.
fn read_number(bytes: &[u8], at: usize, size: usize) -> u64 {
    let bytes = bytes.get(at..at + size).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A web archive in a file, such as a `.wacz`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredArchive {
    /// The name of the member, such as `archive/data.warc.gz`.
    pub name: String,
    /// The span of its bytes in the file.
    pub bytes: Range<u64>,
}

/// A range of the bytes of a file, which is read like a file.
///
/// ```
/// use std::io::{Cursor, Read};
///
/// use absolve_archive::ByteRange;
///
/// let mut text = String::new();
/// ByteRange::new(Cursor::new("abcde"), 1..3)?.read_to_string(&mut text)?;
/// assert_eq!(text, "bc");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ByteRange<R> {
    source: R,
    bytes: Range<u64>,
    /// The position in the whole file.
    at: u64,
}

impl<R: Seek> ByteRange<R> {
    /// Begins at the start of the range; an end of [`u64::MAX`] means the end of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be sought.
    pub fn new(mut source: R, bytes: Range<u64>) -> io::Result<Self> {
        let at = source.seek(SeekFrom::Start(bytes.start))?;
        Ok(Self { source, bytes, at })
    }
}

impl<R: Read> Read for ByteRange<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.bytes.end.saturating_sub(self.at);
        let max = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let read = self.source.read(&mut buf[..max])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for ByteRange<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let seek_error = || io::Error::new(io::ErrorKind::InvalidInput, "before the beginning");
        let Range { start, end } = self.bytes;
        let to = match to {
            SeekFrom::Start(position) => start.checked_add(position),
            SeekFrom::Current(distance) => self.at.checked_add_signed(distance),
            SeekFrom::End(distance) => {
                let whole = self.source.seek(SeekFrom::End(0))?;
                end.min(whole).checked_add_signed(distance)
            }
        };
        let to = to.filter(|to| *to >= start).ok_or_else(seek_error)?;
        self.at = self.source.seek(SeekFrom::Start(to))?;
        Ok(self.at - start)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn a_range_is_read_as_a_file() {
        let mut range = ByteRange::new(Cursor::new("abcdefg"), 2..5).unwrap();
        let read = |range: &mut ByteRange<_>| {
            let mut text = String::new();
            range.read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(read(&mut range), "cde");
        for (to, at, expected) in [
            (SeekFrom::Start(1), 1, "de"),
            (SeekFrom::Start(9), 9, ""),
            (SeekFrom::End(-1), 2, "e"),
            (SeekFrom::Current(-3), 0, "cde"),
        ] {
            assert_eq!(range.seek(to).unwrap(), at);
            assert_eq!(read(&mut range), expected, "{to:?}");
        }
        assert!(range.seek(SeekFrom::Current(-4)).is_err());
        let mut range = ByteRange::new(Cursor::new("abc"), 1..u64::MAX).unwrap();
        assert_eq!((range.seek(SeekFrom::End(0)).unwrap(), range.rewind().unwrap()), (2, ()));
        assert_eq!(read(&mut range), "bc");
    }
}
