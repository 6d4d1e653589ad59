//! From what changes in a decoded value to edits of the source.
//!
//! A value never ends early, whatever is put into it: new text is escaped for the
//! quotes that are there, and a value without quotes gets some where it needs
//! them.

use std::ops::Range;

use super::Page;
use super::write::Output;
use crate::edit::{Edit, apply};
use crate::encoding::Decoding;
use crate::error::Error;
use crate::link::{Document, Run, Site};
use crate::reference::{self, Context, Decoded, encode_attribute, encode_text, needs_quotes};
use crate::scan::{Quote, TextKind};
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

/// Edits the value of an attribute.
pub(super) fn attribute(
    place: &Place<'_>,
    decoded: &Decoded<'_>,
    quote: Quote,
    edits: &[Edit],
    output: &mut dyn Output,
) -> Result<(), Error> {
    let container = edits.first().map_or(Container::Whole, |edit| edit.container);
    match quote {
        Quote::Double => within(place, decoded, reference::Quote::Double, edits, output),
        Quote::Single => within(place, decoded, reference::Quote::Single, edits, output),
        Quote::Unquoted
            if !edits.iter().any(|edit| !edit.text.is_empty() && needs_quotes(&edit.text)) =>
        {
            within(place, decoded, reference::Quote::Unquoted, edits, output)
        }
        Quote::Unquoted => {
            let written = place.text.text();
            let (mark, quote) = match (written.contains('"'), written.contains('\'')) {
                (false, _) => ("\"", reference::Quote::Double),
                (true, false) => ("'", reference::Quote::Single),
                (true, true) => {
                    let value = quoted(&apply(decoded.text(), edits));
                    return output.edit(place.whole(), &value, container);
                }
            };
            let span = place.whole();
            output.edit(span.start..span.start, mark, Container::Whole)?;
            within(place, decoded, quote, edits, output)?;
            output.edit(span.end..span.end, mark, Container::Whole)
        }
        Quote::Absent => {
            let value = format!("={}", quoted(&apply(decoded.text(), edits)));
            output.edit(place.start..place.start, &value, container)
        }
    }
}

/// Edits a value that keeps its quotes, or its lack of them.
fn within(
    place: &Place<'_>,
    decoded: &Decoded<'_>,
    quote: reference::Quote,
    edits: &[Edit],
    output: &mut dyn Output,
) -> Result<(), Error> {
    let written = place.text.text();
    let mut text = String::new();
    let mut done = None;
    for edit in edits {
        let (span, new) = whole_references(decoded, edit);
        let span = decoded.source_range(span);
        text.clear();
        if done != Some(span.start) {
            text.push_str(closing(decoded, written, &span, &new));
        }
        done = Some(span.end);
        encode_attribute(&new, quote, &written[span.end..], &mut text);
        output.edit(place.bytes(span), &text, edit.container)?;
    }
    Ok(())
}

/// What ends the character reference in front of a span, where its replacement, or
/// what stands behind it, would go on with that.
fn closing(decoded: &Decoded<'_>, written: &str, span: &Range<usize>, new: &str) -> &'static str {
    let next = new.bytes().chain(written[span.end..].bytes()).next();
    match next {
        Some(next) if decoded.goes_on(written, span.start, next) => ";",
        _ => "",
    }
}

/// An edit that ends inside what one character reference stands for takes all of
/// it in, and puts the rest back.
fn whole_references(decoded: &Decoded<'_>, edit: &Edit) -> (Range<usize>, String) {
    let end = decoded.cut_after(edit.span.end);
    let rest = &decoded.text()[edit.span.end..end];
    (edit.span.start..end, format!("{}{rest}", edit.text))
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
    pieces: &[(Range<usize>, TextKind)],
    document: &Document,
    site: &Site<'_>,
    run: &mut Run<'_>,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let texts: Vec<_> = pieces.iter().map(|(span, _)| page.text(span.clone())).collect();
    let decoded: Vec<_> = texts
        .iter()
        .zip(pieces)
        .map(|(text, (_, kind))| {
            let context = match kind {
                TextKind::Escapable => Context::Text,
                TextKind::Raw | TextKind::Cdata => Context::RawText,
            };
            Decoded::new(text.text(), context)
        })
        .collect();
    let style = Style { page, pieces, texts: &texts, decoded: &decoded };
    let whole: String = decoded.iter().map(Decoded::text).collect();
    let span_of = |span: Range<usize>| style.source_range(&span);
    for edit in run.value(document, site, &whole, &span_of)? {
        style.edit(&edit, output)?;
    }
    Ok(())
}

/// The text of a `style` element.
struct Style<'a> {
    page: &'a Page<'a>,
    pieces: &'a [(Range<usize>, TextKind)],
    texts: &'a [Decoding<'a>],
    decoded: &'a [Decoded<'a>],
}

impl Style<'_> {
    /// The parts of the pieces that a part of the whole text covers, each with the
    /// piece's index.
    fn parts(&self, span: &Range<usize>) -> Vec<(usize, Range<usize>)> {
        let mut parts = Vec::new();
        let mut start = 0;
        for (index, decoded) in self.decoded.iter().enumerate() {
            let end = start + decoded.text().len();
            let is_first = parts.is_empty() && (start..=end).contains(&span.start);
            let is_later = !parts.is_empty() && span.end > start;
            // Between two pieces, what begins belongs to the second.
            let is_behind = span.start == end && index + 1 < self.decoded.len();
            if (is_first && !is_behind) || is_later {
                let part = span.start.max(start) - start..span.end.min(end) - start;
                parts.push((index, part));
            }
            start = end;
        }
        parts
    }

    fn bytes(&self, index: usize, text: Range<usize>) -> Range<usize> {
        let span = self.texts[index].source_range(text);
        let start = self.pieces[index].0.start;
        start + span.start..start + span.end
    }

    fn source_range(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let parts = self.parts(span);
        let place = |(index, part): &(usize, Range<usize>)| {
            let text = self.decoded[*index].source_range(part.clone());
            self.page.source_range(self.bytes(*index, text))
        };
        Some(place(parts.first()?).start..place(parts.last()?).end)
    }

    fn edit(&self, edit: &Edit, output: &mut dyn Output) -> Result<(), Error> {
        for (number, (index, part)) in self.parts(&edit.span).into_iter().enumerate() {
            let decoded = &self.decoded[index];
            let text = if number == 0 { edit.text.clone() } else { String::new() };
            let own = Edit { span: part, text, container: edit.container };
            let (span, new) = whole_references(decoded, &own);
            let span = decoded.source_range(span);
            let mut text = String::new();
            match self.pieces[index].1 {
                TextKind::Escapable => {
                    let written = self.texts[index].text();
                    text.push_str(closing(decoded, written, &span, &new));
                    encode_text(&new, &written[span.end..], &mut text);
                }
                TextKind::Cdata => text = new.replace("]]>", "]]%3E"),
                TextKind::Raw => text = new,
            }
            output.edit(self.bytes(index, span), &text, edit.container)?;
        }
        Ok(())
    }
}
