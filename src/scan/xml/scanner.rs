//! Reads an XML document from its start to its end.

use std::ops::Range;

use memchr::{memchr2, memchr3, memmem};
use quick_xml::Reader;
use quick_xml::errors::IllFormedError;
use quick_xml::events::Event;

use super::candidates::{Facts, Root, XmlCandidate, XmlCandidates, XmlContent, XmlPlace, narrow};
use super::declarations::{Declarations, Standalone};
use super::fault::{Fault, shown};
use super::namespaces::Namespaces;
use super::replacement::Place;
use super::tag::{self, XmlAttribute, is_space};
use super::{characters, doctype};
use crate::attributes::{Namespace, Selection};
use crate::link::BaseScope;
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
        facts: Facts,
    ) -> Result<(), Fault> {
        self.clear();
        characters::check_characters(bytes)?;
        let mut scanner = Scanner {
            bytes,
            selection,
            base_scope: scope,
            facts,
            marker: None,
            found: self,
            namespaces: Namespaces::new(),
            open: Vec::new(),
            attributes: Vec::new(),
            root: None,
            standalone: Standalone::No,
            declared: Declarations::default(),
            text: None,
        };
        scanner.document()
    }
}

pub(super) struct Scanner<'s, 'f> {
    pub(super) bytes: &'s [u8],
    pub(super) selection: &'f Selection,
    pub(super) base_scope: BaseScope,
    pub(super) facts: Facts,
    /// How many elements are around the outermost one with a marker, and where that begins.
    pub(super) marker: Option<(usize, u32)>,
    pub(super) found: &'f mut XmlCandidates,
    pub(super) namespaces: Namespaces<'s>,
    pub(super) open: Vec<Open>,
    pub(super) attributes: Vec<XmlAttribute>,
    pub(super) root: Option<Root>,
    pub(super) standalone: Standalone,
    pub(super) declared: Declarations<'s>,
    /// The text of the innermost element, if it may hold references.
    pub(super) text: Option<Text>,
}

/// An element that is open.
pub(super) struct Open {
    pub(super) name: Range<u32>,
    /// How many declarations of namespaces were in force before it.
    pub(super) declarations: u32,
    pub(super) namespace: Namespace,
    pub(super) scope: u32,
}

/// The text of an element so far.
pub(super) struct Text {
    /// Where it begins in the pieces.
    pub(super) start: usize,
    pub(super) content: XmlContent,
}

impl<'s> Scanner<'s, '_> {
    fn document(&mut self) -> Result<(), Fault> {
        let bytes = self.bytes;
        let (mut origin, mut reader) = self.reader(0)?;
        loop {
            let start = origin + position(&reader);
            if bytes[start..].starts_with(doctype::START) {
                if self.root.is_some() || self.declared.is_present() {
                    let why = "a document type declaration must come once, before the root element";
                    return Err(Fault::new(start, why));
                }
                let end;
                (end, self.declared) = doctype::read(bytes, start, self.standalone)?;
                let unread = self.declared.unread_default();
                self.found.unknown_namespace = unread.map(|value| narrow(&value));
                (origin, reader) = self.reader(end)?;
                continue;
            }
            let event = reader.read_event().map_err(|error| {
                let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                let at = origin.saturating_add(at);
                match error {
                    quick_xml::Error::IllFormed(IllFormedError::UnclosedReference)
                        if bytes.get(at) == Some(&b'&') =>
                    {
                        tag::not_a_reference(bytes, at..bytes.len())
                    }
                    error => Fault::new(at, error.to_string()),
                }
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
        self.leave_marked(span.end);
        if let Some(Text { start, content }) = self.text.take()
            && start < self.found.pieces.len()
            && self.may_hold(open.namespace, start)
        {
            let pieces = narrow(&(start..self.found.pieces.len()));
            self.found.push(XmlCandidate {
                element: open.name.start,
                namespace: open.namespace,
                scope: open.scope,
                place: XmlPlace::Text(pieces),
                content,
            });
        }
        Ok(())
    }

    /// Whether text in pieces from here on may hold a reference. That of a style sheet without a
    /// function and a rule does not.
    fn may_hold(&mut self, namespace: Namespace, start: usize) -> bool {
        let mut pieces = self.found.pieces[start..].iter();
        let has_some =
            |piece: &Piece| memchr3(b'(', b'@', b'&', &self.bytes[piece.span()]).is_some();
        !namespace.is_in_html() || self.selection.has_extra() || pieces.any(has_some)
    }

    fn text(&mut self, span: Range<usize>) -> Result<(), Fault> {
        let text = &self.bytes[span.clone()];
        if self.open.is_empty() {
            let outside = text.iter().position(|byte| !is_space(*byte));
            return outside.map_or(Ok(()), |at| {
                Err(Fault::new(span.start + at, "text outside of the root element"))
            });
        }
        let mut content = XmlContent::Known;
        if memchr2(b'&', b']', text).is_some() {
            if let Some(at) = memmem::find(text, b"]]>") {
                return Err(Fault::new(span.start + at, "']]>' in text; write its '>' as &gt;"));
            }
            let check = &mut |name: &[u8]| self.declared.check_reference(name, Place::Content);
            content = tag::content(self.bytes, span.clone(), check)?;
        }
        if content == XmlContent::Entity {
            self.enter_markup();
        }
        let Some(own) = &mut self.text else { return Ok(()) };
        own.content = own.content.max(content);
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
