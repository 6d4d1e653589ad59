//! How the records of an archive are compressed.

use std::fmt;
use std::io;

use memchr::memchr;

/// The first bytes of a gzip member ([RFC 1952 section 2.3][rfc]), with the only method.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1952#page-5
pub(super) const GZIP_MAGIC: &[u8] = b"\x1f\x8b\x08";

/// The first bytes of a Zstandard frame
/// ([RFC 8878 section 3.1.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1)).
pub(super) const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// How a member is compressed: a gzip member, or a Zstandard frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Gzip,
    Zstd,
}

impl Codec {
    /// That of the member which begins with these bytes.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|codec| bytes.starts_with(codec.magic()))
    }

    /// The first bytes of a member.
    pub(super) fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => GZIP_MAGIC,
            Self::Zstd => ZSTD_MAGIC,
        }
    }
}

/// A flag of a gzip header that ends with a checksum.
pub(super) const HAS_CHECKSUM: u8 = 2;

/// Where the data of a gzip member begins, if all of its header is there but for the checksum
/// ([RFC 1952 section 2.3](https://www.rfc-editor.org/rfc/rfc1952#section-2.3)).
pub(super) fn gzip_data(header: &[u8]) -> Option<usize> {
    const HAS_EXTRA: u8 = 4;
    const TEXTS: [u8; 2] = [8, 16];
    let flags = *header.get(3)?;
    let mut at = 10;
    if flags & HAS_EXTRA != 0 {
        let length = header.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for text in TEXTS {
        if flags & text != 0 {
            at += memchr(0, header.get(at..)?)? + 1;
        }
    }
    Some(if flags & HAS_CHECKSUM != 0 { at + 2 } else { at })
}

/// A member whose content does not have the checksum or the size that its end says.
#[derive(Debug)]
pub(super) struct WrongChecksum;

impl fmt::Display for WrongChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it does not have a matching checksum or size")
    }
}

impl std::error::Error for WrongChecksum {}

pub(super) fn wrong_checksum() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, WrongChecksum)
}
