//! Finds the nearest of many names.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

use crate::audit::fix::Safety;
use crate::audit::hints::nearest::{Nearest, digits, is_one_edit, letters};

/// The work left for searches, in steps of some nanoseconds.
///
/// With an index, a search is cheap unless names are made to share their parts: 20,000 searches
/// among 4,096 random names take 4 million steps.
#[derive(Debug)]
pub(crate) struct Effort {
    left: u64,
    /// Searches that were refused because no steps were left.
    pub(crate) refused: u64,
}

/// The steps of a run: about a quarter of a second.
const MAX_STEPS: u64 = 1 << 25;

impl Default for Effort {
    fn default() -> Self {
        Self { left: MAX_STEPS, refused: 0 }
    }
}

impl Effort {
    pub(crate) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps as u64);
    }

    /// Whether another search may be made.
    pub(crate) fn allows(&mut self) -> bool {
        self.refused += u64::from(self.left == 0);
        self.left > 0
    }
}

/// The pieces of a name. A near name has at most two letters inserted, deleted or replaced (a swap
/// replaces two), so that at least one of three pieces is unchanged, at most two places away: the
/// partition of [Pass-Join](https://doi.org/10.14778/2078331.2078340).
const PIECES: usize = 3;

/// How far a piece may move, and how much longer or shorter a near name is.
const MAX_SHIFT: usize = PIECES - 1;

/// The searches after which an index is built.
const SCANS: usize = 4;

/// Names to search.
pub(crate) struct Names<'n> {
    texts: Vec<&'n str>,
    searches: usize,
    index: Option<Index>,
}

/// Names by what near names share with them.
#[derive(Default)]
struct Index {
    hasher: RandomState,
    /// By name, regardless of case or normalization.
    same: HashMap<u64, Vec<u32>>,
    /// By length, position of a piece, piece, and all digits.
    pieces: HashMap<u64, Vec<u32>>,
    /// The lengths of names with pieces.
    lengths: HashSet<usize>,
    /// Sorted by bytes.
    sorted: Vec<u32>,
    /// Names that are not ASCII.
    others: Vec<u32>,
}

impl<'n> Names<'n> {
    pub(crate) fn new(names: Vec<&'n str>) -> Self {
        Self { texts: names, searches: 0, index: None }
    }

    pub(crate) fn get(&self, number: usize) -> &'n str {
        self.texts[number]
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The number of the nearest name that `is_meant` accepts.
    pub(crate) fn nearest(
        &mut self,
        name: &str,
        effort: &mut Effort,
        is_meant: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        if !effort.allows() {
            return None;
        }
        self.searches += 1;
        let mut near = Nearest::to(name);
        if self.searches > SCANS && self.index.is_none() {
            effort.spend(self.texts.len() * 16);
            self.index = Some(Index::new(&self.texts));
        }
        let candidates = match &self.index {
            Some(index) if name.is_ascii() => Some(index.candidates(name, &self.texts, near.max())),
            _ => None,
        };
        let count = candidates.as_ref().map_or(self.texts.len(), Vec::len);
        effort.spend(1 + PIECES * 8 + count * (4 + name.len().min(256) / 4));
        let all = 0..self.texts.len();
        let numbers: &mut dyn Iterator<Item = usize> = match candidates {
            Some(candidates) => &mut candidates.into_iter().map(|number| number as usize),
            None => &mut { all },
        };
        for number in numbers.filter(|number| is_meant(*number)) {
            near.compare(number, self.texts[number]);
            if near.is_certain() {
                break;
            }
        }
        near.found()
    }

    /// How certain it is that `found` is meant by `name`: safe if they differ in case alone and no
    /// other name does, unsafe if they differ in one letter and no other name does.
    pub(crate) fn certainty(
        &self,
        name: &str,
        found: &str,
        effort: &mut Effort,
        is_meant: impl Fn(usize) -> bool,
    ) -> Option<Safety> {
        effort.spend(self.texts.len());
        let is_only = |is_like: &dyn Fn(&str) -> bool| {
            let meant = self.texts.iter().enumerate().filter(|&(number, _)| is_meant(number));
            is_like(found)
                && meant.map(|(_, text)| *text).all(|text| text == found || !is_like(text))
        };
        if same_letters(found, name) {
            return is_only(&|text| same_letters(text, name)).then_some(Safety::Safe);
        }
        is_only(&|text| is_one_edit(text, name)).then_some(Safety::Unsafe)
    }
}

/// Whether two texts differ in case or in percent-encoding alone.
fn same_letters(one: &str, other: &str) -> bool {
    if !one.contains('%') && !other.contains('%') {
        return letters(one).eq(letters(other));
    }
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    letters(&decoded(one)).eq(letters(&decoded(other)))
}

impl Index {
    fn new(names: &[&str]) -> Self {
        let mut index = Self::default();
        for (number, name) in (0..).zip(names) {
            index
                .same
                .entry(index.hasher.hash_one(name.to_ascii_lowercase()))
                .or_default()
                .push(number);
            if !name.is_ascii() {
                let composed = index.hasher.hash_one(name.nfc().collect::<String>());
                index.same.entry(composed).or_default().push(number);
                index.others.push(number);
                continue;
            }
            let digits = index.digits(name);
            index.lengths.insert(name.len());
            for (place, piece) in pieces(name.len()).enumerate() {
                let key = index.key(digits, name.len(), place, &name.as_bytes()[piece]);
                index.pieces.entry(key).or_default().push(number);
            }
        }
        index.sorted = (0..).take(names.len()).collect();
        index.sorted.sort_unstable_by_key(|&number| names[number as usize]);
        index
    }

    fn digits(&self, name: &str) -> u64 {
        digits(name).fold(1, |hash, digit| self.hasher.hash_one((hash, digit)))
    }

    fn key(&self, digits: u64, length: usize, place: usize, piece: &[u8]) -> u64 {
        self.hasher.hash_one((digits, length, place, piece))
    }

    /// The names that may be near an ASCII name, in order, and few others.
    fn candidates(&self, name: &str, names: &[&str], max: usize) -> Vec<u32> {
        let mut found = Vec::new();
        let mut add = |numbers: Option<&Vec<u32>>| found.extend(numbers.into_iter().flatten());
        add(self.same.get(&self.hasher.hash_one(name.to_ascii_lowercase())));
        add(self.same.get(&self.hasher.hash_one(name)));
        add(Some(&self.others));
        if max > 0 {
            let (bytes, digits) = (name.as_bytes(), self.digits(name));
            for length in bytes.len().saturating_sub(MAX_SHIFT)..=bytes.len() + MAX_SHIFT {
                if !self.lengths.contains(&length) {
                    continue;
                }
                for (place, piece) in pieces(length).enumerate() {
                    let from = piece.start.saturating_sub(MAX_SHIFT);
                    // The texts before and after the piece differ at least by their lengths.
                    let is_near = |start: &usize| {
                        start.abs_diff(piece.start)
                            + (start + length).abs_diff(piece.start + bytes.len())
                            <= MAX_SHIFT
                    };
                    for start in (from..=piece.start + MAX_SHIFT).filter(is_near) {
                        let Some(part) = bytes.get(start..start + piece.len()) else { break };
                        add(self.pieces.get(&self.key(digits, length, place, part)));
                    }
                }
            }
            let before = |&number: &u32| names[number as usize] < name;
            let start = self.sorted.partition_point(before);
            let begins = |number: &&u32| names[**number as usize].starts_with(name);
            found.extend(self.sorted[start..].iter().take_while(begins));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The pieces of a name of a length, whose own lengths differ by at most one.
fn pieces(length: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..PIECES).map(move |place| length * place / PIECES..length * (place + 1) / PIECES)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name in each way that is near, and some that are not.
    fn variants(name: &str) -> Vec<String> {
        let mut variants = vec![name.to_owned(), name.to_ascii_uppercase(), format!("{name}-more")];
        for at in (0..name.len()).filter(|&at| name.is_char_boundary(at)) {
            let (before, after) = name.split_at(at);
            variants.push(format!("{before}x{after}"));
            variants.push(format!("{before}x{after}y"));
            let mut rest = after.chars();
            let first = rest.next();
            variants.push(format!("{before}{}", rest.as_str()));
            variants.push(format!("{before}z{}", rest.as_str()));
            if let (Some(first), Some(second)) = (first, rest.next()) {
                variants.push(format!("{before}{second}{first}{}", rest.as_str()));
                variants.push(format!("{before}qq{}", rest.as_str()));
            }
        }
        variants
    }

    #[test]
    fn an_index_finds_what_a_scan_finds() {
        let names = [
            "guide.html",
            "Guide.html",
            "guides.html",
            "index-18",
            "index-19",
            "instal",
            "a",
            "ab",
            "abc",
            "abcdefghij.html",
            "abcdefghik.html",
            "mdomainset",
            "mdomainsetsection",
            "a\u{308}pfel.html",
            "\u{e4}pfel.html",
            "\u{c4}PFEL.html",
            "\u{212a}",
            "k",
            "x1y2",
            "installation-and-configuration",
        ];
        for name in names.iter().flat_map(|name| variants(name)) {
            let mut scanned = Names::new(names.to_vec());
            let mut indexed = Names::new(names.to_vec());
            indexed.searches = SCANS;
            let search =
                |names: &mut Names<'_>| names.nearest(&name, &mut Effort::default(), |_| true);
            let (scan, index) = (search(&mut scanned), search(&mut indexed));
            assert!(scanned.index.is_none() && indexed.index.is_some());
            assert_eq!(index, scan, "{name}");
        }
    }

    #[test]
    fn a_search_without_effort_left_is_counted() {
        let mut effort = Effort { left: 1, refused: 0 };
        let mut names = Names::new(vec!["guide.html"]);
        assert_eq!(names.nearest("giude.html", &mut effort, |_| true), Some(0));
        assert_eq!(names.nearest("giude.html", &mut effort, |_| true), None);
        assert_eq!(effort.refused, 1);
    }
}
