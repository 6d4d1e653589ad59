//! Writes edits into the lines of a quoted-printable body that hold them.

use std::ops::Range;

use super::super::transfer::Decoded;
use super::Tokens;
use super::wrap::Wrapping;
use crate::edit::Patches;

/// How the lines of the body are written that hold edits: what takes the place of which of
/// its bytes, in order.
pub(in super::super) fn encode(
    body: &[u8],
    decoded: &Decoded<'_>,
    patches: &Patches,
    line_end: &[u8],
) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut out = Vec::new();
    let mut wrapping = Wrapping::new(line_end);
    // The lines that are being written, and how much of them is.
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

/// Writes a part of the body as written.
fn copy(wrapping: &mut Wrapping<'_>, body: &[u8], span: Range<usize>) {
    for (at, token) in Tokens::new(body, span.start).take_while(|(at, _)| *at < span.end) {
        // An edit may divide a line end of two bytes.
        let end = span.end.min(at + token.len());
        wrapping.token(token, &body[at..end]);
    }
}
