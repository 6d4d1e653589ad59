//! Reads single tags again: their attributes, and where in the tree they are.

use std::ops::ControlFlow;
#[cfg(feature = "dom")]
use std::ops::Range;

use super::attributes::{Attributes, end_tag, every};
use super::bytes::name_end;
use super::candidates::offset;
use super::events::{Attribute, Placement, Sink, StartTag};
use super::exact;

/// Where the `base` elements are whose tags begin at these places, in order.
pub(crate) fn places_of(source: &[u8], tags: &[u32]) -> Vec<Placement> {
    struct Find<'t> {
        tags: &'t [u32],
        places: Vec<Placement>,
    }
    impl Sink for Find<'_> {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            let Some(next) = self.tags.get(self.places.len()) else {
                return ControlFlow::Break(());
            };
            if offset(tag.span.start) == *next {
                self.places.push(tag.place);
            }
            ControlFlow::Continue(())
        }
    }
    let mut find = Find { tags, places: Vec::with_capacity(tags.len()) };
    let _ = exact::scan(source, &mut find);
    find.places
}

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
