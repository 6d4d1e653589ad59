//! Turns edits of a decoded value into edits of the source.
//!
//! No text ends a value early: new text is escaped for the existing quotes, and a value without
//! quotes gets them if it needs them.

use std::borrow::Cow;
use std::ops::Range;

use super::write::{self, Output};
use crate::edit::{Edit, Edits};
use crate::encoding::Decoding;
use crate::error::Error;
use crate::reference::{self, Context, Decoded, encode_attribute, encode_json, encode_xml};
use crate::scan::Quote;
use crate::value::Container;

/// The position of a value, and its text before character references are decoded.
pub(super) struct SourceText<'a> {
    /// The offset of the text in the page's bytes.
    pub(super) start: usize,
    pub(super) text: &'a Decoding<'a>,
}

impl SourceText<'_> {
    /// Maps a part of the text to the page's bytes.
    pub(super) fn bytes(&self, text: Range<usize>) -> Range<usize> {
        let span = self.text.source_range(text);
        self.start + span.start..self.start + span.end
    }
}

/// The value of an attribute, or a string of JSON.
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

    /// The span of the whole value in the page's bytes.
    pub(super) fn whole(&self) -> Range<usize> {
        self.source.bytes(0..self.source.text.text().len())
    }

    /// Maps a part of the text to the page's bytes.
    pub(super) fn bytes(&self, span: Range<usize>) -> Range<usize> {
        self.source.bytes(self.decoded.source_range(span))
    }

    /// Returns a receiver of edits of the text, which passes them to `output` as edits of the page;
    /// the value keeps its quotes, or its lack of them.
    pub(super) fn output_to<'w>(
        &'w self,
        quote: reference::Quote,
        output: &'w mut dyn Output,
    ) -> ValueOutput<'w> {
        ValueOutput {
            value: self,
            quote,
            done: None,
            pending: None,
            encoded: String::new(),
            output,
        }
    }

    /// Edits a value without quotes, and adds quotes if it needs them.
    pub(super) fn edit_unquoted(
        &self,
        quote: Quote,
        needs_quotes: impl Fn(&str) -> bool,
        edits: &Edits,
        output: &mut dyn Output,
    ) -> Result<(), Error> {
        let Some(Edit { container, .. }) = edits.iter().next() else { return Ok(()) };
        let whole = self.whole();
        if quote == Quote::Absent {
            let value = format!("={}", quoted(&edits.apply(self.text())));
            return output.edit(whole.start..whole.start, &value, container);
        }
        if !edits.iter().any(|edit| !edit.text.is_empty() && needs_quotes(edit.text)) {
            return self.output_to(reference::Quote::Unquoted, output).pass(edits);
        }
        let written = self.source.text.text();
        let (mark, quote) = match (written.contains('"'), written.contains('\'')) {
            (false, _) => ("\"", reference::Quote::Double),
            (true, false) => ("'", reference::Quote::Single),
            (true, true) => {
                return output.edit(whole, &quoted(&edits.apply(self.text())), container);
            }
        };
        output.edit(whole.start..whole.start, mark, Container::Whole)?;
        self.output_to(quote, output).pass(edits)?;
        output.edit(whole.end..whole.end, mark, Container::Whole)
    }
}

/// Receives edits of the text of a value; [`ValueOutput::finish`] passes on the last one.
pub(super) struct ValueOutput<'w> {
    value: &'w Value<'w>,
    quote: reference::Quote,
    /// The end of the last edit in the value as written.
    done: Option<usize>,
    /// An edit that ends inside the text of a character reference, in which the next edit may
    /// begin.
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
                self.give(pending.span, &pending.text, pending.container)?;
            }
        }
        if whole.end == span.end {
            return self.give(span, &text, container);
        }
        self.pending = Some(PendingEdit { span, text: text.into_owned(), container });
        Ok(())
    }
}

impl ValueOutput<'_> {
    /// Passes on the pending edit.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        match self.pending.take() {
            Some(PendingEdit { span, text, container }) => self.give(span, &text, container),
            None => Ok(()),
        }
    }

    fn pass(mut self, edits: &Edits) -> Result<(), Error> {
        write::pass(edits, &mut self)?;
        self.finish()
    }

    fn give(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let Value { source, decoded, context } = self.value;
        let written = source.text.text();
        let (span, new) = whole_references(decoded, span, text);
        let span = decoded.source_range(span);
        self.encoded.clear();
        if self.done != Some(span.start) {
            self.encoded.push_str(closing(decoded, written, &span, &new));
        }
        self.done = Some(span.end);
        match context {
            Context::XmlAttribute => encode_xml(&new, Some(self.quote), &mut self.encoded),
            Context::Json => encode_json(&new, &mut self.encoded),
            _ => encode_attribute(&new, self.quote, &written[span.end..], &mut self.encoded),
        }
        self.output.edit(source.bytes(span), &self.encoded, container)
    }
}

/// The semicolon that closes the character reference before a span, if the text after it would
/// continue the reference.
pub(super) fn closing(
    decoded: &Decoded<'_>,
    written: &str,
    span: &Range<usize>,
    new: &str,
) -> &'static str {
    let next = new.bytes().chain(written[span.end..].bytes()).next();
    match next {
        Some(next) if decoded.goes_on(span.start, next) => ";",
        _ => "",
    }
}

/// Extends an edit that begins or ends inside the text of a character reference to the whole
/// reference, and keeps the text outside of the edit.
pub(super) fn whole_references<'t>(
    decoded: &Decoded<'_>,
    span: Range<usize>,
    text: &'t str,
) -> (Range<usize>, Cow<'t, str>) {
    let whole = decoded.uncut(span.clone());
    let left = |range: Range<usize>| &decoded.text()[range];
    let text = match (left(whole.start..span.start), left(span.end..whole.end)) {
        ("", "") => Cow::Borrowed(text),
        (before, after) => Cow::Owned(format!("{before}{text}{after}")),
    };
    (whole, text)
}

fn quoted(value: &str) -> String {
    let mut out = String::from("\"");
    encode_attribute(value, reference::Quote::Double, "", &mut out);
    out + "\""
}
