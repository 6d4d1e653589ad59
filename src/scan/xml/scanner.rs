//! Reads an XML document from its start to its end.

use std::ops::Range;

use memchr::{memchr2, memchr3, memmem};
use quick_xml::errors::IllFormedError;
use quick_xml::events::Event;
use quick_xml::{Error, Reader};

use super::doctype::Entities;
use super::tag::{self, Namespaces, XmlAttribute, is_space};
use super::{
    Fault, ItemLink, Prefix, Root, XmlCandidate, XmlCandidates, XmlContent, XmlPart,
    check_characters, narrow, quote_name, widen,
};
use crate::attributes::Namespace;
use crate::link::Settings;
use crate::reference::is_name;
use crate::scan::candidates::Piece;
use crate::scan::{Interest, TextKind};

impl XmlCandidates {
    /// Finds the attributes and texts that may hold references.
    ///
    /// # Errors
    ///
    /// If the document is not well-formed.
    pub(crate) fn scan(
        &mut self,
        bytes: &[u8],
        settings: &Settings,
        interest: &Interest,
    ) -> Result<(), Fault> {
        self.clear();
        check_characters(bytes)?;
        let mut scanner = XmlScanner {
            bytes,
            settings,
            has_facts: interest.has_facts(),
            marker: None,
            found: self,
            namespaces: Namespaces::default(),
            open: Vec::new(),
            attributes: Vec::new(),
            root: None,
            has_doctype: false,
            entities: Entities::default(),
            text: None,
            item: None,
        };
        scanner.read_document()
    }
}

/// The state of a scan. The number of open elements is the depth that `marker` and `item` refer to.
pub(super) struct XmlScanner<'s, 'f> {
    pub(super) bytes: &'s [u8],
    pub(super) settings: &'f Settings,
    /// Whether facts besides links are collected: anchors, `base` elements, and all
    /// [markers](crate::link::MARKERS) instead of absolve's own.
    pub(super) has_facts: bool,
    /// The depth of the outermost open element with a marker, and the offset of its name.
    pub(super) marker: Option<(usize, u32)>,
    pub(super) found: &'f mut XmlCandidates,
    pub(super) namespaces: Namespaces<'s>,
    pub(super) open: Vec<Element>,
    pub(super) attributes: Vec<XmlAttribute>,
    pub(super) root: Option<Root>,
    has_doctype: bool,
    pub(super) entities: Entities<'s>,
    /// The text of the innermost element, if it may hold references.
    pub(super) text: Option<OpenText>,
    /// The depth of the open item of a feed.
    pub(super) item: Option<usize>,
}

/// An open element.
pub(super) struct Element {
    pub(super) name: Range<u32>,
    /// The number of namespace declarations in effect around the element.
    pub(super) declarations: u32,
    pub(super) namespace: Namespace,
    pub(super) scope: u32,
}

/// The text of an element so far.
pub(super) struct OpenText {
    /// The index of the first piece.
    pub(super) start: usize,
    pub(super) content: XmlContent,
    /// The kind of link, if the text is the link of a feed item.
    pub(super) item_link: Option<ItemLink>,
    /// Whether the element is a script with JSON.
    pub(super) is_json: bool,
}

impl XmlScanner<'_, '_> {
    fn read_document(&mut self) -> Result<(), Fault> {
        // The reader would skip a second byte order mark.
        if self.bytes.starts_with("\u{feff}".as_bytes()) {
            return Err(Fault::new(0, "text outside of the root element"));
        }
        let mut reader = Reader::from_reader(self.bytes);
        let config = reader.config_mut();
        config.check_comments = true;
        // [`XmlScanner::read_text`] reports a stray `&`.
        config.allow_dangling_amp = true;
        loop {
            let start = read_length(&reader);
            let event = reader.read_event();
            let event = event.map_err(|error| to_fault(reader.error_position(), error))?;
            let span = start..read_length(&reader);
            match event {
                Event::Start(_) => self.read_start_tag(span.start + 1..span.end - 1, false)?,
                Event::Empty(_) => self.read_start_tag(span.start + 1..span.end - 2, true)?,
                Event::End(_) => self.read_end_tag(span.end),
                Event::Text(_) | Event::GeneralRef(_) => self.read_text(span)?,
                Event::CData(_) => self.read_cdata(&span)?,
                Event::PI(_) => self.read_instruction(span)?,
                Event::Decl(_) if self.bytes[..start].iter().all(|byte| is_space(*byte)) => {
                    self.found.late_declaration = (start > 0).then_some(start);
                }
                Event::Decl(_) => {
                    let why = "an XML declaration must be at the start of the document";
                    return Err(Fault::new(start, why));
                }
                Event::DocType(_) if self.root.is_some() || self.has_doctype => {
                    let why = "a document type declaration must come once, before the root element";
                    return Err(Fault::new(start, why));
                }
                Event::DocType(_) => {
                    self.has_doctype = true;
                    self.entities = Entities::from_doctype(self.bytes, span);
                }
                Event::Comment(_) => {}
                Event::Eof => return self.finish(),
            }
        }
    }

    /// Processes the end tag whose `>` precedes `end`; the reader has checked its name.
    fn read_end_tag(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        self.namespaces.undo_to(open.declarations as usize);
        self.leave_marked(end);
        self.leave_item(end);
        if let Some(OpenText { start, content, item_link, is_json }) = self.text.take()
            && start < self.found.pieces.len()
            && (is_json || self.may_hold_reference(open.namespace, start))
        {
            let pieces = narrow(&(start..self.found.pieces.len()));
            let part = XmlPart::Text(pieces);
            if let (Some(kind), XmlContent::Known) = (item_link, content) {
                self.found.add_item_link(kind, part.clone(), open.scope);
            }
            self.found.push(XmlCandidate {
                element: open.name.start,
                namespace: open.namespace,
                scope: open.scope,
                part,
                content,
            });
        }
    }

    /// Whether the text in the pieces from `start` on may hold a reference: a style sheet without
    /// functions and at-rules has no reference.
    fn may_hold_reference(&mut self, namespace: Namespace, start: usize) -> bool {
        let mut pieces = self.found.pieces[start..].iter();
        let may_have_link =
            |piece: &Piece| memchr3(b'(', b'@', b'&', &self.bytes[piece.span()]).is_some();
        !namespace.is_in_html() || self.settings.selection.has_extra() || pieces.any(may_have_link)
    }

    /// Checks a text, and adds it to the text of the innermost element.
    fn read_text(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let text = &self.bytes[span.clone()];
        if self.open.is_empty() {
            let Some(at) = text.iter().position(|byte| !is_space(*byte)) else { return Ok(()) };
            return Err(Fault::new(span.start + at, "text outside of the root element"));
        }
        let mut content = XmlContent::Known;
        if memchr2(b'&', b']', text).is_some() {
            if let Some(at) = memmem::find(text, b"]]>") {
                return Err(Fault::new(span.start + at, "']]>' in text; write its '>' as &gt;"));
            }
            content = tag::check_references(self.bytes, span.clone(), &self.entities)?;
        }
        if content == XmlContent::Entity {
            self.enter_markup();
        }
        let Some(open_text) = &mut self.text else { return Ok(()) };
        open_text.content = open_text.content.max(content);
        let Range { start, end } = narrow(&span);
        let pieces = &mut self.found.pieces;
        let is_first = pieces.len() == open_text.start;
        // The reader reports a reference separately from the text around it; both become one piece.
        match pieces.last_mut() {
            Some(last) if !is_first && last.kind == TextKind::Xml && last.end == start => {
                last.end = end;
            }
            _ => pieces.push(Piece { start, end, kind: TextKind::Xml }),
        }
        Ok(())
    }

    fn read_cdata(&mut self, span: &Range<usize>) -> Result<(), Fault> {
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

    fn finish(&self) -> Result<(), Fault> {
        let end = self.bytes.len();
        match (self.open.last(), self.root) {
            (Some(open), _) => {
                let name = widen(&open.name);
                let why =
                    format!("the element {} is not closed", quote_name(&self.bytes[name.clone()]));
                Err(Fault::new(name.start - 1, why))
            }
            (None, None) => Err(Fault::new(end, "there is no root element")),
            (None, Some(_)) => Ok(()),
        }
    }
}

/// Converts an error of the reader to a fault.
fn to_fault(at: u64, error: Error) -> Fault {
    let quote = |name: String| quote_name(name.as_bytes());
    let why = match error {
        Error::IllFormed(IllFormedError::UnmatchedEndTag(name)) => {
            format!("the end tag {} has no start tag", quote(name))
        }
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            let (expected, found) = (quote(expected), quote(found));
            format!("the end tag {found} does not match the start tag {expected}")
        }
        error => error.to_string(),
    };
    Fault::new(usize::try_from(at).unwrap_or(usize::MAX), why)
}

/// Returns the number of bytes that the reader has read.
fn read_length(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

impl XmlScanner<'_, '_> {
    /// Processes the processing instruction from `<` to `>`.
    pub(super) fn read_instruction(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let inner = span.start + 2..span.end - 2;
        let text = &self.bytes[inner.clone()];
        let target = text.split(|byte| is_space(*byte)).next().unwrap_or_default();
        if !is_name(target) || target.contains(&b':') || target.eq_ignore_ascii_case(b"xml") {
            let why = format!("{} is not the target of an instruction", quote_name(target));
            return Err(Fault::new(inner.start, why));
        }
        if target != b"xml-stylesheet"
            || self.root.is_some()
            || !self.settings.selection.may_count("xml-stylesheet", Namespace::Instruction, "href")
        {
            return Ok(());
        }
        let is_href = |other: &XmlAttribute| &self.bytes[other.name.clone()] == b"href";
        let rest = inner.start + target.len()..inner.end;
        for XmlAttribute { name, value, .. } in
            tag::iterate_attributes(self.bytes, rest).filter(is_href)
        {
            // An instruction cannot refer to declared entities.
            let content = tag::check_references(self.bytes, value.clone(), &Entities::default());
            let (name, value) = (narrow(&name), narrow(&value));
            self.found.push(XmlCandidate {
                element: narrow(&inner).start,
                namespace: Namespace::Instruction,
                scope: 0,
                part: XmlPart::Attribute { name, prefix: Prefix::AsWritten, value },
                content: content.unwrap_or(XmlContent::Entity),
            });
        }
        Ok(())
    }
}
