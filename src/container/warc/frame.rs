//! Finds the end of a record, and the next record after damage.

use std::io::{self, Read};

use flate2::bufread::DeflateDecoder;
use memchr::{memchr, memmem};

use super::super::signature::{ARC, ARC_BEGINS, Advice};
use super::codec::{GZIP_MAGIC, ZSTD_MAGIC, gzip_data};
use super::limits::ArchiveLimits;
use super::lookahead::LookaheadReader;
use super::record::{BEGINS, Record, RecordPlace, RecordPosition};
use super::record_info::RecordInfo;
use super::record_type::{Interest, PayloadKind, RecordOptions};
use super::zstd;
use crate::error::amount;

/// The problem of bytes that do not begin as a record does.
pub(super) const NO_RECORD: &str = "expected a record that begins with WARC/";

/// Maximum bytes of line ends after a record. The standard has two line ends.
const ENDS: usize = 64;

/// Bytes of the block of a large record that are inspected to classify it.
const GLANCE: usize = 64 * 1024;

/// A record in the lookahead.
#[derive(Debug)]
pub(super) enum Frame {
    /// It fits into the limit for memory.
    Complete {
        /// Bytes up to the next record.
        end: usize,
        payload: PayloadKind,
        info: Option<RecordInfo>,
    },
    /// It exceeds the limit for memory.
    Large {
        /// Bytes of its head and its block.
        length: u64,
        payload: PayloadKind,
        info: Option<RecordInfo>,
    },
}

/// Why there is no record.
#[derive(Debug)]
pub(super) enum FrameError {
    /// The stream failed.
    Read(io::Error),
    /// The next bytes are not a record.
    Damage(String),
}

impl From<io::Error> for FrameError {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<&str> for FrameError {
    fn from(why: &str) -> Self {
        Self::Damage(why.to_owned())
    }
}

/// The record at this position, which begins `from` bytes ahead.
pub(super) fn frame<S: Read>(
    reader: &mut LookaheadReader<S>,
    from: usize,
    position: RecordPosition,
    options: &RecordOptions,
) -> Result<Frame, FrameError> {
    let limits = &options.limits;
    let head = head(reader, from, limits)?;
    let length = Record::parse_head(&reader.ahead()[from..head])?.length()?;
    if length > limits.max_in_memory() as u64 {
        let length = ((head - from) as u64).checked_add(length);
        let length = length.ok_or("its Content-Length is not a number")?;
        let end = reader.ensure(head + GLANCE)?;
        let place = RecordPlace { position, length, has_block: false };
        let (payload, info) = classified(&reader.ahead()[from..end], head - from, place, options)?;
        return Ok(Frame::Large { length, payload, info });
    }
    let end = head + usize::try_from(length).unwrap_or(usize::MAX / 2);
    if reader.ensure(end)? < end {
        return Err("record is truncated: the file or its compressed member ends inside it".into());
    }
    let ends = line_ends(reader, end)?;
    reader.ensure(end + ends + BEGINS.len())?;
    let after = &reader.ahead()[end..];
    let has_end = after.starts_with(b"\r\n\r\n") || after.starts_with(b"\n\n");
    if !has_end && !may_begin(&after[ends..]) {
        return Err("its Content-Length is wrong: no record ends where it says".into());
    }
    // Parsed only now, so that a record with a wrong length costs nothing more.
    let place = RecordPlace { position, length: (end - from) as u64, has_block: true };
    let (payload, info) = classified(&reader.ahead()[from..end], head - from, place, options)?;
    Ok(Frame::Complete { end: end + ends, payload, info })
}

/// The kind of a record's payload, and what is kept of it. An index reads HTTP by rules of its own.
fn classified(
    text: &[u8],
    head: usize,
    place: RecordPlace,
    options: &RecordOptions,
) -> Result<(PayloadKind, Option<RecordInfo>), &'static str> {
    let mut record = Record::parse_head(&text[..head])?.with_block(&text[head..]);
    if options.interest != Interest::Index {
        record = record.with_response();
    }
    let payload = PayloadKind::of(&record, options);
    Ok((payload, RecordInfo::of(&record, place, payload, options)))
}

/// The end of the head that begins `from` bytes ahead.
fn head<S: Read>(
    reader: &mut LookaheadReader<S>,
    from: usize,
    limits: &ArchiveLimits,
) -> Result<usize, FrameError> {
    reader.ensure(from + ARC_BEGINS.len())?;
    let ahead = &reader.ahead()[from..];
    if !ahead.starts_with(BEGINS) {
        let arc = format!("{ARC}; {}", Advice::Convert.text());
        return Err(if ahead.starts_with(ARC_BEGINS) { &*arc } else { NO_RECORD }.into());
    }
    let mut at = from;
    loop {
        while let Some(end) = memchr(b'\n', &reader.ahead()[at..]) {
            let line = &reader.ahead()[at..at + end];
            let is_last = line.is_empty() || line == b"\r";
            // No field has such a name; so each byte belongs to one head only.
            if at > from && line.starts_with(BEGINS) {
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
        let known = reader.ahead().len();
        if ArchiveLimits::exceeds(limits.head, (known.max(at) - from) as u64) {
            let most = amount(limits.head, "bytes");
            let why = format!("its header exceeds {most}, the limit for headers of records");
            return Err(FrameError::Damage(why));
        }
        if reader.ensure(known + 1)? == known {
            return Err(
                "record is truncated: the file or its compressed member ends inside its head"
                    .into(),
            );
        }
    }
}

/// How many bytes of line ends there are, `from` bytes ahead.
pub(super) fn line_ends<S: Read>(
    reader: &mut LookaheadReader<S>,
    from: usize,
) -> io::Result<usize> {
    let there = reader.ensure(from + ENDS)?;
    Ok(reader.ahead()[from..there].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count())
}

/// Whether bytes are empty or may begin a record or a compressed member.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let begins = |with: &[u8]| bytes.iter().zip(with).all(|(a, b)| a == b);
    [BEGINS, GZIP_MAGIC, ZSTD_MAGIC].into_iter().any(begins) || zstd::skippable(bytes).is_some()
}

/// The offset of the next record after the first byte: at the start of a line.
pub(super) fn next_in_text(bytes: &[u8]) -> Option<usize> {
    memmem::find(bytes, b"\nWARC/").map(|at| at + 1)
}

/// The offset of the next record, or compressed member with one, after the first byte.
pub(super) fn next_start(bytes: &[u8]) -> Option<usize> {
    let line = next_in_text(bytes);
    let before = &bytes[..line.unwrap_or(bytes.len())];
    next_member_within(before, bytes).or(line)
}

/// The offset of the next compressed member after the first byte; a gzip member has a record.
pub(super) fn next_member(bytes: &[u8]) -> Option<usize> {
    next_member_within(bytes, bytes)
}

/// Like [`next_member`], for one that begins in `first`.
fn next_member_within(first: &[u8], bytes: &[u8]) -> Option<usize> {
    let gzip = || memmem::find_iter(first, GZIP_MAGIC);
    let gzip = gzip().find(|&at| at > 0 && is_member(&bytes[at..]));
    // Its four bytes occur by chance once in 4 GiB.
    let zstd = memmem::find_iter(first, ZSTD_MAGIC).find(|&at| at > 0);
    gzip.into_iter().chain(zstd).min()
}

/// Whether a gzip member with a record begins here.
///
/// The magic bytes also occur in other data: by chance once in 16 MiB of compressed data, and in
/// hostile files often.
fn is_member(bytes: &[u8]) -> bool {
    const RESERVED: u8 = 0xe0;
    let Some(data) = gzip_data(&bytes[..bytes.len().min(MEMBER_HEADER)]) else { return false };
    // Block type 3 is reserved.
    if bytes[3] & RESERVED != 0 || bytes.get(data).is_none_or(|block| block & 6 == 6) {
        return false;
    }
    let mut begin = [0; BEGINS.len()];
    DeflateDecoder::new(&bytes[data..]).read_exact(&mut begin).is_ok() && begin == BEGINS
}

/// Maximum bytes of a gzip header in the search after damage: a file name fits, and false hits
/// cost little.
const MEMBER_HEADER: usize = 1024;

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder};

    use super::*;

    #[track_caller]
    fn begins(builder: GzBuilder, content: &[u8], expected: bool) {
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
        begins(GzBuilder::new(), b"WARC/1.0\r\n", true);
        begins(GzBuilder::new(), b"WORD/1.0\r\n", false);
        let full = || GzBuilder::new().extra([0; 20]).filename("a.warc").comment("b").mtime(1);
        begins(full(), b"WARC/1.0\r\n", true);
        begins(full(), b"WARC", false);
        begins(GzBuilder::new().filename([b'a'; 2000]), b"WARC/1.0\r\n", false);
    }
}
