//! The arrays that Python gets.

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{Array as _, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{Fields, Schema, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::bridge;
use super::column::Layout;

/// An array of structs, for every library with the Arrow PyCapsule interface.
///
/// >>> import pyarrow
/// >>> result = rewrite_array(pyarrow.array(["<a href=x>"]), "http://h/")
/// >>> len(result)
/// 1
/// >>> pyarrow.table(result).column_names
/// ['document', 'error', 'links', 'rewritten']
#[pyclass(frozen, module = "absolve")]
pub(crate) struct Array {
    schema: SchemaRef,
    array: StructArray,
}

/// Arrays of structs, in the chunks of the documents that they were made of.
///
/// >>> import pyarrow
/// >>> pages = pyarrow.chunked_array([["<a href=x>"], ["<a href=y>", "<p>"]])
/// >>> result = rewrite_array(pages, "http://h/")
/// >>> len(result), result.num_chunks
/// (3, 2)
/// >>> pyarrow.table(result)["links"].to_pylist()
/// [1, 1, 0]
#[pyclass(frozen, module = "absolve")]
pub(super) struct ChunkedArray {
    schema: SchemaRef,
    chunks: Vec<StructArray>,
}

/// The result as an object: an array for an array, chunks for a stream.
pub(super) fn exported(
    py: Python<'_>,
    layout: Layout,
    fields: Fields,
    chunks: Vec<StructArray>,
) -> PyResult<Bound<'_, PyAny>> {
    let schema = Arc::new(Schema::new(fields));
    match (layout, <[StructArray; 1]>::try_from(chunks)) {
        (Layout::Array, Ok([array])) => Ok(Bound::new(py, Array { schema, array })?.into_any()),
        (_, chunks) => {
            let chunks = chunks.map_or_else(|chunks| chunks, Vec::from);
            Ok(Bound::new(py, ChunkedArray { schema, chunks })?.into_any())
        }
    }
}

impl From<StructArray> for Array {
    fn from(array: StructArray) -> Self {
        Self { schema: Arc::new(Schema::new(array.fields().clone())), array }
    }
}

#[pymethods]
impl Array {
    /// Export the type, as the Arrow PyCapsule interface has it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        bridge::schema_capsule(py, ffi_schema(&self.schema)?)
    }

    /// Export the array, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        bridge::array_capsules(py, ffi_schema(&self.schema)?, &self.array)
    }

    /// Export the array as a stream, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        stream(py, &self.schema, std::slice::from_ref(&self.array))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        format!("Array({})", described(self.__len__(), &self.schema))
    }
}

#[pymethods]
impl ChunkedArray {
    /// The number of chunks.
    #[getter]
    fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Export the type, as the Arrow PyCapsule interface has it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        bridge::schema_capsule(py, ffi_schema(&self.schema)?)
    }

    /// Export the chunks as a stream, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        stream(py, &self.schema, &self.chunks)
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(StructArray::len).sum()
    }

    fn __repr__(&self) -> String {
        let rows = described(self.__len__(), &self.schema);
        format!("ChunkedArray({rows}, {} chunks)", self.chunks.len())
    }
}

/// The rows of an array, and its fields.
fn described(rows: usize, schema: &Schema) -> String {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    format!("{rows} rows of {}", names.collect::<Vec<_>>().join(", "))
}

fn ffi_schema(schema: &Schema) -> PyResult<FFI_ArrowSchema> {
    FFI_ArrowSchema::try_from(schema).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn stream<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    chunks: &[StructArray],
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches: Vec<_> =
        chunks.iter().cloned().map(|chunk| Ok(RecordBatch::from(chunk))).collect();
    let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
    bridge::stream_capsule(py, Box::new(reader))
}
