//! Reads the captures of an archive: records that belong to a URL.

use std::borrow::Cow;

use absolve::Syntax;

use super::super::http::{Headers, MAX_HEAD, MediaType, Response};
use super::options::RecordSelection;
use super::record::{Record, RecordPosition, strip_brackets};

/// A record for a URL, of type `response`, `resource`, `revisit`, `conversion` or `request`,
/// without its block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a record of its own")]
#[non_exhaustive]
pub struct Capture {
    /// The position of its record.
    pub position: RecordPosition,
    /// The type of the record, from `WARC-Type`.
    pub record_type: String,
    /// The URL, from `WARC-Target-URI`.
    pub url: String,
    /// The status of the HTTP response, if the record has one.
    pub status: Option<u16>,
    /// The target of a redirect, from the HTTP header `Location`.
    pub location: Option<String>,
    /// Whether the record is a `request` with the header `Referer`.
    pub has_referrer: bool,
    /// The date of the retrieval, from `WARC-Date`.
    pub date: Option<String>,
    /// The digest of its payload, from `WARC-Payload-Digest`.
    pub digest: Option<String>,
    /// The media type of its payload in lower case, by the HTTP response or the record.
    pub media_type: Option<String>,
    /// The URL and the date of the capture that a `revisit` refers to.
    pub refers_to_target: (Option<String>, Option<String>),
    /// The identifier of the record, from `WARC-Record-ID`.
    pub id: Option<String>,
    /// The identifier of the record that a `revisit` refers to, from `WARC-Refers-To`.
    pub refers_to: Option<String>,
    /// The identifiers of records of the same transfer, from `WARC-Concurrent-To`.
    pub concurrent_to: Vec<String>,
    /// Whether the record is a `request` with another method than `GET`.
    pub has_non_get_method: bool,
    /// Whether the response has only a part of the document: a status of 206 whose `Content-Range`
    /// is not the whole ([RFC 9110, section
    /// 14.4](https://www.rfc-editor.org/rfc/rfc9110#section-14.4)).
    pub is_partial: bool,
    /// Whether the record has only a part of its block, by `WARC-Truncated`.
    pub is_truncated: bool,
    /// Whether the record is a segment of a larger record.
    pub is_segment: bool,
    /// Whether its whole record fits in memory ([`ArchiveLimits::record`](super::ArchiveLimits)).
    pub is_in_memory: bool,
    /// The syntax of its document, if [`Reader::pages`](super::Reader::pages) visits it.
    pub syntax: Option<Syntax>,
    /// Whether [`Reader::select`](super::Reader::select) selects the record; a `revisit` is
    /// selected by its own URL, and by its status and its media type if it has them.
    pub is_selected: bool,
}

/// The types of records that belong to a URL.
const RECORD_TYPES: &[&str] = &["response", "resource", "revisit", "conversion", "request"];

/// Maximum records of the same transfer for a record; a hostile record names thousands.
const MAX_CONCURRENT: usize = 100;

impl Capture {
    /// Reads the capture of a record; `None` if the record belongs to no URL. Unless
    /// `is_in_memory`, only the beginning of its block is in memory.
    pub(super) fn from_record(
        record: &Record<'_>,
        position: RecordPosition,
        is_in_memory: bool,
        selection: &RecordSelection,
    ) -> Option<Self> {
        if !RECORD_TYPES.contains(&&*record.record_type()) {
            return None;
        }
        let url = record.target_uri()?.into_owned();
        let headers = record.response.as_ref().map(|response| &response.headers);
        let location = headers.and_then(|headers| headers.text("Location"));
        let is_request = &*record.record_type() == "request";
        let request = &record.block()[..record.block().len().min(MAX_HEAD)];
        let has_referrer = is_request && Headers::parse(request, 0).get("Referer").is_some();
        let has_non_get_method = is_request && !record.block().starts_with(b"GET ");
        let is_partial = record.status() == Some(206)
            && record.response.as_ref().is_none_or(|response| !is_whole(response, is_in_memory));
        let (location, status) = (location.map(Cow::into_owned), record.status());
        let field = |name: &str| record.headers().text(name).map(Cow::into_owned);
        let concurrent = record.headers().values("WARC-Concurrent-To").take(MAX_CONCURRENT);
        let media_type = match &*record.record_type() {
            "response" | "resource" | "conversion" => Some(record.media_type.essence.clone()),
            _ => headers.map(|headers| MediaType::from_headers(headers).essence),
        };
        let media_type = media_type.filter(|essence| !essence.is_empty());
        let target = field("WARC-Refers-To-Target-URI");
        let target = target.map(|url| strip_brackets(&url).to_owned());
        let record_type = record.record_type().into_owned();
        let syntax = record.syntax.filter(|_| is_in_memory);
        let is_selected = match &*record_type {
            "revisit" => {
                let media_type = media_type.as_deref().unwrap_or_default();
                selection.may_match(Some(&url), payload_status(record), Some(media_type))
            }
            _ => selection.matches(record),
        };
        Some(Self {
            position,
            record_type,
            url,
            status,
            location,
            has_referrer,
            date: field("WARC-Date"),
            digest: field("WARC-Payload-Digest"),
            media_type,
            refers_to_target: (target, field("WARC-Refers-To-Date")),
            id: field("WARC-Record-ID"),
            refers_to: field("WARC-Refers-To"),
            concurrent_to: concurrent.map(|name| String::from_utf8_lossy(name).into()).collect(),
            has_non_get_method,
            is_partial,
            is_truncated: record.headers().get("WARC-Truncated").is_some(),
            is_segment: record.headers().get("WARC-Segment-Number").is_some(),
            is_in_memory,
            syntax,
            is_selected,
        })
    }
}

/// Whether a response with a `Content-Range` such as `bytes 0-7/8` has the whole document.
fn is_whole(response: &Response<'_>, is_in_memory: bool) -> bool {
    let range = response.headers.text("Content-Range").unwrap_or_default().to_ascii_lowercase();
    let range = range.trim().strip_prefix("bytes ").unwrap_or_default();
    let (span, length) = range.split_once('/').unwrap_or_default();
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let ends = span.split_once('-').map(|(first, last)| (number(first), number(last)));
    // Recording programs decode bodies but keep `Content-Encoding`, so the length proves nothing.
    let trusts_range = !is_in_memory || response.headers.get("Content-Encoding").is_some();
    number(length).and_then(|length| length.checked_sub(1)).is_some_and(|last| {
        ends == Some((Some(0), Some(last))) && (trusts_range || response.body().len() as u64 > last)
    })
}

/// Returns the status of the response that a revisit repeats; `None` if the revisit has no HTTP
/// header, or a 304 response, which confirms an earlier response.
fn payload_status(record: &Record<'_>) -> Option<u16> {
    const NOT_MODIFIED: u16 = 304;
    record.status().filter(|status| *status != NOT_MODIFIED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_capture(kind: &str, block: &str, expected: Option<(Option<u16>, Option<&str>)>) {
        let length = block.len();
        let text = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <http://h/>\r\n\
             Content-Length: {length}\r\n\r\n{block}"
        );
        let record = Record::parse(text.as_bytes()).unwrap();
        let position = RecordPosition { offset: 0, within: 0 };
        let capture = Capture::from_record(&record, position, true, &RecordSelection::default());
        assert_eq!(capture.as_ref().map(|found| &*found.url), expected.map(|_| "http://h/"));
        let found = capture.as_ref().map(|found| (found.status, found.location.as_deref()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn captures_have_what_http_says() {
        assert_capture("response", "HTTP/1.1 200 OK\r\n\r\nx", Some((Some(200), None)));
        let moved = "HTTP/1.1 301\r\nlocation: /a\r\n\r\n";
        assert_capture("response", moved, Some((Some(301), Some("/a"))));
        assert_capture("revisit", moved, Some((Some(301), Some("/a"))));
        assert_capture("response", "HTTP/1.1 x", Some((None, None)));
        assert_capture("response", "20 text/gemini\r\n", Some((None, None)));
        assert_capture("resource", "x", Some((None, None)));
        assert_capture("conversion", "x", Some((None, None)));
        assert_capture("request", "GET / HTTP/1.1", Some((None, None)));
        assert_capture("warcinfo", "x: y", None);
    }
}
