//! The start tags of an XML document.

use std::borrow::Cow;
use std::ops::Range;

use super::candidates::{Facts, Root, Scope, XmlBase, XmlCandidate, XmlContent, XmlPlace, narrow};
use super::fault::{Fault, shown};
use super::namespaces::{
    Binding, Bound, Prefix, attribute_name, is_prefix_of_rows, local_name, may_bind, split,
};
use super::replacement::Place;
use super::scanner::{Open, Scanner, Text};
use super::tag::{self, XmlAttribute, split_after};
use crate::attributes::{Namespace, RequiredForm};
use crate::link::BaseScope;

/// Root elements of languages with links, which need a namespace for them.
const NAMED: [&[u8]; 6] = [b"html", b"svg", b"math", b"feed", b"package", b"ncx"];

/// Attributes whose value decides whether another one, or the text, holds references.
const DECIDING: [&[u8]; 6] =
    [b"type", b"isPermaLink", b"http-equiv", b"property", b"name", b"itemprop"];

impl<'s> Scanner<'s, '_> {
    /// The start tag between `<` and `>` or `/>`.
    pub(super) fn start(&mut self, span: Range<usize>, is_empty: bool) -> Result<(), Fault> {
        let bytes = self.bytes;
        let (name, prefix) = tag::element_name(bytes, span.clone())?;
        if self.open.is_empty() && self.root.is_some() {
            return Err(Fault::new(span.start - 1, "a second root element"));
        }
        self.drop_text();
        let mut list = std::mem::take(&mut self.attributes);
        let declared = &self.declared;
        let check = &mut |name: &[u8]| declared.check_reference(name, Place::Attribute);
        tag::read(bytes, name.end..span.end, &mut list, check)?;
        let declarations = narrow(&(self.namespaces.count()..0)).start;
        self.declare(&name, &list)?;
        let namespace = self.namespace(&name, prefix)?;
        let scope = self.open.last().map_or(0, |open| open.scope);
        let mut element = Open { name: narrow(&name), declarations, namespace, scope };
        self.enter_scope(&list, &mut element);
        self.candidates(&list, &element)?;
        if list.iter().any(|one| self.decides(one)) {
            self.found.keep_bases(element.scope);
        }
        if self.facts == Facts::Collected {
            self.collect_facts(&list, &element);
        }
        self.attributes = list;
        if is_empty {
            self.namespaces.leave(declarations as usize);
            self.leave_marked(span.end);
            return Ok(());
        }
        let (_, local) = split_after(&bytes[name], prefix);
        if self.selection.may_hold_text(local, namespace) {
            let start = self.found.pieces.len();
            self.text = Some(Text { start, content: XmlContent::Known });
        }
        self.open.push(element);
        Ok(())
    }

    /// Declares the namespaces of a tag: those of its attributes, and those that the document type
    /// has for its element where there is no such attribute.
    fn declare(&mut self, element: &Range<usize>, list: &[XmlAttribute]) -> Result<(), Fault> {
        let bytes = self.bytes;
        for attribute in list.iter().filter(|one| bytes[one.name.clone()].starts_with(b"xmlns")) {
            self.declare_one(&bytes[attribute.name.clone()], attribute)?;
        }
        for index in 0..self.declared.defaults(&bytes[element.clone()]).len() {
            let (name, value) = self.declared.defaults(&bytes[element.clone()])[index].clone();
            if !list.iter().any(|one| &bytes[one.name.clone()] == name) {
                let content = XmlContent::Known;
                let default = XmlAttribute { name: element.clone(), prefix: 0, value, content };
                self.declare_one(name, &default)?;
            }
        }
        match self.namespaces.duplicate(bytes, list, &self.declared) {
            Some(index) => {
                let name = list[index].name.clone();
                let name_shown = shown(&bytes[name.clone()]);
                let why = format!("the attribute {name_shown} is there twice, by its namespace");
                Err(Fault::new(name.start, why))
            }
            None => Ok(()),
        }
    }

    /// Declares a namespace by an attribute of this name, if it is one that does.
    fn declare_one(&mut self, name: &'s [u8], attribute: &XmlAttribute) -> Result<(), Fault> {
        let prefix = match split(name) {
            (b"", b"xmlns") => &b""[..],
            (b"xmlns", prefix) => prefix,
            _ => return Ok(()),
        };
        let value = &self.bytes[attribute.value.clone()];
        let uri = self.declared.uri(value);
        if uri.is_none() {
            self.found.unknown_namespace.get_or_insert_with(|| narrow(&attribute.value));
        }
        let uri = uri.as_deref().unwrap_or(b"?");
        if !may_bind(prefix, uri) {
            let why = match prefix {
                b"" => format!("{} cannot be the default namespace", shown(uri)),
                _ => format!("the prefix {} cannot be bound to {}", shown(prefix), shown(uri)),
            };
            return Err(Fault::new(attribute.name.start, why));
        }
        if prefix != b"xml" {
            let binding = Binding { bound: Bound::of_uri(uri), uri: narrow(&attribute.value) };
            self.namespaces.declare(prefix, Some(binding).filter(|_| !uri.is_empty()));
        }
        Ok(())
    }

    /// The namespace of an element, which the document's root may decide.
    fn namespace(&mut self, name: &Range<usize>, prefix: usize) -> Result<Namespace, Fault> {
        let (prefix, local) = split_after(&self.bytes[name.clone()], prefix);
        let bound = self.bound(prefix, name.start)?;
        let namespace = bound.map_or(Namespace::Other, Bound::of_element);
        let root = match self.root {
            Some(root) => root,
            None => self.enter_root(name, local, bound),
        };
        Ok(match (root, bound, namespace) {
            (Root::Unqualified(namespace), None, _) => namespace,
            (Root::Stylesheet, _, Namespace::Xslt) => Namespace::Xslt,
            (Root::Stylesheet, ..) => Namespace::Other,
            _ => namespace,
        })
    }

    /// Finds what the root element, of this name, says of the document.
    ///
    /// NOTE: sitemaps without the namespace of the protocol are common.
    fn enter_root(&mut self, name: &Range<usize>, local: &[u8], bound: Option<Bound>) -> Root {
        let namespace = bound.map_or(Namespace::Other, Bound::of_element);
        let root = match (bound, namespace) {
            (None, _) if local == b"rss" => Root::Unqualified(Namespace::Rss),
            (None, _) if matches!(local, b"urlset" | b"sitemapindex") => {
                Root::Unqualified(Namespace::Sitemap)
            }
            (_, Namespace::Html | Namespace::Svg | Namespace::MathMl) => Root::Page,
            (_, Namespace::Xslt) => Root::Stylesheet,
            _ => Root::Other,
        };
        if matches!(root, Root::Unqualified(_)) || namespace == Namespace::Sitemap {
            self.found.form = RequiredForm::Absolute;
        }
        if root == Root::Other && bound.is_none() && NAMED.contains(&local) {
            self.found.unknown_namespace.get_or_insert_with(|| narrow(name));
        }
        self.root = Some(root);
        root
    }

    /// What a prefix at a place stands for; nothing where an empty one is not declared.
    fn bound(&self, prefix: &[u8], at: usize) -> Result<Option<Bound>, Fault> {
        let bound = self.namespaces.find(prefix);
        if bound.is_none() && !prefix.is_empty() {
            let why = format!("the prefix {} is not declared", shown(prefix));
            return Err(Fault::new(at, why));
        }
        Ok(bound)
    }

    /// Enters the scope of an `xml:base`.
    ///
    /// NOTE: in XHTML, SVG and MathML it does not count, as in browsers.
    fn enter_scope(&mut self, list: &[XmlAttribute], element: &mut Open) {
        if self.root == Some(Root::Page) {
            return;
        }
        let is_base = |one: &&XmlAttribute| &self.bytes[one.name.clone()] == b"xml:base";
        let Some(attribute) = list.iter().find(is_base) else { return };
        let number = self.found.scopes.len();
        self.found.scopes.push(Scope {
            outer: element.scope,
            element: element.name.start,
            base: narrow(&attribute.value),
            base_content: attribute.content,
            content: XmlContent::Known,
        });
        element.scope = narrow(&(number..0)).start;
    }

    /// Adds the attributes of a tag that may hold references.
    fn candidates(&mut self, list: &[XmlAttribute], element: &Open) -> Result<(), Fault> {
        let bytes = self.bytes;
        let mut name = None;
        for attribute in list {
            let written = &bytes[attribute.name.clone()];
            let (prefix, local) = attribute.split(bytes);
            if prefix == b"xmlns" {
                continue;
            }
            let bound =
                if prefix.is_empty() { None } else { self.bound(prefix, attribute.name.start)? };
            let row_prefix = Bound::of_attribute(bound);
            let is_row = || !is_prefix_of_rows(prefix) && self.selection.may_name(written);
            // Most attributes have no row.
            if row_prefix == Prefix::AsWritten && !is_row() {
                continue;
            }
            let name = name.get_or_insert_with(|| self.element_name(element));
            let is_own_base =
                bound == Some(Bound::Xml) && local == b"base" && self.root != Some(Root::Page);
            if *name == "base" && element.namespace == Namespace::Html && written == b"href" {
                self.base(element, attribute);
            }
            let looked_up = attribute_name(written, local, row_prefix);
            let value = &bytes[attribute.value.clone()];
            let selection = self.selection;
            if !is_own_base && !selection.may_hold(name, element.namespace, &looked_up, value) {
                continue;
            }
            let (name, value) = (narrow(&attribute.name), narrow(&attribute.value));
            self.found.push(XmlCandidate {
                element: element.name.start,
                namespace: element.namespace,
                scope: element.scope,
                place: XmlPlace::Attribute { name, prefix: row_prefix, value },
                content: attribute.content,
            });
        }
        Ok(())
    }

    /// Whether it is not known which rows of the table count for an element with this attribute.
    fn decides(&self, attribute: &XmlAttribute) -> bool {
        attribute.content != XmlContent::Known
            && DECIDING.contains(&&self.bytes[attribute.name.clone()])
    }

    /// Keeps the `href` of a `base` element if it is the first that counts.
    fn base(&mut self, element: &Open, attribute: &XmlAttribute) {
        let is_head = self.open.last().is_some_and(|open| {
            open.namespace == Namespace::Html && self.element_name(open) == "head"
        });
        let counts = is_head || self.base_scope == BaseScope::Document;
        if self.facts == Facts::Collected {
            self.found.bases.push(XmlBase { href: narrow(&attribute.value), is_in_head: is_head });
        }
        if self.root == Some(Root::Page) && counts && self.found.base.is_none() {
            self.found.base = Some(attribute.value.clone());
            self.found.base_element = element.name.start;
            self.found.base_content = attribute.content;
        } else if self.root == Some(Root::Page) && !counts {
            self.found.base_outside_head.get_or_insert_with(|| attribute.value.clone());
        }
    }

    /// The local name of an element as rows have it: those of XHTML are in lower case already.
    pub(super) fn element_name(&self, element: &Open) -> Cow<'s, str> {
        let (_, local) = split(&self.bytes[element.name.start as usize..element.name.end as usize]);
        local_name(local, element.namespace)
    }

    /// Leaves out the text of an element that has elements inside.
    fn drop_text(&mut self) {
        if let Some(Text { start, .. }) = self.text.take() {
            self.found.pieces.truncate(start);
        }
    }
}
