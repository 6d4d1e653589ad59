//! Writes a ZIP file with members that changed; all others are copied with their headers.

use std::io::{self, Read, Seek, Write};

#[cfg(feature = "wacz")]
use super::encoder::Encoder;
use super::encoder::{NewMember, Record};
use super::number::{u16_at, u32_at};
use super::zip64::{self, ELSEWHERE, Extent, Versions};
use super::{Directory, ENTRY, HEADER, SIZES_FOLLOW};
use crate::container::ContainerError;
use crate::container::stored::ByteRange;

/// The versions of the format that have deflate, and ZIP64.
const VERSION: u16 = 20;
const VERSION_ZIP64: u16 = 45;
const NEW_VERSIONS: Versions = [45, 0, 45, 0];

/// The header of a member that is written anew: the name and the date of the old one.
pub(in crate::container) struct Header {
    number: usize,
    bytes: Vec<u8>,
    /// Whether it has sizes of 64 bits.
    is_large: bool,
}

impl Header {
    /// The header of a member, whose sizes may become larger than 4 GiB if it `is_large`.
    pub(in crate::container) fn read(
        source: &mut (impl Read + Seek),
        directory: &Directory,
        number: usize,
        is_large: bool,
    ) -> Result<Self, ContainerError> {
        let member = &directory.members[number];
        let mut bytes = vec![0; HEADER + directory.name(member).len()];
        let old = ByteRange::new(source, member.header..member.data.start);
        old.and_then(|mut old| old.read_exact(&mut bytes)).map_err(ContainerError::reading)?;
        Ok(Self { number, bytes, is_large })
    }

    /// The method of compression of the old member.
    #[cfg(feature = "wacz")]
    pub(in crate::container) fn method(&self) -> u16 {
        u16_at(&self.bytes, 8)
    }

    /// The bytes of the new header.
    fn with(&self, record: &Record) -> Result<Vec<u8>, ContainerError> {
        let mut bytes = self.bytes.clone();
        set_record(&mut bytes[4..], record);
        let mut fields = Vec::new();
        if self.is_large {
            bytes[4..6].copy_from_slice(&VERSION_ZIP64.to_le_bytes());
            bytes[18..26].fill(0xff);
            zip64::set_values(&mut fields, 0, &[record.size, record.packed]);
        } else if record.size.max(record.packed) >= ELSEWHERE.into() {
            return Err(too_large());
        }
        bytes[28..30].copy_from_slice(&length_of(&fields)?);
        bytes.extend(fields);
        Ok(bytes)
    }
}

/// A member of the new file.
struct Written {
    /// Its number in the old file.
    number: usize,
    /// Where its header begins.
    header: u64,
    /// What its records say, if it is written anew.
    new: Option<Record>,
}

/// Writes a new ZIP file.
pub(in crate::container) struct ZipWriter<W> {
    output: W,
    /// Bytes of the members.
    at: u64,
    /// In the order of the new central directory.
    written: Vec<Written>,
}

impl<W: Write> ZipWriter<W> {
    pub(in crate::container) fn new(output: W) -> Self {
        Self { output, at: 0, written: Vec::new() }
    }

    /// Copies a member in its compressed form, with its header.
    pub(in crate::container) fn copy(
        &mut self,
        source: &mut (impl Read + Seek),
        directory: &Directory,
        number: usize,
    ) -> Result<(), ContainerError> {
        let member = &directory.members[number];
        let bytes = ByteRange::new(source, member.header..member.end);
        let bytes = bytes.map_err(ContainerError::reading)?;
        let copied = copy(bytes, &mut self.output)?;
        self.add(number, None, copied);
        Ok(())
    }

    /// Writes a member anew.
    pub(in crate::container) fn write(
        &mut self,
        header: &Header,
        new: &NewMember,
    ) -> Result<(), ContainerError> {
        let bytes = header.with(&new.record)?;
        let written = self.output.write_all(&bytes);
        written.and_then(|()| self.output.write_all(&new.bytes)).map_err(ContainerError::Write)?;
        self.add(header.number, Some(new.record), (bytes.len() + new.bytes.len()) as u64);
        Ok(())
    }

    fn add(&mut self, number: usize, new: Option<Record>, length: u64) {
        self.written.push(Written { number, header: self.at, new });
        self.at += length;
    }

    /// Gives the new central directory the order of the old one, with the member `first` at its
    /// beginning; without, it has the order in which the members were written.
    pub(in crate::container) fn keep_order(&mut self, first: usize) {
        self.written.sort_by_key(|written| (written.number != first, written.number));
    }

    /// Writes the central directory of all members of the old one; returns the bytes of the file.
    pub(in crate::container) fn finish(
        mut self,
        directory: &Directory,
    ) -> Result<u64, ContainerError> {
        let mut bytes = Vec::with_capacity(directory.bytes.len());
        for written in &self.written {
            let old = &directory.bytes[directory.members[written.number].entry.clone()];
            bytes.extend(entry(old, written)?);
        }
        let count = self.written.len() as u64;
        let extent = Extent { count, length: bytes.len() as u64, start: self.at };
        bytes.extend(end(directory, extent));
        let written = self.output.write_all(&bytes).and_then(|()| self.output.flush());
        written.map_err(ContainerError::Write)?;
        Ok(self.at + bytes.len() as u64)
    }
}

#[cfg(feature = "wacz")]
impl<W: Write + Seek> ZipWriter<W> {
    /// Starts a member whose size is not known; [`ZipWriter::end`] has to follow, or another member
    /// replaces it.
    pub(in crate::container) fn start(
        &mut self,
        header: &Header,
    ) -> Result<Encoder<&mut W>, ContainerError> {
        let bytes = header.with(&Record::default())?;
        self.output.write_all(&bytes).map_err(ContainerError::Write)?;
        Ok(Encoder::new(&mut self.output, header.method()))
    }

    /// Completes the header of a member, when all its bytes are written.
    pub(in crate::container) fn end(
        &mut self,
        header: &Header,
        record: Record,
    ) -> Result<(), ContainerError> {
        let bytes = header.with(&record)?;
        self.rewind()?;
        self.output.write_all(&bytes).map_err(ContainerError::Write)?;
        self.add(header.number, Some(record), bytes.len() as u64 + record.packed);
        self.rewind()
    }

    /// Continues after the last member that is complete.
    pub(in crate::container) fn rewind(&mut self) -> Result<(), ContainerError> {
        self.output.seek(io::SeekFrom::Start(self.at)).map_err(ContainerError::Write)?;
        Ok(())
    }
}

/// Copies bytes; errors of reading and of writing stay apart.
fn copy(mut source: impl Read, output: &mut impl Write) -> Result<u64, ContainerError> {
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

/// Sets version, flags, method, checksum and sizes, which the header of a member and its entry have
/// in the same order; the date between them stays.
fn set_record(fields: &mut [u8], record: &Record) {
    fields[..2].copy_from_slice(&VERSION.to_le_bytes());
    // The flags about the level of compression are those of deflate's old writer.
    let flags = u16_at(fields, 2) & !(SIZES_FOLLOW | 0b110);
    fields[2..4].copy_from_slice(&flags.to_le_bytes());
    fields[4..6].copy_from_slice(&record.method.to_le_bytes());
    fields[10..14].copy_from_slice(&record.crc.to_le_bytes());
    fields[14..18].copy_from_slice(&small(record.packed));
    fields[18..22].copy_from_slice(&small(record.size));
}

/// The entry of a member in the new central directory. That of a member that is written anew has no
/// additional fields but for sizes and places of 64 bits.
fn entry(old: &[u8], written: &Written) -> Result<Vec<u8>, ContainerError> {
    let [name, extra] = [28, 30].map(|at| usize::from(u16_at(old, at)));
    let (head, rest) = old.split_at(ENTRY + name);
    let (mut entry, mut fields) = (head.to_owned(), rest[..extra].to_owned());
    let mut numbers = [24, 20, 42].map(|at| u32_at(old, at));
    // The fields were read before.
    let mut values = zip64::values(numbers, &fields).unwrap_or_default();
    if let Some(record) = &written.new {
        set_record(&mut entry[6..], record);
        fields.clear();
        (numbers, values) = ([0; 3], [record.size, record.packed, 0]);
    }
    values[2] = written.header;
    if numbers[2] != ELSEWHERE {
        entry[42..46].copy_from_slice(&small(written.header));
    }
    let was_elsewhere = numbers.iter().filter(|number| **number == ELSEWHERE).count();
    let elsewhere = values.into_iter().zip(numbers);
    let elsewhere =
        elsewhere.filter(|&(value, number)| number == ELSEWHERE || value >= ELSEWHERE.into());
    let elsewhere: Vec<_> = elsewhere.map(|(value, _)| value).collect();
    if elsewhere.len() > was_elsewhere {
        let version = u16_at(&entry, 6).max(VERSION_ZIP64);
        entry[6..8].copy_from_slice(&version.to_le_bytes());
    }
    if !elsewhere.is_empty() {
        zip64::set_values(&mut fields, was_elsewhere, &elsewhere);
    }
    entry[30..32].copy_from_slice(&length_of(&fields)?);
    entry.extend(fields);
    entry.extend(&rest[extra..]);
    Ok(entry)
}

/// The records at the end of the file.
fn end(directory: &Directory, extent: Extent) -> Vec<u8> {
    let mut end = directory.end.clone();
    for (at, value) in [(12, extent.length), (16, extent.start)] {
        if u32_at(&end, at) != ELSEWHERE {
            end[at..at + 4].copy_from_slice(&small(value));
        }
    }
    let is_large = extent.length.max(extent.start) >= ELSEWHERE.into();
    let versions = directory.zip64.or(is_large.then_some(NEW_VERSIONS));
    let mut records = versions.map(|versions| extent.records(versions)).unwrap_or_default();
    records.extend(end);
    records
}

/// A number in 32 bits, or what says that it is elsewhere.
fn small(value: u64) -> [u8; 4] {
    u32::try_from(value).unwrap_or(ELSEWHERE).to_le_bytes()
}

fn length_of(fields: &[u8]) -> Result<[u8; 2], ContainerError> {
    u16::try_from(fields.len()).map(u16::to_le_bytes).map_err(|_| too_large())
}

fn too_large() -> ContainerError {
    ContainerError::Write(io::Error::other("a member is larger than 4 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entry of a member `a` with these numbers and additional fields.
    fn old(size: u32, header: u32, fields: &[u8]) -> Vec<u8> {
        let mut entry = vec![0; ENTRY];
        entry[24..28].copy_from_slice(&size.to_le_bytes());
        entry[28] = 1;
        entry[30..32].copy_from_slice(&length_of(fields).unwrap());
        entry[32] = 7;
        entry[42..46].copy_from_slice(&header.to_le_bytes());
        [&entry, &b"a"[..], fields, b"comment"].concat()
    }

    #[test]
    fn a_place_after_4_gib_is_in_the_fields_of_an_entry() {
        let far = 5 << 32;
        let zip64 = |values: &[u64]| {
            let mut fields = vec![9, 9, 0, 0];
            zip64::set_values(&mut fields, 0, values);
            fields
        };
        for (size, header, fields, to) in [
            (3, 0, vec![9, 9, 0, 0], far),
            (3, 0, vec![], 8),
            (ELSEWHERE, 0, zip64(&[1 << 40]), far),
            (ELSEWHERE, ELSEWHERE, zip64(&[1 << 40, far]), 8),
        ] {
            let written = Written { number: 0, header: to, new: None };
            let new = entry(&old(size, header, &fields), &written).unwrap();
            let extra = usize::from(u16_at(&new, 30));
            let found = zip64::values([24, 20, 42].map(|at| u32_at(&new, at)), &new[47..][..extra]);
            let size = if size == ELSEWHERE { 1 << 40 } else { size.into() };
            assert_eq!(found, Some([size, 0, to]));
            assert_eq!(&new[47 + extra..], b"comment");
            assert_eq!(u16_at(&new, 6) == VERSION_ZIP64, to == far);
        }
    }

    #[test]
    fn a_central_directory_after_4_gib_has_records_of_zip64() {
        let (members, bytes) = (Vec::new(), Vec::new());
        let directory = Directory { members, bytes, zip64: None, end: vec![0; 22] };
        let extent = |start| Extent { count: 0, length: 0, start };
        assert_eq!(end(&directory, extent(7)).len(), 22);
        let records = end(&directory, extent(5 << 32));
        let (zip64, last) = records.split_at(76);
        assert_eq!((last.len(), u32_at(last, 16)), (22, ELSEWHERE));
        assert_eq!(zip64, extent(5 << 32).records(NEW_VERSIONS));
    }
}
