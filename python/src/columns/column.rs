//! An argument that is an array of strings or binaries.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::ArrayStreamReader;
use arrow_array::{
    Array, ArrayReader, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, make_array,
};
use arrow_buffer::NullBuffer;
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::bridge;
use crate::document::Unit;
use crate::errors::{Stop, unwound};
use crate::options::wrong_type;

/// An argument that is an array, in one chunk or several.
#[derive(Debug)]
pub(super) struct Column {
    name: &'static str,
    /// Whether it came as a stream of chunks, and a result goes so.
    pub(super) is_stream: bool,
    pub(super) data_type: DataType,
    pub(super) chunks: Vec<Chunk>,
    /// The first row of each chunk.
    starts: Vec<usize>,
    pub(super) len: usize,
}

/// A chunk of it.
#[derive(Debug)]
pub(super) struct Chunk {
    /// As it came.
    pub(super) array: ArrayRef,
    values: Values,
}

/// The values as bytes: a producer may say that they are valid UTF-8, and be wrong.
#[derive(Debug)]
enum Values {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    /// Of the type null.
    Null,
}

impl Column {
    /// Documents: strings or binaries.
    pub(super) fn documents(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new("documents", object, "strings or binaries", |data| as_binary(data).is_some())
    }

    /// Base URLs: strings, or nulls alone.
    pub(super) fn base_urls(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new("base_urls", object, "strings", |data| is_text(data) || data == &DataType::Null)
    }

    fn new(
        name: &'static str,
        object: &Bound<'_, PyAny>,
        expected: &str,
        is_expected: fn(&DataType) -> bool,
    ) -> PyResult<Self> {
        let (is_stream, data_type, chunks) = taken(name, object)?;
        let mut column =
            Self { name, is_stream, data_type, chunks: Vec::new(), starts: Vec::new(), len: 0 };
        for data in chunks {
            let invalid = |why| PyValueError::new_err(format!("'{name}' is malformed: {why}"));
            let chunk = unwound(|| Chunk::new(data)).map_err(invalid)?;
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
        let what = format!("'{name}' must be an array of {expected}, not {data_type}{hint}");
        Err(PyTypeError::new_err(what))
    }

    /// Whether it has strings.
    pub(super) fn is_text(&self) -> bool {
        is_text(&self.data_type)
    }

    /// The rows of a chunk.
    pub(super) fn rows(&self, chunk: usize) -> Range<usize> {
        let start = self.starts[chunk];
        start..start + self.chunks[chunk].array.len()
    }

    /// The value of a row; none for a null.
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        let chunk = self.starts.partition_point(|&start| start <= row).checked_sub(1)?;
        self.chunks[chunk].get(row - self.starts[chunk])
    }

    /// The document of a row, and what offsets in it count; strings are valid UTF-8.
    pub(super) fn document(&self, row: usize) -> Result<Option<(&[u8], Unit<'_>)>, Stop> {
        Ok(if self.is_text() {
            self.text(row)?.map(|text| (text.as_bytes(), Unit::Character(text)))
        } else {
            self.get(row).map(|bytes| (bytes, Unit::Byte))
        })
    }

    /// The value of a row as text.
    pub(super) fn text(&self, row: usize) -> Result<Option<&str>, Stop> {
        let text = self.get(row).map(std::str::from_utf8).transpose();
        text.map_err(|_| Stop::Utf8 { column: self.name, row })
    }
}

impl Chunk {
    /// A chunk without a row.
    pub(super) fn empty(data_type: &DataType) -> Result<Self, ArrowError> {
        Self::new(ArrayData::new_empty(data_type))
    }

    fn new(data: ArrayData) -> Result<Self, ArrowError> {
        let values = match as_binary(data.data_type()) {
            None => Values::Null,
            Some(data_type) => {
                // This checks lengths, offsets and views, which producers may have wrong.
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

    /// The value of a row of this chunk; none for a null.
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

/// The type of binaries with the same buffers.
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

/// Takes the chunks of an object with the PyCapsule interface; whether they are those of a stream.
fn taken(name: &str, object: &Bound<'_, PyAny>) -> PyResult<(bool, DataType, Vec<ArrayData>)> {
    let py = object.py();
    let array = object.getattr_opt("__arrow_c_array__")?.map(|export| export.call0());
    let stream = object.getattr_opt("__arrow_c_stream__")?;
    let malformed = |why: String| {
        // Polars gives it a buffer.
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
        // An object of several chunks may have both, and refuse to be one array.
        (_, Some(export)) => {
            let stream = bridge::take_stream(&export.call0()?)?;
            // What makes the chunks may need the interpreter, in another thread too.
            let read = py.detach(|| {
                unwound(|| {
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
