//! Writes edits into a body in base64.

use std::ops::Range;

use absolve::internal::Patches;

use super::super::transfer::DecodedBody;
use super::{ALPHABET, VALUES};

/// Encodes the edited body from the first change on, in its line width. Returns the span to replace
/// and its replacement; `None` without edits.
pub(in super::super) fn encode(
    body: &[u8],
    decoded: &DecodedBody<'_>,
    patches: &Patches,
    line_end: &[u8],
) -> Option<(Range<usize>, Vec<u8>)> {
    let (first, _) = patches.iter().next()?;
    let old = decoded.bytes();
    let kept_len = first.start / 3 * 3;
    let start = decoded.encoded_span(kept_len..kept_len).start;
    let end = decoded.encoded_span(old.len()..old.len()).end;
    let end = end + count_padding(&body[end..]);
    let new = patches.apply(old);
    let mut out = Vec::with_capacity(new.len() / 2 * 3);
    let width = find_line_width(body);
    let line_start = memchr::memrchr(b'\n', &body[..start]).map_or(0, |end| end + 1);
    let mut column = start - line_start;
    for quantum in new[kept_len..].chunks(3) {
        let bits = quantum.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte));
        let bits = bits << (8 * (3 - quantum.len()));
        for index in 0..4 {
            if column >= width {
                out.extend_from_slice(line_end);
                column = 0;
            }
            let value = (bits >> (18 - 6 * index) & 63) as usize;
            out.push(if index <= quantum.len() { ALPHABET[value] } else { b'=' });
            column += 1;
        }
    }
    // Without padding here, characters after it would become part of the body.
    let has_more = body[end..].iter().any(|byte| VALUES[*byte as usize] < 64);
    if has_more && out.last() != Some(&b'=') {
        out.push(b'=');
    }
    Some((start..end, out))
}

/// Counts the bytes up to the last `=` of the padding, with white space in it.
fn count_padding(rest: &[u8]) -> usize {
    let signs = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b'=');
    let signs = &rest[..signs.count()];
    memchr::memrchr(b'=', signs).map_or(0, |last| last + 1)
}

/// Returns the line width of a body, by its first line.
fn find_line_width(body: &[u8]) -> usize {
    let body = body.trim_ascii();
    match memchr::memchr(b'\n', body) {
        Some(end) => body[..end].trim_ascii_end().len().max(4),
        // A body of one long line is not wrapped.
        None if body.len() > 76 => usize::MAX,
        None => 76,
    }
}
