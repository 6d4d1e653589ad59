//! One document: rewritten, or its links listed.

mod input;

use absolve::Rewriter as Options;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{self, catch};
use crate::options;
use input::Document;

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(rewrite, module)?)
}

/// Makes every link of a document absolute.
#[pyfunction]
#[pyo3(signature = (document, base_url=None, **options), text_signature = "(document, base_url=None, **options)")]
fn rewrite<'py>(
    document: &Bound<'py, PyAny>,
    base_url: Option<&str>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let rewriter = options::rewriter("rewrite", options)?;
    rewrite_by(rewriter, document, base_url)
}

fn rewrite_by<'py>(
    mut options: Options,
    document: &Bound<'py, PyAny>,
    base_url: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = document.py();
    let failed = |error| errors::exception(py, &error);
    let document = Document::new(document)?;
    if let Some(url) = base_url {
        options = options.base_url(url).map_err(failed)?;
    }
    let options = document.options(options).map_err(failed)?;
    let source = document.bytes();
    let result = py.detach(|| catch(|| Ok(options.rewrite(source)?.into_bytes())));
    let bytes = result.map_err(|failure| failure.exception(py, base_url.unwrap_or("document")))?;
    document.rewritten(bytes)
}
