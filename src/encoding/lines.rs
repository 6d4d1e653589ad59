//! Counts lines and columns.

use encoding_rs::{CoderResult, Decoder, ISO_2022_JP, UTF_16BE, UTF_16LE};
use memchr::{memchr, memchr_iter, memchr2_iter, memrchr};

use super::{Detected, HAS_TABLES};

/// Finds the lines and columns of offsets in a document, fastest in ascending order.
///
/// Lines end at LF, CR LF and CR, as in an HTML parser. Lines and columns count from 1; columns are
/// in characters, and a byte order mark is not counted.
pub struct Lines<'s> {
    source: &'s [u8],
    detected: Detected,
    decoder: Decoder,
    /// The offset up to which the source has been read.
    position: usize,
    line: u64,
    column: u64,
    /// Whether the last character was a CR: an LF after it belongs to the same line end.
    is_after_cr: bool,
}

impl<'s> Lines<'s> {
    /// Starts at the beginning of a document.
    #[must_use]
    pub fn new(source: &'s [u8], detected: Detected) -> Self {
        Self {
            source,
            detected,
            decoder: detected.encoding.new_decoder_without_bom_handling(),
            position: detected.bom,
            line: 1,
            column: 1,
            is_after_cr: false,
        }
    }

    /// Returns the line and the column of the character at a byte offset.
    #[must_use]
    pub fn locate(&mut self, byte: usize) -> (u64, u64) {
        if byte < self.position {
            *self = Self::new(self.source, self.detected);
        }
        let end = byte.min(self.source.len()).max(self.position);
        self.skip_lines(end);
        let mut rest = &self.source[self.position..end];
        if !HAS_TABLES {
            String::from_utf8_lossy(rest)
                .chars()
                .for_each(|character| self.count_character(character));
            rest = &[];
        }
        while HAS_TABLES && self.position < end {
            let mut buffer = [0; 1024];
            let (result, read, written, _) = self.decoder.decode_to_utf8(rest, &mut buffer, false);
            rest = &rest[read..];
            for character in std::str::from_utf8(&buffer[..written]).unwrap_or_default().chars() {
                self.count_character(character);
            }
            if result == CoderResult::InputEmpty {
                break;
            }
        }
        self.position = end;
        (self.line, self.column)
    }

    /// Counts whole lines by their ends, without decoding their text. Does nothing in encodings in
    /// which a byte of a longer character, or in a shift state, could look like a line end.
    fn skip_lines(&mut self, end: usize) {
        let encoding = self.detected.encoding;
        if [UTF_16BE, UTF_16LE, ISO_2022_JP].contains(&encoding) {
            return;
        }
        let (source, start) = (self.source, self.position);
        let skipped = &source[start..end];
        let is_after_cr = source[..start].ends_with(b"\r");
        if !is_after_cr && memchr(b'\r', skipped).is_none() {
            // Counting takes a third of the time of visiting each line end.
            if let Some(last) = memrchr(b'\n', skipped) {
                self.line += memchr_iter(b'\n', &skipped[..=last]).count() as u64;
                self.is_after_cr = false;
                (self.position, self.column) = (start + last + 1, 1);
            }
        } else {
            for at in memchr2_iter(b'\n', b'\r', skipped).map(|at| start + at) {
                let is_second = source[at] == b'\n' && at > 0 && source[at - 1] == b'\r';
                self.line += u64::from(!is_second);
                self.is_after_cr = source[at] == b'\r';
                (self.position, self.column) = (at + 1, 1);
            }
        }
        // The decoder has no state at the start of a line.
        if self.position > start {
            self.decoder = encoding.new_decoder_without_bom_handling();
        }
        let rest = &source[self.position..end];
        if HAS_TABLES && let Some(plain @ 1..) = self.decoder.latin1_byte_compatible_up_to(rest) {
            // Each byte is a character, and none is a line end.
            (self.position, self.column) = (self.position + plain, self.column + plain as u64);
            self.is_after_cr = false;
        }
    }

    fn count_character(&mut self, character: char) {
        let is_after_cr = std::mem::replace(&mut self.is_after_cr, character == '\r');
        match character {
            '\n' if is_after_cr => {}
            '\n' | '\r' => (self.line, self.column) = (self.line + 1, 1),
            _ => self.column += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{detect, for_label};

    #[track_caller]
    fn locates(source: &[u8], label: Option<&str>, expected: &[(usize, (u64, u64))]) {
        let detected = detect(source, label.map(|label| for_label(label).unwrap()));
        let mut lines = Lines::new(source, detected);
        for &(byte, place) in expected.iter().chain(expected.first()) {
            assert_eq!(lines.locate(byte), place, "byte {byte} of {source:?}");
        }
    }

    #[test]
    fn lines_end_in_three_ways_and_columns_are_characters() {
        locates(b"a\nb\r\nc\rd", None, &[(0, (1, 1)), (2, (2, 1)), (5, (3, 1)), (7, (4, 1))]);
        locates("\u{e9}\u{1f600}x".as_bytes(), None, &[(2, (1, 2)), (6, (1, 3)), (7, (1, 4))]);
        locates(b"\xef\xbb\xbfab", None, &[(3, (1, 1)), (4, (1, 2)), (99, (1, 3))]);
        locates(b"\xff\xfea\0\n\0b\0", None, &[(4, (1, 2)), (6, (2, 1))]);
        locates(b"\x83\x5cx", Some("shift_jis"), &[(2, (1, 2))]);
        locates(b"", None, &[(0, (1, 1))]);
        locates(b"a\xc3bc", None, &[(1, (1, 2)), (2, (1, 3)), (3, (1, 4))]);
        locates(b"a\xc3bc", Some("utf-8"), &[(1, (1, 2)), (2, (1, 2)), (3, (1, 4))]);
        locates("a\u{e9}b\rc\nd".as_bytes(), None, &[(3, (1, 3)), (5, (2, 1)), (7, (3, 1))]);
        locates(b"ab\r\ncd", Some("windows-1252"), &[(1, (1, 2)), (5, (2, 2)), (6, (2, 3))]);
        locates(b"a\r\n\nb\n", None, &[(1, (1, 2)), (2, (2, 1)), (3, (2, 1)), (4, (3, 1))]);
    }
}
