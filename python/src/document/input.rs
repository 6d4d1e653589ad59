//! The document of a call: `bytes`, `str`, or anything with the buffer protocol.

use absolve::Rewriter;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::places::Unit;
use crate::errors::{exception, utf8};
use crate::options::wrong_type;

/// A document, and the object that it is.
pub(super) struct Document<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    pub(super) content: Content<'a>,
}

/// The content of a document, which needs no interpreter.
pub(super) enum Content<'a> {
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
            Content::Text(utf8("", text)?)
        } else if let Ok(buffer) = PyBuffer::<u8>::get(object) {
            Content::Copied(buffer.to_vec(object.py())?)
        } else {
            return Err(wrong_type("document", "bytes, str or a buffer of bytes", object));
        };
        Ok(Self { object, content })
    }

    pub(super) fn py(&self) -> Python<'py> {
        self.object.py()
    }

    /// The options for this document: what a `meta` element says of the encoding does not count
    /// for a `str`.
    pub(super) fn options(&self, options: Rewriter, base_url: Option<&str>) -> PyResult<Rewriter> {
        let options = match base_url {
            Some(url) => options.base_url(url),
            None => Ok(options),
        };
        let options = match self.content {
            Content::Text(_) => options.and_then(|options| options.encoding("utf-8")),
            _ => options,
        };
        options.map_err(|error| exception(self.py(), &error))
    }

    /// The document after rewriting: the same object where nothing changed, unless its type is a
    /// buffer or a subclass, for which the result is always `bytes` or `str`.
    pub(super) fn rewritten(&self, changed: Option<&[u8]>) -> PyResult<Bound<'py, PyAny>> {
        let object = self.object;
        let is_exact =
            object.is_exact_instance_of::<PyBytes>() || object.is_exact_instance_of::<PyString>();
        if changed.is_none() && is_exact {
            return Ok(object.clone());
        }
        let bytes = changed.unwrap_or(self.content.bytes());
        Ok(match self.content {
            Content::Text(_) => PyString::from_bytes(self.py(), bytes)?.into_any(),
            _ => PyBytes::new(self.py(), bytes).into_any(),
        })
    }
}

impl Content<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
            Self::Copied(bytes) => bytes,
        }
    }

    /// What offsets count.
    pub(super) fn unit(&self) -> Unit<'_> {
        match self {
            Self::Text(text) => Unit::Character(text),
            Self::Bytes(_) | Self::Copied(_) => Unit::Byte,
        }
    }
}
