//! The bytes of a member, decompressed and checked.

use std::io::{self, BufReader, ErrorKind, Read, Seek};

use flate2::Crc;
use flate2::bufread::DeflateDecoder;

use super::Member;
use crate::container::ContainerError;
use crate::container::stored::ByteRange;

/// The methods of compression that are read.
pub(in crate::container) const STORED: u16 = 0;
pub(in crate::container) const DEFLATED: u16 = 8;

impl Member {
    /// The member as it is in the file.
    pub(in crate::container) fn packed<R: Read + Seek>(
        &self,
        source: R,
    ) -> Result<ByteRange<R>, ContainerError> {
        ByteRange::new(source, self.data.clone()).map_err(ContainerError::reading)
    }

    /// The member as it was before compression. Where its size and its checksum are not those that the
    /// ZIP file says, reading ends with [`ErrorKind::InvalidData`].
    pub(in crate::container) fn open<'s, R: Read + Seek>(
        &self,
        source: &'s mut R,
    ) -> Result<impl Read + use<'s, R>, ContainerError> {
        let packed = BufReader::new(self.packed(source)?);
        let bytes: Box<dyn Read + 's> = match self.method {
            STORED => Box::new(packed),
            DEFLATED => Box::new(DeflateDecoder::new(packed)),
            method => {
                let what = format_args!("compressed by method {method}; only deflate is read");
                return Err(ContainerError::of(&self.name, what));
            }
        };
        Ok(CheckedReader { bytes, left: self.size, expected: self.crc, crc: Crc::new() })
    }

    /// The same, in memory.
    pub(in crate::container) fn read(
        &self,
        source: &mut (impl Read + Seek),
    ) -> Result<Vec<u8>, ContainerError> {
        let mut bytes = Vec::new();
        match self.open(source)?.read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Err(ContainerError::of(&self.name, error))
            }
            Err(error) => Err(ContainerError::reading(error)),
        }
    }
}

/// Compares the bytes of a member with what the ZIP file says of them.
struct CheckedReader<R> {
    bytes: R,
    /// Bytes that are to come.
    left: u64,
    /// Their checksum.
    expected: u32,
    crc: Crc,
}

impl<R: Read> Read for CheckedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let damaged = |what| Err(io::Error::new(ErrorKind::InvalidData, what));
        let read = match self.bytes.read(into) {
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                return damaged("damaged: it cannot be decompressed");
            }
            read => read?,
        };
        self.crc.update(&into[..read]);
        let left = self.left.checked_sub(read as u64);
        let is_end = read == 0 && !into.is_empty();
        match left {
            Some(left) if !is_end || left == 0 => self.left = left,
            _ => return damaged("damaged: it has another size than the ZIP file says"),
        }
        if is_end && self.crc.sum() != self.expected {
            return damaged("damaged: its checksum is wrong");
        }
        Ok(read)
    }
}
