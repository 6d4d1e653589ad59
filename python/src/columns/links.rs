//! Links of documents of an array.

use absolve::{Buffers, Link, Rewriter};
use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};

use super::bases::Bases;
use super::batches::{ThreadState, Threads};
use super::column::Column;
use super::queue::{Batch, Output};
use super::stop::Stop;
use super::table::{Document, Read, Selection, View};
use super::values::{Numbers, Texts};
use crate::document::{KEPT, Places};
use crate::errors::{Failure, catch};

/// Lists the links; an array a chunk.
pub(super) fn links(
    documents: &Column,
    bases: &Bases,
    columns: &Selection,
    threads: Threads,
) -> Result<Vec<StructArray>, Stop> {
    let outputs = threads.each_chunk(
        documents,
        || LinkColumns::new(columns),
        |state, batch, output| list_batch(documents, bases, state, batch, output),
    )?;
    outputs.into_iter().map(LinkColumns::array).collect()
}

fn list_batch(
    documents: &Column,
    bases: &Bases,
    state: &mut ThreadState,
    batch: &Batch,
    output: &mut LinkColumns,
) -> Result<(), Stop> {
    let first = documents.rows(batch.chunk).start;
    for row in batch.rows.clone().map(|row| first + row) {
        let Some(document) = documents.checked(row)? else { continue };
        let name = format_args!("row {row}");
        let unit = documents.unit(document);
        let document = Document { row, name: &name, source: document, unit };
        match bases.options(&mut state.last_base, row)? {
            Ok(options) => drop(output.list(&document, options, usize::MAX)),
            Err(error) => output.failure(&document, &error.into()),
        }
        if output.overflows() {
            return Err(Stop::TEXT_OVERFLOW);
        }
    }
    Ok(())
}

/// Links as columns, each with the row of its document; an error for a document that fails.
#[derive(Debug)]
pub(crate) struct LinkColumns {
    documents: Numbers,
    errors: Texts,
    columns: Vec<Values>,
    selection: Selection,
    /// Memory of one document that is used for the next.
    buffers: Buffers,
}

/// The values of a column.
#[derive(Debug)]
enum Values {
    Texts(Texts),
    Numbers(Numbers),
}

/// The links of a document exceed the bytes that they may have.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl LinkColumns {
    /// Columns without a row.
    pub(crate) fn new(selection: &Selection) -> Self {
        let values = |read: &Read| match read {
            Read::Text(_) | Read::Parts(_) => Values::Texts(Texts::default()),
            Read::Number(_) | Read::Flag(_) => Values::Numbers(Numbers::default()),
        };
        Self {
            documents: Numbers::default(),
            errors: Texts::default(),
            columns: selection.0.iter().map(|column| values(&column.read)).collect(),
            selection: selection.clone(),
            buffers: Buffers::new(),
        }
    }

    /// The fields of the result.
    pub(super) fn fields(selection: &Selection) -> Fields {
        let data_type = |read: &Read| match read {
            Read::Text(_) | Read::Parts(_) => DataType::Utf8,
            Read::Number(_) => DataType::Int64,
            Read::Flag(_) => DataType::Boolean,
        };
        let document = Field::new("document", DataType::Int64, false);
        let error = Field::new("error", DataType::Utf8, true);
        let columns = selection.0.iter();
        let columns = columns.map(|one| Field::new(one.name, data_type(&one.read), true));
        [document, error].into_iter().chain(columns).collect()
    }

    /// Takes the rows out.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(&self.selection);
        std::mem::replace(self, empty)
    }

    /// Adds the links of a document, or its error alone.
    ///
    /// # Errors
    ///
    /// If the columns would have more than `max_bytes`; then nothing is added.
    pub(crate) fn list(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        max_bytes: usize,
    ) -> Result<(), TooLarge> {
        let first = self.len();
        let mut places = None;
        let mut is_full = false;
        let mut buffers = std::mem::take(&mut self.buffers);
        let result = catch(|| {
            options.links_in(document.source, &mut buffers, |link| {
                is_full |= self.overflows() || self.size() > max_bytes;
                if !is_full {
                    self.link(document, link, &mut places);
                }
            })
        });
        if document.source.len() <= KEPT && result.is_ok() {
            self.buffers = buffers;
        }
        if let Err(failure) = &result {
            self.truncate(first);
            self.failure(document, failure);
        } else if is_full && max_bytes < usize::MAX {
            self.truncate(first);
            return Err(TooLarge);
        }
        Ok(())
    }

    /// Adds a link of a document, whose places are found from one link to the next.
    pub(super) fn link<'d>(
        &mut self,
        document: &Document<'d>,
        link: &Link<'_>,
        places: &mut Option<Places<'d>>,
    ) {
        let mut view = View { link, document, places };
        self.documents.push(Some(document.row as u64));
        self.errors.push(None);
        for (values, column) in self.columns.iter_mut().zip(&*self.selection.0) {
            match (values, column.read) {
                (Values::Texts(texts), Read::Text(read)) => texts.push(read(&view)),
                (Values::Texts(texts), Read::Parts(read)) => texts.push_parts(read(&view)),
                (Values::Numbers(numbers), Read::Number(read)) => numbers.push(read(&mut view)),
                (Values::Numbers(numbers), Read::Flag(read)) => {
                    numbers.push(read(&view).map(u64::from));
                }
                // They were made for these columns.
                _ => {}
            }
        }
    }

    /// Adds the error of a document.
    pub(crate) fn failure(&mut self, document: &Document<'_>, failure: &Failure) {
        let message = failure.message(&document.name.to_string(), document.unit);
        self.error(document.row, &message);
    }

    /// Adds the error of a row.
    pub(crate) fn error(&mut self, row: usize, message: &str) {
        self.documents.push(Some(row as u64));
        self.errors.push(Some(message));
        for values in &mut self.columns {
            match values {
                Values::Texts(texts) => texts.push(None),
                Values::Numbers(numbers) => numbers.push(None),
            }
        }
    }

    /// The rows of documents, and how many links of each are in a row.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (usize, usize)> {
        let documents = self.documents.values().chunk_by(|one, next| one == next);
        documents.map(|rows| (usize::try_from(rows[0]).unwrap_or(usize::MAX), rows.len()))
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.values().len()
    }

    /// Bytes of the columns.
    pub(crate) fn size(&self) -> usize {
        /// Of the row of its document, and of the offset of its error.
        const ROW: usize = 8 + 4;
        let size = |values: &Values| match values {
            Values::Texts(texts) => texts.size() + 4 * self.len(),
            Values::Numbers(_) => 8 * self.len(),
        };
        self.errors.size() + ROW * self.len() + self.columns.iter().map(size).sum::<usize>()
    }

    fn overflows(&self) -> bool {
        let overflows = |values: &Values| match values {
            Values::Texts(texts) => texts.overflows(),
            Values::Numbers(_) => false,
        };
        self.errors.overflows() || self.columns.iter().any(overflows)
    }

    fn truncate(&mut self, rows: usize) {
        self.documents.truncate(rows);
        self.errors.truncate(rows);
        for values in &mut self.columns {
            match values {
                Values::Texts(texts) => texts.truncate(rows),
                Values::Numbers(numbers) => numbers.truncate(rows),
            }
        }
    }

    /// A row a link, with the [fields](Self::fields) of its columns.
    pub(crate) fn array(self) -> Result<StructArray, Stop> {
        let mut arrays: Vec<ArrayRef> = vec![self.documents.array(), self.errors.array()?];
        for (values, column) in self.columns.into_iter().zip(&*self.selection.0) {
            arrays.push(match (values, column.read) {
                (Values::Texts(texts), _) => texts.array()?,
                (Values::Numbers(numbers), Read::Flag(_)) => numbers.flags(),
                (Values::Numbers(numbers), _) => numbers.array(),
            });
        }
        Ok(StructArray::try_new(Self::fields(&self.selection), arrays, None)?)
    }
}

impl Output for LinkColumns {
    fn append(&mut self, next: Self) -> Result<(), Stop> {
        self.documents.append(next.documents);
        self.errors.append(next.errors)?;
        for values in self.columns.iter_mut().zip(next.columns) {
            match values {
                (Values::Texts(texts), Values::Texts(next)) => texts.append(next)?,
                (Values::Numbers(numbers), Values::Numbers(next)) => numbers.append(next),
                // Both have the same columns.
                _ => {}
            }
        }
        Ok(())
    }
}
