//! From what changes in a decoded value to edits of the source.
//!
//! A value never ends early, whatever is put into it: new text is escaped for the
//! quotes that are there, and a value without quotes gets some where it needs
//! them.

use std::borrow::Cow;
use std::ops::Range;

use super::Page;
use super::write::{self, Output};
use crate::edit::{Edit, Edits};
use crate::encoding::Decoding;
use crate::error::Error;
use crate::link::{Document, Run, Site};
use crate::reference::{self, Context, Decoded, encode_attribute, encode_text, needs_quotes};
use crate::scan::{Piece, Quote, TextKind};
use crate::value::Container;

/// Where a value stands, and its text before character references are decoded.
pub(super) struct Place<'a> {
    /// Where it begins in the page's bytes.
    pub(super) start: usize,
    pub(super) text: &'a Decoding<'a>,
}

impl Place<'_> {
    /// The bytes of a part of the text.
    pub(super) fn bytes(&self, text: Range<usize>) -> Range<usize> {
        let span = self.text.source_range(text);
        self.start + span.start..self.start + span.end
    }

    fn whole(&self) -> Range<usize> {
        self.bytes(0..self.text.text().len())
    }
}

/// The value of an attribute.
pub(super) struct Value<'a> {
    place: Place<'a>,
    decoded: Decoded<'a>,
}

impl<'a> Value<'a> {
    pub(super) fn new(place: Place<'a>) -> Self {
        let decoded = Decoded::new(place.text.text(), Context::Attribute);
        Self { place, decoded }
    }

    pub(super) fn text(&self) -> &str {
        self.decoded.text()
    }

    /// Where a part of the text stands in the page's bytes.
    pub(super) fn bytes(&self, span: Range<usize>) -> Range<usize> {
        self.place.bytes(self.decoded.source_range(span))
    }

    /// Takes edits of the text, and gives them to `output` as edits of the page, where the value
    /// keeps its quotes, or its lack of them.
    pub(super) fn within<'w>(
        &'w self,
        quote: reference::Quote,
        output: &'w mut dyn Output,
    ) -> Within<'w> {
        Within { value: self, quote, done: None, encoded: String::new(), output }
    }

    /// Edits a value without quotes, which gets some if it needs them.
    pub(super) fn edit_unquoted(
        &self,
        quote: Quote,
        edits: &Edits,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let Some(Edit { container, .. }) = edits.iter().next() else { return Ok(()) };
        let whole = self.place.whole();
        if quote == Quote::Absent {
            let value = format!("={}", quoted(&edits.apply(self.text())));
            return output.edit(whole.start..whole.start, &value, container);
        }
        if !edits.iter().any(|edit| !edit.text.is_empty() && needs_quotes(edit.text)) {
            return write::pass(edits, &mut self.within(reference::Quote::Unquoted, output));
        }
        let written = self.place.text.text();
        let (mark, quote) = match (written.contains('"'), written.contains('\'')) {
            (false, _) => ("\"", reference::Quote::Double),
            (true, false) => ("'", reference::Quote::Single),
            (true, true) => {
                return output.edit(whole, &quoted(&edits.apply(self.text())), container);
            }
        };
        output.edit(whole.start..whole.start, mark, Container::Whole)?;
        write::pass(edits, &mut self.within(quote, output))?;
        output.edit(whole.end..whole.end, mark, Container::Whole)
    }
}

/// Takes edits of the text of a value.
pub(super) struct Within<'w> {
    value: &'w Value<'w>,
    quote: reference::Quote,
    /// Where the last edit ends in the value as it is written.
    done: Option<usize>,
    encoded: String,
    output: &'w mut dyn Output,
}

impl Output for Within<'_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let Value { place, decoded } = self.value;
        let written = place.text.text();
        let (span, new) = whole_references(decoded, span, text);
        let span = decoded.source_range(span);
        self.encoded.clear();
        if self.done != Some(span.start) {
            self.encoded.push_str(closing(decoded, written, &span, &new));
        }
        self.done = Some(span.end);
        encode_attribute(&new, self.quote, &written[span.end..], &mut self.encoded);
        self.output.edit(place.bytes(span), &self.encoded, container)
    }
}

/// What ends the character reference in front of a span, where its replacement, or
/// what stands behind it, would go on with that.
fn closing(decoded: &Decoded<'_>, written: &str, span: &Range<usize>, new: &str) -> &'static str {
    let next = new.bytes().chain(written[span.end..].bytes()).next();
    match next {
        Some(next) if decoded.goes_on(span.start, next) => ";",
        _ => "",
    }
}

/// An edit that ends inside what one character reference stands for takes all of
/// it in, and puts the rest back.
fn whole_references<'t>(
    decoded: &Decoded<'_>,
    span: Range<usize>,
    text: &'t str,
) -> (Range<usize>, Cow<'t, str>) {
    let end = decoded.cut_after(span.end);
    let text = match &decoded.text()[span.end..end] {
        "" => Cow::Borrowed(text),
        rest => Cow::Owned(format!("{text}{rest}")),
    };
    (span.start..end, text)
}

fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    encode_attribute(value, reference::Quote::Double, "", &mut out);
    out + "\""
}

/// Decides on the references in the text of a `style` element, which stands in one
/// piece or more, and edits it: an edit goes where it begins, and takes its part
/// from the pieces behind.
pub(super) fn pieces(
    page: &Page<'_>,
    pieces: &[Piece],
    document: &Document,
    site: &Site<'_>,
    run: &mut Run<'_>,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let texts: Vec<_> = pieces.iter().map(|piece| page.text(piece.span())).collect();
    let mut end = 0;
    let parts = pieces.iter().zip(&texts).map(|(piece, text)| {
        let context = match piece.kind {
            TextKind::Escapable => Context::Text,
            TextKind::Raw | TextKind::Cdata => Context::RawText,
        };
        let place = Place { start: piece.span().start, text };
        let decoded = Decoded::new(text.text(), context);
        let start = end;
        end += decoded.text().len();
        Part { kind: piece.kind, place, decoded, start }
    });
    let style = Style { page, parts: parts.collect() };
    let whole = style.text();
    let span_of = |span: Range<usize>| style.source_range(&span);
    run.value(document, site, &whole, &span_of, &mut |edit| style.edit(&edit, output))
}

/// The text of a `style` element.
struct Style<'a> {
    page: &'a Page<'a>,
    parts: Vec<Part<'a>>,
}

/// A piece of it.
struct Part<'a> {
    kind: TextKind,
    place: Place<'a>,
    decoded: Decoded<'a>,
    /// Where its text begins in the whole.
    start: usize,
}

impl Part<'_> {
    fn end(&self) -> usize {
        self.start + self.decoded.text().len()
    }

    /// What a part of the whole text covers here.
    fn covered(&self, span: &Range<usize>) -> Range<usize> {
        span.start.max(self.start) - self.start..span.end.min(self.end()) - self.start
    }
}

impl Style<'_> {
    fn text(&self) -> Cow<'_, str> {
        match &*self.parts {
            [part] => Cow::Borrowed(part.decoded.text()),
            parts => Cow::Owned(parts.iter().map(|part| part.decoded.text()).collect()),
        }
    }

    /// The pieces that a part of the whole text is in; never none.
    fn parts(&self, span: &Range<usize>) -> &[Part<'_>] {
        // Between two pieces, what begins belongs to the second.
        let behind = self.parts.partition_point(|part| part.end() <= span.start);
        let first = behind.min(self.parts.len() - 1);
        let rest = &self.parts[first..];
        let count = rest.iter().skip(1).take_while(|part| part.start < span.end).count();
        &rest[..=count]
    }

    fn source_range(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let place = |part: &Part<'_>| {
            let text = part.decoded.source_range(part.covered(span));
            self.page.source_range(part.place.bytes(text))
        };
        let parts = self.parts(span);
        Some(place(parts.first()?).start..place(parts.last()?).end)
    }

    fn edit(&self, edit: &Edit<'_>, output: &mut dyn Output) -> Result<(), Error> {
        let mut rest = edit.text;
        for part in self.parts(&edit.span) {
            let Part { kind, place, decoded, .. } = part;
            let new = std::mem::take(&mut rest);
            let (span, new) = whole_references(decoded, part.covered(&edit.span), new);
            let span = decoded.source_range(span);
            let text = match kind {
                TextKind::Escapable => {
                    let written = place.text.text();
                    let mut text = String::from(closing(decoded, written, &span, &new));
                    encode_text(&new, &written[span.end..], &mut text);
                    Cow::Owned(text)
                }
                TextKind::Cdata => Cow::Owned(new.replace("]]>", "]]%3E")),
                TextKind::Raw => new,
            };
            output.edit(place.bytes(span), &text, edit.container)?;
        }
        Ok(())
    }
}
