//! The header of a message or of a part: the fields that describe the body, and those that
//! contain a URL.
//!
//! mail-parser finds the fields, and reads `Content-Type` and encoded words. Of several fields with
//! one name, the first applies, or the first with a URL.
//!
//! NOTE: `http::MediaType` reads the `Content-Type` of HTTP responses more leniently: without
//! comments and RFC 2231 parameters, but with single quotes.

use std::ops::Range;

use absolve::encoding::NamedEncoding;
use mail_parser::parsers::MessageStream;
use mail_parser::{ContentType, HeaderValue, MessageParser};

use crate::http;

/// The fields of a header.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) media: Media,
    /// `Content-Type` as it is written, in one line.
    pub(super) content_type: String,
    pub(super) charset: Option<NamedEncoding>,
    pub(super) transfer: Transfer,
    pub(super) content_base: Option<UrlField>,
    pub(super) content_location: Option<UrlField>,
    pub(super) base: Option<UrlField>,
    pub(super) snapshot: Option<UrlField>,
    /// `Content-ID` without its brackets.
    pub(super) content_id: Option<String>,
    /// Whether it has a signature of the body
    /// ([RFC 6376](https://www.rfc-editor.org/rfc/rfc6376),
    /// [RFC 1847](https://www.rfc-editor.org/rfc/rfc1847)).
    pub(super) is_signed: bool,
    /// Whether `Content-Type` is too long to be parsed.
    pub(super) is_type_too_long: bool,
    /// Whether it begins with a field.
    pub(super) has_fields: bool,
}

/// The media type of the body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Media {
    /// `text/html`.
    Html,
    /// `text/css`.
    Css,
    /// `application/xml`, `text/xml`, `text/xsl`, and types with `+xml`, such as XHTML and SVG.
    Xml,
    /// `multipart/*`, with its boundary.
    Multipart { boundary: Vec<u8>, part_default: DefaultMedia },
    /// `message/rfc822`, `message/global` or `message/news`.
    Message,
    /// A type without documents.
    #[default]
    Other,
}

/// The media type of a part without `Content-Type`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum DefaultMedia {
    #[default]
    Text,
    /// In a [`multipart/digest`](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.5).
    Message,
}

/// The transfer encoding of the body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Transfer {
    /// `7bit`, the default.
    #[default]
    SevenBit,
    /// `8bit` or `binary`.
    EightBit,
    QuotedPrintable,
    Base64,
    /// An unsupported encoding.
    Unknown,
}

impl Header {
    /// Parses the header that begins at offset `start` of a file.
    pub(super) fn parse(bytes: &[u8], start: usize, default_media: DefaultMedia) -> Self {
        let mut header = Self::default();
        let parser = MessageParser::new().header_raw("content-type").default_header_ignore();
        let mut fields = Vec::new();
        MessageStream::new(bytes).parse_headers(&parser, &mut fields);
        header.has_fields = begins_with_field(bytes, fields.first());
        let mut raw_type = None;
        let mut transfer = None;
        for field in fields {
            let (from, to) = (field.offset_start as usize, field.offset_end as usize);
            let value = bytes.get(from..to).unwrap_or_default();
            let target = match field.name.as_str().to_ascii_lowercase().as_str() {
                "content-type" => {
                    raw_type.get_or_insert(value);
                    continue;
                }
                "content-transfer-encoding" => {
                    transfer.get_or_insert(value);
                    continue;
                }
                "content-id" => {
                    header.content_id = header.content_id.or_else(|| parse_id(value));
                    continue;
                }
                "dkim-signature" => {
                    header.is_signed = true;
                    continue;
                }
                "content-base" => &mut header.content_base,
                "content-location" => &mut header.content_location,
                "base" => &mut header.base,
                "snapshot-content-location" => &mut header.snapshot,
                _ => continue,
            };
            if target.is_none() {
                *target = UrlField::parse(value, start + from);
            }
        }
        header.transfer = transfer.map_or(Transfer::SevenBit, Transfer::parse);
        header.is_type_too_long = raw_type.is_some_and(|value| value.len() > MAX_PARSED_FIELD_LEN);
        let written = raw_type.filter(|_| !header.is_type_too_long).unwrap_or_default();
        let written = String::from_utf8_lossy(written);
        header.content_type = written.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        let parsed = raw_type.and_then(parse_content_type);
        let parameter = |name| parsed.as_ref().and_then(|media| media.attribute(name));
        header.charset =
            parameter("charset").and_then(|label| NamedEncoding::from_label(label.as_bytes()));
        header.is_signed |= parsed.as_ref().is_some_and(is_signed);
        header.media = match &parsed {
            Some(parsed) => Media::from_content_type(parsed, header.transfer),
            None if default_media == DefaultMedia::Message && header.transfer.is_unencoded() => {
                Media::Message
            }
            None => Media::Other,
        };
        header
    }
}

/// Whether the first line is a field, or the `From ` line of a mailbox.
fn begins_with_field(bytes: &[u8], first: Option<&mail_parser::Header<'_>>) -> bool {
    let is_field = first.is_some_and(|field| {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let after = (field.offset_start as usize).checked_sub(1);
        field.offset_field == 0
            && field.name.as_str().bytes().all(is_name)
            && after.is_some_and(|colon| bytes.get(colon) == Some(&b':'))
    });
    is_field || bytes.starts_with(b"From ")
}

/// Parses the identifier of a part or a message ([RFC 5322 section
/// 3.6.4](https://www.rfc-editor.org/rfc/rfc5322#section-3.6.4)), and removes its brackets.
fn parse_id(value: &[u8]) -> Option<String> {
    let value = std::str::from_utf8(value).ok()?;
    let inner = value.split_once('<').map_or(value, |(_, after)| after);
    let inner = inner.split('>').next()?.trim();
    (!inner.is_empty()).then(|| inner.to_owned())
}

fn parse_content_type(value: &[u8]) -> Option<ContentType<'_>> {
    let is_short = value.len() <= MAX_PARSED_FIELD_LEN;
    let value = is_short.then(|| MessageStream::new(value).parse_content_type())?;
    value.into_content_type()
}

fn is_signed(parsed: &ContentType<'_>) -> bool {
    parsed.c_type.eq_ignore_ascii_case("multipart")
        && parsed.c_subtype.as_ref().is_some_and(|name| name.eq_ignore_ascii_case("signed"))
}

impl Media {
    fn from_content_type(parsed: &ContentType<'_>, transfer: Transfer) -> Self {
        let subtype = parsed.c_subtype.as_deref().unwrap_or_default();
        let (kind, subtype) = (parsed.c_type.to_ascii_lowercase(), subtype.to_ascii_lowercase());
        match (kind.as_str(), subtype.as_str()) {
            ("text", "html") if transfer != Transfer::Unknown => Self::Html,
            ("text", "css") if transfer != Transfer::Unknown => Self::Css,
            (kind, subtype) if http::is_xml(kind, subtype) && transfer != Transfer::Unknown => {
                Self::Xml
            }
            // Messages and multiparts may not be encoded (RFC 2045 section 6.4). A multipart that
            // claims to be encoded is read as it is.
            ("message", "rfc822" | "global" | "news") if transfer.is_unencoded() => Self::Message,
            ("multipart", _) => match parsed.attribute("boundary").map(str::trim_end) {
                None | Some("") => Self::Other,
                Some(boundary) => {
                    let is_digest = subtype == "digest";
                    let part_default =
                        if is_digest { DefaultMedia::Message } else { DefaultMedia::Text };
                    Self::Multipart { boundary: boundary.as_bytes().to_vec(), part_default }
                }
            },
            _ => Self::Other,
        }
    }
}

impl Transfer {
    fn parse(value: &[u8]) -> Self {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b';' | b'(');
        let word = value.trim_ascii().split(is_end).next().unwrap_or_default();
        match word.to_ascii_lowercase().as_slice() {
            b"7bit" | b"" => Self::SevenBit,
            b"8bit" | b"binary" => Self::EightBit,
            b"quoted-printable" => Self::QuotedPrintable,
            b"base64" => Self::Base64,
            _ => Self::Unknown,
        }
    }

    /// Whether the body is unencoded.
    fn is_unencoded(self) -> bool {
        matches!(self, Self::SevenBit | Self::EightBit)
    }
}

/// Maximum bytes of a field that is parsed, since parsing takes more than linear time.
pub(super) const MAX_PARSED_FIELD_LEN: usize = 4096;

/// A URL in a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UrlField {
    /// The span in the file, without quotes or brackets.
    pub(super) span: Range<usize>,
    /// The URL without line breaks.
    pub(super) url: String,
}

impl UrlField {
    /// Parses the value that begins at offset `start` of the file. In brackets, as in
    /// `Base: <URL:…>` of [RFC 1808 section 3.1][rfc], white space is removed. Without them, as in
    /// `Content-Location`, only line breaks are removed, with the white space after them.
    ///
    /// NOTE: `http::parse_bracketed_url` reads the same fields of HTTP responses, and differs: no
    /// span, no quotes and no encoded words, but `URL:` without brackets.
    ///
    /// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.1
    pub(super) fn parse(value: &[u8], start: usize) -> Option<Self> {
        let value_start = value.len() - value.trim_ascii_start().len();
        let whole = value.trim_ascii();
        let quoted_until = |end: u8| {
            let inner = &whole[1..];
            &inner[..memchr::memchr(end, inner).unwrap_or(inner.len())]
        };
        let (inner, inner_start) = match whole.first()? {
            b'<' => (quoted_until(b'>'), value_start + 1),
            b'"' => (quoted_until(b'"'), value_start + 1),
            _ => (whole, value_start),
        };
        let is_bracketed = whole[0] == b'<';
        let trimmed = inner.trim_ascii_start();
        let has_prefix = is_bracketed
            && trimmed.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"URL:"));
        let url = if has_prefix { &trimmed[4..] } else { inner };
        let url_start = start + inner_start + inner.len() - url.len();
        let text = unfold(url.trim_ascii())?;
        let url_start = url_start + url.len() - url.trim_ascii_start().len();
        let url_len = url.trim_ascii().len();
        let text = if is_bracketed { text.split_ascii_whitespace().collect() } else { text };
        (!text.is_empty()).then(|| Self { span: url_start..url_start + url_len, url: text })
    }
}

/// Removes line breaks and the white space after them from a URL, and decodes [encoded
/// words](https://www.rfc-editor.org/rfc/rfc2557#section-4.4.1); `None` if the URL is not UTF-8.
fn unfold(url: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(url).ok()?;
    if text.contains("=?") && text.len() <= MAX_PARSED_FIELD_LEN {
        let line = format!("{text}\n");
        let value = MessageStream::new(line.as_bytes()).parse_unstructured();
        if let HeaderValue::Text(text) = value {
            return Some(text.split_ascii_whitespace().collect());
        }
    }
    let mut lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let first = lines.next()?.to_owned();
    Some(lines.fold(first, |text, line| text + line.trim_start_matches([' ', '\t'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_url(value: &str, expected: Option<&str>, written: &str) {
        let field = UrlField::parse(value.as_bytes(), 100);
        assert_eq!(field.as_ref().map(|field| field.url.as_str()), expected, "{value:?}");
        let span = field.map_or(0..0, |field| field.span.start - 100..field.span.end - 100);
        assert_eq!(&value[span], written, "{value:?}");
    }

    #[test]
    fn a_field_holds_a_url_in_brackets_or_without() {
        assert_url(" http://h/a\r\n", Some("http://h/a"), "http://h/a");
        assert_url(" <URL:http://h/a>\r\n", Some("http://h/a"), "http://h/a");
        assert_url("<url: http://h/\r\n a/ b >", Some("http://h/a/b"), "http://h/\r\n a/ b");
        assert_url(" <http://h/a> (why)\n", Some("http://h/a"), "http://h/a");
        assert_url(" \"http://h/a\"\n", Some("http://h/a"), "http://h/a");
        assert_url(" http://h/\r\n\t a b", Some("http://h/a b"), "http://h/\r\n\t a b");
        assert_url(
            " =?utf-8?q?http://h/=C3=A9?=",
            Some("http://h/\u{e9}"),
            "=?utf-8?q?http://h/=C3=A9?=",
        );
        assert_url(" URL:x", Some("URL:x"), "URL:x");
        assert_url(" <URL:>", None, "");
        assert_url(" <", None, "");
        assert_url(" \r\n", None, "");
    }

    #[track_caller]
    fn assert_header(header: &str, media: &Media, transfer: Transfer, charset: Option<&str>) {
        let header = Header::parse(header.as_bytes(), 0, DefaultMedia::Text);
        assert_eq!((&header.media, header.transfer), (media, transfer));
        assert_eq!(header.charset.map(|named| named.encoding.name()), charset);
    }

    #[test]
    fn the_header_says_what_the_body_is() {
        let multipart = |boundary: &str, part_default| Media::Multipart {
            boundary: boundary.into(),
            part_default,
        };
        assert_header("\n", &Media::Other, Transfer::SevenBit, None);
        assert_header(
            "Content-Type: TEXT/HTML; Charset=latin1\r\nContent-transfer-encoding: Base64 (x)\r\n\r\n",
            &Media::Html,
            Transfer::Base64,
            Some("windows-1252"),
        );
        assert_header(
            "Content-Type: text/html\nContent-Transfer-Encoding: x-uue\n\n",
            &Media::Other,
            Transfer::Unknown,
            None,
        );
        assert_header(
            "content-type: multipart/related;\r\n\tboundary=\"a b\"; type=\"text/html\"\r\n\r\n",
            &multipart("a b", DefaultMedia::Text),
            Transfer::SevenBit,
            None,
        );
        assert_header(
            "Content-Type: multipart/digest; boundary=x\n\n",
            &multipart("x", DefaultMedia::Message),
            Transfer::SevenBit,
            None,
        );
        assert_header("Content-Type: multipart/mixed\n\n", &Media::Other, Transfer::SevenBit, None);
        assert_header(
            "Content-Type: message/rfc822\n\n",
            &Media::Message,
            Transfer::SevenBit,
            None,
        );
        assert_header(
            "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n",
            &Media::Other,
            Transfer::Base64,
            None,
        );
        assert_header(
            "Content-Type: text/html; charset=no-such\nContent-Type: image/png\n\n",
            &Media::Html,
            Transfer::SevenBit,
            None,
        );
    }
}
