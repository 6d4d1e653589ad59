//! Anchors: the places in a page that a fragment can name.
//!
//! An anchor is the `id` of any element or the `name` of an `a` element. A fragment is looked up as
//! written, then percent-decoded; an empty one, or `top` in any case, is the top of the page
//! ([find a potential indicated element][find]). The text after `:~:`
//! ([fragment directive][directive]) names no element, and is not checked. Nor is a fragment that
//! begins with `/` or `!`, which a script of the page reads, or an [XPointer] expression.
//!
//! NOTE: a browser shows `#top` as the top only if no element has that id; for an audit it exists
//! either way.
//!
//! [find]: https://html.spec.whatwg.org/multipage/browsing-the-web.html#find-a-potential-indicated-element
//! [XPointer]: https://www.w3.org/TR/xptr-framework/
//! [directive]: https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::sync::atomic::AtomicBool;

use percent_encoding::percent_decode_str;

use crate::HashMap;

/// The anchors of a page, as hashes of eight bytes.
///
/// On a page with a thousand anchors, one missing fragment in 10^16 would pass as present.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Anchors {
    hashes: Box<[u64]>,
    /// Whether the page may have further anchors, so that no fragment is missing.
    has_unknown: bool,
}

/// Collects the anchors of a page; [`Self::finish`] starts the next page.
#[derive(Debug, Default)]
pub struct AnchorsOfPage {
    ids: HashMap<u64, IdUse>,
    names: Vec<u64>,
    has_unknown: bool,
}

/// The use of an id in a page.
#[derive(Debug, Clone, Copy, Default)]
struct IdUse {
    /// Whether several elements have the id.
    is_duplicate: bool,
    /// Whether a link after the first element with the id leads to it.
    is_linked: bool,
}

/// The hash of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct IdHash(u64);

impl IdHash {
    /// Returns the ids that a fragment may name: as written, and percent-decoded.
    pub(crate) fn from_fragment(anchor: &str) -> [Self; 2] {
        [Self(hash(anchor)), Self(hash(&percent_decode(anchor)))]
    }

    pub(crate) fn new(id: &str) -> Self {
        Self(hash(id))
    }
}

impl AnchorsOfPage {
    /// Adds the `id` of an element, unless it is empty; returns whether an earlier element has it.
    pub fn add_id(&mut self, id: &str) -> bool {
        if id.is_empty() {
            return false;
        }
        let count_before = self.ids.len();
        self.ids.entry(hash(id)).or_default();
        self.ids.len() == count_before
    }

    /// Marks an id as one that several elements have; returns whether it was not marked before.
    pub(crate) fn mark_duplicate(&mut self, id: &str) -> bool {
        let id_use = self.ids.entry(hash(id)).or_default();
        !std::mem::replace(&mut id_use.is_duplicate, true)
    }

    /// Records a link of the page to an id; returns whether an element before the link has the id.
    pub(crate) fn record_link(&mut self, id: &str) -> bool {
        let id_use = self.ids.get_mut(&hash(id));
        id_use.map(|id_use| id_use.is_linked = true).is_some()
    }

    /// Lists the ids that several elements of the page have, sorted, and for each whether a link of
    /// the page leads to it.
    pub(crate) fn list_duplicates(&self) -> Vec<(IdHash, AtomicBool)> {
        let repeated = self.ids.iter().filter(|(_, id_use)| id_use.is_duplicate);
        let repeated =
            repeated.map(|(id, id_use)| (IdHash(*id), AtomicBool::new(id_use.is_linked)));
        let mut repeated: Vec<_> = repeated.collect();
        repeated.sort_unstable_by_key(|(id, _)| *id);
        repeated
    }

    /// Adds the `name` of an `a` element, unless it is empty.
    pub fn add_name(&mut self, name: &str) {
        if !name.is_empty() {
            self.names.push(hash(name));
        }
    }

    /// Marks the anchors as incomplete, so that no fragment is missing.
    pub fn add_unknown(&mut self) {
        self.has_unknown = true;
    }

    /// Returns the anchors of the page, and starts the next page.
    #[must_use]
    pub fn finish(&mut self) -> Anchors {
        let mut anchors = std::mem::take(&mut self.names);
        anchors.extend(self.ids.drain().map(|(id, _)| id));
        anchors.sort_unstable();
        anchors.dedup();
        let has_unknown = std::mem::take(&mut self.has_unknown);
        Anchors { hashes: anchors.into(), has_unknown }
    }
}

/// The ranges of anchors that a fragment may name, as in source listings. A range exists if both
/// ends do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ranges {
    /// `#1-3`, as the pages of rustdoc have it.
    #[default]
    Numbers,
    /// `#1-3` and `#L1-L3`.
    Lines,
}

/// The parts of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment<'f> {
    /// The anchor as written; `None` for the top of the page, a route of a script, and a pointer.
    pub anchor: Option<&'f str>,
    /// The text after `:~:`.
    pub directive: Option<&'f str>,
}

impl<'f> Fragment<'f> {
    /// Parses the text after `#`.
    #[must_use]
    pub fn parse(fragment: &'f str) -> Self {
        let marker = memchr::memchr(b':', fragment.as_bytes());
        let (anchor, directive) = match marker.and_then(|_| fragment.split_once(":~:")) {
            Some((anchor, directive)) => (anchor, Some(directive)),
            None => (fragment, None),
        };
        let is_named_top = |anchor: &str| anchor.len() == 3 && anchor.eq_ignore_ascii_case("top");
        // Three letters with at least one of them percent-encoded have 5 to 9 bytes.
        let is_top = anchor.is_empty()
            || is_pointer(anchor)
            || is_named_top(anchor)
            || (matches!(anchor.len(), 5..=9) && is_named_top(&percent_decode(anchor)));
        let is_route = anchor.starts_with(['/', '!']);
        Self { anchor: (!is_top && !is_route).then_some(anchor), directive }
    }
}

impl Anchors {
    /// Whether the page has the anchor of a fragment; `fragment` is the text after `#`.
    #[must_use]
    pub fn has(&self, fragment: &str, ranges: Ranges) -> bool {
        Fragment::parse(fragment).anchor.is_none_or(|anchor| self.has_anchor(anchor, ranges))
    }

    /// Whether the page has an anchor, as written or percent-decoded.
    #[must_use]
    pub fn has_anchor(&self, anchor: &str, ranges: Ranges) -> bool {
        if self.has_unknown || self.contains(anchor) {
            return true;
        }
        let decoded = percent_decode(anchor);
        (matches!(decoded, Cow::Owned(_)) && self.contains(&decoded))
            || self.has_range(&decoded, ranges)
    }

    /// Returns the number of known anchors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether no anchors are known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    fn contains(&self, anchor: &str) -> bool {
        self.hashes.binary_search(&hash(anchor)).is_ok()
    }

    fn has_range(&self, range: &str, ranges: Ranges) -> bool {
        range.split_once('-').is_some_and(|(start, end)| {
            [start, end].into_iter().all(|line| is_line(line, ranges) && self.contains(line))
        })
    }
}

/// Whether a fragment of an XML document is an expression that selects elements
/// ([XPointer](https://www.w3.org/TR/xptr-framework/)).
fn is_pointer(anchor: &str) -> bool {
    let has_scheme = |scheme| anchor.strip_prefix(scheme).is_some_and(|rest| rest.ends_with(')'));
    // Documentation of programs has anchors such as `element()`.
    ["xpointer(", "xpath1(", "xmlns("].into_iter().any(has_scheme)
        || has_scheme("element(") && anchor.contains('/')
}

/// Whether an anchor is the number of a line, such as `3` or `L3`.
fn is_line(anchor: &str, ranges: Ranges) -> bool {
    let digits = match ranges {
        Ranges::Numbers => anchor,
        Ranges::Lines => anchor.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
    };
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Percent-decodes a fragment as [UTF-8][decode]; replacement characters stand for invalid bytes.
///
/// [decode]: https://encoding.spec.whatwg.org/#utf-8-decode-without-bom
fn percent_decode(fragment: &str) -> Cow<'_, str> {
    if memchr::memchr(b'%', fragment.as_bytes()).is_none() {
        return Cow::Borrowed(fragment);
    }
    percent_decode_str(fragment).decode_utf8_lossy()
}

/// Hashes an anchor with a fixed seed, so that the result is equal in every run.
fn hash(anchor: &str) -> u64 {
    foldhash::quality::FixedState::default().hash_one(anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(ids: &[&str]) -> Anchors {
        let mut page = AnchorsOfPage::default();
        for id in ids {
            page.add_id(id);
        }
        page.finish()
    }

    #[track_caller]
    fn assert_has(ids: &[&str], fragment: &str, expected: bool) {
        assert_eq!(anchors(ids).has(fragment, Ranges::Numbers), expected, "{fragment} of {ids:?}");
    }

    #[test]
    fn a_fragment_is_tried_as_written_and_decoded() {
        assert_has(&["a"], "a", true);
        assert_has(&["a"], "A", false);
        assert_has(&["a"], "", true);
        assert_has(&[], "top", true);
        assert_has(&[], "ToP", true);
        assert_has(&[], "%74op", true);
        assert_has(&[], "tops", false);
        assert_has(&["a b"], "a%20b", true);
        assert_has(&["a%20b"], "a%20b", true);
        assert_has(&["\u{e4}"], "%C3%A4", true);
        assert_has(&["\u{e4}"], "\u{e4}", true);
        assert_has(&["\u{e4}"], "%E4", false);
        assert_has(&["a%2"], "a%2", true);
        assert_has(&["%C3%A4"], "\u{e4}", false);
        assert_has(&["a+b"], "a+b", true);
        assert_has(&["a b"], "a+b", false);
    }

    #[test]
    fn a_directive_is_no_part_of_the_anchor() {
        assert_has(&[], ":~:text=x", true);
        assert_has(&["a"], "a:~:text=x", true);
        assert_has(&[], "a:~:text=x", false);
        assert_has(&[], ":~:text=a&text=b", true);
        assert_has(&[":~"], ":~", true);
    }

    #[test]
    fn a_script_reads_a_route() {
        assert_has(&[], "/pets/get", true);
        assert_has(&[], "!x", true);
        assert_has(&[], "/", true);
        assert_has(&[], "a/b", false);
        assert_has(&[], "a!", false);
    }

    #[test]
    fn a_pointer_is_no_name() {
        assert_has(&[], "xpointer(/a)", true);
        assert_has(&[], "xmlns(x=urn:x)xpointer(//x:a[1])", true);
        assert_has(&[], "element(/1/2)", true);
        assert_has(&[], "element(a/2)", true);
        assert_has(&[], "element()", false);
        assert_has(&[], "xpointer", false);
    }

    #[track_caller]
    fn assert_has_range(ids: &[&str], fragment: &str, expected: bool) {
        assert_eq!(anchors(ids).has(fragment, Ranges::Lines), expected, "{fragment} of {ids:?}");
    }

    #[test]
    fn a_range_needs_both_ends() {
        assert_has(&["1", "3"], "1-3", true);
        assert_has(&["1", "3"], "1%2d3", true);
        assert_has(&["1"], "1-3", false);
        assert_has(&["3"], "1-3", false);
        assert_has(&["L1", "L3"], "L1-L3", false);
        assert_has(&["1", "3"], "1-", false);
        assert_has(&["1", "2", "3"], "1-2-3", false);
        assert_has_range(&["1", "3"], "1-3", true);
        assert_has_range(&["L1", "L3"], "L1-L3", true);
        assert_has_range(&["1"], "1-3", false);
        assert_has_range(&["3"], "1-3", false);
        assert_has_range(&["a", "b"], "a-b", false);
        assert_has_range(&["1", "3"], "1-", false);
        assert_has_range(&["a-b"], "a-b", true);
    }

    #[test]
    fn an_id_counts_once_and_a_name_beside_it() {
        let mut page = AnchorsOfPage::default();
        assert_eq!(["a", "a", "", ""].map(|id| page.add_id(id)), [false, true, false, false]);
        page.add_name("a");
        page.add_name("b");
        page.add_name("b");
        page.add_name("");
        let anchors = page.finish();
        assert_eq!(anchors.len(), 2);
        assert!(anchors.has("b", Ranges::Numbers));
        assert!(!page.add_id("a"));
        assert!(Anchors::default().is_empty());
        page.add_unknown();
        assert!(page.finish().has("c", Ranges::Numbers));
        assert!(!page.finish().has("c", Ranges::Numbers));
    }
}
