//! Converts offsets and text between UTF-8 and UTF-16, whose code units the host counts.

use std::array::from_fn;

use wide::{i16x8, u8x16};

/// The number for a missing value.
pub(crate) const MISSING: u32 = u32::MAX;

/// Converts offsets of the bytes of a document, fastest in ascending order.
pub(crate) struct Units<'s> {
    /// The document, if it is text; otherwise bytes are not converted.
    text: Option<&'s [u8]>,
    /// The last byte that was converted, and its offset.
    last: (usize, usize),
}

impl<'s> Units<'s> {
    pub(crate) fn new(source: &'s [u8], is_text: bool) -> Self {
        Self { text: is_text.then_some(source), last: (0, 0) }
    }

    pub(crate) fn convert(&mut self, byte: usize) -> u32 {
        let Some(text) = self.text else { return narrow(byte) };
        let (from, offset) = self.last;
        let between = |bytes| text.get(bytes).map_or(0, utf16_length);
        let offset = if byte < from {
            offset.saturating_sub(between(byte..from))
        } else {
            offset + between(from..byte)
        };
        self.last = (byte, offset);
        narrow(offset)
    }
}

/// The bytes that are counted together.
const LANES: usize = 16;

/// Counts the UTF-16 code units of UTF-8.
pub(crate) fn utf16_length(text: &[u8]) -> usize {
    let starts = |byte: &u8| u8::from(byte & 0xc0 != 0x80) + u8::from(*byte >= 0xf0);
    let count = |part: &[u8]| {
        let (blocks, rest) = part.as_chunks::<LANES>();
        let mut lanes = [0; LANES];
        for block in blocks {
            lanes.iter_mut().zip(block).for_each(|(lane, byte)| *lane += starts(byte));
        }
        lanes.into_iter().chain(rest.iter().map(starts)).map(usize::from).sum::<usize>()
    };
    // In 127 blocks, the count of a lane does not overflow.
    text.chunks(LANES * 127).map(count).sum()
}

/// The UTF-16 code units that the host writes at a time.
pub(crate) const PIECE: usize = 1 << 14;

/// Appends UTF-16 to UTF-8; `false` for half a surrogate pair, which UTF-8 cannot represent.
pub(crate) fn append(text: &mut Vec<u8>, mut units: &[u16]) -> bool {
    while !units.is_empty() {
        let block = units.split_first_chunk::<LANES>();
        if let Some((bytes, rest)) = block.and_then(|(head, rest)| Some((to_ascii(head)?, rest))) {
            text.extend_from_slice(&bytes);
            units = rest;
            continue;
        }
        for character in char::decode_utf16(units.iter().copied()).take(LANES) {
            let Ok(character) = character else { return false };
            match u8::try_from(character) {
                Ok(byte) if byte.is_ascii() => text.push(byte),
                _ => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            units = &units[character.len_utf16()..];
        }
    }
    true
}

/// Returns the characters of a block, if all are ASCII.
fn to_ascii(block: &[u16; LANES]) -> Option<[u8; LANES]> {
    let half = |start: usize| i16x8::new(from_fn(|lane| block[start + lane].cast_signed()));
    let (first, second) = (half(0), half(LANES / 2));
    // Units above 255 become 255, which is not ASCII. Units with the top bit become 0, so that
    // `any` finds them.
    let bytes = u8x16::narrow_i16x8(first, second);
    (!(first | second).any() && bytes.to_bitmask() == 0).then(|| bytes.to_array())
}

/// Converts a number to 32 bits, which all addresses of the module have.
pub(crate) fn narrow(number: usize) -> u32 {
    number.try_into().unwrap_or(MISSING)
}
