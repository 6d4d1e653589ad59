//! Reads web archives as streams, in batches of Arrow.
//!
//! A source is a path or a file object of Python; [`tables`] makes the rows of its records.

mod tables;

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use absolve::Rewriter;
use absolve_archive::warc::{ArchiveLimits, Reader, RecordSelection};
use absolve_archive::{ByteRange, ContainerError, Format, Source, StoredArchive};
use absolve_cli::args::LinksArgs;
use absolve_cli::args::functions::READER;
use absolve_cli::session::inputs::Input;
use arrow_array::StructArray;
use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use tables::{LinkRows, LinkTable, PageRows, Rows};

use crate::arguments::parse;
use crate::columns::{Array, BATCH_BYTES, Selection};
use crate::errors::{self, Error, Interrupt, catch_panic, from_io, message_for_python, os_error};
use crate::options::{base_url, max_bytes, read_texts, refuse_empty, try_path, wrong_type};
use crate::progress::Signals;

/// Adds the class to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<WarcReader>()
}

#[doc = signature!("WarcReader(source, base_url=None", archive)]
/// Reads the documents of a web archive in batches, in memory that does not depend on its size.
///
/// `source` is a path or a file object of bytes, and `base_url` the base URL of records that have
/// none. Of a `.wacz`, which has to be a path, each archive is read.
/// The options are those of `absolve links` for documents and for the records of archives,
/// such as `standard` and `max_record`.
///
/// >>> import io, pyarrow
/// >>> record = (b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n"
/// ...           b"WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n")
/// >>> with WarcReader(io.BytesIO(record)) as archive:
/// ...     for batch in archive.links():
/// ...         print(pyarrow.table(batch)["url"].to_pylist())
/// ['http://h/a/b']
///
/// Raises `OSError` for an archive that cannot be read, and the exceptions of the file object;
/// after one, the archive has to be opened again. A record whose document cannot be read is a row
/// with an `error`; one that exceeds `max_record` has no URL.
#[pyclass(frozen, module = "absolve")]
pub(super) struct WarcReader {
    /// The state of reading; `None` after `close`.
    state: Mutex<Option<State>>,
    /// The thread that reads. Its file object and signal handlers may call methods again.
    owner: Mutex<Option<ThreadId>>,
    /// The file object, which the garbage collector must find while another thread has the state.
    /// Only attached threads lock it.
    file: Mutex<Option<Arc<Py<PyAny>>>>,
    name: PathBuf,
    rewriter: Rewriter,
}

/// The state of reading, which all methods share.
struct State {
    archives: Archives,
    /// The archive that is being read.
    archive: Option<Reader<Source<'static>>>,
    limits: ArchiveLimits,
    selection: RecordSelection,
    /// Links that were read and are not returned yet.
    links: VecDeque<LinkTable>,
    /// The error that ended reading; the rows before it are returned first.
    failure: Option<io::Error>,
    /// The error that was raised. Reading cannot go on after it.
    last_error: Option<String>,
}

#[pymethods]
impl WarcReader {
    #[new]
    #[pyo3(signature = (source, base_url=None, **options), text_signature = None)]
    fn new(
        source: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = source.py();
        let base_url = base_url.map(|url| format!("--base-url={url}").into());
        let args: LinksArgs = parse(&READER, py, options, base_url.into_iter().collect(), &[])?;
        let origins = args.document.options.check().and_then(|()| args.base.origins());
        let origins = origins.map_err(|why| Error::new_err(message_for_python(why)))?;
        let rewriter = args.document.rewriter(&args.base);
        let rewriter = Input::rewriter_of_archive(rewriter, &origins);
        let mut archives = Archives::open(source)?;
        let file = Mutex::new(archives.file.take());
        let name = archives.name.clone();
        let state = State {
            archives,
            archive: None,
            limits: args.document.limits.archives,
            selection: args.records.selection(),
            links: VecDeque::new(),
            failure: None,
            last_error: None,
        };
        let state = Mutex::new(Some(state));
        Ok(Self { state, owner: Mutex::new(None), file, name, rewriter })
    }

    /// Read the next documents; `None` at the end.
    ///
    /// A batch has a row a document: `url`, `date` as in `WARC-Date`, the `status` of the HTTP
    /// response, `mime` as its `Content-Type` says, `html` without transfer and content encodings,
    /// `headers` with names in lower case and repeated ones joined by commas, the `offset` of the
    /// record in the archive (or in the `.wacz`) and, for a gzip member of several, `within` that,
    /// and `error`. It ends
    /// with the document that makes its documents `max_bytes`, 16 MiB unless given. Style sheets
    /// have no rows.
    #[pyo3(signature = (max_bytes=BATCH_BYTES))]
    fn read_pages(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = max_bytes)] max_bytes: usize,
    ) -> PyResult<Option<Array>> {
        self.read(py, |state| {
            let rows = self.load(state, PageRows::new(max_bytes), max_bytes)?;
            Ok(if rows.is_empty() { None } else { Some(rows.into_array()?) })
        })
    }

    /// Read the links of the next documents; `None` at the end.
    ///
    /// A batch has a row a link: `page`, the URL of its document, `offset` and `within` as in
    /// `read_pages`, and the columns of `links_array`, which `columns` chooses. A link of a style
    /// sheet has no `element` and no `attribute`. A document that fails has a row with its `error`
    /// alone.
    ///
    /// All methods share one position: the next documents are those that none of them has read.
    /// Links of more than 16 MiB are read together, and returned in several batches by `read_links`
    /// alone: other `columns` than those of the call before hold from the next document that is not
    /// listed yet.
    #[pyo3(signature = (max_bytes=BATCH_BYTES, *, columns=None))]
    fn read_links(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = max_bytes)] max_bytes: usize,
        columns: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Array>> {
        let columns = Selection::new(columns)?;
        self.read(py, |state| {
            loop {
                if let Some(table) = state.links.pop_front() {
                    let Some((array, rest)) = table.take_batch(&columns)? else { continue };
                    if let Some(rest) = rest {
                        state.links.push_front(rest);
                    }
                    return Ok(Some(array));
                }
                let rows = self.load(state, LinkRows::new(&columns), max_bytes)?;
                if rows.is_empty() {
                    return Ok(None);
                }
                state.links = rows.into_tables();
            }
        })
    }

    /// Iterate over the batches that `read_pages` returns.
    #[pyo3(signature = (max_bytes=BATCH_BYTES))]
    fn pages<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = max_bytes)] max_bytes: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        iterate_batches(slf.getattr("read_pages")?, max_bytes, &PyDict::new(slf.py()))
    }

    /// Iterate over the batches that `read_links` returns.
    #[pyo3(signature = (max_bytes=BATCH_BYTES, *, columns=None))]
    fn links<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = max_bytes)] max_bytes: usize,
        columns: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // An iterator of names would be empty after the first batch.
        let columns = columns.map(|names| PyTuple::new(slf.py(), read_texts("columns", names)?));
        let options = [("columns", columns.transpose()?)].into_py_dict(slf.py())?;
        iterate_batches(slf.getattr("read_links")?, max_bytes, &options)
    }

    /// Close the archive, which `with` does too. Reading raises `ValueError` then.
    ///
    /// A file object of the caller stays open. While a call reads, its file object and the handlers
    /// of signals in its thread get `RuntimeError` from this and from every other method.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        drop(self.with_state(py, Option::take)?);
        self.release();
        Ok(())
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.file.try_lock().map_or(Ok(()), |file| visit.call(file.as_deref()))
    }

    fn __clear__(&self) {
        // Nothing refers to the reader, so no thread uses it.
        drop(self.state.try_lock().ok().and_then(|mut state| state.take()));
        self.release();
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, py: Python<'_>, _error: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }
}

/// Iterates over the results of a method, up to the first `None`.
fn iterate_batches<'py>(
    read: Bound<'py, PyAny>,
    max_bytes: usize,
    options: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = read.py();
    let read = py.import("functools")?.call_method("partial", (read, max_bytes), Some(options))?;
    py.import("builtins")?.call_method1("iter", (read, py.None()))
}

impl WarcReader {
    /// Releases the file object.
    fn release(&self) {
        let _file = self.file.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Runs `work` on the state, detached from the interpreter. A thread must not wait for the
    /// state while attached: the thread that has it attaches to call the file object.
    fn with_state<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<State>) -> T + Send,
    ) -> PyResult<T> {
        let current = Some(thread::current().id());
        let owner = || self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        if *owner() == current {
            return Err(PyRuntimeError::new_err("reentrant call inside a WarcReader"));
        }
        Ok(py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            *owner() = current;
            let result = work(&mut state);
            *owner() = None;
            result
        }))
    }

    /// Runs `work`, and raises its error.
    fn read(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut State) -> io::Result<Option<StructArray>> + Send,
    ) -> PyResult<Option<Array>> {
        py.check_signals()?;
        let read = self.with_state(py, |state| {
            let state =
                state.as_mut().ok_or_else(|| PyValueError::new_err("the reader is closed"))?;
            let read = catch_panic(|| work(state))
                .unwrap_or_else(|panic| Err(errors::panic_exception(&self.name, &panic).into()));
            if let Err(error) = &read {
                state.last_error.get_or_insert_with(|| error.to_string());
            }
            read
        })?;
        let array = read.map_err(|error| from_io(error, |error| os_error(&self.name, error)))?;
        Ok(array.map(Array))
    }

    /// Reads the rows of the next documents. An error after the first row is deferred, so the rows
    /// are returned before it.
    fn load<T: Rows>(&self, state: &mut State, mut rows: T, max_bytes: usize) -> io::Result<T> {
        match self.fill(state, &mut rows, max_bytes) {
            Err(error) if rows.is_empty() || is_interrupt(&error) => return Err(error),
            Err(error) => state.failure = Some(error),
            Ok(()) => {}
        }
        Ok(rows)
    }

    /// Reads documents up to `max_bytes`, or to the end.
    fn fill<T: Rows>(&self, state: &mut State, rows: &mut T, max_bytes: usize) -> io::Result<()> {
        if let Some(error) = state.failure.take() {
            return Err(error);
        }
        if let Some(why) = &state.last_error {
            let problem = format!("reading failed before: {why}; open the archive again");
            return Err(Error::new_err(problem).into());
        }
        while rows.is_empty() || rows.size() < max_bytes {
            if state.archive.is_none() {
                let next = state.archives.next()?.map(|next| next.limits(state.limits));
                state.archive = next.map(|next| next.select(state.selection.clone()));
            }
            let Some(archive) = &mut state.archive else { break };
            let next = archive.next_pages(|result| {
                match result {
                    Ok(page) => rows.add_page(&page, &self.rewriter),
                    Err(entry) => rows.add_failure(&entry, &message_for_python(&entry.problem)),
                }
                ControlFlow::Continue(())
            });
            match next {
                Some(next) => drop(next?),
                None => state.archive = None,
            }
        }
        Ok(())
    }
}

/// Whether an error comes from a signal handler, or is an exception that ends the program, such as
/// `KeyboardInterrupt`. Such an error is not deferred.
fn is_interrupt(error: &io::Error) -> bool {
    let Some(error) = error.get_ref() else { return false };
    let is_exit = |raised: &PyErr| Python::attach(|py| !raised.is_instance_of::<PyException>(py));
    error.is::<Interrupt>() || error.downcast_ref::<PyErr>().is_some_and(is_exit)
}

/// A file object of bytes; its exceptions are the errors of reading.
pub(super) struct FileObject(Arc<Py<PyAny>>);

/// A source that checks for signals while it is read, since filters may match nothing for a long
/// time.
struct Interruptible<R>(R, Signals);

fn make_source(file: impl Read + Seek + Send + 'static, is_seekable: bool) -> Source<'static> {
    let file = Box::new(Interruptible(file, Signals::new()));
    if is_seekable { Source::Seekable(file) } else { Source::Stream(file) }
}

/// The archives of a source, one after another.
pub(super) struct Archives {
    /// The path for messages.
    pub(super) name: PathBuf,
    next: Option<Source<'static>>,
    /// The archives in a WACZ archive, which follow.
    stored: VecDeque<StoredArchive>,
    /// The file object that is read.
    pub(super) file: Option<Arc<Py<PyAny>>>,
}

impl Archives {
    /// Opens a path or a file object.
    pub(super) fn open(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.hasattr("read")? {
            let name = object.getattr("name").and_then(|name| name.extract());
            let name = name.unwrap_or_else(|_| PathBuf::from("archive"));
            let file = Arc::new(object.clone().unbind());
            let is_seekable = object.call_method0("seekable").and_then(|yes| yes.is_truthy());
            let archive = make_source(FileObject(Arc::clone(&file)), is_seekable.unwrap_or(false));
            return Ok(Self { file: Some(file), ..Self::new(name, Some(archive)) });
        }
        let wrong = || wrong_type("source", "a path or a file object", object);
        let path = refuse_empty("source", try_path(object)?.ok_or_else(wrong)?)?;
        if Format::from_name(&path).needs_file() {
            return Self::open_wacz(object.py(), path);
        }
        let opened = object.py().detach(|| {
            let file = absolve_files::open(&path)?;
            let is_file = file.metadata()?.is_file();
            Ok(make_source(file, is_file))
        });
        let archive = opened.map_err(|error: io::Error| os_error(&path, &error))?;
        Ok(Self::new(path, Some(archive)))
    }

    fn new(name: PathBuf, next: Option<Source<'static>>) -> Self {
        Self { name, next, stored: VecDeque::new(), file: None }
    }

    fn open_wacz(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| {
            let file = absolve_files::open(&path).map_err(ContainerError::Read)?;
            Format::from_name(&path).archives_inside(file)
        });
        let stored = opened.map_err(|error| match error {
            ContainerError::Read(error) => os_error(&path, &error),
            error => Error::new_err(format!("{}: {error}", path.display())),
        })?;
        Ok(Self { stored: stored.into(), ..Self::new(path, None) })
    }

    /// Returns the next archive. Positions in a stored archive are those in the WACZ archive.
    pub(super) fn next(&mut self) -> io::Result<Option<Reader<Source<'static>>>> {
        if let Some(next) = self.next.take() {
            return Ok(Some(next.reader()));
        }
        let Some(StoredArchive { bytes, .. }) = self.stored.pop_front() else { return Ok(None) };
        let start = bytes.start;
        let range = absolve_files::open(&self.name).and_then(|file| ByteRange::new(file, bytes))?;
        Ok(Some(make_source(range, true).reader().start_at(start)))
    }
}

impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1.check().map_err(|error| io::Error::other(Interrupt(error)))?;
        self.0.read(buffer)
    }
}

impl<R: Seek> Seek for Interruptible<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
            let bytes = read.cast::<PyBytes>().map_err(|_| {
                PyTypeError::new_err("the file object must read bytes; open it in binary mode")
            })?;
            let bytes = bytes.as_bytes();
            let Some(target) = buffer.get_mut(..bytes.len()) else {
                return Err(PyTypeError::new_err(
                    "read(n) of the file object returned more than n bytes",
                ));
            };
            target.copy_from_slice(bytes);
            Ok(bytes.len())
        });
        // The wrapper hides `InterruptedError`, after which readers would try again.
        read.map_err(io::Error::other)
    }
}

impl Seek for FileObject {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match to {
            SeekFrom::Start(offset) => (i64::try_from(offset).unwrap_or(i64::MAX), 0),
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        let position = Python::attach(|py| {
            self.0.bind(py).call_method1("seek", (offset, whence))?.extract::<u64>()
        });
        Ok(position?)
    }
}
