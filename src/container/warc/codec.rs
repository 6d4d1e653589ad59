//! How the records of an archive are compressed.

use std::io;

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

/// The reader of segments knows it by the word "checksum".
pub(super) fn wrong_checksum() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it does not have a matching checksum or size")
}
