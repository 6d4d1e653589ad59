//! Why a run over files did not do its work.

use std::io;
use std::path::{Path, PathBuf};

use absolve::batch::{PreflightError, reason};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use super::result::FileFailure;
use crate::args::InvalidBaseMap;
use crate::arguments::Function;
use crate::errors::{self, Error};
use crate::session::failure::Failure;

/// Why a run did not do its work.
pub(super) enum RunError {
    /// An option, or what it names.
    Message(String),
    Library(absolve::Error),
    /// A file that cannot be read or written.
    File(PathBuf, io::Error),
    /// The checks before the first file is written.
    Preflight(PreflightError),
    /// A file cannot be written, in words.
    Unwritten(String),
    /// The exception of a file object.
    Raised(PyErr),
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Message(message) => Self::Message(message),
            Failure::ClosedPipe => Self::Message(String::new()),
        }
    }
}

impl From<InvalidBaseMap> for RunError {
    fn from(error: InvalidBaseMap) -> Self {
        Self::Message(error.0)
    }
}

impl From<absolve::Error> for RunError {
    fn from(error: absolve::Error) -> Self {
        Self::Library(error)
    }
}

impl From<PreflightError> for RunError {
    fn from(error: PreflightError) -> Self {
        Self::Preflight(error)
    }
}

impl RunError {
    /// The failure to read or write a file, or a file object.
    pub(super) fn of(path: &Path, error: io::Error) -> Self {
        if is_exception(&error) {
            return Self::Raised(error.into());
        }
        Self::File(path.to_owned(), error)
    }

    /// The exception of a call of this function.
    pub(super) fn exception(&self, py: Python<'_>, function: &Function) -> PyErr {
        match self {
            Self::Message(message) => function.failure(message),
            Self::Library(error) => errors::exception(py, error),
            Self::File(path, error) => match document_error(error) {
                Some(error) => errors::exception(py, error),
                None => os_error(path, error),
            },
            Self::Preflight(error) => {
                io::Error::new(error.kind(), function.in_python(&error.to_string())).into()
            }
            Self::Unwritten(message) => PyOSError::new_err(function.in_python(message)),
            Self::Raised(error) => error.clone_ref(py),
        }
    }
}

impl FileFailure {
    /// The exception of the only failure of a call.
    pub(super) fn exception(&self, py: Python<'_>, message: String) -> PyErr {
        match &self.error {
            Some(error) => errors::with_message(py, error, message),
            None => Error::new_err(message),
        }
    }
}

/// Why a new archive or book was not written.
pub(super) enum Unwritten {
    Write(io::Error),
    Other(RunError),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl Unwritten {
    /// The failure of a run that writes this file.
    pub(super) fn of(self, destination: &Path) -> RunError {
        match self {
            Self::Write(error) => RunError::of(destination, error),
            Self::Other(error) => error,
        }
    }
}

/// The error of a document that is not read, since it is larger than a limit.
fn document_error(error: &io::Error) -> Option<&absolve::Error> {
    error.get_ref()?.downcast_ref()
}

/// Whether an error is the exception of a file object.
pub(crate) fn is_exception(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<PyErr>)
}

/// The exception of a system's error, of its class and with its number: `FileNotFoundError` and
/// others.
pub(crate) fn os_error(path: &Path, error: &io::Error) -> PyErr {
    let name = path.as_os_str().to_owned();
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, reason(error), name)),
        None => PyErr::from(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}
