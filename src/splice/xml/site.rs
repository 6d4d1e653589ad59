//! Decides on the references of a candidate in an XML document, by the rule that applies to it.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use crate::attributes::{Namespace, RequiredForm, Rule, Spot, TEXT, is_css};
use crate::edit::Edit;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{BaseNeed, Details, Document, JsonScript, LinkPass, Siblings, Site, Syntax};
use crate::reference::{Context, Decoded, Quote};
use crate::scan::xml::{
    XmlCandidate, XmlCandidates, XmlContent, XmlPart, has_entity, iterate_attributes,
    spell_attribute, spell_element, split_name, widen,
};
use crate::scan::{Interest, Piece};
use crate::splice::page::{NoOutput, Output, Page};
use crate::splice::sites::ValueContext;
use crate::splice::tags::{self, LoadedFile, TagEdit};
use crate::splice::value::{ElementText, SourceText, Value};
use crate::value::Container;

/// Decides on one candidate.
pub(super) struct CandidateDecider<'d> {
    pub(super) page: &'d Page<'d>,
    pub(super) candidates: &'d XmlCandidates,
    pub(super) interest: &'d Interest,
    pub(super) document: &'d Document,
    /// The document of the feed item around the candidate, for HTML in it.
    pub(super) item_document: Option<&'d Document>,
    pub(super) candidate: &'d XmlCandidate,
}

impl<'d> CandidateDecider<'d> {
    fn value_context(&self) -> ValueContext<'d> {
        ValueContext { page: self.page, document: self.document, interest: self.interest }
    }

    /// Decides on the references of the candidate, and passes the edits to `output`. HTML in the
    /// item of a feed is relative to the item. A candidate with an entity stays unchanged, and is
    /// only counted.
    pub(super) fn decide(
        &self,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let names = CandidateNames::new(self.page, self.candidate);
        if let Some((language, pieces)) = self.find_script(&names) {
            let text = ElementText::new(self.page, pieces);
            return text.decide_script(language, self.document, pass, output);
        }
        let Some((spot, content)) = names.find_spot(pass) else { return Ok(()) };
        let is_html = spot.grammar == Grammar::Html || self.candidate.namespace.is_in_html();
        if let Some(document) = self.item_document.filter(|_| is_html) {
            pass.base_need = BaseNeed::Ignored;
            return CandidateDecider { document, item_document: None, ..*self }
                .decide(pass, output);
        }
        let sibling = |name: &str| match name {
            TEXT => names.read_anchor_text(),
            _ => names.sibling(name),
        };
        let codebase = (spot.rule == Rule::Codebase).then(|| sibling("codebase")).flatten();
        let (element, attribute) = (&*names.element, &*names.attribute);
        let details = Details::default();
        let siblings = Siblings::new(&sibling, &details);
        let namespace = self.candidate.namespace;
        let site = Site { element, namespace, attribute, spot, codebase, siblings };
        if content != XmlContent::Known {
            return self.count_entity(&site, content, pass);
        }
        let is_instruction = namespace == Namespace::Instruction;
        let document_form = if is_instruction { RequiredForm::Any } else { self.candidates.form };
        pass.form = spot.form.max(document_form);
        let decided = match &self.candidate.part {
            XmlPart::Attribute { name, value, .. } => {
                let value = widen(value);
                if spot.rule == Rule::Base && self.document.removes_bases(pass.settings) {
                    // Only the attribute is removed, as the end tag is unknown.
                    let whole = name.start as usize..value.end + 1;
                    self.decide_attribute(value, &site, pass, &mut NoOutput)
                        .and_then(|()| output.edit_plain(whole, ""))
                } else {
                    self.decide_attribute(value, &site, pass, output)
                }
            }
            XmlPart::Text(pieces) => {
                self.decide_text(&self.candidates.pieces[widen(pieces)], &site, pass, output)
            }
        };
        pass.form = RequiredForm::Any;
        decided
    }

    /// Adds the edits of `integrity` and `crossorigin`, if the candidate names a file to load.
    pub(super) fn add_integrity_edits(&self, pass: &mut LinkPass<'_>, edits: &mut Vec<TagEdit>) {
        let XmlPart::Attribute { value, .. } = &self.candidate.part else { return };
        let names = CandidateNames::new(self.page, self.candidate);
        let Some(grammar) = tags::loaded_file_grammar(&names.element, &names.attribute) else {
            return;
        };
        let (element, value) = (self.candidate.element as usize, widen(value));
        if self.candidate.content == XmlContent::Known {
            let is_link = names.element == "link";
            let is_ignored = pass.is_ignored;
            LoadedFile { element, is_link, value, grammar, document: self.document, is_ignored }
                .edit(self.page, pass, edits);
        }
    }

    /// Returns the language and the text of a script, if it is JSON.
    fn find_script(&self, names: &CandidateNames<'_>) -> Option<(JsonScript, &[Piece])> {
        let XmlPart::Text(pieces) = &self.candidate.part else { return None };
        let namespace = self.candidate.namespace;
        let is_script =
            matches!(namespace, Namespace::Html | Namespace::Svg) && names.element == "script";
        if !is_script || self.candidate.content != XmlContent::Known {
            return None;
        }
        let language = JsonScript::from_type(&names.sibling("type")?)?;
        let is_inline = !JsonScript::is_elsewhere(namespace, |name| names.sibling(name).is_some());
        is_inline.then(|| (language, &self.candidates.pieces[widen(pieces)]))
    }

    /// Counts a candidate that stays unchanged because it has an entity.
    fn count_entity(
        &self,
        site: &Site<'_>,
        content: XmlContent,
        pass: &mut LinkPass<'_>,
    ) -> Result<(), Error> {
        let (span, has_tags) = match &self.candidate.part {
            XmlPart::Attribute { value, .. } => {
                (widen(value), decode_value(self.page, widen(value)).contains('<'))
            }
            XmlPart::Text(pieces) => {
                let pieces = &self.candidates.pieces[widen(pieces)];
                let span = pieces[0].span().start..pieces[pieces.len() - 1].span().end;
                (span, ElementText::new_html(self.page, pieces).whole_text().contains('<'))
            }
        };
        // HTML has links only in tags, and an entity of text cannot begin a tag.
        let is_html = site.spot.grammar == Grammar::Html;
        if is_html && content == XmlContent::TextEntity && !has_tags {
            return Ok(());
        }
        let source = self.page.source_range(span.clone());
        pass.entity(site, &decode_value(self.page, span), source)
    }

    fn decide_attribute(
        &self,
        span: Range<usize>,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let text = self.page.decode(span.clone());
        let source = SourceText { start: span.start, text: &text };
        let value = Value::new(source, Context::XmlAttribute);
        let is_single = self.page.bytes()[span.start - 1] == b'\'';
        let quote = if is_single { Quote::Single } else { Quote::Double };
        let mut value_output = value.output_to(quote, output);
        self.value_context().decide_value(&value, site, pass, &mut value_output)?;
        value_output.finish()
    }

    /// Decides on the text of an element; an edit of a single URL keeps the white space around it.
    fn decide_text(
        &self,
        pieces: &[Piece],
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        match site.spot.grammar {
            Grammar::Html => {
                let html = ElementText::new_html(self.page, pieces);
                let whole = html.whole_text();
                let enclosing = html.source_range(&(0..whole.len()));
                let mut output = TextOutput { text: &html, output };
                self.value_context().decide_nested(&whole, enclosing, pass, &mut output)
            }
            Grammar::Url => {
                let trimmed = trim_pieces(self.page.bytes(), pieces);
                let is_blank =
                    || ElementText::new(self.page, &trimmed).whole_text().trim_ascii().is_empty();
                // A text with white space alone is no URL, even if references represent it.
                let has_reference = |piece: &Piece| self.page.bytes()[piece.span()].contains(&b'&');
                if trimmed.is_empty() || trimmed.iter().any(has_reference) && is_blank() {
                    return Ok(());
                }
                ElementText::new(self.page, &trimmed).decide(self.document, site, pass, output)
            }
            _ => ElementText::new(self.page, pieces).decide(self.document, site, pass, output),
        }
    }
}

/// Receives edits of an element's text, and passes them on as edits of its pieces. No edit begins
/// inside a reference, as an XML reference represents a single character.
struct TextOutput<'w, 'a> {
    text: &'w ElementText<'a>,
    output: &'w mut dyn Output,
}

impl Output for TextOutput<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        self.text.edit(&Edit { span, text, container }, self.output)
    }
}

/// Returns the pieces without the white space at both ends of their text.
fn trim_pieces(bytes: &[u8], pieces: &[Piece]) -> Vec<Piece> {
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

/// An `xml:base` follows the rule of the `href` of a `base` element.
const XML_BASE: Spot = Spot { rule: Rule::Base, ..Spot::PLAIN };

/// The names of a candidate's element and attribute, as the table of attributes spells them.
struct CandidateNames<'c> {
    page: &'c Page<'c>,
    candidate: &'c XmlCandidate,
    element: Cow<'c, str>,
    attribute: Cow<'c, str>,
    /// Whether [`CandidateNames::sibling`] has returned a value with an entity.
    has_entity: Cell<bool>,
}

impl<'c> CandidateNames<'c> {
    fn new(page: &'c Page<'_>, candidate: &'c XmlCandidate) -> Self {
        let bytes = page.bytes();
        let name = &bytes[find_element_name(bytes, candidate.element)];
        let element = spell_element(split_name(name).1, candidate.namespace);
        let attribute = match &candidate.part {
            XmlPart::Text(_) => Cow::Borrowed(TEXT),
            XmlPart::Attribute { name, prefix, .. } => {
                let written = &bytes[widen(name)];
                spell_attribute(written, split_name(written).1, *prefix)
            }
        };
        Self { page, candidate, element, attribute, has_entity: Cell::new(false) }
    }

    /// Returns the value of another attribute; records in `has_entity` whether it has an entity.
    fn sibling(&self, name: &str) -> Option<String> {
        let bytes = self.page.bytes();
        // The iteration ends at the end of the tag, which is no well-formed attribute.
        let start = find_element_name(bytes, self.candidate.element).end;
        let attribute = iterate_attributes(bytes, start..bytes.len())
            .find(|other| &bytes[other.name.clone()] == name.as_bytes())?;
        self.has_entity.set(self.has_entity.get() || has_entity(&bytes[attribute.value.clone()]));
        Some(decode_value(self.page, attribute.value))
    }

    /// Reads the text of the element, if the element is an `a`.
    fn read_anchor_text(&self) -> Option<String> {
        let (page, start) = (self.page, self.candidate.element as usize);
        let end = page.bytes().len();
        (self.element == "a").then(|| tags::read_text(page, Syntax::Xml, (start, None), end))
    }

    /// Looks the candidate up in the table of attributes; also returns whether its meaning is
    /// known. If the rule depends on another attribute with an entity, returns any rule that may
    /// apply.
    fn find_spot(&self, pass: &LinkPass<'_>) -> Option<(Spot, XmlContent)> {
        let Self { candidate, element, attribute, .. } = self;
        if attribute == "xml:base" && candidate.scope != 0 {
            return Some((XML_BASE, candidate.content));
        }
        let (namespace, selection) = (candidate.namespace, &pass.settings.selection);
        let is_text = matches!(candidate.part, XmlPart::Text(_));
        let applies = |spot: &Spot| {
            let is_style = is_text && spot.grammar == Grammar::Stylesheet;
            !is_style || is_css(namespace, self.sibling("type").as_deref())
        };
        let sibling = |name: &str| self.sibling(name);
        let spot = selection.find(element, namespace, attribute, sibling).filter(applies);
        if !self.has_entity.get() {
            return Some((spot?, candidate.content));
        }
        Some((selection.find_possible(element, namespace, attribute)?, XmlContent::Entity))
    }
}

/// Finds the span of the element name that begins at the offset `element`.
pub(super) fn find_element_name(bytes: &[u8], element: u32) -> Range<usize> {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'?');
    let start = element as usize;
    let length = bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
    start..start + length
}

/// Returns an attribute value with its references decoded.
pub(super) fn decode_value(page: &Page<'_>, span: Range<usize>) -> String {
    let text = page.decode(span);
    Decoded::new(text.text(), Context::XmlAttribute).into_text().into_owned()
}
