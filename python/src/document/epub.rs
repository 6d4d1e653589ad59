//! Reads the documents of a book, and lists their links.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use absolve::batch;
use absolve::container::ContainerError;
use absolve::container::epub::{Book, BookDocument};
use absolve::{Limits, Rewriter as Options};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PyTuple};

use super::link_list::LinkList;
use super::places::Unit;
use crate::errors::{self, Error, catch};
use crate::files::os_error;
use crate::options::{self, Function, base_url, source_path, text};
use crate::wording::in_python;

#[doc = signature!("EpubReader(source, base_url=None", document)]
/// Reads the documents of a book (`.epub`), and lists their links.
///
/// `source` is a path, and `base_url` the URL of the root of the book; relative links have no `url`
/// without one. The options are those of `links`, where `to` and `maps` have no effect.
///
/// >>> import pathlib, tempfile, zipfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "a.epub")
/// >>> item = "<item href='a.html' media-type='text/html'/>"
/// >>> with zipfile.ZipFile(path, "w") as book:
/// ...     book.writestr("mimetype", "application/epub+zip")
/// ...     book.writestr("META-INF/container.xml", "<a><rootfile full-path='p.opf'/></a>")
/// ...     book.writestr("p.opf", f"<package>{item}</package>")
/// ...     book.writestr("a.html", "<a href=http://h/x>")
/// >>> with EpubReader(path) as book:
/// ...     for document in book:
/// ...         for link in book.links(document):
/// ...             print(document, link.reference)
/// a.html http://h/x
///
/// An iterator has the names of `documents`.
///
/// Raises `OSError` for a file that cannot be read, and `Error` for a book that is damaged, hostile
/// or encrypted.
#[pyclass(frozen, module = "absolve")]
pub(super) struct EpubReader {
    /// `None` after `close`.
    book: Mutex<Option<Book<File>>>,
    documents: Vec<BookDocument>,
    path: PathBuf,
    options: Options,
}

#[pymethods]
impl EpubReader {
    #[new]
    #[pyo3(signature = (source, base_url=None, **options), text_signature = None)]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = source_path)] source: PathBuf,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut limits = Limits::default();
        let most = options.map(|options| options.get_item("max_input")).transpose()?.flatten();
        if let Some(most) = most.filter(|most| !most.is_none()) {
            limits.input = options::number("max_input", &most)?;
        }
        let options = options::rewriter(Function("EpubReader", &["source", "base_url"]), options)?;
        let options = match base_url {
            Some(url) => options.base_url(url).map_err(|error| errors::exception(py, &error))?,
            None => options,
        };
        let opened =
            py.detach(|| Book::open(batch::open(&source).map_err(ContainerError::Read)?, limits));
        let book = opened.map_err(|error| raised(&source, error))?;
        let documents = book.documents().to_vec();
        Ok(Self { book: Mutex::new(Some(book)), documents, path: source, options })
    }

    /// The names of the documents whose links are read, in the order of the ZIP file.
    #[getter]
    fn documents(&self) -> Vec<&str> {
        self.documents.iter().map(|document| &*document.name).collect()
    }

    /// The bytes of a file of the book.
    ///
    /// Raises `Error` for one that is not in the book, damaged or larger than `max_input`.
    fn read<'py>(&self, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let (py, name) = (name.py(), text("name", name)?);
        Ok(PyBytes::new(py, &py.detach(|| self.bytes(name))?))
    }

    /// Close the file of the book, which `with` does too. Reading raises `ValueError` then.
    fn close(&self) {
        self.book.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.documents())?.try_iter()
    }

    /// List the links of a document, in their order, as `Link` objects.
    ///
    /// Raises `KeyError` for a name that is not one of `documents`, and `Error` for a document that
    /// cannot be read, such as XML that is not well-formed.
    fn links<'py>(&self, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, name) = (name.py(), text("name", name)?);
        let document = self.documents.iter().find(|document| document.name == name);
        let document = document.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let source = py.detach(|| self.bytes(name))?;
        let listed = py.detach(|| {
            catch(|| LinkList::read(&source, Unit::Byte, &document.rewriter(&self.options)?))
        });
        let place = format!("{}!{name}", self.path.display());
        let list = listed.map_err(|failure| failure.exception(py, &place, Unit::Byte))?;
        list.objects(py)
    }
}

impl EpubReader {
    fn bytes(&self, name: &str) -> PyResult<Vec<u8>> {
        let mut book = self.book.lock().unwrap_or_else(PoisonError::into_inner);
        let book = book.as_mut().ok_or_else(|| PyValueError::new_err("the reader is closed"))?;
        book.read(name).map_err(|error| raised(&self.path, error))
    }
}

fn raised(path: &std::path::Path, error: ContainerError) -> PyErr {
    match error {
        ContainerError::Read(error) => os_error(path, &error),
        error => {
            let message = in_python(&error.to_string(), |_| false);
            Error::new_err(format!("{}: {message}", path.display()))
        }
    }
}
