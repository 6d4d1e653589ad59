//! The bytes of a member, decompressed and compressed.

use std::io::{self, Read, Seek, Write};

use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use crate::container::ContainerError;
use crate::container::directory::Member;
use crate::container::stored::ByteRange;
use crate::link::Limits;

/// The methods of compression that a book may have.
const STORED: u16 = 0;
pub(super) const DEFLATED: u16 = 8;

impl Member {
    /// Reads the member; its size and checksum have to be those that the ZIP file says.
    pub(super) fn read(
        &self,
        source: &mut (impl Read + Seek),
        limits: &Limits,
    ) -> Result<Vec<u8>, ContainerError> {
        let invalid = |what: &dyn std::fmt::Display| ContainerError::of(&self.name, what);
        if self.is_encrypted() {
            return Err(invalid(&"encrypted; decrypt the book first"));
        }
        if let Err(error) = limits.check_input(self.size) {
            return Err(invalid(&error));
        }
        let packed = ByteRange::new(source, self.data.clone()).map_err(ContainerError::reading)?;
        let mut packed = io::BufReader::new(packed);
        let mut bytes = Vec::new();
        // One byte more shows a member that is larger than it says.
        let most = self.size + 1;
        match self.method {
            STORED => {
                packed.take(most).read_to_end(&mut bytes).map_err(ContainerError::reading)?;
            }
            DEFLATED => {
                let read = DeflateDecoder::new(&mut packed).take(most).read_to_end(&mut bytes);
                read.map_err(|_| invalid(&"damaged: it cannot be decompressed"))?;
            }
            method => {
                return Err(invalid(&format_args!(
                    "compressed by method {method}; a book has deflate alone"
                )));
            }
        }
        let mut crc = Crc::new();
        crc.update(&bytes);
        if bytes.len() as u64 != self.size {
            return Err(invalid(&"damaged: it has another size than the ZIP file says"));
        }
        if crc.sum() != self.crc {
            return Err(invalid(&"damaged: its checksum is wrong"));
        }
        Ok(bytes)
    }
}

/// A member that is written anew.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) size: u32,
    pub(super) bytes: Vec<u8>,
}

impl Packed {
    /// Compresses a member.
    pub(super) fn deflated(bytes: &[u8]) -> Result<Self, ContainerError> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
        Self::of(bytes, DEFLATED, packed.map_err(ContainerError::Write)?)
    }

    /// A member that is not compressed.
    pub(super) fn stored(bytes: &[u8]) -> Result<Self, ContainerError> {
        Self::of(bytes, STORED, bytes.to_owned())
    }

    fn of(bytes: &[u8], method: u16, packed: Vec<u8>) -> Result<Self, ContainerError> {
        let too_large =
            |_| ContainerError::Write(io::Error::other("a member is larger than 4 GiB"));
        let size = u32::try_from(bytes.len()).map_err(too_large)?;
        let mut crc = Crc::new();
        crc.update(bytes);
        Ok(Self { method, crc: crc.sum(), size, bytes: packed })
    }
}
