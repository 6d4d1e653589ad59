//! Records of type `conversion`, which replace records with a rewritten document
//! ([WARC 1.1, section 6.8](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#conversion)).

use data_encoding::{BASE32, HEXLOWER};
use encoding_rs::Encoding;
use sha1::{Digest, Sha1};

use super::record::{Record, RecordPosition};

/// The fields that a conversion copies from its original.
const KEPT: &[&str] = &["WARC-Target-URI", "WARC-Date", "WARC-Warcinfo-ID"];

/// The namespace of record names, which are name-based UUIDs: that of URLs
/// ([RFC 9562 section 5.5](https://www.rfc-editor.org/rfc/rfc9562#section-5.5)).
const NAMESPACE: [u8; 16] = *b"\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";

/// Writes the conversion of `original` with `document`.
///
/// Its name is a hash of the original's name (or position) and the document's digest, so that
/// equal rewritings give equal archives, and others give other names.
pub(super) fn write(
    out: &mut Vec<u8>,
    original: &Record<'_>,
    position: RecordPosition,
    document: &[u8],
    encoding: &'static Encoding,
) {
    let digest = format!("sha1:{}", BASE32.encode(&Sha1::digest(document)));
    out.extend_from_slice(original.version().as_bytes());
    out.extend_from_slice(b"\r\n");
    let mut field = |name: &str, value: &[u8]| {
        for part in [name.as_bytes(), b": ", value, b"\r\n"] {
            out.extend_from_slice(part);
        }
    };
    let id = original.headers().get("WARC-Record-ID");
    field("WARC-Type", b"conversion");
    let unnamed = position.to_string();
    let named = name(id.unwrap_or(unnamed.as_bytes()), &digest);
    field("WARC-Record-ID", named.as_bytes());
    if let Some(id) = id {
        field("WARC-Refers-To", id);
    }
    for name in KEPT {
        if let Some(value) = original.headers().get(name) {
            field(name, value);
        }
    }
    field("WARC-Block-Digest", digest.as_bytes());
    field("WARC-Payload-Digest", digest.as_bytes());
    let content_type = format!("text/html; charset={}", encoding.name().to_ascii_lowercase());
    field("Content-Type", content_type.as_bytes());
    field("Content-Length", document.len().to_string().as_bytes());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(document);
    out.extend_from_slice(b"\r\n\r\n");
}

/// The name-based UUID of an original's name and the digest of its conversion.
fn name(original: &[u8], digest: &str) -> String {
    let mut sha1 = Sha1::new();
    for part in [&NAMESPACE, original, b" ", digest.as_bytes()] {
        sha1.update(part);
    }
    let hash = sha1.finalize();
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&hash[..16]);
    uuid[6] = uuid[6] & 0x0f | 0x50;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    let hex = HEXLOWER.encode(&uuid);
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|group| &hex[group]);
    format!("<urn:uuid:{}>", groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversion_refers_to_its_original() {
        let text = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:x>\r\nWARC-Target-URI: <http://h/>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n";
        let mut out = Vec::new();
        let position = RecordPosition { offset: 0, within: 0 };
        write(&mut out, &Record::parse(text).unwrap(), position, b"abc", encoding_rs::WINDOWS_1252);
        // printf abc | sha1sum, in base 32.
        let expected = "WARC/1.0\r
WARC-Type: conversion\r
WARC-Record-ID: <urn:uuid:3db4c74d-69f1-5123-91bf-7757304e10bf>\r
WARC-Refers-To: <urn:x>\r
WARC-Target-URI: <http://h/>\r
WARC-Date: 2020-01-01T00:00:00Z\r
WARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r
WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r
Content-Type: text/html; charset=windows-1252\r
Content-Length: 3\r
\r
abc\r
\r
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn names_are_those_of_name_based_uuids() {
        // python3 -c 'import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, "<urn:x> sha1:A"))'
        assert_eq!(name(b"<urn:x>", "sha1:A"), "<urn:uuid:a29fb6a2-90c7-59c7-aea3-84ad70b9ce47>");
    }
}
