//! Joining by prefix: most references of a page only need one in front of them.
//!
//! Resolving by RFC 1808 never touches the characters of the reference, so that
//! `b.html` against `http://h/a/` is a prefix away from its URL, and so are
//! `/b`, `#b` and `../b`. Where the prefix and the reference can be in an
//! attribute as they are, neither decoding nor escaping is needed. What is not
//! plainly so is left to the way that all references can go.

use std::cell::OnceCell;
use std::ops::Range;

use super::Base;
use super::rfc1808::{Components, Joined, scheme_end};
use crate::block::{BLOCK, Block, Matches};

/// What references are joined with, whose parts can be in any attribute as they are.
#[derive(Debug)]
pub(crate) struct Joiner<'b> {
    /// None: a reference without a scheme stays.
    base: Option<&'b Base>,
    prefixes: Prefixes<'b>,
}

/// How many `../` at the start of a reference have a prefix of their own.
const MAX_STEPS: usize = 8;

/// A reference with as many.
const STEPS: &str = "../../../../../../../../x";

/// What goes in front of most references, if it is a slice of the base; each is found when it is
/// first needed.
#[derive(Debug, Default)]
struct Prefixes<'b> {
    /// In front of `x`, and of what is after so many `../`.
    up: [OnceCell<Option<&'b str>>; MAX_STEPS + 1],
    /// In front of `/x`.
    root: OnceCell<Option<&'b str>>,
    /// In front of `#x`.
    fragment: OnceCell<Option<&'b str>>,
}

/// The result of joining.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Join<'j> {
    /// The reference has a scheme.
    Absolute,
    /// It has none, and there is no base.
    Unresolved,
    /// The URL is the prefix, and the reference without its first `skip` bytes.
    Prefixed { prefix: &'j str, skip: usize },
    /// Somebody has to look at it.
    Unsure,
}

/// What the bytes of a reference are, which decides how it is joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct Traits {
    /// White space, or what may begin a character reference: it is not joined.
    is_slow: bool,
    /// What may end a scheme, or is not ASCII: the components have to be found.
    is_parted: bool,
    /// A segment begins with a dot.
    has_dots: bool,
}

impl Traits {
    /// Reads what is in `span`, 16 bytes at a time: of 3 MB of `python3.11-doc` (`valgrind
    /// --tool=callgrind`) the links took 4.4 million instructions byte by byte, and take 3.3 so.
    #[inline]
    fn new(source: &[u8], span: Range<usize>) -> Self {
        let (mut slow, mut parted, mut dots) = (0, 0, 0);
        // A segment begins with the reference.
        let mut slashes = 1;
        let mut at = span.start;
        while at < span.end {
            let block = Block::at(source, at);
            let own = (1_u64 << (span.end - at).min(BLOCK)) - 1;
            let bits = |matches: Matches| u64::from(matches.bits()) & own;
            slow |= bits(block.at_most(b' ') | block.equal(b'&'));
            parted |= bits(block.equal(b':') | block.not_ascii());
            slashes |= bits(block.equal(b'/')) << 1;
            dots |= bits(block.equal(b'.')) & slashes;
            slashes >>= BLOCK;
            at += BLOCK;
        }
        Self { is_slow: slow != 0, is_parted: parted != 0, has_dots: dots != 0 }
    }
}

impl<'b> Joiner<'b> {
    /// Takes a base, if its parts can be in any attribute as they are.
    pub(crate) fn new(base: &'b Base) -> Option<Self> {
        let components = Components::parse(base.as_str());
        components.scheme?;
        components.net_loc.filter(|net_loc| !net_loc.is_empty())?;
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"&\"'<>`=".contains(&byte);
        let joiner = Self { base: Some(base), prefixes: Prefixes::default() };
        base.as_str().bytes().all(is_plain).then_some(joiner)
    }

    /// Joins with nothing.
    pub(crate) fn without_base() -> Self {
        Self { base: None, prefixes: Prefixes::default() }
    }

    /// Joins the reference that is in `span` of the source.
    #[inline]
    pub(crate) fn join<'j>(&'j self, source: &'j [u8], span: Range<usize>) -> Join<'j> {
        let reference = &source[span.clone()];
        let (mut rest, mut steps) = (reference, 0);
        while let Some(after) = rest.strip_prefix(b"../").filter(|_| steps < MAX_STEPS) {
            (rest, steps) = (after, steps + 1);
        }
        let Traits { is_slow, is_parted, has_dots } =
            Traits::new(source, span.end - rest.len()..span.end);
        if is_slow || reference.is_empty() {
            return Join::Unsure;
        }
        match self.base {
            _ if is_parted => {}
            None => return Join::Unresolved,
            Some(base) if !has_dots => {
                if let Some(prefix) = self.prefixes.before(base, rest, steps) {
                    return Join::Prefixed { prefix, skip: 3 * steps };
                }
            }
            Some(_) => {}
        }
        self.join_parts(reference)
    }

    /// Joins a reference by its components.
    fn join_parts<'j>(&'j self, reference: &'j [u8]) -> Join<'j> {
        let Ok(reference) = std::str::from_utf8(reference) else { return Join::Unsure };
        let Some(base) = self.base else {
            let is_absolute = scheme_end(reference).is_some();
            return if is_absolute { Join::Absolute } else { Join::Unresolved };
        };
        match base.join_rfc1808(reference) {
            Joined::Absolute => Join::Absolute,
            Joined::Slices(prefix, "", own) => {
                Join::Prefixed { prefix, skip: reference.len() - own.len() }
            }
            _ => Join::Unsure,
        }
    }
}

impl<'b> Prefixes<'b> {
    /// What goes in front of a reference after so many `../`: one without a colon in which no
    /// segment begins with a dot. Its path is only joined, and what is after that is its own, so
    /// that no component has to be found.
    #[inline]
    fn before(&self, base: &'b Base, reference: &[u8], steps: usize) -> Option<&'b str> {
        let (cell, sample, rest) = match reference {
            [] | [b'?' | b';', ..] | [b'/', b'/', ..] => return None,
            [b'#' | b'/', ..] if steps > 0 => return None,
            [b'#', ..] => (&self.fragment, "#x", "#x"),
            [b'/', ..] => (&self.root, "/x", "/x"),
            _ => (&self.up[steps], &STEPS[3 * (MAX_STEPS - steps)..], "x"),
        };
        *cell.get_or_init(|| match base.join_rfc1808(sample) {
            Joined::Slices(prefix, "", own) if own == rest => Some(prefix),
            _ => None,
        })
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

    fn join<'j>(joiner: &'j Joiner<'_>, reference: &'j str) -> Join<'j> {
        joiner.join(reference.as_bytes(), 0..reference.len())
    }

    /// The same byte by byte.
    fn traits(reference: &[u8]) -> Traits {
        let begins_segment = |at: usize| at == 0 || reference[at - 1] == b'/';
        Traits {
            is_slow: reference.iter().any(|&byte| byte <= b' ' || byte == b'&'),
            is_parted: reference.iter().any(|&byte| byte == b':' || byte >= 0x80),
            has_dots: (0..reference.len()).any(|at| reference[at] == b'.' && begins_segment(at)),
        }
    }

    #[test]
    fn the_traits_are_those_of_the_bytes_in_the_span_alone() {
        for byte in [b"x", b"&", b":", b".", b"/", b" ", b"\xE9"] {
            for (place, length) in (0..40).flat_map(|place| (0..40).map(move |end| (place, end))) {
                let mut source = [b'y'; 64];
                source[11 + place] = byte[0];
                for before in [b'y', b'/'] {
                    source[10 + place] = before;
                    let span = 11..11 + length;
                    let expected = traits(&source[span.clone()]);
                    assert_eq!(Traits::new(&source, span.clone()), expected, "{byte:?} {span:?}");
                    // Nothing is after it.
                    let source = &source[..span.end];
                    assert_eq!(Traits::new(source, span.clone()), expected, "{byte:?} {span:?}");
                }
            }
        }
    }

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
                match join(&prefixes, reference) {
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
                    Join::Unresolved => panic!("{base} {reference}"),
                    Join::Unsure => {}
                }
            }
        }
        for reference in &references {
            let resolution = Standard::Rfc1808.resolve(None, reference).unwrap();
            match join(&Joiner::without_base(), reference) {
                Join::Absolute => assert!(matches!(resolution, Resolution::Absolute(_))),
                Join::Unresolved => assert_eq!(resolution, Resolution::Unresolved, "{reference}"),
                Join::Prefixed { .. } => panic!("{reference}"),
                Join::Unsure => {}
            }
        }
        assert!(joined > 10_000, "{joined}");
    }

    #[test]
    fn the_references_of_pages_are_joined() {
        let base = Base::new("http://h/a/b/c?q#f").unwrap();
        let joiner = Joiner::new(&base).unwrap();
        let joins = |reference: &str, expected: &str| {
            let Join::Prefixed { prefix, skip } = join(&joiner, reference) else {
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
        joins("../d/", "http://h/a/d/");
        joins("../#d", "http://h/a/#d");
        assert_eq!(join(&joiner, "mailto:x"), Join::Absolute);
    }
}
