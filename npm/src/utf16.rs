//! Offsets in the strings of the host, which count UTF-16 code units.

/// A number that is missing.
pub(crate) const MISSING: u32 = u32::MAX;

/// Finds the offsets of bytes in UTF-8, fastest in ascending order.
pub(crate) struct Units<'s> {
    text: &'s [u8],
    /// The last byte whose offset was asked for, and that offset.
    last: (usize, usize),
}

impl<'s> Units<'s> {
    pub(crate) fn new(text: &'s [u8]) -> Self {
        Self { text, last: (0, 0) }
    }

    pub(crate) fn at(&mut self, byte: usize) -> u32 {
        let (from, offset) = self.last;
        let between = |bytes| self.text.get(bytes).map_or(0, utf16_length);
        let offset = if byte < from {
            offset.saturating_sub(between(byte..from))
        } else {
            offset + between(from..byte)
        };
        self.last = (byte, offset);
        narrow(offset)
    }
}

/// Bytes that are counted at once.
const LANES: usize = 16;

/// The UTF-16 code units of UTF-8.
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
    // The count of a lane does not overflow.
    text.chunks(LANES * 127).map(count).sum()
}

/// The memory of the module has addresses of 32 bits.
pub(crate) fn narrow(number: usize) -> u32 {
    number.try_into().unwrap_or(MISSING)
}
