//! Web archives as streams: read in batches of Arrow, or rewritten from one file object into another.
//!
//! [`source`] are paths and file objects of Python, [`reader`] reads, [`pages`] and [`links`] are the
//! tables that it makes, and [`rewriting`] writes a new archive.

mod links;
mod pages;
mod reader;
mod rewriting;
mod rows;
mod source;

use pyo3::prelude::*;

use reader::WarcReader;

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WarcReader>()?;
    module.add_function(wrap_pyfunction!(rewriting::rewrite_warc_stream, module)?)
}
