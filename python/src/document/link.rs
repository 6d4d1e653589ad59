//! The links of a document as objects, which make their strings when they are read.

use std::sync::Arc;

use absolve::Rewriter;
use absolve::column::{Column, Places as _};
use absolve::url::Base;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple, PyType};

use super::places::{Places, Unit};

/// The attributes of a `Link`, in their order.
fn fields() -> impl Iterator<Item = &'static str> {
    Column::of_objects().map(|column| column.name)
}

/// Start and end.
type Span = (usize, usize);

/// The values of a link, with its strings or their places in the text of a list.
///
/// A test compares them with the table of columns. Fields instead of that table read links by the
/// million fastest.
#[derive(Debug, Clone, Copy)]
struct Values<S> {
    element: S,
    attribute: S,
    grammar: S,
    reference: S,
    url: Option<S>,
    base: Option<S>,
    base_source: S,
    span: Option<Span>,
    line: Option<u64>,
    column: Option<u64>,
    enclosing: Option<Span>,
}

/// The links of a document, outside the interpreter.
#[derive(Debug, Default)]
pub(super) struct LinkList {
    /// The strings of all links.
    text: String,
    links: Vec<Values<Span>>,
}

impl LinkList {
    /// The links of a document, in their order.
    pub(super) fn read(
        source: &[u8],
        unit: Unit<'_>,
        rewriter: &Rewriter,
    ) -> Result<Self, absolve::Error> {
        let mut list = Self::default();
        let mut places = Places::new(source, unit);
        rewriter.links(source, |link| {
            let place = places.line_and_column(link);
            list.push(&Values {
                element: link.element(),
                attribute: link.attribute(),
                grammar: link.grammar().name(),
                reference: link.reference(),
                url: link.url(),
                base: link.base().map(Base::as_str),
                base_source: link.base_source().name(),
                span: places.span(link).map(Span::from),
                line: place.map(|place| place.0),
                column: place.map(|place| place.1),
                enclosing: places.enclosing(link).map(Span::from),
            });
        })?;
        Ok(list)
    }

    /// Adds a link, most of whose names are those of the link before.
    fn push(&mut self, values: &Values<&str>) {
        let last = self.links.last().copied();
        let text = &mut self.text;
        let mut put = |value: &str, last: Option<Span>| match last {
            Some((start, end)) if text[start..end] == *value => (start, end),
            _ => {
                text.push_str(value);
                (text.len() - value.len(), text.len())
            }
        };
        self.links.push(Values {
            element: put(values.element, last.map(|last| last.element)),
            attribute: put(values.attribute, last.map(|last| last.attribute)),
            grammar: put(values.grammar, last.map(|last| last.grammar)),
            reference: put(values.reference, None),
            url: values.url.map(|url| put(url, None)),
            base: values.base.map(|base| put(base, last.and_then(|last| last.base))),
            base_source: put(values.base_source, last.map(|last| last.base_source)),
            span: values.span,
            line: values.line,
            column: values.column,
            enclosing: values.enclosing,
        });
    }
}

impl LinkList {
    /// The links as objects.
    pub(super) fn objects(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let list = Arc::new(self);
        PyList::new(
            py,
            (0..list.links.len()).map(|number| Link { list: Arc::clone(&list), number }),
        )
    }
}

/// One occurrence of a reference in a document.
///
/// >>> link, = links("<a href=x>", "http://h/")
/// >>> link.reference, link.url, link.span
/// ('x', 'http://h/x', (8, 9))
///
/// It is a sequence like a named tuple: `link._asdict()` is a dictionary, and
/// `pandas.DataFrame(links)` a table. Strings are made when they are read; the links of a document
/// share memory, which is freed with the last of them.
#[pyclass(frozen, module = "absolve")]
pub(super) struct Link {
    list: Arc<LinkList>,
    number: usize,
}

impl Link {
    fn values(&self) -> &Values<Span> {
        &self.list.links[self.number]
    }

    fn text(&self, (start, end): Span) -> &str {
        &self.list.text[start..end]
    }

    fn tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let &Values { span, line, column, enclosing, .. } = self.values();
        let names = (self.element(), self.attribute(), self.grammar());
        let urls = (self.reference(), self.url(), self.base(), self.base_source());
        (names.0, names.1, names.2, urls.0, urls.1, urls.2, urls.3, span, line, column, enclosing)
            .into_pyobject(py)
    }
}

#[pymethods]
impl Link {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "those of the class in Python")]
    fn new(
        element: &str,
        attribute: &str,
        grammar: &str,
        reference: &str,
        url: Option<&str>,
        base: Option<&str>,
        base_source: &str,
        span: Option<Span>,
        line: Option<u64>,
        column: Option<u64>,
        enclosing: Option<Span>,
    ) -> Self {
        let mut list = LinkList::default();
        list.push(&Values {
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
        });
        Self { list: Arc::new(list), number: 0 }
    }

    /// The name of the element, in lower case.
    #[getter]
    fn element(&self) -> &str {
        self.text(self.values().element)
    }

    /// The name of the attribute, in lower case; `(text)` for the text of the element.
    #[getter]
    fn attribute(&self) -> &str {
        self.text(self.values().attribute)
    }

    /// How the attribute holds references, such as `url` or `srcset`.
    #[getter]
    fn grammar(&self) -> &str {
        self.text(self.values().grammar)
    }

    /// The reference as an HTML parser reads it: character references are decoded.
    #[getter]
    fn reference(&self) -> &str {
        self.text(self.values().reference)
    }

    /// The absolute URL; `None` if the reference stays unresolved.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.values().url.map(|url| self.text(url))
    }

    /// The base URL that the reference was resolved against.
    #[getter]
    fn base(&self) -> Option<&str> {
        self.values().base.map(|base| self.text(base))
    }

    /// Where the base URL came from, such as `retrieval-url` or `base-element`.
    #[getter]
    fn base_source(&self) -> &str {
        self.text(self.values().base_source)
    }

    /// Start and end of the reference as it is written: bytes of `bytes`, code points of `str`.
    ///
    /// `None` with `engine="dom"`.
    #[getter]
    fn span(&self) -> Option<Span> {
        self.values().span
    }

    /// The line of the reference, from 1; `None` with `engine="dom"`.
    #[getter]
    fn line(&self) -> Option<u64> {
        self.values().line
    }

    /// The column of the reference in characters, from 1; `None` with `engine="dom"`.
    #[getter]
    fn column(&self) -> Option<u64> {
        self.values().column
    }

    /// For a link of a document inside a `srcdoc`: the span of that attribute's value.
    #[getter]
    fn enclosing(&self) -> Option<Span> {
        self.values().enclosing
    }

    #[classattr]
    fn _fields(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, fields().collect::<Vec<_>>())
    }

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, fields().collect::<Vec<_>>())
    }

    /// The attributes and their values.
    #[pyo3(name = "_asdict")]
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        for (name, value) in fields().zip(self.tuple(py)?) {
            values.set_item(name, value)?;
        }
        Ok(values)
    }

    /// The same link with other values.
    #[pyo3(signature = (**values))]
    fn _replace<'py>(
        &self,
        py: Python<'py>,
        values: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = self.as_dict(py)?;
        values.map_or(Ok(()), |values| all.update(values.as_mapping()))?;
        py.get_type::<Self>().call((), Some(&all))
    }

    /// A link with these values.
    #[classmethod]
    fn _make<'py>(
        class: &Bound<'py, PyType>,
        values: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = values.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        class.call1(PyTuple::new(class.py(), values)?)
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.tuple(py)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.tuple(py)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tuple(py)?.try_iter()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.tuple(key.py())?.as_any().get_item(key)
    }

    fn __richcmp__<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tuple = self.tuple(other.py())?;
        match other.cast::<Self>() {
            Ok(other) => tuple.rich_compare(other.get().tuple(other.py())?, operator),
            Err(_) => tuple.rich_compare(other, operator),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.tuple(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let values = self.tuple(py)?;
        let is_shown = |name| ["element", "attribute", "reference", "url"].contains(&name);
        let shown = fields().zip(values).filter(|&(name, _)| is_shown(name));
        let shown = shown.map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        let shown = shown.collect::<PyResult<Vec<_>>>()?;
        Ok(format!("Link({})", shown.join(", ")))
    }
}
