//! Rewrites a document, or lists its links.

mod link;
mod rewriter;
mod scrapy;

use absolve::url::{Base, Standard};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rewriter::{Document, Rewriter};
use scrapy::ScrapyLinks;

use crate::errors;
use crate::options::{self, Function, base_url, external, read_text, unique};

pub(crate) use link::{LinkPositions, OffsetUnit, UrlSelection};
pub(crate) use rewriter::MAX_KEPT_BYTES;

/// Adds the functions and classes of documents to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    link::register(module)?;
    module.add_class::<Rewriter>()?;
    // Only `absolve.scrapy` uses this class, which `__all__` leaves out.
    module.setattr("_ScrapyLinks", module.py().get_type::<ScrapyLinks>())?;
    module.add_function(wrap_pyfunction!(rewrite, module)?)?;
    module.add_function(wrap_pyfunction!(links, module)?)?;
    module.add_function(wrap_pyfunction!(urls, module)?)?;
    module.add_function(wrap_pyfunction!(resolve, module)?)
}

#[doc = signature!("rewrite(document, base_url=None", document)]
/// Make every link of a document absolute.
///
/// `document` is `bytes`, whose encoding is found as browsers find it, or `str`, which is never
/// decoded by its own `meta` element. The result has the same type, and is the same object where
/// nothing changes; for another object with the buffer protocol, such as a `bytearray`, it is
/// `bytes`. `base_url` is the URL that the document was retrieved from; the document's own `base`
/// element goes before it.
///
/// >>> rewrite("<a href=../x>up</a>", "http://example.org/a/b/c.html")
/// '<a href=http://example.org/a/x>up</a>'
/// >>> rewrite(b"<img src=a.png><a href=b>", "http://h/", only="src")
/// b'<img src=http://h/a.png><a href=b>'
///
/// Raises `BaseUrlError` for a base URL that is not usable, `LimitError` for a document that
/// reaches a limit, and `EncodingError` for a `str` with a lone surrogate.
#[pyfunction]
#[pyo3(signature = (document, base_url=None, **options), text_signature = None)]
fn rewrite<'py>(
    document: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = options::read_rewriter(Function("rewrite", &["document", "base_url"]), options)?;
    let document = Document::new(document, base_url)?;
    document.rewrite(&document.options(options)?)
}

#[doc = signature!("links(document, base_url=None", document)]
/// List the links of a document, in their order, as `Link` objects.
///
/// >>> for link in links("<a href=x><img src=y>", "http://h/"):
/// ...     print(link.element, link.attribute, link.url)
/// a href http://h/x
/// img src http://h/y
///
/// `to` and `maps` have no effect: `Link.url` is what a reference resolves to.
///
/// Raises what `rewrite` raises.
#[pyfunction]
#[pyo3(signature = (document, base_url=None, **options), text_signature = None)]
fn links<'py>(
    document: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    let options = options::read_rewriter(Function("links", &["document", "base_url"]), options)?;
    let document = Document::new(document, base_url)?;
    document.list_links(&document.options(options)?)
}

#[doc = signature!("urls(document, base_url=None", * "external=False, unique=False", document)]
/// List the URLs of the links of a document, in their order: about twice as fast as `links`.
///
/// A link that has no URL, as `Link.url` has none, is left out. With `unique`, each URL is listed
/// once. With `external`, those alone are listed that lead to another host than that of `base_url`
/// and that a link checker requests, without their fragments. `to` and `maps` have no effect.
///
/// >>> urls("<a href=x><img src=y><a href=x>", "http://h/")
/// ['http://h/x', 'http://h/y', 'http://h/x']
/// >>> urls("<a href=x><a href=//g/#a><a href=//g/>", "http://h/", external=True, unique=True)
/// ['http://g/']
///
/// Raises what `rewrite` raises.
#[pyfunction]
#[pyo3(signature = (document, base_url=None, *, external=false, unique=false, **options), text_signature = None)]
fn urls<'py>(
    document: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    #[pyo3(from_py_with = external)] external: bool,
    #[pyo3(from_py_with = unique)] unique: bool,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    const PARAMETERS: &[&str] = &["document", "base_url", "external", "unique"];
    let options = options::read_rewriter(Function("urls", PARAMETERS), options)?;
    let document = Document::new(document, base_url)?;
    document.list_urls(&document.options(options)?, UrlSelection { external, unique })
}

/// Resolve a reference against a base URL.
///
/// `standard` is `rfc1808`, `rfc3986` or `whatwg`. An absolute reference stays as it is written.
///
/// >>> resolve("http://a/b/c/d;p?q", "../g")
/// 'http://a/b/g'
///
/// Raises `BaseUrlError` for a base URL that is not usable, and `Error` for a reference that the
/// standard refuses; `rfc1808` refuses none.
#[pyfunction]
#[pyo3(signature = (base, reference, standard=None), text_signature = "(base, reference, standard='rfc1808')")]
fn resolve(
    base: &Bound<'_, PyAny>,
    reference: &Bound<'_, PyAny>,
    standard: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let (py, reference) = (base.py(), read_text("reference", reference)?);
    let base = read_text("base", base)?;
    let base = Base::new(base).map_err(|error| errors::exception(py, &error))?;
    let standard = standard.map_or(Ok("rfc1808"), |standard| read_text("standard", standard))?;
    let standards = Standard::ALL.iter().map(|&standard| (standard.name(), standard));
    let standard = options::find_choice("standard", standard, standards)?;
    match standard.resolve(Some(&base), reference) {
        Ok(resolution) => Ok(resolution.url().unwrap_or(reference).to_owned()),
        Err(refusal) => Err(errors::Error::new_err(format!("'{reference}': {refusal}"))),
    }
}
