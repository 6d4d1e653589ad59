//! The texts of paragraphs as hashes of their letters and digits, and where those of the Markdown
//! files are.

use std::collections::hash_map::{self, HashMap};
use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};

/// Entries that are kept: about 36 MB.
const MAX_ENTRIES: usize = 1_000_000;

/// A paragraph, or a link in a paragraph.
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
    /// Adds the entries of a file.
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

/// Hashes of texts, with a random key: no text can be made to have the hash of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Hashes(RandomState);

impl Hashes {
    /// The empty text.
    pub(super) fn text(&self) -> Text {
        Text { hasher: self.0.build_hasher(), is_empty: true }
    }
}

/// A text, as a hash of its letters and digits.
#[derive(Debug, Clone)]
pub(super) struct Text {
    hasher: DefaultHasher,
    is_empty: bool,
}

impl Text {
    /// Appends text.
    pub(super) fn push(&mut self, text: &str) {
        for c in text.chars().filter(|c| c.is_alphanumeric()) {
            self.hasher.write_u32(c.into());
            self.is_empty = false;
        }
    }

    /// The hash of the text; `None` if it has no letter and no digit.
    pub(super) fn alone(&self) -> Option<u64> {
        (!self.is_empty).then(|| self.hasher.finish())
    }

    /// The hash of the text with a destination in it.
    pub(super) fn with(&self, destination: &str) -> u64 {
        let mut hasher = self.hasher.clone();
        // No character has this value.
        hasher.write_u32(u32::MAX);
        hasher.write(destination.as_bytes());
        hasher.finish()
    }
}
