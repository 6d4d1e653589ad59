//! Writes compressed members.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};

use super::codec::Codec;
use super::new_record::{reader, total};
use super::zstd::{self, StoredFrame};

/// Bytes that are copied into one part: compressors make a little less of parts.
const COPIED: usize = 64 * 1024;

/// Bytes of a member that memory is reserved for at a time: a result waits to be written with all that
/// is reserved for it.
const RESERVED: usize = 64 * 1024;

/// The level of gzip, from 1 (fast) to 9 (small).
///
/// On 60 MB of HTML it took 0.30 s of CPU time, and 6, the default of gzip, 0.47 s for 4 % fewer bytes.
/// libdeflate took 0.24 s at level 4, for the same size, and ISA-L 0.14 s at its level 3, for 11 % more
/// bytes; reading took 0.044 s, with libdeflate 0.032 s and with ISA-L 0.036 s. Both are written in C,
/// and ISA-L in assembler.
const LEVEL: Compression = Compression::new(4);

/// Maximum bytes of a small record, which has level 1: 20,000 of 300 bytes took 0.10 s, and 0.24 s at
/// level 4, for 15 % fewer bytes.
const SMALL: usize = 1024;

/// Writes gzip members without time and name, with reused compressors, and Zstandard frames.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Made for the first members: clearing their state takes longer than compressing a small
    /// record.
    compress: Option<Compress>,
    /// The same for small records.
    compress_small: Option<Compress>,
}

impl Members {
    /// Parts, one after the other, as a member.
    pub(super) fn compress(&mut self, parts: &[&[u8]], codec: Codec) -> Vec<u8> {
        let mut out = Vec::new();
        match codec {
            Codec::Gzip => self.add_gzip(&mut out, parts),
            Codec::Zstd => zstd::compress(&mut out, reader(parts)),
        }
        out
    }

    /// Writes a gzip member
    /// ([RFC 1952 section 2.3](https://www.rfc-editor.org/rfc/rfc1952#section-2.3)).
    #[expect(clippy::expect_used, reason = "memory takes all that is written to it")]
    fn add_gzip(&mut self, out: &mut Vec<u8>, parts: &[&[u8]]) {
        const UNKNOWN_SYSTEM: u8 = 255;
        out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, UNKNOWN_SYSTEM]);
        let mut left = total(parts);
        let copy = if left <= COPIED { parts.concat() } else { Vec::new() };
        let copied = [&*copy];
        let parts = if left <= COPIED { &copied } else { parts };
        let compress = self.compressor(left);
        let (mut crc, mut parts) = (Crc::new(), parts.iter().copied());
        let mut part = parts.next().unwrap_or_default();
        loop {
            out.reserve((left / 2).min(RESERVED) + 64);
            let is_last = part.len() == left;
            let flush = if is_last { FlushCompress::Finish } else { FlushCompress::None };
            let before = compress.total_in();
            let status = compress.compress_vec(part, out, flush);
            let read = usize::try_from(compress.total_in() - before).unwrap_or(part.len());
            crc.update(&part[..read]);
            if status.expect("BUG: writing to memory failed") == Status::StreamEnd {
                break;
            }
            (part, left) = (&part[read..], left - read);
            if part.is_empty() {
                part = parts.next().unwrap_or_default();
            }
        }
        out.extend_from_slice(&crc.sum().to_le_bytes());
        out.extend_from_slice(&crc.amount().to_le_bytes());
    }

    /// The compressor, ready for a member of a record of this size.
    fn compressor(&mut self, size: usize) -> &mut Compress {
        let (compress, level) = if size <= SMALL {
            (&mut self.compress_small, Compression::fast())
        } else {
            (&mut self.compress, LEVEL)
        };
        let compress = compress.get_or_insert_with(|| Compress::new(level, false));
        compress.reset();
        compress
    }
}

/// A member that is written as its bytes come.
#[derive(Debug)]
pub(super) enum OpenMember {
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Zstd(StoredFrame),
}

impl OpenMember {
    pub(super) fn new(codec: Codec) -> Self {
        match codec {
            Codec::Gzip => Self::Gzip(Box::new(GzEncoder::new(Vec::new(), LEVEL))),
            Codec::Zstd => Self::Zstd(StoredFrame::new()),
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(frame) => {
                frame.write(bytes);
                Ok(())
            }
        }
    }

    /// Ends the member.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Gzip(encoder) => encoder.try_finish(),
            Self::Zstd(frame) => {
                frame.finish();
                Ok(())
            }
        }
    }

    /// What is written of it and was not taken.
    pub(super) fn written(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Gzip(encoder) => encoder.get_mut(),
            Self::Zstd(frame) => &mut frame.out,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn members_are_read_again() {
        let mut members = Members::default();
        let long = vec![b'x'; 100_000];
        for text in [&b""[..], b"a", &long, b"WARC/1.0\r\n"] {
            let mut read = Vec::new();
            let parts = [b"", text, &long[..9], b"", &long[..0]];
            let out = members.compress(&parts, Codec::Gzip);
            flate2::read::MultiGzDecoder::new(&out[..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, parts.concat());
        }
    }
}
