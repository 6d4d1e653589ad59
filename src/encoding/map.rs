//! Decodes a document, and maps each part of the text back to its bytes.
//!
//! Text that is byte for byte equal to the source needs no map; otherwise each run of characters of
//! equal lengths takes an entry.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{DecoderResult, Encoding, ISO_2022_JP, UTF_8};

use super::HAS_TABLES;

/// Decoded text, and its map to the source.
#[derive(Debug)]
pub struct Decoding<'s> {
    text: Cow<'s, str>,
    runs: Vec<CharacterRun>,
    source_len: usize,
}

/// Consecutive characters of equal lengths in the source and in the text.
#[derive(Debug, Clone, Copy)]
struct CharacterRun {
    /// The offset of the run in the source.
    source: usize,
    /// The offset of the run in the text.
    text: usize,
    count: usize,
    /// Bytes of each character in the source.
    source_width: usize,
    /// Bytes of each character in the text.
    text_width: usize,
    shift: Shift,
}

/// The state of ISO-2022-JP at an offset
/// ([decoder state](https://encoding.spec.whatwg.org/#iso-2022-jp-decoder)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Shift {
    #[default]
    Ascii,
    Roman,
    Katakana,
    Kanji,
}

impl Shift {
    /// Returns the escape sequence that begins the state.
    pub(crate) fn escape(self) -> &'static [u8] {
        match self {
            Self::Ascii => b"\x1b(B",
            Self::Roman => b"\x1b(J",
            Self::Katakana => b"\x1b(I",
            Self::Kanji => b"\x1b$B",
        }
    }

    /// Whether the bytes begin with an escape sequence.
    pub(crate) fn begins(bytes: &[u8]) -> bool {
        matches!(bytes, [b'\x1b', b'(', b'B' | b'J' | b'I', ..] | [b'\x1b', b'$', b'@' | b'B', ..])
    }

    fn from_escape(escape: &[u8]) -> Self {
        match escape {
            b"\x1b(J" => Self::Roman,
            b"\x1b(I" => Self::Katakana,
            b"\x1b$@" | b"\x1b$B" => Self::Kanji,
            _ => Self::Ascii,
        }
    }
}

impl CharacterRun {
    fn source_end(&self) -> usize {
        self.source + self.count * self.source_width
    }

    fn text_end(&self) -> usize {
        self.text + self.count * self.text_width
    }
}

impl<'s> Decoding<'s> {
    /// Decodes bytes without a byte order mark.
    #[must_use]
    #[doc(hidden)]
    pub fn new(encoding: &'static Encoding, source: &'s [u8]) -> Self {
        if encoding == UTF_8 || !HAS_TABLES {
            return Self::decode_utf8(source);
        }
        let is_ascii = encoding.is_ascii_compatible() && source.is_ascii();
        if let (true, Ok(text)) = (is_ascii, std::str::from_utf8(source)) {
            return Self { text: Cow::Borrowed(text), runs: Vec::new(), source_len: source.len() };
        }
        let mut builder = DecodingBuilder::default();
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let mut buffer = [0; 32];
        let mut escape = 0..0;
        let mut from = 0;
        // Single bytes as input show which bytes each character comes from.
        for at in 0..=source.len() {
            if encoding == ISO_2022_JP && source.get(at) == Some(&b'\x1b') {
                escape = at..at + 3;
            }
            let ended_escape = source
                .get(escape.clone())
                .filter(|bytes| escape.end == at + 1 && Shift::begins(bytes));
            if let Some(bytes) = ended_escape {
                builder.shift = Shift::from_escape(bytes);
            }
            let mut rest = source.get(at..=at).unwrap_or_default();
            loop {
                let is_last = at == source.len();
                let (result, read, written) =
                    decoder.decode_to_utf8_without_replacement(rest, &mut buffer, is_last);
                rest = &rest[read..];
                // The decoder may inspect a byte without consuming it.
                let until = (at + 1 - rest.len()).min(source.len());
                let text = std::str::from_utf8(&buffer[..written]).unwrap_or_default();
                if !text.is_empty() {
                    builder.push_all(text, from..until);
                    from = until;
                }
                let DecoderResult::Malformed(_, after) = result else { break };
                // The decoder reads the bytes after a malformed sequence again, except an escape
                // sequence that is malformed because it follows another.
                let after = if ended_escape.is_some() { 0 } else { usize::from(after) };
                let until = until.saturating_sub(after).max(from);
                builder.push("\u{fffd}", from..until);
                from = until;
            }
            // An escape sequence belongs to no character.
            if ended_escape.is_some() {
                from = escape.end;
            }
        }
        builder.finish(source)
    }

    fn decode_utf8(source: &'s [u8]) -> Self {
        if let Ok(text) = std::str::from_utf8(source) {
            return Self { text: Cow::Borrowed(text), runs: Vec::new(), source_len: source.len() };
        }
        let mut builder = DecodingBuilder::default();
        let mut at = 0;
        for chunk in source.utf8_chunks() {
            builder.push_unchanged(chunk.valid(), at);
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                builder.push("\u{fffd}", at..at + chunk.invalid().len());
                at += chunk.invalid().len();
            }
        }
        builder.finish(source)
    }

    /// Returns the map with another text of the same length.
    pub(crate) fn with_text<'t>(&self, text: &'t str) -> Decoding<'t> {
        let Self { runs, source_len, .. } = self;
        Decoding { text: Cow::Borrowed(text), runs: runs.clone(), source_len: *source_len }
    }

    /// The decoded text.
    #[must_use]
    #[doc(hidden)]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text, if it is borrowed from the source.
    pub(crate) fn borrowed(&self) -> Option<&'s str> {
        match self.text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        }
    }

    /// Whether all offsets of the text are equal to the offsets of the source.
    pub(crate) fn is_identity(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns the bytes of the source that a part of the text came from. Each boundary is right
    /// after the preceding character, before any escape sequence.
    #[must_use]
    #[doc(hidden)]
    pub fn source_range(&self, text: Range<usize>) -> Range<usize> {
        if self.is_identity() {
            return text;
        }
        let start = self.locate(text.start).0;
        start..self.locate(text.end).0.max(start)
    }

    /// Returns the states of ISO-2022-JP at both ends of a part of the text.
    pub(crate) fn shifts(&self, text: Range<usize>) -> (Shift, Shift) {
        (self.locate(text.start).1, self.locate(text.end).1)
    }

    /// Maps an offset of the text to its offset in the source and the state there.
    fn locate(&self, position: usize) -> (usize, Shift) {
        let index = self.runs.partition_point(|run| run.text < position);
        let Some(run) = index.checked_sub(1).and_then(|index| self.runs.get(index)) else {
            return (0, Shift::Ascii);
        };
        if position >= run.text_end() {
            return (run.source_end().min(self.source_len), run.shift);
        }
        let characters = (position - run.text) / run.text_width.max(1);
        (run.source + characters * run.source_width, run.shift)
    }
}

#[derive(Default)]
struct DecodingBuilder {
    text: String,
    runs: Vec<CharacterRun>,
    shift: Shift,
}

impl DecodingBuilder {
    fn finish(self, source: &[u8]) -> Decoding<'static> {
        let Self { text, runs, .. } = self;
        Decoding { text: Cow::Owned(text), runs, source_len: source.len() }
    }

    /// Adds a run for `text`: `count` characters that were just appended to the text.
    fn push_run(&mut self, text: &str, count: usize, (source, source_width): (usize, usize)) {
        let text_width = text.len() / count;
        let (text, shift) = (self.text.len() - text.len(), self.shift);
        self.runs.push(CharacterRun { source, text, count, source_width, text_width, shift });
    }

    /// Appends the text of the bytes at `source` as a single character.
    fn push(&mut self, text: &str, source: Range<usize>) {
        let (text_width, source_width) = (text.len(), source.len());
        self.text.push_str(text);
        if let Some(last) = self.runs.last_mut()
            && (last.source_width, last.text_width, last.shift)
                == (source_width, text_width, self.shift)
            && last.source_end() == source.start
        {
            last.count += 1;
            return;
        }
        self.push_run(text, 1, (source.start, source_width));
    }

    /// Appends the text of the bytes at `source`: ASCII that was read again, or a single character.
    fn push_all(&mut self, text: &str, source: Range<usize>) {
        if !text.is_ascii() || text.len() != source.len() {
            return self.push(text, source);
        }
        for at in 0..text.len() {
            self.push(&text[at..=at], source.start + at..source.start + at + 1);
        }
    }

    /// Appends text that is byte for byte equal to the source.
    fn push_unchanged(&mut self, text: &str, source: usize) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.push_run(text, text.len(), (source, 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(label: &str) -> &'static Encoding {
        Encoding::for_label(label.as_bytes()).unwrap()
    }

    /// Asserts that decoding the bytes of every part of the text gives that part.
    #[track_caller]
    fn leads_back(label: &str, source: &[u8]) {
        let encoding = encoding(label);
        let decoding = Decoding::new(encoding, source);
        let whole = encoding.decode_without_bom_handling(source).0;
        assert_eq!(decoding.text(), whole, "{label}");
        let mut position = 0;
        for character in whole.chars() {
            let end = position + character.len_utf8();
            let bytes = &source[decoding.source_range(position..end)];
            let part = encoding.decode_without_bom_handling(bytes).0;
            let shifted = encoding == ISO_2022_JP;
            assert!(shifted || part.contains(character), "{label}: {character:?} from {bytes:?}");
            position = end;
        }
        assert!(decoding.source_range(0..whole.len()).end <= source.len());
    }

    #[test]
    fn every_part_leads_back_to_its_bytes() {
        leads_back("utf-8", "a\u{e9}\u{65e5}\u{1f600}".as_bytes());
        leads_back("utf-8", b"a\xff\xc3\xa9\xe6\x97b\xf0\x9f\x98");
        leads_back("windows-1252", b"a\xe9\x80b");
        leads_back("shift_jis", b"a\x83\x5cb\x95\x5c\x83");
        leads_back("euc-kr", b"<\xb0\xa1\xc7\xd1>\xff");
        leads_back("gb18030", b"a\x81\x30\x81\x30\xc4\xe3b");
        leads_back("utf-16le", b"a\0\xe9\0=\xd8\0\xde\0");
        leads_back("utf-16be", b"\0a\xd8=\xde\0\0b");
        leads_back("big5", b"a\xa4\xa4b\xa4");
        leads_back("shift_jis", b"\"a\x83\"b");
        leads_back("big5", b"\"\xa4\">\xa4>\xa4");
        leads_back("euc-jp", b"\"\x8f\">\x8f\xa2\">\x8e\">");
        leads_back("euc-kr", b"\xb0\">\xb0a>");
        leads_back("gb18030", b"\"\x81\">\x81\x30\">\x81a");
        leads_back("iso-2022-jp", b"a\x1b$B\x46\x7c\x4b\x5c\x1b(Bb\x1b(Jc\x1b(B");
    }

    #[test]
    fn an_end_is_in_front_of_an_escape_sequence() {
        let decoding = Decoding::new(ISO_2022_JP, b"\"a\x1b$B\x46\x7c\x1b(B\"");
        assert_eq!(decoding.text(), "\"a\u{65e5}\"");
        assert_eq!(decoding.source_range(2..2), 2..2);
        assert_eq!(decoding.source_range(2..5), 2..7);
        assert_eq!(decoding.shifts(2..5), (Shift::Ascii, Shift::Kanji));
        assert_eq!(decoding.source_range(5..6), 7..11);
        assert_eq!(decoding.shifts(5..6), (Shift::Kanji, Shift::Ascii));
    }

    #[test]
    fn a_byte_that_is_given_back_is_not_part_of_what_is_malformed() {
        let decoding = Decoding::new(encoding("shift_jis"), b"\"\x83\">");
        assert_eq!(decoding.text(), "\"\u{fffd}\">");
        assert_eq!(decoding.source_range(1..4), 1..2);
        assert_eq!(decoding.source_range(4..5), 2..3);
        let decoding = Decoding::new(encoding("gb18030"), b"\x81\x30\x81\"");
        assert_eq!(decoding.text(), "\u{fffd}0\u{fffd}\"");
        assert_eq!(decoding.source_range(7..8), 3..4);
    }

    #[test]
    fn escape_sequences_count_also_where_they_are_malformed() {
        let decoding = Decoding::new(ISO_2022_JP, b"\x1b$B\x1b(Ba");
        assert_eq!(decoding.text(), "\u{fffd}a");
        assert_eq!(decoding.source_range(3..4), 6..7);
        assert_eq!(decoding.shifts(3..4), (Shift::Ascii, Shift::Ascii));
        let decoding = Decoding::new(ISO_2022_JP, b"\x1b$B\x46\x7c\x46\x1b(B\"");
        assert_eq!(decoding.text(), "\u{65e5}\u{fffd}\"");
        assert_eq!(decoding.source_range(3..6), 5..6);
        assert_eq!(decoding.shifts(3..7), (Shift::Kanji, Shift::Ascii));
        let decoding = Decoding::new(ISO_2022_JP, b"\x1bX\x1b(X\"");
        assert_eq!(decoding.text(), "\u{fffd}X\u{fffd}(X\"");
        assert_eq!(decoding.source_range(3..4), 1..2);
        assert_eq!(decoding.source_range(7..10), 3..6);
    }

    #[test]
    fn what_is_the_same_needs_no_map() {
        assert!(Decoding::new(UTF_8, "a\u{e9}".as_bytes()).is_identity());
        assert!(Decoding::new(encoding("shift_jis"), b"abc").is_identity());
        assert!(!Decoding::new(UTF_8, b"\xff").is_identity());
    }
}
