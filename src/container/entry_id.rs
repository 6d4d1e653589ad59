//! Identifies an entry of a container.

use std::fmt;

use super::warc::RecordPosition;

/// Identifies an entry of a container; written after the name of the file and `!`.
///
/// ```
/// use absolve::container::EntryId;
///
/// assert_eq!(format!("page.mhtml!{}", EntryId::Part(3)), "page.mhtml!3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryId {
    /// The part of a message with this number ([`Part::number`](super::Part::number)).
    Part(usize),
    /// The record of a web archive at this position.
    Record(RecordPosition),
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(number) => number.fmt(f),
            Self::Record(position) => position.fmt(f),
        }
    }
}
