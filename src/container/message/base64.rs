//! base64 ([RFC 2045 section 6.8](https://www.rfc-editor.org/rfc/rfc2045#section-6.8)):
//! what is none of its characters does not count, and padding ends it.

use std::ops::Range;

use super::transfer::{Decoded, Run, Runs};
use crate::edit::Patches;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What each byte stands for; above 63, nothing.
const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// The body, and where its characters stand.
pub(super) fn decode(body: &[u8]) -> (Vec<u8>, Vec<Run>) {
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 3);
    let mut runs = Runs::default();
    let (mut bits, mut held) = (0_u32, 0);
    for (at, &byte) in body.iter().enumerate() {
        if byte == b'=' {
            break;
        }
        let value = VALUES[byte as usize];
        if value > 63 {
            continue;
        }
        runs.add(at, 1);
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xff) as u8);
        }
    }
    (bytes, runs.list)
}

/// The character in which a byte begins, and that in which it ends.
pub(super) fn first_character(byte: usize) -> usize {
    byte / 3 * 4 + byte % 3
}

pub(super) fn last_character(byte: usize) -> usize {
    first_character(byte) + 1
}

/// How the body with edits is written, in the width it has, from the first change on: what
/// takes the place of which of its bytes.
pub(super) fn encode(
    body: &[u8],
    decoded: &Decoded<'_>,
    patches: &Patches,
    line_end: &[u8],
) -> Option<(Range<usize>, Vec<u8>)> {
    let (first, _) = patches.iter().next()?;
    let old = decoded.bytes();
    let kept = first.start / 3 * 3;
    let start = decoded.written(kept..kept).start;
    let end = decoded.written(old.len()..old.len()).end;
    let end = end + padding(&body[end..]);
    let new = patches.apply(old);
    let mut out = Vec::with_capacity(new.len() / 2 * 3);
    let width = width(body);
    let line = memchr::memrchr(b'\n', &body[..start]).map_or(0, |end| end + 1);
    let mut column = start - line;
    for quantum in new[kept..].chunks(3) {
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
    // What stands behind the padding is none of the body, and does not become it.
    let is_more = body[end..].iter().any(|byte| VALUES[*byte as usize] < 64);
    if is_more && out.last() != Some(&b'=') {
        out.push(b'=');
    }
    Some((start..end, out))
}

/// Bytes of the padding, with white space in front of it.
fn padding(rest: &[u8]) -> usize {
    let signs = rest.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b'=');
    let signs = &rest[..signs.count()];
    memchr::memrchr(b'=', signs).map_or(0, |last| last + 1)
}

/// Characters in a line of a body.
fn width(body: &[u8]) -> usize {
    let body = body.trim_ascii();
    match memchr::memchr(b'\n', body) {
        Some(end) => body[..end].trim_ascii_end().len().max(4),
        // One line that is longer than a line may be was never broken.
        None if body.len() > 76 => usize::MAX,
        None => 76,
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::Transfer;
    use super::*;

    #[track_caller]
    fn decodes<'b>(body: &'b str, expected: &str) -> Decoded<'b> {
        let decoded = Decoded::new(body.as_bytes(), 0, Transfer::Base64).unwrap();
        assert_eq!(std::str::from_utf8(decoded.bytes()), Ok(expected), "{body:?}");
        decoded
    }

    #[test]
    fn bytes_know_their_characters() {
        let decoded = decodes("YWJj\r\nZGVm\r\n", "abcdef");
        assert_eq!(decoded.in_file(0..1), 0..2);
        assert_eq!(decoded.in_file(2..4), 2..8);
        assert_eq!(decoded.in_file(6..6), 10..10);
        assert_eq!(decoded.in_file(1..1), 1..1);
        decodes("", "");
        decodes("Y W\nJ*j ZA==\nYWJj", "abcd");
        decodes("YWI", "ab");
        decodes("Y", "");
        assert_eq!(decodes("=", "").in_file(0..0), 0..0);
    }

    /// The body with everything from a byte on replaced.
    #[track_caller]
    fn encodes(body: &str, first: usize, rest: &str, expected: &str) {
        let decoded = Decoded::new(body.as_bytes(), 0, Transfer::Base64).unwrap();
        let mut patches = Patches::default();
        patches.push(first..decoded.bytes().len(), rest.as_bytes());
        let line_end = super::super::line_end(body.as_bytes()).unwrap_or(b"\r\n");
        let (span, text) = encode(body.as_bytes(), &decoded, &patches, line_end).unwrap();
        let mut out = body.as_bytes().to_vec();
        out.splice(span, text);
        assert_eq!(std::str::from_utf8(&out), Ok(expected));
        let again = Decoded::new(&out, 0, Transfer::Base64).unwrap();
        assert_eq!(again.bytes(), patches.apply(decoded.bytes()));
    }

    #[test]
    fn what_stands_before_the_first_change_stays_and_so_does_the_width() {
        encodes("YWJj\r\nZGVm\r\n", 3, "def", "YWJj\r\nZGVm\r\n");
        encodes("YWJj\r\nZGVm\r\n", 4, "xyz1", "YWJj\r\nZHh5\r\nejE=\r\n");
        encodes("YW Jj\nZGVm\nZw==\n\n", 3, "d", "YW Jj\nZA==\n\n");
        encodes("YWJj", 1, "", "YQ==");
        encodes("YWJj\nZGVm\n", 0, "", "\n");
        encodes("YWJjZA==", 4, &"e".repeat(56), &format!("YWJjZGVl{}\r\nZWVl", "ZWVl".repeat(17)));
        encodes("", 0, "a", "YQ==");
        encodes("YWI=YQ==", 2, "c", "YWJj=YQ==");
        encodes("YWI=YQ==", 0, "", "=YQ==");
    }
}
