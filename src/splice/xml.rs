//! Decides on the links of an XML document.

use std::borrow::Cow;
use std::ops::Range;

use super::page::Page;
use super::sites::nested;
use super::style::{self, Style};
use super::value::{SourceText, Value};
use super::write::Output;
use crate::attributes::{EmptyValue, Namespace, Rule, Spot, TEXT, is_css};
use crate::base::{BaseLayer, ResolvedBase};
use crate::edit::Edit;
use crate::error::{Error, Limit};
use crate::grammar::Grammar;
use crate::link::{Document, LinkPass, Siblings, Site};
use crate::reference::{Context, Decoded, Quote};
use crate::scan::xml::{
    XmlCandidate, XmlCandidates, XmlContent, XmlPlace, attribute_name, attributes, local_name,
    split,
};
use crate::scan::{Interest, Piece};
use crate::value::Container;

/// How `xml:base` holds its reference: as the `href` of a `base` element does.
const XML_BASE: Spot = Spot { grammar: Grammar::Url, rule: Rule::Base, empty: EmptyValue::Stays };

/// Bytes that the base URLs of the scopes around a place may have together: every one may repeat
/// the one around it.
const MAX_BASES: usize = 16 * 1024 * 1024;

/// Decides on every link of an XML document, and returns its base: that of a `base` element of
/// XHTML, else its own URL. An [`xml:base`](https://www.w3.org/TR/xmlbase/) counts for the element
/// that has it.
pub(super) fn decide(
    page: &Page<'_>,
    (found, interest): (&XmlCandidates, &Interest),
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let href = found.base.clone().map(|span| text(page, span));
    let place = found.base.as_ref().map(|span| page.place(span.start));
    let document = Document::new(href.as_deref(), below, pass.encoding, pass.settings, place)?;
    let instructions = Document::new(None, below, pass.encoding, pass.settings, None)?;
    let established = document.established.clone();
    let mut scopes = Scopes { page, found, length: 0, open: vec![(0, document)] };
    for candidate in &found.list {
        if candidate.content == XmlContent::Entity {
            entity(page, candidate, pass);
            continue;
        }
        let document = match candidate.namespace {
            Namespace::Instruction => &instructions,
            _ => scopes.enter(candidate.scope, pass)?,
        };
        Place { page, found, interest, document, candidate }.decide(pass, output)?;
    }
    Ok(established)
}

/// Counts a value that an entity is in, and that stays.
fn entity(page: &Page<'_>, candidate: &XmlCandidate, pass: &mut LinkPass<'_>) {
    let Some(spot) = Names::new(page, candidate).spot(pass) else { return };
    if spot.grammar != Grammar::Html {
        pass.counts.links += 1;
        pass.counts.kept += 1;
    }
}

/// The documents of the scopes around a place, from the outermost.
struct Scopes<'d> {
    page: &'d Page<'d>,
    found: &'d XmlCandidates,
    /// Bytes of their base URLs.
    length: usize,
    open: Vec<(u32, Document)>,
}

impl Scopes<'_> {
    /// The document of a scope. Scopes come in the order of the source, so that each is entered
    /// once.
    fn enter(&mut self, scope: u32, pass: &LinkPass<'_>) -> Result<&Document, Error> {
        let mut missing = Vec::new();
        let mut next = scope;
        let known = loop {
            match self.open.binary_search_by_key(&next, |(number, _)| *number) {
                Ok(known) => break known,
                Err(_) => missing.push(next),
            }
            next = self.found.scopes.get(next as usize).map_or(0, |scope| scope.outer);
        };
        for (_, document) in self.open.drain(known + 1..) {
            self.length -= length(&document);
        }
        for number in missing.into_iter().rev() {
            self.push(number, pass)?;
        }
        let last = self.open.len() - 1;
        Ok(&self.open[last].1)
    }

    fn push(&mut self, number: u32, pass: &LinkPass<'_>) -> Result<(), Error> {
        let span = self.found.scopes[number as usize].base.clone().unwrap_or_default();
        let span = span.start as usize..span.end as usize;
        let place = self.page.place(span.start);
        let href = text(self.page, span);
        let outer = &self.open[self.open.len() - 1].1;
        let document = outer.scope(&href, pass.encoding, pass.settings, place)?;
        self.length += length(&document);
        if self.length > MAX_BASES {
            return Err(Error::limit(Limit::BaseUrl, MAX_BASES, Some(place)));
        }
        self.open.push((number, document));
        Ok(())
    }
}

/// Bytes of the base URLs that a document keeps.
fn length(document: &Document) -> usize {
    let bytes = |layer: &BaseLayer| layer.base().map_or(0, |base| base.as_str().len());
    bytes(&document.established.layer) + bytes(&document.established.below)
}

/// The text of an attribute value.
fn text(page: &Page<'_>, span: Range<usize>) -> String {
    let text = page.text(span);
    Decoded::new(text.text(), Context::XmlAttribute).into_text().into_owned()
}

/// The names by which rows are found.
struct Names<'c> {
    page: &'c Page<'c>,
    candidate: &'c XmlCandidate,
    element: Cow<'c, str>,
    attribute: Cow<'c, str>,
}

impl<'c> Names<'c> {
    fn new(page: &'c Page<'_>, candidate: &'c XmlCandidate) -> Self {
        let bytes = page.bytes();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'?');
        let rest = &bytes[candidate.element as usize..];
        let name = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        let element = local_name(split(name).1, candidate.namespace);
        let attribute = match &candidate.place {
            XmlPlace::Text(_) => Cow::Borrowed(TEXT),
            XmlPlace::Attribute { name, is_xlink, .. } => {
                let written = &bytes[name.start as usize..name.end as usize];
                attribute_name(written, split(written).1, *is_xlink)
            }
        };
        Self { page, candidate, element, attribute }
    }

    /// The value of another attribute of the element.
    fn sibling(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        let start = self.candidate.element as usize;
        let rest = &bytes[start..];
        let length = rest.iter().position(u8::is_ascii_whitespace)?;
        // The first that is malformed is the end of the tag.
        let found = attributes(bytes, start + length..bytes.len())
            .find(|one| &bytes[one.name.clone()] == name.as_bytes())?;
        Some(text(self.page, found.value))
    }

    /// How the candidate holds references, if it does.
    fn spot(&self, pass: &LinkPass<'_>) -> Option<Spot> {
        let namespace = self.candidate.namespace;
        let is_base = self.attribute == "xml:base" && self.candidate.scope != 0;
        let selection = &pass.settings.selection;
        let sibling = |name: &str| self.sibling(name);
        if is_base && !selection.may_count(&self.element, namespace, &self.attribute) {
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

/// A candidate whose value is known, in its document.
struct Place<'d> {
    page: &'d Page<'d>,
    found: &'d XmlCandidates,
    interest: &'d Interest,
    document: &'d Document,
    candidate: &'d XmlCandidate,
}

impl Place<'_> {
    fn decide(&self, pass: &mut LinkPass<'_>, output: &mut dyn Output) -> Result<(), Error> {
        let names = Names::new(self.page, self.candidate);
        let Some(spot) = names.spot(pass) else { return Ok(()) };
        let sibling = |name: &str| names.sibling(name);
        let codebase = (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
        let (element, attribute) = (&*names.element, &*names.attribute);
        let siblings = Siblings(&sibling);
        let site = Site { element, attribute, spot, codebase, siblings };
        match &self.candidate.place {
            XmlPlace::Attribute { name, value, .. } => {
                self.attribute(value.start as usize..value.end as usize, &site, pass, output)?;
                if spot.rule == Rule::Base && self.document.removes_bases(pass.settings) {
                    // The element stays: to find its end tag would take another scan.
                    output.plain(name.start as usize..value.end as usize + 1, "")?;
                }
                Ok(())
            }
            XmlPlace::Text(pieces) => {
                let pieces = &self.found.pieces[pieces.start as usize..pieces.end as usize];
                self.text(pieces, &site, pass, output)
            }
        }
    }

    fn attribute(
        &self,
        span: Range<usize>,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let text = self.page.text(span.clone());
        let source = SourceText { start: span.start, text: &text };
        let value = Value::of_xml(source);
        let quote = match self.page.bytes()[span.start - 1] {
            b'\'' => Quote::Single,
            _ => Quote::Double,
        };
        let mut value_output = value.output_to(quote, output);
        if site.spot.grammar == Grammar::Html {
            let enclosing = self.page.source_range(span);
            nested(value.text(), self.document, enclosing, pass, self.interest, &mut value_output)?;
            return value_output.finish();
        }
        let span_of = |span: Range<usize>| Some(self.page.source_range(value.bytes(span)));
        let mut give = |edit: Edit<'_>| value_output.edit(edit.span, edit.text, edit.container);
        pass.value(self.document, site, value.text(), &span_of, &mut give)?;
        value_output.finish()
    }

    /// Decides on the text of an element, from its first character to its last that is not white
    /// space, if it is one URL.
    fn text(
        &self,
        pieces: &[Piece],
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        match site.spot.grammar {
            Grammar::Html => self.document_inside(pieces, pass, output),
            Grammar::Url => {
                let trimmed = trimmed(self.page.bytes(), pieces);
                if trimmed.is_empty() {
                    return Ok(());
                }
                style::pieces(self.page, &trimmed, self.document, site, pass, output)
            }
            _ => style::pieces(self.page, pieces, self.document, site, pass, output),
        }
    }

    /// Decides on the links of the HTML document that is the text of an element.
    fn document_inside(
        &self,
        pieces: &[Piece],
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let style = Style::new(self.page, pieces);
        let whole = style.whole();
        let enclosing = style.source_range(&(0..whole.len()));
        let mut text_output = TextOutput { text: &style, output };
        nested(&whole, self.document, enclosing, pass, self.interest, &mut text_output)
    }
}

/// Takes edits of the text of an element, and gives them on as edits of its pieces. One reference
/// of XML represents one character, so that no edit begins inside of one.
struct TextOutput<'w, 'a> {
    text: &'w Style<'a>,
    output: &'w mut dyn Output,
}

impl Output for TextOutput<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        self.text.edit(&Edit { span, text, container }, self.output)
    }
}

/// The pieces without the white space at both ends.
fn trimmed(bytes: &[u8], pieces: &[Piece]) -> Vec<Piece> {
    let is_blank = |piece: &&Piece| bytes[piece.span()].trim_ascii().is_empty();
    let first = pieces.iter().take_while(is_blank).count();
    let last = pieces[first..].iter().rev().take_while(is_blank).count();
    let mut trimmed = pieces[first..pieces.len() - last].to_vec();
    let length = |text: &[u8]| u32::try_from(text.len()).unwrap_or_default();
    if let Some(piece) = trimmed.first_mut() {
        piece.start = piece.end - length(bytes[piece.span()].trim_ascii_start());
    }
    if let Some(piece) = trimmed.last_mut() {
        piece.end = piece.start + length(bytes[piece.span()].trim_ascii_end());
    }
    trimmed
}
