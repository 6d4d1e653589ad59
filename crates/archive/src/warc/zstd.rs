//! Decompresses the Zstandard frames of an archive, with the dictionary in its first frame
//! ([WARC Zstandard](https://iipc.github.io/warc-specifications/specifications/warc-zstd/),
//! [RFC 8878](https://www.rfc-editor.org/rfc/rfc8878)).

use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

use ruzstd::decoding::errors::{FrameDecoderError, FrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::lookahead::LookaheadReader;
use crate::codec::{ContentCheck, ZSTD_MAGIC, describe_zstd_error, wrong_checksum};

/// Bytes of the header of a skippable frame.
pub(super) const SKIPPABLE_HEADER_LEN: usize = 8;

/// Bytes of the header of a frame up to its window.
const FRAME_HEADER_LEN: usize = 6;

/// The first byte of the skippable frame with the dictionary.
const DICTIONARY_MAGIC: u8 = 0x5d;

/// Maximum bytes of a window that a frame declares. `zstd -d` has the same limit, and
/// `zstd --ultra -22` declares such a window for input from a pipe.
const MAX_WINDOW: u64 = 128 << 20;

/// Maximum bytes of a window for frames with content of any size. The decoder returns no byte
/// before the window is full or the frame ends. Until then, it keeps the content in memory, and the
/// lookahead keeps the compressed bytes.
const MAX_STREAMED_WINDOW: u64 = 32 << 20;

/// Maximum bytes of the content of a frame with a larger window than [`MAX_STREAMED_WINDOW`].
const MAX_WHOLE_CONTENT: usize = 64 << 20;

/// Maximum bytes of a dictionary, which a decoder copies for each frame; `zstd --train` creates 110
/// KiB.
const MAX_DICTIONARY: usize = 2 << 20;

/// Maximum bytes of a block ([section
/// 3.1.1.2.4](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.2.4)).
const MAX_BLOCK: usize = 128 << 10;

/// Returns the size of a skippable frame with its header, if the bytes begin with such a frame
/// ([section 3.1.2](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.2)).
pub(super) fn skippable_frame_size(bytes: &[u8]) -> Option<u64> {
    let header: [u8; SKIPPABLE_HEADER_LEN] = bytes.get(..SKIPPABLE_HEADER_LEN)?.try_into().ok()?;
    let [first, 0x2a, 0x4d, 0x18, size @ ..] = header else { return None };
    let is_skippable = first & 0xf0 == 0x50;
    is_skippable.then(|| u64::from(u32::from_le_bytes(size)) + SKIPPABLE_HEADER_LEN as u64)
}

/// The dictionary of an archive, uncompressed.
#[derive(Clone)]
pub(super) struct Dictionary(Arc<[u8]>);

impl Dictionary {
    /// Reads the dictionary from a skippable frame of this size; `None` if the frame has no
    /// dictionary.
    ///
    /// # Errors
    ///
    /// If the stream fails, or the dictionary is damaged or larger than 2 MiB.
    pub(super) fn read<R: Read>(
        raw: &mut LookaheadReader<R>,
        size: u64,
    ) -> io::Result<Option<Self>> {
        if !raw.ahead().starts_with(&[DICTIONARY_MAGIC]) {
            return Ok(None);
        }
        let size = usize::try_from(size).ok().filter(|&size| size <= MAX_DICTIONARY);
        let Some(size) = size else { return Err(invalid("its dictionary exceeds 2 MiB")) };
        if raw.fill_to(size)? < size {
            return Err(invalid("its dictionary has no end"));
        }
        let content = &raw.ahead()[SKIPPABLE_HEADER_LEN..size];
        let content =
            if content.starts_with(ZSTD_MAGIC) { decompress(content)? } else { content.to_vec() };
        let dictionary = Self(content.into());
        dictionary.parse().map(|_| Some(dictionary))
    }

    fn parse(&self) -> io::Result<ruzstd::decoding::Dictionary> {
        let parsed = ruzstd::decoding::Dictionary::decode_dict(&self.0);
        parsed.map_err(|_| invalid("its dictionary is damaged"))
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").field("bytes", &self.0.len()).finish()
    }
}

/// Decompresses a frame that contains a dictionary.
fn decompress(frame: &[u8]) -> io::Result<Vec<u8>> {
    let mut raw = LookaheadReader::new(frame, Vec::new());
    let mut decoder = Decoder::new(None)?;
    decoder.begin_frame(&mut raw)?;
    let (mut content, mut buffer) = (Vec::new(), vec![0; MAX_BLOCK]);
    loop {
        let read = decoder.read(&mut raw, &mut buffer)?;
        content.extend_from_slice(&buffer[..read]);
        if read == 0 {
            return Ok(content);
        }
        if content.len() > MAX_DICTIONARY {
            return Err(invalid("its dictionary exceeds 2 MiB"));
        }
    }
}

/// Decompresses frames one after the other.
pub(super) struct Decoder {
    frame: FrameDecoder,
    dictionary_id: Option<u32>,
    /// Bytes of the window of the frame.
    window_size: u64,
    content: ContentCheck,
    /// Whether bytes of the frame were read.
    has_read: bool,
}

impl Decoder {
    pub(super) fn new(dictionary: Option<&Dictionary>) -> io::Result<Self> {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(MAX_WINDOW);
        let dictionary = dictionary.map(Dictionary::parse).transpose()?;
        let dictionary_id = dictionary.as_ref().map(|dictionary| dictionary.id);
        if let Some(dictionary) = dictionary {
            frame.add_dict(dictionary).map_err(|error| invalid(&describe_zstd_error(&error)))?;
        }
        let content = ContentCheck::new(b"");
        Ok(Self { frame, dictionary_id, window_size: 0, content, has_read: false })
    }

    /// Returns the bytes of the window of the frame.
    pub(super) fn window_size(&self) -> u64 {
        self.window_size
    }

    /// Reads the header of a frame.
    pub(super) fn begin_frame<R: Read>(&mut self, raw: &mut LookaheadReader<R>) -> io::Result<()> {
        raw.fill_to(FRAME_HEADER_LEN)?;
        (self.window_size, self.has_read) = (parse_window_size(raw.ahead()), false);
        self.content = ContentCheck::new(raw.ahead());
        self.frame.reset(&mut *raw).map_err(|error| frame_error(raw, &error))?;
        // A frame may omit the identifier of its dictionary.
        let Some(id) = self.dictionary_id else { return Ok(()) };
        self.frame.force_dict(id).map_err(|error| invalid(&describe_zstd_error(&error)))
    }

    /// Decompresses the next bytes; returns 0 at the end if the checksum and the size match.
    pub(super) fn read<R: Read>(
        &mut self,
        raw: &mut LookaheadReader<R>,
        buf: &mut [u8],
    ) -> io::Result<usize> {
        // With a large window, the whole frame is decompressed at once or refused.
        let is_first = !std::mem::replace(&mut self.has_read, true);
        if is_first && self.window_size > MAX_STREAMED_WINDOW {
            let max = BlockDecodingStrategy::UptoBytes(MAX_WHOLE_CONTENT);
            self.frame.decode_blocks(&mut *raw, max).map_err(|error| frame_error(raw, &error))?;
            if !self.frame.is_finished() {
                return Err(window_error());
            }
        }
        while self.frame.can_collect() == 0 && !self.frame.is_finished() {
            let block = BlockDecodingStrategy::UptoBlocks(1);
            self.frame.decode_blocks(&mut *raw, block).map_err(|error| frame_error(raw, &error))?;
        }
        let read = self.frame.read(buf)?;
        self.content.add(read);
        if read == 0 && !self.content.is_as_declared(&self.frame) {
            return Err(wrong_checksum());
        }
        Ok(read)
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decoder")
    }
}

/// Converts the error of the decoder: the stream ended or failed, or its bytes are wrong.
fn frame_error<R: Read>(raw: &mut LookaheadReader<R>, error: &FrameDecoderError) -> io::Error {
    if let FrameDecoderError::WindowSizeTooBig { .. }
    | FrameDecoderError::FrameHeaderError(FrameHeaderError::WindowTooBig { .. }) = error
    {
        return window_error();
    }
    match raw.fill_buf() {
        Ok([]) => io::ErrorKind::UnexpectedEof.into(),
        Ok(_) => invalid(&describe_zstd_error(error)),
        Err(error) => error,
    }
}

/// Parses the window that a header declares
/// ([section 3.1.1.1.2](https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1.1.2)). A frame without
/// this field needs all of its content in memory, so it has the largest window.
fn parse_window_size(header: &[u8]) -> u64 {
    const SINGLE_SEGMENT: u8 = 1 << 5;
    match header {
        [_, _, _, _, descriptor, window, ..] if descriptor & SINGLE_SEGMENT == 0 => {
            let base = 1 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        }
        _ => u64::MAX,
    }
}

fn window_error() -> io::Error {
    invalid(
        "its Zstandard frame needs a window of more than 32 MiB; compress the archive again, with zstd -19 or --long=25",
    )
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn compress(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    #[test]
    fn frames_are_read_to_their_end() {
        for text in [&b""[..], b"a", &b"x".repeat(300_000)] {
            let compressed = compress(text);
            assert_eq!(decompress(&compressed).unwrap(), text);
            let end = compressed.len() - 1;
            let error = decompress(&compressed[..end]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{error}");
        }
    }

    #[test]
    fn a_wrong_checksum_is_an_error() {
        let mut frame = compress(b"text");
        *frame.last_mut().unwrap() ^= 1;
        assert!(decompress(&frame).unwrap_err().to_string().contains("checksum"));
    }

    #[test]
    fn a_skippable_frame_has_its_size() {
        let size = skippable_frame_size;
        assert_eq!(size(b"\x50\x2a\x4d\x18\x03\0\0\0abc"), Some(11));
        assert_eq!(size(b"\x5f\x2a\x4d\x18\xff\xff\xff\xff"), Some(8 + 0xffff_ffff));
        for other in [&b"\x50\x2a\x4d\x18\x03\0\0"[..], b"\x60\x2a\x4d\x18\x03\0\0\0", ZSTD_MAGIC] {
            assert_eq!(size(other), None);
        }
    }
}
