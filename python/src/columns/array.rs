//! Exports arrays to Python, as objects with the Arrow PyCapsule interface.

use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{Array as _, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{Fields, Schema};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use super::bridge;

/// An array of structs, for every library with the Arrow PyCapsule interface.
///
/// >>> import pyarrow
/// >>> result = rewrite_array(pyarrow.array(["<a href=x>"]), "http://h/")
/// >>> len(result)
/// 1
/// >>> pyarrow.table(result).column_names
/// ['document', 'error', 'links', 'rewritten']
#[pyclass(frozen, module = "absolve")]
pub(crate) struct Array(pub(crate) StructArray);

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
    fields: Fields,
    chunks: Vec<StructArray>,
}

/// Makes the result: an array for an array, chunks for a stream.
pub(super) fn export<'py>(
    py: Python<'py>,
    is_stream: bool,
    fields: &Fields,
    chunks: Vec<StructArray>,
) -> PyResult<Bound<'py, PyAny>> {
    match &chunks[..] {
        [array] if !is_stream => Array(array.clone()).into_bound_py_any(py),
        _ => ChunkedArray { fields: fields.clone(), chunks }.into_bound_py_any(py),
    }
}

#[pymethods]
impl Array {
    /// Export the type, as the Arrow PyCapsule interface has it.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        bridge::export_schema(py, ffi_schema(self.0.fields())?)
    }

    /// Export the array, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        bridge::export_array(py, ffi_schema(self.0.fields())?, &self.0)
    }

    /// Export the array as a stream, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        export_stream(py, self.0.fields(), std::slice::from_ref(&self.0))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("Array({})", describe(self.__len__(), self.0.fields()))
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
        bridge::export_schema(py, ffi_schema(&self.fields)?)
    }

    /// Export the chunks as a stream, as the Arrow PyCapsule interface has it.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        export_stream(py, &self.fields, &self.chunks)
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(StructArray::len).sum()
    }

    fn __repr__(&self) -> String {
        let rows = describe(self.__len__(), &self.fields);
        format!("ChunkedArray({rows}, {} chunks)", self.chunks.len())
    }
}

/// Describes an array by the number of its rows and its fields.
fn describe(rows: usize, fields: &Fields) -> String {
    let names = fields.iter().map(|field| field.name().as_str());
    format!("{rows} rows of {}", names.collect::<Vec<_>>().join(", "))
}

fn ffi_schema(fields: &Fields) -> PyResult<FFI_ArrowSchema> {
    let schema = FFI_ArrowSchema::try_from(Schema::new(fields.clone()));
    schema.map_err(|error| PyValueError::new_err(error.to_string()))
}

fn export_stream<'py>(
    py: Python<'py>,
    fields: &Fields,
    chunks: &[StructArray],
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches: Vec<_> =
        chunks.iter().cloned().map(|chunk| Ok(RecordBatch::from(chunk))).collect();
    let reader = RecordBatchIterator::new(batches, Arc::new(Schema::new(fields.clone())));
    bridge::export_stream(py, Box::new(reader))
}
