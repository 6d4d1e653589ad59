//! The URLs of documents of an array.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};

use super::bases::Bases;
use super::batches::{ThreadState, Threads};
use super::column::Column;
use super::queue::{Batch, Output};
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

/// Lists the URLs; an array a chunk.
pub(super) fn urls(
    documents: &Column,
    bases: &Bases,
    selection: UrlSelection,
    threads: Threads,
) -> Result<Vec<StructArray>, Stop> {
    let outputs = threads.each_chunk(documents, UrlLists::default, |state, batch, output| {
        list_batch(documents, bases, selection, state, batch, output)
    })?;
    outputs.into_iter().map(UrlLists::array).collect()
}

fn list_batch(
    documents: &Column,
    bases: &Bases,
    selection: UrlSelection,
    state: &mut ThreadState,
    batch: &Batch,
    output: &mut UrlLists,
) -> Result<(), Stop> {
    let first = documents.rows(batch.chunk).start;
    for row in batch.rows.clone().map(|row| first + row) {
        let before = output.urls.len();
        let Some(document) = documents.checked(row)? else {
            output.row(before, None);
            continue;
        };
        let ThreadState { buffers, last_base } = state;
        let listed = match bases.options(last_base, row)? {
            Ok(options) => {
                let options = (options, bases.url(row)?);
                catch(|| {
                    selection.list(document, options, buffers, |url| output.urls.push(Some(url)))
                })
            }
            Err(error) => Err(error.into()),
        };
        if output.urls.overflows() {
            return Err(Stop::TEXT_OVERFLOW);
        }
        match listed {
            Ok(()) => output.row(before, Some(Ok(()))),
            Err(failure) => {
                output.urls.truncate(before);
                let unit = documents.unit(document);
                let message = failure.message(&format!("row {row}"), unit);
                output.row(before, Some(Err(message)));
                if let Failure::Panic(_) = failure {
                    *state = ThreadState::default();
                }
            }
        }
    }
    Ok(())
}

/// The URLs of documents, and the errors of those that fail.
#[derive(Debug)]
struct UrlLists {
    urls: Texts,
    /// The number of URLs of each document.
    lengths: Vec<usize>,
    present: NullBufferBuilder,
    errors: Texts,
}

impl Default for UrlLists {
    fn default() -> Self {
        let (urls, errors, present) =
            (Texts::default(), Texts::default(), NullBufferBuilder::new(0));
        Self { urls, lengths: Vec::new(), present, errors }
    }
}

impl UrlLists {
    /// Ends the URLs of a document, which come after so many others; it is `None` for a null.
    fn row(&mut self, before: usize, document: Option<Result<(), String>>) {
        self.lengths.push(self.urls.len() - before);
        self.present.append(matches!(document, Some(Ok(()))));
        self.errors.push(document.and_then(Result::err).as_deref());
    }

    /// A row a document.
    fn array(mut self) -> Result<StructArray, Stop> {
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
