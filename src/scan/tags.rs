//! Reads single tags again, and searches for what looks like one.

#[cfg(feature = "dom")]
use std::ops::Range;

use super::attributes::{Attributes, end_tag, every};
use super::bytes::name_end;
use super::events::Attribute;

/// The attributes of the start tag whose name begins at `name`, and where it ends.
pub(crate) fn attributes_of(source: &[u8], name: usize) -> (Vec<Attribute>, usize) {
    let mut attributes = Attributes::default();
    let end = attributes.read(source, name_end(source, name)).map_or(source.len(), |tag| tag.end);
    (attributes.list, end)
}

/// The end of the tag whose name begins at `name`; `None` if the source ends inside the tag.
pub(crate) fn tag_end(source: &[u8], name: usize) -> Option<usize> {
    end_tag(source, name_end(source, name))
}

#[cfg(feature = "dom")]
/// How many attributes a tag has as it is written, be it a start tag or not.
pub(crate) fn count_attributes(source: &[u8], tag: Range<usize>) -> usize {
    let slash = usize::from(source.get(tag.start + 1) == Some(&b'/'));
    let mut attributes = Attributes::default();
    let _ = attributes.read(&source[..tag.end], name_end(source, tag.start + 1 + slash));
    attributes.count
}

/// The attributes of the start tag whose name begins at `name`, also those that do not count
/// because another of the name goes before.
pub(crate) fn every_attribute_of(source: &[u8], name: usize) -> impl Iterator<Item = Attribute> {
    every(source, name_end(source, name))
}

/// Whether the start tag whose name ends at `name_end` has an `href`.
pub(super) fn has_href(source: &[u8], name_end: usize) -> bool {
    let mut attributes = Attributes::default();
    attributes.read(source, name_end).is_some()
        && attributes.list.iter().any(|one| source[one.name.clone()].eq_ignore_ascii_case(b"href"))
}

/// Whether a `script` element may be JSON with links, by its attributes as they are written: its `type`
/// begins as `importmap` and `speculationrules` do, or with a character reference.
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

/// Whether anything looks like a start tag of this name: a search costs much less than a scan.
pub(super) fn may_have_tag(source: &[u8], name: &[u8]) -> bool {
    memchr::memchr_iter(b'<', source).any(|at| {
        let found = source.get(at + 1..at + 1 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name))
    })
}
