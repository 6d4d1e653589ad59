//! A link as an object.

use std::sync::Arc;

use absolve::Rewriter;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyString, PyTuple, PyType};

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
            record.enclosing = link.enclosing().map(|span| places.span_around(&span));
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

/// Makes objects of links, whose names are mostly those of the link before.
#[derive(Debug, Default)]
pub(super) struct LinkObjects<'py>([Option<Bound<'py, PyString>>; 5]);

impl<'py> LinkObjects<'py> {
    /// The links of a list.
    pub(super) fn list(py: Python<'py>, records: Vec<LinkRecord>) -> PyResult<Bound<'py, PyList>> {
        let mut objects = Self::default();
        let list = PyList::empty(py);
        for record in records {
            list.append(objects.object(py, record)?)?;
        }
        Ok(list)
    }

    /// A link, made without the constructor of the class, which is a function of Python.
    pub(super) fn object(
        &mut self,
        py: Python<'py>,
        record: LinkRecord,
    ) -> PyResult<Bound<'py, PyAny>> {
        let LinkRecord {
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
        } = record;
        let names = [&*element, &attribute, grammar, base_source].map(Some);
        for (last, name) in self.0.iter_mut().zip(names.into_iter().chain([base.as_deref()])) {
            let is_same = |last: &Bound<'py, PyString>| last.to_str().ok() == name;
            if !last.as_ref().is_some_and(is_same) {
                *last = name.map(|name| PyString::new(py, name));
            }
        }
        let [element, attribute, grammar, base_source, base] = self.0.clone();
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
        let class = LINK.import(py, "absolve._link", "Link")?;
        let tuple = py.get_type::<PyTuple>();
        tuple.call_method1(intern!(py, "__new__"), (class, values.into_pyobject(py)?))
    }
}
