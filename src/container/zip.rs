//! The members of a ZIP file, by its central directory
//! ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)).
//!
//! Every record has to say the same as the others: a program that reads the central directory and
//! one that reads the file from its beginning find the same members, and no byte of the file belongs
//! to no record. So a copy of all members loses nothing.
//!
//! NOTE: the crate `zip` 9.8 does not do this. Its raw copy of a member leaves out the data descriptor
//! and the fields of the member's own header; it takes a name from the field Unicode Path, and refuses
//! headers whose times differ; it allows bytes that belong to no member, and keeps every entry in
//! memory before a limit could be checked.

mod encoder;
mod member;
mod number;
mod writer;
mod zip64;

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use self::number::{u16_at, u32_at};
use self::zip64::{ELSEWHERE, Extent, Versions};
use super::ContainerError;

pub(super) use self::encoder::NewMember;
pub(super) use self::member::{DEFLATED, STORED};
pub(super) use self::writer::{Header, ZipWriter};

/// Bytes of the record at the end of the file, without its comment.
const END: usize = 22;

/// Bytes of a record in the central directory, and of the header of a member, without their texts.
const ENTRY: usize = 46;
const HEADER: usize = 30;

/// The flag of a member whose checksum and sizes follow its bytes.
const SIZES_FOLLOW: u16 = 0b1000;

/// A member of the file.
#[derive(Debug)]
pub(super) struct Member {
    /// Its name, with replacement characters for what is not UTF-8.
    pub(super) name: String,
    /// Its entry in the central directory.
    entry: Range<usize>,
    flags: u16,
    pub(super) method: u16,
    crc: u32,
    pub(super) size: u64,
    /// Where its header begins in the file.
    pub(super) header: u64,
    /// Its bytes in the file, compressed.
    pub(super) data: Range<u64>,
    /// Where the next member or the central directory begins: its sizes may follow its bytes.
    end: u64,
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
    bytes: Vec<u8>,
    /// The versions in the records of ZIP64, if there are any.
    zip64: Option<Versions>,
    /// The record at the end of the file, with the comment.
    end: Vec<u8>,
}

impl Directory {
    /// Reads it, if it has no more than `max` MiB; an entry has about a hundred bytes.
    pub(super) fn read(source: &mut (impl Read + Seek), max: u64) -> Result<Self, ContainerError> {
        let size = source.seek(SeekFrom::End(0)).map_err(ContainerError::reading)?;
        let end = end_record(source, size)?;
        let [small, count] = [8, 10].map(|at| u16_at(&end, at));
        if u16_at(&end, 4) != 0 || u16_at(&end, 6) != 0 || small != count {
            let what = "one of several volumes of a ZIP file; join them (zip -s 0)";
            return Err(ContainerError::Invalid(what.to_owned()));
        }
        let [length, start] = [12, 16].map(|at| u32_at(&end, at));
        let at = size - end.len() as u64;
        let is_elsewhere = count == u16::MAX || [length, start].contains(&ELSEWHERE);
        let [count, length, start] = [count.into(), length.into(), start.into()];
        // A writer may add the records of ZIP64 where the numbers need none.
        let (extent, zip64) = if is_elsewhere || start + length + zip64::RECORDS == at {
            let (extent, versions) = Extent::read(source, at, &end)?;
            (extent, Some(versions))
        } else {
            (Extent { count, length, start }, None)
        };
        let Extent { count, length, start } = extent;
        if zip64.is_none() && start + length != at {
            let what = "its table of contents is not where the end of the file says";
            return Err(ContainerError::damaged(what));
        }
        if length > max << 20 {
            let what = format!("its table of contents is larger than {max} MiB; unpack it");
            return Err(ContainerError::Invalid(what));
        }
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        source.seek(SeekFrom::Start(start)).map_err(ContainerError::reading)?;
        source.read_exact(&mut bytes).map_err(ContainerError::reading)?;
        let mut members = entries(&bytes, count)?;
        for member in &mut members {
            let name = name_of(&bytes[member.entry.clone()]);
            check_header(source, member, name.unwrap_or_default())?;
        }
        check_order(&mut members, start)?;
        Ok(Self { members, bytes, zip64, end })
    }

    /// The bytes of a member's name.
    pub(super) fn name(&self, member: &Member) -> &[u8] {
        name_of(&self.bytes[member.entry.clone()]).unwrap_or_default()
    }

    /// Checks that the name of a member is UTF-8.
    pub(super) fn check_name(&self, member: &Member) -> Result<(), ContainerError> {
        if self.name(member) == member.name.as_bytes() {
            return Ok(());
        }
        Err(ContainerError::of(&member.name, "the name of the member is not UTF-8"))
    }
}

/// The record at the end of the file, whose comment ends there.
fn end_record(source: &mut (impl Read + Seek), size: u64) -> Result<Vec<u8>, ContainerError> {
    let most = (END as u64 + u64::from(u16::MAX)).min(size);
    source.seek(SeekFrom::Start(size - most)).map_err(ContainerError::reading)?;
    let mut tail = Vec::new();
    source.take(most).read_to_end(&mut tail).map_err(ContainerError::reading)?;
    // Programs differ in which of several records they take.
    let found = memchr::memmem::rfind(&tail, b"PK\x05\x06").filter(|&at| {
        tail.len() - at >= END && tail.len() - at - END == usize::from(u16_at(&tail[at..], 20))
    });
    let Some(at) = found else {
        let what = "not a ZIP file, or one that is cut off or has bytes after its end";
        return Err(ContainerError::Invalid(what.to_owned()));
    };
    Ok(tail.split_off(at))
}

/// The name in an entry of the central directory.
fn name_of(entry: &[u8]) -> Option<&[u8]> {
    entry.get(ENTRY..ENTRY + usize::from(u16_at(entry, 28)))
}

/// The members by the central directory alone.
fn entries(bytes: &[u8], count: u64) -> Result<Vec<Member>, ContainerError> {
    let (mut members, mut at) = (Vec::new(), 0);
    for _ in 0..count {
        let entry =
            bytes.get(at..).filter(|rest| rest.len() >= ENTRY && rest.starts_with(b"PK\x01\x02"));
        let entry =
            entry.ok_or_else(|| ContainerError::damaged("its table of contents ends early"))?;
        let length = |at| usize::from(u16_at(entry, at));
        let end = ENTRY + length(28) + length(30) + length(32);
        let name = name_of(entry).filter(|_| end <= entry.len());
        let name =
            name.ok_or_else(|| ContainerError::damaged("its table of contents ends early"))?;
        let name = String::from_utf8_lossy(name);
        let fields = &entry[ENTRY + length(28)..ENTRY + length(28) + length(30)];
        let values = zip64::values([24, 20, 42].map(|at| u32_at(entry, at)), fields);
        let differs = || ContainerError::of(&name, "its fields of ZIP64 are damaged");
        let [size, packed, header] = values.ok_or_else(differs)?;
        if header.checked_add(packed).is_none_or(|end| end > i64::MAX.unsigned_abs()) {
            return Err(differs());
        }
        members.push(Member {
            name: name.into_owned(),
            entry: at..at + end,
            flags: u16_at(entry, 8),
            method: u16_at(entry, 10),
            crc: u32_at(entry, 16),
            size,
            header,
            // The header says where it begins.
            data: 0..packed,
            end: 0,
            extra: 0,
        });
        at += end;
    }
    if at != bytes.len() {
        return Err(ContainerError::damaged("its table of contents has more members than it says"));
    }
    Ok(members)
}

/// Checks that the header of a member says what its entry does, and sets where its bytes are.
fn check_header(
    source: &mut (impl Read + Seek),
    member: &mut Member,
    name: &[u8],
) -> Result<(), ContainerError> {
    let differs = || {
        ContainerError::of(
            &member.name,
            "its header and the table of contents of the ZIP file differ",
        )
    };
    let mut header = vec![0; HEADER + name.len()];
    source.seek(SeekFrom::Start(member.header)).map_err(ContainerError::reading)?;
    source.read_exact(&mut header).map_err(ContainerError::reading)?;
    let packed = member.data.end - member.data.start;
    let flags = u16_at(&header, 6);
    let is_same = header.starts_with(b"PK\x03\x04")
        && usize::from(u16_at(&header, 26)) == name.len()
        && header[HEADER..] == *name
        && (flags ^ member.flags) & 0b1001 == 0
        && u16_at(&header, 8) == member.method;
    member.extra = u16_at(&header, 28);
    let mut fields = vec![0; usize::from(member.extra)];
    source.read_exact(&mut fields).map_err(ContainerError::reading)?;
    let sizes = zip64::values([22, 18].map(|at| u32_at(&header, at)), &fields);
    // The checksum and the sizes may follow the member.
    let has_sizes = flags & SIZES_FOLLOW == 0;
    let is_said = u32_at(&header, 14) == member.crc && sizes == Some([member.size, packed]);
    if !is_same || (has_sizes && !is_said) {
        return Err(differs());
    }
    let start = member.header + header.len() as u64 + u64::from(member.extra);
    member.data = start..start + packed;
    Ok(())
}

/// Maximum bytes of the record that has the checksum and the sizes after a member
/// ([APPNOTE 4.3.9](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT)).
const DESCRIPTOR: u64 = 24;

/// Checks that no members overlap, and that no bytes are between them but such records; sets where
/// members end.
fn check_order(members: &mut [Member], end: u64) -> Result<(), ContainerError> {
    let mut order: Vec<_> = members.iter_mut().collect();
    order.sort_unstable_by_key(|member| (member.header, member.data.end));
    let (mut before, mut most) = (0, 0);
    for member in &order {
        let Member { header, ref data, flags, ref name, .. } = **member;
        if header < before || data.end > end {
            return Err(ContainerError::of(name, "it overlaps another part of the ZIP file"));
        }
        if header - before > most {
            return Err(ContainerError::of(
                name,
                "there are bytes before it that belong to no member",
            ));
        }
        (before, most) = (data.end, if flags & SIZES_FOLLOW == 0 { 0 } else { DESCRIPTOR });
    }
    if end - before > most {
        return Err(ContainerError::damaged("bytes after its last member belong to none"));
    }
    let mut next = end;
    for member in order.into_iter().rev() {
        member.end = std::mem::replace(&mut next, member.header);
    }
    Ok(())
}
