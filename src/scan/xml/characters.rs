//! The characters of an XML document.

use memchr::{memchr, memmem};

use super::fault::Fault;

/// Bytes that are compared at once.
const CHUNK: usize = 256;

/// Finds the first character that [XML does not allow](https://www.w3.org/TR/xml/#charsets).
pub(super) fn check_characters(bytes: &[u8]) -> Result<(), Fault> {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without an early end, a chunk is compared at once.
    let has_control = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | is_control(byte));
    let chunk = bytes.chunks(CHUNK).position(has_control).map(|chunk| chunk * CHUNK);
    let at = chunk.and_then(|start| Some(start + bytes[start..].iter().position(is_control)?));
    if let Some(at) = at {
        return Err(Fault::new(at, format!("the character U+{:04X}", bytes[at])));
    }
    // Both begin with this byte.
    if memchr(0xef, bytes).is_none() {
        return Ok(());
    }
    let found =
        ["\u{fffe}", "\u{ffff}"].iter().filter_map(|one| memmem::find(bytes, one.as_bytes())).min();
    // In an encoding of one byte a character, they are others.
    match found.filter(|_| std::str::from_utf8(bytes).is_ok()) {
        Some(at) => Err(Fault::new(at, "a character that is none")),
        None => Ok(()),
    }
}
