//! Where the paragraphs of the Markdown files are, by the hashes of their texts.

use std::collections::HashMap;
use std::collections::hash_map;

/// Entries that are kept: about 36 MB.
const MAX_ENTRIES: usize = 1_000_000;

/// A paragraph, or a link of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) hash: u64,
    /// Counted from 1.
    pub(super) line: u32,
}

/// Paragraphs and links by their hashes.
#[derive(Debug, Default)]
pub(super) struct Index {
    places: HashMap<u64, Place>,
    is_full: bool,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    file: u32,
    /// 0 if several places have the hash.
    line: u32,
}

impl Index {
    /// Adds what a file has.
    pub(super) fn add(&mut self, file: usize, entries: Vec<Entry>) {
        let Ok(file) = u32::try_from(file) else { return };
        for Entry { hash, line } in entries {
            let is_full = self.places.len() >= MAX_ENTRIES;
            match self.places.entry(hash) {
                hash_map::Entry::Occupied(mut place) => place.get_mut().line = 0,
                hash_map::Entry::Vacant(_) if is_full => self.is_full = true,
                hash_map::Entry::Vacant(place) => {
                    place.insert(Place { file, line });
                }
            }
        }
    }

    /// The number of the file, and the line in it, if only one place has the hash.
    pub(super) fn find(&self, hash: u64) -> Option<(usize, u64)> {
        let place = self.places.get(&hash).filter(|place| place.line > 0)?;
        Some((place.file as usize, place.line.into()))
    }

    /// Whether entries were left out.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }
}
