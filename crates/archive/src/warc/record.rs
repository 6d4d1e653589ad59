//! Parses a record: its head, its named fields, its block.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use absolve::Syntax;
use percent_encoding::{AsciiSet, percent_encode};

use super::super::http::{self, Headers, MediaType, Response};

/// The position of a record in an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RecordPosition {
    /// The offset of the record in the file, or of the gzip member that contains it.
    pub offset: u64,
    /// The offset in the content of the member; 0 for its first record, and outside members.
    pub within: u64,
}

/// Writes the position like an [`EntryId`](super::super::EntryId): `@offset`, or `@offset+within`.
impl fmt::Display for RecordPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.within {
            0 => write!(f, "@{}", self.offset),
            within => write!(f, "@{}+{within}", self.offset),
        }
    }
}

/// A record of a web archive
/// ([WARC 1.1](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/)).
#[derive(Debug)]
pub struct Record<'a> {
    text: &'a [u8],
    headers: Headers<'a>,
    block: Range<usize>,
    /// The HTTP response in its block.
    pub(super) response: Option<Response<'a>>,
    /// The media type: of a `response` by its HTTP header, of another record by its own header.
    pub(super) media_type: MediaType,
    /// The syntax of its payload, if that is a document: of a `response` by its HTTP header, of a
    /// `resource` or `conversion` by its own header. A segment of a larger record ([WARC 1.1,
    /// section
    /// 7](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#record-segmentation))
    /// is not read.
    pub(super) syntax: Option<Syntax>,
}

impl<'a> Record<'a> {
    /// Parses a whole record: its head, its block, and the HTTP response in the block.
    ///
    /// # Errors
    ///
    /// If the head is malformed; the message says why.
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, &'static str> {
        let head_end = http::find_head_end(text).ok_or("its head has no end")?;
        let headers = parse_fields(&text[..head_end])?;
        let length = usize::try_from(parse_block_length(&headers)?).unwrap_or(usize::MAX);
        let end = head_end.saturating_add(length).min(text.len());
        Ok(Self::new(&headers, &text[..end], head_end))
    }

    /// Creates the record with these fields, and parses the HTTP response in its block, which may
    /// be truncated. A `resource` or `conversion` has no HTTP response.
    pub(super) fn new(headers: &Headers<'_>, text: &'a [u8], block_start: usize) -> Self {
        let headers = headers.move_to(text);
        let record_type = headers.text("WARC-Type").unwrap_or_default();
        let is_bare = matches!(&*record_type, "resource" | "conversion");
        let response = if is_bare { None } else { Response::parse(text, block_start) };
        let (type_headers, body) = match &response {
            Some(http) if record_type == "response" => (Some(&http.headers), http.body()),
            _ => (Some(&headers).filter(|_| record_type != "response"), &text[block_start..]),
        };
        let media_type = type_headers.map(MediaType::from_headers).unwrap_or_default();
        let is_segment = headers.get("WARC-Segment-Number").is_some();
        let has_payload = is_bare || record_type == "response" && response.is_some();
        let is_read = has_payload && !is_segment;
        let syntax = if is_read { media_type.syntax(body) } else { None };
        drop(record_type);
        Self { text, headers, block: block_start..text.len(), response, media_type, syntax }
    }

    /// Returns the same record in `text`, to which its bytes have moved; line ends may follow them.
    pub(super) fn move_to<'b>(&self, text: &'b [u8]) -> Record<'b> {
        let Self { headers, block, response, media_type, syntax, .. } = self;
        let text = &text[..block.end.min(text.len())];
        let response = response.as_ref().map(|response| response.move_to(text));
        let (headers, media_type) = (headers.move_to(text), media_type.clone());
        Record { text, headers, block: block.clone(), response, media_type, syntax: *syntax }
    }

    /// Returns the parsed heads of the record, without its bytes; `None` if the heads take more
    /// memory than the bytes, since a hostile head has many fields.
    pub(super) fn cache_heads(&self) -> Option<Box<Record<'static>>> {
        (self.mem_size() <= self.text.len()).then(|| Box::new(self.move_to(b"")))
    }

    /// Returns the bytes of memory that the parsed heads take.
    pub(super) fn mem_size(&self) -> usize {
        let response = self.response.as_ref().map_or(0, |response| response.headers.mem_size());
        size_of::<Self>() + self.headers.mem_size() + response + self.media_type.essence.capacity()
    }

    /// Returns the named fields of the record.
    #[must_use]
    pub fn headers(&self) -> &Headers<'a> {
        &self.headers
    }

    /// Returns the field `WARC-Type`, such as `response`; an empty text if it is missing.
    #[must_use]
    pub fn record_type(&self) -> Cow<'_, str> {
        self.headers.text("WARC-Type").unwrap_or_default()
    }

    /// Returns the field `WARC-Target-URI`, without the `<>` that some programs write around it.
    /// Outside UTF-8, all non-ASCII bytes are percent-encoded, so that different URLs stay
    /// different.
    #[must_use]
    pub fn target_uri(&self) -> Option<Cow<'_, str>> {
        let uri = self.headers.get("WARC-Target-URI")?;
        let uri = match str::from_utf8(uri) {
            Ok(uri) => Cow::Borrowed(uri),
            Err(_) => percent_encode(uri, NON_ASCII).collect::<String>().into(),
        };
        Some(match uri {
            Cow::Borrowed(uri) => Cow::Borrowed(strip_brackets(uri)),
            Cow::Owned(uri) => Cow::Owned(strip_brackets(&uri).to_owned()),
        })
    }

    /// Returns the bytes after the head.
    #[must_use]
    pub fn block(&self) -> &'a [u8] {
        &self.text[self.block.clone()]
    }

    /// Returns the status of the HTTP response.
    pub(super) fn status(&self) -> Option<u16> {
        self.response.as_ref()?.status
    }
}

/// Parses `Content-Length`, the length of the block of a record.
pub(super) fn parse_block_length(headers: &Headers<'_>) -> Result<u64, &'static str> {
    let value = headers.get("Content-Length").ok_or("it has no Content-Length")?;
    let digits = std::str::from_utf8(value)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let length = digits.and_then(|digits| digits.parse().ok());
    length.ok_or("its Content-Length is not a number")
}

/// Parses the named fields in the head of a record.
pub(super) fn parse_fields(head: &[u8]) -> Result<Headers<'_>, &'static str> {
    let end = memchr::memchr(b'\n', head).ok_or("its head has no end")?;
    if !begins_as_record(head) {
        return Err("it begins with no line such as WARC/1.1");
    }
    Ok(Headers::parse(head, end + 1))
}

/// Approximate size in bytes of a report about a record.
pub(super) const REPORT_SIZE: usize = 512;

/// The set without an ASCII character: only other bytes are encoded.
const NON_ASCII: &AsciiSet = &AsciiSet::EMPTY;

/// The first bytes of a record.
pub(super) const RECORD_MAGIC: &[u8] = b"WARC/";

/// Whether bytes begin like a record, in any letter case, since some programs write `warc/1.0`.
pub(super) fn begins_as_record(bytes: &[u8]) -> bool {
    bytes.get(..RECORD_MAGIC.len()).is_some_and(|first| first.eq_ignore_ascii_case(RECORD_MAGIC))
}

/// Removes the `<>` that some programs write around a URL.
pub(super) fn strip_brackets(uri: &str) -> &str {
    uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri)
}

/// Encodes spaces as `%20`, since some programs record URLs as pages contain them.
pub(super) fn encode_spaces(url: &str) -> String {
    url.trim().replace(' ', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_in_any_case() {
        let text = b"WARC/1.0\r\nwarc-type: response\r\nWARC-TARGET-URI: <http://h/>\r\nWARC-Record-ID:\r\n <urn:x>\r\nContent-Length: 2\r\n\r\nab\r\n\r\n";
        let record = Record::parse(text).unwrap();
        assert_eq!(record.record_type(), "response");
        assert_eq!(record.target_uri().as_deref(), Some("http://h/"));
        assert_eq!(record.headers().text("WARC-Record-ID").as_deref(), Some("<urn:x>"));
        assert_eq!(record.block(), b"ab");
    }

    #[track_caller]
    fn assert_refused(text: &str, expected: &str) {
        assert_eq!(Record::parse(text.as_bytes()).map(|_| ()), Err(expected), "{text:?}");
    }

    #[test]
    fn what_is_not_a_record_is_reported() {
        assert_refused("WARC/1.0\r\n", "its head has no end");
        assert_refused("HTTP/1.0\r\n\r\n", "it begins with no line such as WARC/1.1");
        assert_refused("WARC/1.0\r\n\r\n", "it has no Content-Length");
        for length in ["", "x", "-1", "+1", "1.0", "18446744073709551616"] {
            let text = format!("WARC/1.0\r\nContent-Length: {length}\r\n\r\n");
            assert_refused(&text, "its Content-Length is not a number");
        }
    }

    #[track_caller]
    fn assert_syntax(fields: &str, block: &str, expected: Option<Syntax>) {
        let length = block.len();
        let text = format!("WARC/1.0\r\n{fields}\r\nContent-Length: {length}\r\n\r\n{block}");
        let record = Record::parse(text.as_bytes()).unwrap();
        assert_eq!(record.syntax, expected, "{text:?}");
    }

    #[test]
    fn responses_resources_and_conversions_contain_documents() {
        let [html, css, xml] = [Syntax::Html, Syntax::Css, Syntax::Xml].map(Some);
        let response = |kind: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n");
        assert_syntax("WARC-Type: response", &response("text/html"), html);
        assert_syntax("WARC-Type: response", &response("text/css"), css);
        assert_syntax("WARC-Type: response", &response("application/xhtml+xml"), xml);
        assert_syntax("WARC-Type: response", "HTTP/1.1 200 OK\r\n\r\n<!DOCTYPE html>", html);
        assert_syntax("WARC-Type: response", "<!DOCTYPE html>", None);
        assert_syntax("WARC-Type: request", &response("text/html"), None);
        let field = "Content-Type: text/html";
        assert_syntax(&format!("WARC-Type: resource\r\n{field}"), "x", html);
        assert_syntax(
            &format!("WARC-Type: resource\r\n{field}\r\nWARC-Segment-Number: 1"),
            "x",
            None,
        );
        assert_syntax(&format!("WARC-Type: conversion\r\n{field}"), "x", html);
        assert_syntax("WARC-Type: conversion\r\nContent-Type: text/css", "x", css);
        assert_syntax("WARC-Type: conversion\r\nContent-Type: text/plain", "x", None);
        assert_syntax(field, "x", None);
    }

    #[test]
    fn a_position_is_written_after_the_name_of_the_file() {
        assert_eq!(RecordPosition { offset: 12, within: 0 }.to_string(), "@12");
        assert_eq!(RecordPosition { offset: 0, within: 345 }.to_string(), "@0+345");
    }
}
