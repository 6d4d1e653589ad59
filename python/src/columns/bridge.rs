//! Imports arrays from Python and exports them without a copy: the only module with `unsafe` code.
//!
//! The capsules contain structs of the [C data interface][spec]. Taking a struct moves it out of
//! its capsule and marks the rest as released, so that nothing is released twice.
//!
//! [spec]: https://arrow.apache.org/docs/format/CDataInterface.html
#![expect(unsafe_code, reason = "the C data interface is made of pointers")]

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatchReader, StructArray};
use arrow_data::ArrayData;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Takes the array that `__arrow_c_array__` returned; the values of the producer are not checked.
///
/// # Errors
///
/// `TypeError` if it returned something else, or an array that was taken before.
pub(super) fn take_array(returned: &Bound<'_, PyAny>) -> PyResult<Result<ArrayData, ArrowError>> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = returned.extract()?;
    let schema = get_pointer::<FFI_ArrowSchema>(&schema, SCHEMA)?;
    let array = get_pointer::<FFI_ArrowArray>(&array, ARRAY)?;
    // SAFETY: a capsule of this name has a pointer to an initialized struct of this type, which
    // lives as long as the capsule. The interpreter is attached, so that no other thread moves it.
    let (schema, array) = unsafe {
        (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr()))
    };
    if array.is_released() {
        return Err(PyTypeError::new_err("the array was taken before"));
    }
    // SAFETY: the producer promises that the array is of the schema's type.
    Ok(unsafe { from_ffi(array, &schema) })
}

/// Takes the stream that `__arrow_c_stream__` returned.
///
/// # Errors
///
/// `TypeError` if it returned something else.
pub(super) fn take_stream(returned: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let stream = get_pointer::<FFI_ArrowArrayStream>(returned.cast::<PyCapsule>()?, STREAM)?;
    // SAFETY: as in `take_array`.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) })
}

fn get_pointer<T>(capsule: &Bound<'_, PyCapsule>, name: &'static CStr) -> PyResult<NonNull<T>> {
    Ok(capsule.pointer_checked(Some(name))?.cast())
}

/// Makes the capsule that `__arrow_c_schema__` returns.
pub(super) fn export_schema(
    py: Python<'_>,
    schema: FFI_ArrowSchema,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Makes the capsules that `__arrow_c_array__` returns.
pub(super) fn export_array<'py>(
    py: Python<'py>,
    schema: FFI_ArrowSchema,
    array: &StructArray,
) -> PyResult<Bound<'py, PyTuple>> {
    let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?;
    (export_schema(py, schema)?, array).into_pyobject(py)
}

/// Makes the capsule that `__arrow_c_stream__` returns.
pub(super) fn export_stream(
    py: Python<'_>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}
