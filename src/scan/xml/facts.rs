//! What an XML document has besides links: anchors, and elements with a marker.

use super::candidates::{XmlAnchor, XmlContent, narrow};
use super::scanner::{Open, Scanner};
use super::tag::XmlAttribute;
use crate::attributes::Namespace;
use crate::link::MARKERS;

impl Scanner<'_, '_> {
    /// Notes that elements may be in the content of the innermost one that are not read: links that
    /// are relative to a base around them, and anchors.
    pub(super) fn enter_markup(&mut self) {
        let scope = self.open.last().map_or(0, |open| open.scope);
        self.found.keep_bases(scope);
        self.found.anchor_content = XmlContent::Entity;
    }

    /// Collects the anchors of an element, and whether it has a marker.
    pub(super) fn collect_facts(&mut self, list: &[XmlAttribute], element: &Open) {
        let bytes = self.bytes;
        let is_a = element.namespace == Namespace::Html && self.element_name(element) == "a";
        let start = element.name.start;
        for attribute in list {
            let name = &bytes[attribute.name.clone()];
            let is_name = match name {
                b"id" | b"xml:id" => false,
                b"name" if is_a => true,
                _ => continue,
            };
            if attribute.content != XmlContent::Known {
                self.found.anchor_content = XmlContent::Entity;
                continue;
            }
            let value = narrow(&attribute.value);
            self.found.anchors.push(XmlAnchor { element: start, value, is_name });
        }
        let is_marker = |one: &XmlAttribute| {
            MARKERS.iter().any(|marker| marker.as_bytes() == &bytes[one.name.clone()])
        };
        if self.marker.is_none() && list.iter().any(is_marker) {
            self.marker = Some((self.open.len(), start));
        }
    }

    /// Ends the outermost element with a marker if it was left at a place.
    pub(super) fn leave_marked(&mut self, end: usize) {
        if let Some((_, start)) = self.marker.filter(|(depth, _)| *depth == self.open.len()) {
            self.found.marked.push(start..narrow(&(end..end)).start);
            self.marker = None;
        }
    }
}
