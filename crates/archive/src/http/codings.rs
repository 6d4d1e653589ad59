//! Decodes transfer and content codings ([RFC 9110 section
//! 8.4](https://www.rfc-editor.org/rfc/rfc9110#section-8.4)) within limits.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use memchr::memchr;
use ruzstd::decoding::StreamingDecoder;

use super::{Headers, MAX_HEAD, Response};
use crate::codec::{ContentCheck, describe_zstd_error};

/// Maximum number of codings of a body.
const MAX_CODINGS: usize = 8;

/// The reason why the document in a body cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) enum DecodeError {
    /// The body exceeds the limit for memory.
    TooLarge,
    /// The body cannot be decoded, for this reason.
    Damaged(String),
}

/// Decodes all codings of the body of a response. The output of each coding is limited to `max`
/// bytes, and to 1 MiB more than `ratio` times the input.
pub(in super::super) fn decode_body<'a>(
    response: &Response<'a>,
    max: usize,
    ratio: u64,
) -> Result<Cow<'a, [u8]>, DecodeError> {
    if response.is_truncated {
        return Err(DecodeError::Damaged(format!("its HTTP header exceeds {MAX_HEAD} bytes")));
    }
    let limits = DecodeLimits { max, ratio };
    let mut body = Cow::Borrowed(response.body());
    let fields = ["Transfer-Encoding", "Content-Encoding"];
    let codings =
        fields.iter().flat_map(|name| list_codings(&response.headers, name).into_iter().rev());
    for (count, name) in codings.enumerate() {
        if count == MAX_CODINGS {
            return Err(DecodeError::Damaged(format!("it has more than {MAX_CODINGS} codings")));
        }
        if let Some(decoded) = decode_coding(&name, &body, limits)? {
            body = Cow::Owned(decoded);
        }
    }
    if body.len() > max { Err(DecodeError::TooLarge) } else { Ok(body) }
}

/// Lists the codings in the fields of this name, in the order in which they were applied.
fn list_codings(headers: &Headers<'_>, name: &str) -> Vec<String> {
    let values: Vec<_> = headers.values(name).map(String::from_utf8_lossy).collect();
    let names = values.iter().flat_map(|value| value.split(','));
    // Takes one more than the limit, so that the caller detects the excess.
    let names = names.map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty());
    names.take(MAX_CODINGS + 1).collect()
}

/// The limits on the output of one coding.
#[derive(Clone, Copy)]
struct DecodeLimits {
    /// Maximum bytes.
    max: usize,
    /// Maximum growth, beyond 1 MiB.
    ratio: u64,
}

/// Decodes a coding; `None` if the body does not have it, since recording programs decode bodies
/// and leave the header.
fn decode_coding(
    name: &str,
    body: &[u8],
    limits: DecodeLimits,
) -> Result<Option<Vec<u8>>, DecodeError> {
    let damaged_error = |why: &str| DecodeError::Damaged(why.to_owned());
    match name {
        "identity" | "none" => Ok(None),
        "chunked" => decode_chunks(body).map_err(damaged_error),
        _ if body.is_empty() => Ok(None),
        "gzip" | "x-gzip" if !body.starts_with(b"\x1f\x8b") => Ok(None),
        "gzip" | "x-gzip" => read_within(GzipMembers::new(body), name, body, limits).map(Some),
        // Servers send `deflate` with the zlib header, as the RFC demands, and without.
        "deflate" | "x-deflate" if is_zlib(body) => {
            read_within(ZlibDecoder::new(body), name, body, limits).map(Some)
        }
        "deflate" | "x-deflate" => {
            keep_markup(read_within(DeflateDecoder::new(body), name, body, limits), body)
        }
        "br" => {
            let decoder = brotli_decompressor::Decompressor::new(body, 4096);
            keep_markup(read_within(decoder, name, body, limits), body)
        }
        "zstd" if !is_zstd(body) => Ok(None),
        "zstd" => read_within(ZstdFrames::new(body), name, body, limits).map(Some),
        "compress" | "x-compress" => {
            Err(DecodeError::Damaged(format!("its coding '{name}' is not read")))
        }
        // Fetch ignores an unknown coding: servers send `utf-8`, `null`, `text/html` and `8bit`.
        _ => Ok(None),
    }
}

/// Returns the result of a coding without a signature; `None` if the body is unencoded markup.
fn keep_markup(
    read: Result<Vec<u8>, DecodeError>,
    body: &[u8],
) -> Result<Option<Vec<u8>>, DecodeError> {
    match read {
        Err(DecodeError::Damaged(_)) if body.trim_ascii_start().starts_with(b"<") => Ok(None),
        read => read.map(Some),
    }
}

/// Reads the output of a decoder, which fails beyond the limits.
fn read_within(
    coded: impl Read,
    name: &str,
    body: &[u8],
    DecodeLimits { max, ratio }: DecodeLimits,
) -> Result<Vec<u8>, DecodeError> {
    let max_by_ratio = (body.len() as u64).saturating_mul(ratio).saturating_add(1 << 20);
    let bound = max_by_ratio.min(max as u64);
    let mut decoded = Vec::new();
    let result = coded.take(bound.saturating_add(1)).read_to_end(&mut decoded);
    match result {
        _ if decoded.len() > max => Err(DecodeError::TooLarge),
        _ if decoded.len() as u64 > bound => Err(DecodeError::Damaged(format!(
            "its body grows to more than {ratio} times its size by the coding '{name}'"
        ))),
        Ok(_) => Ok(decoded),
        Err(error) => Err(DecodeError::Damaged(format!("its coding '{name}' is damaged: {error}"))),
    }
}

/// Whether a body begins with a zlib header: [RFC 1950 section 2.2][rfc].
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1950#section-2.2
fn is_zlib(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..]
        if method & 0xf == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0)
}

/// Maximum bytes of a size line, with extensions.
const MAX_SIZE_LINE_LEN: usize = 4096;

/// Joins the chunks of a body ([RFC 9112 section
/// 7.1](https://www.rfc-editor.org/rfc/rfc9112#section-7.1)); `None` if the body is not chunked,
/// since some recording programs join chunks and leave the header.
fn decode_chunks(mut body: &[u8]) -> Result<Option<Vec<u8>>, &'static str> {
    let mut whole = Vec::new();
    loop {
        let is_first = whole.is_empty();
        let (size, rest) = match parse_chunk_size(body) {
            Some(parsed) => parsed,
            None if is_first => return Ok(None),
            None => return Err("it is chunked, and the size of a chunk cannot be read"),
        };
        if size == 0 {
            return Ok(Some(whole));
        }
        let Some((chunk, after)) = rest.split_at_checked(size) else {
            return Err("it is chunked, and the last chunk is incomplete");
        };
        whole.extend_from_slice(chunk);
        if matches!(after, b"" | b"\r" | b"\r\n" | b"\n") {
            return Err("it is chunked, and the last chunk is missing");
        }
        let after = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n"));
        body = after.ok_or("it is chunked, and a chunk is longer than its size")?;
    }
}

/// Parses the chunk size in the first line, and returns it with the bytes after the line.
fn parse_chunk_size(body: &[u8]) -> Option<(usize, &[u8])> {
    let end = memchr(b'\n', &body[..body.len().min(MAX_SIZE_LINE_LEN)])?;
    let line = body[..end].split(|byte| *byte == b';').next()?.trim_ascii();
    // `from_str_radix` would accept a sign.
    if !line.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let size = usize::from_str_radix(std::str::from_utf8(line).ok()?, 16).ok()?;
    Some((size, &body[end + 1..]))
}

/// Maximum window of a zstd frame in HTTP ([RFC 9659]).
///
/// [RFC 9659]: https://www.rfc-editor.org/rfc/rfc9659
const MAX_ZSTD_WINDOW: u64 = 8 << 20;

/// Reads consecutive gzip members, and skips other bytes after them, as browsers do.
struct GzipMembers<'a> {
    decoder: GzDecoder<&'a [u8]>,
    is_done: bool,
}

impl<'a> GzipMembers<'a> {
    fn new(body: &'a [u8]) -> Self {
        Self { decoder: GzDecoder::new(body), is_done: false }
    }
}

impl Read for GzipMembers<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while !self.is_done {
            let read = self.decoder.read(buf)?;
            if read > 0 || buf.is_empty() {
                return Ok(read);
            }
            let rest = *self.decoder.get_ref();
            self.is_done = !rest.starts_with(b"\x1f\x8b");
            self.decoder = GzDecoder::new(rest);
        }
        Ok(0)
    }
}

fn is_zstd(body: &[u8]) -> bool {
    body.starts_with(b"\x28\xb5\x2f\xfd") || matches!(body, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Reads consecutive zstd frames, and skips skippable ones.
struct ZstdFrames<'a> {
    rest: &'a [u8],
    frame: Option<Box<StreamingDecoder<&'a [u8], ruzstd::decoding::FrameDecoder>>>,
    content: ContentCheck,
}

impl<'a> ZstdFrames<'a> {
    fn new(body: &'a [u8]) -> Self {
        Self { rest: body, frame: None, content: ContentCheck::new(body) }
    }
}

impl Read for ZstdFrames<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(mut frame) = self.frame.take() {
                match frame.read(buf).map_err(describe_error)? {
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
                self.content = ContentCheck::new(self.rest);
                let frame = StreamingDecoder::new_with_max_window_size(self.rest, MAX_ZSTD_WINDOW);
                let frame = frame.map_err(|error| io::Error::other(describe_zstd_error(&error)))?;
                self.frame = Some(Box::new(frame));
            }
        }
    }
}

/// Replaces an error of the decoder by its description.
fn describe_error(error: io::Error) -> io::Error {
    let reason = error.get_ref().and_then(|error| error.downcast_ref()).map(describe_zstd_error);
    reason.map_or(error, io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(text: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    /// The output of `brotli -c` for `<p>hello hello hello`.
    const BROTLI: &[u8] = b"\x8b\x09\x80<p>hello hello hello\x03";

    fn read(headers: &str, body: &[u8], max: usize) -> Result<Vec<u8>, DecodeError> {
        let end = if headers.is_empty() { "" } else { "\r\n" };
        let head = format!("HTTP/1.1 200 OK\r\n{headers}{end}\r\n");
        let block = [head.as_bytes(), body].concat();
        decode_body(&Response::parse(&block, 0).unwrap(), max, 100).map(Cow::into_owned)
    }

    #[track_caller]
    fn assert_decodes(headers: &str, body: &[u8]) {
        let found = read(headers, body, 1000).map(|body| String::from_utf8(body).unwrap());
        assert_eq!(found.as_deref(), Ok("<p>hello hello hello"), "{headers}");
    }

    #[test]
    fn every_coding_is_decoded() {
        let text = b"<p>hello hello hello";
        assert_decodes("", text);
        assert_decodes("Content-Encoding: identity", text);
        assert_decodes("Content-Encoding: GZIP", &gzip(text));
        assert_decodes(
            "Content-Encoding: x-gzip",
            &[gzip(b"<p>hello "), gzip(b"hello hello")].concat(),
        );
        assert_decodes("Content-Encoding: gzip", &[&gzip(text)[..], b"\0\0\0"].concat());
        assert_decodes("Content-Encoding: deflate", &zlib(text));
        assert_decodes("Content-Encoding: deflate", &deflate(text));
        assert_decodes("Content-Encoding: br", BROTLI);
        assert_decodes("Content-Encoding: zstd", &zstd(text));
        assert_decodes(
            "Content-Encoding: zstd",
            &[zstd(b"<p>hello "), zstd(b"hello hello")].concat(),
        );
        assert_decodes(
            "Content-Encoding: zstd",
            &[b"\x50\x2a\x4d\x18\x01\0\0\0x", &zstd(text)[..]].concat(),
        );
        assert_decodes("Content-Encoding: deflate, gzip", &gzip(&zlib(text)));
        assert_decodes("Content-Encoding: zstd\r\nContent-Encoding: gzip", &gzip(&zstd(text)));
        let body = gzip(text);
        let chunked =
            [format!("{:x}\r\n", body.len()).as_bytes(), &body, b"\r\n0\r\n\r\n"].concat();
        assert_decodes("Transfer-Encoding: chunked\r\nContent-Encoding: gzip", &chunked);
        assert_decodes("Transfer-Encoding: gzip, chunked", &chunked);
    }

    #[test]
    fn a_coding_that_was_removed_already_is_not_decoded() {
        let text = b"<p>hello hello hello";
        assert_decodes("Transfer-Encoding: chunked\r\nContent-Encoding: gzip", text);
        for name in ["zstd", "br", "deflate"] {
            assert_decodes(&format!("Content-Encoding: {name}"), text);
        }
    }

    #[track_caller]
    fn assert_refused(headers: &str, body: &[u8], expected: &str) {
        match read(headers, body, 2 << 20) {
            Err(DecodeError::Damaged(why)) => assert!(why.starts_with(expected), "{why}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_cannot_be_decoded_is_reported() {
        let body = gzip(b"hello");
        assert_refused(
            "Content-Encoding: gzip",
            &body[..body.len() - 9],
            "its coding 'gzip' is damaged",
        );
        assert_refused("Content-Encoding: br", b"\xff\xff\xff", "its coding 'br' is damaged");
        let why = "its coding 'zstd' is damaged: invalid Zstandard header";
        assert_refused("Content-Encoding: zstd", b"\x28\xb5\x2f\xfd\xff", why);
        let why = "its coding 'zstd' is damaged: its checksum or its size is wrong";
        assert_refused("Content-Encoding: zstd", b"\x28\xb5\x2f\xfd\x20\x02\x09\0\0x", why);
        let mut reserved = zstd(b"hello");
        reserved[6] |= 6;
        let why = "its coding 'zstd' is damaged: corrupt Zstandard frame";
        assert_refused("Content-Encoding: zstd", &reserved, why);
        assert_refused(
            "Content-Encoding: compress",
            b"\x1f\x9d",
            "its coding 'compress' is not read",
        );
        let nine = format!("Content-Encoding: {}", "identity,".repeat(9));
        assert_refused(&nine, b"", "it has more than 8 codings");
        let long = "A: b\r\n".repeat(MAX_HEAD);
        assert_refused(&long, b"", "its HTTP header exceeds 262144 bytes");
    }

    #[test]
    fn a_body_grows_within_limits() {
        let zeros = vec![0; 3 << 20];
        assert_eq!(
            read("Content-Encoding: gzip", &gzip(&zeros), 1 << 20),
            Err(DecodeError::TooLarge)
        );
        assert_eq!(read("", &zeros, 2 << 20), Err(DecodeError::TooLarge));
        let grows = "its body grows to more than 100 times its size by the coding 'gzip'";
        let body = gzip(&zeros[..(3 << 20) / 2]);
        assert_refused("Content-Encoding: gzip", &body, grows);
    }

    #[track_caller]
    fn assert_joins(body: &str, expected: Result<Option<&str>, &str>) {
        let found = decode_chunks(body.as_bytes());
        let found = found.map(|body| body.map(|body| String::from_utf8(body).unwrap()));
        assert_eq!(
            found.as_ref().map(Option::as_deref),
            expected.as_ref().map(|&text| text),
            "{body:?}"
        );
    }

    #[test]
    fn chunks_are_joined() {
        assert_joins("3\r\nabc\r\n0\r\n\r\n", Ok(Some("abc")));
        assert_joins(
            "3;a=b\r\nabc\r\nA \r\n0123456789\r\n000\r\nTrailer: x\r\n\r\n",
            Ok(Some("abc0123456789")),
        );
        assert_joins("1\na\n0\n", Ok(Some("a")));
        assert_joins("0\r\n\r\n", Ok(Some("")));
    }

    #[test]
    fn what_is_not_chunked_is_left_alone() {
        assert_joins("<html>", Ok(None));
        assert_joins("", Ok(None));
        assert_joins("-1\r\nx", Ok(None));
        assert_joins("ffffffffffffffffffffff\r\nx", Ok(None));
    }

    #[test]
    fn bad_sizes_are_errors() {
        assert_joins(
            "ffffffffffffffff\r\nx",
            Err("it is chunked, and the last chunk is incomplete"),
        );
        assert_joins("1\r\nab\r\n0\r\n", Err("it is chunked, and a chunk is longer than its size"));
        assert_joins(
            "1\r\na\r\nx\r\n",
            Err("it is chunked, and the size of a chunk cannot be read"),
        );
        assert_joins("1\r\na\r\n", Err("it is chunked, and the last chunk is missing"));
    }
}
