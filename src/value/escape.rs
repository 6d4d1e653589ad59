//! Escapes a URL for its container.
//!
//! CSS has escapes: <https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point>. The other
//! containers have none, so characters with a meaning there are percent-encoded.

use std::borrow::Cow;

use super::reference::{Container, QuoteMark, RefreshForm};
use super::refresh;

impl Container {
    /// Returns the text that represents `url` in this container.
    ///
    /// Reading the value again yields `url`, and all other references unchanged. A character for
    /// which the container has no escape is percent-encoded instead: white space in a list or a
    /// candidate, commas of a comma list, a comma at either end of a candidate, the quotation mark
    /// of a refresh pragma, and white space at either end of an item.
    ///
    /// Three values cannot be read back: U+0000, an empty URL in a list or in CSS, and a URL that
    /// begins with `#` in CSS.
    ///
    /// # Examples
    ///
    /// ```
    /// # use absolve::value::{Container, QuoteMark};
    /// assert_eq!(Container::SrcsetCandidate.escape("/a,b,"), "/a,b%2C");
    /// assert_eq!(Container::CssString(QuoteMark::Single).escape("it's"), r"it\'s");
    /// ```
    #[must_use]
    pub fn escape<'u>(&self, url: &'u str) -> Cow<'u, str> {
        escape(*self, url)
    }
}

/// Escapes `url` for `container`: the implementation of [`Container::escape`].
fn escape(container: Container, url: &str) -> Cow<'_, str> {
    match container {
        Container::Whole => Cow::Borrowed(url),
        Container::RefreshUrl(form) => escape_refresh_url(form, url),
        // Almost every URL takes this path.
        _ if is_plain(url) => Cow::Borrowed(url),
        Container::Word => percent_encode(url, |_, byte| byte.is_ascii_whitespace()),
        Container::CommaItem => escape_item(url, |_, byte| byte == b','),
        Container::SrcsetCandidate => {
            let is_at_edge = edge_test(url, |c| c == ',');
            percent_encode(url, |at, byte| {
                byte.is_ascii_whitespace() || (byte == b',' && is_at_edge(at))
            })
        }
        Container::CssString(mark) => {
            let is_at_edge = edge_test(url, |c| c.is_ascii_whitespace());
            escape_css(url, |at, byte| byte == mark.byte() || is_newline(byte) || is_at_edge(at))
        }
        Container::CssUrl => escape_css(url, |_, byte| ends_unquoted_url(byte)),
    }
}

/// Whether every container except a refresh pragma can represent the URL unchanged. The fold has no
/// early exit, so the compiler can compare many bytes at once.
fn is_plain(url: &str) -> bool {
    let is_special = |byte| {
        byte <= b' ' || matches!(byte, b'"' | b'\'' | b'(' | b')' | b',' | b'<' | b'\\' | b'\x7F')
    };
    !url.bytes().fold(false, |has_special, byte| has_special | is_special(byte))
}

/// Writes `url=` before a URL that would be misread without it. Percent-encodes a quotation mark at
/// the start, which would open a quoted URL.
fn escape_refresh_url(form: RefreshForm, url: &str) -> Cow<'_, str> {
    match form {
        RefreshForm::Bare if refresh::needs_prefix(url) => {
            let url = escape_refresh_url(RefreshForm::Prefixed, url);
            Cow::Owned(format!("url={url}"))
        }
        RefreshForm::Bare | RefreshForm::Prefixed => {
            escape_item(url, |at, byte| at == 0 && QuoteMark::from_byte(byte).is_some())
        }
        RefreshForm::Quoted(mark) => escape_item(url, |_, byte| byte == mark.byte()),
    }
}

/// Percent-encodes an item: the selected bytes, and the white space at its ends.
fn escape_item(url: &str, is_escaped: impl Fn(usize, u8) -> bool) -> Cow<'_, str> {
    let is_at_edge = edge_test(url, |c| c.is_ascii_whitespace());
    percent_encode(url, |at, byte| is_escaped(at, byte) || is_at_edge(at))
}

/// Returns a test whether a position is in the `is_edge` characters at either end of `url`.
fn edge_test(url: &str, is_edge: impl Fn(char) -> bool) -> impl Fn(usize) -> bool {
    let start = url.len() - url.trim_start_matches(&is_edge).len();
    let end = url.trim_end_matches(&is_edge).len();
    move |at| at < start || at >= end
}

fn percent_encode(url: &str, is_escaped: impl Fn(usize, u8) -> bool) -> Cow<'_, str> {
    replace(url, is_escaped, |byte, out| {
        out.push('%');
        out.push(hex_digit(byte >> 4));
        out.push(hex_digit(byte & 15));
    })
}

/// Escapes for CSS the selected bytes, backslashes, and a `</` that could end a `style` element.
fn escape_css(url: &str, is_escaped: impl Fn(usize, u8) -> bool) -> Cow<'_, str> {
    let bytes = url.as_bytes();
    let ends_element = |at: usize| bytes.get(at + 1) == Some(&b'/');
    let is_escaped = |at, byte| match byte {
        b'\\' => true,
        b'<' => ends_element(at),
        _ => is_escaped(at, byte),
    };
    replace(url, is_escaped, |byte, out| {
        out.push('\\');
        if byte.is_ascii_graphic() && byte != b'<' {
            out.push(char::from(byte));
        } else {
            // The space ends the escape: a digit after it would be read as part of the escape.
            out.extend([hex_digit(byte >> 4), hex_digit(byte & 15), ' ']);
        }
    })
}

/// <https://www.w3.org/TR/css-syntax-3/#newline>; CSS reads CR and FF as line feeds.
fn is_newline(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | b'\x0c')
}

/// Whether a byte ends or invalidates a
/// [url-token](https://www.w3.org/TR/css-syntax-3/#consume-url-token).
fn ends_unquoted_url(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'(' | b')' | b' ') || byte.is_ascii_control()
}

/// Copies `text`, but calls `write` for each ASCII byte that `is_escaped` selects.
fn replace(
    text: &str,
    is_escaped: impl Fn(usize, u8) -> bool,
    write: impl Fn(u8, &mut String),
) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii() && is_escaped(at, byte) {
            out.push_str(&text[copied..at]);
            write(byte, &mut out);
            copied = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn hex_digit(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).unwrap_or('0').to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use crate::value::{Container, QuoteMark, RefreshForm};

    #[track_caller]
    fn check(container: Container, url: &str, expected: &str) {
        assert_eq!(container.escape(url), expected, "{container:?}");
    }

    #[test]
    fn a_whole_value_stays() {
        check(Container::Whole, " a,b\"'\n", " a,b\"'\n");
    }

    #[test]
    fn lists_percent_encode_their_separators() {
        check(Container::Word, "a b\t\u{e9}\n", "a%20b%09\u{e9}%0A");
        check(Container::Word, "a,b", "a,b");
        check(Container::CommaItem, " a b,c ", "%20a b%2Cc%20");
    }

    #[test]
    fn a_candidate_percent_encodes_white_space_and_commas_at_its_ends() {
        check(Container::SrcsetCandidate, "a,b", "a,b");
        check(Container::SrcsetCandidate, "a,b,", "a,b%2C");
        check(Container::SrcsetCandidate, ",,a,,", "%2C%2Ca%2C%2C");
        check(Container::SrcsetCandidate, ",", "%2C");
        check(Container::SrcsetCandidate, "a b (", "a%20b%20(");
    }

    #[test]
    fn a_refresh_url_percent_encodes_its_quotation_mark() {
        let quoted = Container::RefreshUrl(RefreshForm::Quoted(QuoteMark::Single));
        check(quoted, "a'b\"", "a%27b\"");
        let prefixed = Container::RefreshUrl(RefreshForm::Prefixed);
        check(prefixed, "'a'b", "%27a'b");
        check(prefixed, "url=a", "url=a");
        check(prefixed, " a b ", "%20a b%20");
    }

    #[test]
    fn a_bare_refresh_url_that_reads_otherwise_gets_a_prefix() {
        let bare = Container::RefreshUrl(RefreshForm::Bare);
        check(bare, "http://h/", "http://h/");
        check(bare, "url a", "url a");
        check(bare, "uRL =a", "url=uRL =a");
        check(bare, ",a", "url=,a");
        check(bare, "\"a", "%22a");
    }

    #[test]
    fn a_css_string_escapes_its_mark() {
        let string = Container::CssString(QuoteMark::Double);
        check(string, "a'b\"c\\d(e) f", "a'b\\\"c\\\\d(e) f");
        check(string, "a\n1\r\x0c", "a\\0A 1\\0D \\0C ");
        check(string, " a b\t", "\\20 a b\\09 ");
        check(string, "a</style>b<c", "a\\3C /style>b<c");
    }

    #[test]
    fn an_unquoted_css_url_escapes_what_ends_it() {
        check(Container::CssUrl, "a'b\"c\\d(e)", "a\\'b\\\"c\\\\d\\(e\\)");
        check(Container::CssUrl, "a b\t\x7f\x011", "a\\20 b\\09 \\7F \\01 1");
        check(Container::CssUrl, "\u{e9}</", "\u{e9}\\3C /");
    }
}
