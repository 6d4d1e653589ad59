//! The URLs of documents of an array.

use std::sync::Arc;

use absolve::{Buffers, Rewriter};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};

use super::documents::{Document, Rows};
use super::queue::Output;
use super::stop::Stop;
use super::values::{Texts, append_nulls};
use crate::document::UrlSelection;
use crate::errors::{Failure, catch};

/// The fields of the result.
pub(super) fn fields() -> Fields {
    let urls = DataType::List(Arc::new(item()));
    Fields::from(vec![Field::new("urls", urls, true), Field::new("error", DataType::Utf8, true)])
}

fn item() -> Field {
    Field::new("item", DataType::Utf8, true)
}

/// The URLs of documents, and the errors of those that fail.
#[derive(Debug)]
pub(super) struct UrlLists {
    selection: UrlSelection,
    urls: Texts,
    /// The number of URLs of each document.
    lengths: Vec<usize>,
    present: NullBufferBuilder,
    errors: Texts,
}

impl UrlLists {
    pub(super) fn new(selection: UrlSelection) -> Self {
        let (urls, errors) = (Texts::default(), Texts::default());
        let present = NullBufferBuilder::new(0);
        Self { selection, urls, lengths: Vec::new(), present, errors }
    }

    /// Ends a row with the last URLs, unless it is a null.
    fn end_row(&mut self, urls: Option<usize>, error: Option<&str>) {
        self.lengths.push(urls.unwrap_or_default());
        self.present.append(urls.is_some());
        self.errors.push(error);
    }

    /// A row a document.
    pub(super) fn array(mut self) -> Result<StructArray, Stop> {
        let offsets = OffsetBuffer::from_lengths(self.lengths);
        let nulls = self.present.finish();
        let urls = ListArray::try_new(Arc::new(item()), offsets, self.urls.array()?, nulls)?;
        let columns: Vec<ArrayRef> = vec![Arc::new(urls), self.errors.array()?];
        Ok(StructArray::try_new(fields(), columns, None)?)
    }
}

impl Output for UrlLists {
    fn append(&mut self, mut next: Self) -> Result<(), Stop> {
        self.urls.append(next.urls)?;
        self.errors.append(next.errors)?;
        let rows = next.lengths.len();
        self.lengths.append(&mut next.lengths);
        append_nulls(&mut self.present, next.present, rows);
        Ok(())
    }
}

impl Rows for UrlLists {
    fn null(&mut self) {
        self.end_row(None, None);
    }

    fn document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
    ) -> Result<(), Failure> {
        let before = self.urls.len();
        let options = (options, document.base_url);
        let push = |url: &str| self.urls.push(Some(url));
        let listed = catch(|| self.selection.list(document.source, options, buffers, push));
        match listed {
            Ok(()) => self.end_row(Some(self.urls.len() - before), None),
            Err(_) if self.urls.overflows() => {}
            Err(_) => self.urls.truncate(before),
        }
        listed
    }

    fn failure(&mut self, document: &Document<'_>, failure: &Failure) {
        self.end_row(None, Some(&document.message(failure)));
    }

    fn check(&self) -> Result<(), Stop> {
        if self.urls.overflows() { Err(Stop::TEXT_OVERFLOW) } else { Ok(()) }
    }
}
