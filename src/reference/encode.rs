//! Encodes a value so that it reads back unchanged.
//!
//! A character becomes a reference only if it would be misread: an `&` that begins a reference with
//! the text after it, a character that ends the value, or a carriage return. No reference
//! represents U+0000, which becomes U+FFFD, as a reader would read it.
//!
//! The source before the text must not end in an unfinished reference that the text would continue.

use super::{Context, match_reference};

/// The delimiter of an attribute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quote {
    /// `"`
    Double,
    /// `'`
    Single,
    /// White space or `>`.
    Unquoted,
}

/// Appends `text` as a part of an attribute value.
///
/// `followed_by` is the rest of the value in the source, which decides whether an `&` at the end of
/// `text` begins a reference. Without quotes, characters that would end the value or open a quoted
/// value become references. An empty value needs quotes: see [`needs_quotes`].
///
/// # Examples
///
/// ```
/// # use absolve::reference::{Quote, encode_attribute};
/// let mut out = String::new();
/// encode_attribute("?a=\"&b&copy", Quote::Double, "", &mut out);
/// assert_eq!(out, "?a=&quot;&b&amp;copy");
/// ```
pub fn encode_attribute(text: &str, quote: Quote, followed_by: &str, out: &mut String) {
    let context = match quote {
        Quote::Double => EscapeContext::Double,
        Quote::Single => EscapeContext::Single,
        Quote::Unquoted => EscapeContext::Unquoted,
    };
    encode(text, context, followed_by, out);
}

/// Appends `text` as a part of an element's text with references.
///
/// `followed_by` is the source after the text, as for [`encode_attribute`].
pub fn encode_text(text: &str, followed_by: &str, out: &mut String) {
    encode(text, EscapeContext::Text, followed_by, out);
}

/// Whether a value must be quoted, or would need references without quotes.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-value-state> and
/// [attribute value (unquoted) state](https://html.spec.whatwg.org/multipage/parsing.html#attribute-value-(unquoted)-state):
/// `=`, `<` and a backtick are parse errors there, but still part of the value.
#[must_use]
pub fn needs_quotes(text: &str) -> bool {
    text.is_empty() || text.bytes().any(|byte| UNQUOTED.iter().any(|(known, _)| *known == byte))
}

/// The syntax around a text, which decides the characters to escape.
#[derive(Clone, Copy)]
enum EscapeContext {
    Double,
    Single,
    Unquoted,
    Text,
}

/// Bytes, each with its escape.
type Escapes = &'static [(u8, &'static str)];

/// The escapes in every context. [`encode`] also escapes a line feed at the start of a text.
const ANYWHERE: Escapes = &[(b'\r', "&#13;"), (b'\0', "\u{FFFD}")];

/// The escapes in a value without quotes: the bytes that end it, or open a quoted value.
const UNQUOTED: Escapes = &[
    (b'\t', "&#9;"),
    (b'\n', "&#10;"),
    (b'\x0C', "&#12;"),
    (b'\r', "&#13;"),
    (b' ', "&#32;"),
    (b'"', "&quot;"),
    (b'\'', "&#39;"),
    (b'>', "&gt;"),
];

/// By byte: the contexts, as bits, in which the byte may need an escape.
static SPECIAL: [u8; 256] = special_bytes();

const fn special_bytes() -> [u8; 256] {
    let mut table = [0; 256];
    (table[b'&' as usize], table[b'\n' as usize]) = (u8::MAX, u8::MAX);
    add_escapes(&mut table, ANYWHERE, u8::MAX);
    add_escapes(&mut table, EscapeContext::Double.escapes(), EscapeContext::Double.bit());
    add_escapes(&mut table, EscapeContext::Single.escapes(), EscapeContext::Single.bit());
    add_escapes(&mut table, EscapeContext::Unquoted.escapes(), EscapeContext::Unquoted.bit());
    add_escapes(&mut table, EscapeContext::Text.escapes(), EscapeContext::Text.bit());
    table
}

const fn add_escapes(table: &mut [u8; 256], escapes: Escapes, bits: u8) {
    let mut index = 0;
    while index < escapes.len() {
        table[escapes[index].0 as usize] |= bits;
        index += 1;
    }
}

impl EscapeContext {
    const fn bit(self) -> u8 {
        1 << self as u8
    }

    const fn escapes(self) -> Escapes {
        match self {
            Self::Double => &[(b'"', "&quot;")],
            Self::Single => &[(b'\'', "&#39;")],
            Self::Unquoted => UNQUOTED,
            Self::Text => &[(b'<', "&lt;")],
        }
    }

    fn context(self) -> Context {
        match self {
            Self::Double | Self::Single | Self::Unquoted => Context::Attribute,
            Self::Text => Context::Text,
        }
    }
}

/// Appends `text`, with the escapes that `context` and the source after the text require.
fn encode(text: &str, context: EscapeContext, followed_by: &str, out: &mut String) {
    out.reserve(text.len());
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if SPECIAL[usize::from(byte)] & context.bit() == 0 {
            continue;
        }
        let escape = match byte {
            b'&' if begins_reference(&text[at + 1..], followed_by, context) => "&amp;",
            // A parser would join the line feed to a carriage return before the text.
            b'\n' if at == 0 => "&#10;",
            _ => match ANYWHERE.iter().chain(context.escapes()).find(|(known, _)| *known == byte) {
                Some((_, escape)) => escape,
                None => continue,
            },
        };
        out.push_str(&text[copied..at]);
        out.push_str(escape);
        copied = at + 1;
    }
    out.push_str(&text[copied..]);
}

/// Whether an `&` before `text` and `followed_by` would begin a reference.
///
/// The tokenizer only inspects characters that are never escaped, so the unescaped text decides.
fn begins_reference(text: &str, followed_by: &str, context: EscapeContext) -> bool {
    let mut ahead = [0; htmlize::ENTITY_MAX_LENGTH + 1];
    let mut length = 0;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b';' | b'=');
    let source = text.bytes().chain(followed_by.bytes()).take_while(is_part);
    for (slot, byte) in ahead.iter_mut().zip(std::iter::once(b'&').chain(source)) {
        *slot = byte;
        length += 1;
    }
    match_reference(&ahead[..length], context.context()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::decode;

    #[track_caller]
    fn check(quote: Quote, text: &str, followed_by: &str, expected: &str) {
        let mut out = String::new();
        encode_attribute(text, quote, followed_by, &mut out);
        assert_eq!(out, expected);
        assert_eq!(
            decode(&format!("{out}{followed_by}"), Context::Attribute),
            format!("{text}{}", decode(followed_by, Context::Attribute)),
        );
    }

    #[test]
    fn an_ampersand_is_escaped_where_it_begins_a_reference() {
        check(Quote::Double, "?a=1&b=2", "", "?a=1&b=2");
        check(Quote::Double, "?a=1&copy", "", "?a=1&amp;copy");
        check(Quote::Double, "?a=1&copy=2", "", "?a=1&copy=2");
        check(Quote::Double, "&copy;", "", "&amp;copy;");
        check(Quote::Double, "&amp;", "", "&amp;amp;");
        check(Quote::Double, "&copy\"", "", "&amp;copy&quot;");
        check(Quote::Double, "&copy&b", "", "&amp;copy&b");
        check(Quote::Double, "&#1&#x&#xa", "", "&amp;#1&#x&amp;#xa");
        check(Quote::Double, "&notin;&noti;", "", "&amp;notin;&noti;");
        check(Quote::Double, "&&&", "", "&&&");
    }

    #[test]
    fn what_follows_decides_too() {
        check(Quote::Double, "&", "amp;", "&amp;");
        check(Quote::Double, "&co", "py", "&amp;co");
        check(Quote::Double, "&copy", "=", "&copy");
        check(Quote::Double, "&copy", "&amp;", "&amp;copy");
        check(Quote::Double, "&co", "&#112;y", "&co");
        check(Quote::Double, "&#", "1", "&amp;#");
        check(
            Quote::Double,
            "&CounterClockwiseContourIntegra",
            "l;",
            "&amp;CounterClockwiseContourIntegra",
        );
        check(Quote::Double, "a", "\n", "a");
    }

    #[test]
    fn the_quote_in_use_is_escaped() {
        check(Quote::Double, "\"'<>= `", "", "&quot;'<>= `");
        check(Quote::Single, "\"'<>= `", "", "\"&#39;<>= `");
        check(Quote::Unquoted, "\"'<>= `", "", "&quot;&#39;<&gt;=&#32;`");
        check(Quote::Unquoted, "a\t\n\x0c\r/", "", "a&#9;&#10;&#12;&#13;/");
    }

    #[test]
    fn line_ends_survive() {
        check(Quote::Double, "a\r\nb\nc\r", "", "a&#13;\nb\nc&#13;");
        check(Quote::Single, "\n", "", "&#10;");
    }

    #[test]
    fn nul_cannot_be_written() {
        let mut out = String::new();
        encode_attribute("\0", Quote::Double, "", &mut out);
        assert_eq!(out, "\u{fffd}");
    }

    #[test]
    fn text_escapes_what_begins_a_tag() {
        let mut out = String::new();
        encode_text("a<b&copy=&lt", "", &mut out);
        assert_eq!(out, "a&lt;b&amp;copy=&amp;lt");
        assert_eq!(decode(&out, Context::Text), "a<b&copy=&lt");
    }

    #[test]
    fn quotes_where_the_tokenizer_needs_them() {
        for text in ["", "a b", "a>b", "\"", "a'", "\t", "a\n", "\r", "\x0c"] {
            assert!(needs_quotes(text), "{text:?}");
        }
        for text in ["a", "?a=b&c", "a/", "<", "`", "\u{a0}", "="] {
            assert!(!needs_quotes(text), "{text:?}");
        }
    }
}
