//! What ends the work on an array.

use std::io;

use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{EncodingError, InternalError, limit_error};

/// Why no result is made.
#[derive(Debug)]
pub(crate) enum Stop {
    /// A signal: the exception of its handler.
    Signal(PyErr),
    /// A row of strings that is not valid UTF-8, and which argument has it.
    Utf8 { column: &'static str, row: usize },
    /// A chunk of this type would exceed 2 GiB.
    Overflow { data_type: &'static str },
    /// The system gives no thread.
    Thread(io::Error),
    /// An array that Arrow refuses.
    Arrow(ArrowError),
    /// A bug: its message.
    Panic(String),
}

impl From<ArrowError> for Stop {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl From<Stop> for io::Error {
    fn from(stop: Stop) -> Self {
        Python::attach(|py| stop.exception(py)).into()
    }
}

impl Stop {
    /// A column of links would exceed 2 GiB.
    pub(super) const TEXT_OVERFLOW: Self = Self::Overflow { data_type: "string" };

    pub(crate) fn exception(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Signal(error) => error,
            Self::Utf8 { column, row } => {
                EncodingError::new_err(format!("row {row} of '{column}' is not valid UTF-8"))
            }
            Self::Overflow { data_type } => {
                let what = format!(
                    "a chunk of type {data_type} exceeds 2 GiB, use large_{data_type} or smaller \
                     chunks"
                );
                limit_error(py, what, None, None)
            }
            Self::Thread(error) => error.into(),
            Self::Arrow(error) => PyValueError::new_err(error.to_string()),
            Self::Panic(message) => InternalError::new_err(format!(
                "array of documents: a bug stopped it, please report it: {message}"
            )),
        }
    }
}
