//! The bytes that mean something in a tag, and finding them.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#tag-name-state> and following.

use memchr::memchr;

/// White space, the CR of a line end included.
const SPACE: u8 = 1;
/// Ends a tag name: white space, `/`, `>`.
pub(super) const NAME_END: u8 = 1 << 1;
/// Ends an attribute name: white space, `/`, `>`, `=`.
pub(super) const ATTRIBUTE_END: u8 = 1 << 2;
/// Ends an unquoted value: white space, `>`.
pub(super) const VALUE_END: u8 = 1 << 3;

const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let spaces = b"\t\n\x0C\r ";
    let mut at = 0;
    while at < spaces.len() {
        class[spaces[at] as usize] = SPACE | NAME_END | ATTRIBUTE_END | VALUE_END;
        at += 1;
    }
    class[b'/' as usize] = NAME_END | ATTRIBUTE_END;
    class[b'>' as usize] = NAME_END | ATTRIBUTE_END | VALUE_END;
    class[b'=' as usize] = ATTRIBUTE_END;
    class
};

/// Whether the byte is white space in markup.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    CLASS[usize::from(byte)] & SPACE != 0
}

/// Whether the byte ends a tag name.
#[inline]
pub(super) fn is_name_end(byte: u8) -> bool {
    CLASS[usize::from(byte)] & NAME_END != 0
}

/// The first place from `at` whose byte is of the class; `None` at the end.
#[inline]
pub(super) fn find(source: &[u8], at: usize, class: u8) -> Option<usize> {
    let rest = source.get(at..)?;
    Some(at + rest.iter().position(|&byte| CLASS[usize::from(byte)] & class != 0)?)
}

/// After the white space that begins at `at`.
#[inline]
pub(super) fn skip_space(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or(&[]);
    at + rest.iter().take_while(|&&byte| is_space(byte)).count()
}

/// The end of the tag name that begins at `at`.
#[inline]
pub(super) fn name_end(source: &[u8], at: usize) -> usize {
    find(source, at, NAME_END).unwrap_or(source.len())
}

/// The first place from `at` with this byte.
///
/// Most are near: in a profile of `python3.11-doc` (`perf record cargo bench --bench
/// pages`) calls of `memchr` for them were a sixth of the time, so that a few words
/// of 8 bytes are inspected first.
#[inline]
pub(super) fn find_byte(source: &[u8], at: usize, byte: u8) -> Option<usize> {
    const NEAR: usize = 4;
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    let rest = source.get(at..)?;
    let pattern = LOW * u64::from(byte);
    for (index, word) in rest.as_chunks::<8>().0.iter().take(NEAR).enumerate() {
        // A byte of the word that equals the one looked for becomes zero, and the
        // lowest zero byte is the lowest whose high bit is set.
        let word = u64::from_le_bytes(*word) ^ pattern;
        let found = word.wrapping_sub(LOW) & !word & HIGH;
        if found != 0 {
            return Some(at + index * 8 + (found.trailing_zeros() / 8) as usize);
        }
    }
    let near = (rest.len() / 8).min(NEAR) * 8;
    Some(at + near + memchr(byte, &rest[near..])?)
}
