//! The work on one document, without the interpreter.

use std::cell::RefCell;

use absolve::{Buffers, Rewriter as Options};
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::input::Document;
use super::link::LinkRecord;
use crate::errors::{Failure, catch};

/// The document with its links made absolute; `base_url` names it in the message about a bug.
pub(super) fn rewritten<'py>(
    document: &Document<'_, 'py>,
    options: &Options,
    base_url: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    /// Bytes of documents whose memory is kept for the next; more than most documents are.
    const KEPT: usize = 4 << 20;
    thread_local! {
        static BUFFERS: RefCell<Buffers> = RefCell::default();
    }
    let mut buffers = BUFFERS.take();
    let source = document.content.bytes();
    let result = document.py().detach(|| {
        catch(|| {
            let result = options.rewrite_in(source, &mut buffers)?;
            Ok((result.is_changed(), result.into_bytes()))
        })
    });
    let (is_changed, bytes) = result.map_err(|failure| failed(document, &failure, base_url))?;
    let result = document.rewritten(is_changed.then_some(&*bytes));
    drop(bytes);
    if source.len() <= KEPT {
        BUFFERS.set(buffers);
    }
    result
}

/// The links of the document.
pub(super) fn listed<'py>(
    document: &Document<'_, 'py>,
    options: &Options,
    base_url: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(document.py(), records(document, options, base_url)?)
}

pub(super) fn records(
    document: &Document<'_, '_>,
    options: &Options,
    base_url: Option<&str>,
) -> PyResult<Vec<LinkRecord>> {
    let (source, unit) = (document.content.bytes(), document.content.unit());
    let records = document.py().detach(|| catch(|| LinkRecord::all(source, unit, options)));
    records.map_err(|failure| failed(document, &failure, base_url))
}

pub(super) fn failed(
    document: &Document<'_, '_>,
    failure: &Failure,
    base_url: Option<&str>,
) -> PyErr {
    let name = match base_url {
        Some(url) => format!("document of {url}"),
        None => format!("document of {} bytes", document.content.bytes().len()),
    };
    failure.exception(document.py(), &name, document.content.unit())
}
