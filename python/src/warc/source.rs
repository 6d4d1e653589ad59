//! The source of an archive: a file, or a file object of Python.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use absolve_archive::warc::Reader;
use absolve_archive::{ByteRange, ContainerError, Format, Source, StoredArchive};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Error, Interrupt, os_error};
use crate::options::{as_path, not_empty, wrong_type};
use crate::progress::Signals;

/// A file object of Python, of bytes. Its exceptions are the errors of reading.
pub(super) struct FileObject(Arc<Py<PyAny>>);

/// A source that looks for signals while it is read: filters may match nothing for a long time.
struct Interruptible<R>(R, Signals);

fn source(file: impl Read + Seek + Send + 'static, is_seekable: bool) -> Source<'static> {
    let file = Box::new(Interruptible(file, Signals::new()));
    if is_seekable { Source::Seekable(file) } else { Source::Stream(file) }
}

/// The archives of a source, one after the other.
pub(super) struct Archives {
    /// The path in messages.
    pub(super) name: PathBuf,
    next: Option<Source<'static>>,
    /// The archives in a WACZ archive after that.
    stored: VecDeque<StoredArchive>,
    /// The file object that is read.
    pub(super) file: Option<Arc<Py<PyAny>>>,
}

impl Archives {
    pub(super) fn open(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.hasattr("read")? {
            let name = object.getattr("name").and_then(|name| name.extract());
            let name = name.unwrap_or_else(|_| PathBuf::from("archive"));
            let file = Arc::new(object.clone().unbind());
            let is_seekable = object.call_method0("seekable").and_then(|yes| yes.is_truthy());
            let archive = source(FileObject(Arc::clone(&file)), is_seekable.unwrap_or(false));
            return Ok(Self { file: Some(file), ..Self::of_path(name, Some(archive)) });
        }
        let wrong = || wrong_type("source", "a path or a file object", object);
        let path = not_empty("source", as_path(object)?.ok_or_else(wrong)?)?;
        if Format::from_name(&path).needs_file() {
            return Self::with_archives(object.py(), path);
        }
        let opened = object.py().detach(|| {
            let file = absolve_files::open(&path)?;
            let is_file = file.metadata()?.is_file();
            Ok(source(file, is_file))
        });
        let archive = opened.map_err(|error: io::Error| os_error(&path, &error))?;
        Ok(Self::of_path(path, Some(archive)))
    }

    fn of_path(name: PathBuf, next: Option<Source<'static>>) -> Self {
        Self { name, next, stored: VecDeque::new(), file: None }
    }

    fn with_archives(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| {
            let file = absolve_files::open(&path).map_err(ContainerError::Read)?;
            Format::from_name(&path).archives_inside(file)
        });
        let stored = opened.map_err(|error| match error {
            ContainerError::Read(error) => os_error(&path, &error),
            error => Error::new_err(format!("{}: {error}", path.display())),
        })?;
        Ok(Self { stored: stored.into(), ..Self::of_path(path, None) })
    }

    /// The next archive. One in a WACZ archive has the positions in that.
    pub(super) fn next(&mut self) -> io::Result<Option<Reader<Source<'static>>>> {
        if let Some(next) = self.next.take() {
            return Ok(Some(next.reader()));
        }
        let Some(StoredArchive { bytes, .. }) = self.stored.pop_front() else { return Ok(None) };
        let start = bytes.start;
        let range = absolve_files::open(&self.name).and_then(|file| ByteRange::new(file, bytes))?;
        Ok(Some(source(range, true).reader().start_at(start)))
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
            let Some(into) = buffer.get_mut(..bytes.len()) else {
                return Err(PyTypeError::new_err(
                    "read(n) of the file object returned more than n bytes",
                ));
            };
            into.copy_from_slice(bytes);
            Ok(bytes.len())
        });
        // Readers try again after an error of the kind that `InterruptedError` has.
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
