//! The items of feeds, and their links, which the HTML in them may be relative to.

use super::candidates::{Item, ItemLink, Prefix, XmlCandidates, XmlContent, XmlPlace, narrow};
use super::scanner::{Open, Scanner};
use super::tag::XmlAttribute;
use crate::attributes::{Namespace, PERMALINK};
use crate::scan::candidates::offset;

impl XmlCandidates {
    /// The number of the item that the element at a place is in; none has another inside.
    pub(crate) fn item(&self, element: u32) -> Option<usize> {
        let next = self.items.partition_point(|item| item.span.end <= element);
        self.items.get(next).is_some_and(|item| item.span.start < element).then_some(next)
    }

    /// Adds a link of the last item: the first of the best counts, and none with an `xml:base` of its
    /// own.
    pub(super) fn add_item_link(&mut self, kind: ItemLink, place: XmlPlace, scope: u32) {
        let last = self.items.last_mut().filter(|item| item.scope == scope);
        let Some(item) = last else { return };
        if item.link.as_ref().is_none_or(|(known, _)| *known < kind) {
            item.link = Some((kind, place));
        }
    }
}

impl Scanner<'_, '_> {
    /// Enters an item, or a child of the one that is open; returns what link of it the text of the
    /// child is.
    pub(super) fn enter_item(&mut self, list: &[XmlAttribute], element: &Open) -> Option<ItemLink> {
        if !self.settings.resolves_against_items() {
            return None;
        }
        let name = self.element_name(element);
        let Some(depth) = self.item else {
            if matches!(
                (element.namespace, &*name),
                (Namespace::Atom, "entry") | (Namespace::Rss, "item")
            ) {
                let start = element.name.start;
                let item = Item { span: start..u32::MAX, scope: element.scope, link: None };
                self.found.items.push(item);
                self.item = Some(self.open.len());
            }
            return None;
        };
        if self.open.len() != depth + 1 {
            return None;
        }
        let find = |name: &[u8]| list.iter().find(|one| &self.bytes[one.name.clone()] == name);
        let has = |name: &[u8], value: &[u8]| {
            find(name).is_none_or(|one| &self.bytes[one.value.clone()] == value)
        };
        match (element.namespace, &*name) {
            (Namespace::Rss, "link") => Some(ItemLink::Link),
            (Namespace::Rss, "guid") => {
                let is_other = |name: &&str| {
                    find(name.as_bytes()).is_some_and(|one| {
                        let value = self.bytes[one.value.clone()].trim_ascii();
                        value.eq_ignore_ascii_case(b"false")
                    })
                };
                (!PERMALINK.iter().any(is_other)).then_some(ItemLink::Guid)
            }
            (Namespace::Atom, "link") if has(b"rel", b"alternate") => {
                let href = find(b"href").filter(|href| href.content == XmlContent::Known)?;
                let (name, value) = (narrow(&href.name), narrow(&href.value));
                let place = XmlPlace::Attribute { name, prefix: Prefix::AsWritten, value };
                self.found.add_item_link(ItemLink::Link, place, element.scope);
                None
            }
            _ => None,
        }
    }

    /// Leaves the item if it was closed in front of a place.
    pub(super) fn leave_item(&mut self, end: usize) {
        if self.item == Some(self.open.len()) {
            self.item = None;
            self.found.items.last_mut().into_iter().for_each(|item| item.span.end = offset(end));
        }
    }
}
