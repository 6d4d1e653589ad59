//! Receives edits: writes them as a document, collects them as a list, or drops them.

use std::ops::Range;

use super::page::Page;
use crate::edit::{Edit, Edits, Patches};
use crate::error::{Error, Limit, Limits, Location};
use crate::value::Container;

/// Whether a document was written with edits, or has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Yes,
    No,
}

/// Receives edits in ascending order. Offsets are those of [`Page::bytes`].
pub(super) trait Output {
    /// Replaces `span` by `text`.
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error>;

    /// Replaces `span` by a plain ASCII text.
    #[inline]
    fn edit_plain(&mut self, span: Range<usize>, text: &str) -> Result<(), Error> {
        self.edit(span, text, Container::Whole)
    }
}

/// Discards the edits.
pub(super) struct NoOutput;

impl Output for NoOutput {
    fn edit(&mut self, _: Range<usize>, _: &str, _: Container) -> Result<(), Error> {
        Ok(())
    }
}

/// Fails if an output of this length exceeds the limit; the error names a byte of the source.
#[inline]
fn check_length(length: usize, max: usize, byte: usize) -> Result<(), Error> {
    if Limits::exceeds(max, length) {
        return Err(Error::limit(Limit::Output, max, Some(Location::Byte(byte))));
    }
    Ok(())
}

/// Writes the source with the edits.
pub(super) struct Writer<'w, 's> {
    page: &'w Page<'s>,
    out: &'w mut Vec<u8>,
    /// The length of the part of the source that is written or replaced.
    done: usize,
    max: usize,
}

impl<'w, 's> Writer<'w, 's> {
    pub(super) fn new(page: &'w Page<'s>, out: &'w mut Vec<u8>, max: usize) -> Self {
        Self { page, out, done: 0, max }
    }

    #[inline]
    fn put(&mut self, span: Range<usize>, text: &[u8]) -> Result<(), Error> {
        let between = &self.page.source()[self.done..span.start];
        check_length(self.out.len() + between.len() + text.len(), self.max, span.start)?;
        if self.out.capacity() == 0 {
            // Links make up a tenth of a page, and grow by their prefix.
            self.out.reserve(self.page.source().len() / 8 * 9 + text.len());
        }
        self.page.append(self.out, between);
        self.page.append(self.out, text);
        self.done = span.end;
        Ok(())
    }

    /// Writes the rest of the source, if there was an edit; otherwise the output stays empty.
    pub(super) fn finish(self) -> Result<Changed, Error> {
        if self.done == 0 && self.out.is_empty() {
            return Ok(Changed::No);
        }
        let rest = &self.page.source()[self.done..];
        check_length(self.out.len() + rest.len(), self.max, self.done)?;
        self.page.append(self.out, rest);
        Ok(Changed::Yes)
    }

    /// Appends the rest of the source, and returns the output.
    fn into_output(self) -> &'w [u8] {
        let rest = &self.page.source()[self.done..];
        self.page.append(self.out, rest);
        self.out
    }
}

impl Output for Writer<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let bytes = self.page.encode(text, container, span.clone());
        self.put(self.page.source_range(span), &bytes)
    }

    #[inline]
    fn edit_plain(&mut self, span: Range<usize>, text: &str) -> Result<(), Error> {
        if self.page.is_plain() {
            self.put(self.page.source_range(span), text.as_bytes())
        } else {
            self.edit(span, text, Container::Whole)
        }
    }
}

/// Collects the edits as bytes of the source.
pub(super) struct Collector<'w, 's> {
    page: &'w Page<'s>,
    patches: Patches,
    /// The length of the document with the edits so far.
    length: usize,
    max: usize,
    /// Writes the whole document in ISO-2022-JP, in which an edit can change adjacent bytes.
    writer: Option<Writer<'w, 's>>,
}

impl<'w, 's> Collector<'w, 's> {
    /// Creates a collector; `out` is a buffer for the whole document, if the encoding needs that.
    pub(super) fn new(page: &'w Page<'s>, out: &'w mut Vec<u8>, max: usize) -> Self {
        let writer = page.joins_edits().then(|| Writer::new(page, out, max));
        let length = page.source().len();
        Self { page, patches: Patches::default(), length, max, writer }
    }

    pub(super) fn finish(self) -> Patches {
        let Some(writer) = self.writer else { return self.patches };
        let source = self.page.source();
        let out = writer.into_output();
        let is_same = self.patches.is_empty() || self.patches.apply(source) == out;
        if is_same { self.patches } else { Patches::between(source, out) }
    }
}

impl Output for Collector<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let bytes = self.page.encode(text, container, span.clone());
        let source = self.page.source_range(span.clone());
        // Edits do not overlap, so the replaced bytes are part of `length`.
        self.length = self.length - source.len() + bytes.len();
        check_length(self.length, self.max, source.start)?;
        self.patches.push(source, &bytes);
        self.writer.as_mut().map_or(Ok(()), |writer| writer.edit(span, text, container))
    }
}

impl Output for Edits {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        self.push(Edit { span, text, container })
    }
}

/// Passes ordered edits to `output`.
pub(super) fn pass_edits(edits: &Edits, output: &mut dyn Output) -> Result<(), Error> {
    edits.iter().try_for_each(|edit| output.edit(edit.span, edit.text, edit.container))
}
