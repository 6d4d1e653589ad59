//! Where in a container something is.

use std::fmt;

use super::warc::Place;

/// Where in a container something is, as it is written behind the name of the file and `!`.
///
/// ```
/// use absolve::container::Inside;
///
/// assert_eq!(format!("page.mhtml!{}", Inside::Part(3)), "page.mhtml!3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Inside {
    /// In the part of a message that has this number ([`Part::number`](super::Part::number)).
    Part(usize),
    /// In the record of a web archive that is at this place.
    Record(Place),
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(number) => number.fmt(f),
            Self::Record(place) => place.fmt(f),
        }
    }
}
