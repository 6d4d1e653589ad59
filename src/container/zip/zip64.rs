//! Numbers that have 64 bits, in a record before the last one and in fields of the members
//! ([APPNOTE](https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT), 4.3.14 and 4.5.3).

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use super::number::{u16_at, u32_at, u64_at};
use crate::container::ContainerError;

/// Bytes of the record, without data of others, and of what says where it is.
const RECORD: usize = 56;
const LOCATOR: usize = 20;
pub(super) const RECORDS: u64 = (RECORD + LOCATOR) as u64;

/// The number of the additional field.
const FIELD: u16 = 1;

/// What a field of 32 bits has whose value is elsewhere.
pub(super) const ELSEWHERE: u32 = u32::MAX;

/// Where the central directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) count: u64,
    pub(super) length: u64,
    pub(super) start: u64,
}

/// The versions in the record: of the program that made the file, and of the format.
pub(super) type Versions = [u8; 4];

impl Extent {
    /// Reads the records before the last one, which is `end` and begins at `at`.
    pub(super) fn read(
        source: &mut (impl Read + Seek),
        at: u64,
        end: &[u8],
    ) -> Result<(Self, Versions), ContainerError> {
        let differs = || ContainerError::damaged("its records of ZIP64 differ from the others");
        let at = at.checked_sub(RECORDS).ok_or_else(differs)?;
        let mut bytes = [0; RECORD + LOCATOR];
        source.seek(SeekFrom::Start(at)).map_err(ContainerError::reading)?;
        source.read_exact(&mut bytes).map_err(ContainerError::reading)?;
        let [count, length, start] = [32, 40, 48].map(|at| u64_at(&bytes, at));
        let says = |small: u32, most: u32, large: u64| small == most || u64::from(small) == large;
        let is_same = says(u16_at(end, 10).into(), u16::MAX.into(), count)
            && says(u32_at(end, 12), ELSEWHERE, length)
            && says(u32_at(end, 16), ELSEWHERE, start)
            && start.checked_add(length) == Some(at);
        let (extent, versions) =
            (Self { count, length, start }, [bytes[12], bytes[13], bytes[14], bytes[15]]);
        let is_same = is_same && extent.records(versions) == bytes;
        if is_same { Ok((extent, versions)) } else { Err(differs()) }
    }

    /// The record and its locator.
    pub(super) fn records(self, versions: Versions) -> Vec<u8> {
        let Self { count, length, start } = self;
        let mut bytes = b"PK\x06\x06".to_vec();
        bytes.extend((RECORD as u64 - 12).to_le_bytes());
        bytes.extend(versions);
        // Of one volume.
        bytes.extend([0; 8]);
        bytes.extend([count, count, length, start].map(u64::to_le_bytes).as_flattened());
        bytes.extend(b"PK\x06\x07\0\0\0\0");
        bytes.extend((start + length).to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
        bytes
    }
}

/// The values of a member, those that are elsewhere from its additional fields; `None` if they are not
/// there, or are there twice. Their order is that of the field.
pub(super) fn values<const N: usize>(small: [u32; N], fields: &[u8]) -> Option<[u64; N]> {
    let mut large = fields[field(fields)?].get(4..).unwrap_or_default().chunks_exact(8);
    let mut values = [0; N];
    for (value, small) in values.iter_mut().zip(small) {
        *value = if small == ELSEWHERE { u64_at(large.next()?, 0) } else { small.into() };
    }
    Some(values)
}

/// Sets the values in the additional fields of a member, which had another number of them.
pub(super) fn set_values(fields: &mut Vec<u8>, old_count: usize, values: &[u64]) {
    let range = field(fields).unwrap_or_default();
    // The number of the volume.
    let rest = fields[range.clone()].get(4 + old_count * 8..).unwrap_or_default();
    let mut new = values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    new.extend(rest);
    let length = u16::try_from(new.len()).unwrap_or(u16::MAX);
    let head = [FIELD, length].map(u16::to_le_bytes);
    fields.splice(range, head.into_iter().flatten().chain(new));
}

/// The field among others, with its number and its length: empty if there is none, `None` if there
/// are two.
fn field(fields: &[u8]) -> Option<Range<usize>> {
    let (mut found, mut at) = (0..0, 0);
    while fields.len() - at >= 4 {
        let (number, end) = (u16_at(fields, at), at + 4 + usize::from(u16_at(fields, at + 2)));
        if end > fields.len() {
            break;
        }
        if number == FIELD {
            if !found.is_empty() {
                return None;
            }
            found = at..end;
        }
        at = end;
    }
    Some(found)
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
        for (old, count, new, expected) in [
            (field(&[1, 2]), 2, &[1, 7][..], field(&[1, 7])),
            (field(&[1]), 1, &[1, 7], field(&[1, 7])),
            (field(&[3, 4]), 1, &[1, 7], field(&[1, 7, 4])),
            (vec![9, 9, 0, 0], 0, &[7], [&field(&[7])[6..], &[9, 9, 0, 0]].concat()),
        ] {
            let mut fields = old;
            set_values(&mut fields, count, new);
            assert_eq!(fields, expected);
        }
    }
}
