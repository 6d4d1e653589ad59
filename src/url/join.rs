//! Joining by prefix: most references of a page only need one in front of them.
//!
//! Resolving by RFC 1808 never touches the characters of the reference, so that
//! `b.html` against `http://h/a/` is a prefix away from its URL, and so are
//! `/b`, `#b` and `../b`. Where the prefix and the reference can be in an
//! attribute as they are, neither decoding nor escaping is needed. What is not
//! plainly so is left to the way that all references can go.

use super::Base;
use super::rfc1808::{Components, Joined};

/// A base URL whose parts can be in any attribute as they are.
#[derive(Debug)]
pub(crate) struct Joiner<'b> {
    base: &'b Base,
}

/// The result of joining.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Join<'j> {
    /// The reference has a scheme.
    Absolute,
    /// The URL is the prefix, and the reference without its first `skip` bytes.
    Prefixed { prefix: &'j str, skip: usize },
    /// Somebody has to look at it.
    Unsure,
}

/// Whether a byte of a reference is white space, or may begin a character
/// reference.
const SLOW: [bool; 256] = {
    let mut slow = [false; 256];
    let mut byte = 0;
    while byte <= b' ' {
        slow[byte as usize] = true;
        byte += 1;
    }
    slow[b'&' as usize] = true;
    slow
};

impl<'b> Joiner<'b> {
    /// Takes a base, if its parts can be in any attribute as they are.
    pub(crate) fn new(base: &'b Base) -> Option<Self> {
        let components = Components::parse(base.as_str());
        components.scheme?;
        components.net_loc.filter(|net_loc| !net_loc.is_empty())?;
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"&\"'<>`=".contains(&byte);
        base.as_str().bytes().all(is_plain).then_some(Self { base })
    }

    /// Joins a reference as it is written in the source.
    #[inline]
    pub(crate) fn join<'j>(&'j self, reference: &'j [u8]) -> Join<'j> {
        let is_slow = reference.iter().fold(false, |slow, &byte| slow | SLOW[usize::from(byte)]);
        match std::str::from_utf8(reference) {
            Ok(reference) if !is_slow && !reference.is_empty() => {
                match self.base.join_rfc1808(reference) {
                    Joined::Absolute => Join::Absolute,
                    Joined::Slices(prefix, "", own) => {
                        Join::Prefixed { prefix, skip: reference.len() - own.len() }
                    }
                    _ => Join::Unsure,
                }
            }
            _ => Join::Unsure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::{Resolution, Standard};

    const BASES: &[&str] = &[
        "http://h/a/b/c?q#f",
        "http://h/a/b/c;p?q",
        "http://h",
        "http://h/",
        "http://h?q",
        "http://h/../a/b",
        "http://h/a//b/",
        "http://h/a/./../b/c",
        "file:///a/b",
        "x:/a/b",
        "http://h/a?b&copy",
    ];

    /// Whatever is joined is what the resolver gives.
    #[test]
    fn a_prefix_is_what_the_resolver_puts_in_front() {
        const ATOMS: &[&str] =
            &["/", ".", "..", "../", "a", "b.c", ";", "?", "#", ":", "x:", " ", "\u{e9}"];
        let mut references = vec![String::new()];
        let mut start = 0;
        for _ in 0..4 {
            let end = references.len();
            for index in start..end {
                references.extend(
                    ATOMS.iter().map(|atom| references[index].clone() + atom).collect::<Vec<_>>(),
                );
            }
            start = end;
        }
        let mut joined = 0;
        for base in BASES {
            let base = Base::new(base).unwrap();
            let Some(prefixes) = Joiner::new(&base) else { continue };
            for reference in &references {
                let resolution = Standard::Rfc1808.resolve(Some(&base), reference).unwrap();
                match prefixes.join(reference.as_bytes()) {
                    Join::Absolute => {
                        assert!(
                            matches!(resolution, Resolution::Absolute(_)),
                            "{base} {reference}"
                        );
                    }
                    Join::Prefixed { prefix, skip } => {
                        let url = format!("{prefix}{}", &reference[skip..]);
                        assert_eq!(resolution, Resolution::Resolved(url), "{base} {reference}");
                        joined += 1;
                    }
                    Join::Unsure => {}
                }
            }
        }
        assert!(joined > 10_000, "{joined}");
    }

    #[test]
    fn the_references_of_pages_are_joined() {
        let base = Base::new("http://h/a/b/c?q#f").unwrap();
        let joiner = Joiner::new(&base).unwrap();
        let joins = |reference: &str, expected: &str| {
            let Join::Prefixed { prefix, skip } = joiner.join(reference.as_bytes()) else {
                panic!("{reference}");
            };
            assert_eq!(format!("{prefix}{}", &reference[skip..]), expected);
        };
        joins("d.html#e", "http://h/a/b/d.html#e");
        joins("d/e.html?f=g", "http://h/a/b/d/e.html?f=g");
        joins("/d", "http://h/d");
        joins("#d", "http://h/a/b/c?q#d");
        joins("../../d", "http://h/d");
        joins("../", "http://h/a/");
        joins("../../../../d", "http://h/../../d");
        assert_eq!(joiner.join(b"mailto:x"), Join::Absolute);
    }
}
