//! Reading a value: character references, line ends, NUL.
//!
//! Line ends are normalized before tokenization
//! (<https://html.spec.whatwg.org/multipage/parsing.html#preprocessing-the-input-stream>), so
//! that `&#13;` keeps its carriage return.
//!
//! NOTE: a NUL is U+FFFD, as the standard has it in attribute values, raw text, RCDATA and
//! foreign content. In other text the tree builder drops it; no value is read from there.

use std::borrow::Cow;
use std::ops::Range;

use super::{Context, Meaning, match_reference};

/// Decodes the source of one value; borrows it when nothing changes.
///
/// # Examples
///
/// ```
/// # use absolve::reference::{Context, decode};
/// assert_eq!(decode("?a=1&amp;b=2&copy=3", Context::Attribute), "?a=1&b=2&copy=3");
/// ```
#[must_use]
pub fn decode(source: &str, context: Context) -> Cow<'_, str> {
    decode_with(source, context, |_| ())
}

/// A decoded value with a map back to its source.
///
/// The map takes memory for each place that decoding changed, and is searched by halving.
///
/// # Examples
///
/// ```
/// # use absolve::reference::{Context, Decoded};
/// let decoded = Decoded::new("a&amp;b", Context::Attribute);
/// assert_eq!(decoded.text(), "a&b");
/// assert_eq!(decoded.source_range(1..3), 1..7);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'s> {
    text: Cow<'s, str>,
    changes: Vec<Change>,
}

/// A place that reads otherwise than it is written. Neither span is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    source: Range<usize>,
    decoded: Range<usize>,
}

impl<'s> Decoded<'s> {
    /// Decodes the source of one value.
    #[must_use]
    pub fn new(source: &'s str, context: Context) -> Self {
        let mut changes = Vec::new();
        let text = decode_with(source, context, |change| changes.push(change));
        Self { text, changes }
    }

    /// The decoded value.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The decoded value, without the map.
    #[must_use]
    pub fn into_text(self) -> Cow<'s, str> {
        self.text
    }

    /// The smallest range of the source that covers a range of the decoded value.
    ///
    /// An end that lies inside what a reference stands for takes the whole reference in. A
    /// position behind the value is taken for its end.
    #[must_use]
    pub fn source_range(&self, decoded: Range<usize>) -> Range<usize> {
        let start = self.source_place(decoded.start).start;
        let end = self.source_place(decoded.end.max(decoded.start)).end;
        start..end
    }

    /// The nearest position at or behind this one at which the decoded value can be
    /// cut: not inside what one reference stands for.
    #[must_use]
    pub fn cut_after(&self, position: usize) -> usize {
        let index = self.changes.partition_point(|change| change.decoded.end <= position);
        match self.changes.get(index) {
            Some(change) if change.decoded.start < position => change.decoded.end,
            _ => position,
        }
    }

    /// Whether a byte would go on with a reference, one without `;`, that ends at this
    /// place of `source`, from which the value was decoded.
    #[must_use]
    pub fn goes_on(&self, source: &str, place: usize, byte: u8) -> bool {
        let index = self.changes.partition_point(|change| change.source.end < place);
        let change = self.changes.get(index).filter(|change| change.source.end == place);
        match change.map(|change| &source.as_bytes()[change.source.clone()]) {
            Some([.., b';']) => false,
            Some([b'&', b'#', b'x' | b'X', ..]) => byte.is_ascii_hexdigit() || byte == b';',
            Some([b'&', b'#', ..]) => byte.is_ascii_digit() || byte == b';',
            Some([b'&', ..]) => byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b';'),
            _ => false,
        }
    }

    /// Where a position of the decoded value lies in the source: an empty range between two
    /// places, the place itself for a position inside one.
    fn source_place(&self, position: usize) -> Range<usize> {
        let position = position.min(self.text.len());
        let index = self.changes.partition_point(|change| change.decoded.end <= position);
        let (before, rest) = self.changes.split_at(index);
        match rest.first() {
            Some(change) if change.decoded.start < position => change.source.clone(),
            _ => {
                let kept = before.last().map_or(0, |change| change.decoded.end);
                let start = before.last().map_or(0, |change| change.source.end);
                let place = start + position - kept;
                place..place
            }
        }
    }
}

/// Decodes `source` and reports every change in order.
fn decode_with(source: &str, context: Context, mut changed: impl FnMut(Change)) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    let mut buffer = [0; 4];
    let mut position = 0;
    while let Some(at) = next_special(source, position, context) {
        let Some((length, text)) = read(&source.as_bytes()[at..], context, &mut buffer) else {
            position = at + 1;
            continue;
        };
        out.push_str(&source[kept..at]);
        let start = out.len();
        out.push_str(text);
        position = at + length;
        kept = position;
        changed(Change { source: at..kept, decoded: start..out.len() });
    }
    if kept == 0 {
        return Cow::Borrowed(source);
    }
    out.push_str(&source[kept..]);
    Cow::Owned(out)
}

/// The next byte that may read otherwise than it is written.
fn next_special(source: &str, position: usize, context: Context) -> Option<usize> {
    let rest = source.as_bytes().get(position..)?;
    let found = match context {
        Context::Attribute | Context::Text => memchr::memchr3(b'&', b'\r', b'\0', rest),
        Context::RawText => memchr::memchr2(b'\r', b'\0', rest),
    };
    found.map(|offset| position + offset)
}

/// What the special byte at the start of `bytes` begins: its length in the source, and its text.
fn read<'b>(bytes: &[u8], context: Context, buffer: &'b mut [u8; 4]) -> Option<(usize, &'b str)> {
    match bytes {
        [b'&', ..] => {
            let (length, meaning) = match_reference(bytes, context)?;
            let text = match meaning {
                Meaning::Named(text) => text,
                Meaning::Numeric(character) => character.encode_utf8(buffer),
            };
            Some((length, text))
        }
        [b'\r', b'\n', ..] => Some((2, "\n")),
        [b'\r', ..] => Some((1, "\n")),
        [b'\0', ..] => Some((1, "\u{FFFD}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, attribute: &str, text: &str) {
        assert_eq!(decode(source, Context::Attribute), attribute, "attribute");
        assert_eq!(decode(source, Context::Text), text, "text");
        for context in [Context::Attribute, Context::Text, Context::RawText] {
            assert_eq!(Decoded::new(source, context).text(), decode(source, context));
        }
    }

    #[track_caller]
    fn same(source: &str, expected: &str) {
        check(source, expected, expected);
    }

    #[test]
    fn nothing_to_decode_borrows() {
        for source in ["", "a", "&", "&&", "a & b", "&;", "&#", "&#;", "&#x", "&#xg;", "&a", "\n"] {
            assert!(matches!(decode(source, Context::Attribute), Cow::Borrowed(s) if s == source));
            assert!(matches!(decode(source, Context::Text), Cow::Borrowed(s) if s == source));
        }
    }

    #[test]
    fn names() {
        same("&amp;&lt;&gt;&quot;&apos;", "&<>\"'");
        same("&NotEqualTilde;", "\u{2242}\u{338}");
        same("&CounterClockwiseContourIntegral;", "\u{2233}");
        same("&CounterClockwiseContourIntegralX;", "&CounterClockwiseContourIntegralX;");
        same("&nosuchname;&AMP;&Amp;", "&nosuchname;&&Amp;");
        same("&amp;amp;", "&amp;");
        same("&&amp;&", "&&&");
    }

    #[test]
    fn names_without_a_semicolon() {
        same("&amp", "&");
        same("&amp&lt-&yacute", "&<-\u{fd}");
        same("&apos", "&apos");
        check("&copy=", "&copy=", "\u{a9}=");
        check("&copyx", "&copyx", "\u{a9}x");
        check("&copy1", "&copy1", "\u{a9}1");
        check("&noti;", "&noti;", "\u{ac}i;");
        same("&notin;", "\u{2209}");
        check("&notin", "&notin", "\u{ac}in");
        same("&copy\u{e9}", "\u{a9}\u{e9}");
        check("&yacutee", "&yacutee", "\u{fd}e");
        same("&copy;=", "\u{a9}=");
    }

    #[test]
    fn numbers() {
        same("&#65;&#65&#x41;&#X41&#x4a", "AAAAJ");
        same("&#65g&#x41g&#0065;", "AgAgA");
        same("&#0;&#x110000;&#xD800;&#xDFFF;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
        same("&#99999999999999999999;&#xffffffffffff;", "\u{fffd}\u{fffd}");
        same("&#128;&#x99;&#129;&#x9f;&#xa0;", "\u{20ac}\u{2122}\u{81}\u{178}\u{a0}");
        same("&#13;&#10;&#xFFFE;&#1;", "\r\n\u{fffe}\u{1}");
        same("&#x10FFFF;", "\u{10ffff}");
    }

    #[test]
    fn line_ends_and_nul() {
        same("a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n");
        same("\0", "\u{fffd}");
        assert_eq!(decode("&amp;\r\n\0", Context::RawText), "&amp;\n\u{fffd}");
    }

    #[test]
    fn ranges_lead_back_to_the_source() {
        let decoded = Decoded::new("a&amp;b\r\n&nGt;c", Context::Attribute);
        assert_eq!(decoded.text(), "a&b\n\u{226b}\u{20d2}c");
        let rows = [
            (0..0, 0..0),
            (0..1, 0..1),
            (1..1, 1..1),
            (1..2, 1..6),
            (2..2, 6..6),
            (2..3, 6..7),
            (3..4, 7..9),
            (4..4, 9..9),
            (4..7, 9..14),
            (7..10, 9..14),
            (5..5, 9..14),
            (10..11, 14..15),
            (0..11, 0..15),
            (11..11, 15..15),
            (11..99, 15..15),
        ];
        for (range, source) in rows {
            assert_eq!(decoded.source_range(range.clone()), source, "{range:?}");
        }
    }

    #[test]
    fn without_changes_ranges_stay() {
        let decoded = Decoded::new("abc", Context::Attribute);
        assert_eq!(decoded.source_range(1..2), 1..2);
        assert!(matches!(decoded.into_text(), Cow::Borrowed("abc")));
    }
}
