//! The document of a call: `bytes`, `str`, or anything with the buffer protocol.

use std::borrow::Cow;

use absolve::Rewriter;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::EncodingError;
use crate::options::wrong_type;

/// A document, and the object that it is.
pub(super) struct Document<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    content: Content<'a>,
}

enum Content<'a> {
    /// `bytes`, which never change.
    Bytes(&'a [u8]),
    /// `str`, as UTF-8.
    Text(&'a str),
    /// A copy of a buffer that other threads may change.
    Copied(Vec<u8>),
}

impl<'a, 'py> Document<'a, 'py> {
    pub(super) fn new(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        let content = if let Ok(bytes) = object.cast::<PyBytes>() {
            Content::Bytes(bytes.as_bytes())
        } else if let Ok(text) = object.cast::<PyString>() {
            Content::Text(text.to_str().map_err(|error| surrogate(object.py(), error))?)
        } else if let Ok(buffer) = PyBuffer::<u8>::get(object) {
            Content::Copied(buffer.to_vec(object.py())?)
        } else {
            return Err(wrong_type("document", "bytes, str or a buffer of bytes", object));
        };
        Ok(Self { object, content })
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match &self.content {
            Content::Bytes(bytes) => bytes,
            Content::Text(text) => text.as_bytes(),
            Content::Copied(bytes) => bytes,
        }
    }

    /// The text of a `str`.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The options for this document: what a `meta` element says of the encoding does not count
    /// for a `str`.
    pub(super) fn options(&self, options: Rewriter) -> Result<Rewriter, absolve::Error> {
        if self.text().is_some() { options.encoding("utf-8") } else { Ok(options) }
    }

    /// The document after rewriting: an object of the same type, and the same one where nothing
    /// changed. A buffer becomes `bytes`.
    pub(super) fn rewritten(&self, bytes: Cow<'_, [u8]>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        match (bytes, &self.content) {
            (Cow::Borrowed(_), _) => Ok(self.object.clone()),
            (Cow::Owned(bytes), Content::Text(_)) => {
                Ok(PyString::from_bytes(py, &bytes)?.into_any())
            }
            (Cow::Owned(bytes), _) => Ok(PyBytes::new(py, &bytes).into_any()),
        }
    }
}

/// A `str` with a lone surrogate, which UTF-8 does not represent.
fn surrogate(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return error;
    }
    let at = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
    match at {
        Ok(at) => {
            let what = format!("character {at} is a lone surrogate, which no encoding represents");
            let wrapped = EncodingError::new_err(what);
            wrapped.set_cause(py, Some(error));
            wrapped
        }
        Err(other) => other,
    }
}
