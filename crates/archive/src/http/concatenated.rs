//! Bodies of several gzip members or zstd frames in a row.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::super::zstd::{self, Content};

/// Maximum window of a zstd frame in HTTP ([RFC 9659]).
///
/// [RFC 9659]: https://www.rfc-editor.org/rfc/rfc9659
const ZSTD_WINDOW: u64 = 8 << 20;

/// Consecutive gzip members; what follows them is skipped, as browsers do.
pub(super) struct Members<'a> {
    decoder: GzDecoder<&'a [u8]>,
    is_done: bool,
}

impl<'a> Members<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { decoder: GzDecoder::new(body), is_done: false }
    }
}

impl Read for Members<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while !self.is_done {
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let rest = *self.decoder.get_ref();
            self.is_done = !rest.starts_with(b"\x1f\x8b");
            self.decoder = GzDecoder::new(rest);
        }
        Ok(0)
    }
}

pub(super) fn is_zstd(body: &[u8]) -> bool {
    body.starts_with(b"\x28\xb5\x2f\xfd") || matches!(body, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Consecutive zstd frames, as RFC 8878 has them. Skippable ones are skipped.
pub(super) struct Frames<'a> {
    rest: &'a [u8],
    frame: Option<Box<StreamingDecoder<&'a [u8], ruzstd::decoding::FrameDecoder>>>,
    content: Content,
}

impl<'a> Frames<'a> {
    pub(super) fn new(body: &'a [u8]) -> Self {
        Self { rest: body, frame: None, content: Content::of(body) }
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut frame) = self.frame.take() {
                match frame.read(into).map_err(plain)? {
                    0 if !self.content.is_as_declared(&frame.decoder) => {
                        return Err(io::Error::other("its checksum or its size is wrong"));
                    }
                    0 => self.rest = frame.into_inner(),
                    read => {
                        self.content.add(read);
                        self.frame = Some(frame);
                        return Ok(read);
                    }
                }
            }
            if let [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, after @ ..] = self.rest {
                let size = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                self.rest = after.get(size..).unwrap_or_default();
            } else if self.rest.fill_buf()?.is_empty() {
                return Ok(0);
            } else {
                self.content = Content::of(self.rest);
                let frame = StreamingDecoder::new_with_max_window_size(self.rest, ZSTD_WINDOW);
                let frame = frame.map_err(|error| io::Error::other(zstd::reason(&error)))?;
                self.frame = Some(Box::new(frame));
            }
        }
    }
}

/// The error of a decoder in plain words.
fn plain(error: io::Error) -> io::Error {
    let reason = error.get_ref().and_then(|error| error.downcast_ref()).map(zstd::reason);
    reason.map_or(error, io::Error::other)
}
