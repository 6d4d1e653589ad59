//! Recognizes gzip members and Zstandard frames, checks them, and describes their errors.

use std::fmt;
use std::io::{self, Read};

use flate2::bufread::MultiGzDecoder;
use memchr::memchr;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::FrameDecoderError;

/// The first bytes of a gzip member ([RFC 1952 section 2.3][rfc]), with deflate, the only method.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1952#page-5
pub(super) const GZIP_MAGIC: &[u8] = b"\x1f\x8b\x08";

/// The first bytes of a Zstandard frame
/// ([RFC 8878 section 3.1.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1)).
pub(super) const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// The compression of a member, which is a gzip member or a Zstandard frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codec {
    Gzip,
    Zstd,
}

impl Codec {
    /// Detects the codec of a member by its first bytes.
    pub(super) fn detect(bytes: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|codec| bytes.starts_with(codec.magic()))
    }

    /// Returns the first bytes of each member.
    pub(super) fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => GZIP_MAGIC,
            Self::Zstd => ZSTD_MAGIC,
        }
    }
}

/// The flag of a gzip header that ends with a checksum.
pub(super) const HAS_CHECKSUM: u8 = 2;

/// Returns the offset of the compressed data in a gzip member ([RFC 1952 section
/// 2.3](https://www.rfc-editor.org/rfc/rfc1952#section-2.3)); `None` if an optional field is
/// incomplete. The offset may exceed `header`, of which fixed fields and the checksum are not read.
pub(super) fn gzip_data_offset(header: &[u8]) -> Option<usize> {
    const HAS_EXTRA: u8 = 4;
    const ZERO_TERMINATED_FLAGS: [u8; 2] = [8, 16];
    let flags = *header.get(3)?;
    let mut at = 10;
    if flags & HAS_EXTRA != 0 {
        let length = header.get(at..at + 2)?;
        at += 2 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    }
    for flag in ZERO_TERMINATED_FLAGS {
        if flags & flag != 0 {
            at += memchr(0, header.get(at..)?)? + 1;
        }
    }
    Some(if flags & HAS_CHECKSUM != 0 { at + 2 } else { at })
}

/// The error of a member whose header or content does not match the checksum or the size in it.
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

/// Describes why a frame cannot be read: the decoder's own messages show its internal state.
pub(super) fn describe_zstd_error(error: &FrameDecoderError) -> String {
    match error {
        FrameDecoderError::WindowSizeTooBig { requested, max } => {
            let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
            let (requested, max) = (mebibytes(*requested), mebibytes(*max));
            format!("the window of its Zstandard frame has {requested} MiB, more than {max} MiB")
        }
        FrameDecoderError::DictNotProvided { dict_id } => {
            format!("its Zstandard frame needs the dictionary {dict_id}, which is missing")
        }
        FrameDecoderError::ReadFrameHeaderError(_)
        | FrameDecoderError::FrameHeaderError(_)
        | FrameDecoderError::FailedToInitialize(_) => "invalid Zstandard header".to_owned(),
        _ => "corrupt Zstandard frame".to_owned(),
    }
}

/// Compares the content of a Zstandard frame with the size and the checksum that the frame
/// declares: the decoder does not check them.
pub(super) struct ContentCheck {
    has_size: bool,
    content_len: u64,
}

impl ContentCheck {
    /// Creates the check from the header of the frame. The flags contain the length of the size
    /// field; a frame of a single segment always has that field ([section
    /// 3.1.1.1.1](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.1)).
    pub(super) fn new(header: &[u8]) -> Self {
        let has_size = header.get(4).is_some_and(|descriptor| descriptor & 0b1110_0000 != 0);
        Self { has_size, content_len: 0 }
    }

    /// Counts bytes of content.
    pub(super) fn add(&mut self, bytes: usize) {
        self.content_len += bytes as u64;
    }

    /// Whether all of the content has the size and the checksum that the frame declares.
    pub(super) fn is_as_declared(&self, frame: &FrameDecoder) -> bool {
        let checksum = frame.get_checksum_from_data();
        (checksum.is_none() || checksum == frame.get_calculated_checksum())
            && (!self.has_size || self.content_len == frame.content_size())
    }
}

/// Decompresses a file to at most `max` bytes; `None` if gzip did not compress it.
///
/// # Errors
///
/// If the decompressed file has more bytes, or the compressed data is damaged.
pub fn gunzip(bytes: &[u8], max: usize) -> Result<Option<Vec<u8>>, String> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(None);
    }
    let mut unpacked = Vec::new();
    let result = MultiGzDecoder::new(bytes).take(max as u64 + 1).read_to_end(&mut unpacked);
    match result {
        _ if unpacked.len() > max => Err(format!("it is unpacked larger than {max} bytes")),
        Err(error) => Err(format!("it cannot be unpacked: {error}")),
        Ok(_) => Ok(Some(unpacked)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn a_packed_file_is_unpacked_within_its_limit() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"abc").unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(gunzip(&packed, 3), Ok(Some(b"abc".to_vec())));
        assert_eq!(gunzip(&packed, 2), Err("it is unpacked larger than 2 bytes".to_owned()));
        assert!(gunzip(&packed[..12], 3).unwrap_err().starts_with("it cannot be unpacked: "));
        assert_eq!(gunzip(b"abc", 3), Ok(None));
    }
}
