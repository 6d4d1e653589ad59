//! Turns edits of decoded text into edits of the page's bytes. The text is the value of an
//! attribute, a string of JSON, the text of an element of HTML or XML, or a whole style sheet.
//!
//! New text cannot end a value early: it is escaped for the existing quotes, and a value without
//! quotes gets quotes if the new text needs them. In foreign content and in XML, the text of an
//! element is in pieces, between tags, comments and CDATA sections.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;

use super::page::{Output, Page, pass_edits};
use crate::edit::{Edit, Edits};
use crate::encoding::Decoding;
use crate::error::Error;
use crate::link::{self, Document, JsonScript, LinkPass, Site};
use crate::reference::{
    self, Context, Decoded, encode_attribute, encode_json, encode_text, encode_xml,
};
use crate::scan::{Piece, Quote, TextKind};
use crate::value::Container;

/// The text of a value as written, and its position in the page.
pub(super) struct SourceText<'a> {
    /// The offset of the text in the page's bytes.
    pub(super) start: usize,
    pub(super) text: &'a Decoding<'a>,
}

impl SourceText<'_> {
    /// Maps a part of the text to the page's bytes.
    pub(super) fn byte_range(&self, text: Range<usize>) -> Range<usize> {
        let span = self.text.source_range(text);
        self.start + span.start..self.start + span.end
    }
}

/// The value of an attribute, or a string of JSON, with its decoded text.
pub(super) struct Value<'a> {
    source: SourceText<'a>,
    decoded: Decoded<'a>,
    context: Context,
}

impl<'a> Value<'a> {
    pub(super) fn new(source: SourceText<'a>, context: Context) -> Self {
        Self { decoded: Decoded::new(source.text.text(), context), source, context }
    }

    pub(super) fn text(&self) -> &str {
        self.decoded.text()
    }

    /// Returns the span of the whole value in the page's bytes.
    pub(super) fn whole_span(&self) -> Range<usize> {
        self.source.byte_range(0..self.source.text.text().len())
    }

    /// Maps a part of the text to the page's bytes.
    pub(super) fn byte_range(&self, span: Range<usize>) -> Range<usize> {
        self.source.byte_range(self.decoded.source_range(span))
    }

    /// Creates a receiver for edits of the text, which passes them to `output` as edits of the
    /// page. `quote` is the quote of the value, which does not change.
    pub(super) fn output_to<'w>(
        &'w self,
        quote: reference::Quote,
        output: &'w mut dyn Output,
    ) -> ValueOutput<'w> {
        ValueOutput {
            value: self,
            quote,
            edited_end: None,
            pending: None,
            encoded: String::new(),
            output,
        }
    }

    /// Edits a value without quotes, and adds quotes if new text needs them.
    pub(super) fn edit_unquoted(
        &self,
        quote: Quote,
        needs_quotes: impl Fn(&str) -> bool,
        edits: &Edits,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let Some(Edit { container, .. }) = edits.iter().next() else { return Ok(()) };
        let whole = self.whole_span();
        if quote == Quote::Absent {
            let value = format!("={}", quote_value(&edits.apply(self.text())));
            return output.edit(whole.start..whole.start, &value, container);
        }
        if !edits.iter().any(|edit| !edit.text.is_empty() && needs_quotes(edit.text)) {
            return self.output_to(reference::Quote::Unquoted, output).pass_edits(edits);
        }
        let written = self.source.text.text();
        // A mark inside the value would end it, so the value gets a mark that it lacks.
        let (mark, quote) = match (written.contains('"'), written.contains('\'')) {
            (false, _) => ("\"", reference::Quote::Double),
            (true, false) => ("'", reference::Quote::Single),
            (true, true) => {
                return output.edit(whole, &quote_value(&edits.apply(self.text())), container);
            }
        };
        output.edit(whole.start..whole.start, mark, Container::Whole)?;
        self.output_to(quote, output).pass_edits(edits)?;
        output.edit(whole.end..whole.end, mark, Container::Whole)
    }
}

/// Receives edits of the text of a value; [`ValueOutput::finish`] passes on the last one.
pub(super) struct ValueOutput<'w> {
    value: &'w Value<'w>,
    quote: reference::Quote,
    /// The end of the last edit that was passed on, in the value as written.
    edited_end: Option<usize>,
    /// The last edit, if it ends inside the text of a character reference. It waits, as the next
    /// edit may begin inside the same reference.
    pending: Option<PendingEdit>,
    encoded: String,
    output: &'w mut dyn Output,
}

struct PendingEdit {
    span: Range<usize>,
    text: String,
    container: Container,
}

impl Output for ValueOutput<'_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let decoded = &self.value.decoded;
        let whole = decoded.uncut(span.clone());
        let (mut span, mut text) = (span, Cow::Borrowed(text));
        if let Some(pending) = self.pending.take() {
            if whole.start < decoded.uncut(pending.span.clone()).end {
                let between = &decoded.text()[pending.span.end..span.start];
                text = Cow::Owned(pending.text + between + &text);
                span.start = pending.span.start;
            } else {
                self.write(pending.span, &pending.text, pending.container)?;
            }
        }
        if whole.end == span.end {
            return self.write(span, &text, container);
        }
        self.pending = Some(PendingEdit { span, text: text.into_owned(), container });
        Ok(())
    }
}

impl ValueOutput<'_> {
    /// Passes on the pending edit, if any.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        match self.pending.take() {
            Some(PendingEdit { span, text, container }) => self.write(span, &text, container),
            None => Ok(()),
        }
    }

    fn pass_edits(mut self, edits: &Edits) -> Result<(), Error> {
        pass_edits(edits, &mut self)?;
        self.finish()
    }

    fn write(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let Value { source, decoded, context } = self.value;
        let written = source.text.text();
        let (span, new) = cover_references(decoded, span, text);
        let span = decoded.source_range(span);
        self.encoded.clear();
        if self.edited_end != Some(span.start) {
            self.encoded.push_str(end_reference(decoded, written, &span, &new));
        }
        self.edited_end = Some(span.end);
        match context {
            Context::XmlAttribute => encode_xml(&new, Some(self.quote), &mut self.encoded),
            Context::Json => encode_json(&new, &mut self.encoded),
            _ => encode_attribute(&new, self.quote, &written[span.end..], &mut self.encoded),
        }
        self.output.edit(source.byte_range(span), &self.encoded, container)
    }
}

/// Returns a semicolon if new text would continue the character reference before a span.
fn end_reference(decoded: &Decoded<'_>, old: &str, span: &Range<usize>, new: &str) -> &'static str {
    let next = new.bytes().chain(old[span.end..].bytes()).next();
    match next {
        Some(next) if decoded.would_continue(span.start, next) => ";",
        _ => "",
    }
}

/// Extends an edit that begins or ends inside the text of a character reference to the whole
/// reference, and adds the text that the edit did not cover.
fn cover_references<'t>(
    decoded: &Decoded<'_>,
    span: Range<usize>,
    text: &'t str,
) -> (Range<usize>, Cow<'t, str>) {
    let whole = decoded.uncut(span.clone());
    let uncovered = |range: Range<usize>| &decoded.text()[range];
    let text = match (uncovered(whole.start..span.start), uncovered(span.end..whole.end)) {
        ("", "") => Cow::Borrowed(text),
        (before, after) => Cow::Owned(format!("{before}{text}{after}")),
    };
    (whole, text)
}

fn quote_value(value: &str) -> String {
    let mut out = String::from("\"");
    encode_attribute(value, reference::Quote::Double, "", &mut out);
    out + "\""
}

/// The text of an element.
///
/// A text can have a piece after each tag and comment. To bound the memory, only the current piece
/// keeps its map of offsets. As references come in order, only a reference that spans several pieces causes
/// these to be decoded again, each at most twice.
pub(super) struct ElementText<'a> {
    page: &'a Page<'a>,
    pieces: &'a [Piece],
    /// The whole decoded text, if there are two pieces or more.
    text: String,
    /// The end offset of each piece in the whole text.
    ends: Vec<usize>,
    content: TextContent,
    current: RefCell<Rc<DecodedPiece<'a>>>,
}

/// The kind of an element's text: decides how a CDATA section, which has no character references,
/// writes characters that the encoding lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextContent {
    /// A URL or a style sheet: percent-encodes them.
    Value,
    /// HTML: writes character references of HTML.
    Html,
}

/// A decoded piece, with its map to the page.
struct DecodedPiece<'a> {
    index: usize,
    text: Decoding<'a>,
    decoded: Decoded<'a>,
}

impl<'a> DecodedPiece<'a> {
    fn new(page: &'a Page<'a>, pieces: &[Piece], index: usize) -> Self {
        let context = context_for(pieces[index].kind);
        let text = page.decode(pieces[index].span());
        let source = text.borrowed().map_or_else(|| text.text().to_owned().into(), Cow::Borrowed);
        Self { index, decoded: Decoded::from_cow(source, context), text }
    }
}

/// Returns the context that decides the character references of a text.
pub(super) fn context_for(kind: TextKind) -> Context {
    match kind {
        TextKind::Escapable => Context::Text,
        TextKind::Raw | TextKind::Cdata => Context::RawText,
        TextKind::Xml => Context::XmlText,
    }
}

impl<'a> ElementText<'a> {
    pub(super) fn new(page: &'a Page<'a>, pieces: &'a [Piece]) -> Self {
        let first = DecodedPiece::new(page, pieces, 0);
        let ends = vec![first.decoded.text().len()];
        let current = RefCell::new(Rc::new(first));
        let content = TextContent::Value;
        let mut element_text = Self { page, pieces, text: String::new(), ends, content, current };
        if pieces.len() > 1 {
            element_text.text.reserve(pieces.iter().map(|piece| piece.span().len()).sum());
            element_text.text.push_str(element_text.decode_piece(0).decoded.text());
            element_text.ends.reserve(pieces.len());
        }
        for index in 1..pieces.len() {
            element_text.text.push_str(element_text.decode_piece(index).decoded.text());
            element_text.ends.push(element_text.text.len());
        }
        element_text
    }

    /// Creates the text of an element whose content is HTML.
    pub(super) fn new_html(page: &'a Page<'a>, pieces: &'a [Piece]) -> Self {
        Self { content: TextContent::Html, ..Self::new(page, pieces) }
    }

    /// Decides on the references in the text, which has at least one piece. New text goes into the
    /// piece in which an edit begins, and replaced text is removed from the pieces after it.
    pub(super) fn decide(
        &self,
        document: &Document,
        site: &Site<'_>,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let first = self.decode_piece(0);
        let whole = if self.pieces.len() == 1 { first.decoded.text() } else { &self.text };
        let span_of = |span: Range<usize>| Some(self.source_range(&span));
        pass.value(document, site, whole, &span_of, &mut |edit| self.edit(&edit, output))
    }

    /// Decides on the links in the text of a script that is JSON.
    pub(super) fn decide_script(
        &self,
        language: JsonScript,
        document: &Document,
        pass: &mut LinkPass<'_>,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let span_of = |span: Range<usize>| Some(self.source_range(&span));
        let mut apply = |edit: Edit<'_>| self.edit(&edit, output);
        link::decide_on_script(language, &self.whole_text(), document, pass, &span_of, &mut apply)
    }

    fn decode_piece(&self, index: usize) -> Rc<DecodedPiece<'a>> {
        let mut current = self.current.borrow_mut();
        if current.index != index {
            *current = Rc::new(DecodedPiece::new(self.page, self.pieces, index));
        }
        Rc::clone(&current)
    }

    /// Finds the pieces that contain a part of the whole text: at least one.
    fn find_pieces(&self, span: &Range<usize>) -> RangeInclusive<usize> {
        let last = self.pieces.len() - 1;
        // An offset between two pieces belongs to the second one.
        let first = self.ends.partition_point(|&end| end <= span.start).min(last);
        let after = self.ends[first..].partition_point(|&end| end < span.end);
        first..=(first + after).min(last)
    }

    /// Intersects a part of the whole text with a piece; the result is relative to the piece.
    fn cover_part(&self, span: &Range<usize>, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        span.start.max(start) - start..span.end.min(self.ends[index]) - start
    }

    /// Maps a part of a piece to the page's bytes.
    fn byte_range(&self, part: &DecodedPiece<'_>, written: Range<usize>) -> Range<usize> {
        let start = self.pieces[part.index].span().start;
        SourceText { start, text: &part.text }.byte_range(written)
    }

    /// Returns the whole text, decoded.
    pub(super) fn whole_text(&self) -> Cow<'_, str> {
        if self.pieces.len() == 1 {
            return Cow::Owned(self.decode_piece(0).decoded.text().to_owned());
        }
        Cow::Borrowed(&self.text)
    }

    /// Maps a part of the whole text to the source.
    pub(super) fn source_range(&self, span: &Range<usize>) -> Range<usize> {
        let map_piece = |index: usize| {
            let part = self.decode_piece(index);
            let written = part.decoded.source_range(self.cover_part(span, index));
            self.page.source_range(self.byte_range(&part, written))
        };
        let (start, end) = self.find_pieces(span).into_inner();
        let first = map_piece(start);
        let last = if start == end { first.end } else { map_piece(end).end };
        first.start..last
    }

    /// Edits a part of the whole text, across its pieces.
    pub(super) fn edit(&self, edit: &Edit<'_>, output: &mut dyn Output) -> Result<(), Error> {
        let mut rest = edit.text;
        for index in self.find_pieces(&edit.span) {
            let part = self.decode_piece(index);
            let decoded = &part.decoded;
            let new = std::mem::take(&mut rest);
            let (span, new) = cover_references(decoded, self.cover_part(&edit.span, index), new);
            let span = decoded.source_range(span);
            let text = match self.pieces[index].kind {
                TextKind::Escapable => {
                    let written = part.text.text();
                    let mut text = String::from(end_reference(decoded, written, &span, &new));
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
            output.edit(self.byte_range(&part, span), &text, edit.container)?;
        }
        Ok(())
    }
}
