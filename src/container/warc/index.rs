//! What an index has of a record.

use std::borrow::Cow;

use super::super::http;
use super::digest;
use super::record::{Record, RecordPlace, RecordPosition};

/// A record as an index has it, for replay to find: a `response`, `revisit`, `resource` or
/// `metadata`, as `cdxj-indexer` selects them.
#[derive(Debug)]
pub(in crate::container) struct IndexEntry {
    /// Where its record is.
    pub(in crate::container) position: RecordPosition,
    /// Bytes of the record without the line ends after it, or of the gzip member that contains it.
    pub(in crate::container) length: u64,
    /// The URL, from `WARC-Target-URI`.
    pub(super) url: Option<String>,
    /// `WARC-Date`.
    pub(super) date: Option<String>,
    /// The media type of the response, or of the block of a `resource` or `metadata`;
    /// `warc/revisit` for a `revisit`.
    pub(super) mime: Option<String>,
    /// The status of the HTTP response, as it is written.
    pub(super) status: Option<String>,
    /// `WARC-Payload-Digest`; if that is missing, the SHA-1 of the payload, if the record fits in
    /// [`ArchiveLimits::record`](super::ArchiveLimits::record).
    pub(in crate::container) digest: Option<String>,
}

/// The types of records that an index has.
const KINDS: &[&str] = &["response", "revisit", "resource", "metadata"];

impl IndexEntry {
    /// The entry of a record whose block may be truncated. The length is that of the record.
    pub(super) fn of(record: &Record<'_>, place: RecordPlace) -> Option<Self> {
        let RecordPlace { position, length, has_block } = place;
        let kind = record.kind();
        let content_type = text(record.headers().get("Content-Type"));
        let has_http = matches!(&*kind, "response" | "revisit");
        let is_about_crawl = content_type.as_deref() == Some("application/warc-fields");
        if !KINDS.contains(&&*kind) || !has_http && is_about_crawl {
            return None;
        }
        let url = record.headers().get("WARC-Target-URI").map(|url| url_text(&decoded(url)));
        let is_web =
            |url: &String| ["http:", "https:"].iter().any(|scheme| url.starts_with(scheme));
        let has_http = has_http && url.as_ref().is_some_and(is_web);
        let response = has_http.then(|| Response::of(record.block())).flatten();
        let payload = response.as_ref().map_or(record.block(), |response| response.payload);
        let written = text(record.headers().get("WARC-Payload-Digest"));
        let needs_digest = written.is_none() && has_block && kind != "revisit";
        let (status, media_type) = response.map_or((None, None), |response| response.description);
        let mime = match &*kind {
            "revisit" => Some("warc/revisit".to_owned()),
            "response" => media_type,
            _ => content_type,
        };
        let is_end = |c: char| c == ';' || is_space(c);
        Some(Self {
            position,
            length,
            url,
            date: text(record.headers().get("WARC-Date")),
            mime: mime.map(|mime| mime.split(is_end).next().unwrap_or_default().to_owned()),
            status,
            digest: written.or_else(|| needs_digest.then(|| digest::text(&digest::of(payload)))),
        })
    }
}

/// A response as the Python library warcio reads it, by which indexes are made: any first line has
/// a status after its first space.
struct Response<'a> {
    /// The status, and the media type with its parameters; both are missing if there is no header.
    description: (Option<String>, Option<String>),
    payload: &'a [u8],
}

impl<'a> Response<'a> {
    /// The response in a block; `None` if that is empty.
    fn of(block: &'a [u8]) -> Option<Self> {
        let line = block.split_inclusive(|&byte| byte == b'\n').next()?;
        let first = decoded(line);
        let first = first.trim_end_matches(is_space);
        if first.is_empty() {
            return Some(Self { description: (None, None), payload: &block[line.len()..] });
        }
        let (head, payload) = block.split_at(http::head_end(block).unwrap_or(block.len()));
        let headers = http::Headers::parse(&head[line.len()..]);
        let status = first.split_once(' ').map_or("", |(_, rest)| rest.trim_matches(is_space));
        if status.is_empty() && headers.iter().next().is_none() {
            return Some(Self { description: (None, None), payload });
        }
        let status = status.split(' ').next().map(str::to_owned);
        Some(Self { description: (status, text(headers.get("Content-Type"))), payload })
    }
}

/// White space in Python.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// The value of a field as text.
///
/// NOTE: lines of a folded value are joined by one space, and in Python by their own white space.
fn text(value: Option<&[u8]>) -> Option<String> {
    value.map(|value| decoded(value).trim_matches(is_space).to_owned())
}

/// Bytes in UTF-8, or else in ISO 8859-1.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// The URL of a field: without the `<>` that some programs write around it, and with escaped
/// spaces.
fn url_text(value: &str) -> String {
    let value = value.trim_matches(is_space);
    let inside = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    inside.unwrap_or(value).replace(' ', "%20")
}
