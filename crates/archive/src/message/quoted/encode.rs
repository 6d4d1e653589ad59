//! Writes edits into the lines of a quoted-printable body.

use std::ops::Range;

use absolve::internal::Patches;

use super::super::transfer::Decoded;
use super::Tokens;
use super::wrap::Wrapping;

/// Encodes the lines with edits: the spans to replace, and their replacements, in order.
pub(in super::super) fn encode(
    body: &[u8],
    decoded: &Decoded<'_>,
    patches: &Patches,
    line_end: &[u8],
) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut out = Vec::new();
    let mut wrapping = Wrapping::new(line_end);
    // The current lines, and the end of their written part.
    let mut lines = 0..0;
    let mut done = 0;
    for (span, text) in patches.iter() {
        let written = decoded.replaced(span);
        let is_after = written.start >= lines.end && body[..lines.end].ends_with(b"\n");
        if is_after && !lines.is_empty() {
            copy(&mut wrapping, body, done..lines.end);
            out.push((lines.clone(), wrapping.take()));
        }
        if is_after || lines.is_empty() {
            done = memchr::memrchr(b'\n', &body[..written.start]).map_or(0, |end| end + 1);
            lines = done..done;
        }
        copy(&mut wrapping, body, done..written.start);
        wrapping.text(text);
        done = written.end;
        if done >= lines.end {
            let rest = &body[done..];
            lines.end = done + memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        }
    }
    copy(&mut wrapping, body, done..lines.end);
    let last = wrapping.take();
    if !lines.is_empty() || !last.is_empty() {
        out.push((lines, last));
    }
    out
}

/// Copies a part of the body.
fn copy(wrapping: &mut Wrapping<'_>, body: &[u8], span: Range<usize>) {
    for (at, token) in Tokens::new(body, span.start).take_while(|(at, _)| *at < span.end) {
        // An edit may split a line end of two bytes.
        let end = span.end.min(at + token.len());
        wrapping.token(token, &body[at..end]);
    }
}
