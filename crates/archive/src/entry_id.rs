//! Entry identifiers, as in `page.mhtml!3`.

use std::fmt;
use std::str::FromStr;

use super::warc::RecordPosition;

/// An identifier of an entry in a container, written after the name of the file and `!`.
///
/// ```
/// use absolve_archive::EntryId;
///
/// assert_eq!(format!("page.mhtml!{}", EntryId::Part(3)), "page.mhtml!3");
/// assert_eq!("3".parse(), Ok(EntryId::Part(3)));
/// assert!("@+3".parse::<EntryId>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryId {
    /// The part of a message with this [number](super::MessagePart::number).
    Part(usize),
    /// The record of a web archive at this position.
    Record(RecordPosition),
}

/// Parses the text that [`Display`](fmt::Display) writes: `3`, `@1234`, `@0+345`.
impl FromStr for EntryId {
    type Err = InvalidEntryId;

    fn from_str(text: &str) -> Result<Self, InvalidEntryId> {
        let parse_number = |digits: &str| {
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u64>().ok().filter(|_| is_number).ok_or(InvalidEntryId)
        };
        let Some(position) = text.strip_prefix('@') else {
            return usize::try_from(parse_number(text)?)
                .map(Self::Part)
                .map_err(|_| InvalidEntryId);
        };
        let (offset, offset_in_member) = position.split_once('+').unwrap_or((position, "0"));
        let (offset, within) = (parse_number(offset)?, parse_number(offset_in_member)?);
        Ok(Self::Record(RecordPosition { offset, within }))
    }
}

/// A text that identifies no entry of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidEntryId;

impl fmt::Display for InvalidEntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected the number of a part, such as 3, or an offset, such as @1234")
    }
}

impl std::error::Error for InvalidEntryId {}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(number) => number.fmt(f),
            Self::Record(position) => position.fmt(f),
        }
    }
}
