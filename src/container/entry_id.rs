//! Where in a container something is.

use std::fmt;

use super::warc::RecordPosition;

/// Where in a container something is, as it is written after the name of the file and `!`.
///
/// ```
/// use absolve::container::EntryId;
///
/// assert_eq!(format!("page.mhtml!{}", EntryId::Part(3)), "page.mhtml!3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryId {
    /// In the part of a message that has this number ([`Part::number`](super::Part::number)).
    Part(usize),
    /// In the record of a web archive that is at this place.
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
