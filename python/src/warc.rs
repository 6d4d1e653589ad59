//! Web archives as streams, read in batches of Arrow.
//!
//! [`source`] are paths and file objects of Python, [`reader`] reads, and [`pages`] and [`links`] are
//! the tables that it makes.

mod links;
mod pages;
mod reader;
mod rows;
mod source;

use pyo3::prelude::*;

use reader::WarcReader;

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WarcReader>()
}
