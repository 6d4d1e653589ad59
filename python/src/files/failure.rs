//! Why a run over files did not do its work.

use std::io;
use std::path::Path;

use absolve::batch::reason;
use absolve::cli::session::failure::{Cause, Failure};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use super::result::FileFailure;
use crate::errors::{self, Error, in_python};
use crate::progress::Interrupt;

/// The exception of a failure of the command.
pub(crate) fn exception(py: Python<'_>, failure: Failure) -> PyErr {
    match failure {
        Failure::ClosedPipe => Error::new_err("stdout was closed"),
        Failure::Message(message) => Error::new_err(in_python(message)),
        Failure::Caused(_, Cause::Document(error)) => errors::exception(py, &error),
        Failure::Caused(message, Cause::Preflight(kind)) => {
            io::Error::new(kind, in_python(message)).into()
        }
        Failure::Caused(_, Cause::File(path, error)) => {
            python_exception(error, |error| match document_error(error) {
                Some(error) => errors::exception(py, error),
                None => os_error(&path, error),
            })
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

/// The error of a document that is not read, since it is larger than a limit.
fn document_error(error: &io::Error) -> Option<&absolve::Error> {
    error.get_ref()?.downcast_ref()
}

/// The exception of a file object or of a signal's handler that an error has, or what `other` makes of it.
pub(crate) fn python_exception(error: io::Error, other: impl FnOnce(&io::Error) -> PyErr) -> PyErr {
    match error.downcast::<Interrupt>() {
        Ok(Interrupt(raised)) => raised,
        Err(error) => error.downcast::<PyErr>().unwrap_or_else(|error| other(&error)),
    }
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
