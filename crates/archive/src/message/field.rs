//! URLs in the fields of a header.

use std::ops::Range;

use mail_parser::HeaderValue;
use mail_parser::parsers::MessageStream;

/// Longer fields are not parsed: that takes more than linear time.
pub(super) const MAX_STRUCTURED: usize = 4096;

/// A URL in a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Where it is in the file, without quotes or brackets.
    pub(super) span: Range<usize>,
    /// Unfolded.
    pub(super) url: String,
}

impl Field {
    /// Reads the value that begins at `start` of the file, as in `Base: <URL:…>` of
    /// [RFC 1808 section 3.1][rfc], where white space inside the brackets does not count, or
    /// without them, as in `Content-Location`, where folding does not.
    ///
    /// NOTE: `http::bracketed_url` reads the same fields of HTTP responses, and differs: no span,
    /// no quotes and no encoded words, but `URL:` without brackets.
    ///
    /// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.1
    pub(super) fn read(value: &[u8], start: usize) -> Option<Self> {
        let from = value.len() - value.trim_ascii_start().len();
        let whole = value.trim_ascii();
        let until = |end: u8| {
            let inner = &whole[1..];
            &inner[..memchr::memchr(end, inner).unwrap_or(inner.len())]
        };
        let (inner, from) = match whole.first()? {
            b'<' => (until(b'>'), from + 1),
            b'"' => (until(b'"'), from + 1),
            _ => (whole, from),
        };
        let is_bracketed = whole[0] == b'<';
        let marked = inner.trim_ascii_start();
        let has_mark =
            is_bracketed && marked.get(..4).is_some_and(|mark| mark.eq_ignore_ascii_case(b"URL:"));
        let url = if has_mark { &marked[4..] } else { inner };
        let from = from + inner.len() - url.len();
        let text = unfolded(url.trim_ascii())?;
        let from = from + url.len() - url.trim_ascii_start().len();
        let url_len = url.trim_ascii().len();
        let text = if is_bracketed { text.split_ascii_whitespace().collect() } else { text };
        (!text.is_empty()).then(|| Self { span: start + from..start + from + url_len, url: text })
    }
}

/// A URL without the line breaks in it and the white space after them, with [encoded
/// words](https://www.rfc-editor.org/rfc/rfc2557#section-4.4.1) decoded; none, if it is not text.
fn unfolded(url: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(url).ok()?;
    if text.contains("=?") && text.len() <= MAX_STRUCTURED {
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
