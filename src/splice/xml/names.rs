//! The names by which the rows of the table are found, and the text of attribute values.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use crate::attributes::{Rule, Spot, TEXT, is_css};
use crate::grammar::Grammar;
use crate::link::{LinkPass, Syntax};
use crate::reference::{Context, Decoded};
use crate::scan::xml::{
    XmlCandidate, XmlContent, XmlPlace, attribute_name, attributes, has_entity, local_name, split,
    wide,
};
use crate::splice::anchor;
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
    has_entity: Cell<bool>,
}

impl<'c> Names<'c> {
    pub(super) fn new(page: &'c Page<'_>, candidate: &'c XmlCandidate) -> Self {
        let bytes = page.bytes();
        let name = &bytes[name_at(bytes, candidate.element)];
        let element = local_name(split(name).1, candidate.namespace);
        let attribute = match &candidate.place {
            XmlPlace::Text(_) => Cow::Borrowed(TEXT),
            XmlPlace::Attribute { name, prefix, .. } => {
                let written = &bytes[wide(name)];
                attribute_name(written, split(written).1, *prefix)
            }
        };
        Self { page, candidate, element, attribute, has_entity: Cell::new(false) }
    }

    /// The value of another attribute of the element.
    pub(super) fn sibling(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        // The first that is malformed is the end of the tag.
        let found = attributes(bytes, name_at(bytes, self.candidate.element).end..bytes.len())
            .find(|one| &bytes[one.name.clone()] == name.as_bytes())?;
        self.has_entity.set(self.has_entity.get() || has_entity(&bytes[found.value.clone()]));
        Some(text(self.page, found.value))
    }

    /// The text of the element, if it is an `a`.
    pub(super) fn anchor_text(&self) -> Option<String> {
        let (page, start) = (self.page, self.candidate.element as usize);
        let end = page.bytes().len();
        (self.element == "a").then(|| anchor::text(page, Syntax::Xml, (start, None), end))
    }

    /// How the candidate holds references, if it does, and whether what it represents is known.
    pub(super) fn spot(&self, pass: &LinkPass<'_>) -> Option<(Spot, XmlContent)> {
        let Self { candidate, element, attribute, .. } = self;
        if attribute == "xml:base" && candidate.scope != 0 {
            return Some((XML_BASE, candidate.content));
        }
        let (namespace, selection) = (candidate.namespace, &pass.settings.selection);
        let is_text = matches!(candidate.place, XmlPlace::Text(_));
        let counts = |spot: &Spot| {
            let is_style = is_text && spot.grammar == Grammar::Stylesheet;
            !is_style || is_css(namespace, self.sibling("type").as_deref())
        };
        let sibling = |name: &str| self.sibling(name);
        let spot = selection.find(element, namespace, attribute, sibling).filter(counts);
        if !self.has_entity.get() {
            return Some((spot?, candidate.content));
        }
        Some((selection.find_possible(element, namespace, attribute)?, XmlContent::Entity))
    }
}

/// The span of the name of an element that begins at a place.
pub(super) fn name_at(bytes: &[u8], element: u32) -> Range<usize> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'?');
    let start = element as usize;
    let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
    start..start + length
}

/// The text of an attribute value.
pub(super) fn text(page: &Page<'_>, span: Range<usize>) -> String {
    let text = page.text(span);
    Decoded::new(text.text(), Context::XmlAttribute).into_text().into_owned()
}
