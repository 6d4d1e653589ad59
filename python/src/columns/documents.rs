//! Reads the arrays of a call: documents, and the base URL of each.

use std::fmt::Display;
use std::ops::Range;

use absolve::{Buffers, Rewriter};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::ArrayStreamReader;
use arrow_array::{
    Array, ArrayReader, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, StructArray,
    make_array,
};
use arrow_buffer::NullBuffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::bridge;

use crate::document::OffsetUnit;
use crate::errors::{self, ArrayError, DocumentFailure, catch_panic};
use crate::options::{self, Function, read_text, wrong_type};

/// An argument that is an array, in a single chunk or several.
#[derive(Debug)]
pub(super) struct Column {
    name: &'static str,
    /// Whether the argument is a stream of chunks; if so, the result is a stream too.
    pub(super) is_stream: bool,
    pub(super) data_type: DataType,
    pub(super) chunks: Vec<Chunk>,
    /// The first row of each chunk.
    starts: Vec<usize>,
    pub(super) len: usize,
}

/// A chunk of an array.
#[derive(Debug)]
pub(super) struct Chunk {
    /// The array of the caller.
    pub(super) array: ArrayRef,
    values: Values,
}

/// The values as bytes: a producer may wrongly claim that they are valid UTF-8.
#[derive(Debug)]
enum Values {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    /// An array of the type null.
    Null,
}

impl Column {
    /// Reads documents: strings or binaries.
    pub(super) fn documents(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new("documents", object, "strings or binaries", |data| as_binary(data).is_some())
    }

    /// Reads base URLs: strings, or only nulls.
    pub(super) fn base_urls(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new("base_urls", object, "strings", |data| is_text(data) || data == &DataType::Null)
    }

    fn new(
        name: &'static str,
        object: &Bound<'_, PyAny>,
        expected: &str,
        is_expected: fn(&DataType) -> bool,
    ) -> PyResult<Self> {
        let (is_stream, data_type, chunks) = take_chunks(name, object)?;
        let mut column =
            Self { name, is_stream, data_type, chunks: Vec::new(), starts: Vec::new(), len: 0 };
        for data in chunks {
            let invalid = |why| PyValueError::new_err(format!("'{name}' is malformed: {why}"));
            let chunk = catch_panic(|| Chunk::new(data)).map_err(invalid)?;
            let chunk = chunk.map_err(|error| invalid(error.to_string()))?;
            column.starts.push(column.len);
            column.len += chunk.array.len();
            column.chunks.push(chunk);
        }
        let data_type = &column.data_type;
        if is_expected(data_type) {
            return Ok(column);
        }
        let hint = match data_type {
            DataType::Struct(_) => ", pass one of its columns",
            DataType::Null => ", cast it to a string",
            DataType::Dictionary(..) => ", cast it to the type of its values",
            _ => "",
        };
        let problem = format!("'{name}' must be an array of {expected}, not {data_type}{hint}");
        Err(PyTypeError::new_err(problem))
    }

    /// Whether the array has strings.
    pub(super) fn is_text(&self) -> bool {
        is_text(&self.data_type)
    }

    /// Returns the rows of a chunk.
    pub(super) fn rows(&self, chunk: usize) -> Range<usize> {
        let start = self.starts[chunk];
        start..start + self.chunks[chunk].array.len()
    }

    /// Returns the value of a row; `None` for a null.
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        let chunk = self.starts.partition_point(|&start| start <= row).checked_sub(1)?;
        self.chunks[chunk].get(row - self.starts[chunk])
    }

    /// Returns the document of a row, and the unit of offsets in it; strings are valid UTF-8.
    pub(super) fn document(
        &self,
        row: usize,
    ) -> Result<Option<(&[u8], OffsetUnit<'_>)>, ArrayError> {
        Ok(if self.is_text() {
            self.text(row)?.map(|text| (text.as_bytes(), OffsetUnit::Character(text)))
        } else {
            self.get(row).map(|bytes| (bytes, OffsetUnit::Byte))
        })
    }

    /// Returns the value of a row as text.
    pub(super) fn text(&self, row: usize) -> Result<Option<&str>, ArrayError> {
        let text = self.get(row).map(std::str::from_utf8).transpose();
        text.map_err(|_| ArrayError::Utf8 { column: self.name, row })
    }
}

impl Chunk {
    /// Makes a chunk without rows.
    pub(super) fn empty(data_type: &DataType) -> Result<Self, ArrowError> {
        Self::new(ArrayData::new_empty(data_type))
    }

    fn new(data: ArrayData) -> Result<Self, ArrowError> {
        let values = match as_binary(data.data_type()) {
            None => Values::Null,
            Some(data_type) => {
                // `build` checks lengths, offsets and views, which a producer may have wrong.
                let data = data.clone().into_builder().data_type(data_type.clone()).build()?;
                let array = make_array(data);
                match data_type {
                    DataType::Binary => Values::Small(array.as_binary().clone()),
                    DataType::LargeBinary => Values::Large(array.as_binary().clone()),
                    _ => Values::View(array.as_binary_view().clone()),
                }
            }
        };
        Ok(Self { array: make_array(data), values })
    }

    /// Returns the value of a row of this chunk; `None` for a null.
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        match &self.values {
            Values::Small(array) => array.is_valid(row).then(|| array.value(row)),
            Values::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Values::View(array) => array.is_valid(row).then(|| array.value(row)),
            Values::Null => None,
        }
    }

    pub(super) fn nulls(&self) -> Option<&NullBuffer> {
        self.array.nulls()
    }
}

/// Returns the type of binaries with the same buffers.
fn as_binary(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Utf8 | DataType::Binary => Some(DataType::Binary),
        DataType::LargeUtf8 | DataType::LargeBinary => Some(DataType::LargeBinary),
        DataType::Utf8View | DataType::BinaryView => Some(DataType::BinaryView),
        _ => None,
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Takes the chunks of an object with the PyCapsule interface, and their type. The first value
/// tells whether the object is a stream.
fn take_chunks(
    name: &str,
    object: &Bound<'_, PyAny>,
) -> PyResult<(bool, DataType, Vec<ArrayData>)> {
    let py = object.py();
    let array = object.getattr_opt("__arrow_c_array__")?.map(|export| export.call0());
    let stream = object.getattr_opt("__arrow_c_stream__")?;
    let malformed = |why: String| {
        // Polars gives an array of this type a buffer.
        if why.contains("datatype \"Null\"") {
            PyTypeError::new_err(format!("'{name}' has the type Null, cast it to a string"))
        } else {
            PyValueError::new_err(format!("'{name}' is malformed: {why}"))
        }
    };
    match (array, stream) {
        (Some(Ok(returned)), _) => {
            let data = bridge::take_array(&returned)?;
            let data = data.map_err(|error| malformed(error.to_string()))?;
            Ok((false, data.data_type().clone(), vec![data]))
        }
        // An object with several chunks may have both methods, and refuse to be a single array.
        (_, Some(export)) => {
            let stream = bridge::take_stream(&export.call0()?)?;
            // The producer of the chunks may need the interpreter, in another thread too.
            let read = py.detach(|| {
                catch_panic(|| {
                    let reader = ArrayStreamReader::try_new(stream)?;
                    let data_type = reader.field().data_type().clone();
                    let chunks = reader.map(|chunk| chunk.map(|chunk| chunk.to_data()));
                    Ok((true, data_type, chunks.collect::<Result<_, ArrowError>>()?))
                })
            });
            let read = read.map_err(&malformed)?;
            read.map_err(|error: ArrowError| malformed(error.to_string()))
        }
        (Some(Err(error)), None) => Err(error),
        (None, None) => {
            let expected = "an Arrow array (with __arrow_c_array__ or __arrow_c_stream__)";
            Err(wrong_type(name, expected, object))
        }
    }
}

/// The documents of a call with their options, and the base URL of each row.
#[derive(Debug)]
pub(super) struct Documents {
    pub(super) column: Column,
    /// The options of rows without a base URL of their own.
    options: Rewriter,
    /// The base URL of all rows.
    base_url: Option<String>,
    base_urls: Option<Column>,
}

/// A document, with its row and its base URL.
pub(crate) struct Document<'d> {
    pub(super) row: usize,
    pub(super) source: &'d [u8],
    pub(super) unit: OffsetUnit<'d>,
    pub(super) base_url: Option<&'d str>,
    /// The name in messages about bugs; the row without one.
    name: Option<&'d dyn Display>,
}

/// The base URL of the last row with its options, which the next row often shares.
#[derive(Debug, Default)]
pub(super) struct LastBase(Option<(String, Rewriter)>);

/// The buffers of a thread.
#[derive(Debug, Default)]
pub(super) struct ThreadState {
    buffers: Buffers,
    last_base: LastBase,
}

/// The rows of a result, which a function makes from documents.
pub(super) trait Rows: Send + Sized {
    /// Adds the row of a null.
    fn add_null(&mut self) {}

    /// Adds the rows of a document; adds nothing if it fails.
    fn add_document(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        buffers: &mut Buffers,
    ) -> Result<(), DocumentFailure>;

    /// Adds a row with the error of a document.
    fn add_failure(&mut self, document: &Document<'_>, failure: &DocumentFailure);

    /// Refuses more rows or bytes than an array represents.
    fn check(&self) -> Result<(), ArrayError>;

    /// Adds the output of the next batch, without its blocks.
    ///
    /// # Errors
    ///
    /// If the chunk becomes too large.
    fn append(&mut self, next: Self) -> Result<(), ArrayError>;

    /// Returns the blocks of bytes of documents, if there are any.
    fn blocks(&mut self) -> Option<&mut Vec<Vec<u8>>> {
        None
    }

    /// Returns the maximum size of a block, in bytes.
    fn max_block(&self) -> usize {
        0
    }

    /// Adds bytes of documents to the last block, or as a new one.
    fn store(&mut self, _bytes: &[u8]) {}

    /// Makes an array of the rows, which are those of a chunk of documents.
    fn into_array(self, chunk: &Chunk) -> Result<StructArray, ArrayError>;
}

/// Rows of a chunk that are worked on together.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    pub(super) chunk: usize,
    /// The rows in the chunk.
    pub(super) rows: Range<usize>,
    /// The bytes of its documents.
    pub(super) bytes: usize,
}

impl<'d> Document<'d> {
    /// Makes a document of bytes.
    pub(crate) fn from_bytes(row: usize, name: &'d dyn Display, source: &'d [u8]) -> Self {
        Self { row, source, unit: OffsetUnit::Byte, base_url: None, name: Some(name) }
    }

    /// Returns the message of a failure of this document.
    pub(super) fn message(&self, failure: &DocumentFailure) -> String {
        let name = self.name.map_or_else(|| format!("row {}", self.row), ToString::to_string);
        failure.message(&name, self.unit)
    }
}

impl Documents {
    /// Reads the arguments; `base_urls` is an array, a `str` for all rows, or `None`.
    pub(super) fn new(
        function: Function,
        documents: &Bound<'_, PyAny>,
        base_urls: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = options::read_rewriter(function, options)?;
        let column = Column::documents(documents)?;
        let failed = |error| errors::exception(documents.py(), &error);
        let options = if column.is_text() { options.encoding("utf-8") } else { Ok(options) };
        let options = options.map_err(failed)?;
        let mut documents = Self { column, options, base_url: None, base_urls: None };
        let Some(object) = base_urls else { return Ok(documents) };
        if object.is_instance_of::<PyString>() {
            let url = read_text("base_urls", object)?;
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

    /// Returns the document of a row; `None` for a null.
    pub(super) fn get(&self, row: usize) -> Result<Option<Document<'_>>, ArrayError> {
        let Some((source, unit)) = self.column.document(row)? else { return Ok(None) };
        let base_url = match &self.base_urls {
            Some(column) => column.text(row)?,
            None => self.base_url.as_deref(),
        };
        Ok(Some(Document { row, source, unit, base_url, name: None }))
    }

    /// Returns the options of a document.
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

    /// Divides the rows into batches, each of which keeps a thread busy for about a millisecond.
    pub(super) fn split_into_batches(&self) -> Vec<Batch> {
        const MAX_BYTES: usize = 512 << 10;
        const MAX_ROWS: usize = 4096;
        let mut batches = Vec::new();
        for (chunk, values) in self.column.chunks.iter().enumerate() {
            let (mut start, mut bytes) = (0, 0);
            let rows = self.column.rows(chunk).len();
            for row in 0..rows {
                bytes += values.get(row).map_or(0, <[u8]>::len);
                if bytes >= MAX_BYTES || row + 1 - start == MAX_ROWS || row + 1 == rows {
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
    ) -> Result<(), ArrayError> {
        let first = self.column.rows(batch.chunk).start;
        for row in batch.rows.clone().map(|row| first + row) {
            let Some(document) = self.get(row)? else {
                output.add_null();
                continue;
            };
            let ThreadState { buffers, last_base } = state;
            let result = match self.options(last_base, &document) {
                Ok(options) => output.add_document(&document, options, buffers),
                Err(error) => Err(error.into()),
            };
            if let Err(failure) = result {
                output.add_failure(&document, &failure);
                if let DocumentFailure::Panic(_) = failure {
                    *state = ThreadState::default();
                }
            }
            output.check()?;
        }
        Ok(())
    }
}
