//! Compresses the bytes of a new member.

use std::io::{self, Write};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

use super::{DEFLATED, STORED};
use crate::container::ContainerError;

/// What the records of a new member say of its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::container) struct Record {
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) size: u64,
    pub(super) packed: u64,
}

/// Compresses what is written to it.
pub(in crate::container) struct Encoder<W: Write> {
    output: Method<W>,
    crc: Crc,
    size: u64,
}

enum Method<W: Write> {
    Stored(W),
    Deflated(DeflateEncoder<W>),
}

/// A new member in memory, compressed.
#[derive(Debug)]
pub(in crate::container) struct NewMember {
    pub(super) record: Record,
    pub(super) bytes: Vec<u8>,
}

impl NewMember {
    /// Deflates the bytes, or stores them if that is the method.
    pub(in crate::container) fn new(bytes: &[u8], method: u16) -> Result<Self, ContainerError> {
        let mut encoder = Encoder::new(Vec::new(), method);
        let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
        let (bytes, record) = packed.map_err(ContainerError::Write)?;
        Ok(Self { record, bytes })
    }
}

impl<W: Write> Encoder<W> {
    pub(super) fn new(output: W, method: u16) -> Self {
        let output = match method {
            DEFLATED => Method::Deflated(DeflateEncoder::new(output, Compression::default())),
            _ => Method::Stored(output),
        };
        Self { output, crc: Crc::new(), size: 0 }
    }

    /// Writes what is not written yet.
    pub(in crate::container) fn finish(self) -> io::Result<(W, Record)> {
        let Self { output, crc, size } = self;
        let (output, method, packed) = match output {
            Method::Stored(output) => (output, STORED, size),
            Method::Deflated(mut encoder) => {
                encoder.try_finish()?;
                let packed = encoder.total_out();
                (encoder.finish()?, DEFLATED, packed)
            }
        };
        Ok((output, Record { method, crc: crc.sum(), size, packed }))
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.output {
            Method::Stored(output) => output.write(bytes),
            Method::Deflated(encoder) => encoder.write(bytes),
        }?;
        self.crc.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.output {
            Method::Stored(output) => output.flush(),
            Method::Deflated(encoder) => encoder.flush(),
        }
    }
}
