//! Decodes a value: character references or escapes, line ends, NUL.
//!
//! A parser normalizes line ends before tokenization
//! (<https://html.spec.whatwg.org/multipage/parsing.html#preprocessing-the-input-stream>), so the
//! carriage return of `&#13;` stays.
//!
//! NOTE: a NUL becomes U+FFFD, as the standard requires in attribute values, raw text, RCDATA and
//! foreign content. In other text a tree builder drops a NUL; no value is read from there.

use std::borrow::Cow;
use std::ops::Range;

use super::json::decode_json_escape;
use super::{Context, Meaning, match_reference};

/// Decodes the source of a value; borrows it if nothing changes.
///
/// # Examples
///
/// ```
/// # use absolve::reference::{Context, decode};
/// assert_eq!(decode("?a=1&amp;b=2&copy=3", Context::Attribute), "?a=1&b=2&copy=3");
/// ```
#[must_use]
pub fn decode(source: &str, context: Context) -> Cow<'_, str> {
    Decoded::new(source, context).into_text()
}

/// A decoded value, and its map to the source.
///
/// The map has checkpoints at some of the changes. A lookup finds the last checkpoint before a
/// position, and decodes the source again from there.
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
    source: Cow<'s, str>,
    context: Context,
    /// The decoded value; `None` if it is equal to the source.
    text: Option<String>,
    /// The starts of changes, each at least [`CHECKPOINT_DISTANCE`] bytes after the start before
    /// it, and the ends of changes that are longer than this distance; in ascending order.
    checkpoints: Vec<OffsetPair>,
}

/// The number of bytes after a checkpoint in which changes get none: lookups decode them again. A
/// map of every change would take most of the memory for nested documents.
const CHECKPOINT_DISTANCE: usize = 128;

/// An offset in the source and its offset in the decoded value, outside of references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OffsetPair {
    source: usize,
    decoded: usize,
}

/// A part of the source whose text differs from it. Neither span is empty.
struct Change {
    start: OffsetPair,
    end: OffsetPair,
    meaning: Meaning,
}

/// Iterates over the changes of a source.
struct Changes<'s> {
    source: &'s str,
    context: Context,
    /// The end of the last change, or the start of the iteration.
    position: OffsetPair,
    /// The iteration ends before changes that begin at this offset of the source, or after it.
    until: usize,
}

impl Iterator for Changes<'_> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        let bytes = self.source.as_bytes();
        let OffsetPair { source, decoded } = self.position;
        let mut from = source;
        loop {
            let at = find_special(&bytes[..self.until], from, self.context)?;
            if let Some((length, meaning)) = decode_special(&bytes[at..], self.context) {
                let start = OffsetPair { source: at, decoded: decoded + at - source };
                self.position =
                    OffsetPair { source: at + length, decoded: start.decoded + meaning.len() };
                return Some(Change { start, end: self.position, meaning });
            }
            from = at + 1;
        }
    }
}

impl<'s> Decoded<'s> {
    /// Decodes the source of a value.
    #[must_use]
    pub fn new(source: &'s str, context: Context) -> Self {
        Self::from_cow(Cow::Borrowed(source), context)
    }

    /// Decodes the source of a value, which may be owned.
    pub(crate) fn from_cow(source: Cow<'s, str>, context: Context) -> Self {
        let mut checkpoints: Vec<OffsetPair> = Vec::new();
        let mut out = String::new();
        let mut copied = 0;
        let until = source.len();
        let changes = Changes { source: &source, context, position: OffsetPair::default(), until };
        for Change { start, end, meaning } in changes {
            if checkpoints.is_empty() {
                // A text is seldom longer than its source, and never by much.
                out.reserve(source.len());
            }
            if checkpoints
                .last()
                .is_none_or(|last| start.source >= last.source + CHECKPOINT_DISTANCE)
            {
                checkpoints.push(start);
            }
            if end.source - start.source > CHECKPOINT_DISTANCE {
                checkpoints.push(end);
            }
            out.push_str(&source[copied..start.source]);
            meaning.write(&mut out);
            copied = end.source;
        }
        if checkpoints.is_empty() {
            return Self { source, context, text: None, checkpoints };
        }
        out.push_str(&source[copied..]);
        Self { source, context, text: Some(out), checkpoints }
    }

    /// Returns the decoded value.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(&self.source)
    }

    /// Returns the decoded value, without the map.
    #[must_use]
    pub fn into_text(self) -> Cow<'s, str> {
        self.text.map_or(self.source, Cow::Owned)
    }

    /// Returns the smallest range of the source that covers a range of the decoded value.
    ///
    /// A position inside the text of a reference includes the whole reference. A position after the
    /// end means the end.
    #[must_use]
    pub fn source_range(&self, decoded: Range<usize>) -> Range<usize> {
        let (start, _) = self.find_nearest(decoded.start);
        let (_, end) = self.find_nearest(decoded.end.max(decoded.start));
        start.source..end.source
    }

    /// Extends a range of the decoded value to the smallest range that does not cut the text of a
    /// reference.
    #[must_use]
    pub fn uncut(&self, decoded: Range<usize>) -> Range<usize> {
        let (start, _) = self.find_nearest(decoded.start);
        let (_, end) = self.find_nearest(decoded.end.max(decoded.start));
        start.decoded..end.decoded
    }

    /// Whether a byte would continue a reference without `;` that ends at an offset of the source.
    #[must_use]
    pub fn would_continue(&self, at: usize, byte: u8) -> bool {
        let count = self.checkpoints.partition_point(|checkpoint| checkpoint.source < at);
        let change = self
            .changes_after(count)
            .and_then(|mut changes| changes.find(|change| change.end.source == at));
        match change.map(|change| &self.source.as_bytes()[change.start.source..at]) {
            Some([.., b';']) => false,
            Some([b'&', b'#', b'x' | b'X', ..]) => byte.is_ascii_hexdigit() || byte == b';',
            Some([b'&', b'#', ..]) => byte.is_ascii_digit() || byte == b';',
            Some([b'&', ..]) => byte.is_ascii_alphanumeric() || matches!(byte, b'=' | b';'),
            _ => false,
        }
    }

    /// Finds the offsets nearest to a position of the decoded value, before and after it: both ends
    /// of a reference if the position is inside its text, else the position itself, twice.
    fn find_nearest(&self, position: usize) -> (OffsetPair, OffsetPair) {
        let position = position.min(self.text().len());
        let count = self.checkpoints.partition_point(|checkpoint| checkpoint.decoded <= position);
        let Some(mut changes) = self.changes_after(count) else {
            let pair = OffsetPair { source: position, decoded: position };
            return (pair, pair);
        };
        let mut before = changes.position;
        while let Some(Change { start, end, .. }) = changes.next()
            && start.decoded < position
        {
            if end.decoded > position {
                return (start, end);
            }
            before = end;
        }
        let source = before.source + (position - before.decoded);
        let pair = OffsetPair { source, decoded: position };
        (pair, pair)
    }

    /// Iterates over the changes from the last of the first `count` checkpoints to the next
    /// checkpoint. `None` for a count of 0, as no change precedes the first checkpoint.
    fn changes_after(&self, count: usize) -> Option<Changes<'_>> {
        let position = self.checkpoints[count.checked_sub(1)?];
        let until = self.source.len().min(position.source + CHECKPOINT_DISTANCE);
        Some(Changes { source: &self.source, context: self.context, position, until })
    }
}

/// Finds the next byte that may begin a change.
fn find_special(source: &[u8], from: usize, context: Context) -> Option<usize> {
    let rest = source.get(from..)?;
    let offset = match context {
        Context::Attribute | Context::Text => memchr::memchr3(b'&', b'\r', b'\0', rest),
        Context::RawText => memchr::memchr2(b'\r', b'\0', rest),
        Context::XmlText => memchr::memchr2(b'&', b'\r', rest),
        Context::Json => memchr::memchr(b'\\', rest),
        Context::XmlAttribute => {
            rest.iter().position(|byte| matches!(byte, b'&' | b'\r' | b'\n' | b'\t'))
        }
    };
    offset.map(|offset| from + offset)
}

/// Decodes the change at the start of `bytes`; returns its length in the source, and its text.
fn decode_special(bytes: &[u8], context: Context) -> Option<(usize, Meaning)> {
    match bytes {
        [b'&', ..] => match_reference(bytes, context),
        [b'\\', ..] => decode_json_escape(bytes)
            .map(|(length, character)| (length, Meaning::Character(character))),
        // https://www.w3.org/TR/xml/#AVNormalize
        [b'\r', b'\n', ..] if context == Context::XmlAttribute => {
            Some((2, Meaning::Character(' ')))
        }
        [b'\r' | b'\n' | b'\t', ..] if context == Context::XmlAttribute => {
            Some((1, Meaning::Character(' ')))
        }
        [b'\r', b'\n', ..] => Some((2, Meaning::Character('\n'))),
        [b'\r', ..] => Some((1, Meaning::Character('\n'))),
        [b'\0', ..] => Some((1, Meaning::Character('\u{FFFD}'))),
        _ => None,
    }
}

impl Meaning {
    fn len(&self) -> usize {
        match self {
            Self::Named(text) => text.len(),
            Self::Character(character) => character.len_utf8(),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Named(text) => out.push_str(text),
            Self::Character(character) => out.push(*character),
        }
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
    fn every_position_is_found_among_many_and_long_changes() {
        let long = format!("&#{}65;", "0".repeat(3 * CHECKPOINT_DISTANCE));
        for part in ["&amp;", "x&lt;y", "\0", "&nGt;", &long, &"x".repeat(2 * CHECKPOINT_DISTANCE)]
        {
            let source = format!("{}{long}{}", part.repeat(50), format!("&gt{part}-").repeat(50));
            let decoded = Decoded::new(&source, Context::Attribute);
            let whole = Changes {
                source: &source,
                context: Context::Attribute,
                position: OffsetPair::default(),
                until: source.len(),
            };
            let mut done = OffsetPair::default();
            for Change { start, end, .. } in whole {
                for position in done.decoded..=start.decoded {
                    let at = done.source + position - done.decoded;
                    assert_eq!(decoded.source_range(position..position), at..at);
                    assert_eq!(decoded.uncut(position..position), position..position);
                }
                for position in start.decoded + 1..end.decoded {
                    let whole = start.source..end.source;
                    assert_eq!(decoded.source_range(position..position), whole);
                    assert_eq!(decoded.uncut(position..position), start.decoded..end.decoded);
                }
                let is_open = !source[..end.source].ends_with([';', '\0']);
                assert_eq!(decoded.would_continue(end.source, b';'), is_open, "{part}: {end:?}");
                done = end;
            }
        }
    }

    #[test]
    fn without_changes_ranges_stay() {
        let decoded = Decoded::new("abc", Context::Attribute);
        assert_eq!(decoded.source_range(1..2), 1..2);
        assert!(matches!(decoded.into_text(), Cow::Borrowed("abc")));
    }
}
