//! Rewrites an archive from one file object into another.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::source::{Archives, FileObject};
use crate::files::{RewriteResult, rewrite_stream};
use crate::options::base_url;

#[doc = signature!("rewrite_warc_stream(source, destination, base_url=None", warc)]
/// Make every link of the documents in a web archive absolute, from a stream into a stream.
///
/// `source` is a path or a file object of bytes, and `destination` a file object, which is written
/// from its beginning to its end and stays open. It is as incomplete as the run if that raises an
/// exception. The options, `base_url` and the result are those of `rewrite_warc`, without
/// `progress`, `cdxj` and `dry_run`.
///
/// >>> import io
/// >>> record = (b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n"
/// ...           b"WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n")
/// >>> new = io.BytesIO()
/// >>> rewrite_warc_stream(io.BytesIO(record), new).counts.rewritten
/// 1
/// >>> b"<a href=http://h/a/b>" in new.getvalue()
/// True
///
/// Raises what `rewrite_warc` raises, the exceptions of the file objects, and `BlockingIOError`
/// where `write` returns `None`.
#[pyfunction]
#[pyo3(signature = (source, destination, base_url=None, **options), text_signature = None)]
pub(super) fn rewrite_warc_stream(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    destination: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let (archive, name) = Archives::open(source)?.only()?;
    let output = FileObject::writable(destination)?;
    rewrite_stream(py, (archive, &name), output, base_url, options)
}
