//! How much work is done to make compressed records smaller.

use flate2::Compression;

/// A level of gzip, from 1 (fast) to 9 (small).
///
/// The default is 4: on 60 MB of HTML it took 0.30 s of CPU time, and 6, the default of gzip, 0.47 s
/// for 4 % fewer bytes. libdeflate took 0.24 s at level 4, for the same size, and ISA-L 0.14 s at its
/// level 3, for 11 % more bytes; reading took 0.044 s, with libdeflate 0.032 s and with ISA-L 0.036 s.
/// Both are written in C, and ISA-L in assembler.
/// Records of at most 1 KiB then have level 1: 20,000 of 300 bytes took 0.10 s, and 0.24 s at level
/// 4, for 15 % fewer bytes.
///
/// ```
/// use absolve::container::warc::Level;
///
/// assert_eq!(Level::new(9).map(Level::number), Some(9));
/// assert_eq!(Level::new(0), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    number: u8,
    /// That of small records.
    small: u8,
}

/// Maximum bytes of a small record.
const SMALL: usize = 1024;

impl Level {
    /// The smallest and the largest level.
    #[doc(hidden)]
    pub const RANGE: std::ops::RangeInclusive<u8> = 1..=9;

    /// The level of this number; `None` beyond 1 to 9.
    #[must_use]
    pub fn new(number: u8) -> Option<Self> {
        Self::RANGE.contains(&number).then_some(Self { number, small: number })
    }

    /// Its number, that of records that are not small.
    #[must_use]
    pub fn number(self) -> u8 {
        self.number
    }

    /// The level of a record with so many bytes.
    pub(super) fn of_size(self, size: usize) -> Self {
        let number = if size <= SMALL { self.small } else { self.number };
        Self { number, small: number }
    }

    pub(super) fn compression(self) -> Compression {
        Compression::new(self.number.into())
    }
}

impl Default for Level {
    fn default() -> Self {
        Self { number: 4, small: 1 }
    }
}
