//! A record that is written after another, or in its place.

use std::io::Read;

/// A new record. Its body is not copied before it is compressed: it may be as large as the limit on
/// records, and is in memory already.
#[derive(Debug)]
pub(super) struct NewRecord<'a> {
    /// The head of the record, and that of an HTTP response in it.
    pub(super) head: Vec<u8>,
    /// The rest of its block.
    pub(super) body: &'a [u8],
}

impl NewRecord<'_> {
    /// Its bytes, of which some parts may be empty.
    pub(super) fn parts(&self) -> [&[u8]; 3] {
        [&self.head, self.body, b"\r\n\r\n"]
    }

    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        total(&self.parts())
    }

    /// Its bytes.
    pub(super) fn to_vec(&self) -> Vec<u8> {
        self.parts().concat()
    }
}

/// How many bytes parts have together.
pub(super) fn total(parts: &[&[u8]]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

/// Reads parts one after the other.
pub(super) fn reader<'p>(parts: &'p [&[u8]]) -> Box<dyn Read + 'p> {
    let empty: Box<dyn Read> = Box::new(std::io::empty());
    parts.iter().fold(empty, |reader, part| Box::new(reader.chain(*part)))
}
