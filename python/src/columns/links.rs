//! Links of documents of an array.

use std::sync::Arc;

use absolve::column::{Column, Read};
use absolve::{Buffers, Link, Rewriter};
use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;

use super::documents::{Document, Rows};
use super::queue::Output;
use super::stop::Stop;
use super::values::{Numbers, Texts};
use crate::document::{KEPT, Places};
use crate::errors::{Failure, catch};
use crate::options::{named, texts};

/// The columns that are listed.
#[derive(Debug, Clone)]
pub(crate) struct Selection(Arc<[&'static Column]>);

impl Selection {
    /// Reads the argument: names, in the order of the result; `None` for the default.
    pub(crate) fn new(columns: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(names) = columns else { return Ok(Self(Column::of_tables().collect())) };
        let mut chosen: Vec<&Column> = Vec::new();
        for name in texts("columns", names)? {
            let known = Column::on_request().map(|column| (column.name, column));
            let column = named("columns", &name, known)?;
            if !chosen.iter().any(|known| known.name == name) {
                chosen.push(column);
            }
        }
        Ok(Self(chosen.into()))
    }
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
            Read::Text(_) | Read::Reference(_) | Read::Url(_) => Values::Texts(Texts::default()),
            Read::Number(_) | Read::Flag(_) | Read::Span(_) => Values::Numbers(Numbers::default()),
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
            Read::Text(_) | Read::Reference(_) | Read::Url(_) => DataType::Utf8,
            // No table has spans.
            Read::Number(_) | Read::Span(_) => DataType::Int64,
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
        let mut places = Places::new(document.source, document.unit);
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
    pub(super) fn link(
        &mut self,
        document: &Document<'_>,
        link: &Link<'_>,
        places: &mut Places<'_>,
    ) {
        self.documents.push(Some(document.row as u64));
        self.errors.push(None);
        for (values, column) in self.columns.iter_mut().zip(&*self.selection.0) {
            match (values, column.read) {
                (Values::Texts(texts), Read::Text(read) | Read::Reference(read)) => {
                    texts.push(read(link));
                }
                (Values::Texts(texts), Read::Url(read)) => texts.push_parts(read(link)),
                (Values::Numbers(numbers), Read::Number(read)) => numbers.push(read(link, places)),
                (Values::Numbers(numbers), Read::Flag(read)) => {
                    numbers.push(read(link).map(u64::from));
                }
                // They were made for these columns.
                _ => {}
            }
        }
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

impl Rows for LinkColumns {
    fn document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        _: &mut Buffers,
    ) -> Result<(), Failure> {
        // There is no bound that they could exceed.
        self.list(document, options, usize::MAX).unwrap_or_default();
        Ok(())
    }

    fn failure(&mut self, document: &Document<'_>, failure: &Failure) {
        self.error(document.row, &document.message(failure));
    }

    fn check(&self) -> Result<(), Stop> {
        if self.overflows() { Err(Stop::TEXT_OVERFLOW) } else { Ok(()) }
    }
}
