//! Options that are read once, for many documents.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use absolve::Rewriter as Options;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple};

use super::input::Document;
use super::link::UrlSelection;
use super::places::Unit;
use crate::errors;
use crate::options::{self, Function, base_url, external, unique, wrong_type};

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
    options: Options,
    /// The same for a `str`.
    for_text: Options,
    base_url: Option<String>,
    /// As they were read, for a copy in another process.
    keywords: Py<PyDict>,
}

impl Rewriter {
    /// The options for a `str`.
    pub(super) fn for_text(&self) -> &Options {
        &self.for_text
    }

    /// A document, and the options for it.
    fn read<'a, 'py>(
        &'a self,
        document: &'a Bound<'py, PyAny>,
        base_url: Option<&'a str>,
    ) -> PyResult<(Document<'a, 'py>, Cow<'a, Options>)> {
        let document = Document::new(document, base_url.or(self.base_url.as_deref()))?;
        let options = match (base_url, document.unit) {
            (None, Unit::Byte) => Cow::Borrowed(&self.options),
            (None, Unit::Character(_)) => Cow::Borrowed(&self.for_text),
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
        let mut options = options::rewriter(Function("Rewriter", &["base_url"]), Some(&given))?;
        if let Some(url) = base_url {
            options = options.base_url(url).map_err(|error| errors::exception(py, &error))?;
        }
        for (name, _) in given.copy()?.iter().filter(|(_, value)| value.is_none()) {
            given.del_item(name)?;
        }
        let for_text = options.clone().encoding("utf-8");
        let for_text = for_text.map_err(|error| errors::exception(py, &error))?;
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
        document.rewritten(&options)
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
        document.links(&options)
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
        document.urls(&options, UrlSelection { external, unique })
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
        // The list is made first, so that both passes run without the interpreter.
        let links = document.links(&options)?.into_iter();
        let decisions = links.map(|link| decision(function, link)).collect::<PyResult<Vec<_>>>()?;
        let mut decisions = decisions.into_iter();
        let decide = |_: &absolve::Link<'_>| decisions.next().flatten();
        let result = document.detached(|source| options.rewrite_with(source, decide))?;
        document.changed(result.is_changed().then_some(result.bytes()))
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

/// The value of an option as it is now: an iterator is read once, and a list may change.
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

/// What a function of the caller puts in the place of a link.
fn decision(function: &Bound<'_, PyAny>, link: Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let value = function.call1((link,))?;
    if value.is_none() {
        return Ok(None);
    }
    let text = value.cast::<PyString>().map_err(|_| match value.get_type().name() {
        Ok(found) => {
            PyTypeError::new_err(format!("the function must return a str or None, not {found}"))
        }
        Err(error) => error,
    })?;
    Ok(Some(errors::utf8("the function returned a str whose ", text)?.to_owned()))
}
