//! The command `absolve`, which the wheel has too.
//!
//! Its modules are those of the binary, compiled into this crate: they are its own from its root.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::command;

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // Not a part of what `import *` imports.
    module.setattr("_command", wrap_pyfunction!(run_command, module)?)
}

/// Runs the command with these arguments, after its name, and returns its exit code.
#[pyfunction]
fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let typed: Vec<OsString> = [OsString::from("absolve")].into_iter().chain(arguments).collect();
    py.detach(|| command::main(&typed))
}
