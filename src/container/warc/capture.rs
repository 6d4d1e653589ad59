//! The captures of an archive: records that belong to a URL.

use std::borrow::Cow;

use super::super::http::{Headers, MediaType};
use super::record::{Record, RecordPlace, RecordPosition, unbracketed};
use super::revisit::payload_status;
use super::selection::RecordSelection;
use crate::link::Syntax;

/// A record for a URL, of type `response`, `resource`, `revisit`, `conversion` or `request`,
/// without its block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Capture {
    /// Where its record is.
    pub position: RecordPosition,
    /// The type of the record, from `WARC-Type`.
    pub kind: String,
    /// The URL, from `WARC-Target-URI`.
    pub url: String,
    /// The status of the HTTP response, if the record has one.
    pub status: Option<u16>,
    /// The header `Location` of the HTTP response.
    pub location: Option<String>,
    /// Whether a `request` names the page that led to it, in the header `Referer`.
    pub has_referrer: bool,
    /// When it was retrieved, from `WARC-Date`.
    pub date: Option<String>,
    /// The digest of its payload, from `WARC-Payload-Digest`.
    pub digest: Option<String>,
    /// The media type of its payload in lower case, by the HTTP response or the record.
    pub media_type: Option<String>,
    /// The URL and the date of the capture that a `revisit` refers to.
    pub referred: (Option<String>, Option<String>),
    /// Whether its whole record fits in memory ([`ArchiveLimits::record`](super::ArchiveLimits)).
    pub is_in_memory: bool,
    /// The syntax of its document, if [`Reader::pages`](super::Reader::pages) shows it.
    pub document: Option<Syntax>,
    /// Whether the record is among those to read ([`Reader::select`](super::Reader::select)); a
    /// `revisit` by its own URL and type, of which it may have none.
    pub is_selected: bool,
}

/// The types of records that belong to a URL.
const KINDS: &[&str] = &["response", "resource", "revisit", "conversion", "request"];

impl Capture {
    /// The capture of a record, whose block may be truncated.
    pub(super) fn of(
        record: &Record<'_>,
        place: RecordPlace,
        selection: &RecordSelection,
    ) -> Option<Self> {
        if !KINDS.contains(&&*record.kind()) {
            return None;
        }
        let url = record.target_uri()?.into_owned();
        let headers = record.response().map(|response| &response.headers);
        let location = headers.and_then(|headers| headers.text("Location"));
        let has_referrer =
            &*record.kind() == "request" && Headers::parse(record.block()).get("Referer").is_some();
        let (location, status) = (location.map(Cow::into_owned), record.status());
        let field = |name: &str| record.headers().text(name).map(Cow::into_owned);
        let written = match (headers, &*record.kind()) {
            (Some(headers), _) => headers.text("Content-Type"),
            (None, "resource" | "conversion") => record.headers().text("Content-Type"),
            _ => None,
        };
        let media_type = written.map(|written| MediaType::parse(&written).essence);
        let media_type = media_type.filter(|essence| !essence.is_empty());
        let referred = field("WARC-Refers-To-Target-URI");
        let referred = referred.map(|url| unbracketed(&url).to_owned());
        let RecordPlace { position, has_block, .. } = place;
        let kind = record.kind().into_owned();
        let body = record.body_kind();
        let document = body.syntax().filter(|_| has_block);
        let is_selected = match &*kind {
            "revisit" => {
                let media_type = media_type.as_deref().unwrap_or_default();
                selection.may_accept(Some(&url), payload_status(record), Some(media_type))
            }
            _ => selection.accepts(record),
        };
        Some(Self {
            position,
            kind,
            url,
            status,
            location,
            has_referrer,
            date: field("WARC-Date"),
            digest: field("WARC-Payload-Digest"),
            media_type,
            referred: (referred, field("WARC-Refers-To-Date")),
            is_in_memory: has_block,
            document,
            is_selected,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn has(kind: &str, block: &str, expected: Option<(Option<u16>, Option<&str>)>) {
        let length = block.len();
        let text = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <http://h/>\r\n\
             Content-Length: {length}\r\n\r\n{block}"
        );
        let record = Record::parse(text.as_bytes()).unwrap();
        let position = RecordPosition { offset: 0, within: 0 };
        let place = RecordPlace { position, length: 0, has_block: true };
        let capture = Capture::of(&record, place, &RecordSelection::default());
        assert_eq!(capture.as_ref().map(|found| &*found.url), expected.map(|_| "http://h/"));
        let found = capture.as_ref().map(|found| (found.status, found.location.as_deref()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn captures_have_what_http_says() {
        has("response", "HTTP/1.1 200 OK\r\n\r\nx", Some((Some(200), None)));
        let moved = "HTTP/1.1 301\r\nlocation: /a\r\n\r\n";
        has("response", moved, Some((Some(301), Some("/a"))));
        has("revisit", moved, Some((Some(301), Some("/a"))));
        has("response", "HTTP/1.1 x", Some((None, None)));
        has("response", "20 text/gemini\r\n", Some((None, None)));
        has("resource", "x", Some((None, None)));
        has("conversion", "x", Some((None, None)));
        has("request", "GET / HTTP/1.1", Some((None, None)));
        has("warcinfo", "x: y", None);
    }
}
