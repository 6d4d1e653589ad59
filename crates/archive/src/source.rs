//! Bytes that a container is read from.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

use super::warc::{Reader, RecordPosition};

/// A source that can be sought.
pub trait Seekable: Read + Seek + Send {}

impl<R: Read + Seek + Send> Seekable for R {}

/// Bytes that a container is read from.
pub enum Source<'s> {
    /// A file, or a part of one.
    Seekable(Box<dyn Seekable + 's>),
    /// A pipe or a device. Only web archives are read from a stream.
    Stream(Box<dyn Read + Send + 's>),
}

impl Source<'_> {
    /// Reads it as a web archive.
    #[must_use]
    pub fn reader(self) -> Reader<Self> {
        match self {
            Self::Seekable(_) => Reader::seekable(self),
            Self::Stream(_) => Reader::new(self),
        }
    }

    /// Reads only the record at a position of a web archive, and nothing before it if it can be sought.
    ///
    /// # Errors
    ///
    /// If the file cannot be read at that position.
    pub fn reader_at(self, position: RecordPosition) -> io::Result<Reader<Self>> {
        match self {
            Self::Seekable(_) => Reader::seek(self, position),
            Self::Stream(_) => Ok(Reader::new(self).only(position)),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seekable(_) => "Seekable",
            Self::Stream(_) => "Stream",
        })
    }
}

impl Read for Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Seekable(file) => file.read(into),
            Self::Stream(stream) => stream.read(into),
        }
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Seekable(file) => file.seek(to),
            Self::Stream(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}
