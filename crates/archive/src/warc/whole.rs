//! Decompresses a gzip member in one call, by libdeflate, if the whole member is in memory.
//!
//! libdeflate took 37 ms for 51 MB of pages in 530 members, and zlib-rs 53 ms. It is written in C,
//! so only the Python package has it: the command would need a C compiler.

use std::fmt;
use std::io::{self, Read};

use libdeflater::{Decompressor, crc32};
use memchr::memmem;

use super::lookahead::LookaheadReader;
use crate::codec::{GZIP_MAGIC, HAS_CHECKSUM, gzip_data_offset};

/// Maximum bytes of the content: larger members are decompressed in steps.
const MAX_CONTENT: usize = 4 << 20;

/// Maximum compressed bytes in which the end of the member is searched.
const MAX_COMPRESSED: usize = 1 << 20;

/// Minimum bytes of a member: a header of 10 bytes, 2 compressed bytes, and the trailer.
const MIN_MEMBER_LEN: usize = 20;

/// Bytes after the compressed data: the checksum and the length
/// ([RFC 1952 section 2.3.1](https://www.rfc-editor.org/rfc/rfc1952#page-8)).
const TRAILER_LEN: usize = 8;

/// A decoder that decompresses a whole member in one call.
pub(super) struct WholeMemberDecoder(Decompressor);

impl fmt::Debug for WholeMemberDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WholeMemberDecoder")
    }
}

impl WholeMemberDecoder {
    pub(super) fn new() -> Self {
        Self(Decompressor::new())
    }

    /// Decompresses the member that is ahead into the beginning of `content`, if its content has at
    /// most `max` bytes. Consumes the member in `raw`, and returns the length of the content.
    /// `None`, with `raw` unchanged, if the member must be decompressed in steps, for example to
    /// find its damage.
    ///
    /// libdeflate does not return the end of the compressed data. Therefore the member is assumed
    /// to end before the next magic number, or at the end of the bytes ahead. The assumption is
    /// right if the trailer at this end matches the content, and occurs nowhere else.
    pub(super) fn read<R: Read>(
        &mut self,
        raw: &mut LookaheadReader<R>,
        content: &mut Vec<u8>,
        max: usize,
    ) -> io::Result<Option<usize>> {
        let max = max.min(MAX_CONTENT);
        // A header checksum is verified only by the stepwise decoder.
        if raw.fill_to(MIN_MEMBER_LEN)? < MIN_MEMBER_LEN || raw.ahead()[3] & HAS_CHECKSUM != 0 {
            return Ok(None);
        }
        let Some(start) = gzip_data_offset(raw.ahead()) else { return Ok(None) };
        let Some(end) = find_member_end(raw, start, max)? else { return Ok(None) };
        let Some((compressed, trailer)) = split_member(&raw.ahead()[..end], start) else {
            return Ok(None);
        };
        let length = content_length(*trailer);
        if length > max {
            return Ok(None);
        }
        if content.len() < length {
            content.resize(length, 0);
        }
        let decompressed = &mut content[..length];
        let is_whole = self.0.deflate_decompress(compressed, decompressed) == Ok(length)
            && trailer.starts_with(&crc32(decompressed).to_le_bytes())
            && memmem::find(compressed, trailer).is_none();
        if is_whole {
            io::BufRead::consume(raw, end);
        }
        Ok(is_whole.then_some(length))
    }
}

/// Finds the start of the next member, or the end of the bytes ahead if they may be a whole member.
fn find_member_end<R: Read>(
    raw: &mut LookaheadReader<R>,
    start: usize,
    max: usize,
) -> io::Result<Option<usize>> {
    let mut from = start;
    loop {
        let ahead = raw.ahead();
        let ahead_len = ahead.len();
        if let Some(at) = ahead.get(from..).and_then(|rest| memmem::find(rest, GZIP_MAGIC)) {
            return Ok(Some(from + at));
        }
        // The bytes ahead may be a whole member: the next member in a pipe may come late.
        if split_member(ahead, start).is_some_and(|(_, trailer)| content_length(*trailer) <= max) {
            return Ok(Some(ahead_len));
        }
        from = from.max(ahead_len.saturating_sub(GZIP_MAGIC.len() - 1));
        if ahead_len > MAX_COMPRESSED || raw.fill_to(ahead_len + 1)? == ahead_len {
            return Ok(None);
        }
    }
}

/// Splits a member whose header ends at `start` into its compressed data and its trailer.
fn split_member(member: &[u8], start: usize) -> Option<(&[u8], &[u8; TRAILER_LEN])> {
    member.get(start..)?.split_last_chunk()
}

/// Returns the length of the content that the trailer states.
fn content_length(trailer: [u8; TRAILER_LEN]) -> usize {
    let [.., a, b, c, d] = trailer;
    u32::from_le_bytes([a, b, c, d]) as usize
}
