//! Writes a book with members that changed; all others are copied with their headers.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, Write};

use super::member::Packed;
use crate::container::ContainerError;
use crate::container::directory::number::{u16_at, u32_at};
use crate::container::directory::zip64::{self, ELSEWHERE};
use crate::container::directory::{Directory, ENTRY, Member};
use crate::container::stored::ByteRange;

/// The flag of a member whose sizes follow it.
const SIZES_FOLLOW: u16 = 0b1000;

/// Version 2.0 of the format has deflate.
const VERSION: u16 = 20;

/// Writes the members in the order of the old file, after the one with the number `first`; `new` has
/// those that change. The central directory keeps its order, with `first` at its beginning.
///
/// Returns the bytes that were written.
pub(super) fn write(
    source: &mut (impl Read + Seek),
    directory: &Directory,
    first: usize,
    new: &BTreeMap<usize, Packed>,
    output: &mut impl Write,
) -> Result<u64, ContainerError> {
    let members = &directory.members;
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by_key(|&number| members[number].header);
    // What follows a member up to the next one belongs to it: its sizes.
    let nexts = order.iter().skip(1).map(|&number| members[number].header);
    let mut ends = vec![0; members.len()];
    for (&number, end) in order.iter().zip(nexts.chain([directory.start])) {
        ends[number] = end;
    }
    order.sort_by_key(|&number| number != first);
    let (mut at, mut headers) = (0, vec![0; members.len()]);
    for number in order {
        headers[number] = at;
        let member = &members[number];
        at += if let Some(packed) = new.get(&number) {
            write_member(source, member, packed, output)?
        } else {
            let range = ByteRange::new(&mut *source, member.header..ends[number]);
            copy(&mut range.map_err(ContainerError::reading)?, output)?
        };
    }
    let mut entries = Vec::with_capacity(directory.bytes.len());
    let numbers = [first].into_iter().chain((0..members.len()).filter(|&number| number != first));
    for number in numbers {
        let entry = &directory.bytes[members[number].entry.clone()];
        entries.extend(self::entry(entry, new.get(&number), headers[number])?);
    }
    let length = entries.len() as u64;
    entries.extend(end(directory, length, at)?);
    output.write_all(&entries).map_err(ContainerError::Write)?;
    Ok(at + entries.len() as u64)
}

/// The records at the end of the file, for a central directory of so many bytes at `start`.
fn end(directory: &Directory, length: u64, start: u64) -> Result<Vec<u8>, ContainerError> {
    let zip64 = directory.zip64.as_ref();
    let mut end = directory.end.clone();
    for (at, value) in [(12, length), (16, start)] {
        if zip64.is_none() || u32_at(&end, at) != ELSEWHERE {
            let value = u32::try_from(value).map_err(|_| too_large())?;
            end[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
    }
    let mut records = zip64.map(|records| records.moved(length, start)).unwrap_or_default();
    records.extend(end);
    Ok(records)
}

/// Copies bytes; errors of reading and of writing stay apart.
fn copy(source: &mut impl Read, output: &mut impl Write) -> Result<u64, ContainerError> {
    let (mut buffer, mut copied) = (vec![0; 64 << 10], 0);
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(read) => {
                output.write_all(&buffer[..read]).map_err(ContainerError::Write)?;
                copied += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ContainerError::reading(error)),
        }
    }
}

/// Writes a new header with the name and the date of the old one, without additional fields, and the
/// bytes.
fn write_member(
    source: &mut (impl Read + Seek),
    member: &Member,
    packed: &Packed,
    output: &mut impl Write,
) -> Result<u64, ContainerError> {
    let name = member.name.as_bytes();
    let mut header = vec![0; 30 + name.len()];
    let old = ByteRange::new(source, member.header..member.data.start);
    old.and_then(|mut old| old.read_exact(&mut header)).map_err(ContainerError::reading)?;
    let flags = u16_at(&header, 6);
    set_sizes(&mut header[4..], flags, packed)?;
    header[28..30].fill(0);
    output
        .write_all(&header)
        .and_then(|()| output.write_all(&packed.bytes))
        .map_err(ContainerError::Write)?;
    Ok((header.len() + packed.bytes.len()) as u64)
}

/// Sets version, flags, method, checksum and sizes, which the header of a member and its entry have
/// in the same order; the date between them stays.
fn set_sizes(fields: &mut [u8], flags: u16, packed: &Packed) -> Result<(), ContainerError> {
    let length = u32::try_from(packed.bytes.len()).map_err(|_| too_large())?;
    fields[..2].copy_from_slice(&VERSION.to_le_bytes());
    // The flags about the level of compression are those of deflate's old writer.
    fields[2..4].copy_from_slice(&(flags & !(SIZES_FOLLOW | 0b110)).to_le_bytes());
    fields[4..6].copy_from_slice(&packed.method.to_le_bytes());
    fields[10..14].copy_from_slice(&packed.crc.to_le_bytes());
    fields[14..18].copy_from_slice(&length.to_le_bytes());
    fields[18..22].copy_from_slice(&packed.size.to_le_bytes());
    Ok(())
}

/// The entry of a member in the new central directory. That of a member that is written anew has no
/// additional fields, as its header.
fn entry(old: &[u8], packed: Option<&Packed>, header: u64) -> Result<Vec<u8>, ContainerError> {
    let mut entry = old.to_owned();
    let elsewhere = [24, 20, 42].map(|at| u32_at(&entry, at) == ELSEWHERE);
    if let Some(packed) = packed {
        let flags = u16_at(&entry, 8);
        set_sizes(&mut entry[6..], flags, packed)?;
        let [name, extra] = [28, 30].map(|at| usize::from(u16_at(&entry, at)));
        entry.drain(ENTRY + name..ENTRY + name + extra);
        entry[30..32].fill(0);
    }
    if let ([.., true], None) = (elsewhere, packed) {
        let [name, extra] = [28, 30].map(|at| usize::from(u16_at(&entry, at)));
        let count = elsewhere.into_iter().filter(|is_elsewhere| *is_elsewhere).count();
        zip64::set_last(&mut entry[ENTRY + name..ENTRY + name + extra], count, header);
    } else {
        let header = u32::try_from(header).map_err(|_| too_large())?;
        entry[42..46].copy_from_slice(&header.to_le_bytes());
    }
    Ok(entry)
}

fn too_large() -> ContainerError {
    ContainerError::Write(io::Error::other("the new book would be larger than 4 GiB"))
}
