//! Indexes the attribute names that a scan looks for, to compare most names with at most one other.

use std::borrow::Cow;

use crate::attributes::Selection;
use crate::link::MARKERS;

/// The index of an attribute name in [`Interest`], or a constant for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameId(u16);

impl NameId {
    /// The text of a `style` element that is a single piece of raw text.
    pub(crate) const TEXT: Self = Self(u16::MAX);
    /// Any other text of a `style` element.
    pub(crate) const PIECES: Self = Self(u16::MAX - 1);
    /// The text of a `script` element that may be JSON, and is a single piece of raw text.
    pub(crate) const JSON: Self = Self(u16::MAX - 2);
    /// Any other text of a `script` element that may be JSON.
    pub(crate) const JSON_PIECES: Self = Self(u16::MAX - 3);
    /// Maximum number of names.
    const MAX_NAMES: usize = Self::JSON_PIECES.0 as usize;
}

/// The meaning of an attribute apart from links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    /// The value is an anchor.
    Id,
    /// The value is an anchor if the element is an `a`.
    Name,
    /// The element refers to an image map of the page.
    UseMap,
    /// The element and its content stay unchanged.
    Marker,
    /// A `meta` element with this attribute may declare the encoding.
    Encoding,
}

/// The index of the attribute names that a scan looks for, a hash table.
///
/// The names in a slot have the same length and the same first letter. Most slots have at most one
/// name, so a lookup rarely compares more.
#[derive(Debug, Clone)]
pub(crate) struct Interest {
    names: Vec<IndexedName>,
    /// By [`slot_index`]: the index of the first name plus one; 0 if there is no name.
    slots: Box<[u16; SLOT_COUNT]>,
    /// By index of a name: whether it alone makes an attribute of HTML a plain link.
    plain: Vec<bool>,
    has_styles: bool,
    /// The number of markers. These are the first names, so a comparison recognizes them.
    marker_count: u16,
}

#[derive(Debug, Clone)]
struct IndexedName {
    /// The name in lower case.
    text: String,
    fact: Option<Fact>,
    is_link: bool,
    /// The index of the next name in the same slot plus one; 0 for the last name.
    next: u16,
}

/// The names in every index: absolve's own marker, and the names that declare the encoding.
const FACTS: [(&str, Fact); 4] = [
    (MARKERS[0], Fact::Marker),
    ("charset", Fact::Encoding),
    ("http-equiv", Fact::Encoding),
    ("content", Fact::Encoding),
];

/// The number of slots: five bits of the length, and five of the first letter.
const SLOT_COUNT: usize = 1024;

/// Returns the slot of the names with this length and first letter.
fn slot_index(length: usize, first: u8) -> usize {
    ((length & 31) << 5) | usize::from(first & 31)
}

impl Interest {
    /// Indexes the names that a selection may need, those that declare the encoding, and absolve's
    /// own marker.
    pub(crate) fn new(selection: &Selection) -> Self {
        Self::index(selection, &FACTS)
    }

    /// Indexes the names of [`Interest::new`], those of anchors, `usemap`, and the other marker.
    pub(crate) fn with_facts(selection: &Selection) -> Self {
        let others = [("id", Fact::Id), ("name", Fact::Name), ("usemap", Fact::UseMap)];
        Self::index(selection, &[&[(MARKERS[1], Fact::Marker)], &FACTS[..], &others].concat())
    }

    fn index(selection: &Selection, facts: &[(&'static str, Fact)]) -> Self {
        let mut interest = Self {
            names: Vec::new(),
            slots: Box::new([0; SLOT_COUNT]),
            plain: Vec::new(),
            has_styles: selection.has_styles(),
            marker_count: 0,
        };
        let links = selection.names();
        let is_fact = |text: &str| facts.iter().any(|(name, _)| *name == text);
        let facts_first = facts.iter().map(|(name, _)| Cow::Borrowed(*name));
        let names = facts_first.chain(links.iter().filter(|name| !is_fact(name)).cloned());
        // Drops names beyond the maximum silently: no command line is long enough for so many.
        for text in names.take(NameId::MAX_NAMES) {
            let first = text.as_bytes().first().copied().unwrap_or_default();
            let slot = slot_index(text.len(), first);
            let next = interest.slots[slot];
            interest.plain.push(matches!(&*text, "href" | "src") && selection.is_plain(&text));
            let fact = facts.iter().find(|(name, _)| *name == text).map(|(_, fact)| *fact);
            interest.marker_count += u16::from(fact == Some(Fact::Marker));
            let is_link = links.contains(&text);
            interest.names.push(IndexedName { text: text.into_owned(), fact, is_link, next });
            interest.slots[slot] = u16::try_from(interest.names.len()).unwrap_or_default();
        }
        interest
    }

    /// Looks up a name as written, in any case.
    #[inline]
    pub(crate) fn find(&self, name: &[u8]) -> Option<NameId> {
        let mut next = self.slots[slot_index(name.len(), *name.first()?) % SLOT_COUNT];
        while let Some(index) = next.checked_sub(1) {
            let candidate = &self.names[usize::from(index)];
            let text = candidate.text.as_bytes();
            let is_same = |(known, written): (&u8, &u8)| *known == written.to_ascii_lowercase();
            if text.len() == name.len() && text.iter().zip(name).all(is_same) {
                return Some(NameId(index));
            }
            next = candidate.next;
        }
        None
    }

    /// Returns an attribute name in lower case; the empty string for a text.
    pub(crate) fn name(&self, id: NameId) -> &str {
        self.names.get(usize::from(id.0)).map_or("", |name| &name.text)
    }

    /// Whether the index includes the names of [`Interest::with_facts`].
    pub(crate) fn has_facts(&self) -> bool {
        self.names.iter().any(|name| name.fact == Some(Fact::Id))
    }

    /// Returns the meaning of an attribute of this name apart from links.
    #[inline]
    pub(crate) fn fact(&self, id: NameId) -> Option<Fact> {
        self.names.get(usize::from(id.0)).and_then(|name| name.fact)
    }

    #[inline]
    pub(crate) fn is_marker(&self, id: NameId) -> bool {
        id.0 < self.marker_count
    }

    /// Whether an attribute of this name may hold links. `true` for every text.
    pub(crate) fn is_link(&self, id: NameId) -> bool {
        self.names.get(usize::from(id.0)).is_none_or(|name| name.is_link)
    }

    /// Whether the text of `style` elements may hold links that the selection includes.
    pub(crate) fn has_styles(&self) -> bool {
        self.has_styles
    }

    /// Whether an attribute of this name is a single URL without special rules on HTML elements
    /// other than `base`.
    #[inline]
    pub(crate) fn is_plain(&self, id: NameId) -> bool {
        self.plain.get(usize::from(id.0)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_selection_is_found_in_any_case() {
        let selection = Selection::default();
        let interest = Interest::new(&selection);
        for name in selection.names() {
            let id = interest.find(name.to_ascii_uppercase().as_bytes());
            assert_eq!(id.map(|id| interest.name(id)), Some(&*name));
        }
        for name in ["", "hre", "class", "hrefx", "srd", "id"] {
            assert_eq!(interest.find(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn href_and_src_are_plain_unless_the_user_says_otherwise() {
        let mut selection = Selection::default();
        let is_plain = |selection: &Selection, name: &str| {
            let interest = Interest::new(selection);
            interest.find(name.as_bytes()).is_some_and(|id| interest.is_plain(id))
        };
        assert!(is_plain(&selection, "href") && is_plain(&selection, "src"));
        assert!(!is_plain(&selection, "srcset"));
        selection.add("a:href=srcset".parse().unwrap());
        assert!(!is_plain(&selection, "href"));
    }
}
