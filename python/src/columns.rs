//! Arrays of documents.

use pyo3::prelude::*;

/// Adds what is here to the module.
#[expect(clippy::unnecessary_wraps, reason = "it adds nothing yet")]
pub(crate) fn register(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
