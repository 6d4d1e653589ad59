//! A link as an object.

use std::sync::Arc;

use absolve::Rewriter;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

use super::places::{Places, Unit};

/// A link of a document, with everything that is known of it, outside the interpreter.
pub(super) struct LinkRecord {
    element: String,
    attribute: String,
    grammar: &'static str,
    reference: String,
    url: Option<String>,
    /// Shared by the links of a document.
    base: Option<Arc<str>>,
    base_source: &'static str,
    span: Option<(usize, usize)>,
    line: Option<u64>,
    column: Option<u64>,
    enclosing: Option<(usize, usize)>,
}

impl LinkRecord {
    /// The links of a document, in their order.
    pub(super) fn all(
        source: &[u8],
        unit: Unit<'_>,
        rewriter: &Rewriter,
    ) -> Result<Vec<Self>, absolve::Error> {
        let mut found: Vec<Self> = Vec::new();
        let mut places = None;
        rewriter.links(source, |link| {
            let places = places.get_or_insert_with(|| Places::new(source, unit, link.encoding()));
            let mut record = Self::without_place(link, found.last());
            if let Some(span) = link.span() {
                let (line, column) = places.line_and_column(span.start);
                (record.line, record.column) = (Some(line), Some(column));
                record.span = Some(places.span(&span));
            }
            record.enclosing = link.enclosing().map(|span| places.span(&span));
            found.push(record);
        })?;
        Ok(found)
    }

    fn without_place(link: &absolve::Link<'_>, last: Option<&Self>) -> Self {
        let last_base = last.and_then(|last| last.base.as_ref());
        let base = link.base().map(|base| match last_base {
            Some(last) if **last == *base.as_str() => Arc::clone(last),
            _ => base.as_str().into(),
        });
        Self {
            element: link.element().to_owned(),
            attribute: link.attribute().to_owned(),
            grammar: link.grammar().name(),
            reference: link.reference().to_owned(),
            url: link.url().map(str::to_owned),
            base,
            base_source: link.base_source().name(),
            span: None,
            line: None,
            column: None,
            enclosing: None,
        }
    }
}

/// The class `Link`, which is a named tuple of Python.
static LINK: PyOnceLock<Py<PyType>> = PyOnceLock::new();

impl<'py> IntoPyObject<'py> for LinkRecord {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let Self { reference, url, base, span, line, column, enclosing, .. } = self;
        // A document has few of these.
        let [element, attribute, grammar, base_source] =
            [&self.element, &self.attribute, self.grammar, self.base_source]
                .map(|text| PyString::intern(py, text));
        let base = base.as_deref();
        let values = (
            element,
            attribute,
            grammar,
            reference,
            url,
            base,
            base_source,
            span,
            line,
            column,
            enclosing,
        );
        LINK.import(py, "absolve._link", "Link")?.call1(values)
    }
}
