//! Reads tags: their attributes as spans, and their ends.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#before-attribute-name-state> and following.
//! Names and values may contain NUL, like any other byte.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::bytes::{ATTRIBUTE_END, VALUE_END, find, find_byte, name_end, skip_space};
use super::{Attribute, Quote};

/// The end of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TagEnd {
    /// The offset after the `>`.
    pub(super) end: usize,
    /// Whether `/` is right before the `>`.
    pub(super) self_closing: bool,
}

/// The attributes of the tag that was read last.
#[derive(Default)]
pub(super) struct Attributes {
    pub(super) list: Vec<Attribute>,
    /// The number of attributes as written, including duplicates.
    pub(super) count: usize,
}

/// A name is compared with each earlier one up to this number of attributes, and by hash after it.
const FEW: usize = 24;

impl Attributes {
    /// Reads the attributes after a tag name, up to the end of the tag; `None` if the source ends
    /// before that.
    pub(super) fn read(&mut self, source: &[u8], mut at: usize) -> Option<TagEnd> {
        self.list.clear();
        self.count = 0;
        let mut many = None;
        loop {
            match read_part(source, &mut at)? {
                TagPart::End(end) => return Some(end),
                TagPart::Attribute(attribute) => self.add(source, attribute, &mut many),
            }
        }
    }

    /// Adds an attribute, unless the list has one with the same name.
    #[inline]
    fn add<'s>(
        &mut self,
        source: &'s [u8],
        attribute: Attribute,
        many: &mut Option<HashSet<AnyCase<'s>>>,
    ) {
        self.count += 1;
        let name = &source[attribute.name.clone()];
        let is_new = if self.list.len() < FEW {
            !self.list.iter().any(|other| {
                other.name.len() == name.len()
                    && source[other.name.clone()].eq_ignore_ascii_case(name)
            })
        } else {
            many.get_or_insert_with(|| {
                self.list.iter().map(|other| AnyCase(&source[other.name.clone()])).collect()
            })
            .insert(AnyCase(name))
        };
        if is_new {
            self.list.push(attribute);
        }
    }
}

/// A parsed part of a tag after its name.
enum TagPart {
    Attribute(Attribute),
    End(TagEnd),
}

/// Reads the next part of a tag and advances `at` past it; `None` if the tag is unfinished.
#[inline]
fn read_part(source: &[u8], at: &mut usize) -> Option<TagPart> {
    loop {
        *at = skip_space(source, *at);
        match *source.get(*at)? {
            b'>' => return Some(TagPart::End(TagEnd { end: *at + 1, self_closing: false })),
            b'/' if source.get(*at + 1) == Some(&b'>') => {
                return Some(TagPart::End(TagEnd { end: *at + 2, self_closing: true }));
            }
            b'/' => *at += 1,
            _ => {
                let attribute = read_attribute(source, *at)?;
                *at = attribute.value.end + usize::from(attribute.quote.is_mark());
                return Some(TagPart::Attribute(attribute));
            }
        }
    }
}

/// Reads the attribute whose name begins at `start`; a first `=` belongs to the name.
#[inline]
fn read_attribute(source: &[u8], start: usize) -> Option<Attribute> {
    let name = start..find(source, start + 1, ATTRIBUTE_END)?;
    let (value, quote) = read_value(source, name.end)?;
    Some(Attribute { name, value, quote })
}

/// Reads the value of the attribute whose name ends at `name_end`, and its quotes.
#[inline(never)]
pub(super) fn read_value(source: &[u8], name_end: usize) -> Option<(Range<usize>, Quote)> {
    let equals = skip_space(source, name_end);
    if *source.get(equals)? != b'=' {
        return Some((name_end..name_end, Quote::Absent));
    }
    let start = skip_space(source, equals + 1);
    let (start, quote) = match *source.get(start)? {
        b'"' => (start + 1, Quote::Double),
        b'\'' => (start + 1, Quote::Single),
        _ => (start, Quote::Unquoted),
    };
    let end = match quote {
        Quote::Double => find_byte(source, start, b'"')?,
        Quote::Single => find_byte(source, start, b'\'')?,
        _ => find(source, start, VALUE_END).unwrap_or(source.len()),
    };
    Some((start..end, quote))
}

/// Iterates over the attributes after a tag name, including those with repeated names.
pub(super) fn iterate(source: &[u8], mut at: usize) -> impl Iterator<Item = Attribute> {
    std::iter::from_fn(move || match read_part(source, &mut at)? {
        TagPart::End(_) => None,
        TagPart::Attribute(attribute) => Some(attribute),
    })
}

/// Finds the end of an end tag without collecting its attributes.
pub(super) fn find_tag_end(source: &[u8], mut at: usize) -> Option<usize> {
    loop {
        if let TagPart::End(end) = read_part(source, &mut at)? {
            return Some(end.end);
        }
    }
}

/// A name that compares ASCII case-insensitively.
///
/// NOTE: a parser turns NUL into U+FFFD, so that names with either are equal; here they differ.
#[derive(Clone, Copy)]
struct AnyCase<'s>(&'s [u8]);

impl PartialEq for AnyCase<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Eq for AnyCase<'_> {}

impl Hash for AnyCase<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut block = [0; 32];
        for part in self.0.chunks(block.len()) {
            let block = &mut block[..part.len()];
            block.copy_from_slice(part);
            block.make_ascii_lowercase();
            state.write(block);
        }
    }
}

/// Reads the attributes of the start tag whose name begins at `name`, and the end of the tag.
pub(crate) fn read_attributes(source: &[u8], name: usize) -> (Vec<Attribute>, usize) {
    let mut attributes = Attributes::default();
    let end = attributes.read(source, name_end(source, name)).map_or(source.len(), |tag| tag.end);
    (attributes.list, end)
}

/// Finds the end of the tag whose name begins at `name`; `None` if the source ends inside the tag.
pub(crate) fn tag_end(source: &[u8], name: usize) -> Option<usize> {
    find_tag_end(source, name_end(source, name))
}

/// Counts the attributes of a start tag, an end tag or an unfinished tag, including duplicates.
pub(crate) fn count_attributes(source: &[u8], tag: Range<usize>) -> usize {
    let slash = usize::from(source.get(tag.start + 1) == Some(&b'/'));
    let mut attributes = Attributes::default();
    let _ = attributes.read(&source[..tag.end], name_end(source, tag.start + 1 + slash));
    attributes.count
}

/// Iterates over the attributes of the start tag whose name begins at `name`, including repeated
/// names, of which a parser keeps only the first.
pub(crate) fn iterate_attributes(source: &[u8], name: usize) -> impl Iterator<Item = Attribute> {
    iterate(source, name_end(source, name))
}

/// Whether the start tag whose name ends at `name_end` has an `href`.
pub(super) fn has_href(source: &[u8], name_end: usize) -> bool {
    let mut attributes = Attributes::default();
    attributes.read(source, name_end).is_some()
        && attributes.list.iter().any(|one| source[one.name.clone()].eq_ignore_ascii_case(b"href"))
}

/// Whether a `script` element with these attributes, as written, may be JSON with links: its `type`
/// has the first letter of `importmap` or `speculationrules`, or begins with a character reference.
pub(super) fn may_be_json(attributes: &[u8]) -> bool {
    memchr::memchr_iter(b'=', attributes).any(|at| {
        let name = attributes[..at].trim_ascii_end();
        let mut value = attributes[at + 1..].trim_ascii_start();
        if let [b'"' | b'\'', rest @ ..] = value {
            value = rest;
        }
        name.len() > 4
            && name[name.len() - 4..].eq_ignore_ascii_case(b"type")
            && matches!(value, [b'i' | b'I' | b's' | b'S' | b'&', ..])
    })
}

/// Whether the source may have a start tag whose name begins with `name`. The search costs much
/// less than a scan, but also finds such text in comments and scripts.
pub(super) fn may_have_tag(source: &[u8], name: &[u8]) -> bool {
    memchr::memchr_iter(b'<', source).any(|at| {
        let found = source.get(at + 1..at + 1 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: name, quote mark (`.` unquoted, `-` none) and value of each attribute.
    #[track_caller]
    fn reads(text: &str, expected: &[(&str, char, &str)], rest: Option<&str>) {
        let source = text.as_bytes();
        let mut attributes = Attributes::default();
        let end = attributes.read(source, 0);
        assert_eq!(end.map(|tag| &text[tag.end..]), rest, "{text}");
        assert_eq!(find_tag_end(source, 0), end.map(|tag| tag.end), "{text}");
        let quote = |quote| match quote {
            Quote::Double => '"',
            Quote::Single => '\'',
            Quote::Unquoted => '.',
            Quote::Absent => '-',
        };
        let found: Vec<_> = attributes
            .list
            .iter()
            .map(|one| (&text[one.name.clone()], quote(one.quote), &text[one.value.clone()]))
            .collect();
        if end.is_some() {
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn spans() {
        reads(">x", &[], Some("x"));
        reads(" a=b>", &[("a", '.', "b")], Some(""));
        reads(" a=b/>", &[("a", '.', "b/")], Some(""));
        reads(" a = 'b' c>", &[("a", '\'', "b"), ("c", '-', "")], Some(""));
        reads("/a=\"b\"c=d>", &[("a", '"', "b"), ("c", '.', "d")], Some(""));
        reads(" =a=b>", &[("=a", '.', "b")], Some(""));
        reads(" a=>b", &[("a", '.', "")], Some("b"));
        reads(" a\n=\r\n\x0Cb\tc/ />", &[("a", '.', "b"), ("c", '-', "")], Some(""));
        reads(" a=1 A=2 b A>", &[("a", '.', "1"), ("b", '-', "")], Some(""));
        reads(" a='>'>", &[("a", '\'', ">")], Some(""));
        reads(" a\"<='x'>", &[("a\"<", '\'', "x")], Some(""));
    }

    #[test]
    fn unfinished_tags_have_no_end() {
        for text in ["", " ", " a", " a=", " a='b", " a=\"b", " a=b", "/", " a=b "] {
            reads(text, &[], None);
        }
    }

    #[test]
    fn duplicates_among_many() {
        let names: Vec<String> = (0..100).map(|n| format!(" a{}=x", n % 50)).collect();
        let text = names.concat();
        let mut attributes = Attributes::default();
        assert!(attributes.read(format!("{text} A7=y>").as_bytes(), 0).is_some());
        assert_eq!((attributes.list.len(), attributes.count), (50, 101));
    }
}
