//! The Python module `absolve._absolve`: the library, for Python.
//!
//! The package `absolve` re-exports everything that is here; its stubs have the documentation of
//! each function and class. `options` reads keyword arguments, `errors` maps errors to
//! exceptions, `document` is one document, `columns` are arrays of documents, `files` trees
//! and archives, `warc` streams of archives, `audit` is the check of a site, and `entry_point` the command.
//!
//! The modules of the binary `absolve` are compiled into this crate, from its root as in their own.
//! `arguments` reads keyword arguments by their parser, so that an option of the command is an
//! option here. (One wheel has either a library or a binary:
//! <https://github.com/PyO3/maturin/issues/368>.)

#[macro_use]
mod signatures;

mod arguments;
mod audit;
mod columns;
mod document;
mod entry_point;
mod errors;
mod files;
mod options;
mod progress;
mod warc;

/// The modules of the binary.
#[path = "../../src/bin/absolve"]
mod binary {
    pub(crate) mod args;
    pub(crate) mod command;
    pub(crate) mod session;
    pub(crate) mod terminal;
}

use pyo3::prelude::*;

// Their names in the binary.
use binary::{args, command, session, terminal};

#[pymodule(gil_used = false)]
fn _absolve(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::record_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    document::register(module)?;
    columns::register(module)?;
    files::register(module)?;
    warc::register(module)?;
    audit::register(module)?;
    entry_point::register(module)
}
