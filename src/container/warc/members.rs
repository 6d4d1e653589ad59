//! Writes compressed members.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use flate2::{Compress, Crc, FlushCompress, Status};

use super::codec::Codec;
use super::level::Level;
use super::zstd::{self, StoredFrame};

/// Writes gzip members without time and name, with reused compressors, and Zstandard frames.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Made for the first members: clearing their state takes longer than compressing a small
    /// record. Two, as small records may have a level of their own.
    compress: Vec<(Level, Compress)>,
}

impl Members {
    /// Writes bytes as a member.
    pub(super) fn add(&mut self, out: &mut Vec<u8>, bytes: &[u8], codec: Codec, level: Level) {
        match codec {
            Codec::Gzip => self.add_gzip(out, bytes, level),
            Codec::Zstd => zstd::compress(out, bytes),
        }
    }

    /// Writes a gzip member
    /// ([RFC 1952 section 2.3](https://www.rfc-editor.org/rfc/rfc1952#section-2.3)).
    #[expect(clippy::expect_used, reason = "memory takes all that is written to it")]
    fn add_gzip(&mut self, out: &mut Vec<u8>, bytes: &[u8], level: Level) {
        const UNKNOWN_SYSTEM: u8 = 255;
        out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, UNKNOWN_SYSTEM]);
        let compress = self.compressor(level.of_size(bytes.len()));
        loop {
            let read = usize::try_from(compress.total_in()).unwrap_or(bytes.len());
            out.reserve((bytes.len() - read) / 2 + 64);
            let status = compress.compress_vec(&bytes[read..], out, FlushCompress::Finish);
            if status.expect("BUG: writing to memory failed") == Status::StreamEnd {
                break;
            }
        }
        let mut crc = Crc::new();
        crc.update(bytes);
        out.extend_from_slice(&crc.sum().to_le_bytes());
        out.extend_from_slice(&crc.amount().to_le_bytes());
    }

    /// The compressor, ready for a member.
    fn compressor(&mut self, level: Level) -> &mut Compress {
        let found = self.compress.iter().position(|(found, _)| *found == level);
        let found = found.unwrap_or_else(|| {
            self.compress.truncate(1);
            self.compress.push((level, Compress::new(level.compression(), false)));
            self.compress.len() - 1
        });
        let (_, compress) = &mut self.compress[found];
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
    pub(super) fn new(codec: Codec, level: Level) -> Self {
        match codec {
            Codec::Gzip => Self::Gzip(Box::new(GzEncoder::new(Vec::new(), level.compression()))),
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
            for level in [1, 9].map(|number| Level::new(number).unwrap()) {
                let (mut out, mut read) = (Vec::new(), Vec::new());
                members.add(&mut out, text, Codec::Gzip, level);
                flate2::read::MultiGzDecoder::new(&out[..]).read_to_end(&mut read).unwrap();
                assert_eq!(read, text);
            }
        }
    }
}
