//! Turns edits of the text of an element into edits of the source: a `style` element of HTML, an
//! element of XML, or a style sheet that is a document.
//!
//! In foreign content and in XML the text is in pieces, between tags, comments and CDATA sections.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use super::page::Page;
use super::value::{SourceText, closing, whole_references};
use super::write::Output;
use crate::attributes::{Namespace, Spot, TEXT};
use crate::base::{BaseLayer, ResolvedBase};
use crate::edit::Edit;
use crate::encoding::Decoding;
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{self, Document, JsonScript, LinkPass, Siblings, Site};
use crate::reference::{Context, Decoded, encode_text, encode_xml};
use crate::scan::{Piece, TextKind};

/// The spot of the text of a style sheet, as if in an element without name.
const SHEET: Spot = Spot { grammar: Grammar::Stylesheet, ..Spot::PLAIN };

/// Decides on every link of a style sheet that is a document, and returns its base, which is its
/// own URL ([CSS Values](https://www.w3.org/TR/css-values-4/#relative-urls)).
pub(super) fn sheet(
    page: &Page<'_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let document = Document::new(None, below, pass.encoding, pass.settings, None)?;
    if pass.settings.selection.has_styles() {
        let (namespace, siblings) = (Namespace::Other, Siblings::NONE);
        let site =
            Site { element: "", namespace, attribute: TEXT, spot: SHEET, codebase: None, siblings };
        // A document has less than 4 GiB (`Page::new`).
        let end = u32::try_from(page.bytes().len()).unwrap_or(u32::MAX);
        let text = [Piece { start: 0, end, kind: TextKind::Raw }];
        Style::new(page, &text).decide(&document, &site, pass, output)?;
    }
    Ok(document.established)
}

/// The text of an element.
///
/// There can be as many pieces as tags and comments, so only one is kept decoded. References
/// ascend: a reference that continues after its piece causes a few pieces to be decoded again, each
/// of them for at most two such references.
pub(super) struct Style<'a> {
    page: &'a Page<'a>,
    pieces: &'a [Piece],
    /// The whole text, if there are two pieces or more.
    text: String,
    /// The end of the text of each piece in the whole text.
    ends: Vec<usize>,
    content: TextContent,
    current: RefCell<Rc<Part<'a>>>,
}

/// The kind of text of an element, which decides how a CDATA section writes characters that the
/// encoding lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextContent {
    /// A URL or a style sheet, which needs percent-encoding.
    Value,
    /// HTML, which has its own character references.
    Html,
}

/// A decoded piece.
struct Part<'a> {
    index: usize,
    text: Decoding<'a>,
    decoded: Decoded<'a>,
}

impl<'a> Part<'a> {
    fn new(page: &'a Page<'a>, pieces: &[Piece], index: usize) -> Self {
        let context = context(pieces[index].kind);
        let text = page.text(pieces[index].span());
        let source = text.borrowed().map_or_else(|| text.text().to_owned().into(), Cow::Borrowed);
        Self { index, decoded: Decoded::from_cow(source, context), text }
    }
}

/// The context whose character references apply to a text.
pub(super) fn context(kind: TextKind) -> Context {
    match kind {
        TextKind::Escapable => Context::Text,
        TextKind::Raw | TextKind::Cdata => Context::RawText,
        TextKind::Xml => Context::XmlText,
    }
}

impl<'a> Style<'a> {
    pub(super) fn new(page: &'a Page<'a>, pieces: &'a [Piece]) -> Self {
        let first = Part::new(page, pieces, 0);
        let ends = vec![first.decoded.text().len()];
        let current = RefCell::new(Rc::new(first));
        let content = TextContent::Value;
        let mut style = Self { page, pieces, text: String::new(), ends, content, current };
        if pieces.len() > 1 {
            style.text.reserve(pieces.iter().map(|piece| piece.span().len()).sum());
            style.text.push_str(style.part(0).decoded.text());
            style.ends.reserve(pieces.len());
        }
        for index in 1..pieces.len() {
            style.text.push_str(style.part(index).decoded.text());
            style.ends.push(style.text.len());
        }
        style
    }

    /// The text of an element whose content is HTML.
    pub(super) fn of_html(page: &'a Page<'a>, pieces: &'a [Piece]) -> Self {
        Self { content: TextContent::Html, ..Self::new(page, pieces) }
    }

    /// Decides on the references in the text of a `style` element, which has at least one piece,
    /// and edits it: the new text goes into the piece in which an edit begins, and the replaced
    /// text is removed from the pieces after it.
    pub(super) fn decide(
        &self,
        document: &Document,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let first = self.part(0);
        let whole = if self.pieces.len() == 1 { first.decoded.text() } else { &self.text };
        let span_of = |span: Range<usize>| Some(self.source_range(&span));
        pass.value(document, site, whole, &span_of, &mut |edit| self.edit(&edit, output))
    }

    /// Decides on the links in the text of a script that is JSON.
    pub(super) fn script(
        &self,
        language: JsonScript,
        document: &Document,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let span_of = |span: Range<usize>| Some(self.source_range(&span));
        let mut give = |edit: Edit<'_>| self.edit(&edit, output);
        link::decide_on_script(language, &self.whole(), document, pass, &span_of, &mut give)
    }

    fn part(&self, index: usize) -> Rc<Part<'a>> {
        let mut current = self.current.borrow_mut();
        if current.index != index {
            *current = Rc::new(Part::new(self.page, self.pieces, index));
        }
        Rc::clone(&current)
    }

    /// The pieces that contain a part of the whole text; at least one.
    fn parts(&self, span: &Range<usize>) -> RangeInclusive<usize> {
        let most = self.pieces.len() - 1;
        // An offset between two pieces belongs to the second one.
        let first = self.ends.partition_point(|&end| end <= span.start).min(most);
        let after = self.ends[first..].partition_point(|&end| end < span.end);
        first..=(first + after).min(most)
    }

    /// The part of a piece that a part of the whole text covers.
    fn covered(&self, span: &Range<usize>, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        span.start.max(start) - start..span.end.min(self.ends[index]) - start
    }

    /// Maps a part of a piece to the page's bytes.
    fn bytes(&self, part: &Part<'_>, written: Range<usize>) -> Range<usize> {
        let start = self.pieces[part.index].span().start;
        SourceText { start, text: &part.text }.bytes(written)
    }

    /// The whole text, decoded.
    pub(super) fn whole(&self) -> Cow<'_, str> {
        if self.pieces.len() == 1 {
            return Cow::Owned(self.part(0).decoded.text().to_owned());
        }
        Cow::Borrowed(&self.text)
    }

    /// Maps a part of the whole text to the source.
    pub(super) fn source_range(&self, span: &Range<usize>) -> Range<usize> {
        let place = |index: usize| {
            let part = self.part(index);
            let written = part.decoded.source_range(self.covered(span, index));
            self.page.source_range(self.bytes(&part, written))
        };
        let parts = self.parts(span);
        let first = place(*parts.start());
        let last = if parts.start() == parts.end() { first.end } else { place(*parts.end()).end };
        first.start..last
    }

    /// Edits a part of the whole text, across its pieces.
    pub(super) fn edit(&self, edit: &Edit<'_>, output: &mut dyn Output) -> Result<(), Error> {
        let mut rest = edit.text;
        for index in self.parts(&edit.span) {
            let part = self.part(index);
            let decoded = &part.decoded;
            let new = std::mem::take(&mut rest);
            let (span, new) = whole_references(decoded, self.covered(&edit.span, index), new);
            let span = decoded.source_range(span);
            let text = match self.pieces[index].kind {
                TextKind::Escapable => {
                    let written = part.text.text();
                    let mut text = String::from(closing(decoded, written, &span, &new));
                    encode_text(&new, &written[span.end..], &mut text);
                    Cow::Owned(text)
                }
                TextKind::Cdata => {
                    let new = new.replace("]]>", "]]%3E");
                    Cow::Owned(match self.content {
                        TextContent::Value => self.page.percent_encode(&new).into_owned(),
                        TextContent::Html => new,
                    })
                }
                TextKind::Raw => new,
                TextKind::Xml => {
                    let mut text = String::new();
                    encode_xml(&new, None, &mut text);
                    Cow::Owned(text)
                }
            };
            output.edit(self.bytes(&part, span), &text, edit.container)?;
        }
        Ok(())
    }
}
