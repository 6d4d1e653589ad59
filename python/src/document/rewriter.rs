//! Reads the document of a call, and the options of a `Rewriter`, which many documents share.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use absolve::{Buffers, Error};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};

use super::link::{LinkList, OffsetUnit, UrlSelection};

use crate::errors::{catch, exception, utf8};
use crate::options::{Function, base_url, external, read_rewriter, unique, wrong_type};

/// Maximum size of a document whose buffers are kept, in bytes.
pub(crate) const MAX_KEPT_BYTES: usize = 4 << 20;

/// A document, with the Python object that the caller passed.
pub(super) struct Document<'a, 'py> {
    object: &'a Bound<'py, PyAny>,
    /// Borrowed from a `bytes` or a `str` (as UTF-8); a copy of a buffer, which other threads may
    /// change.
    bytes: Cow<'a, [u8]>,
    /// The unit of its offsets.
    pub(super) unit: OffsetUnit<'a>,
    /// The URL that it was retrieved from.
    base_url: Option<&'a str>,
}

impl<'a, 'py> Document<'a, 'py> {
    pub(super) fn new(object: &'a Bound<'py, PyAny>, base_url: Option<&'a str>) -> PyResult<Self> {
        let (bytes, unit) = if let Ok(bytes) = object.cast::<PyBytes>() {
            (Cow::Borrowed(bytes.as_bytes()), OffsetUnit::Byte)
        } else if let Ok(text) = object.cast::<PyString>() {
            let text = utf8("", text)?;
            (Cow::Borrowed(text.as_bytes()), OffsetUnit::Character(text))
        } else if let Ok(buffer) = PyBuffer::<u8>::get(object) {
            (Cow::Owned(buffer.to_vec(object.py())?), OffsetUnit::Byte)
        } else {
            return Err(wrong_type("document", "bytes, str or a buffer of bytes", object));
        };
        Ok(Self { object, bytes, unit, base_url })
    }

    fn py(&self) -> Python<'py> {
        self.object.py()
    }

    /// Returns the options for this document. A `meta` element has no effect on the encoding of a
    /// `str`.
    pub(super) fn options(&self, options: absolve::Rewriter) -> PyResult<absolve::Rewriter> {
        let options = match self.base_url {
            Some(url) => options.base_url(url),
            None => Ok(options),
        };
        let options = match self.unit {
            OffsetUnit::Character(_) => options.and_then(|options| options.encoding("utf-8")),
            OffsetUnit::Byte => options,
        };
        options.map_err(|error| exception(self.py(), &error))
    }

    /// Makes the result: the same object if nothing changed, unless its type is a buffer or a
    /// subclass, for which the result is always `bytes` or `str`.
    pub(super) fn convert(&self, changed: Option<&[u8]>) -> PyResult<Bound<'py, PyAny>> {
        let object = self.object;
        let is_exact =
            object.is_exact_instance_of::<PyBytes>() || object.is_exact_instance_of::<PyString>();
        if changed.is_none() && is_exact {
            return Ok(object.clone());
        }
        let bytes = changed.unwrap_or(&self.bytes);
        Ok(match self.unit {
            OffsetUnit::Character(_) => PyString::from_bytes(self.py(), bytes)?.into_any(),
            OffsetUnit::Byte => PyBytes::new(self.py(), bytes).into_any(),
        })
    }

    /// Runs `work` on the bytes without the interpreter.
    pub(super) fn detach<'s, T: Send>(
        &'s self,
        work: impl FnOnce(&'s [u8]) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let source = &*self.bytes;
        self.py().detach(|| catch(|| work(source))).map_err(|failure| {
            let name = match self.base_url {
                Some(url) => format!("document of {url}"),
                None => format!("document of {} bytes", source.len()),
            };
            failure.exception(self.py(), &name, self.unit)
        })
    }

    /// Runs `work` with buffers that are kept for the next document. After a failure, they may be
    /// inconsistent, so they are dropped.
    fn with_buffers<T>(&self, work: impl FnOnce(&mut Buffers) -> PyResult<T>) -> PyResult<T> {
        thread_local! {
            static BUFFERS: RefCell<Buffers> = RefCell::default();
        }
        let mut buffers = BUFFERS.take();
        let result = work(&mut buffers)?;
        if self.bytes.len() <= MAX_KEPT_BYTES {
            BUFFERS.set(buffers);
        }
        Ok(result)
    }

    /// Rewrites the document.
    pub(super) fn rewrite(&self, options: &absolve::Rewriter) -> PyResult<Bound<'py, PyAny>> {
        self.with_buffers(|buffers| {
            let (is_changed, bytes) = self.detach(|source| {
                let result = options.rewrite_in(source, buffers)?;
                Ok((result.is_changed(), result.into_bytes()))
            })?;
            self.convert(is_changed.then_some(&*bytes))
        })
    }

    /// Lists the URLs of its links.
    pub(super) fn list_urls(
        &self,
        options: &absolve::Rewriter,
        selection: UrlSelection,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = (options, self.base_url);
        let list = |buffers: &mut Buffers| {
            self.detach(|source| LinkList::read_urls(source, options, selection, buffers))
        };
        self.with_buffers(list)?.to_texts(self.py())
    }

    /// Lists its links.
    pub(super) fn list_links(&self, options: &absolve::Rewriter) -> PyResult<Bound<'py, PyList>> {
        let unit = self.unit;
        let list = self.detach(|source| LinkList::read(source, unit, options))?;
        list.into_objects(self.py())
    }
}

#[doc = signature!("Rewriter(base_url=None", document)]
/// Options that are read once, for many documents, in any number of threads.
///
/// >>> rewriter = Rewriter("http://example.org/", only=["href"])
/// >>> rewriter.rewrite("<a href=x><img src=y>")
/// '<a href=http://example.org/x><img src=y>'
/// >>> rewriter.rewrite("<a href=x>", "http://elsewhere.example/")
/// '<a href=http://elsewhere.example/x>'
#[pyclass(frozen, module = "absolve")]
pub(super) struct Rewriter {
    options: absolve::Rewriter,
    /// The options for a `str`, whose encoding is known.
    for_text: absolve::Rewriter,
    base_url: Option<String>,
    /// The keyword arguments as they were read, for a copy in another process.
    keywords: Py<PyDict>,
}

impl Rewriter {
    /// Returns the options for a `str`.
    pub(super) fn for_text(&self) -> &absolve::Rewriter {
        &self.for_text
    }

    /// Reads a document, and returns it with its options.
    fn read<'a, 'py>(
        &'a self,
        document: &'a Bound<'py, PyAny>,
        base_url: Option<&'a str>,
    ) -> PyResult<(Document<'a, 'py>, Cow<'a, absolve::Rewriter>)> {
        let document = Document::new(document, base_url.or(self.base_url.as_deref()))?;
        let options = match (base_url, document.unit) {
            (None, OffsetUnit::Byte) => Cow::Borrowed(&self.options),
            (None, OffsetUnit::Character(_)) => Cow::Borrowed(&self.for_text),
            (Some(_), _) => Cow::Owned(document.options(self.options.clone())?),
        };
        Ok((document, options))
    }
}

#[pymethods]
impl Rewriter {
    #[new]
    #[pyo3(signature = (base_url=None, **keywords), text_signature = None)]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let given = PyDict::new(py);
        for (name, value) in keywords.into_iter().flatten() {
            given.set_item(name, snapshot(&value)?)?;
        }
        let mut options = read_rewriter(Function("Rewriter", &["base_url"]), Some(&given))?;
        if let Some(url) = base_url {
            options = options.base_url(url).map_err(|error| exception(py, &error))?;
        }
        for (name, _) in given.copy()?.iter().filter(|(_, value)| value.is_none()) {
            given.del_item(name)?;
        }
        let for_text = options.clone().encoding("utf-8");
        let for_text = for_text.map_err(|error| exception(py, &error))?;
        let base_url = base_url.map(str::to_owned);
        Ok(Self { options, for_text, base_url, keywords: given.unbind() })
    }

    /// Make every link of a document absolute; `base_url` replaces the one of the `Rewriter`.
    ///
    /// >>> Rewriter("http://h/").rewrite(b"<a href=x>")
    /// b'<a href=http://h/x>'
    #[pyo3(signature = (document, base_url=None))]
    fn rewrite<'py>(
        &self,
        document: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (document, options) = self.read(document, base_url)?;
        document.rewrite(&options)
    }

    /// List the links of a document; `base_url` replaces the one of the `Rewriter`.
    ///
    /// >>> [link.url for link in Rewriter("http://h/").links("<a href=x><a href=y>")]
    /// ['http://h/x', 'http://h/y']
    #[pyo3(signature = (document, base_url=None))]
    fn links<'py>(
        &self,
        document: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (document, options) = self.read(document, base_url)?;
        document.list_links(&options)
    }

    /// List the URLs of the links of a document, as the function `urls` does; `base_url`
    /// replaces the one of the `Rewriter`.
    ///
    /// >>> Rewriter("http://h/").urls("<a href=x><a href=y><a href=x>", unique=True)
    /// ['http://h/x', 'http://h/y']
    #[pyo3(signature = (document, base_url=None, *, external=false, unique=false))]
    fn urls<'py>(
        &self,
        document: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
        #[pyo3(from_py_with = external)] external: bool,
        #[pyo3(from_py_with = unique)] unique: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let (document, options) = self.read(document, base_url)?;
        document.list_urls(&options, UrlSelection { external, unique })
    }

    /// Replace each link by what `function` returns for it; `None` leaves it as it is.
    ///
    /// >>> page = "<img src=a.png><a href=b>"
    /// >>> Rewriter().rewrite_with(
    /// ...     page, lambda link: f"cdn/{link.reference}" if link.element == "img" else None
    /// ... )
    /// '<img src=cdn/a.png><a href=b>'
    ///
    /// An exception of `function` ends the call. The links are those of `links`, listed before
    /// the first call.
    #[pyo3(signature = (document, function, base_url=None))]
    fn rewrite_with<'py>(
        &self,
        document: &Bound<'py, PyAny>,
        function: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !function.is_callable() {
            return Err(wrong_type("function", "callable", function));
        }
        let (document, options) = self.read(document, base_url)?;
        // The links are listed first, so that both passes run without the interpreter.
        let links = document.list_links(&options)?.into_iter();
        let decisions: PyResult<Vec<_>> = links.map(|link| call_for_text(function, link)).collect();
        let mut decisions = decisions?.into_iter();
        let decide = |_: &absolve::Link<'_>| decisions.next().flatten();
        let result = document.detach(|source| options.rewrite_with(source, decide))?;
        document.convert(result.is_changed().then_some(result.bytes()))
    }

    fn __getnewargs_ex__(&self, py: Python<'_>) -> ((Option<&str>,), Py<PyDict>) {
        ((self.base_url.as_deref(),), self.keywords.clone_ref(py))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let url = self.base_url.iter().map(|url| Ok(PyString::new(py, url).repr()?.to_string()));
        let keywords = self.keywords.bind(py).iter();
        let keywords = keywords.map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        let arguments = url.chain(keywords).collect::<PyResult<Vec<_>>>()?;
        Ok(format!("Rewriter({})", arguments.join(", ")))
    }

    /// Whether the arguments are equal.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.base_url == other.base_url && self.keywords.bind(py).eq(&other.keywords)?)
    }

    /// The hash of the base URL: values of options may have no hash.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.base_url.hash(&mut hasher);
        hasher.finish()
    }
}

/// Copies the value of an option: an iterator is read once, and a list may change.
fn snapshot<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        Ok(value.clone())
    } else if value.cast::<PyMapping>().is_ok() {
        py.get_type::<PyDict>().call1((value,))
    } else if value.is_instance_of::<PySet>() {
        py.get_type::<PyFrozenSet>().call1((value,))
    } else if value.try_iter().is_ok() && !value.is_instance_of::<PyFrozenSet>() {
        py.get_type::<PyTuple>().call1((value,))
    } else {
        Ok(value.clone())
    }
}

/// Calls the function of the caller for the text that replaces a link.
fn call_for_text(function: &Bound<'_, PyAny>, link: Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let value = function.call1((link,))?;
    if value.is_none() {
        return Ok(None);
    }
    let text = value.cast::<PyString>().map_err(|_| match value.get_type().name() {
        Ok(class) => {
            PyTypeError::new_err(format!("the function must return a str or None, not {class}"))
        }
        Err(error) => error,
    })?;
    Ok(Some(utf8("the function returned a str whose ", text)?.to_owned()))
}
