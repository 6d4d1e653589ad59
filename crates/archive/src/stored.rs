//! Web archives that are stored in another file, as they are.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// A web archive in a file, such as a `.wacz`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredArchive {
    /// The name in the file, such as `archive/data.warc.gz`.
    pub name: String,
    /// Its bytes in the file.
    pub bytes: Range<u64>,
}

/// A range of the bytes of a file, as a file.
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
    /// The position in the file.
    at: u64,
}

impl<R: Seek> ByteRange<R> {
    /// Starts at the beginning of the range. A range up to [`u64::MAX`] has the end of the file.
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
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.bytes.end.saturating_sub(self.at);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let read = self.source.read(&mut into[..most])?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for ByteRange<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let is_before = || io::Error::new(io::ErrorKind::InvalidInput, "before the beginning");
        let Range { start, end } = self.bytes;
        let to = match to {
            SeekFrom::Start(position) => start.checked_add(position),
            SeekFrom::Current(distance) => self.at.checked_add_signed(distance),
            SeekFrom::End(distance) => {
                let whole = self.source.seek(SeekFrom::End(0))?;
                end.min(whole).checked_add_signed(distance)
            }
        };
        let to = to.filter(|to| *to >= start).ok_or_else(is_before)?;
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
