//! The characters of an XML document.

use memchr::memmem;

use super::fault::Fault;

/// Finds the first character that [XML does not allow](https://www.w3.org/TR/xml/#charsets).
pub(super) fn check_characters(bytes: &[u8]) -> Result<(), Fault> {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    if let Some(at) = bytes.iter().position(is_control) {
        return Err(Fault::new(at, format!("the character U+{:04X}", bytes[at])));
    }
    let found =
        ["\u{fffe}", "\u{ffff}"].iter().filter_map(|one| memmem::find(bytes, one.as_bytes())).min();
    // In an encoding of one byte a character, they are others.
    match found.filter(|_| std::str::from_utf8(bytes).is_ok()) {
        Some(at) => Err(Fault::new(at, "a character that is none")),
        None => Ok(()),
    }
}
