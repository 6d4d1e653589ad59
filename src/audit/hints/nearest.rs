//! The distance of names.
//!
//! The crate `strsim` has no limit on a distance: with one, names that are too far cost little.

use unicode_normalization::UnicodeNormalization;

/// The longest name for which near matches are searched.
const MAX_LENGTH: usize = 128;

/// The nearest of many names.
pub(crate) struct Nearest<'n> {
    name: &'n str,
    chars: Vec<char>,
    /// The largest distance of a near name.
    max: usize,
    found: Option<(usize, usize)>,
    theirs: Vec<char>,
    row: Vec<usize>,
}

impl<'n> Nearest<'n> {
    pub(crate) fn to(name: &'n str) -> Self {
        let chars: Vec<char> = name.chars().take(MAX_LENGTH + 1).collect();
        // One letter of a short name may be wrong, two of a longer one, without the extension.
        let stem = chars.iter().rposition(|c| *c == '.').unwrap_or(chars.len());
        let max = match stem {
            0..3 => 0,
            3..10 => 1,
            10..=MAX_LENGTH => 2,
            _ => 0,
        };
        Self { name, chars, max, found: None, theirs: Vec::new(), row: Vec::new() }
    }

    /// Whether no name can be nearer.
    pub(crate) fn is_certain(&self) -> bool {
        self.found.is_some_and(|(distance, _)| distance == 0)
    }

    /// The number of the nearest name so far.
    pub(crate) fn found(&self) -> Option<usize> {
        self.found.map(|(_, number)| number)
    }

    /// The number of letters that may be wrong.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Compares a name; of equally near names, the first wins.
    pub(crate) fn compare(&mut self, number: usize, other: &str) {
        let best = self.found.map_or(self.max + 1, |(distance, _)| distance);
        if best == 0 || other == self.name {
            return;
        }
        let is_same = if self.name.is_ascii() && other.is_ascii() {
            self.name.eq_ignore_ascii_case(other)
        } else {
            letters(self.name).eq(letters(other)) || other.nfc().eq(self.name.nfc())
        };
        let distance = if is_same {
            Some(0)
        } else if !self.has_digits_of(other) {
            // `page2` is not a misspelling of `page1`.
            None
        } else if self.begins(other) || self.is_swapped(other) {
            Some(1)
        } else {
            self.distance(other, best)
        };
        if let Some(distance) = distance.filter(|distance| *distance < best) {
            self.found = Some((distance, number));
        }
    }

    fn has_digits_of(&self, other: &str) -> bool {
        digits(self.name).eq(digits(other))
    }

    /// Whether the other name continues this one.
    fn begins(&self, other: &str) -> bool {
        self.max > 0 && self.name.len() > 3 && other.starts_with(self.name)
    }

    /// Whether two adjacent letters are swapped.
    fn is_swapped(&self, other: &str) -> bool {
        if self.max == 0 || self.name.len() != other.len() {
            return false;
        }
        let mut differing = self.name.bytes().zip(other.bytes()).enumerate();
        let Some((at, (ours, theirs))) = differing.find(|(_, (a, b))| a != b) else {
            return false;
        };
        let (name, other) = (self.name.as_bytes(), other.as_bytes());
        name.get(at + 1) == Some(&theirs)
            && other.get(at + 1) == Some(&ours)
            && name[at + 2..] == other[at + 2..]
    }

    /// The [Levenshtein distance][distance], if it is below `limit`.
    ///
    /// Common prefix and suffix are removed, and only the cells of the matrix are computed through
    /// which a distance below the limit can pass.
    ///
    /// [distance]: https://en.wikipedia.org/wiki/Levenshtein_distance
    fn distance(&mut self, other: &str, limit: usize) -> Option<usize> {
        // A character has one to four bytes, which bounds the difference in characters.
        let (ours, bytes) = (self.chars.len(), other.len());
        if limit == 0 || bytes + limit <= ours || bytes >= (ours + limit) * 4 {
            return None;
        }
        self.theirs.clear();
        self.theirs.extend(other.chars());
        let (ours, theirs) = differing(&self.chars, &self.theirs);
        let most = limit - 1;
        if ours.len().abs_diff(theirs.len()) > most {
            return None;
        }
        let row = &mut self.row;
        row.clear();
        row.extend(0..=ours.len());
        for (line, their) in theirs.iter().enumerate() {
            let (from, to) = (line.saturating_sub(most), ours.len().min(line + limit));
            let mut diagonal = row[from];
            row[from] = if from == 0 { line + 1 } else { limit };
            let mut least = row[from];
            for (column, our) in (from..to).zip(&ours[from..to]) {
                let replaced = diagonal + usize::from(our != their);
                diagonal = row[column + 1];
                let cost = replaced.min(diagonal + 1).min(row[column] + 1);
                row[column + 1] = cost;
                least = least.min(cost);
            }
            if least >= limit {
                return None;
            }
        }
        row.last().copied().filter(|distance| *distance < limit)
    }
}

/// The characters of a name in lower case.
pub(crate) fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

/// The digits in a name; names with different digits are not near.
pub(crate) fn digits(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_digit)
}

/// Whether one letter was inserted, deleted or replaced, or two adjacent ones were swapped.
pub(crate) fn is_one_edit(one: &str, other: &str) -> bool {
    if one.len().abs_diff(other.len()) > 3 || !digits(one).eq(digits(other)) {
        return false;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    match differing(&one, &other) {
        ([_], [_] | []) | ([], [_]) => true,
        ([a, b], [c, d]) => (a, b) == (d, c),
        _ => false,
    }
}

/// Two texts without their common prefix and suffix.
fn differing<'t>(mut one: &'t [char], mut other: &'t [char]) -> (&'t [char], &'t [char]) {
    while let ([a, rest @ ..], [b, others @ ..]) = (one, other)
        && a == b
    {
        (one, other) = (rest, others);
    }
    while let ([rest @ .., a], [others @ .., b]) = (one, other)
        && a == b
    {
        (one, other) = (rest, others);
    }
    (one, other)
}
