//! Finds the end of a record, and the next record after damage.

use std::io::{self, Read};

use absolve::{Diagnosis, internal::format_amount};
use flate2::bufread::DeflateDecoder;
use memchr::{memchr, memchr_iter, memmem};

use super::super::signature::{ARC, ARC_MAGIC, Hint};
use super::capture::Capture;
use super::lookahead::LookaheadReader;
use super::options::{ArchiveLimits, RecordOptions, RecordUse};
use super::record::{self, RECORD_MAGIC, Record, RecordPosition, begins_as_record};
use super::unread::RecordProblem;
use super::zstd;
use crate::codec::{Codec, GZIP_MAGIC, ZSTD_MAGIC, gzip_data_offset};

/// Maximum bytes of line ends after a record; the standard demands two line ends.
const MAX_LINE_ENDS: usize = 64;

/// Maximum bytes of the block of a large record that are inspected to classify it.
const MAX_INSPECTED: usize = 64 * 1024;

/// A record that begins in the lookahead.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) extent: Extent,
    pub(super) kind: SpanKind,
    pub(super) capture: Option<Box<Capture>>,
}

/// The kind of a span of an archive.
#[derive(Debug)]
pub(super) enum SpanKind {
    /// A record whose document is read, with its parsed heads unless they are large.
    Page(Option<Box<Record<'static>>>),
    /// Another record.
    Other,
    /// Bytes that are not a record.
    Junk,
}

impl SpanKind {
    pub(super) fn is_page(&self) -> bool {
        matches!(self, Self::Page(_))
    }

    /// Returns the bytes of memory that the parsed heads take.
    pub(super) fn mem_size(&self) -> usize {
        match self {
            Self::Page(Some(record)) => record.mem_size(),
            _ => 0,
        }
    }

    pub(super) fn is_junk(&self) -> bool {
        matches!(self, Self::Junk)
    }
}

/// The extent of a record in the archive.
#[derive(Debug)]
pub(super) enum Extent {
    /// The end in the lookahead of a record within the limit for memory, after its line ends.
    Complete(usize),
    /// The bytes of the head and the block of a record that exceeds the limit for memory.
    Large(u64),
}

/// The reason why no record was read.
#[derive(Debug)]
pub(super) enum FrameError {
    /// The stream failed.
    Read(io::Error),
    /// The next bytes are not a record.
    Damage(RecordProblem),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<&str> for FrameError {
    fn from(why: &str) -> Self {
        Self::Damage(RecordProblem::damaged(why))
    }
}

/// Reads the record at this position, which begins `from` bytes ahead, and finds its end.
pub(super) fn read_frame<S: Read>(
    reader: &mut LookaheadReader<S>,
    from: usize,
    position: RecordPosition,
    options: &RecordOptions,
) -> Result<Frame, FrameError> {
    let limits = &options.limits;
    let head_end = find_head_end(reader, from, limits)?;
    let fields = record::parse_fields(&reader.ahead()[from..head_end])?;
    let length = record::parse_block_length(&fields)?;
    let fields = fields.move_to(b"");
    let new_frame = |text, extent| {
        Frame::new(&Record::new(&fields, text, head_end - from), position, extent, options)
    };
    if length > limits.max_in_memory() as u64 {
        let length = ((head_end - from) as u64).checked_add(length);
        let length = length.ok_or("its Content-Length is not a number")?;
        let end = reader.fill_to(head_end + MAX_INSPECTED)?;
        return Ok(new_frame(&reader.ahead()[from..end], Extent::Large(length)));
    }
    let end = head_end + usize::try_from(length).unwrap_or(usize::MAX / 2);
    if reader.fill_to(end)? < end {
        return Err("record is truncated: the file or its compressed member ends inside it".into());
    }
    let ends = count_line_ends(reader, end)?;
    reader.fill_to(end + ends + RECORD_MAGIC.len())?;
    let after = &reader.ahead()[end..];
    let has_end = after.starts_with(b"\r\n\r\n") || after.starts_with(b"\n\n");
    if !has_end && !may_begin(&after[ends..]) {
        return Err("its Content-Length is wrong: no record ends where it says".into());
    }
    // HTTP is parsed after these checks, so a wrong length costs only the parsing of a head.
    Ok(new_frame(&reader.ahead()[from..end], Extent::Complete(end + ends)))
}

impl Frame {
    /// Creates the frame of a record; only the beginning of a large record is in memory.
    fn new(
        record: &Record<'_>,
        position: RecordPosition,
        extent: Extent,
        options: &RecordOptions,
    ) -> Self {
        let (mut kind, mut capture) = (SpanKind::Other, None);
        match options.record_use {
            RecordUse::Documents if options.selection.is_read(record) => {
                kind = SpanKind::Page(record.cache_heads());
            }
            RecordUse::Documents => {}
            RecordUse::Captures => {
                let is_in_memory = matches!(extent, Extent::Complete(_));
                capture = Capture::from_record(record, position, is_in_memory, &options.selection);
            }
        }
        Self { extent, kind, capture: capture.map(Box::new) }
    }
}

/// Finds the end of the head that begins `from` bytes ahead.
fn find_head_end<S: Read>(
    reader: &mut LookaheadReader<S>,
    from: usize,
    limits: &ArchiveLimits,
) -> Result<usize, FrameError> {
    reader.fill_to(from + ARC_MAGIC.len())?;
    let ahead = &reader.ahead()[from..];
    if !begins_as_record(ahead) {
        let arc = format!("{ARC}; {}", Hint::Convert.text());
        return Err(match Codec::detect(ahead) {
            // The enclosing member is open already, so this is a second compression.
            Some(_) => "it is compressed twice; decompress it once",
            None if ahead.starts_with(ARC_MAGIC) => &arc,
            None => return Err(FrameError::Damage(RecordProblem::NoRecord)),
        }
        .into());
    }
    let mut at = from;
    loop {
        while let Some(end) = memchr(b'\n', &reader.ahead()[at..]) {
            let line = &reader.ahead()[at..at + end];
            let is_last = line.is_empty() || line == b"\r";
            // A line that begins like a record is no field, so no byte belongs to two heads.
            if at > from && begins_as_record(line) {
                return Err("record is truncated: another begins inside it".into());
            }
            at += end + 1;
            if ArchiveLimits::exceeds(limits.head, (at - from) as u64) {
                break;
            }
            if is_last {
                return Ok(at);
            }
        }
        let ahead_len = reader.ahead().len();
        if ArchiveLimits::exceeds(limits.head, (ahead_len.max(at) - from) as u64) {
            let max = format_amount(limits.head, "bytes");
            let why = format!("its header exceeds {max}, the limit for headers of records");
            let why = Diagnosis::new(why).advising(ArchiveLimits::advice("record-header"));
            return Err(FrameError::Damage(RecordProblem::Damaged(why)));
        }
        if reader.fill_to(ahead_len + 1)? == ahead_len {
            return Err(
                "record is truncated: the file or its compressed member ends inside its head"
                    .into(),
            );
        }
    }
}

/// Counts the bytes of line ends that begin `from` bytes ahead.
pub(super) fn count_line_ends<S: Read>(
    reader: &mut LookaheadReader<S>,
    from: usize,
) -> io::Result<usize> {
    let end = reader.fill_to(from + MAX_LINE_ENDS)?;
    Ok(reader.ahead()[from..end].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count())
}

/// Whether bytes may begin a record or a compressed member; `true` if they are empty or cut off.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let begins = |with: &[u8]| bytes.iter().zip(with).all(|(a, b)| a.eq_ignore_ascii_case(b));
    [RECORD_MAGIC, GZIP_MAGIC, ZSTD_MAGIC].into_iter().any(begins)
        || zstd::skippable_frame_size(bytes).is_some()
}

/// Finds the next record after the first byte, at the start of a line.
pub(super) fn find_next_in_text(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'\n', bytes).map(|end| end + 1).find(|&at| begins_as_record(&bytes[at..]))
}

/// Finds the next record or compressed member after the first byte.
pub(super) fn find_next_start(bytes: &[u8]) -> Option<usize> {
    let line = find_next_in_text(bytes);
    let before = &bytes[..line.unwrap_or(bytes.len())];
    find_member_within(before, bytes).or(line)
}

/// Finds the next compressed member after the first byte; a gzip member must begin with a record.
pub(super) fn find_next_member(bytes: &[u8]) -> Option<usize> {
    find_member_within(bytes, bytes)
}

/// Like [`find_next_member`], for a member that begins in `first`, a prefix of `bytes`.
fn find_member_within(first: &[u8], bytes: &[u8]) -> Option<usize> {
    let gzip = || memmem::find_iter(first, GZIP_MAGIC);
    let gzip = gzip().find(|&at| at > 0 && is_member(&bytes[at..]));
    // The four bytes of the magic number occur by chance once in 4 GiB, so no check follows.
    let zstd = memmem::find_iter(first, ZSTD_MAGIC).find(|&at| at > 0);
    gzip.into_iter().chain(zstd).min()
}

/// Whether bytes begin with a gzip member that begins with a record.
///
/// The magic number of gzip also occurs in other data: by chance once in 16 MiB of compressed data,
/// and often in hostile files.
fn is_member(bytes: &[u8]) -> bool {
    const RESERVED: u8 = 0xe0;
    let header = &bytes[..bytes.len().min(MAX_MEMBER_HEADER)];
    let Some(data) = gzip_data_offset(header) else { return false };
    // Block type 3 is reserved.
    if bytes[3] & RESERVED != 0 || bytes.get(data).is_none_or(|block| block & 6 == 6) {
        return false;
    }
    let mut begin = [0; RECORD_MAGIC.len()];
    DeflateDecoder::new(&bytes[data..]).read_exact(&mut begin).is_ok() && begins_as_record(&begin)
}

/// Maximum bytes of a gzip header in the search after damage: a file name fits, and false hits
/// cost little.
const MAX_MEMBER_HEADER: usize = 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    #[track_caller]
    fn assert_begins(builder: GzBuilder, content: &[u8], expected: bool) {
        let mut encoder = builder.write(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        let member = encoder.finish().unwrap();
        assert_eq!(is_member(&member), expected, "{member:?}");
        for end in 0..=12 {
            assert!(!is_member(&member[..end]), "{end} bytes");
        }
    }

    #[test]
    fn a_member_is_known_whatever_its_header_has() {
        assert_begins(GzBuilder::new(), b"WARC/1.0\r\n", true);
        assert_begins(GzBuilder::new(), b"warc/1.0\r\n", true);
        assert_begins(GzBuilder::new(), b"WORD/1.0\r\n", false);
        let full = || GzBuilder::new().extra([0; 20]).filename("a.warc").comment("b").mtime(1);
        assert_begins(full(), b"WARC/1.0\r\n", true);
        assert_begins(full(), b"WARC", false);
        assert_begins(GzBuilder::new().filename([b'a'; 2000]), b"WARC/1.0\r\n", false);
    }
}
