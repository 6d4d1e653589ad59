//! A link as an object.

use std::borrow::Cow;
use std::sync::Arc;

use absolve::Rewriter;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::places::{Places, Unit};

/// A link of a document, with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LinkRecord {
    pub(crate) element: String,
    pub(crate) attribute: String,
    pub(crate) grammar: Cow<'static, str>,
    pub(crate) reference: String,
    pub(crate) url: Option<String>,
    /// Shared by the links of a document.
    pub(crate) base: Option<Arc<str>>,
    pub(crate) base_source: Cow<'static, str>,
    pub(crate) span: Option<(usize, usize)>,
    pub(crate) line: Option<u64>,
    pub(crate) column: Option<u64>,
    pub(crate) enclosing: Option<(usize, usize)>,
}

impl LinkRecord {
    /// The links of a document, in their order.
    pub(crate) fn all(
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
            grammar: Cow::Borrowed(link.grammar().name()),
            reference: link.reference().to_owned(),
            url: link.url().map(str::to_owned),
            base,
            base_source: Cow::Borrowed(link.base_source().name()),
            span: None,
            line: None,
            column: None,
            enclosing: None,
        }
    }
}

/// The attributes of a link, in the order of its constructor.
const ATTRIBUTES: [&str; 11] = [
    "element",
    "attribute",
    "grammar",
    "reference",
    "url",
    "base",
    "base_source",
    "span",
    "line",
    "column",
    "enclosing",
];

/// One occurrence of a reference in a document.
///
/// >>> link, = links("<a href=x>", "http://h/")
/// >>> link.reference, link.url, link.span
/// ('x', 'http://h/x', (8, 9))
#[pyclass(frozen, eq, hash, module = "absolve")]
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Link {
    record: LinkRecord,
}

impl From<LinkRecord> for Link {
    fn from(record: LinkRecord) -> Self {
        Self { record }
    }
}

#[pymethods]
impl Link {
    /// What pickle makes it of again.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "it has as many attributes")]
    fn new(
        element: String,
        attribute: String,
        grammar: String,
        reference: String,
        url: Option<String>,
        base: Option<String>,
        base_source: String,
        span: Option<(usize, usize)>,
        line: Option<u64>,
        column: Option<u64>,
        enclosing: Option<(usize, usize)>,
    ) -> Self {
        let (grammar, base_source) = (Cow::Owned(grammar), Cow::Owned(base_source));
        let base = base.map(Arc::from);
        let record = LinkRecord {
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
        };
        Self { record }
    }

    fn __getnewargs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let values = ATTRIBUTES.iter().map(|name| slf.getattr(*name));
        PyTuple::new(slf.py(), values.collect::<PyResult<Vec<_>>>()?)
    }

    #[classattr]
    #[pyo3(name = "__match_args__")]
    fn match_args(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ATTRIBUTES)
    }

    /// The name of the element, in lower case.
    #[getter]
    fn element(&self) -> &str {
        &self.record.element
    }

    /// The name of the attribute, in lower case; `(text)` for the text of the element.
    #[getter]
    fn attribute(&self) -> &str {
        &self.record.attribute
    }

    /// How the attribute holds references, such as `url` or `srcset`.
    #[getter]
    fn grammar(&self) -> &str {
        &self.record.grammar
    }

    /// The reference as an HTML parser reads it: character references are decoded.
    #[getter]
    fn reference(&self) -> &str {
        &self.record.reference
    }

    /// The absolute URL; `None` if the reference stays unresolved.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.record.url.as_deref()
    }

    /// The base URL that the reference was resolved against.
    #[getter]
    fn base(&self) -> Option<&str> {
        self.record.base.as_deref()
    }

    /// Where the base URL came from, such as `retrieval-url` or `base-element`.
    #[getter]
    fn base_source(&self) -> &str {
        &self.record.base_source
    }

    /// Start and end of the reference as it is written: bytes of `bytes`, code points of `str`.
    ///
    /// `None` with `engine="dom"`.
    #[getter]
    fn span(&self) -> Option<(usize, usize)> {
        self.record.span
    }

    /// The line of the reference, from 1.
    #[getter]
    fn line(&self) -> Option<u64> {
        self.record.line
    }

    /// The column of the reference in characters, from 1.
    #[getter]
    fn column(&self) -> Option<u64> {
        self.record.column
    }

    /// For a link of a document inside a `srcdoc`: the span of that attribute's value.
    #[getter]
    fn enclosing(&self) -> Option<(usize, usize)> {
        self.record.enclosing
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let record = &self.record;
        let texts = [&record.element, &record.attribute, &record.reference];
        let shown = PyTuple::new(py, texts)?;
        let [element, attribute, reference] =
            [0, 1, 2].map(|index| shown.get_item(index).and_then(|text| text.repr()));
        let url = record.url.as_ref().into_pyobject(py)?.repr()?;
        Ok(format!(
            "Link(element={}, attribute={}, reference={}, url={url})",
            element?, attribute?, reference?
        ))
    }
}
