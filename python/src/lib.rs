//! The Python module `absolve._absolve`: the library, for Python.
//!
//! The package `absolve` re-exports everything that is here; its stubs have the documentation of
//! each function and class. `options` reads keyword arguments, `errors` maps errors to exceptions,
//! `document` is one document, `columns` are arrays of documents, `files` rewrites trees and files,
//! `warc` reads archives as streams, `crawl` extracts their files, and `audit` checks a site.
//!
//! `arguments` reads keyword arguments by the parser of the command, so that an option of the
//! command is an option here. This file runs the command. (One wheel has either a library or a
//! binary: <https://github.com/PyO3/maturin/issues/368>.)

#[macro_use]
mod keywords;

/// Makes the first lines of a docstring: the parameters of a function, and its options. PyO3 takes
/// a signature only as a literal; Python finds one here.
macro_rules! signature {
    ($parameters:literal, $options:ident) => {
        concat!($parameters, ", *", keywords!($options), ")\n--\n")
    };
    ($parameters:literal, * $named:literal, $options:ident) => {
        concat!($parameters, ", *, ", $named, keywords!($options), ")\n--\n")
    };
}

mod arguments;
mod audit;
mod columns;
mod crawl;
mod document;
mod errors;
mod files;
mod options;
mod progress;
mod warc;

use std::ffi::OsString;

use absolve_cli::args::functions::{AUDIT, EXTRACT, FILE, TREE};
use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _absolve(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::record_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    document::register(module)?;
    columns::register(module)?;
    files::register(module)?;
    warc::register(module)?;
    crawl::register(module)?;
    audit::register(module)?;
    // `import *` does not import these.
    module.setattr("_command", wrap_pyfunction!(run_command, module)?)?;
    module.setattr("_options_of", wrap_pyfunction!(options_of, module)?)
}

/// Runs the command with the arguments after its name, and returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let argv: Vec<OsString> = [OsString::from("absolve")].into_iter().chain(arguments).collect();
    py.detach(|| absolve_cli::main(&argv))
}

/// Lists the options of a function that works on files.
#[pyfunction]
fn options_of(function: &str) -> Option<Vec<String>> {
    let functions = [TREE, FILE, EXTRACT, AUDIT];
    let function = functions.iter().find(|known| known.name == function)?;
    let command = function.command();
    Some(function.keywords(&command).into_iter().map(|keyword| keyword.name).collect())
}
