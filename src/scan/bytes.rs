//! Classifies the bytes that have a meaning in a tag, and searches for them.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#tag-name-state> and following.
//!
//! Blocks of 16 bytes are compared at once, as names and values are short: 3 MB of `python3.11-doc`
//! are scanned with 20.8 million instructions (`valgrind --tool=callgrind`); byte by byte took 30.8
//! million.

use memchr::memchr;

use crate::block::{BLOCK, Block};

/// White space, including the CR of a line end.
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

/// Whether the byte is in the class.
#[inline]
const fn is_of(byte: u8, class: u8) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Whether the byte is white space in markup.
#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    is_of(byte, SPACE)
}

/// Whether the byte ends a tag name.
#[inline]
pub(super) fn is_name_end(byte: u8) -> bool {
    is_of(byte, NAME_END)
}

/// Finds the first byte of the class from `at` on.
#[inline]
pub(super) fn find(source: &[u8], at: usize, class: u8) -> Option<usize> {
    let rest = source.get(at..)?;
    let Some(block) = rest.first_chunk() else { return find_slowly(source, at, class) };
    let block = Block::new(block);
    // White space is U+0020 and below, but so are control characters that are in no class.
    let mut found = block.at_most(b' ') | block.equal(b'>');
    if is_of(b'/', class) {
        found = found | block.equal(b'/');
    }
    if is_of(b'=', class) {
        found = found | block.equal(b'=');
    }
    let found = found.bits();
    if found == 0 {
        return find_slowly(source, at + BLOCK, class);
    }
    let first = found.trailing_zeros() as usize;
    if is_of(rest[first], class) {
        Some(at + first)
    } else {
        find_slowly(source, at + first + 1, class)
    }
}

/// [`find`] byte by byte: after the first block, or close to the end of the source.
#[cold]
fn find_slowly(source: &[u8], at: usize, class: u8) -> Option<usize> {
    Some(at + source.get(at..)?.iter().position(|&byte| is_of(byte, class))?)
}

/// The end of the name of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameEnd {
    /// A `>` at this offset ends the tag too.
    Tag(usize),
    /// White space or a `/` is at this offset.
    Name(usize),
}

/// Finds the end of the tag name that begins at `at`; `None` if the source ends before.
#[inline]
pub(super) fn tag_name_end(source: &[u8], at: usize) -> Option<NameEnd> {
    let rest = source.get(at..)?;
    let Some(block) = rest.first_chunk() else { return tag_name_end_slowly(source, at) };
    let block = Block::new(block);
    let tag = block.equal(b'>').bits();
    let any = (block.at_most(b' ') | block.equal(b'/')).bits() | tag;
    let first = any.trailing_zeros() as usize;
    if tag & any & any.wrapping_neg() != 0 {
        return Some(NameEnd::Tag(at + first));
    }
    if any != 0 && is_name_end(rest[first]) {
        return Some(NameEnd::Name(at + first));
    }
    tag_name_end_slowly(source, at)
}

/// [`tag_name_end`] byte by byte, for long names and the end of the source.
#[cold]
fn tag_name_end_slowly(source: &[u8], at: usize) -> Option<NameEnd> {
    let end = find_slowly(source, at, NAME_END)?;
    Some(if source[end] == b'>' { NameEnd::Tag(end) } else { NameEnd::Name(end) })
}

/// The offset after the white space that begins at `at`.
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

/// Finds the first `byte` from `at` on.
///
/// Most are near: a call of `memchr` costs more than comparing a few blocks.
#[inline]
pub(super) fn find_byte(source: &[u8], at: usize, byte: u8) -> Option<usize> {
    let rest = source.get(at..)?;
    if let Some(block) = rest.first_chunk() {
        let found = Block::new(block).equal(byte).bits();
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
    }
    find_byte_far(source, at, byte)
}

/// [`find_byte`] after the first block: a few more blocks still cost less than a call of `memchr`.
#[inline(never)]
fn find_byte_far(source: &[u8], at: usize, byte: u8) -> Option<usize> {
    const NEAR: usize = 4;
    let rest = source.get(at..)?;
    for (index, block) in rest.as_chunks().0.iter().take(NEAR).enumerate() {
        let found = Block::new(block).equal(byte).bits();
        if found != 0 {
            return Some(at + index * BLOCK + found.trailing_zeros() as usize);
        }
    }
    let near = (rest.len() / BLOCK).min(NEAR) * BLOCK;
    Some(at + near + memchr(byte, &rest[near..])?)
}

/// Iterates over the `<` of a document.
///
/// The next `<` does not depend on the end of the previous tag, so the processor can read a tag
/// while it still waits for the bytes of the previous one. A search from the end of each tag took
/// fewer instructions, but 7 % more time on a page than byte by byte; this iterator takes 15 %
/// less.
pub(crate) struct Opens<'s> {
    source: &'s [u8],
    /// The offset of the current window.
    start: usize,
    /// The offsets in the window of each `<` that was not returned yet, by bit.
    found: u64,
}

const WINDOW: usize = 4 * BLOCK;

impl<'s> Opens<'s> {
    pub(crate) fn new(source: &'s [u8]) -> Self {
        let mut opens = Self { source, start: 0, found: 0 };
        opens.skip_to(0);
        opens
    }

    /// Skips each `<` before this offset.
    pub(super) fn skip_to(&mut self, at: usize) {
        self.start = at;
        self.read();
    }

    #[inline]
    fn read(&mut self) {
        let rest = self.source.get(self.start..).unwrap_or_default();
        self.found = match rest.first_chunk() {
            Some(window) => opens(window),
            None => opens(&padded(rest)),
        };
    }
}

impl Iterator for Opens<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.start += WINDOW;
            if self.start >= self.source.len() {
                return None;
            }
            self.read();
        }
        let open = self.start + self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(open)
    }
}

/// Pads the last bytes of a document to a window, with bytes that have no meaning.
#[cold]
fn padded(rest: &[u8]) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    window[..rest.len()].copy_from_slice(rest);
    window
}

#[inline]
fn opens(window: &[u8; WINDOW]) -> u64 {
    let blocks = window.as_chunks::<BLOCK>().0;
    blocks
        .iter()
        .rev()
        .fold(0, |found, block| found << BLOCK | u64::from(Block::new(block).equal(b'<').bits()))
}
