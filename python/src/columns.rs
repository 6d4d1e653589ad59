//! Arrays of documents, by the [Arrow PyCapsule interface][spec].
//!
//! [`bridge`] imports and exports arrays, and has all `unsafe` code; [`documents`] reads the arrays
//! of a call, with the options of each document; [`batches`] divides their rows among threads and
//! joins the outputs in order; [`rewriting`] and [`links`] make the rows of documents, from
//! [`values`] in the memory of a [`pool`].
//!
//! [spec]: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html

mod array;
mod batches;
mod bridge;
mod documents;
mod links;
pub(crate) mod pool;
mod rewriting;
mod values;

use array::{ChunkedArray, export};
use documents::{Chunk, Documents, Rows};
use links::LinkBatches;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rewriting::RewrittenRows;

use crate::document::UrlSelection;
use crate::errors::{ArrayError, catch_panic};
use crate::options::{Function, external, max_bytes, unique};

pub(crate) use array::Array;
pub(crate) use documents::Document;
pub(crate) use links::{LinkColumns, LinkStream, Selection, TooLarge};
pub(crate) use values::{Texts, make_table};

/// Default size of a batch, in bytes.
pub(crate) const BATCH_BYTES: usize = 16 << 20;

/// Adds the functions and classes of arrays to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Array>()?;
    module.add_class::<ChunkedArray>()?;
    module.add_function(wrap_pyfunction!(rewrite_array, module)?)?;
    module.add_class::<LinkBatches>()?;
    module.add_function(wrap_pyfunction!(links_array, module)?)?;
    module.add_function(wrap_pyfunction!(urls_array, module)?)?;
    module.add_function(wrap_pyfunction!(links_batches, module)?)
}

#[doc = signature!("rewrite_array(documents, base_urls=None", * "threads=0", document)]
/// Make every link of an array of documents absolute.
///
/// `documents` is any object with the Arrow PyCapsule interface, such as an array of pyarrow, a
/// series of Polars or an array of nanoarrow, of strings or binaries of any layout. `base_urls` is
/// an array of as many strings, a `str` for all documents, or `None`. The work is done by
/// `threads` threads, 0 for one a core, without the interpreter.
///
/// The result has a struct a row, in the order of the documents:
///
/// - `document`, of the type of `documents`; a null stays null;
/// - `error`, a string; null where the document was rewritten. A document that fails stays as it
///   was;
/// - `links` and `rewritten`, the numbers of its links and of those that changed.
///
/// It is an `Array`, or a `ChunkedArray` of the same chunks where `documents` is a stream.
///
/// >>> import pyarrow
/// >>> pages = pyarrow.array(["<a href=x>", None])
/// >>> result = pyarrow.array(rewrite_array(pages, "http://h/"))
/// >>> result.field("document").to_pylist()
/// ['<a href=http://h/x>', None]
///
/// Raises `TypeError` for an object or a type of array that it does not take, `ValueError` for
/// arrays of different lengths, `EncodingError` for strings that are not valid UTF-8, and
/// `LimitError` where a chunk of type `string` or `binary` would exceed 2 GiB.
#[pyfunction]
#[pyo3(signature = (documents, base_urls=None, *, threads=None, **options), text_signature = None)]
fn rewrite_array<'py>(
    documents: &Bound<'py, PyAny>,
    base_urls: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    const PARAMETERS: &[&str] = &["documents", "base_urls", "threads"];
    let py = documents.py();
    let documents =
        Documents::new(Function("rewrite_array", PARAMETERS), documents, base_urls, options)?;
    make_rows(py, &documents, threads, || RewrittenRows::new(&documents.column.data_type))
}

#[doc = signature!("links_array(documents, base_urls=None", * "columns=None, threads=0", document)]
/// List the links of an array of documents, a row a link.
///
/// It takes what `rewrite_array` takes. The result has a struct a link, in the order of the
/// documents: `document`, the row of its document, `error`, and then
///
#[doc = keywords!(columns)]
///
/// Offsets count bytes of a binary, code points of a string. A document that fails has a row with
/// its `error` alone.
///
/// `columns` names the columns after `document` and `error`, in their order. What is not named is
/// not computed, and these are there only if they are, with at most 1,024 bytes of a text:
///
#[doc = keywords!(more_columns)]
///
/// >>> import pyarrow
/// >>> pages = pyarrow.array([b"<a href=x>", b"<a href=y><a href=z rel=nofollow>Z</a>"])
/// >>> table = pyarrow.table(links_array(pages, "http://h/"))
/// >>> table["document"].to_pylist(), table["reference"].to_pylist()
/// ([0, 1, 1], ['x', 'y', 'z'])
/// >>> table = pyarrow.table(links_array(pages, "http://h/", columns=["url", "text", "nofollow"]))
/// >>> table.to_pylist()[-1]
/// {'document': 1, 'error': None, 'url': 'http://h/z', 'text': 'Z', 'nofollow': True}
///
/// Raises what `rewrite_array` raises.
#[pyfunction]
#[pyo3(
    signature = (documents, base_urls=None, *, columns=None, threads=None, **options),
    text_signature = None
)]
fn links_array<'py>(
    documents: &Bound<'py, PyAny>,
    base_urls: Option<&Bound<'py, PyAny>>,
    columns: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    const PARAMETERS: &[&str] = &["documents", "base_urls", "columns", "threads"];
    let py = documents.py();
    let documents =
        Documents::new(Function("links_array", PARAMETERS), documents, base_urls, options)?;
    let columns = Selection::new(columns)?;
    make_rows(py, &documents, threads, || LinkColumns::new(&columns))
}

#[doc = signature!("urls_array(documents, base_urls=None", * "external=False, unique=False, threads=0", document)]
/// List the URLs of an array of documents, a row a document; faster than `links_array`.
///
/// It takes what `rewrite_array` takes. The result has a struct a row, in the order of the
/// documents: `urls`, a list of strings, as the function `urls` lists them; null where `documents`
/// has a null or the document fails; and `error`, a string.
///
/// >>> import pyarrow
/// >>> pages = pyarrow.array(["<a href=x><img src=y>", None])
/// >>> pyarrow.table(urls_array(pages, "http://h/"))["urls"].to_pylist()
/// [['http://h/x', 'http://h/y'], None]
///
/// Raises what `rewrite_array` raises.
#[pyfunction]
#[pyo3(
    signature = (
        documents, base_urls=None, *, external=false, unique=false, threads=None, **options
    ),
    text_signature = None
)]
fn urls_array<'py>(
    documents: &Bound<'py, PyAny>,
    base_urls: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = external)] external: bool,
    #[pyo3(from_py_with = unique)] unique: bool,
    threads: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    const PARAMETERS: &[&str] = &["documents", "base_urls", "external", "unique", "threads"];
    let py = documents.py();
    let documents =
        Documents::new(Function("urls_array", PARAMETERS), documents, base_urls, options)?;
    let columns = Selection::from_urls(UrlSelection { external, unique });
    make_rows(py, &documents, threads, || LinkColumns::new(&columns))
}

#[doc = signature!("links_batches(documents, base_urls=None", * "columns=None, max_bytes=16777216", document)]
/// List the links of an array of documents in batches, in memory that does not depend on their
/// number.
///
/// It takes what `links_array` takes, but `threads`. The result is an iterator of `Array`, with the
/// fields that `links_array` has: the links of the documents in their order, divided where a batch
/// has `max_bytes`, 16 MiB unless given. Another thread lists a batch while the last one is used.
///
/// >>> import pyarrow
/// >>> pages = pyarrow.array(["<a href=x><a href=y>", "<a href=z>"])
/// >>> batches = links_batches(pages, "http://h/", max_bytes=1)
/// >>> [pyarrow.table(batch)["document"].to_pylist() for batch in batches]
/// [[0], [0], [1]]
///
/// Raises what `links_array` raises.
#[pyfunction]
#[pyo3(
    signature = (documents, base_urls=None, *, columns=None, max_bytes=BATCH_BYTES, **options),
    text_signature = None
)]
fn links_batches(
    documents: &Bound<'_, PyAny>,
    base_urls: Option<&Bound<'_, PyAny>>,
    columns: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = max_bytes)] max_bytes: usize,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<LinkBatches> {
    const PARAMETERS: &[&str] = &["documents", "base_urls", "columns", "max_bytes"];
    let py = documents.py();
    let documents =
        Documents::new(Function("links_batches", PARAMETERS), documents, base_urls, options)?;
    let columns = LinkColumns::new(&Selection::new(columns)?);
    let stream = LinkStream::from_documents(documents, columns, max_bytes.max(1));
    Ok(LinkBatches { stream: stream.map_err(|error| error.exception(py))? })
}

/// Makes the rows of documents without the interpreter: an array for an array, chunks for a stream.
fn make_rows<'py, R: Rows>(
    py: Python<'py>,
    documents: &Documents,
    threads: Option<&Bound<'_, PyAny>>,
    new_rows: impl Fn() -> R + Send + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let (threads, column) = (batches::read_threads(threads)?, &documents.column);
    let work = || {
        let rows = batches::make_chunk_rows(threads, documents, &new_rows)?;
        let rows = rows.into_iter().zip(&column.chunks);
        let chunks =
            rows.map(|(rows, chunk)| rows.into_array(chunk)).collect::<Result<_, ArrayError>>()?;
        // The result of a stream without chunks has fields too.
        Ok((new_rows().into_array(&Chunk::empty(&column.data_type)?)?, chunks))
    };
    let result = py.detach(|| catch_panic(work)).map_err(ArrayError::Panic).flatten();
    let (empty, chunks): (_, Vec<_>) = result.map_err(|error| error.exception(py))?;
    export(py, column.is_stream, empty.fields(), chunks)
}
