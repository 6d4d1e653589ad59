//! The names by which the rows of the table are found.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use super::text::text;
use crate::attributes::{Rule, Spot, TEXT, is_css};
use crate::grammar::Grammar;
use crate::link::LinkPass;
use crate::scan::xml::{
    XmlCandidate, XmlContent, XmlPlace, attribute_name, attributes, has_entity, local_name, split,
};
use crate::splice::page::Page;

/// How `xml:base` holds its reference: as the `href` of a `base` element does.
const XML_BASE: Spot = Spot { rule: Rule::Base, ..Spot::PLAIN };

/// The names by which rows are found.
pub(super) struct Names<'c> {
    page: &'c Page<'c>,
    candidate: &'c XmlCandidate,
    pub(super) element: Cow<'c, str>,
    pub(super) attribute: Cow<'c, str>,
    /// Whether another attribute that was asked for has an entity.
    sibling_content: Cell<XmlContent>,
}

impl<'c> Names<'c> {
    pub(super) fn new(page: &'c Page<'_>, candidate: &'c XmlCandidate) -> Self {
        let bytes = page.bytes();
        let name = &bytes[name_at(bytes, candidate.element)];
        let element = local_name(split(name).1, candidate.namespace);
        let attribute = match &candidate.place {
            XmlPlace::Text(_) => Cow::Borrowed(TEXT),
            XmlPlace::Attribute { name, prefix, .. } => {
                let written = &bytes[name.start as usize..name.end as usize];
                attribute_name(written, split(written).1, *prefix)
            }
        };
        let sibling_content = Cell::new(XmlContent::Known);
        Self { page, candidate, element, attribute, sibling_content }
    }

    /// The value of another attribute of the element.
    pub(super) fn sibling(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        // The first that is malformed is the end of the tag.
        let found = attributes(bytes, name_at(bytes, self.candidate.element).end..bytes.len())
            .find(|one| &bytes[one.name.clone()] == name.as_bytes())?;
        if has_entity(bytes, found.value.clone()) {
            self.sibling_content.set(XmlContent::Entity);
        }
        Some(text(self.page, found.value))
    }

    /// How the candidate holds references, if it does, and whether what it represents is known.
    pub(super) fn spot(&self, pass: &LinkPass<'_>) -> Option<(Spot, XmlContent)> {
        self.sibling_content.set(XmlContent::Known);
        let spot = self.spot_as_written(pass);
        let Self { candidate, element, attribute, .. } = self;
        let content = candidate.content.max(self.sibling_content.get());
        if self.sibling_content.get() == XmlContent::Known {
            return Some((spot?, content));
        }
        let selection = &pass.settings.selection;
        Some((selection.find_possible(element, candidate.namespace, attribute)?, content))
    }

    /// The same where entities of other attributes are read as they are written.
    fn spot_as_written(&self, pass: &LinkPass<'_>) -> Option<Spot> {
        let namespace = self.candidate.namespace;
        let is_base = self.attribute == "xml:base" && self.candidate.scope != 0;
        let selection = &pass.settings.selection;
        let sibling = |name: &str| self.sibling(name);
        if is_base {
            return Some(XML_BASE);
        }
        let spot = selection.find(&self.element, namespace, &self.attribute, sibling)?;
        let is_style = spot.grammar == Grammar::Stylesheet;
        let is_text = matches!(self.candidate.place, XmlPlace::Text(_));
        if is_style && is_text && !is_css(namespace, self.sibling("type").as_deref()) {
            return None;
        }
        Some(spot)
    }
}

/// The span of the name of an element that begins at a place.
pub(super) fn name_at(bytes: &[u8], element: u32) -> Range<usize> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'?');
    let start = element as usize;
    let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
    start..start + length
}
