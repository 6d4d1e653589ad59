//! Lists the links of a document as Python objects, which create their strings when they are read,
//! and counts positions as Python does.

use std::collections::HashSet;
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use absolve::column::{self, Column, Read};
use absolve::encoding::{Detected, Lines};
use absolve::url::Base;
use absolve::{Buffers, Error, Rewriter};
use absolve_site::{Deployment, Location, external_url};
use encoding_rs::Encoding;
use pyo3::IntoPyObjectExt as _;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict as _, PyDict, PyIterator, PyList, PyTuple, PyType};

/// The unit of offsets in a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OffsetUnit<'s> {
    /// Bytes, for a document of `bytes`.
    Byte,
    /// Code points, for this `str`.
    Character(&'s str),
}

impl OffsetUnit<'_> {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Byte => "byte",
            Self::Character(_) => "character",
        }
    }

    /// Converts the offset of a byte to this unit.
    pub(crate) fn offset(self, byte: usize) -> usize {
        match self {
            Self::Byte => byte,
            Self::Character(text) => count_characters(text, 0..byte),
        }
    }
}

/// Finds offsets, lines and columns of the links of a document, fastest in ascending order.
pub(crate) struct LinkPositions<'s> {
    source: &'s [u8],
    unit: OffsetUnit<'s>,
    lines: Option<Lines<'s>>,
    /// The last byte that was looked up, and its offset.
    last: (usize, usize),
    /// The last start and end of the enclosing span, which many links may share, with their
    /// offsets.
    last_enclosing: [(usize, usize); 2],
}

impl<'s> LinkPositions<'s> {
    /// Begins at the start of a document.
    pub(crate) fn new(source: &'s [u8], unit: OffsetUnit<'s>) -> Self {
        Self { source, unit, lines: None, last: (0, 0), last_enclosing: [(0, 0); 2] }
    }

    /// Converts the offset of a byte to the unit.
    fn offset(&mut self, byte: usize) -> usize {
        let OffsetUnit::Character(text) = self.unit else { return byte };
        self.last = offset_from(text, self.last, byte);
        self.last.1
    }
}

impl column::Places for LinkPositions<'_> {
    fn span(&mut self, link: &absolve::Link<'_>) -> Option<[usize; 2]> {
        link.span().map(|span| [self.offset(span.start), self.offset(span.end)])
    }

    fn line_and_column(&mut self, link: &absolve::Link<'_>) -> Option<(u64, u64)> {
        let (source, encoding) = (self.source, link.encoding());
        let lines = self.lines.get_or_insert_with(|| {
            let bom = Encoding::for_bom(source).map_or(0, |(_, bom)| bom);
            Lines::new(source, Detected { encoding, bom })
        });
        link.span().map(|span| lines.locate(span.start))
    }

    fn enclosing(&mut self, link: &absolve::Link<'_>) -> Option<[usize; 2]> {
        let span = link.enclosing()?;
        let OffsetUnit::Character(text) = self.unit else { return Some([span.start, span.end]) };
        let [start, end] = &mut self.last_enclosing;
        *start = offset_from(text, *start, span.start);
        *end = offset_from(text, *end, span.end);
        Some([start.1, end.1])
    }
}

/// Finds the offset of the byte `to` from the known offset of the byte `from`; returns both.
fn offset_from(text: &str, (from, offset): (usize, usize), to: usize) -> (usize, usize) {
    let new = match to.checked_sub(from) {
        Some(_) => offset + count_characters(text, from..to),
        None => offset.saturating_sub(count_characters(text, to..from)),
    };
    (to, new)
}

fn count_characters(text: &str, bytes: Range<usize>) -> usize {
    text.get(bytes).map_or(0, |text| text.chars().count())
}

/// The attributes of a `Link`, in order.
static COLUMNS: LazyLock<Vec<&Column>> = LazyLock::new(|| Column::of_objects().collect());

/// Lists the names of the attributes.
fn column_names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|column| column.name)
}

/// A value of a link: the start and the end of a string in the text of a list, a span, or a number
/// and 0. The second number is inverted, so it is never 0, and `None` takes no extra memory.
type Value = Option<(usize, NonZero<usize>)>;

/// Packs two numbers; `None` if the second is the largest number, at which nothing ends.
fn pack([first, second]: [usize; 2]) -> Value {
    Some((first, NonZero::new(!second)?))
}

/// The URLs to list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UrlSelection {
    /// List only URLs that lead to another host, and that a link checker requests.
    pub(crate) external: bool,
    /// List each URL once.
    pub(crate) unique: bool,
}

impl UrlSelection {
    /// Passes the URLs of a document to `on_url` in the order of its links, each as two parts to
    /// concatenate; `base_url` is that of the document, if it is known. URLs before an error are
    /// passed too.
    pub(crate) fn list(
        self,
        source: &[u8],
        (rewriter, base_url): (&Rewriter, Option<&str>),
        buffers: &mut Buffers,
        mut on_url: impl FnMut((&str, &str)),
    ) -> Result<(), Error> {
        let base = base_url.filter(|_| self.external).map(Base::new).transpose()?;
        // Only `external` needs a site, which takes longer to create than a small page to list.
        let site = || base.as_ref().map_or_else(Deployment::default, Deployment::new);
        let site = self.external.then(site);
        let (mut key, mut seen) = (String::new(), HashSet::new());
        let listed = rewriter.links_in(source, buffers, |link| {
            let external = site.as_ref().map(|site| {
                external_url(link, |url| matches!(site.locate(url), Location::External))
            });
            let url = match &external {
                Some(url) => url.as_deref().map(|url| ("", url)),
                None => link.url_parts(),
            };
            let Some((start, rest)) = url else { return };
            if self.unique {
                key.clear();
                key.extend([start, rest]);
                if seen.contains(&*key) {
                    return;
                }
                seen.insert(Box::<str>::from(&*key));
            }
            on_url((start, rest));
        });
        listed.map(drop)
    }
}

/// The links of a document, without objects of the interpreter.
#[derive(Debug, Default)]
pub(super) struct LinkList {
    /// The strings of all links.
    text: String,
    /// The values of links, one per column.
    values: Vec<Value>,
}

impl LinkList {
    /// Lists the links of a document, in order.
    pub(super) fn read(
        source: &[u8],
        unit: OffsetUnit<'_>,
        rewriter: &Rewriter,
    ) -> Result<Self, Error> {
        let mut list = Self::default();
        let mut positions = LinkPositions::new(source, unit);
        rewriter.links(source, |link| list.push(link, &mut positions))?;
        Ok(list)
    }

    /// Lists the URLs of a document, as the only value of each link.
    pub(super) fn read_urls(
        source: &[u8],
        options: (&Rewriter, Option<&str>),
        selection: UrlSelection,
        buffers: &mut Buffers,
    ) -> Result<Self, Error> {
        let mut list = Self::default();
        selection.list(source, options, buffers, |url| {
            let value = list.add(Some(url));
            list.values.push(value);
        })?;
        Ok(list)
    }

    fn push(&mut self, link: &absolve::Link<'_>, positions: &mut LinkPositions<'_>) {
        for column in COLUMNS.iter() {
            let value = match column.read {
                Read::Name(read) | Read::InElement(read) => self.add_shared(Some(read(link))),
                Read::Base(read) => self.add_shared(read(link)),
                Read::Span(read) => read(link, positions).and_then(pack),
                read if read.is_text() => self.add(read.text(link)),
                read => pack_number(read.number(link, positions)),
            };
            self.values.push(value);
        }
    }

    /// Adds a string that has two parts.
    fn add(&mut self, parts: Option<(&str, &str)>) -> Value {
        let (first, rest) = parts?;
        let start = self.text.len();
        self.text.push_str(first);
        self.text.push_str(rest);
        pack([start, self.text.len()])
    }

    fn text(&self, (start, end): (usize, NonZero<usize>)) -> &str {
        &self.text[start..!end.get()]
    }

    /// Adds a string, or shares the equal string of the previous link.
    fn add_shared(&mut self, text: Option<&str>) -> Value {
        let last = self.values.len().checked_sub(COLUMNS.len()).and_then(|at| self.values[at]);
        match last {
            Some(last) if Some(self.text(last)) == text => Some(last),
            _ => self.add(text.map(|text| ("", text))),
        }
    }

    /// Adds the value of a column from an object of Python.
    fn extract(&mut self, column: &Column, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = match column.read {
            _ if value.is_none() && !column.is_required() => None,
            Read::Number(_) => pack_number(Some(value.extract()?)),
            Read::Flag(_) => pack_number(Some(value.extract::<bool>()?.into())),
            Read::Span(_) => {
                let span = pack(value.extract::<(usize, usize)>()?.into());
                Some(span.ok_or_else(|| PyOverflowError::new_err("int too big to convert"))?)
            }
            _ => self.add(Some(("", value.extract()?))),
        };
        self.values.push(value);
        Ok(())
    }

    /// Makes a list of the strings.
    pub(super) fn to_texts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.values.iter().map(|value| value.map(|value| self.text(value))))
    }

    /// Makes a list of the links as objects.
    pub(super) fn into_objects(self, py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
        let list = Arc::new(self);
        let links = 0..list.values.len() / COLUMNS.len();
        PyList::new(py, links.map(|number| Link { list: Arc::clone(&list), number }))
    }
}

fn pack_number(number: Option<u64>) -> Value {
    pack([usize::try_from(number?).unwrap_or(usize::MAX), 0])
}

/// Adds the class to the module, with the names of the columns and a property for each.
pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let class = py.get_type::<Link>();
    let property = py.import("builtins")?.getattr("property")?;
    let get = py.import("operator")?.getattr("itemgetter")?;
    for (index, (column, docstring)) in COLUMNS.iter().zip(keywords!(docstrings)).enumerate() {
        let get = get.call1((index,))?;
        let property = property.call1((get, py.None(), py.None(), docstring))?;
        class.setattr(column.name, property)?;
    }
    let names = PyTuple::new(py, column_names().collect::<Vec<_>>())?;
    class.setattr("_fields", &names)?;
    class.setattr("__match_args__", names)?;
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
    /// Makes the Python object of the value in a column.
    fn make_value<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let value = self.list.values[self.number * COLUMNS.len() + index];
        let Some((first, second)) = value else { return Ok(py.None().into_bound(py)) };
        match COLUMNS[index].read {
            Read::Number(_) => first.into_bound_py_any(py),
            Read::Flag(_) => (first != 0).into_bound_py_any(py),
            Read::Span(_) => (first, !second.get()).into_bound_py_any(py),
            _ => self.list.text((first, second)).into_bound_py_any(py),
        }
    }

    fn to_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let values = (0..COLUMNS.len()).map(|index| self.make_value(py, index));
        PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (*values, **named), text_signature = None)]
    fn new(values: &Bound<'_, PyTuple>, named: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        /// A named tuple, which binds arguments as every class of Python does.
        static ARGUMENTS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = values.py();
        let arguments = ARGUMENTS.get_or_try_init(py, || {
            let class = py.import("collections")?.getattr("namedtuple")?;
            class.call1(("Link", column_names().collect::<Vec<_>>())).map(Bound::unbind)
        });
        let values = arguments?.bind(py).call(values, named)?;
        let mut list = LinkList::default();
        for (column, value) in COLUMNS.iter().zip(values.try_iter()?) {
            list.extract(column, &value?).map_err(|error| match error {
                error if error.is_instance_of::<PyTypeError>(py) => {
                    PyTypeError::new_err(format!("argument '{}': {}", column.name, error.value(py)))
                }
                error => error,
            })?;
        }
        Ok(Self { list: Arc::new(list), number: 0 })
    }

    /// The attributes and their values.
    #[pyo3(name = "_asdict")]
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        column_names().zip(self.to_tuple(py)?).collect::<Vec<_>>().into_py_dict(py)
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
        self.to_tuple(py)
    }

    #[expect(clippy::unused_self, reason = "a method of Python")]
    fn __len__(&self) -> usize {
        COLUMNS.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_tuple(py)?.try_iter()
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match key.extract::<usize>() {
            Ok(index) if index < COLUMNS.len() => self.make_value(key.py(), index),
            _ => self.to_tuple(key.py())?.as_any().get_item(key),
        }
    }

    fn __richcmp__<'py>(
        &self,
        other: &Bound<'py, PyAny>,
        operator: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tuple = self.to_tuple(other.py())?;
        match other.cast::<Self>() {
            Ok(other) => tuple.rich_compare(other.get().to_tuple(other.py())?, operator),
            Err(_) => tuple.rich_compare(other, operator),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.to_tuple(py)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let values = self.to_tuple(py)?;
        let is_shown = |name| ["element", "attribute", "reference", "url"].contains(&name);
        let shown = column_names().zip(values).filter(|&(name, _)| is_shown(name));
        let shown = shown.map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        let shown = shown.collect::<PyResult<Vec<_>>>()?;
        Ok(format!("Link({})", shown.join(", ")))
    }
}
