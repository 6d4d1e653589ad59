//! The document of a call: `bytes`, `str`, or anything with the buffer protocol; and the work on it
//! without the interpreter.

use std::borrow::Cow;
use std::cell::RefCell;

use absolve::{Buffers, Error, Rewriter};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use super::link::{LinkList, UrlSelection};
use super::places::Unit;
use crate::errors::{catch, exception, utf8};
use crate::options::wrong_type;

/// Bytes of documents whose memory is kept; more than most documents are.
pub(crate) const KEPT: usize = 4 << 20;

/// A document, and the object that it is.
pub(super) struct Document<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    /// The bytes of a `bytes`, which never change, those of a `str` as UTF-8, or a copy of a buffer that other
    /// threads may change.
    bytes: Cow<'a, [u8]>,
    /// The unit of its offsets.
    pub(super) unit: Unit<'a>,
    /// The URL that it was retrieved from.
    base_url: Option<&'a str>,
}

impl<'a, 'py> Document<'a, 'py> {
    pub(super) fn new(object: &'a Bound<'py, PyAny>, base_url: Option<&'a str>) -> PyResult<Self> {
        let (bytes, unit) = if let Ok(bytes) = object.cast::<PyBytes>() {
            (Cow::Borrowed(bytes.as_bytes()), Unit::Byte)
        } else if let Ok(text) = object.cast::<PyString>() {
            let text = utf8("", text)?;
            (Cow::Borrowed(text.as_bytes()), Unit::Character(text))
        } else if let Ok(buffer) = PyBuffer::<u8>::get(object) {
            (Cow::Owned(buffer.to_vec(object.py())?), Unit::Byte)
        } else {
            return Err(wrong_type("document", "bytes, str or a buffer of bytes", object));
        };
        Ok(Self { object, bytes, unit, base_url })
    }

    fn py(&self) -> Python<'py> {
        self.object.py()
    }

    /// The options for this document: what a `meta` element says of the encoding does not count
    /// for a `str`.
    pub(super) fn options(&self, options: Rewriter) -> PyResult<Rewriter> {
        let options = match self.base_url {
            Some(url) => options.base_url(url),
            None => Ok(options),
        };
        let options = match self.unit {
            Unit::Character(_) => options.and_then(|options| options.encoding("utf-8")),
            Unit::Byte => options,
        };
        options.map_err(|error| exception(self.py(), &error))
    }

    /// The document after rewriting: the same object where nothing changed, unless its type is a
    /// buffer or a subclass, for which the result is always `bytes` or `str`.
    pub(super) fn changed(&self, changed: Option<&[u8]>) -> PyResult<Bound<'py, PyAny>> {
        let object = self.object;
        let is_exact =
            object.is_exact_instance_of::<PyBytes>() || object.is_exact_instance_of::<PyString>();
        if changed.is_none() && is_exact {
            return Ok(object.clone());
        }
        let bytes = changed.unwrap_or(&self.bytes);
        Ok(match self.unit {
            Unit::Character(_) => PyString::from_bytes(self.py(), bytes)?.into_any(),
            Unit::Byte => PyBytes::new(self.py(), bytes).into_any(),
        })
    }

    /// Does work without the interpreter.
    pub(super) fn detached<'s, T: Send>(
        &'s self,
        work: impl FnOnce(&'s [u8]) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let source = &*self.bytes;
        self.py().detach(|| catch(|| work(source))).map_err(|failure| {
            let name = match self.base_url {
                Some(url) => format!("document of {url}"),
                None => format!("document of {} bytes", source.len()),
            };
            failure.exception(self.py(), &name, self.unit)
        })
    }

    /// Does work in memory that is kept for the next document, unless a failure may have left it
    /// half written.
    fn with_buffers<T>(&self, work: impl FnOnce(&mut Buffers) -> PyResult<T>) -> PyResult<T> {
        thread_local! {
            static BUFFERS: RefCell<Buffers> = RefCell::default();
        }
        let mut buffers = BUFFERS.take();
        let result = work(&mut buffers)?;
        if self.bytes.len() <= KEPT {
            BUFFERS.set(buffers);
        }
        Ok(result)
    }

    /// The document with its links made absolute.
    pub(super) fn rewritten(&self, options: &Rewriter) -> PyResult<Bound<'py, PyAny>> {
        self.with_buffers(|buffers| {
            let (is_changed, bytes) = self.detached(|source| {
                let result = options.rewrite_in(source, buffers)?;
                Ok((result.is_changed(), result.into_bytes()))
            })?;
            self.changed(is_changed.then_some(&*bytes))
        })
    }

    /// The URLs of its links.
    pub(super) fn urls(
        &self,
        options: &Rewriter,
        selection: UrlSelection,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = (options, self.base_url);
        let list = |buffers: &mut Buffers| {
            self.detached(|source| LinkList::urls(source, options, selection, buffers))
        };
        self.with_buffers(list)?.texts(self.py())
    }

    /// Its links.
    pub(super) fn links(&self, options: &Rewriter) -> PyResult<Bound<'py, PyList>> {
        let unit = self.unit;
        let list = self.detached(|source| LinkList::read(source, unit, options))?;
        list.objects(self.py())
    }
}
