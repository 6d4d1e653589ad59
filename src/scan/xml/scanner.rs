//! Reads an XML document from its start to its end.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::candidates::{Root, Scope, XmlCandidate, XmlCandidates, XmlContent, XmlPlace, narrow};
use super::doctype;
use super::fault::{Fault, shown};
use super::namespaces::{Bound, Namespaces, split};
use super::tag::{self, Entities, XmlAttribute, is_space};
use crate::attributes::{Namespace, Selection, TEXT};
use crate::link::BaseScope;
use crate::reference::{Context, decode, is_name};
use crate::scan::candidates::Piece;
use crate::scan::events::TextKind;

impl XmlCandidates {
    /// Finds the places that may hold references.
    ///
    /// # Errors
    ///
    /// If the document is not well-formed.
    pub(crate) fn scan(
        &mut self,
        bytes: &[u8],
        selection: &Selection,
        scope: BaseScope,
    ) -> Result<(), Fault> {
        self.clear();
        check_characters(bytes)?;
        let mut scanner = Scanner {
            bytes,
            selection,
            base_scope: scope,
            found: self,
            namespaces: Namespaces::new(),
            open: Vec::new(),
            attributes: Vec::new(),
            root: None,
            entities: Entities::Undeclared,
            text: None,
        };
        scanner.document()
    }
}

struct Scanner<'s, 'f> {
    bytes: &'s [u8],
    selection: &'f Selection,
    base_scope: BaseScope,
    found: &'f mut XmlCandidates,
    namespaces: Namespaces<'s>,
    open: Vec<Open>,
    attributes: Vec<XmlAttribute>,
    root: Option<Root>,
    entities: Entities,
    /// The text of the innermost element, if it may hold references.
    text: Option<Text>,
}

/// An element that is open.
struct Open {
    name: Range<u32>,
    /// How many declarations of namespaces were in force before it.
    declarations: u32,
    namespace: Namespace,
    scope: u32,
    scope_content: XmlContent,
}

/// The text of an element so far.
struct Text {
    /// Where it begins in the pieces.
    start: usize,
    content: XmlContent,
}

impl<'s> Scanner<'s, '_> {
    fn document(&mut self) -> Result<(), Fault> {
        let bytes = self.bytes;
        let (mut origin, mut reader) = self.reader(0)?;
        loop {
            let start = origin + position(&reader);
            if bytes[start..].starts_with(doctype::START) {
                if self.root.is_some() || self.entities == Entities::Declared {
                    let why = "a document type declaration must come once, before the root element";
                    return Err(Fault::new(start, why));
                }
                self.entities = Entities::Declared;
                (origin, reader) = self.reader(doctype::end(bytes, start)?)?;
                continue;
            }
            let event = reader.read_event().map_err(|error| {
                let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                Fault::new(origin.saturating_add(at), error.to_string())
            })?;
            let span = start..origin + position(&reader);
            match event {
                Event::Start(_) => self.start(span.start + 1..span.end - 1, false)?,
                Event::Empty(_) => self.start(span.start + 1..span.end - 2, true)?,
                Event::End(_) => self.end(span)?,
                Event::Text(_) | Event::GeneralRef(_) => self.text(span)?,
                Event::CData(_) => self.cdata(&span)?,
                Event::PI(_) => self.instruction(span)?,
                Event::Decl(_) if span.start == 0 => self.declaration(span)?,
                Event::Decl(_) => {
                    let why = "an XML declaration must be at the start of the document";
                    return Err(Fault::new(span.start, why));
                }
                Event::DocType(_) => {
                    return Err(Fault::new(span.start, "expected <!DOCTYPE in upper case"));
                }
                Event::Comment(_) => {}
                Event::Eof => return self.finish(),
            }
        }
    }

    /// A reader of the bytes from a place on.
    fn reader(&self, from: usize) -> Result<(usize, Reader<&'s [u8]>), Fault> {
        let rest = &self.bytes[from..];
        // The reader would skip it.
        if rest.starts_with("\u{feff}".as_bytes()) {
            return Err(Fault::new(from, "text outside of the root element"));
        }
        let mut reader = Reader::from_reader(rest);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.check_comments = true;
        Ok((from, reader))
    }

    /// The start tag between `<` and `>` or `/>`.
    fn start(&mut self, span: Range<usize>, is_empty: bool) -> Result<(), Fault> {
        let bytes = self.bytes;
        let length = bytes[span.clone()].iter().take_while(|byte| !is_space(**byte)).count();
        let name = span.start..span.start + length;
        if !tag::is_qualified_name(&bytes[name.clone()]) {
            let why = format!("{} is not the name of an element", shown(&bytes[name.clone()]));
            return Err(Fault::new(name.start, why));
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(Fault::new(span.start - 1, "a second root element"));
        }
        self.drop_text();
        let mut list = std::mem::take(&mut self.attributes);
        tag::read(bytes, name.end..span.end, &mut list, self.entities)?;
        let declarations = narrow(&(self.namespaces.count()..0)).start;
        self.declare(&list)?;
        let namespace = self.namespace(&name)?;
        let (outer, outer_content) = self
            .open
            .last()
            .map_or((0, XmlContent::Known), |open| (open.scope, open.scope_content));
        let mut element = Open {
            name: narrow(&name),
            declarations,
            namespace,
            scope: outer,
            scope_content: outer_content,
        };
        self.enter_scope(&list, &mut element);
        self.candidates(&list, &element)?;
        self.attributes = list;
        if is_empty {
            self.namespaces.leave(declarations as usize);
            return Ok(());
        }
        let element_name = self.element_name(&element);
        if self.selection.may_count(&element_name, namespace, TEXT) {
            let start = self.found.pieces.len();
            self.text = Some(Text { start, content: element.scope_content });
        }
        self.open.push(element);
        Ok(())
    }

    /// Declares the namespaces of a tag.
    fn declare(&mut self, list: &[XmlAttribute]) -> Result<(), Fault> {
        let bytes = self.bytes;
        for attribute in list {
            let name = &bytes[attribute.name.clone()];
            let value = &bytes[attribute.value.clone()];
            let uri: Cow<'_, [u8]> = match std::str::from_utf8(value) {
                Ok(text) if value.contains(&b'&') => {
                    decode(text, Context::XmlAttribute).into_owned().into_bytes().into()
                }
                _ => value.into(),
            };
            match split(name) {
                (b"", b"xmlns") => {
                    let bound = (!uri.is_empty()).then(|| Bound::of_uri(&uri));
                    self.namespaces.declare(b"", bound);
                }
                (b"xmlns", prefix) => {
                    if uri.is_empty() || prefix == b"xmlns" {
                        let why = format!("the prefix {} cannot be declared so", shown(prefix));
                        return Err(Fault::new(attribute.name.start, why));
                    }
                    if prefix != b"xml" {
                        self.namespaces.declare(prefix, Some(Bound::of_uri(&uri)));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The namespace of an element, which the document's root may decide.
    fn namespace(&mut self, name: &Range<usize>) -> Result<Namespace, Fault> {
        let (prefix, local) = split(&self.bytes[name.clone()]);
        let bound = self.bound(prefix, name.start)?;
        let namespace = bound.map_or(Namespace::Other, Bound::of_element);
        let root = *self.root.get_or_insert_with(|| match (bound, namespace) {
            (None, _) if local == b"rss" => Root::Rss,
            (_, Namespace::Html | Namespace::Svg | Namespace::MathMl) => Root::Page,
            (_, Namespace::Xslt) => Root::Stylesheet,
            _ => Root::Other,
        });
        Ok(match (root, bound, namespace) {
            (Root::Rss, None, _) => Namespace::Rss,
            (Root::Stylesheet, _, Namespace::Xslt) => Namespace::Xslt,
            (Root::Stylesheet, ..) => Namespace::Other,
            _ => namespace,
        })
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
        let base = (attribute.content == XmlContent::Known).then(|| narrow(&attribute.value));
        if base.is_none() {
            element.scope_content = XmlContent::Entity;
        }
        let number = self.found.scopes.len();
        self.found.scopes.push(Scope { outer: element.scope, base });
        element.scope = narrow(&(number..0)).start;
    }

    /// Adds the attributes of a tag that may hold references.
    fn candidates(&mut self, list: &[XmlAttribute], element: &Open) -> Result<(), Fault> {
        let bytes = self.bytes;
        let name = self.element_name(element).into_owned();
        for attribute in list {
            let written = &bytes[attribute.name.clone()];
            let (prefix, local) = split(written);
            if prefix == b"xmlns" {
                continue;
            }
            let bound =
                if prefix.is_empty() { None } else { self.bound(prefix, attribute.name.start)? };
            let is_xlink = bound == Some(Bound::XLink);
            let is_own_base =
                bound == Some(Bound::Xml) && local == b"base" && self.root != Some(Root::Page);
            if name == "base" && element.namespace == Namespace::Html && written == b"href" {
                self.base(attribute);
            }
            let looked_up = attribute_name(written, local, is_xlink);
            if !is_own_base && !self.selection.may_count(&name, element.namespace, &looked_up) {
                continue;
            }
            let content = match element.scope_content {
                XmlContent::Known => attribute.content,
                XmlContent::Entity => XmlContent::Entity,
            };
            let (name, value) = (narrow(&attribute.name), narrow(&attribute.value));
            self.found.list.push(XmlCandidate {
                element: element.name.start,
                namespace: element.namespace,
                scope: element.scope,
                place: XmlPlace::Attribute { name, is_xlink, value },
                content,
            });
        }
        Ok(())
    }

    /// Keeps the `href` of a `base` element if it is the first that counts.
    fn base(&mut self, attribute: &XmlAttribute) {
        let is_head = self.open.last().is_some_and(|open| {
            open.namespace == Namespace::Html && self.element_name(open) == "head"
        });
        let is_known = attribute.content == XmlContent::Known;
        let counts = is_head || self.base_scope == BaseScope::Document;
        if self.root == Some(Root::Page) && is_known && counts && self.found.base.is_none() {
            self.found.base = Some(attribute.value.clone());
        }
    }

    /// The local name of an element as rows have it: those of XHTML are in lower case already.
    fn element_name(&self, element: &Open) -> Cow<'s, str> {
        let (_, local) = split(&self.bytes[element.name.start as usize..element.name.end as usize]);
        local_name(local, element.namespace)
    }

    /// The end tag from `<` to `>`.
    fn end(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let mut name = &self.bytes[span.start + 2..span.end - 1];
        while let [rest @ .., b' ' | b'\t' | b'\r' | b'\n'] = name {
            name = rest;
        }
        let Some(open) = self.open.pop() else {
            let why = format!("the end tag {} has no start tag", shown(name));
            return Err(Fault::new(span.start, why));
        };
        let expected = &self.bytes[open.name.start as usize..open.name.end as usize];
        if name != expected {
            let (name, expected) = (shown(name), shown(expected));
            let why = format!("the end tag {name} does not match the start tag {expected}");
            return Err(Fault::new(span.start, why));
        }
        self.namespaces.leave(open.declarations as usize);
        if let Some(Text { start, content }) = self.text.take()
            && start < self.found.pieces.len()
        {
            let pieces = narrow(&(start..self.found.pieces.len()));
            self.found.list.push(XmlCandidate {
                element: open.name.start,
                namespace: open.namespace,
                scope: open.scope,
                place: XmlPlace::Text(pieces),
                content,
            });
        }
        Ok(())
    }

    fn text(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let text = &self.bytes[span.clone()];
        if self.open.is_empty() {
            let outside = text.iter().position(|byte| !is_space(*byte));
            return outside.map_or(Ok(()), |at| {
                Err(Fault::new(span.start + at, "text outside of the root element"))
            });
        }
        if let Some(at) = memmem::find(text, b"]]>") {
            return Err(Fault::new(span.start + at, "']]>' in text; write its '>' as &gt;"));
        }
        let content = tag::content(self.bytes, span.clone(), self.entities)?;
        let Some(own) = &mut self.text else { return Ok(()) };
        if content == XmlContent::Entity {
            own.content = content;
        }
        let Range { start, end } = narrow(&span);
        let pieces = &mut self.found.pieces;
        let is_first = pieces.len() == own.start;
        // The reader gives a reference and the text around it apart.
        match pieces.last_mut() {
            Some(last) if !is_first && last.kind == TextKind::Xml && last.end == start => {
                last.end = end;
            }
            _ => pieces.push(Piece { start, end, kind: TextKind::Xml }),
        }
        Ok(())
    }

    fn cdata(&mut self, span: &Range<usize>) -> Result<(), Fault> {
        if self.open.is_empty() {
            return Err(Fault::new(span.start, "a CDATA section outside of the root element"));
        }
        if self.text.is_some() {
            let inner = span.start + b"<![CDATA[".len()..span.end - b"]]>".len();
            let Range { start, end } = narrow(&inner);
            if start < end {
                self.found.pieces.push(Piece { start, end, kind: TextKind::Cdata });
            }
        }
        Ok(())
    }

    /// The processing instruction from `<` to `>`.
    fn instruction(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let inner = span.start + 2..span.end - 2;
        let text = &self.bytes[inner.clone()];
        let length = text.iter().take_while(|byte| !is_space(**byte)).count();
        let target = &text[..length];
        if !is_name(target) || target.contains(&b':') || target.eq_ignore_ascii_case(b"xml") {
            let why = format!("{} is not the target of an instruction", shown(target));
            return Err(Fault::new(inner.start, why));
        }
        if target != b"xml-stylesheet" || self.root.is_some() {
            return Ok(());
        }
        let element = narrow(&inner).start;
        for attribute in tag::attributes(self.bytes, inner.start + length..inner.end) {
            if &self.bytes[attribute.name.clone()] != b"href"
                || !self.selection.may_count("xml-stylesheet", Namespace::Instruction, "href")
            {
                continue;
            }
            let known = tag::content(self.bytes, attribute.value.clone(), Entities::Undeclared);
            let (name, value) = (narrow(&attribute.name), narrow(&attribute.value));
            self.found.list.push(XmlCandidate {
                element,
                namespace: Namespace::Instruction,
                scope: 0,
                place: XmlPlace::Attribute { name, is_xlink: false, value },
                content: known.unwrap_or(XmlContent::Entity),
            });
        }
        Ok(())
    }

    /// The [XML declaration](https://www.w3.org/TR/xml/#NT-XMLDecl) from `<` to `>`.
    fn declaration(&self, span: Range<usize>) -> Result<(), Fault> {
        let mut list = Vec::new();
        let inner = span.start + b"<?xml".len()..span.end - b"?>".len();
        tag::read(self.bytes, inner, &mut list, Entities::Undeclared)?;
        let is = |index: usize, name: &[u8]| {
            list.get(index).is_some_and(|one: &XmlAttribute| &self.bytes[one.name.clone()] == name)
        };
        let known = usize::from(is(1, b"encoding")) + 1;
        let known = known + usize::from(is(known, b"standalone"));
        let is_version = is(0, b"version") && self.bytes[list[0].value.clone()].starts_with(b"1.");
        if is_version && known == list.len() {
            return Ok(());
        }
        Err(Fault::new(span.start, "expected an XML declaration such as <?xml version=\"1.0\"?>"))
    }

    /// Leaves out the text of an element that has elements inside.
    fn drop_text(&mut self) {
        if let Some(Text { start, .. }) = self.text.take() {
            self.found.pieces.truncate(start);
        }
    }

    fn finish(&self) -> Result<(), Fault> {
        let end = self.bytes.len();
        match (self.open.last(), self.root) {
            (Some(open), _) => {
                let name = open.name.start as usize..open.name.end as usize;
                let why = format!("the element {} is not closed", shown(&self.bytes[name.clone()]));
                Err(Fault::new(name.start - 1, why))
            }
            (None, None) => Err(Fault::new(end, "there is no root element")),
            (None, Some(_)) => Ok(()),
        }
    }
}

/// How many bytes the reader has read.
fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

/// The name of an attribute as rows have it.
pub(crate) fn attribute_name<'n>(written: &'n [u8], local: &[u8], is_xlink: bool) -> Cow<'n, str> {
    if is_xlink {
        return Cow::Owned(format!("xlink:{}", String::from_utf8_lossy(local)));
    }
    String::from_utf8_lossy(written)
}

/// The local name of an element as rows have it.
///
/// NOTE: rows have the names of SVG in lower case, so that `lineargradient` is found too.
pub(crate) fn local_name(local: &[u8], namespace: Namespace) -> Cow<'_, str> {
    let name = String::from_utf8_lossy(local);
    if namespace == Namespace::Html || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return name;
    }
    Cow::Owned(name.to_ascii_lowercase())
}

/// Finds the first character that [XML does not allow](https://www.w3.org/TR/xml/#charsets).
fn check_characters(bytes: &[u8]) -> Result<(), Fault> {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    if let Some(at) = bytes.iter().position(is_control) {
        return Err(Fault::new(at, format!("the character U+{:04X}", bytes[at])));
    }
    let found =
        ["\u{fffe}", "\u{ffff}"].iter().filter_map(|one| memmem::find(bytes, one.as_bytes())).min();
    // In an encoding of one byte a character, they are others.
    match found.filter(|_| std::str::from_utf8(bytes).is_ok()) {
        Some(at) => Err(Fault::new(at, "a character that is none")),
        None => Ok(()),
    }
}
