//! How a command ends: its exit code, a failure, or a panic, which is a bug.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{io, panic};

use absolve::url::masked;
use absolve::{Diagnosis, HasAdvice};
use absolve_archive::ContainerError;
use absolve_files::PreflightError;

use crate::terminal::{Messages, printable_path};

pub use absolve_files::reason;

/// The outcome of a command that ran to its end.
pub enum Status {
    /// 0: all is done.
    Done,
    /// 1: findings, or documents that would change.
    Found,
    /// 2: some files failed, each with a message; the others are done.
    Failed,
    /// 128 + n: signal n ended it.
    Signal(u8),
}

impl Status {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
            Self::Failed => 2,
            Self::Signal(number) => 128 + number,
        }
    }
}

/// Why a command stopped before its end.
pub enum Failure {
    /// The reader of stdout closed it, which is no error.
    ClosedPipe,
    /// The file, the problem and what to do.
    Message(Diagnosis),
    /// The same, with a cause that programs tell apart.
    Caused(Diagnosis, Cause),
}

/// The cause of a failure, which the Python package makes an exception of.
pub enum Cause {
    /// A file cannot be read or written.
    File(PathBuf, io::Error),
    /// A document or an option of the library.
    Document(Box<absolve::Error>),
    /// A check before the first file is written.
    Preflight(io::ErrorKind),
}

impl Failure {
    /// A failure of the whole command.
    pub fn message(what: impl HasAdvice) -> Self {
        Self::Message(Diagnosis::new(what))
    }

    /// A failure of one file.
    pub fn new(name: &str, what: impl HasAdvice) -> Self {
        Self::Message(Diagnosis::of(name, what))
    }

    /// A document that fails as a whole.
    pub fn from_document(name: &str, error: absolve::Error) -> Self {
        Self::Caused(Diagnosis::of(name, &error), Cause::Document(error.into()))
    }

    /// A failure to read or write a file, with this name and problem.
    pub fn from_file(name: &str, what: impl HasAdvice, path: &Path, error: io::Error) -> Self {
        Self::Caused(Diagnosis::of(name, what), Cause::File(path.to_owned(), error))
    }

    /// A file that cannot be written; `state` says what was written.
    pub fn unwritten(path: &Path, error: io::Error, state: &str) -> Self {
        let what = format!("cannot write: {}; {state}", reason(&error));
        Self::from_file(&printable_path(path), what, path, error)
    }

    /// A failure to read the file at a path, as [`Failure::unreadable`].
    pub fn unreadable_file(path: &Path, error: io::Error) -> Self {
        match Self::unreadable(&printable_path(path), &error) {
            Self::Message(message) => Self::Caused(message, Cause::File(path.to_owned(), error)),
            other => other,
        }
    }

    /// A failure to read an input without which the command fails.
    pub fn unreadable(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            // The error names the limit and what to do.
            return Self::new(name, error);
        }
        let advice = match error.kind() {
            io::ErrorKind::NotFound => "; give the path of a file or a folder, or - for stdin",
            io::ErrorKind::PermissionDenied => "; make it readable",
            // The error says what its content is.
            io::ErrorKind::InvalidData => "",
            _ => "; give another path",
        };
        // A URL may be given in place of a path.
        Self::new(&masked(name), format_args!("cannot read: {}{advice}", reason(error)))
    }

    /// A failure to read a container of this name.
    pub fn from_container(name: &str, error: ContainerError) -> Self {
        match error {
            ContainerError::Read(error) => Self::unreadable(name, &error),
            error => Self::new(name, error),
        }
    }

    /// A failure to write to stdout.
    pub fn output(error: io::Error) -> Self {
        // An error with a source is that of a file object of Python.
        if error.kind() == io::ErrorKind::BrokenPipe && error.get_ref().is_none() {
            return Self::ClosedPipe;
        }
        let what = format!("cannot write: {}", reason(&error));
        Self::from_file("stdout", what, Path::new("stdout"), error)
    }

    /// Prints the message, and returns the exit code.
    pub fn report(self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Message(message) | Self::Caused(message, _) => {
                Messages::error(message);
                2
            }
        }
    }
}

impl From<PreflightError> for Failure {
    fn from(error: PreflightError) -> Self {
        let message = Diagnosis::of(printable_path(error.path()), error.message());
        Self::Caused(message, Cause::Preflight(error.kind()))
    }
}

impl From<Diagnosis> for Failure {
    fn from(what: Diagnosis) -> Self {
        Self::Message(what)
    }
}

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Records each panic instead of printing it.
///
/// Panics of the HTML parser become errors of their documents; [`report_panic`] reports any other.
pub fn record_panics() {
    panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
}

/// Reports the last panic, and returns the exit code.
pub fn report_panic() -> u8 {
    let panic = LAST_PANIC.lock().map_or(String::new(), |panic| panic.replace('\n', " "));
    Messages::error(format_args!("a bug stopped it, please report it: {panic}"));
    2
}
