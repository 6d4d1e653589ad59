//! Converts messages to web archives in memory, with a record for each resource, so that the audit
//! reads messages as it reads archives.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use absolve::Error;
use absolve::Rewriter;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::Url;

use super::message::{Message, MessagePart, PartKind};

/// The base URL of parts without another base
/// ([RFC 2557, 5](https://www.rfc-editor.org/rfc/rfc2557#section-5)).
const THIS_MESSAGE: &str = "thismessage:/";

/// Characters that are encoded in a `cid:` URL
/// ([RFC 2392](https://www.rfc-editor.org/rfc/rfc2392#section-2)).
pub const ENCODED_IN_CID: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'/').add(b'<').add(b'>').add(b'?');

/// The field of a record with the base URL of its part.
pub const BASE_FIELD: &str = "Content-Base";

/// Creates a web archive of a message, and of each message inside it, keyed by part number (0 is
/// the outermost). The URL of a part is its `Content-Location`, else its `Content-ID`, else its
/// number; a redirect leads from each other URL of the part to the first. If several parts have the
/// same URL, the first part gets it.
#[doc(hidden)]
pub fn message_archives(file: &[u8]) -> Result<BTreeMap<usize, Vec<u8>>, Error> {
    let message = Message::read(file, &Rewriter::new())?;
    let mut archives = BTreeMap::<usize, (Vec<u8>, HashSet<String>)>::new();
    let mut message_of_part = Vec::new();
    for part in message.parts() {
        let part_kind = part.kind();
        let message_number = part.parent().map_or(0, |parent| message_of_part[parent]);
        let is_message = part_kind == PartKind::Message;
        message_of_part.push(if is_message { part.number() } else { message_number });
        let body = part.decoded_body();
        let has_resource = !is_message && part_kind != PartKind::Multipart;
        let Some(body) = body.filter(|_| has_resource) else { continue };
        let location = find_part_url(part);
        let id =
            part.content_id().map(|id| format!("cid:{}", utf8_percent_encode(id, ENCODED_IN_CID)));
        // The `file:` URL of a Windows path is the base, since the path itself is no URL.
        let base = part.base().map(|base| base.as_str().to_owned());
        let base = location.clone().filter(|url| url.starts_with("file:")).or(base);
        let base = base.unwrap_or_else(|| THIS_MESSAGE.to_owned());
        let (records, urls) = archives.entry(message_number).or_default();
        let mut new_urls: Vec<_> =
            location.into_iter().chain(id).filter(|url| urls.insert(url.clone())).collect();
        if new_urls.is_empty() {
            let mut url = format!("{THIS_MESSAGE}part-{}", part.number());
            while !urls.insert(url.clone()) {
                url.push('-');
            }
            new_urls.push(url);
        }
        let declared = Some(part.content_type()).filter(|declared| !declared.is_empty());
        let content_type = declared.unwrap_or("text/plain");
        let fields = [("Content-Type", content_type), (BASE_FIELD, &base)];
        write_record(records, "resource", &new_urls[0], &fields, body.bytes());
        for other in &new_urls[1..] {
            let redirect = format!("HTTP/1.1 302 Found\r\nLocation: {}\r\n\r\n", new_urls[0]);
            let http = [("Content-Type", "application/http; msgtype=response")];
            write_record(records, "response", other, &http, redirect.as_bytes());
        }
    }
    Ok(archives.into_iter().map(|(number, (records, _))| (number, records)).collect())
}

/// Returns the URL of a part by its `Content-Location`; a Windows path becomes a `file:` URL.
fn find_part_url(part: MessagePart<'_, '_>) -> Option<String> {
    let location = part.location()?;
    if let [drive, b':', b'\\' | b'/', ..] = location.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        return Url::parse(&format!("file:///{location}")).ok().map(String::from);
    }
    // An absolute URL stays as it is written: `Url` would normalize it.
    if location.starts_with("http") {
        return Some(location.to_owned());
    }
    Url::parse(THIS_MESSAGE).ok()?.join(location).ok().map(String::from)
}

/// Writes a record, unless a value contains a line end, which would add fields.
fn write_record(out: &mut Vec<u8>, kind: &str, url: &str, fields: &[(&str, &str)], block: &[u8]) {
    let is_valid = |text: &str| !text.contains(['\r', '\n', '\0']);
    if !is_valid(url) || !fields.iter().all(|(_, value)| is_valid(value)) {
        return;
    }
    // Writing to a `Vec` cannot fail.
    let _ = write!(out, "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n");
    for (name, value) in fields {
        let _ = write!(out, "{name}: {value}\r\n");
    }
    let _ = write!(out, "Content-Length: {}\r\n\r\n", block.len());
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
}
