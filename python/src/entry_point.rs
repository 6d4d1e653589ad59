//! The command `absolve`, which the wheel has too.

use std::ffi::OsString;

use absolve_cli::args::functions::{AUDIT, EXTRACT, FILE, TREE};
use pyo3::prelude::*;

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Not a part of what `import *` imports.
    module.setattr("_command", wrap_pyfunction!(run_command, module)?)?;
    module.setattr("_options_of", wrap_pyfunction!(options_of, module)?)
}

/// Runs the command with these arguments, after its name, and returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let typed: Vec<OsString> = [OsString::from("absolve")].into_iter().chain(arguments).collect();
    py.detach(|| absolve_cli::main(&typed))
}

/// The names of the options of a function that works on files.
#[pyfunction]
fn options_of(function: &str) -> Option<Vec<String>> {
    let functions = [TREE, FILE, EXTRACT, AUDIT];
    let function = functions.iter().find(|one| one.name == function)?;
    let command = function.command();
    Some(function.keywords(&command).into_iter().map(|keyword| keyword.name).collect())
}
