//! The documents of a call, each with its options.

use std::fmt::Display;
use std::ops::Range;

use absolve::{Buffers, Rewriter};
use arrow_array::StructArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::column::{Chunk, Column};
use crate::document::Unit;
use crate::errors::{self, Failure, Stop};
use crate::options::{self, Function, text};

/// An array of documents, and the options of each: those of the call, with the base URL of its row.
#[derive(Debug)]
pub(super) struct Documents {
    pub(super) column: Column,
    /// For rows without a base URL of their own.
    options: Rewriter,
    /// For all rows.
    base_url: Option<String>,
    base_urls: Option<Column>,
}

/// A document, with the number of its row.
pub(crate) struct Document<'d> {
    pub(super) row: usize,
    pub(super) source: &'d [u8],
    pub(super) unit: Unit<'d>,
    pub(super) base_url: Option<&'d str>,
    /// Its name in the message about a bug, if that is not its row.
    name: Option<&'d dyn Display>,
}

/// The options of the last row, which are often those of the next.
#[derive(Debug, Default)]
pub(super) struct LastBase(Option<(String, Rewriter)>);

/// Memory of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadState {
    buffers: Buffers,
    last_base: LastBase,
}

/// The rows that documents make.
pub(super) trait Rows: Send + Sized {
    /// Adds what a null makes.
    fn null(&mut self) {}

    /// Adds what a document makes; nothing if it fails.
    fn document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
    ) -> Result<(), Failure>;

    /// Adds a row with the error of a document.
    fn failure(&mut self, document: &Document<'_>, failure: &Failure);

    /// Refuses more than an array represents.
    fn check(&self) -> Result<(), Stop>;

    /// Adds the output of the next batch, but its blocks.
    ///
    /// # Errors
    ///
    /// If the chunk becomes too large.
    fn append(&mut self, next: Self) -> Result<(), Stop>;

    /// The blocks of bytes of documents, if it has any.
    fn blocks(&mut self) -> Option<&mut Vec<Vec<u8>>> {
        None
    }

    /// Bytes that a block may have.
    fn max_block(&self) -> usize {
        0
    }

    /// Adds bytes of documents to the last block, or as another one.
    fn store(&mut self, _bytes: &[u8]) {}

    /// The rows, which are those of a chunk of documents.
    fn array(self, chunk: &Chunk) -> Result<StructArray, Stop>;
}

/// Rows of a chunk that are worked on together.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) chunk: usize,
    /// In the chunk.
    pub(super) rows: Range<usize>,
    /// Of its documents.
    pub(super) bytes: usize,
}

impl<'d> Document<'d> {
    /// A document of bytes.
    pub(crate) fn of_bytes(row: usize, name: &'d dyn Display, source: &'d [u8]) -> Self {
        Self { row, source, unit: Unit::Byte, base_url: None, name: Some(name) }
    }

    /// Why it fails.
    pub(super) fn message(&self, failure: &Failure) -> String {
        let name = self.name.map_or_else(|| format!("row {}", self.row), ToString::to_string);
        failure.message(&name, self.unit)
    }
}

impl Documents {
    /// Reads the arguments; `base_urls` is an array, one `str` for all, or `None`.
    pub(super) fn new(
        function: Function,
        documents: &Bound<'_, PyAny>,
        base_urls: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options::rewriter(function, options)?;
        let column = Column::documents(documents)?;
        let failed = |error| errors::exception(documents.py(), &error);
        let options = if column.is_text() { options.encoding("utf-8") } else { Ok(options) };
        let options = options.map_err(failed)?;
        let mut documents = Self { column, options, base_url: None, base_urls: None };
        let Some(object) = base_urls else { return Ok(documents) };
        if object.is_instance_of::<PyString>() {
            let url = text("base_urls", object)?;
            documents.options = documents.options.base_url(url).map_err(failed)?;
            documents.base_url = Some(url.to_owned());
            return Ok(documents);
        }
        let base_urls = Column::base_urls(object)?;
        let (rows, expected) = (base_urls.len, documents.column.len);
        if rows == expected {
            documents.base_urls = Some(base_urls);
            return Ok(documents);
        }
        Err(PyValueError::new_err(format!(
            "'base_urls' has {rows} rows and 'documents' {expected}, expected as many"
        )))
    }

    /// The document of a row; `None` for a null.
    pub(super) fn get(&self, row: usize) -> Result<Option<Document<'_>>, Stop> {
        let Some((source, unit)) = self.column.document(row)? else { return Ok(None) };
        let base_url = match &self.base_urls {
            Some(column) => column.text(row)?,
            None => self.base_url.as_deref(),
        };
        Ok(Some(Document { row, source, unit, base_url, name: None }))
    }

    /// The options of a document.
    pub(super) fn options<'a>(
        &'a self,
        last: &'a mut LastBase,
        document: &Document<'_>,
    ) -> Result<&'a Rewriter, absolve::Error> {
        let Some(url) = document.base_url.filter(|_| self.base_urls.is_some()) else {
            return Ok(&self.options);
        };
        if last.0.as_ref().is_none_or(|(text, _)| text != url) {
            last.0 = Some((url.to_owned(), self.options.clone().base_url(url)?));
        }
        Ok(last.0.as_ref().map_or(&self.options, |(_, options)| options))
    }

    /// The batches: no larger than what keeps a thread busy for a millisecond.
    pub(super) fn batches(&self) -> Vec<Batch> {
        const BYTES: usize = 512 << 10;
        const ROWS: usize = 4096;
        let mut batches = Vec::new();
        for (chunk, values) in self.column.chunks.iter().enumerate() {
            let (mut start, mut bytes) = (0, 0);
            let rows = self.column.rows(chunk).len();
            for row in 0..rows {
                bytes += values.get(row).map_or(0, <[u8]>::len);
                if bytes >= BYTES || row + 1 - start == ROWS || row + 1 == rows {
                    batches.push(Batch { chunk, rows: start..row + 1, bytes });
                    (start, bytes) = (row + 1, 0);
                }
            }
        }
        batches
    }

    /// Adds the rows of a batch to its output.
    pub(super) fn add_rows<R: Rows>(
        &self,
        state: &mut ThreadState,
        batch: &Batch,
        output: &mut R,
    ) -> Result<(), Stop> {
        let first = self.column.rows(batch.chunk).start;
        for row in batch.rows.clone().map(|row| first + row) {
            let Some(document) = self.get(row)? else {
                output.null();
                continue;
            };
            let ThreadState { buffers, last_base } = state;
            let result = match self.options(last_base, &document) {
                Ok(options) => output.document(&document, options, buffers),
                Err(error) => Err(error.into()),
            };
            if let Err(failure) = result {
                output.failure(&document, &failure);
                if let Failure::Panic(_) = failure {
                    *state = ThreadState::default();
                }
            }
            output.check()?;
        }
        Ok(())
    }
}
