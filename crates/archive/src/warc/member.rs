//! Decompresses a gzip member or a Zstandard frame of an archive.

use std::io::{self, BufRead, Read};
use std::mem;

use absolve::Diagnosis;
use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::lookahead::LookaheadReader;
use super::options::ArchiveLimits;
use super::whole::WholeMemberDecoder;
use super::zstd;
use crate::codec::{Codec, HAS_CHECKSUM, gzip_data_offset, wrong_checksum};

/// Maximum bytes decompressed at a time. The decoder copies up to 32 KiB of each step into its
/// window, and is slow at the last 260 bytes of the step: 51 MB of pages took 53 ms, and 62 ms in
/// steps of 16 KiB.
const MAX_STEP_LEN: usize = 128 * 1024;

/// Maximum bytes of content before an error that are not returned.
const MAX_LOST_LEN: usize = 16 * 1024;

/// Maximum bytes of a header: enough for the largest extra field and a file name.
const MAX_HEADER_LEN: usize = 68 * 1024;

/// The decoder and the memory of a member, reused for the next member.
///
/// flate2's `GzDecoder` has a state of 48 KiB; allocating and clearing it took half of the time on
/// small records.
#[derive(Debug)]
pub(super) struct MemberBuffers {
    decoder: Decoder,
    whole: WholeMemberDecoder,
    /// The memory for content that is read ahead.
    content: Vec<u8>,
}

impl MemberBuffers {
    pub(super) fn new(codec: Codec, dictionary: Option<&zstd::Dictionary>) -> io::Result<Self> {
        let decoder = match codec {
            Codec::Gzip => Decoder::Gzip(Decompress::new(false)),
            Codec::Zstd => Decoder::Zstd(Box::new(zstd::Decoder::new(dictionary)?)),
        };
        Ok(Self { decoder, whole: WholeMemberDecoder::new(), content: Vec::new() })
    }

    /// Returns the codec of the members that they decompress.
    pub(super) fn codec(&self) -> Codec {
        self.decoder.codec()
    }
}

#[derive(Debug)]
enum Decoder {
    Gzip(Decompress),
    Zstd(Box<zstd::Decoder>),
}

impl Decoder {
    fn codec(&self) -> Codec {
        match self {
            Self::Gzip(_) => Codec::Gzip,
            Self::Zstd(_) => Codec::Zstd,
        }
    }
}

/// Reads the content of a gzip member or a Zstandard frame, with a limit on its growth. The
/// compressed bytes stay in the lookahead of the raw stream, for a search after damage.
#[derive(Debug)]
pub(super) struct Member<R> {
    raw: LookaheadReader<R>,
    buffers: MemberBuffers,
    crc: Crc,
    stage: Stage,
    /// The offset at which the member begins in the file.
    start: u64,
    /// Bytes of content so far.
    decompressed: u64,
    limits: ArchiveLimits,
}

/// The next bytes to read of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Header,
    Content,
    Trailer,
    End,
}

impl<R: Read> Member<R> {
    /// Opens the member that is ahead in `raw`.
    pub(super) fn open(
        raw: LookaheadReader<R>,
        mut buffers: MemberBuffers,
        limits: ArchiveLimits,
    ) -> LookaheadReader<Self> {
        if let Decoder::Gzip(inflate) = &mut buffers.decoder {
            inflate.reset(false);
        }
        let content = mem::take(&mut buffers.content);
        let (start, crc) = (raw.offset(), Crc::new());
        Self { raw, buffers, crc, stage: Stage::Header, start, decompressed: 0, limits }
            .into_reader(content)
    }

    /// Creates a reader of the content, all of which is ahead if it can be decompressed at once.
    fn into_reader(mut self, mut content: Vec<u8>) -> LookaheadReader<Self> {
        let mut length = 0;
        if self.buffers.codec() == Codec::Gzip {
            let max = self.limits.max_in_memory();
            match self.buffers.whole.read(&mut self.raw, &mut content, max) {
                Ok(Some(read)) => {
                    self.stage = Stage::End;
                    (self.decompressed, length) = (read as u64, read);
                }
                Ok(None) => {}
                // The bytes before the error are decompressed first, in steps.
                Err(error) => self.raw.fail_later(error),
            }
        }
        LookaheadReader::with_content(self, content, length)
    }

    /// Returns the offset at which the member begins in the file.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Returns the stream of compressed bytes.
    pub(super) fn raw(&mut self) -> &mut LookaheadReader<R> {
        &mut self.raw
    }

    /// Returns the bytes of content that the decoder keeps.
    pub(super) fn window_size(&self) -> u64 {
        match &self.buffers.decoder {
            Decoder::Gzip(_) => 0,
            Decoder::Zstd(decoder) => decoder.window_size().min(self.decompressed),
        }
    }

    /// Returns the stream, and the memory for another member.
    pub(super) fn into_parts(self, content: Vec<u8>) -> (LookaheadReader<R>, MemberBuffers) {
        (self.raw, MemberBuffers { content, ..self.buffers })
    }

    /// Reads the header, and verifies its checksum.
    fn read_header(&mut self) -> io::Result<()> {
        if let Decoder::Zstd(decoder) = &mut self.buffers.decoder {
            return decoder.begin_frame(&mut self.raw);
        }
        let end = loop {
            let ahead_len = self.raw.ahead().len();
            match gzip_data_offset(&self.raw.ahead()[..ahead_len.min(MAX_HEADER_LEN)]) {
                Some(end) if end <= ahead_len => break end,
                _ if ahead_len > MAX_HEADER_LEN => return Err(invalid("gzip header too long")),
                _ if self.raw.fill_to(ahead_len + 1)? == ahead_len => {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                _ => {}
            }
        };
        let header = &self.raw.ahead()[..end];
        if header[3] & HAS_CHECKSUM != 0 {
            let (header, expected) = header.split_at(end - 2);
            let mut crc = Crc::new();
            crc.update(header);
            if crc.sum().to_le_bytes()[..2] != *expected {
                return Err(wrong_checksum());
            }
        }
        self.raw.consume(end);
        Ok(())
    }

    /// Decompresses the next bytes; 0 at the end of the compressed data.
    fn read_content(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let inflate = match &mut self.buffers.decoder {
            Decoder::Gzip(inflate) => inflate,
            Decoder::Zstd(decoder) => {
                let max = buf.len().min(MAX_LOST_LEN);
                let read = decoder.read(&mut self.raw, &mut buf[..max])?;
                if read == 0 {
                    self.stage = Stage::End;
                }
                return Ok(read);
            }
        };
        loop {
            let input = self.raw.fill_buf()?;
            let is_last = input.is_empty();
            let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
            let flush = if is_last { FlushDecompress::Finish } else { FlushDecompress::None };
            let status = inflate.decompress(input, buf, flush);
            // The differences are at most the lengths of the slices.
            let count = |now: u64, before: u64| usize::try_from(now - before).unwrap_or_default();
            self.raw.consume(count(inflate.total_in(), before_in));
            let mut written = count(inflate.total_out(), before_out);
            // Rounds down, so that the bytes before an error do not depend on the length of a step.
            if status.is_err() {
                written -= written % MAX_LOST_LEN;
            }
            match status {
                Err(_) if written == 0 => return Err(invalid("corrupt deflate stream")),
                Ok(Status::StreamEnd) => self.stage = Stage::Trailer,
                _ if written > 0 => {}
                _ if is_last => return Err(io::ErrorKind::UnexpectedEof.into()),
                _ => continue,
            }
            self.crc.update(&buf[..written]);
            return Ok(written);
        }
    }

    /// Compares the checksum and the length in the trailer with those of the content.
    fn check_trailer(&mut self) -> io::Result<()> {
        let mut trailer = [0; 8];
        self.raw.read_exact(&mut trailer)?;
        let sums = [self.crc.sum().to_le_bytes(), self.crc.amount().to_le_bytes()];
        if sums.concat() == trailer { Ok(()) } else { Err(wrong_checksum()) }
    }

    /// Fails if the content exceeds the ratio to the compressed bytes, plus the limit for a record.
    fn check_growth(&mut self, read: usize) -> io::Result<()> {
        self.decompressed += read as u64;
        let used = self.raw.offset() + self.raw.consumed().len() as u64 - self.start;
        let ratio = self.limits.max_growth();
        let bound = used.saturating_mul(ratio).saturating_add(self.limits.max_in_memory() as u64);
        if self.decompressed <= bound {
            return Ok(());
        }
        let why =
            format!("it grows to more than {ratio} times its size, the limit for compressed data");
        let why = Diagnosis::new(why).advising(ArchiveLimits::advice("ratio"));
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }
}

impl<R: Read> Read for Member<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if self.stage == Stage::Header {
            // The member ends after an error in the header.
            self.stage = Stage::End;
            self.read_header()?;
            self.stage = Stage::Content;
        }
        if self.stage == Stage::Content {
            let max = buf.len().min(MAX_STEP_LEN);
            let read = self.read_content(&mut buf[..max])?;
            self.check_growth(read)?;
            if read > 0 {
                return Ok(read);
            }
        }
        if self.stage == Stage::Trailer {
            self.stage = Stage::End;
            self.check_trailer()?;
        }
        Ok(0)
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn an_error_loses_few_bytes() {
        let text: Vec<u8> = (0..40_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&text).unwrap();
        encoder.flush().unwrap();
        let damaged = [encoder.get_ref(), &b"\xff"[..]].concat();
        let buffers = MemberBuffers::new(Codec::Gzip, None).unwrap();
        let raw = LookaheadReader::new(&damaged[..], Vec::new());
        let mut content = Member::open(raw, buffers, ArchiveLimits::default());
        let error = content.fill_to(text.len() + 1).unwrap_err();
        assert_eq!(error.to_string(), "corrupt deflate stream");
        let read = content.ahead();
        assert!(text.starts_with(read) && text.len() - read.len() < MAX_LOST_LEN, "{}", read.len());
    }
}
