//! The links of a document as objects, which make their strings when they are read.

use std::sync::{Arc, LazyLock};

use absolve::column::{Column, Read};
use absolve::{Link as Found, Rewriter};
use pyo3::IntoPyObjectExt as _;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyIterator, PyList, PyTuple, PyType};

use super::places::{Places, Unit};

/// The attributes of a `Link`, in their order.
static COLUMNS: LazyLock<Vec<&Column>> = LazyLock::new(|| Column::of_objects().collect());

/// The names of the attributes.
fn names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|column| column.name)
}

/// A value: where a string begins and ends in the text of a list, a span, or a number before 0.
type Value = [usize; 2];

/// A value that is `None`. No text or number of a document is as large.
const NONE: Value = [usize::MAX, 0];

/// The links of a document, outside the interpreter.
#[derive(Debug, Default)]
pub(super) struct LinkList {
    /// The strings of all links.
    text: String,
    /// A value a column for each link.
    values: Vec<Value>,
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
        rewriter.links(source, |link| list.push(link, &mut places))?;
        Ok(list)
    }

    fn push(&mut self, link: &Found<'_>, places: &mut Places<'_>) {
        for column in COLUMNS.iter() {
            let value = match column.read {
                Read::Name(read) | Read::InElement(read) => self.shared(Some(read(link))),
                Read::Base(read) => self.shared(read(link)),
                Read::Span(read) => read(link, places).unwrap_or(NONE),
                read if read.is_text() => self.text(read.text(link)),
                read => number(read.number(link, places)),
            };
            self.values.push(value);
        }
    }

    /// Adds a string, in two parts.
    fn text(&mut self, parts: Option<(&str, &str)>) -> Value {
        let Some((first, rest)) = parts else { return NONE };
        let start = self.text.len();
        self.text.push_str(first);
        self.text.push_str(rest);
        [start, self.text.len()]
    }

    /// Adds a string that is often that of the link before.
    fn shared(&mut self, text: Option<&str>) -> Value {
        let last = self.values.len().checked_sub(COLUMNS.len()).map(|at| self.values[at]);
        match (last, text) {
            (Some([start, end]), Some(text)) if self.text.get(start..end) == Some(text) => {
                [start, end]
            }
            _ => self.text(text.map(|text| ("", text))),
        }
    }

    /// Adds the value of a column that Python has.
    fn extract(&mut self, column: &Column, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = match column.read {
            _ if value.is_none() && !column.is_required() => NONE,
            Read::Number(_) => number(Some(value.extract()?)),
            Read::Flag(_) => number(Some(value.extract::<bool>()?.into())),
            Read::Span(_) => value.extract::<(usize, usize)>()?.into(),
            _ => self.text(Some(("", value.extract()?))),
        };
        self.values.push(value);
        Ok(())
    }

    /// The links as objects.
    pub(super) fn objects(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let list = Arc::new(self);
        let links = 0..list.values.len() / COLUMNS.len();
        PyList::new(py, links.map(|number| Link { list: Arc::clone(&list), number }))
    }
}

fn number(number: Option<u64>) -> Value {
    number.map_or(NONE, |number| [usize::try_from(number).unwrap_or(usize::MAX - 1), 0])
}

/// Adds the class to the module, with a property for each column.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = py.get_type::<Link>();
    let property = py.import("builtins")?.getattr("property")?;
    let get = py.import("operator")?.getattr("itemgetter")?;
    for (at, (column, docstring)) in COLUMNS.iter().zip(keywords!(docstrings)).enumerate() {
        let get = get.call1((at,))?;
        let property = property.call1((get, py.None(), py.None(), docstring))?;
        class.setattr(column.name, property)?;
    }
    module.add_class::<Link>()
}

#[doc = concat!("Link(", keywords!(link), ")\n--\n")]
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
    /// The value of a column.
    fn value<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let value @ [first, second] = self.list.values[self.number * COLUMNS.len() + at];
        match COLUMNS[at].read {
            _ if value == NONE => Ok(py.None().into_bound(py)),
            Read::Number(_) => first.into_bound_py_any(py),
            Read::Flag(_) => (first != 0).into_bound_py_any(py),
            Read::Span(_) => (first, second).into_bound_py_any(py),
            _ => self.list.text[first..second].into_bound_py_any(py),
        }
    }

    fn tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let values = (0..COLUMNS.len()).map(|at| self.value(py, at));
        PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (*values, **named), text_signature = None)]
    fn new(values: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        /// A named tuple binds arguments as every class of Python does.
        static ARGUMENTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = values.py();
        let arguments = ARGUMENTS.get_or_try_init(py, || {
            let class = py.import("collections")?.getattr("namedtuple")?;
            class.call1(("Link", names().collect::<Vec<_>>())).map(Bound::unbind)
        });
        let values = arguments?.bind(py).call(values, named)?;
        let mut list = LinkList::default();
        for (column, value) in COLUMNS.iter().zip(values.try_iter()?) {
            list.extract(column, &value?).map_err(|error| match error {
                error if error.is_instance_of::<PyTypeError>(py) => {
                    let what = format!("argument '{}': {}", column.name, error.value(py));
                    PyTypeError::new_err(what)
                }
                error => error,
            })?;
        }
        Ok(Self { list: Arc::new(list), number: 0 })
    }

    #[classattr]
    fn _fields(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, names().collect::<Vec<_>>())
    }

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, names().collect::<Vec<_>>())
    }

    /// The attributes and their values.
    #[pyo3(name = "_asdict")]
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(py);
        for (name, value) in names().zip(self.tuple(py)?) {
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

    #[expect(clippy::unused_self, reason = "a method of Python")]
    fn __len__(&self) -> usize {
        COLUMNS.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.tuple(py)?.try_iter()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match key.extract::<usize>() {
            Ok(at) if at < COLUMNS.len() => self.value(key.py(), at),
            _ => self.tuple(key.py())?.as_any().get_item(key),
        }
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
        let shown = names().zip(values).filter(|&(name, _)| is_shown(name));
        let shown = shown.map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        let shown = shown.collect::<PyResult<Vec<_>>>()?;
        Ok(format!("Link({})", shown.join(", ")))
    }
}
