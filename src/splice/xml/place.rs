//! Decides on one place of an XML document that may hold references.

use std::ops::Range;

use super::names::Names;
use super::text::text;
use crate::attributes::{Namespace, RequiredForm, Rule, Spot};
use crate::edit::Edit;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{Document, LinkPass, Siblings, Site};
use crate::reference::Quote;
use crate::scan::xml::{XmlCandidate, XmlCandidates, XmlContent, XmlPlace};
use crate::scan::{Interest, Piece};
use crate::splice::page::Page;
use crate::splice::sites::nested;
use crate::splice::style::{self, Style};
use crate::splice::value::{SourceText, Value};
use crate::splice::write::{NoOutput, Output};
use crate::value::Container;

/// A candidate in its document.
pub(super) struct Place<'d> {
    pub(super) page: &'d Page<'d>,
    pub(super) found: &'d XmlCandidates,
    pub(super) interest: &'d Interest,
    pub(super) document: &'d Document,
    pub(super) candidate: &'d XmlCandidate,
}

impl Place<'_> {
    pub(super) fn decide(
        &self,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let names = Names::new(self.page, self.candidate);
        let Some((spot, content)) = names.spot(pass) else { return Ok(()) };
        if content != XmlContent::Known {
            return self.entity(&names, (spot, content), pass);
        }
        let sibling = |name: &str| names.sibling(name);
        let codebase = (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
        let (element, attribute) = (&*names.element, &*names.attribute);
        let siblings = Siblings(&sibling);
        let namespace = self.candidate.namespace;
        let site = Site { element, namespace, attribute, spot, codebase, siblings };
        let is_instruction = namespace == Namespace::Instruction;
        let of_document = if is_instruction { RequiredForm::Any } else { self.found.form };
        pass.form = spot.form.max(of_document);
        let decided = self.value(&site, pass, output);
        pass.form = RequiredForm::Any;
        decided
    }

    /// Counts a value that has an entity, and that stays.
    fn entity(
        &self,
        names: &Names<'_>,
        (spot, content): (Spot, XmlContent),
        pass: &mut LinkPass<'_>,
    ) -> Result<(), Error> {
        // HTML has no link outside of a tag, which an entity of text does not begin.
        let is_html = spot.grammar == Grammar::Html;
        if is_html && content == XmlContent::TextEntity && !self.has_tags() {
            return Ok(());
        }
        let span = match &self.candidate.place {
            XmlPlace::Attribute { value, .. } => value.start as usize..value.end as usize,
            XmlPlace::Text(pieces) => {
                let pieces = &self.found.pieces[pieces.start as usize..pieces.end as usize];
                pieces[0].span().start..pieces[pieces.len() - 1].span().end
            }
        };
        let (element, attribute) = (&*names.element, &*names.attribute);
        let sibling = |name: &str| names.sibling(name);
        let (namespace, siblings) = (self.candidate.namespace, Siblings(&sibling));
        let site = Site { element, namespace, attribute, spot, codebase: None, siblings };
        let source = self.page.source_range(span.clone());
        pass.entity(&site, &text(self.page, span), source)
    }

    /// Whether the HTML document that the candidate is may have a tag.
    fn has_tags(&self) -> bool {
        match &self.candidate.place {
            XmlPlace::Attribute { value, .. } => {
                text(self.page, value.start as usize..value.end as usize).contains('<')
            }
            XmlPlace::Text(pieces) => {
                let pieces = &self.found.pieces[pieces.start as usize..pieces.end as usize];
                Style::of_html(self.page, pieces).whole().contains('<')
            }
        }
    }

    fn value(
        &self,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        match &self.candidate.place {
            XmlPlace::Attribute { name, value, .. } => {
                let span = value.start as usize..value.end as usize;
                if site.spot.rule == Rule::Base && self.document.removes_bases(pass.settings) {
                    self.attribute(span, site, pass, &mut NoOutput)?;
                    // The element stays: to find its end tag would take another scan.
                    return output.plain(name.start as usize..value.end as usize + 1, "");
                }
                self.attribute(span, site, pass, output)
            }
            XmlPlace::Text(pieces) => {
                let pieces = &self.found.pieces[pieces.start as usize..pieces.end as usize];
                self.text(pieces, site, pass, output)
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
                if trimmed.is_empty() || self.is_blank(&trimmed) {
                    return Ok(());
                }
                style::pieces(self.page, &trimmed, self.document, site, pass, output)
            }
            _ => style::pieces(self.page, pieces, self.document, site, pass, output),
        }
    }

    /// Whether the text of pieces is white space alone, written as character references.
    fn is_blank(&self, pieces: &[Piece]) -> bool {
        let has_reference = |piece: &Piece| self.page.bytes()[piece.span()].contains(&b'&');
        pieces.iter().any(has_reference)
            && Style::new(self.page, pieces).whole().trim_ascii().is_empty()
    }

    /// Decides on the links of the HTML document that is the text of an element.
    fn document_inside(
        &self,
        pieces: &[Piece],
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let style = Style::of_html(self.page, pieces);
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
