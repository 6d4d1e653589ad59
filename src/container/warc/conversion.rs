//! Records of type `conversion`, which hold rewritten documents
//! ([WARC 1.1, section 6.8](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#conversion)).

use std::collections::HashSet;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::super::http;
use super::digest::{self, Sha1Digest};
use super::name::record_name;
use super::new_record::NewRecord;
use super::record::{Record, RecordPosition};

/// The fields of an original that its conversion does not copy: they describe the old record, or
/// the standard does not allow them in a conversion.
const NOT_COPIED: &[&str] = &[
    "WARC-Type",
    "WARC-Record-ID",
    "WARC-Refers-To",
    "WARC-Refers-To-Target-URI",
    "WARC-Refers-To-Date",
    "WARC-Concurrent-To",
    "WARC-IP-Address",
    "WARC-Block-Digest",
    "WARC-Payload-Digest",
    "Content-Type",
    "Content-Length",
];

/// The field of the date of a record.
const DATE: &str = "WARC-Date";

/// The conversion of `original` with `document`, of this date or of that of the original.
///
/// Its name is a hash of the original's name (or position) and the document's digest, so that
/// equal rewritings give equal archives, and others give other names.
pub(super) fn new_record<'d>(
    original: &Record<'_>,
    position: RecordPosition,
    document: &'d [u8],
    content_type: &str,
    date: Option<&str>,
) -> NewRecord<'d> {
    let mut out = Vec::with_capacity(1024);
    let digest = digest::text(&digest::of(document));
    out.extend_from_slice(original.version().as_bytes());
    out.extend_from_slice(b"\r\n");
    let mut field = |name: &str, value: &[u8]| {
        http::field(&mut out, name.as_bytes(), value, b"\r\n");
    };
    let id = original.headers().get("WARC-Record-ID");
    field("WARC-Type", b"conversion");
    let unnamed = position.to_string();
    let named = record_name(id.unwrap_or(unnamed.as_bytes()), &digest);
    field("WARC-Record-ID", named.as_bytes());
    if let Some(id) = id {
        field("WARC-Refers-To", id);
    }
    let is_dated = |name: &[u8]| date.is_some() && name.eq_ignore_ascii_case(DATE.as_bytes());
    for (name, value) in original.headers().iter() {
        let is_named = |other: &&str| other.as_bytes().eq_ignore_ascii_case(name);
        if !is_dated(name) && !NOT_COPIED.iter().any(is_named) {
            field(&String::from_utf8_lossy(name), value);
        }
    }
    if let Some(date) = date {
        field(DATE, date.as_bytes());
    }
    field("WARC-Block-Digest", digest.as_bytes());
    field("WARC-Payload-Digest", digest.as_bytes());
    field("Content-Type", content_type.as_bytes());
    field("Content-Length", document.len().to_string().as_bytes());
    out.extend_from_slice(b"\r\n");
    NewRecord { head: out, body: document }
}

/// The `Content-Type` of a conversion with this document in this media type. Text in UTF-16 that
/// begins with a byte order mark has a [label](https://www.rfc-editor.org/rfc/rfc2781#section-3.3)
/// of its own.
pub(super) fn content_type(
    media_type: &str,
    encoding: &'static Encoding,
    document: &[u8],
) -> String {
    let has_mark = document.starts_with(b"\xff\xfe") || document.starts_with(b"\xfe\xff");
    let is_utf_16 = encoding == UTF_16LE || encoding == UTF_16BE;
    let label = if has_mark && is_utf_16 { "UTF-16" } else { encoding.name() };
    format!("{media_type}; charset={}", label.to_ascii_lowercase())
}

/// What a conversion is of, and its contents: equal conversions are not added twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConversionKey {
    digest: Sha1Digest,
    /// Whether the conversion names its original.
    has_original: bool,
}

impl ConversionKey {
    /// The key of a conversion.
    pub(super) fn of(conversion: &Record<'_>) -> Self {
        let headers = conversion.headers();
        // The date is that of a run.
        let names = ["WARC-Refers-To", "WARC-Target-URI", "WARC-Payload-Digest"];
        let values = names.map(|name| headers.get(name).unwrap_or_default());
        Self {
            digest: digest::of(&values.join(&b'\n')),
            has_original: headers.get("WARC-Refers-To").is_some(),
        }
    }
}

/// Maximum conversions that are known (19 MB).
const MOST_KNOWN: usize = (1 << 21) / 8 * 7;

/// The conversions of an archive so far, as hashes. A record that an archive has several times has one
/// conversion, since the names of others would be the same.
#[derive(Debug, Default)]
pub(super) struct KnownConversions(HashSet<u64>);

impl KnownConversions {
    /// Adds a conversion; whether it is a new one. Conversions whose originals have no name have
    /// names of their own.
    pub(super) fn add(&mut self, key: &ConversionKey) -> bool {
        let hash = key.digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte));
        if !key.has_original {
            return true;
        }
        if self.0.len() < MOST_KNOWN { self.0.insert(hash) } else { !self.0.contains(&hash) }
    }
}

/// Whether absolve wrote a conversion: its name is the hash of what it says of itself.
pub(super) fn is_own(conversion: &Record<'_>) -> bool {
    let headers = conversion.headers();
    let original = headers.get("WARC-Refers-To");
    let (id, digest) = (conversion.id(), headers.text("WARC-Payload-Digest"));
    let (Some(original), Some(id), Some(digest)) = (original, id, digest) else { return false };
    conversion.kind() == "conversion" && record_name(original, &digest) == id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_of_utf_16_depends_on_its_mark() {
        let is = |encoding, document: &[u8], label: &str| {
            let expected = format!("text/xml; charset={label}");
            assert_eq!(content_type("text/xml", encoding, document), expected);
        };
        is(UTF_16LE, b"\xff\xfe<\0", "utf-16");
        is(UTF_16BE, b"\xfe\xff\0<", "utf-16");
        is(UTF_16LE, b"<\0", "utf-16le");
        is(encoding_rs::UTF_8, b"\xef\xbb\xbf<", "utf-8");
    }

    #[test]
    fn a_conversion_refers_to_its_original() {
        let text = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nWARC-Target-URI: <http://h/>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-IP-Address: 1.2.3.4\r\nWARC-Truncated: length\r\nX-Unknown: a\r\n b\r\nContent-Length: 0\r\n\r\n";
        let position = RecordPosition { offset: 0, within: 0 };
        let record = Record::parse(text).unwrap();
        let content_type = content_type("text/html", encoding_rs::WINDOWS_1252, b"abc");
        let out = new_record(&record, position, b"abc", &content_type, None).to_vec();
        // printf abc | sha1sum, in base 32.
        let expected = "WARC/1.0\r
WARC-Type: conversion\r
WARC-Record-ID: <urn:uuid:3db4c74d-69f1-5123-91bf-7757304e10bf>\r
WARC-Refers-To: <urn:x>\r
WARC-Target-URI: <http://h/>\r
WARC-Date: 2020-01-01T00:00:00Z\r
WARC-Truncated: length\r
X-Unknown: a b\r
WARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r
WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r
Content-Type: text/html; charset=windows-1252\r
Content-Length: 3\r
\r
abc\r
\r
";
        assert_eq!(String::from_utf8(out.clone()).unwrap(), expected);
        let date = Some("2026-01-01T00:00:00Z");
        let dated = new_record(&record, position, b"abc", &content_type, date).to_vec();
        let dated = Record::parse(&dated).unwrap();
        let fields: Vec<_> = dated.headers().all("WARC-Date").collect();
        assert_eq!(fields, [b"2026-01-01T00:00:00Z"]);
        let conversion = Record::parse(&out).unwrap();
        assert_eq!(ConversionKey::of(&conversion), ConversionKey::of(&dated));
        assert!(is_own(&conversion));
        let other = expected.replace("<urn:x>", "<urn:y>");
        let other = Record::parse(other.as_bytes()).unwrap();
        assert!(!is_own(&other));
        assert_ne!(ConversionKey::of(&conversion), ConversionKey::of(&other));
    }
}
