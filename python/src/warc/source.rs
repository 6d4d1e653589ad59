//! What an archive is read from and written to: a file, or a file object of Python.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use absolve::batch;
use absolve::container::wacz::Wacz;
use absolve::container::warc::Reader;
use absolve::container::{ByteRange, ContainerError, Format, Source, StoredArchive};
use pyo3::exceptions::{PyBlockingIOError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::Error;
use crate::files::os_error;
use crate::options::{as_path, wrong_type};

/// A file object of Python, of bytes. Its exceptions are the errors of reading and writing.
pub(super) struct FileObject(Py<PyAny>);

/// The archives of a source, one after the other.
pub(super) struct Archives {
    /// The path in messages.
    pub(super) name: PathBuf,
    next: Option<Source<'static>>,
    /// The archives in a WACZ archive after that.
    stored: VecDeque<StoredArchive>,
}

impl Archives {
    pub(super) fn open(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        if source.hasattr("read")? {
            let name = source.getattr("name").and_then(|name| name.extract());
            let name = name.unwrap_or_else(|_| PathBuf::from("archive"));
            let file = Box::new(FileObject(source.clone().unbind()));
            let is_seekable = source.call_method0("seekable").and_then(|yes| yes.is_truthy());
            let is_seekable = is_seekable.unwrap_or(false);
            let archive = if is_seekable { Source::Seekable(file) } else { Source::Stream(file) };
            return Ok(Self { name, next: Some(archive), stored: VecDeque::new() });
        }
        let wrong = || wrong_type("source", "a path or a file object", source);
        let path = as_path(source)?.ok_or_else(wrong)?;
        if Format::of_name(&path) == Format::Wacz {
            return Self::in_wacz(source.py(), path);
        }
        let opened = source.py().detach(|| {
            let file = batch::open(&path)?;
            let (is_file, file) = (file.metadata()?.is_file(), Box::new(file));
            Ok(if is_file { Source::Seekable(file) } else { Source::Stream(file) })
        });
        let archive = opened.map_err(|error: io::Error| os_error(&path, &error))?;
        Ok(Self { name: path, next: Some(archive), stored: VecDeque::new() })
    }

    fn in_wacz(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| {
            let file = batch::open(&path).map_err(ContainerError::Read)?;
            Wacz::open(file)?.archives()
        });
        let stored = opened.map_err(|error| match error {
            ContainerError::Read(error) => os_error(&path, &error),
            error => Error::new_err(format!("{}: {error}", path.display())),
        })?;
        Ok(Self { name: path, next: None, stored: stored.into() })
    }

    /// The next archive. One in a WACZ archive has the positions in that.
    pub(super) fn next(&mut self) -> io::Result<Option<Reader<Source<'static>>>> {
        if let Some(next) = self.next.take() {
            return Ok(Some(next.reader()));
        }
        let Some(StoredArchive { bytes, .. }) = self.stored.pop_front() else { return Ok(None) };
        let start = bytes.start;
        let range = batch::open(&self.name).and_then(|file| ByteRange::new(file, bytes))?;
        Ok(Some(Source::Seekable(Box::new(range)).reader().start_at(start)))
    }

    /// The only archive; fails for a WACZ archive.
    pub(super) fn only(mut self) -> PyResult<(Source<'static>, PathBuf)> {
        self.next.take().map(|archive| (archive, self.name.clone())).ok_or_else(|| {
            let what = "a WACZ archive is written to a path; use rewrite_warc()";
            Error::new_err(format!("{}: {what}", self.name.display()))
        })
    }
}

impl FileObject {
    /// A file object that bytes are written to.
    pub(super) fn writable(destination: &Bound<'_, PyAny>) -> PyResult<Self> {
        if destination.hasattr("write")? {
            return Ok(Self(destination.clone().unbind()));
        }
        Err(wrong_type("destination", "a file object", destination))
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
                return Err(PyTypeError::new_err("the file object read more than it was to"));
            };
            into.copy_from_slice(bytes);
            Ok(bytes.len())
        });
        Ok(read?)
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

impl Write for FileObject {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = Python::attach(|py| {
            let written = self.0.bind(py).call_method1("write", (PyBytes::new(py, bytes),))?;
            if written.is_none() {
                // `io.RawIOBase.write` in non-blocking mode, where nothing was written.
                let what = "the file object wrote nothing: its write() returned None";
                return Err(PyBlockingIOError::new_err(what));
            }
            let written = written.extract::<usize>()?;
            if written > bytes.len() {
                let what = format!("the file object wrote {written} bytes of {}", bytes.len());
                return Err(PyValueError::new_err(what));
            }
            Ok(written)
        });
        Ok(written?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
