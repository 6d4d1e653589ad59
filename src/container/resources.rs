//! Messages and books as web archives in memory: a record for each of their resources.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};
use std::path::Path;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::epub::Book;
use super::error::ContainerError;
use super::format::Format;
use super::message::{Message, PartKind};
use crate::error::Error;
use crate::link::Limits;
use crate::rewrite::{Buffers, Rewriter};

/// What a name in a ZIP file has encoded in a URL.
const PATH: &AsciiSet = &CONTROLS.add(b'%').add(b'?').add(b'#').add(b'\\');

/// The most bytes of the resources of a book: they are in memory.
const MOST: usize = 512 << 20;

/// A web archive with the parts of a message, by their `Content-Location`, else at the host `cid` by their
/// `Content-ID` or number, from where a part with both redirects to its location.
pub(crate) fn of_message(file: &[u8]) -> Result<Vec<u8>, Error> {
    let message = Message::read(file, &Rewriter::new())?;
    let (mut records, mut buffers) = (Vec::new(), Buffers::new());
    for part in message.parts() {
        let kind = part.kind();
        let body = part.decoded_body();
        let Some(body) = body.filter(|_| !matches!(kind, PartKind::Multipart | PartKind::Message))
        else {
            continue;
        };
        let content_type = part.content_type();
        let own = part.location().and_then(|location| location.strip_prefix("cid:"));
        let id = match own.or(part.content_id()) {
            Some(id) => format!("http://cid/{id}"),
            None => format!("http://cid/part-{}", part.number()),
        };
        if let Some(location) = part.location().filter(|location| location.starts_with("http")) {
            record(&mut records, "resource", location, content_type, body.bytes());
            let moved = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n");
            let http = "application/http; msgtype=response";
            record(&mut records, "response", &id, http, moved.as_bytes());
            continue;
        }
        // Its base URL is that of the message, and not that of the record.
        let new = part.rewriter().rewrite_in(body.bytes(), &mut buffers).ok();
        let new = new.as_ref().filter(|_| kind != PartKind::Other);
        let bytes = new.map_or(body.bytes(), |new| new.bytes());
        record(&mut records, "resource", &id, content_type, bytes);
    }
    Ok(records)
}

/// A web archive with the files of a book, at the root of the host `book-` and its name.
pub(crate) fn of_book<R: Read + Seek>(source: R, path: &Path) -> Result<Vec<u8>, ContainerError> {
    let mut book = Book::open(source, Limits::default())?;
    let names: Vec<_> = book.names().map(str::to_owned).collect();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let host: String = "book-".chars().chain(stem.chars().take(50)).map(plain).collect();
    let mut records = Vec::new();
    let pages = book.documents().iter().filter(|document| document.is_page);
    let pages: HashMap<_, _> = pages.map(|page| (page.name.clone(), page.format)).collect();
    for name in names {
        let content_type = match pages.get(&name) {
            Some(Format::Html) => "text/html",
            Some(_) => "application/xhtml+xml",
            None => type_of(&name),
        };
        let bytes = Book::read(&mut book, &name)?;
        if records.len() + bytes.len() > MOST {
            let what = format!("its files have more than {MOST} bytes");
            return Err(ContainerError::Invalid(what));
        }
        let path = utf8_percent_encode(&name, PATH);
        record(&mut records, "resource", &format!("http://{host}/{path}"), content_type, &bytes);
    }
    Ok(records)
}

/// The media type of a file by its name, if browsers treat it by that; empty for others.
fn type_of(name: &str) -> &'static str {
    let (_, extension) = name.rsplit_once('.').unwrap_or_default();
    match &*extension.to_ascii_lowercase() {
        "css" => "text/css",
        "htm" | "html" => "text/html",
        "js" | "mjs" => "text/javascript",
        "ncx" | "opf" | "xml" => "application/xml",
        "svg" => "image/svg+xml",
        "xhtml" | "xht" => "application/xhtml+xml",
        _ => "",
    }
}

fn record(out: &mut Vec<u8>, kind: &str, url: &str, content_type: &str, block: &[u8]) {
    let is_field = |text: &str| !text.contains(['\r', '\n', '\0']);
    if !is_field(url) || !is_field(content_type) {
        return;
    }
    let length = block.len();
    let _ = write!(
        out,
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
    );
    out.extend_from_slice(block);
    out.extend_from_slice(b"\r\n\r\n");
}
