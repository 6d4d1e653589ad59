//! Writes edits into the lines of a quoted-printable body, and wraps lines that get too long.

use std::ops::Range;

use absolve::internal::Patches;

use super::{Token, Tokens};
use crate::message::transfer::DecodedBody;

/// Encodes lines with edits. Returns the spans to replace and their replacements, in order.
pub(in super::super) fn encode(
    body: &[u8],
    decoded: &DecodedBody<'_>,
    patches: &Patches,
    line_end: &[u8],
) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut out = Vec::new();
    let mut wrapper = LineWrapper::new(line_end);
    // The span of the lines to encode, and the end of the bytes that are encoded already.
    let mut lines = 0..0;
    let mut done = 0;
    for (span, text) in patches.iter() {
        let encoded = decoded.span_to_replace(span);
        let is_after = encoded.start >= lines.end && body[..lines.end].ends_with(b"\n");
        if is_after && !lines.is_empty() {
            copy_span(&mut wrapper, body, done..lines.end);
            out.push((lines.clone(), wrapper.take_lines()));
        }
        if is_after || lines.is_empty() {
            done = memchr::memrchr(b'\n', &body[..encoded.start]).map_or(0, |end| end + 1);
            lines = done..done;
        }
        copy_span(&mut wrapper, body, done..encoded.start);
        wrapper.write_text(text);
        done = encoded.end;
        if done >= lines.end {
            let rest = &body[done..];
            lines.end = done + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        }
    }
    copy_span(&mut wrapper, body, done..lines.end);
    let last = wrapper.take_lines();
    if !lines.is_empty() || !last.is_empty() {
        out.push((lines, last));
    }
    out
}

/// Copies the tokens of a span of the body.
fn copy_span(wrapper: &mut LineWrapper<'_>, body: &[u8], span: Range<usize>) {
    for (at, token) in Tokens::new(body, span.start).take_while(|(at, _)| *at < span.end) {
        // An edit may split a line end of two bytes.
        let end = span.end.min(at + token.len());
        wrapper.copy_token(token, &body[at..end]);
    }
}

/// Maximum columns of a line, with a `=` at its end.
const MAX_COLUMNS: usize = 76;

/// Writes lines, and wraps those that would get too long.
struct LineWrapper<'e> {
    line_end: &'e [u8],
    out: Vec<u8>,
    column: usize,
    /// The next encoded character, which may take the last column only if the line ends after it.
    pending: Vec<u8>,
    /// Bytes that the UTF-8 character in `pending` still lacks.
    missing_len: usize,
}

impl<'e> LineWrapper<'e> {
    fn new(line_end: &'e [u8]) -> Self {
        Self { line_end, out: Vec::new(), column: 0, pending: Vec::new(), missing_len: 0 }
    }

    /// Copies a token of the body.
    fn copy_token(&mut self, token: Token, encoded: &[u8]) {
        match token {
            // A literal `=` could form an escape with new text after it.
            Token::Literal(b'=') => self.buffer_unit(b'=', b"=3D"),
            Token::Literal(byte) | Token::Escape(byte) => self.buffer_unit(byte, encoded),
            Token::LineEnd(_) => self.end_line(encoded),
            Token::Padding(_) => {
                self.write_pending_at_end();
                self.out.extend_from_slice(encoded);
            }
            Token::SoftBreak(_) => {
                self.write_pending();
                // Blanks after the `=` are dropped, as they could exceed the line.
                let end = encoded.strip_prefix(b"=").unwrap_or(encoded);
                let blanks = end.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                self.out.push(b'=');
                self.out.extend_from_slice(&end[blanks..]);
                self.column = 0;
            }
        }
    }

    /// Writes new text. Escapes a line end that differs from that of the body, so that it decodes
    /// unchanged: its bytes may be a part of a character, as in UTF-16.
    fn write_text(&mut self, text: &[u8]) {
        let mut rest = text;
        while let [byte, after @ ..] = rest {
            if let Some(after) = rest.strip_prefix(self.line_end) {
                rest = after;
                self.end_line(self.line_end);
                continue;
            }
            rest = after;
            match byte {
                b' ' | b'\t' | b'!'..=b'<' | b'>'..=b'~' => self.buffer_unit(*byte, &[*byte]),
                _ => self.buffer_unit(*byte, &escape(*byte)),
            }
        }
    }

    /// Returns the lines written so far, and begins a new line.
    fn take_lines(&mut self) -> Vec<u8> {
        self.write_pending_at_end();
        self.column = 0;
        std::mem::take(&mut self.out)
    }

    /// Buffers an encoded byte, so that the bytes of one character stay in one line.
    fn buffer_unit(&mut self, byte: u8, encoded: &[u8]) {
        let continues_character = self.missing_len > 0 && byte & 0xc0 == 0x80;
        if !continues_character {
            self.write_pending();
            self.missing_len = match byte {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
        }
        self.missing_len -= 1;
        self.pending.extend_from_slice(encoded);
    }

    /// Writes the pending bytes into the line, and leaves a column for a `=` after them.
    fn write_pending(&mut self) {
        self.write_pending_within(MAX_COLUMNS - 1);
    }

    /// Writes the pending bytes at the end of a line, where white space must be escaped.
    fn write_pending_at_end(&mut self) {
        if let [blank @ (b' ' | b'\t')] = self.pending[..] {
            self.pending = escape(blank).to_vec();
        }
        self.write_pending_within(MAX_COLUMNS);
        self.missing_len = 0;
    }

    fn write_pending_within(&mut self, width: usize) {
        if self.column > 0 && self.column + self.pending.len() > width {
            self.out.push(b'=');
            self.out.extend_from_slice(self.line_end);
            self.column = 0;
        }
        if self.column == 0 && self.pending == b"-" {
            // The line could be read as a boundary.
            self.pending = escape(b'-').to_vec();
        }
        self.column += self.pending.len();
        self.out.append(&mut self.pending);
    }

    fn end_line(&mut self, encoded: &[u8]) {
        self.write_pending_at_end();
        self.out.extend_from_slice(encoded);
        self.column = 0;
    }
}

fn escape(byte: u8) -> [u8; 3] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [b'=', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}
