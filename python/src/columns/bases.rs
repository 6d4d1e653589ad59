//! The base URL of each row.

use absolve::Rewriter;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::column::Column;
use super::stop::Stop;
use crate::errors;
use crate::options::text;

/// The options of each row: those of the call, with the base URL of the row.
#[derive(Debug)]
pub(super) struct Bases {
    /// For rows without one of their own.
    options: Rewriter,
    /// For all rows.
    url: Option<String>,
    column: Option<Column>,
}

/// The options of the last row, which are often those of the next.
#[derive(Debug, Default)]
pub(super) struct LastBase(Option<(String, Rewriter)>);

impl Bases {
    /// Reads the argument: an array, one `str` for all, or `None`.
    pub(super) fn new(
        py: Python<'_>,
        base_urls: Option<&Bound<'_, PyAny>>,
        documents: &Column,
        options: Rewriter,
    ) -> PyResult<Self> {
        let failed = |error| errors::exception(py, &error);
        let options = if documents.is_text() { options.encoding("utf-8") } else { Ok(options) };
        let options = options.map_err(failed)?;
        let Some(object) = base_urls else { return Ok(Self { options, url: None, column: None }) };
        if object.is_instance_of::<PyString>() {
            let url = text("base_urls", object)?;
            let options = options.base_url(url).map_err(failed)?;
            return Ok(Self { options, url: Some(url.to_owned()), column: None });
        }
        let column = Column::base_urls(object)?;
        if column.len() == documents.len() {
            return Ok(Self { options, url: None, column: Some(column) });
        }
        Err(PyValueError::new_err(format!(
            "'base_urls' has {} rows and 'documents' {}, expected as many",
            column.len(),
            documents.len()
        )))
    }

    /// The base URL of a row.
    pub(super) fn url(&self, row: usize) -> Result<Option<&str>, Stop> {
        self.column.as_ref().map_or(Ok(self.url.as_deref()), |column| column.text(row))
    }

    /// The options of a row; an error of the library is that of the row.
    pub(super) fn options<'a>(
        &'a self,
        last: &'a mut LastBase,
        row: usize,
    ) -> Result<Result<&'a Rewriter, absolve::Error>, Stop> {
        let url = match &self.column {
            Some(column) => column.text(row)?,
            None => None,
        };
        let Some(url) = url else { return Ok(Ok(&self.options)) };
        if last.0.as_ref().is_none_or(|(text, _)| text != url) {
            match self.options.clone().base_url(url) {
                Ok(options) => last.0 = Some((url.to_owned(), options)),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(last.0.as_ref().map_or(&self.options, |(_, options)| options)))
    }
}
