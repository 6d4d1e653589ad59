//! The text of a paragraph, as a hash of its letters and digits.

use std::hash::{BuildHasher, DefaultHasher, Hasher, RandomState};

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
        // No character is that.
        hasher.write_u32(u32::MAX);
        hasher.write(destination.as_bytes());
        hasher.finish()
    }
}
