//! Writes gzip members.

use flate2::{Compress, Crc, FlushCompress, Status};

use super::level::Level;

/// Writes gzip members without time and name, with a reused compressor.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Made for the first members: clearing their state takes longer than compressing a small
    /// record. Two, as small records may have a level of their own.
    compress: Vec<(Level, Compress)>,
}

impl Members {
    /// Writes bytes as a member
    /// ([RFC 1952 section 2.3](https://www.rfc-editor.org/rfc/rfc1952#section-2.3)).
    #[expect(clippy::expect_used, reason = "memory takes all that is written to it")]
    pub(super) fn add(&mut self, out: &mut Vec<u8>, bytes: &[u8], level: Level) {
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
                members.add(&mut out, text, level);
                flate2::read::MultiGzDecoder::new(&out[..]).read_to_end(&mut read).unwrap();
                assert_eq!(read, text);
            }
        }
    }
}
