//! Quoted-printable
//! ([RFC 2045 section 6.7](https://www.rfc-editor.org/rfc/rfc2045#section-6.7)): decodes it,
//! and writes edits into the lines that contain them.
//!
//! Line ends are decoded to the same bytes. A `=` without an escape or a soft break is literal.

mod encode;

use super::offsets::OffsetMap;

pub(super) use encode::encode;

/// A token of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// A byte that is written as itself.
    Literal(u8),
    /// A byte written as `=XX`.
    Escape(u8),
    /// A line end of the body, of this length.
    LineEnd(usize),
    /// A soft line break, with its `=`.
    SoftBreak(usize),
    /// White space in front of a line end, which is not part of the body.
    Padding(usize),
}

impl Token {
    fn len(self) -> usize {
        match self {
            Self::Literal(_) => 1,
            Self::Escape(_) => 3,
            Self::LineEnd(len) | Self::SoftBreak(len) | Self::Padding(len) => len,
        }
    }
}

/// The tokens of a body, each with its offset.
struct Tokens<'b> {
    body: &'b [u8],
    at: usize,
    /// The end of the last run of white space that is part of the body: each run is counted once.
    blank_end: usize,
}

impl<'b> Tokens<'b> {
    fn new(body: &'b [u8], at: usize) -> Self {
        Self { body, at, blank_end: 0 }
    }

    fn read_token(&mut self) -> Option<Token> {
        let rest = &self.body[self.at..];
        Some(match rest {
            [] => return None,
            [b'\n', ..] => Token::LineEnd(1),
            [b'\r', b'\n', ..] => Token::LineEnd(2),
            [b'=', after @ ..] => match after {
                [high, low, ..] => parse_hex(*high, *low).map(Token::Escape),
                _ => None,
            }
            .or_else(|| soft_break_len(after).map(Token::SoftBreak))
            .unwrap_or(Token::Literal(b'=')),
            [blank @ (b' ' | b'\t'), ..] if self.at < self.blank_end => Token::Literal(*blank),
            [blank @ (b' ' | b'\t'), ..] => {
                let len = count_blanks(rest);
                match &rest[len..] {
                    [] | [b'\n', ..] | [b'\r', b'\n', ..] => Token::Padding(len),
                    _ => {
                        self.blank_end = self.at + len;
                        Token::Literal(*blank)
                    }
                }
            }
            [byte, ..] => Token::Literal(*byte),
        })
    }
}

impl Iterator for Tokens<'_> {
    type Item = (usize, Token);

    fn next(&mut self) -> Option<Self::Item> {
        let token = self.read_token()?;
        let at = self.at;
        self.at += token.len();
        Some((at, token))
    }
}

fn parse_hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

fn count_blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the length of the soft line break that a `=` forms with the bytes after it, if it does.
fn soft_break_len(after: &[u8]) -> Option<usize> {
    let blanks = count_blanks(after);
    match &after[blanks..] {
        [] => Some(1 + blanks),
        [b'\n', ..] => Some(2 + blanks),
        [b'\r', b'\n', ..] => Some(3 + blanks),
        _ => None,
    }
}

/// Decodes a body, and maps its bytes to their offsets.
pub(super) fn decode(body: &[u8]) -> (Vec<u8>, OffsetMap) {
    let mut bytes = Vec::with_capacity(body.len());
    let mut offsets = OffsetMap::default();
    for (at, token) in Tokens::new(body, 0) {
        match token {
            Token::Literal(byte) | Token::Escape(byte) => {
                bytes.push(byte);
                offsets.add(at, token.len());
            }
            Token::LineEnd(len) => {
                bytes.extend_from_slice(&body[at..at + len]);
                (at..at + len).for_each(|at| offsets.add(at, 1));
            }
            Token::SoftBreak(_) | Token::Padding(_) => {}
        }
    }
    (bytes, offsets)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::super::header::Transfer;
    use super::super::transfer::DecodedBody;
    use super::*;
    use absolve::internal::Patches;

    #[track_caller]
    fn assert_decodes<'b>(body: &'b str, expected: &str) -> DecodedBody<'b> {
        let decoded = DecodedBody::new(body.as_bytes(), 0, Transfer::QuotedPrintable).unwrap();
        assert_eq!(std::str::from_utf8(decoded.bytes()), Ok(expected), "{body:?}");
        decoded
    }

    #[test]
    fn bytes_know_what_they_are_written_as() {
        let decoded = assert_decodes("a=3Db=\r\nc=C3=A9 \t\r\nd", "a=bc\u{e9}\r\nd");
        assert_eq!(decoded.span_in_file(1..2), 1..4);
        assert_eq!(decoded.span_in_file(2..4), 4..9);
        assert_eq!(decoded.span_in_file(3..3), 8..8);
        assert_eq!(decoded.span_in_file(4..6), 9..15);
        assert_eq!(decoded.span_in_file(6..8), 17..19);
        assert_eq!(decoded.span_in_file(9..9), 20..20);
        assert_decodes("", "");
        assert_decodes("a =\n b= \t\n=", "a  b");
        assert_decodes("=3d=3=x==3D", "==3=x==");
        assert_decodes("a\rb \t", "a\rb");
    }

    /// Asserts the body with edits, and that it decodes to the edited document.
    #[track_caller]
    fn assert_encodes(body: &str, edits: &[(Range<usize>, &str)], expected: &str) {
        let decoded = DecodedBody::new(body.as_bytes(), 0, Transfer::QuotedPrintable).unwrap();
        let mut patches = Patches::default();
        for (span, text) in edits {
            patches.push(span.clone(), text.as_bytes());
        }
        let mut out = body.as_bytes().to_vec();
        for (span, text) in encode(body.as_bytes(), &decoded, &patches, b"\r\n").into_iter().rev() {
            out.splice(span, text);
        }
        assert_eq!(std::str::from_utf8(&out), Ok(expected));
        let again = DecodedBody::new(&out, 0, Transfer::QuotedPrintable).unwrap();
        assert_eq!(again.bytes(), patches.apply(decoded.bytes()));
    }

    #[test]
    fn lines_without_an_edit_stay() {
        assert_encodes("a=\r\nb\r\nc  \r\n", &[(1..1, "x=")], "ax=3D=\r\nb\r\nc  \r\n");
        assert_encodes("=61=\nb\n=63", &[(0..1, "x")], "x=\nb\n=63");
        assert_encodes("a= \t\nb= \nc", &[(1..1, "x")], "ax=\nb= \nc");
        assert_encodes("=61=\nb\n=63", &[(0..0, "x"), (4..4, "y")], "x=61=\nb\n=63y");
        assert_encodes("a  \nb", &[(1..1, "x")], "ax  \nb");
        assert_encodes("a=\nb=\nc=\nd", &[(0..3, "x")], "x=\nd");
        assert_encodes("", &[(0..0, "x")], "x");
        assert_encodes("a\n", &[(2..2, "x")], "a\nx");
        assert_encodes("a", &[(1..1, "x"), (1..1, "y")], "axy");
    }

    #[test]
    fn nothing_that_is_written_can_be_read_as_something_else() {
        assert_encodes("a b\n", &[(2..3, "")], "a=20\n");
        assert_encodes("a b", &[(2..3, "")], "a=20");
        assert_encodes("ab\n", &[(1..2, "\t")], "a=09\n");
        assert_encodes("=a", &[(1..1, "3D")], "=3D3Da");
        assert_encodes("x\na--b\n", &[(2..3, "")], "x\n=2D-b\n");
        assert_encodes("a\u{e9}", &[(1..1, "\u{e9}")], "a=C3=A9\u{e9}");
        assert_encodes("ab\r\n", &[(1..1, "\n\r\n\r")], "a=0A\r\n=0Db\r\n");
    }

    #[test]
    fn long_lines_are_broken_between_characters() {
        let a = "a".repeat(70);
        assert_encodes(&a, &[(70..70, "bcdefg")], &format!("{a}bcdefg"));
        assert_encodes(&a, &[(70..70, "bcdefgh")], &format!("{a}bcdef=\r\ngh"));
        assert_encodes(&format!("{a}=\nz"), &[(70..70, "bcdefg")], &format!("{a}bcdef=\r\ng=\nz"));
        assert_encodes(&a, &[(70..70, "=b")], &format!("{a}=3Db"));
        assert_encodes(&a, &[(70..70, "bcd=")], &format!("{a}bcd=3D"));
        assert_encodes(&a, &[(70..70, "bcd=e")], &format!("{a}bcd=\r\n=3De"));
        assert_encodes(&a, &[(70..70, "\u{e9}")], &format!("{a}=C3=A9"));
        assert_encodes(&a, &[(70..70, "\u{e9}x")], &format!("{a}=\r\n=C3=A9x"));
        assert_encodes(&a, &[(70..70, "bcdef--x")], &format!("{a}bcdef=\r\n=2D-x"));
    }
}
