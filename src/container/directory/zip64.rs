//! Numbers that have 64 bits, in a record before the last one and in fields of the members
//! ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT), 4.3.14 and 4.5.3).

use std::io::{Read, Seek, SeekFrom};

use super::number::{u16_at, u32_at, u64_at};
use crate::container::ContainerError;

/// Bytes of the record, without data of others, and of what says where it is.
const RECORD: usize = 56;
const LOCATOR: usize = 20;

/// The number of the additional field.
const FIELD: u16 = 1;

/// What a field of 32 bits has whose value is elsewhere.
pub(in crate::container) const ELSEWHERE: u32 = u32::MAX;

/// Where the central directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::container) struct Extent {
    pub(in crate::container) count: u64,
    pub(in crate::container) length: u64,
    pub(in crate::container) start: u64,
}

/// The record and its locator, as they are in the file.
#[derive(Debug)]
pub(in crate::container) struct Records(Vec<u8>);

impl Records {
    /// Bytes of both.
    pub(in crate::container) const LENGTH: u64 = (RECORD + LOCATOR) as u64;

    /// Reads them before the last record, which is `end` and begins at `at`.
    pub(in crate::container) fn read(
        source: &mut (impl Read + Seek),
        at: u64,
        end: &[u8],
    ) -> Result<(Self, Extent), ContainerError> {
        let differs = || ContainerError::damaged("its records of ZIP64 differ from the others");
        let start = at.checked_sub(Self::LENGTH).ok_or_else(differs)?;
        let mut bytes = vec![0; RECORD + LOCATOR];
        source.seek(SeekFrom::Start(start)).map_err(ContainerError::reading)?;
        source.read_exact(&mut bytes).map_err(ContainerError::reading)?;
        let (record, locator) = bytes.split_at(RECORD);
        let is_whole = record.starts_with(b"PK\x06\x06")
            && u64_at(record, 4) == RECORD as u64 - 12
            && locator.starts_with(b"PK\x06\x07")
            && u64_at(locator, 8) == start
            && u32_at(locator, 4) == 0
            && u32_at(locator, 16) == 1
            && [16, 20].map(|at| u32_at(record, at)) == [0, 0]
            && u64_at(record, 24) == u64_at(record, 32);
        let extent = Extent {
            count: u64_at(record, 32),
            length: u64_at(record, 40),
            start: u64_at(record, 48),
        };
        let says = |small: u32, most: u32, large: u64| small == most || u64::from(small) == large;
        let is_same = says(u16_at(end, 10).into(), u16::MAX.into(), extent.count)
            && says(u32_at(end, 12), ELSEWHERE, extent.length)
            && says(u32_at(end, 16), ELSEWHERE, extent.start)
            && extent.start.checked_add(extent.length) == Some(start);
        if is_whole && is_same { Ok((Self(bytes), extent)) } else { Err(differs()) }
    }

    /// Returns the bytes of both for a central directory at another place.
    pub(in crate::container) fn moved(&self, length: u64, start: u64) -> Vec<u8> {
        let mut bytes = self.0.clone();
        bytes[40..48].copy_from_slice(&length.to_le_bytes());
        bytes[48..56].copy_from_slice(&start.to_le_bytes());
        bytes[RECORD + 8..RECORD + 16].copy_from_slice(&(start + length).to_le_bytes());
        bytes
    }
}

/// The values of a member, those that are elsewhere from its additional fields; `None` if they are not
/// there, or are there twice. Their order is that of the field.
pub(in crate::container) fn values<const N: usize>(
    small: [u32; N],
    fields: &[u8],
) -> Option<[u64; N]> {
    let mut large = field(fields)?.chunks_exact(8);
    let mut values = [0; N];
    for (value, small) in values.iter_mut().zip(small) {
        *value = if small == ELSEWHERE { u64_at(large.next()?, 0) } else { small.into() };
    }
    Some(values)
}

/// Sets the last value that is elsewhere, of so many.
pub(in crate::container) fn set_last(fields: &mut [u8], count: usize, value: u64) {
    let Some(field) = field(fields).filter(|field| field.len() >= count * 8) else { return };
    // The field is a part of the fields; the addresses say which one.
    let start = field.as_ptr().addr() - fields.as_ptr().addr() + (count - 1) * 8;
    fields[start..start + 8].copy_from_slice(&value.to_le_bytes());
}

/// The field among others: empty if there is none, `None` if there are two.
fn field(mut fields: &[u8]) -> Option<&[u8]> {
    let mut found = None;
    while fields.len() >= 4 {
        let (number, length) = (u16_at(fields, 0), usize::from(u16_at(fields, 2)));
        let Some(field) = fields.get(4..4 + length) else { break };
        if number == FIELD && found.replace(field).is_some() {
            return None;
        }
        fields = &fields[4 + length..];
    }
    Some(found.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_the_order_of_the_field() {
        let field = |numbers: &[u64]| {
            let mut bytes =
                vec![9, 9, 2, 0, 0, 0, 1, 0, u8::try_from(numbers.len() * 8).unwrap(), 0];
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            bytes
        };
        let all = [ELSEWHERE; 3];
        assert_eq!(values(all, &field(&[1, 2, 3])), Some([1, 2, 3]));
        assert_eq!(values([5, ELSEWHERE, 6], &field(&[1 << 40])), Some([5, 1 << 40, 6]));
        assert_eq!(values([5, 6, 7], &[]), Some([5, 6, 7]));
        assert_eq!(values(all, &field(&[1, 2])), None);
        assert_eq!(values([5, 6, 7], &[field(&[1]), field(&[1])].concat()), None);
        let mut fields = field(&[1, 2]);
        set_last(&mut fields, 2, 7);
        assert_eq!(fields, field(&[1, 7]));
    }
}
