//! Where edits go: into the output with the bytes between, into a list, or
//! nowhere.

use std::ops::Range;

use super::{Changed, Page};
use crate::edit::{Edit, Edits};
use crate::error::{Error, Limit, Place};
use crate::value::Container;

/// Takes edits in ascending order. Offsets are those of [`Page::bytes`].
pub(super) trait Output {
    /// Puts `text` in the place of `span`.
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error>;

    /// Puts a plain ASCII text in the place of `span`.
    #[inline]
    fn plain(&mut self, span: Range<usize>, text: &str) -> Result<(), Error> {
        self.edit(span, text, Container::Whole)
    }
}

/// Nobody wants the edits.
pub(super) struct Nowhere;

impl Output for Nowhere {
    fn edit(&mut self, _: Range<usize>, _: &str, _: Container) -> Result<(), Error> {
        Ok(())
    }
}

/// Writes the source with the edits.
pub(super) struct Writer<'w, 's> {
    page: &'w Page<'s>,
    out: &'w mut Vec<u8>,
    /// How much of the source is written, or replaced.
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
        let length = self.out.len() + between.len() + text.len();
        if self.max != 0 && length > self.max {
            return Err(Error::limit(Limit::Output, self.max, Some(Place::Byte(span.start))));
        }
        if self.out.capacity() == 0 {
            // Links are a tenth of a page, and the longer for their prefix.
            self.out.reserve(self.page.source().len() / 8 * 9 + text.len());
        }
        self.page.append(self.out, between);
        self.page.append(self.out, text);
        self.done = span.end;
        Ok(())
    }

    /// Writes what stands behind the last edit, and says whether there was one;
    /// nothing is written where there was none.
    pub(super) fn finish(self) -> Result<Changed, Error> {
        if self.done == 0 && self.out.is_empty() {
            return Ok(Changed::No);
        }
        let rest = &self.page.source()[self.done..];
        let length = self.out.len() + rest.len();
        if self.max != 0 && length > self.max {
            return Err(Error::limit(Limit::Output, self.max, Some(Place::Byte(self.done))));
        }
        self.page.append(self.out, rest);
        Ok(Changed::Yes)
    }
}

impl Output for Writer<'_, '_> {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        let bytes = self.page.encode(text, container, span.clone());
        self.put(self.page.source_range(span), &bytes)
    }

    #[inline]
    fn plain(&mut self, span: Range<usize>, text: &str) -> Result<(), Error> {
        if self.page.is_plain() {
            self.put(self.page.source_range(span), text.as_bytes())
        } else {
            self.edit(span, text, Container::Whole)
        }
    }
}

impl Output for Edits {
    fn edit(&mut self, span: Range<usize>, text: &str, container: Container) -> Result<(), Error> {
        self.push(Edit { span, text, container })
    }
}

/// Gives edits on that are in order.
pub(super) fn pass(edits: &Edits, output: &mut dyn Output) -> Result<(), Error> {
    edits.iter().try_for_each(|edit| output.edit(edit.span, edit.text, edit.container))
}
