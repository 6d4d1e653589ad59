//! Maps errors of the library and panics to exceptions.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::{fmt, io};

use absolve::option::nearest;
use absolve::{HasAdvice, Location};
use absolve_cli::args::functions::{is_flag, keyword, limit_keyword};
use absolve_cli::session::failure::{self, Cause};
use absolve_files::reason;
use arrow_schema::ArrowError;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyTypeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::document::OffsetUnit;

macro_rules! exceptions {
    ($($name:ident($base:ty) $doc:literal;)*) => {
        $(create_exception!(absolve, $name, $base, $doc);)*

        /// Adds the exceptions to the module.
        pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add(stringify!($name), module.py().get_type::<$name>())?;)*
            Ok(())
        }
    };
}
exceptions! {
    Error(PyValueError) "Why a document, a base URL or the value of an option could not be used.\n\n\
        The base of the other exceptions of this package.";
    BaseUrlError(Error) "The base URL is not usable: it is relative, or has a scheme without paths.";
    LimitError(Error) "A document reaches a limit, such as `max_links`.\n\n\
        `limit` is the option that raises it, and `offset` the place in the document, each if known.";
    EncodingError(Error) "The label of an encoding is unknown, or text is not Unicode: a lone surrogate in a \
        `str`,\nor invalid UTF-8 in an array of strings.";
    InternalError(Error) "A bug in absolve, with the document that shows it. Please report it.";
}

/// Writes a message of the library or the command, with keyword arguments for options.
pub(crate) fn message_for_python(message: impl HasAdvice) -> String {
    message.diagnosis().spelled(spell)
}

/// Spells an option of the command as Python does, with its value.
pub(crate) fn spell(option: &str, value: &str) -> String {
    match (option, value) {
        ("limit", limit) => limit_keyword(limit.split('=').next().unwrap_or_default()),
        ("write" | "w", _) => "in_place=True".to_owned(),
        ("output" | "o", _) => "destination".to_owned(),
        ("explain", _) => "absolve audit --explain".to_owned(),
        (flag, "") if is_flag(flag) => format!("{}=True", keyword(flag)),
        (name, "") => keyword(name),
        (name, value) => format!("{}='{value}'", keyword(name)),
    }
}

/// The reason that work on a document failed.
#[derive(Debug)]
pub(crate) enum DocumentFailure {
    /// The library refused the document or an option.
    Library(absolve::Error),
    /// A bug: its message.
    Panic(String),
}

impl From<absolve::Error> for DocumentFailure {
    fn from(error: absolve::Error) -> Self {
        Self::Library(error)
    }
}

impl DocumentFailure {
    /// Returns the text of the exception; `name` is the name of the document, and `unit` the unit
    /// of its offsets.
    pub(crate) fn message(&self, name: &str, unit: OffsetUnit<'_>) -> String {
        match self {
            Self::Library(error) => {
                let Some(byte) = byte_offset(error) else { return message_for_python(error) };
                let problem = message_for_python(error.problem());
                format!("{} {}: {problem}", unit.name(), unit.offset(byte))
            }
            Self::Panic(message) => {
                format!("{name}: a bug stopped it, please report it: {message}")
            }
        }
    }

    /// Returns the exception.
    pub(crate) fn exception(&self, py: Python<'_>, name: &str, unit: OffsetUnit<'_>) -> PyErr {
        let message = self.message(name, unit);
        match self {
            Self::Library(error) => {
                let offset = byte_offset(error).map(|byte| unit.offset(byte));
                with_offset(py, error, message, offset)
            }
            Self::Panic(_) => InternalError::new_err(message),
        }
    }
}

/// Returns the offset of the error in the document.
fn byte_offset(error: &absolve::Error) -> Option<usize> {
    match error.location() {
        Some(Location::Byte(byte)) => Some(byte),
        _ => None,
    }
}

/// Makes the exception of an error; its offset counts bytes.
pub(crate) fn exception(py: Python<'_>, error: &absolve::Error) -> PyErr {
    with_message(py, error, message_for_python(error))
}

/// Makes the exception of an error, with another message.
pub(crate) fn with_message(py: Python<'_>, error: &absolve::Error, message: String) -> PyErr {
    with_offset(py, error, message, byte_offset(error))
}

fn with_offset(
    py: Python<'_>,
    error: &absolve::Error,
    message: String,
    offset: Option<usize>,
) -> PyErr {
    if let Some(limit) = error.limit_reached() {
        let option = limit.row().map_or("limits".to_owned(), |row| limit_keyword(row.name));
        limit_error(py, message, Some(&option), offset)
    } else if error.is_unusable_base() {
        BaseUrlError::new_err(message)
    } else if error.is_unknown_encoding() {
        EncodingError::new_err(message)
    } else {
        Error::new_err(message)
    }
}

/// Makes the exception of a failure of the command.
pub(crate) fn from_failure(py: Python<'_>, failure: failure::Failure) -> PyErr {
    match failure {
        failure::Failure::ClosedPipe => Error::new_err("stdout was closed"),
        failure::Failure::Message(message) => Error::new_err(message_for_python(message)),
        failure::Failure::Caused(_, Cause::Document(error)) => exception(py, &error),
        failure::Failure::Caused(message, Cause::Preflight(kind)) => {
            io::Error::new(kind, message_for_python(message)).into()
        }
        failure::Failure::Caused(_, Cause::File(path, error)) => {
            // An I/O error contains the error of a document that exceeds a limit.
            from_io(error, |error| match error.get_ref().and_then(|error| error.downcast_ref()) {
                Some(error) => exception(py, error),
                None => os_error(&path, error),
            })
        }
    }
}

/// Returns the exception that an error contains, of a file object or a signal handler, else the
/// result of `make_other`.
pub(crate) fn from_io(error: io::Error, make_other: impl FnOnce(&io::Error) -> PyErr) -> PyErr {
    match error.downcast::<Interrupt>() {
        Ok(Interrupt(raised)) => raised,
        Err(error) => error.downcast::<PyErr>().unwrap_or_else(|error| make_other(&error)),
    }
}

/// Makes the exception of an error of the system, of its class and with its number, such as
/// `FileNotFoundError`.
pub(crate) fn os_error(path: &Path, error: &io::Error) -> PyErr {
    let name = path.as_os_str().to_owned();
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, reason(error), name)),
        None => PyErr::from(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
    }
}

/// Makes the exception of a panic during work on a path.
pub(crate) fn panic_exception(path: &Path, panic: &str) -> PyErr {
    let problem = format!("{}: a bug stopped it, please report it: {panic}", path.display());
    InternalError::new_err(problem)
}

/// The exception of a signal handler, which ends reading at once.
#[derive(Debug)]
pub(crate) struct Interrupt(pub(crate) PyErr);

impl fmt::Display for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Interrupt {}

/// Makes the exception for an unknown keyword argument, in the words of Python 3.12.
pub(crate) fn unexpected_keyword<'n>(
    function: &str,
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> PyErr {
    let near = nearest(name, names);
    let hint = near.map_or(String::new(), |near| format!(". Did you mean '{near}'?"));
    PyTypeError::new_err(format!("{function}() got an unexpected keyword argument '{name}'{hint}"))
}

/// Returns the text of a `str`; the exception for a lone surrogate begins with `prefix`.
pub(crate) fn utf8<'a>(prefix: &str, text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    let py = text.py();
    text.to_str().map_err(|error| {
        if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
            return error;
        }
        let index = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
        match index {
            Ok(index) => {
                let problem = "is a lone surrogate, which no encoding represents";
                let refused =
                    EncodingError::new_err(format!("{prefix}character {index} {problem}"));
                refused.set_cause(py, Some(error));
                refused
            }
            Err(other) => other,
        }
    })
}

/// Makes the exception of a limit that is reached.
pub(crate) fn limit_error(
    py: Python<'_>,
    message: String,
    option: Option<&str>,
    offset: Option<usize>,
) -> PyErr {
    let error = LimitError::new_err(message);
    let value = error.value(py);
    let set = value.setattr("limit", option).and_then(|()| value.setattr("offset", offset));
    set.err().unwrap_or(error)
}

/// The error that prevents making an array.
#[derive(Debug)]
pub(crate) enum ArrayError {
    /// The exception of a signal handler.
    Signal(PyErr),
    /// A row of this argument is not valid UTF-8.
    Utf8 { column: &'static str, row: usize },
    /// A chunk of this type would exceed 2 GiB.
    Overflow { data_type: &'static str },
    /// The system cannot start a thread.
    Thread(io::Error),
    /// An array that Arrow refuses.
    Arrow(ArrowError),
    /// A bug: its message.
    Panic(String),
}

impl From<ArrowError> for ArrayError {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl From<ArrayError> for io::Error {
    fn from(error: ArrayError) -> Self {
        Python::attach(|py| error.exception(py)).into()
    }
}

impl ArrayError {
    /// The error of a column of strings that would exceed 2 GiB.
    pub(crate) const TEXT_OVERFLOW: Self = Self::Overflow { data_type: "string" };

    /// Makes the exception.
    pub(crate) fn exception(self, py: Python<'_>) -> PyErr {
        match self {
            Self::Signal(error) => error,
            Self::Utf8 { column, row } => {
                EncodingError::new_err(format!("row {row} of '{column}' is not valid UTF-8"))
            }
            Self::Overflow { data_type } => {
                let problem = format!(
                    "a chunk of type {data_type} exceeds 2 GiB, use large_{data_type} or smaller \
                     chunks"
                );
                limit_error(py, problem, None, None)
            }
            Self::Thread(error) => error.into(),
            Self::Arrow(error) => PyValueError::new_err(error.to_string()),
            Self::Panic(message) => InternalError::new_err(format!(
                "array of documents: a bug stopped it, please report it: {message}"
            )),
        }
    }
}

thread_local! {
    /// The last panic of this thread, with its location in the source.
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Records each panic instead of printing it: it becomes an exception.
pub(crate) fn record_panics() {
    panic::set_hook(Box::new(|panic| {
        let message = panic.to_string().replace('\n', " ");
        LAST_PANIC.with(|last| last.replace(Some(message)));
    }));
}

/// Runs `work` on a document; a panic becomes a failure of this document.
pub(crate) fn catch<T>(
    work: impl FnOnce() -> Result<T, absolve::Error>,
) -> Result<T, DocumentFailure> {
    Ok(catch_panic(work).map_err(DocumentFailure::Panic)??)
}

/// Runs `work`, and returns the message if it panics.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let recorded = LAST_PANIC.with(RefCell::take);
        recorded.unwrap_or_else(|| panic_text(payload.as_ref()))
    })
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}
