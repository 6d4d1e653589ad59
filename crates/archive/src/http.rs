//! Reads recorded HTTP responses: the head, and the document in the body.
//!
//! The parser is more lenient than [RFC 9112](https://www.rfc-editor.org/rfc/rfc9112), like
//! recording programs: line ends may be LF alone, values may be folded, and lines without a colon
//! are skipped. `httparse` refuses some of these.

mod codings;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use absolve::Syntax;
use absolve::encoding::NamedEncoding;
use memchr::memchr;

pub(super) use codings::{DecodeError, decode_body};

/// The named fields of an HTTP message or of a record; names are case-insensitive and may repeat.
#[derive(Debug, Clone, Default)]
pub struct Headers<'a> {
    text: &'a [u8],
    fields: Arc<Vec<Field>>,
}

/// The spans of a field in the text of its [`Headers`], which stay valid if the text is moved.
#[derive(Debug)]
struct Field {
    name: Range<usize>,
    value: Range<usize>,
    /// The lines of a folded value, joined by spaces; empty for other values.
    joined: Vec<u8>,
}

impl<'a> Headers<'a> {
    /// Parses the lines from an offset up to the first empty line, or the end.
    pub(super) fn parse(text: &'a [u8], from: usize) -> Self {
        /// More fields than most heads of records and of responses have.
        const USUAL_FIELDS: usize = 16;
        let mut fields = Vec::<Field>::with_capacity(USUAL_FIELDS);
        let span = |part: &[u8]| {
            let start = part.as_ptr().addr() - text.as_ptr().addr();
            start..start + part.len()
        };
        for line in Lines(&text[from..]).take_while(|line| !line.is_empty()) {
            if line.starts_with(b" ") || line.starts_with(b"\t") {
                if let Some(Field { value, joined, .. }) = fields.last_mut() {
                    if joined.is_empty() {
                        joined.extend_from_slice(&text[value.clone()]);
                    }
                    if !joined.is_empty() {
                        joined.push(b' ');
                    }
                    joined.extend_from_slice(line.trim_ascii());
                }
            } else if let Some(colon) = memchr(b':', line) {
                let name = span(line[..colon].trim_ascii());
                let value = span(line[colon + 1..].trim_ascii());
                fields.push(Field { name, value, joined: Vec::new() });
            }
        }
        Self { text, fields: Arc::new(fields) }
    }

    /// Returns the same fields in `text`, to which their text has moved.
    pub(super) fn move_to<'b>(&self, text: &'b [u8]) -> Headers<'b> {
        Headers { text, fields: Arc::clone(&self.fields) }
    }

    /// Returns the bytes of memory that the fields take.
    pub(super) fn mem_size(&self) -> usize {
        let joined: usize = self.fields.iter().map(|field| field.joined.capacity()).sum();
        self.fields.capacity() * size_of::<Field>() + joined
    }

    /// Returns the value of the first field with this name, with folded lines joined by a space.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.values(name).next()
    }

    /// Returns the value of [`Headers::get`] as text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).map(String::from_utf8_lossy)
    }

    /// Returns the names and values of all fields, in their order.
    pub fn fields(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        let text = String::from_utf8_lossy;
        self.iter().map(move |(name, value)| (text(name), text(value)))
    }

    /// Returns the values of all fields with this name.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        let fields =
            self.iter().filter(move |(other, _)| other.eq_ignore_ascii_case(name.as_bytes()));
        fields.map(|(_, value)| value)
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields.iter().map(|Field { name, value, joined }| {
            let value = if joined.is_empty() { &self.text[value.clone()] } else { &**joined };
            (&self.text[name.clone()], value)
        })
    }
}

/// Lines without their ends, CR LF or LF.
struct Lines<'a>(&'a [u8]);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.0).map_or(self.0.len(), |end| end + 1);
        let (line, rest) = self.0.split_at(end);
        self.0 = rest;
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// A response: its headers, and its body as it was sent.
#[derive(Debug)]
pub(super) struct Response<'a> {
    pub(super) headers: Headers<'a>,
    /// The offset of the body in the text.
    body_start: usize,
    /// The status code; `None` if it is not a number.
    pub(super) status: Option<u16>,
    /// Whether the head is truncated at [`MAX_HEAD`] bytes.
    pub(super) is_truncated: bool,
}

/// Maximum bytes of the head of a response, or of a request.
pub(super) const MAX_HEAD: usize = 256 * 1024;

impl<'a> Response<'a> {
    /// Parses the final response at an offset of a text, and skips interim responses before it;
    /// `None` if the text does not begin like HTTP.
    ///
    /// NOTE: `http/1.1`, `HTTP 200` and the `ICY 200` of radio servers begin responses too, since
    /// curl and browsers accept them.
    pub(super) fn parse(text: &'a [u8], from: usize) -> Option<Self> {
        let mut response = Self::parse_single(text, from)?;
        // A response with status 101 (Switching Protocols) is final.
        while let Some(100 | 102..=199) = response.status
            && let Some(next) = Self::parse_single(text, response.body_start)
        {
            response = next;
        }
        Some(response)
    }

    /// Returns the same response in `text`, to which its text has moved.
    pub(super) fn move_to<'b>(&self, text: &'b [u8]) -> Response<'b> {
        let Self { headers, body_start, status, is_truncated } = self;
        Response {
            headers: headers.move_to(text),
            body_start: *body_start,
            status: *status,
            is_truncated: *is_truncated,
        }
    }

    /// Returns the body as it was sent.
    pub(super) fn body(&self) -> &'a [u8] {
        &self.headers.text[self.body_start..]
    }

    fn parse_single(text: &'a [u8], from: usize) -> Option<Self> {
        let block = &text[from..];
        let begins = |name: &[u8], ends: &[u8]| {
            let has_name =
                block.get(..name.len()).is_some_and(|first| first.eq_ignore_ascii_case(name));
            has_name && block.get(name.len()).is_some_and(|byte| ends.contains(byte))
        };
        if !begins(b"http", b"/ ") && !begins(b"icy", b" ") {
            return None;
        }
        let max = block.len().min(MAX_HEAD);
        let end = find_head_end(&block[..max]);
        let body_start = from + end.unwrap_or(max);
        let mut lines = Lines(&text[from..body_start]);
        let mut words = lines.next()?.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
        let status = words.nth(1).and_then(|word| str::from_utf8(word).ok()?.parse().ok());
        let is_truncated = end.is_none() && max < block.len();
        let headers = Headers::parse(&text[..body_start], body_start - lines.0.len()).move_to(text);
        Some(Self { headers, body_start, status, is_truncated })
    }
}

/// Finds the end of a head: after its first empty line.
pub(super) fn find_head_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(end) = memchr(b'\n', &text[at..]) {
        let line = &text[at..at + end];
        at += end + 1;
        if line.is_empty() || line == b"\r" {
            return Some(at);
        }
    }
    None
}

/// A parsed `Content-Type`.
///
/// NOTE: `message::header` reads this field of messages with mail-parser, which accepts comments
/// and RFC 2231 parameters, but no single quotes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct MediaType {
    /// The type and the subtype, in lower case; empty if the type is unknown.
    pub(super) essence: String,
    /// The encoding that the parameter `charset` names.
    pub(super) charset: Option<NamedEncoding>,
}

impl MediaType {
    /// Returns the last valid type of the fields ([extracted as browsers do][spec]), or one with an
    /// empty essence.
    ///
    /// [spec]: https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
    pub(super) fn from_headers(headers: &Headers<'_>) -> Self {
        let mut last = Self::default();
        for field in headers.values("Content-Type").map(String::from_utf8_lossy) {
            for value in split_outside_quotes(&field) {
                let next = Self::parse(value);
                if !is_valid_essence(&next.essence) || next.essence == "*/*" {
                    continue;
                }
                let is_same = next.essence == last.essence;
                let charset = next.charset.or(last.charset.filter(|_| is_same));
                last = Self { charset, ..next };
            }
        }
        // https://mimesniff.spec.whatwg.org/#mime-type-sniffing-algorithm
        if matches!(&*last.essence, "unknown/unknown" | "application/unknown") {
            last.essence.clear();
        }
        last
    }

    pub(super) fn parse(value: &str) -> Self {
        let mut parts = value.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut charsets = parts.filter_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("charset")
                .then(|| value.trim().trim_matches(['"', '\'']))
        });
        let charset = charsets.next().and_then(|label| NamedEncoding::from_label(label.as_bytes()));
        Self { essence, charset }
    }

    /// Returns the syntax of a body that is a document, by its type, or else by its first bytes.
    pub(super) fn syntax(&self, body: &[u8]) -> Option<Syntax> {
        match &*self.essence {
            "" if begins_as_html(body) => Some(Syntax::Html),
            "text/html" => Some(Syntax::Html),
            "text/css" => Some(Syntax::Css),
            "application/feed+json" => Some(Syntax::JsonFeed),
            essence => {
                let (top_level, subtype) = essence.split_once('/')?;
                is_xml(top_level, subtype).then_some(Syntax::Xml)
            }
        }
    }
}

/// Splits a list at its commas, except for commas in quotes.
fn split_outside_quotes(list: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    list.split(move |character| {
        is_quoted ^= character == '"';
        character == ',' && !is_quoted
    })
}

/// Whether a type and a subtype are [tokens](https://mimesniff.spec.whatwg.org/#parse-a-mime-type).
fn is_valid_essence(essence: &str) -> bool {
    let is_token = |text: &str| {
        let is_part = |byte| b"!#$%&'*+-.^_`|~".contains(&byte) || byte.is_ascii_alphanumeric();
        !text.is_empty() && text.bytes().all(is_part)
    };
    essence.split_once('/').is_some_and(|(top, sub)| is_token(top) && is_token(sub))
}

/// Whether a media type in lower case is that of an
/// [XML document](https://mimesniff.spec.whatwg.org/#xml-mime-type).
///
/// NOTE: `text/xsl` is not registered, and servers and browsers use it for XSLT.
pub(super) fn is_xml(top_level: &str, subtype: &str) -> bool {
    subtype.ends_with("+xml")
        || matches!((top_level, subtype), ("application" | "text", "xml") | ("text", "xsl"))
}

/// The beginnings of HTML in the [MIME Sniffing Standard][spec].
///
/// NOTE: any byte may follow the tag name.
///
/// [spec]: https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type
const BEGINNINGS: &[&str] = &[
    "<!doctype html",
    "<html",
    "<head",
    "<script",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a ",
    "<style",
    "<title",
    "<body",
    "<br",
    "<p>",
    "<!--",
];

fn begins_as_html(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    BEGINNINGS.iter().any(|begin| {
        body.get(..begin.len()).is_some_and(|first| first.eq_ignore_ascii_case(begin.as_bytes()))
    })
}

/// Parses the URL in a header `Base: <URL:…>` ([RFC 1808 section 3.1][rfc]), and removes white
/// space from it. The brackets and `URL:` may be missing.
///
/// NOTE: `message::header` reads the same fields of messages, and differs: with quotes and encoded
/// words, but `URL:` only in brackets.
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.1
pub(super) fn parse_bracketed_url(value: &str) -> String {
    let value = value.trim();
    let inner =
        value.strip_prefix('<').map_or(value, |rest| rest.split('>').next().unwrap_or(rest));
    let inner: String = inner.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    match inner.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("url:") => inner[4..].to_owned(),
        _ => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_header(text: &str, name: &str, expected: Option<&str>) {
        assert_eq!(Headers::parse(text.as_bytes(), 0).text(name).as_deref(), expected, "{text:?}");
    }

    #[test]
    fn headers_are_read_leniently() {
        assert_header("A: b\r\nC:d\r\n\r\nE: f", "c", Some("d"));
        assert_header("A: b\n\nC: d", "c", None);
        assert_header("A: b\r\n\tc\r\n d\r\n", "a", Some("b c d"));
        assert_header("nothing\r\nA : b", "A", Some("b"));
        assert_header(" folded\r\nA:", "A", Some(""));
        assert_header("A: 1\nA: 2", "a", Some("1"));
        assert_header("", "a", None);
    }

    #[test]
    fn a_response_has_a_head_and_a_body() {
        let body =
            |text: &'static str| Response::parse(text.as_bytes(), 0).map(|found| found.body());
        assert_eq!(body("HTTP/1.1 200 OK\r\nA: b\r\n\r\nx"), Some(&b"x"[..]));
        assert_eq!(body("HTTP/1.0 200\n\nx"), Some(&b"x"[..]));
        assert_eq!(body("HTTP/1.0 200\nA: b"), Some(&b""[..]));
        assert_eq!(body("20 text/gemini\r\nx"), None);
        assert_eq!(body("http/1.1 200 ok\r\n\r\nx"), Some(&b"x"[..]));
        assert_eq!(body("HTTP 200\r\n\r\nx"), Some(&b"x"[..]));
        assert_eq!(body("ICY 200 OK\r\n\r\nx"), Some(&b"x"[..]));
        assert_eq!(body("icy\r\n\r\nx"), None);
        assert_eq!(body("https://h/\r\n\r\nx"), None);
        let interim =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx";
        assert_eq!(body(interim), Some(&b"x"[..]));
        assert_eq!(body("HTTP/1.1 100 Continue\r\n\r\nx"), Some(&b"x"[..]));
    }

    #[track_caller]
    fn assert_media_type(value: &str, essence: &str, charset: Option<&str>) {
        let found = MediaType::parse(value);
        let named = found.charset.map(|named| named.encoding.name());
        assert_eq!((&*found.essence, named), (essence, charset));
    }

    #[test]
    fn a_content_type_has_a_charset_or_not() {
        assert_media_type("Text/HTML", "text/html", None);
        assert_media_type("text/html; charset=utf8", "text/html", Some("UTF-8"));
        assert_media_type(
            "text/html;a=b; CHARSET = \"Shift_JIS\" ",
            "text/html",
            Some("Shift_JIS"),
        );
        assert_media_type("text/html; charset=x-unknown", "text/html", None);
    }

    #[track_caller]
    fn assert_extracts(fields: &str, essence: &str, charset: Option<&str>) {
        let headers = Headers::parse(fields.as_bytes(), 0);
        let found = MediaType::from_headers(&headers);
        let named = found.charset.map(|named| named.encoding.name());
        assert_eq!((&*found.essence, named), (essence, charset), "{fields}");
    }

    #[test]
    fn the_last_valid_type_of_a_header_counts() {
        let type_of = |value: &str| format!("Content-Type: {value}\r\n");
        let two = |one: &str, other: &str| type_of(one) + &type_of(other);
        assert_extracts(
            &type_of("text/html, text/html; charset=utf-8"),
            "text/html",
            Some("UTF-8"),
        );
        assert_extracts(&type_of("text/html;charset=gbk, text/html"), "text/html", Some("GBK"));
        assert_extracts(&two("text/html;charset=gbk", "text/plain"), "text/plain", None);
        assert_extracts(&two("text/plain", "text/html"), "text/html", None);
        assert_extracts(&type_of("text/html;charset=gbk;a=b,text/plain"), "text/plain", None);
        assert_extracts(&type_of("text/html;x=\",text/plain\""), "text/html", None);
        assert_extracts(&type_of("text/html, */*"), "text/html", None);
        for none in
            ["", "*/*", "\"text/html\"", "text/html charset=utf-8", "html", "text/", "/html"]
        {
            assert_extracts(&type_of(none), "", None);
        }
        for unknown in ["unknown/unknown", "Application/Unknown"] {
            assert_extracts(&type_of(unknown), "", None);
        }
    }

    #[test]
    fn html_is_detected_by_type_then_by_content() {
        let [html, css, xml] = [Syntax::Html, Syntax::Css, Syntax::Xml].map(Some);
        let assert_syntax = |value: Option<&str>, body: &[u8], expected| {
            let fields = value.map(|value| format!("Content-Type: {value}")).unwrap_or_default();
            let headers = Headers::parse(fields.as_bytes(), 0);
            let media_type = MediaType::from_headers(&headers);
            assert_eq!(media_type.syntax(body), expected, "{value:?}");
        };
        assert_syntax(Some("text/html; charset=x"), b"x", html);
        assert_syntax(Some("text/plain"), b"<!DOCTYPE html>", None);
        assert_syntax(None, b"\xef\xbb\xbf\n<!DOCTYPE HTML>", html);
        assert_syntax(Some(""), b"<html>", html);
        assert_syntax(Some("text/html charset=utf-8"), b"<html>", html);
        assert_syntax(None, b"PK", None);
        assert_syntax(Some("Text/CSS; charset=utf-8"), b"<html>", css);
        for media_type in
            ["application/xhtml+xml; charset=x", "image/svg+xml", "text/xml", "Text/XSL"]
        {
            assert_syntax(Some(media_type), b"<!DOCTYPE html>", xml);
        }
    }

    #[track_caller]
    fn assert_url(value: &str, expected: &str) {
        assert_eq!(parse_bracketed_url(value), expected, "{value}");
    }

    #[test]
    fn white_space_inside_the_brackets_does_not_count() {
        assert_url("<URL:http://h/a b/>", "http://h/ab/");
        assert_url(" <url: http://h/\t a > x", "http://h/a");
        assert_url("<http://h/>", "http://h/");
        assert_url("http://h/", "http://h/");
        assert_url("<", "");
    }
}
