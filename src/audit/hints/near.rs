//! How near a name is to a misspelt one.

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

use crate::audit::fix::Safety;

/// The longest name, in characters, for which near names are searched.
const MAX_LENGTH: usize = 128;

/// How near a name is, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// It differs in case or in percent-encoding alone.
    SameLetters,
    /// It differs in the form of its characters.
    SameText,
    /// One letter is inserted, deleted or replaced, or two adjacent ones are swapped.
    OneEdit,
    /// It continues the misspelt name.
    Continued,
    TwoEdits,
}

impl Nearness {
    /// How certain it is that the only name so near is meant.
    pub(super) fn safety(self) -> Option<Safety> {
        match self {
            Self::SameLetters => Some(Safety::Safe),
            Self::OneEdit => Some(Safety::Unsafe),
            Self::SameText | Self::Continued | Self::TwoEdits => None,
        }
    }
}

/// A misspelt name.
pub(super) struct Misspelt<'n> {
    name: &'n str,
    length: usize,
    /// The letters that may be wrong.
    max_edits: usize,
    letters: u64,
    is_plain: bool,
}

impl<'n> Misspelt<'n> {
    /// One letter of a short name may be wrong, two of a longer one, without the extension.
    pub(super) fn new(name: &'n str) -> Self {
        let length = name.chars().take(MAX_LENGTH + 1).count();
        let stem = name.rfind('.').map_or(length, |dot| name[..dot].chars().count());
        let max_edits = match stem {
            3..10 => 1,
            10..=MAX_LENGTH if length <= MAX_LENGTH => 2,
            _ => 0,
        };
        Self { name, length, max_edits, letters: letters(name), is_plain: is_plain(name) }
    }

    /// How near another name is; `None` if it is far, or equal. A distance is only computed for
    /// names of about the same length and letters, and adds to `effort` the pairs that it compares.
    pub(super) fn nearness(&self, other: &str, effort: &mut usize) -> Option<Nearness> {
        let (name, max) = (self.name, self.max_edits);
        if name == other {
            return None;
        }
        if self.is_plain && is_plain(other) {
            if name.eq_ignore_ascii_case(other) {
                return Some(Nearness::SameLetters);
            }
        } else if same_letters(name, other) {
            return Some(Nearness::SameLetters);
        } else if !(name.is_ascii() && other.is_ascii()) && name.nfc().eq(other.nfc()) {
            return Some(Nearness::SameText);
        }
        let may_be_near = max > 0 && self.may_be_near(other);
        let is_continued = max > 0 && name.len() > 3 && other.starts_with(name);
        // `page2` is not a misspelling of `page1`.
        if !(may_be_near || is_continued) || !digits(name).eq(digits(other)) {
            return None;
        }
        let edits = may_be_near.then(|| {
            *effort += self.length * other.len();
            strsim::osa_distance(name, other)
        });
        match edits {
            Some(1) => Some(Nearness::OneEdit),
            _ if is_continued => Some(Nearness::Continued),
            Some(2) if max == 2 => Some(Nearness::TwoEdits),
            _ => None,
        }
    }

    /// Whether another name has so many letters, and so few others, that it may be near: an edit takes
    /// one letter away and brings another.
    fn may_be_near(&self, other: &str) -> bool {
        let most = self.length + self.max_edits;
        let length = other.chars().take(most + 1).count();
        length.abs_diff(self.length) <= self.max_edits
            && (self.letters ^ letters(other)).count_ones() as usize <= 2 * self.max_edits
    }
}

/// The letters of a text as a set, in which some share a place.
fn letters(text: &str) -> u64 {
    text.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % u64::BITS))
}

/// Whether all characters are ASCII, and stand for themselves.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii() && byte != b'%')
}

/// Whether two texts differ in case or in percent-encoding alone.
fn same_letters(one: &str, other: &str) -> bool {
    let letters = |text: &str| percent_decode_str(text).decode_utf8_lossy().to_lowercase();
    letters(one) == letters(other)
}

fn digits(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_digit)
}
