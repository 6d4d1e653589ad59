//! The members of a ZIP file, by its central directory
//! ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)).
//!
//! Every record has to say the same as the others: a program that reads the central directory and
//! one that reads the file from its beginning find the same members.
//!
//! NOTE: Zip64 is not read. [OCF](https://www.w3.org/TR/epub-33/#sec-zip-container-zipreqs) allows it
//! for books of 4 GiB and more alone.

use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use super::error::BookError;
use super::name;

/// Bytes of the record at the end of the file, without its comment.
const END: usize = 22;

/// Bytes of a record in the central directory, and of the header of a member, without their texts.
pub(super) const ENTRY: usize = 46;
const HEADER: usize = 30;

/// Maximum bytes of the central directory: its 65,535 entries have about a hundred each.
const MAX_DIRECTORY: u64 = 16 << 20;

const ZIP64: &str =
    "a ZIP64 file, for more than 65,534 members or 4 GiB, which is not supported for books";

/// A member of the book.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    /// Its entry in the central directory.
    pub(super) entry: Range<usize>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) size: u64,
    /// Where its header begins in the file.
    pub(super) header: u64,
    /// Its bytes in the file, compressed.
    pub(super) data: Range<u64>,
    /// Bytes of additional fields in its header.
    pub(super) extra: u16,
}

impl Member {
    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & 1 != 0
    }

    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }
}

/// The central directory.
#[derive(Debug)]
pub(super) struct Directory {
    /// In the order of the directory.
    pub(super) members: Vec<Member>,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Where it begins, after all members.
    pub(super) start: u64,
    /// The record at the end of the file, with the comment.
    pub(super) end: Vec<u8>,
}

impl Directory {
    pub(super) fn read(source: &mut (impl Read + Seek)) -> Result<Self, BookError> {
        let size = source.seek(SeekFrom::End(0)).map_err(BookError::reading)?;
        let end = end_record(source, size)?;
        let field = |at| u64::from(u32_at(&end, at));
        let (length, start, count) = (field(12), field(16), u16_at(&end, 10));
        if count == u16::MAX || length == u64::from(u32::MAX) || start == u64::from(u32::MAX) {
            return Err(BookError::Invalid(ZIP64.to_owned()));
        }
        if u16_at(&end, 4) != 0 || u16_at(&end, 6) != 0 || u16_at(&end, 8) != count {
            return Err(BookError::damaged("it is one of several volumes"));
        }
        if start + length + end.len() as u64 != size {
            let what = "its table of contents is not where the end of the file says";
            return Err(BookError::damaged(what));
        }
        if length > MAX_DIRECTORY {
            return Err(BookError::damaged("its table of contents is larger than 16 MiB"));
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        source.seek(SeekFrom::Start(start)).map_err(BookError::reading)?;
        source.read_exact(&mut bytes).map_err(BookError::reading)?;
        let mut members = entries(&bytes, usize::from(count))?;
        check_names(&members)?;
        for member in &mut members {
            check_header(source, member)?;
        }
        check_order(&members, start)?;
        Ok(Self { members, bytes, start, end })
    }
}

/// The record at the end of the file, whose comment ends there.
fn end_record(source: &mut (impl Read + Seek), size: u64) -> Result<Vec<u8>, BookError> {
    let most = (END as u64 + u64::from(u16::MAX)).min(size);
    source.seek(SeekFrom::Start(size - most)).map_err(BookError::reading)?;
    let mut tail = Vec::new();
    source.take(most).read_to_end(&mut tail).map_err(BookError::reading)?;
    let found = memchr::memmem::rfind_iter(&tail, b"PK\x05\x06").find(|&at| {
        tail.len() - at >= END && tail.len() - at - END == usize::from(u16_at(&tail[at..], 20))
    });
    let Some(at) = found else {
        return Err(BookError::Invalid("not a ZIP file, or one that is cut off".to_owned()));
    };
    Ok(tail.split_off(at))
}

/// The members by the central directory alone.
fn entries(bytes: &[u8], count: usize) -> Result<Vec<Member>, BookError> {
    let (mut members, mut at) = (Vec::with_capacity(count), 0);
    for _ in 0..count {
        let entry =
            bytes.get(at..).filter(|rest| rest.len() >= ENTRY && rest.starts_with(b"PK\x01\x02"));
        let entry = entry.ok_or_else(|| BookError::damaged("its table of contents ends early"))?;
        let length = |at| usize::from(u16_at(entry, at));
        let end = ENTRY + length(28) + length(30) + length(32);
        let name = entry.get(ENTRY..ENTRY + length(28)).filter(|_| end <= entry.len());
        let name = name.ok_or_else(|| BookError::damaged("its table of contents ends early"))?;
        let name = std::str::from_utf8(name).map_err(|_| {
            BookError::of(&String::from_utf8_lossy(name), "the name of the member is not UTF-8")
        })?;
        let [packed, size, header] = [20, 24, 42].map(|at| u32_at(entry, at));
        if [packed, size, header].contains(&u32::MAX) {
            return Err(BookError::Invalid(ZIP64.to_owned()));
        }
        members.push(Member {
            name: name.to_owned(),
            entry: at..at + end,
            flags: u16_at(entry, 8),
            method: u16_at(entry, 10),
            crc: u32_at(entry, 16),
            size: size.into(),
            header: header.into(),
            // The header says where it begins.
            data: 0..packed.into(),
            extra: 0,
        });
        at += end;
    }
    if at != bytes.len() {
        return Err(BookError::damaged("its table of contents has more members than it says"));
    }
    Ok(members)
}

fn check_names(members: &[Member]) -> Result<(), BookError> {
    let mut names = HashSet::with_capacity(members.len());
    for member in members {
        if let Some(what) = name::problem(&member.name) {
            return Err(BookError::of(&member.name, what));
        }
        if !names.insert(member.name.trim_end_matches('/')) {
            return Err(BookError::of(&member.name, "two members have this name"));
        }
    }
    Ok(())
}

/// Checks that the header of a member says what its entry does, and sets where its bytes are.
fn check_header(source: &mut (impl Read + Seek), member: &mut Member) -> Result<(), BookError> {
    let differs = || {
        BookError::of(&member.name, "its header and the table of contents of the ZIP file differ")
    };
    let mut header = vec![0; HEADER + member.name.len()];
    source.seek(SeekFrom::Start(member.header)).map_err(BookError::reading)?;
    source.read_exact(&mut header).map_err(BookError::reading)?;
    let packed = member.data.end - member.data.start;
    let flags = u16_at(&header, 6);
    let is_same = header.starts_with(b"PK\x03\x04")
        && usize::from(u16_at(&header, 26)) == member.name.len()
        && header[HEADER..] == *member.name.as_bytes()
        && (flags ^ member.flags) & 0b1001 == 0
        && u16_at(&header, 8) == member.method;
    // Sizes may follow the member, or be in a field of Zip64.
    let has_sizes = flags & 0b1000 == 0 && u32_at(&header, 18) != u32::MAX;
    let sizes = [14, 18, 22].map(|at| u64::from(u32_at(&header, at)));
    if !is_same || (has_sizes && sizes != [u64::from(member.crc), packed, member.size]) {
        return Err(differs());
    }
    member.extra = u16_at(&header, 28);
    let start = member.header + header.len() as u64 + u64::from(member.extra);
    member.data = start..start + packed;
    Ok(())
}

/// Checks that no members overlap.
fn check_order(members: &[Member], end: u64) -> Result<(), BookError> {
    let mut ranges: Vec<_> =
        members.iter().map(|member| (member.header, member.data.end, &member.name)).collect();
    ranges.sort_unstable();
    let mut before = 0;
    for (start, to, name) in ranges {
        if start < before || to > end {
            return Err(BookError::of(name, "it overlaps another part of the ZIP file"));
        }
        before = to;
    }
    Ok(())
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}
