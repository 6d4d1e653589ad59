//! Fingerprints of URL keys, which may be long.
//!
//! A page may have a base URL of thousands of bytes, and a million links that resolve against
//! it. [`BasePrefixes`] hashes the common prefix once, so that a link costs as much as its own
//! text.

use std::hash::{BuildHasher, RandomState};

use crate::audit::container::url_key::{Part, key, push_rest};

/// 128 bits from random hashers, so that a page cannot make two keys collide. An index has millions of
/// them, and a `u128` would be aligned to 16 bytes there.
pub(crate) type Fingerprint = [u64; 2];

/// The ends of the parts of a key.
const ENDS: [char; 2] = ['/', '?'];

/// Computes fingerprints part by part, so that one can be continued.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hashers([RandomState; 2]);

impl Hashers {
    /// The fingerprint of a whole key.
    pub(crate) fn of(&self, key: &str) -> Fingerprint {
        self.continued([0; 2], key)
    }

    /// The fingerprint of a key from that of a prefix, which ends with a part.
    fn continued(&self, beginning: Fingerprint, rest: &str) -> Fingerprint {
        rest.split_inclusive(ENDS).fold(beginning, |known, part| {
            self.0.each_ref().map(|hasher| hasher.hash_one((known, part)))
        })
    }
}

/// The fingerprints of the prefixes that URLs share with an `http` or `https` base URL: the base
/// and the folders that contain it.
#[derive(Debug)]
pub(crate) struct BasePrefixes {
    /// The base up to the end of its path, then a question mark.
    url: String,
    /// The end of each part, in order, and the fingerprint up to there.
    ends: Vec<(usize, Fingerprint)>,
    /// The key of the first prefix, the root.
    root: String,
}

impl BasePrefixes {
    pub(crate) fn of(base: &str, hashers: &Hashers) -> Self {
        let end = base.find(['?', '#']).unwrap_or(base.len());
        let mut prefixes =
            Self { url: format!("{}?", &base[..end]), ends: Vec::new(), root: String::new() };
        prefixes.find_ends(hashers);
        prefixes
    }

    fn find_ends(&mut self, hashers: &Hashers) {
        let Some(mut end) = root_end(&self.url) else { return };
        self.root = key(&self.url[..end]);
        let mut known = hashers.of(&self.root);
        self.ends.push((end, known));
        let mut part_key = String::new();
        for part in self.url[end..].split_inclusive(ENDS) {
            part_key.clear();
            let Some(()) = push_rest(&mut part_key, part, Part::Path) else { return };
            known = hashers.continued(known, &part_key);
            end += part.len();
            self.ends.push((end, known));
        }
    }

    /// The key of the root.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// The fingerprint of the key of a URL that continues a prefix and needs no parsing; else
    /// `None`.
    pub(crate) fn continued(&self, url: &str, hashers: &Hashers) -> Option<Fingerprint> {
        let common = common_start(self.url.as_bytes(), url.as_bytes());
        let at = self.ends.partition_point(|(end, _)| *end <= common).checked_sub(1)?;
        let (end, known) = self.ends[at];
        let part = if end == self.url.len() { Part::Query } else { Part::Path };
        let mut rest = String::new();
        push_rest(&mut rest, &url[end..], part)?;
        Some(hashers.continued(known, &rest))
    }
}

/// The offset after the first slash of the path, for an `http` or `https` URL.
fn root_end(url: &str) -> Option<usize> {
    let start = ["http://", "https://"].into_iter().find_map(|start| {
        let found = url.get(..start.len())?;
        found.eq_ignore_ascii_case(start).then_some(start.len())
    })?;
    let slash = start + url[start..].find('/')?;
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\\?#".contains(&byte);
    let is_authority = slash > start && url[start..slash].bytes().all(is_plain);
    let end = slash + 1;
    // A URL that cannot be parsed is its own key.
    (is_authority && key(&url[..end]).starts_with("//")).then_some(end)
}

/// The length of the common prefix of two texts.
fn common_start(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 64;
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let start = STEP * steps.take_while(|(one, other)| one == other).count();
    let rest = one[start..].iter().zip(&other[start..]);
    start + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASES: &[&str] = &[
        "http://h/",
        "HTTPS://u@H:80/a/b;c/d?e/f#g",
        "http://h/%7Ea/\u{e4} b/'c",
        "http://h//a//",
        "http://h/a/./b/../c/d",
        "http://h/a\\b/c\t/d",
        "http://h",
        "http://a b/c/d",
        "http:///a/b",
        "ftp://h/a/b",
        "",
    ];

    /// Every URL that begins as a base does has the fingerprint of its key.
    #[test]
    fn a_continued_fingerprint_is_that_of_the_key() {
        const ATOMS: &[&str] = &[
            "/", "a", ".", "..", "%2e", "%7E", "%c3", "%", "?", "'", "\\", "\t", " ", "#",
            "\u{e4}", "\"", "|", ":", ";",
        ];
        let hashers = Hashers::default();
        let mut count = 0;
        for base in BASES {
            let prefixes = BasePrefixes::of(base, &hashers);
            let end = base.find(['?', '#']).unwrap_or(base.len());
            let starts = base[..end].match_indices('/').map(|(slash, _)| &base[..=slash]);
            for start in starts.chain([&base[..end]]) {
                for number in 0..ATOMS.len().pow(3) {
                    let atom = |place: u32| ATOMS[number / ATOMS.len().pow(place) % ATOMS.len()];
                    let url = format!("{start}{}{}{}", atom(0), atom(1), atom(2));
                    let Some(found) = prefixes.continued(&url, &hashers) else { continue };
                    assert_eq!(found, hashers.of(&key(&url)), "{base} {url}");
                    count += 1;
                }
            }
        }
        assert!(count > 20_000, "{count}");
    }

    #[test]
    fn the_links_of_a_page_begin_as_its_base_does() {
        let hashers = Hashers::default();
        let prefixes = BasePrefixes::of("http://h/a/b/c?d", &hashers);
        for url in [
            "http://h/a/b/e",
            "http://h/a/b/c?'",
            "http://h/a/e?f",
            "http://h/",
            "http://h/a/b/%7E/",
        ] {
            assert!(prefixes.continued(url, &hashers).is_some(), "{url}");
        }
        for url in ["http://i/a", "https://h/a", "http://h/a/..", "mailto:a", ""] {
            assert!(prefixes.continued(url, &hashers).is_none(), "{url}");
        }
    }
}
