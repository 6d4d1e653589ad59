//! Processes the start tags of an XML document: finds candidates, bases, anchors and markers, and
//! the items of feeds with their links, to which the HTML in an item may be relative.

use std::borrow::Cow;
use std::ops::Range;

use super::scanner::{Element, OpenText, XmlScanner};
use super::tag::{
    self, Binding, XmlAttribute, is_row_prefix, spell_attribute, spell_element, split_at_prefix,
    split_name,
};
use super::{
    Fault, FeedItem, ItemLink, Prefix, Root, XmlAnchor, XmlCandidate, XmlCandidates, XmlContent,
    XmlPart, XmlScope, narrow, quote_name, widen,
};
use crate::attributes::{Namespace, PERMALINK, RequiredForm};
use crate::link::{AnchorKind, BasePlace, BaseScope, JsonScript, MARKERS, is_marker};
use crate::scan::candidates::to_u32;

/// The root elements of languages whose links are found only in their namespaces.
const NAMESPACED_ROOTS: [&[u8]; 6] = [b"html", b"svg", b"math", b"feed", b"package", b"ncx"];

/// The attributes on whose values rows of the table depend, besides [`PERMALINK`].
const DECIDING: [&[u8]; 5] = [b"type", b"http-equiv", b"property", b"name", b"itemprop"];

impl<'s> XmlScanner<'s, '_> {
    /// Processes the start tag between `<` and `>` or `/>`.
    pub(super) fn read_start_tag(
        &mut self,
        span: Range<usize>,
        is_empty: bool,
    ) -> Result<(), Fault> {
        let bytes = self.bytes;
        let (name, prefix) = tag::read_element_name(bytes, span.clone())?;
        if self.open.is_empty() && self.root.is_some() {
            return Err(Fault::new(span.start - 1, "a second root element"));
        }
        // The text of an element with child elements is no candidate.
        if let Some(OpenText { start, .. }) = self.text.take() {
            self.found.pieces.truncate(start);
        }
        let mut list = std::mem::take(&mut self.attributes);
        tag::read_attributes(bytes, name.end..span.end, &mut list, &self.entities)?;
        let declarations = to_u32(self.namespaces.declaration_count());
        self.declare_namespaces(&list)?;
        let namespace = self.find_namespace(&name, prefix)?;
        let scope = self.open.last().map_or(0, |open| open.scope);
        let mut element = Element { name: narrow(&name), declarations, namespace, scope };
        self.enter_scope(&list, &mut element);
        let item_link = self.enter_item(&list, &element);
        self.add_candidates(&list, &element)?;
        // If the value of a deciding attribute is unknown, so are the rows that apply.
        let decides = |attribute: &XmlAttribute| {
            let name = &bytes[attribute.name.clone()];
            attribute.content != XmlContent::Known
                && (DECIDING.contains(&name)
                    || PERMALINK.iter().any(|permalink| permalink.as_bytes() == name))
        };
        if list.iter().any(decides) {
            self.found.keep_bases(element.scope);
        }
        if self.has_facts {
            self.collect_facts(&list, &element);
        }
        self.enter_marked(&list, &element);
        let has_json = list.iter().any(|other| {
            let kind =
                str::from_utf8(&bytes[other.value.clone()]).ok().and_then(JsonScript::from_type);
            &bytes[other.name.clone()] == b"type" && kind.is_some()
        });
        self.attributes = list;
        if is_empty {
            self.namespaces.undo_to(declarations as usize);
            self.leave_marked(span.end);
            self.leave_item(span.end);
            return Ok(());
        }
        let (_, local) = split_at_prefix(&bytes[name], prefix);
        let may_be_json = matches!(namespace, Namespace::Html | Namespace::Svg);
        let is_json = has_json && may_be_json && local == b"script";
        if is_json || item_link.is_some() || self.settings.selection.may_hold_text(local, namespace)
        {
            let start = self.found.pieces.len();
            self.text = Some(OpenText { start, content: XmlContent::Known, item_link, is_json });
        }
        self.open.push(element);
        Ok(())
    }

    /// Declares the namespaces of a tag, and checks that its attributes differ by namespace.
    fn declare_namespaces(&mut self, list: &[XmlAttribute]) -> Result<(), Fault> {
        let bytes = self.bytes;
        for attribute in list {
            let name = &bytes[attribute.name.clone()];
            if !name.starts_with(b"xmlns") {
                continue;
            }
            let prefix = match attribute.split(bytes) {
                (b"", b"xmlns") => &b""[..],
                (b"xmlns", prefix) => prefix,
                _ => continue,
            };
            let uri = &bytes[attribute.value.clone()];
            let has_entity = uri.contains(&b'&');
            let expanded = has_entity.then(|| self.entities.expand(&String::from_utf8_lossy(uri)));
            let expanded = expanded.flatten();
            if has_entity && expanded.is_none() {
                self.note_unknown_namespace(&attribute.value);
            }
            let declared =
                self.namespaces.declare(prefix, expanded.as_deref().map_or(uri, str::as_bytes));
            declared.map_err(|why| Fault::new(attribute.name.start, why))?;
        }
        match self.namespaces.find_duplicate(bytes, list) {
            Some(XmlAttribute { name, .. }) => {
                let written = quote_name(&bytes[name.clone()]);
                let why = format!("the attribute {written} is there twice, by its namespace");
                Err(Fault::new(name.start, why))
            }
            None => Ok(()),
        }
    }

    /// Records the span of the first declaration or name whose namespace is unknown.
    fn note_unknown_namespace(&mut self, span: &Range<usize>) {
        self.found.unknown_namespace.get_or_insert_with(|| narrow(span));
    }

    /// Finds the namespace of an element: that of its prefix, or of the root element.
    fn find_namespace(&mut self, name: &Range<usize>, prefix: usize) -> Result<Namespace, Fault> {
        let (prefix, local) = split_at_prefix(&self.bytes[name.clone()], prefix);
        let bound = self.find_binding(prefix, name)?.map(|binding| binding.namespace);
        let root = self.root.unwrap_or_else(|| self.enter_root(name, local, bound));
        Ok(match (root, bound) {
            (Root::Unqualified(namespace), None) => namespace,
            (Root::Stylesheet, Some(Namespace::Xslt)) => Namespace::Xslt,
            (Root::Stylesheet, _) => Namespace::Other,
            _ => bound.unwrap_or(Namespace::Other),
        })
    }

    /// Derives the kind of document from the root element, which has this local name.
    ///
    /// NOTE: sitemaps without the namespace of the protocol are common.
    fn enter_root(&mut self, name: &Range<usize>, local: &[u8], bound: Option<Namespace>) -> Root {
        let root = match bound {
            None if local == b"rss" => Root::Unqualified(Namespace::Rss),
            None if matches!(local, b"urlset" | b"sitemapindex") => {
                Root::Unqualified(Namespace::Sitemap)
            }
            Some(Namespace::Html | Namespace::Svg | Namespace::MathMl) => Root::Page,
            Some(Namespace::Xslt) => Root::Stylesheet,
            _ => Root::Other,
        };
        if matches!(root, Root::Unqualified(_)) || bound == Some(Namespace::Sitemap) {
            self.found.form = RequiredForm::Absolute;
        }
        if root == Root::Other && bound.is_none() && NAMESPACED_ROOTS.contains(&local) {
            self.note_unknown_namespace(name);
        }
        // Documents of other known languages would have no links if they were read as HTML.
        self.found.is_page = root == Root::Page
            || root == Root::Other && bound.is_none_or(|bound| bound == Namespace::Other);
        self.root = Some(root);
        root
    }

    /// Finds the binding of the prefix of a name; `None` if the prefix is empty and not declared.
    fn find_binding(
        &mut self,
        prefix: &[u8],
        name: &Range<usize>,
    ) -> Result<Option<Binding>, Fault> {
        match self.namespaces.find(prefix) {
            None if prefix.is_empty() => Ok(None),
            None if self.entities.has_defaults => {
                self.note_unknown_namespace(name);
                Ok(Some(Binding::OTHER))
            }
            None => {
                let why = format!("the prefix {} is not declared", quote_name(prefix));
                Err(Fault::new(name.start, why))
            }
            bound => Ok(bound),
        }
    }

    /// Enters the scope of an element's `xml:base`, if the element has one.
    ///
    /// NOTE: in XHTML, SVG and MathML an `xml:base` has no effect, as in browsers.
    fn enter_scope(&mut self, list: &[XmlAttribute], element: &mut Element) {
        if self.root == Some(Root::Page) {
            return;
        }
        let is_base = |other: &&XmlAttribute| &self.bytes[other.name.clone()] == b"xml:base";
        let Some(attribute) = list.iter().find(is_base) else { return };
        let number = self.found.scopes.len();
        self.found.scopes.push(XmlScope {
            outer: element.scope,
            element: element.name.start,
            base: narrow(&attribute.value),
            base_content: attribute.content,
            content: XmlContent::Known,
        });
        element.scope = to_u32(number);
    }

    /// Adds the attributes of a tag that may hold references.
    fn add_candidates(&mut self, list: &[XmlAttribute], element: &Element) -> Result<(), Fault> {
        let bytes = self.bytes;
        let mut name = None;
        for attribute in list {
            let written = &bytes[attribute.name.clone()];
            let (prefix, local) = attribute.split(bytes);
            if prefix == b"xmlns" {
                continue;
            }
            let row_prefix = match prefix {
                b"" => Prefix::AsWritten,
                _ => {
                    self.find_binding(prefix, &attribute.name)?.unwrap_or(Binding::OTHER).attributes
                }
            };
            let is_row = || !is_row_prefix(prefix) && self.settings.selection.may_name(written);
            // Most attributes have no row.
            if row_prefix == Prefix::AsWritten && !is_row() {
                continue;
            }
            let name = name.get_or_insert_with(|| self.element_name(element));
            let is_xml_base = written == b"xml:base" && self.root != Some(Root::Page);
            if *name == "base" && element.namespace == Namespace::Html && written == b"href" {
                self.note_base(element, attribute);
            }
            let row_name = spell_attribute(written, local, row_prefix);
            let value = &bytes[attribute.value.clone()];
            let selection = &self.settings.selection;
            if !is_xml_base && !selection.may_hold(name, element.namespace, &row_name, value) {
                continue;
            }
            let (name, value) = (narrow(&attribute.name), narrow(&attribute.value));
            self.found.push(XmlCandidate {
                element: element.name.start,
                namespace: element.namespace,
                scope: element.scope,
                part: XmlPart::Attribute { name, prefix: row_prefix, value },
                content: attribute.content,
            });
        }
        Ok(())
    }

    /// Records the `href` of a `base`, as the base of the page if it is the first in effect.
    fn note_base(&mut self, element: &Element, attribute: &XmlAttribute) {
        let is_head = self.open.last().is_some_and(|open| {
            open.namespace == Namespace::Html && self.element_name(open) == "head"
        });
        let place = if is_head { BasePlace::Head } else { BasePlace::Body };
        let href = narrow(&attribute.value);
        if self.has_facts {
            self.found.bases.push((href.clone(), place));
        }
        let is_in_effect = is_head || self.settings.base_scope == BaseScope::Document;
        let scope = &mut self.found.scopes[0];
        if self.root == Some(Root::Page) && is_in_effect && scope.base.end == 0 {
            scope.element = element.name.start;
            scope.base = href;
            scope.base_content = attribute.content;
        } else if self.root == Some(Root::Page) && !is_in_effect {
            self.found.base_outside_head.get_or_insert(href);
        }
    }

    /// Returns the local name of an element as the table spells it.
    pub(super) fn element_name(&self, element: &Element) -> Cow<'s, str> {
        let (_, local) = split_name(&self.bytes[widen(&element.name)]);
        spell_element(local, element.namespace)
    }

    /// Records that an entity in the innermost element may represent markup, which the scanner does
    /// not read. The markup may have anchors, and links that are relative to the bases around it.
    pub(super) fn enter_markup(&mut self) {
        let scope = self.open.last().map_or(0, |open| open.scope);
        self.found.keep_bases(scope);
        self.found.anchor_content = XmlContent::Entity;
    }

    /// Collects the anchors of an element.
    pub(super) fn collect_facts(&mut self, list: &[XmlAttribute], element: &Element) {
        let bytes = self.bytes;
        let is_a = element.namespace == Namespace::Html && self.element_name(element) == "a";
        let start = element.name.start;
        for attribute in list {
            let name = &bytes[attribute.name.clone()];
            let kind = match name {
                b"id" | b"xml:id" => AnchorKind::Id,
                b"name" if is_a => AnchorKind::Name,
                _ => continue,
            };
            if attribute.content != XmlContent::Known {
                self.found.anchor_content = XmlContent::Entity;
                continue;
            }
            let value = narrow(&attribute.value);
            self.found.anchors.push(XmlAnchor { element: start, value, kind });
        }
    }

    /// Records an element with a marker, unless an element around it has one.
    pub(super) fn enter_marked(&mut self, list: &[XmlAttribute], element: &Element) {
        let (bytes, markers) =
            (self.bytes, if self.has_facts { &MARKERS[..] } else { &MARKERS[..1] });
        let is_marked = |attribute: &XmlAttribute| {
            is_marker(markers, &bytes[attribute.name.clone()], &bytes[attribute.value.clone()])
        };
        if self.marker.is_none() && list.iter().any(is_marked) {
            self.marker = Some((self.open.len(), element.name.start));
        }
    }

    /// Ends the outermost element with a marker, if that is the element that was closed at `end`.
    pub(super) fn leave_marked(&mut self, end: usize) {
        if let Some((_, start)) = self.marker.filter(|(depth, _)| *depth == self.open.len()) {
            self.found.marked.push(start..to_u32(end));
            self.marker = None;
        }
    }
}

impl XmlCandidates {
    /// Finds the index of the item around the element at an offset; items are never nested.
    pub(crate) fn find_item(&self, element: u32) -> Option<usize> {
        let next = self.items.partition_point(|item| item.span.end <= element);
        self.items.get(next).is_some_and(|item| item.span.start < element).then_some(next)
    }

    /// Adds a link to the last item, unless the item has a link that is as good, or the link has an
    /// `xml:base` of its own.
    pub(super) fn add_item_link(&mut self, kind: ItemLink, part: XmlPart, scope: u32) {
        let last = self.items.last_mut().filter(|item| item.scope == scope);
        let Some(item) = last else { return };
        if item.link.as_ref().is_none_or(|(known, _)| *known < kind) {
            item.link = Some((kind, part));
        }
    }
}

impl XmlScanner<'_, '_> {
    /// Enters an item, or a child of the open item; returns the kind of link that the child has as
    /// text.
    pub(super) fn enter_item(
        &mut self,
        list: &[XmlAttribute],
        element: &Element,
    ) -> Option<ItemLink> {
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
                let item = FeedItem { span: start..u32::MAX, scope: element.scope, link: None };
                self.found.items.push(item);
                self.item = Some(self.open.len());
            }
            return None;
        };
        if self.open.len() != depth + 1 {
            return None;
        }
        let find = |name: &[u8]| list.iter().find(|other| &self.bytes[other.name.clone()] == name);
        let may_have = |name: &[u8], value: &[u8]| {
            find(name).is_none_or(|attribute| &self.bytes[attribute.value.clone()] == value)
        };
        match (element.namespace, &*name) {
            (Namespace::Rss, "link") => Some(ItemLink::Link),
            (Namespace::Rss, "guid") => {
                let is_false = |name: &&str| {
                    find(name.as_bytes()).is_some_and(|attribute| {
                        let value = self.bytes[attribute.value.clone()].trim_ascii();
                        value.eq_ignore_ascii_case(b"false")
                    })
                };
                (!PERMALINK.iter().any(is_false)).then_some(ItemLink::Guid)
            }
            (Namespace::Atom, "link") if may_have(b"rel", b"alternate") => {
                let href = find(b"href").filter(|href| href.content == XmlContent::Known)?;
                let (name, value) = (narrow(&href.name), narrow(&href.value));
                let part = XmlPart::Attribute { name, prefix: Prefix::AsWritten, value };
                self.found.add_item_link(ItemLink::Link, part, element.scope);
                None
            }
            _ => None,
        }
    }

    /// Ends the open item, if that is the element that was closed at `end`.
    pub(super) fn leave_item(&mut self, end: usize) {
        if self.item == Some(self.open.len()) {
            self.item = None;
            self.found.items.last_mut().into_iter().for_each(|item| item.span.end = to_u32(end));
        }
    }
}
