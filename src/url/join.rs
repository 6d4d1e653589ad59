//! Resolves most references of a page by inserting a prefix.
//!
//! Resolving by RFC 1808 never changes the characters of a reference: `b.html` against
//! `http://h/a/` only lacks a prefix, and so do `/b`, `#b` and `../b`. If an attribute can hold the
//! prefix and the reference unchanged, neither decoding nor escaping is needed. The URL Standard
//! keeps most characters too, and its resolver provides the prefixes. References for which this is
//! not certain take the slow path, which handles all of them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::rfc1808::{Components, Joined, scheme_end};
use super::{Base, Resolution, Standard};
use crate::block::{BLOCK, Block, Matches};

/// Joins references with a base whose parts any attribute can hold unchanged.
#[derive(Debug)]
pub(crate) struct Joiner<'b> {
    /// `None` leaves references without a scheme unresolved.
    base: Option<&'b Base>,
    standard: Standard,
    prefixes: Prefixes<'b>,
}

/// The maximum number of `../` at the start of a reference that have their own prefix.
const MAX_STEPS: usize = 8;

/// `MAX_STEPS` times `../`, then `x`.
const STEPS: &str = "../../../../../../../../x";

/// The prefixes of most references, each computed on its first use; for RFC 1808 a slice of the
/// base.
#[derive(Debug, Default)]
struct Prefixes<'b> {
    /// The prefix of `x` after a number of `../`, which is the index.
    up: [OnceCell<Option<Cow<'b, str>>>; MAX_STEPS + 1],
    /// The prefix of `/x`.
    root: OnceCell<Option<Cow<'b, str>>>,
    /// The prefix of `#x`.
    fragment: OnceCell<Option<Cow<'b, str>>>,
}

/// The way to the URL of a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum JoinResult<'j> {
    /// The reference has a scheme.
    Absolute,
    /// The reference has no scheme, and there is no base.
    Unresolved,
    /// The URL consists of the prefix, and the reference without its first `skip` bytes.
    Prefixed { prefix: &'j str, skip: usize },
    /// The slow path has to decide.
    Unsure,
}

/// Properties of the bytes of a reference that decide how it is joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct ReferenceTraits {
    /// White space, or the possible start of a character reference: the reference is not joined.
    needs_decoding: bool,
    /// The possible end of a scheme, or a byte beyond ASCII: the components have to be found.
    needs_components: bool,
    /// A segment begins with a dot.
    has_dots: bool,
}

impl ReferenceTraits {
    /// Reads the bytes in `span`, 16 at a time.
    #[inline]
    fn new(source: &[u8], span: Range<usize>) -> Self {
        let (mut decode, mut split, mut dots) = (0, 0, 0);
        // The reference begins with a segment, as if a slash preceded it.
        let mut slashes = 1;
        let mut read = |block: Block, in_span: u32| {
            let bits = |matches: Matches| matches.bits() & in_span;
            decode |= bits(block.at_most(b' ') | block.equal(b'&'));
            split |= bits(block.equal(b':') | block.not_ascii());
            slashes |= bits(block.equal(b'/')) << 1;
            dots |= bits(block.equal(b'.')) & slashes;
            slashes >>= BLOCK;
        };
        let (blocks, rest) = source[span.clone()].as_chunks();
        for block in blocks {
            read(Block::new(block), u32::MAX);
        }
        if !rest.is_empty() {
            read(Block::load(source, span.end - rest.len()), (1 << rest.len()) - 1);
        }
        Self { needs_decoding: decode != 0, needs_components: split != 0, has_dots: dots != 0 }
    }
}

/// Whether an attribute can hold this text before its value, with any quotes.
fn is_plain(prefix: &str) -> bool {
    prefix.bytes().all(|byte| byte.is_ascii_graphic() && !b"&\"'<>`=".contains(&byte))
}

/// Whether the URL Standard keeps a byte unchanged in every part of a URL that may contain it.
fn is_kept(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~/?#=;,+!*()$@".contains(&byte)
}

impl<'b> Joiner<'b> {
    /// Creates a joiner, if any attribute can hold the parts of the base unchanged; without a base,
    /// references stay unchanged. `None` for RFC 3986, and for file: URLs by the URL Standard.
    pub(crate) fn new(base: Option<&'b Base>, standard: Standard) -> Option<Self> {
        match standard {
            Standard::Rfc1808 => {}
            #[cfg(feature = "rfc3986")]
            Standard::Rfc3986 => return None,
            Standard::Whatwg => {
                let scheme = base.map_or(Some("http"), |base| Some(base.whatwg()?.scheme()))?;
                ["http", "https"].contains(&scheme).then_some(())?;
            }
        }
        if let Some(base) = base {
            let components = Components::parse(base.as_str());
            components.scheme?;
            components.net_loc.filter(|net_loc| !net_loc.is_empty())?;
            is_plain(base.as_str()).then_some(())?;
        }
        Some(Self { base, standard, prefixes: Prefixes::default() })
    }

    /// Joins the reference in `span` of the source.
    #[inline]
    pub(crate) fn join<'j>(&'j self, source: &'j [u8], span: Range<usize>) -> JoinResult<'j> {
        let reference = &source[span.clone()];
        let (mut rest, mut steps) = (reference, 0);
        while let Some(after) = rest.strip_prefix(b"../").filter(|_| steps < MAX_STEPS) {
            (rest, steps) = (after, steps + 1);
        }
        let ReferenceTraits { needs_decoding, needs_components, has_dots } =
            ReferenceTraits::new(source, span.end - rest.len()..span.end);
        let is_rfc1808 = self.standard == Standard::Rfc1808;
        let is_changed = || !is_rfc1808 && !reference.iter().all(|&byte| is_kept(byte));
        if needs_decoding || reference.is_empty() || is_changed() {
            return JoinResult::Unsure;
        }
        match self.base {
            _ if needs_components => {}
            None => return JoinResult::Unresolved,
            Some(base) if !has_dots => {
                let prefix = self.prefixes.find(base, self.standard, rest, steps);
                if let Some(prefix) = prefix {
                    return JoinResult::Prefixed { prefix, skip: 3 * steps };
                }
            }
            Some(_) => {}
        }
        if is_rfc1808 { self.join_parts(reference) } else { JoinResult::Unsure }
    }

    /// Joins a reference by its components.
    fn join_parts<'j>(&'j self, reference: &'j [u8]) -> JoinResult<'j> {
        let Ok(reference) = std::str::from_utf8(reference) else { return JoinResult::Unsure };
        let Some(base) = self.base else {
            let is_absolute = scheme_end(reference).is_some();
            return if is_absolute { JoinResult::Absolute } else { JoinResult::Unresolved };
        };
        match base.join_rfc1808(reference) {
            Joined::Absolute => JoinResult::Absolute,
            Joined::Slices(prefix, "", tail) => {
                JoinResult::Prefixed { prefix, skip: reference.len() - tail.len() }
            }
            _ => JoinResult::Unsure,
        }
    }
}

impl<'b> Prefixes<'b> {
    /// The prefix of a reference after `steps` times `../`, if the reference has no colon and no
    /// segment that begins with a dot. The base and such a path are only concatenated, and the rest
    /// stays unchanged, so no component has to be found.
    #[inline]
    fn find(
        &self,
        base: &'b Base,
        standard: Standard,
        reference: &[u8],
        steps: usize,
    ) -> Option<&str> {
        let (cell, sample, rest) = match reference {
            [] | [b'?' | b';', ..] | [b'/', b'/', ..] => return None,
            [b'#' | b'/', ..] if steps > 0 => return None,
            [b'#', ..] => (&self.fragment, "#x", "#x"),
            [b'/', ..] => (&self.root, "/x", "/x"),
            _ => (&self.up[steps], &STEPS[3 * (MAX_STEPS - steps)..], "x"),
        };
        let prefix = cell.get_or_init(|| {
            if standard == Standard::Rfc1808 {
                return match base.join_rfc1808(sample) {
                    Joined::Slices(prefix, "", tail) if tail == rest => Some(Cow::Borrowed(prefix)),
                    _ => None,
                };
            }
            let Ok(Resolution::Resolved(url)) = standard.resolve(Some(base), sample) else {
                return None;
            };
            url.strip_suffix(rest)
                .filter(|prefix| is_plain(prefix))
                .map(|prefix| prefix.to_owned().into())
        });
        prefix.as_deref()
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

    fn join<'j>(joiner: &'j Joiner<'_>, reference: &'j str) -> JoinResult<'j> {
        joiner.join(reference.as_bytes(), 0..reference.len())
    }

    /// Reads the traits byte by byte.
    fn read_traits(reference: &[u8]) -> ReferenceTraits {
        let begins_segment = |at: usize| at == 0 || reference[at - 1] == b'/';
        ReferenceTraits {
            needs_decoding: reference.iter().any(|&byte| byte <= b' ' || byte == b'&'),
            needs_components: reference.iter().any(|&byte| byte == b':' || byte >= 0x80),
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
                    let expected = read_traits(&source[span.clone()]);
                    // The span ends inside the source, and with it.
                    for source in [&source[..], &source[..span.end]] {
                        let traits = ReferenceTraits::new(source, span.clone());
                        assert_eq!(traits, expected, "{byte:?} {span:?}");
                    }
                }
            }
        }
    }

    /// Every joined reference equals the result of the resolver.
    #[test]
    fn a_prefix_is_what_the_resolver_puts_in_front() {
        let joined = check_joining(Standard::Rfc1808, 4);
        assert!(joined > 10_000, "{joined}");
    }

    #[test]
    fn a_prefix_is_what_the_url_standard_puts_in_front() {
        let joined = check_joining(Standard::Whatwg, 3);
        assert!(joined > 1_000, "{joined}");
    }

    /// Asserts for all references of at most `atoms` atoms that joining and resolving give the same
    /// URL; returns how many are joined.
    fn check_joining(standard: Standard, atoms: usize) -> usize {
        const ATOMS: &[&str] = &[
            "/", ".", "..", "../", "a", "b.c", ";", "?", "#", ":", "x:", " ", "\u{e9}", "%2e", "'",
        ];
        let mut references = vec![String::new()];
        let mut start = 0;
        for _ in 0..atoms {
            let end = references.len();
            for index in start..end {
                references.extend(
                    ATOMS.iter().map(|atom| references[index].clone() + atom).collect::<Vec<_>>(),
                );
            }
            start = end;
        }
        let mut count = 0;
        for base in BASES {
            let base = Base::new(base).unwrap();
            let Some(joiner) = Joiner::new(Some(&base), standard) else { continue };
            for reference in &references {
                // References that the standard refuses must not be joined.
                let resolution = standard.resolve(Some(&base), reference);
                let resolution = resolution.unwrap_or(Resolution::Unresolved);
                match join(&joiner, reference) {
                    JoinResult::Absolute => {
                        assert!(
                            matches!(resolution, Resolution::Absolute(_)),
                            "{base} {reference}"
                        );
                    }
                    JoinResult::Prefixed { prefix, skip } => {
                        let url = format!("{prefix}{}", &reference[skip..]);
                        assert_eq!(resolution, Resolution::Resolved(url), "{base} {reference}");
                        count += 1;
                    }
                    JoinResult::Unresolved => panic!("{base} {reference}"),
                    JoinResult::Unsure => {}
                }
            }
        }
        for reference in &references {
            let resolution = standard.resolve(None, reference);
            let resolution = resolution.unwrap_or(Resolution::Absolute("".into()));
            match join(&Joiner::new(None, standard).unwrap(), reference) {
                JoinResult::Absolute => assert!(matches!(resolution, Resolution::Absolute(_))),
                JoinResult::Unresolved => {
                    assert_eq!(resolution, Resolution::Unresolved, "{reference}");
                }
                JoinResult::Prefixed { .. } => panic!("{reference}"),
                JoinResult::Unsure => {}
            }
        }
        count
    }

    #[test]
    fn the_references_of_pages_are_joined() {
        let base = Base::new("http://h/a/b/c?q#f").unwrap();
        let joiner = Joiner::new(Some(&base), Standard::Rfc1808).unwrap();
        let joins = |reference: &str, expected: &str| {
            let JoinResult::Prefixed { prefix, skip } = join(&joiner, reference) else {
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
        assert_eq!(join(&joiner, "mailto:x"), JoinResult::Absolute);
    }
}
