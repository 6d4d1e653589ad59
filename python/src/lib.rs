//! The Python module `absolve._absolve`: the library, for Python.
//!
//! The package `absolve` re-exports everything that is here; its stubs have the documentation of
//! each function and class. [`options`] reads keyword arguments, [`errors`] maps errors to
//! exceptions, [`document`] is one document, [`columns`] are arrays of documents, [`files`] trees
//! and archives, [`audit`] is the check of a site, and [`command`] the command that the wheel has.

mod audit;
mod columns;
mod command;
mod document;
mod errors;
mod files;
mod options;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _absolve(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::record_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    document::register(module)?;
    columns::register(module)?;
    files::register(module)?;
    audit::register(module)?;
    command::register(module)
}
