//! Decodes base64 ([RFC 2045 section 6.8](https://www.rfc-editor.org/rfc/rfc2045#section-6.8)):
//! skips other characters, and ends at the first padding.

mod encode;

use super::offsets::OffsetMap;

pub(super) use encode::encode;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each character of the alphabet; a number above 63 for other bytes.
const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// Decodes a body, and maps its base64 characters to their offsets.
pub(super) fn decode(body: &[u8]) -> (Vec<u8>, OffsetMap) {
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3 + 3);
    let mut offsets = OffsetMap::default();
    let (mut bits, mut bit_count) = (0_u32, 0);
    for (at, &byte) in body.iter().enumerate() {
        if byte == b'=' {
            break;
        }
        let value = VALUES[byte as usize];
        if value > 63 {
            continue;
        }
        offsets.add(at, 1);
        bits = bits << 6 | u32::from(value);
        bit_count += 6;
        if bit_count >= 8 {
            bit_count -= 8;
            bytes.push((bits >> bit_count & 0xff) as u8);
        }
    }
    (bytes, offsets)
}

/// Returns the index of the first base64 character that encodes a byte.
pub(super) fn first_char_index(byte: usize) -> usize {
    byte / 3 * 4 + byte % 3
}

/// Returns the index of the last base64 character that encodes a byte.
pub(super) fn last_char_index(byte: usize) -> usize {
    first_char_index(byte) + 1
}

#[cfg(test)]
mod tests {
    use super::super::header::Transfer;
    use super::super::transfer::DecodedBody;
    use super::*;
    use crate::message::structure::detect_newline;
    use absolve::internal::Patches;

    #[track_caller]
    fn assert_decodes<'b>(body: &'b str, expected: &str) -> DecodedBody<'b> {
        let decoded = DecodedBody::new(body.as_bytes(), 0, Transfer::Base64).unwrap();
        assert_eq!(std::str::from_utf8(decoded.bytes()), Ok(expected), "{body:?}");
        decoded
    }

    #[test]
    fn spans_cover_the_characters_of_bytes() {
        let decoded = assert_decodes("YWJj\r\nZGVm\r\n", "abcdef");
        assert_eq!(decoded.span_in_file(0..1), 0..2);
        assert_eq!(decoded.span_in_file(2..4), 2..8);
        assert_eq!(decoded.span_in_file(6..6), 10..10);
        assert_eq!(decoded.span_in_file(1..1), 1..1);
        assert_decodes("", "");
        assert_decodes("Y W\nJ*j ZA==\nYWJj", "abcd");
        assert_decodes("YWI", "ab");
        assert_decodes("Y", "");
        assert_eq!(assert_decodes("=", "").span_in_file(0..0), 0..0);
    }

    /// Asserts the body after replacing everything from byte `first` on by `rest`.
    #[track_caller]
    fn assert_encodes(body: &str, first: usize, rest: &str, expected: &str) {
        let decoded = DecodedBody::new(body.as_bytes(), 0, Transfer::Base64).unwrap();
        let mut patches = Patches::default();
        patches.push(first..decoded.bytes().len(), rest.as_bytes());
        let line_end = detect_newline(body.as_bytes()).unwrap_or(b"\r\n");
        let (span, text) = encode(body.as_bytes(), &decoded, &patches, line_end).unwrap();
        let mut out = body.as_bytes().to_vec();
        out.splice(span, text);
        assert_eq!(std::str::from_utf8(&out), Ok(expected));
        let again = DecodedBody::new(&out, 0, Transfer::Base64).unwrap();
        assert_eq!(again.bytes(), patches.apply(decoded.bytes()));
    }

    #[test]
    fn bytes_before_the_first_change_and_the_width_stay() {
        assert_encodes("YWJj\r\nZGVm\r\n", 3, "def", "YWJj\r\nZGVm\r\n");
        assert_encodes("YWJj\r\nZGVm\r\n", 4, "xyz1", "YWJj\r\nZHh5\r\nejE=\r\n");
        assert_encodes("YW Jj\nZGVm\nZw==\n\n", 3, "d", "YW Jj\nZA==\n\n");
        assert_encodes("YWJj", 1, "", "YQ==");
        assert_encodes("YWJj\nZGVm\n", 0, "", "\n");
        let wrapped = format!("YWJjZGVl{}\r\nZWVl", "ZWVl".repeat(17));
        assert_encodes("YWJjZA==", 4, &"e".repeat(56), &wrapped);
        assert_encodes("", 0, "a", "YQ==");
        assert_encodes("YWI=YQ==", 2, "c", "YWJj=YQ==");
        assert_encodes("YWI=YQ==", 0, "", "=YQ==");
    }
}
