//! The end of a command: its exit code, its failure, or a panic, which is a bug.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{io, panic};

use absolve::url::masked;
use absolve::{Diagnosis, HasAdvice};
use absolve_archive::ContainerError;
use absolve_files::PreflightError;

use crate::terminal::{Messages, printable_path};

pub use absolve_files::reason;

/// The outcome of a command without a failure.
pub enum Status {
    /// 0: success.
    Done,
    /// 1: findings, or documents that would change.
    Found,
    /// 2: some files failed, each with a message; the others succeeded.
    Failed,
    /// 128 + n: ended by signal n.
    Signal(u8),
}

impl Status {
    /// Creates the status of a run. `has_findings` includes documents that would change.
    pub fn new(has_failed: bool, has_findings: bool) -> Self {
        match (has_failed, has_findings) {
            (true, _) => Self::Failed,
            (false, true) => Self::Found,
            (false, false) => Self::Done,
        }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
            Self::Failed => 2,
            Self::Signal(number) => 128 + number,
        }
    }
}

/// The reason why a command stopped before its end.
pub enum Failure {
    /// The reader of stdout closed it, which is not an error.
    ClosedPipe,
    /// A message that names the file, the problem and what to do.
    Message(Diagnosis),
    /// A message with a cause, which selects the exception of Python.
    Caused(Diagnosis, Cause),
}

/// The cause of a failure.
pub enum Cause {
    /// A file cannot be read or written.
    File(PathBuf, io::Error),
    /// The library refused a document or an option.
    Document(Box<absolve::Error>),
    /// A check failed before the first file was written.
    Preflight(io::ErrorKind),
}

impl Failure {
    /// Creates a failure without the name of a file.
    pub fn message(problem: impl HasAdvice) -> Self {
        Self::Message(Diagnosis::new(problem))
    }

    /// Creates a failure of the file with this name.
    pub fn new(name: &str, problem: impl HasAdvice) -> Self {
        Self::Message(Diagnosis::of(name, problem))
    }

    /// Creates a failure of a whole document.
    pub fn from_document(name: &str, error: absolve::Error) -> Self {
        Self::Caused(Diagnosis::of(name, &error), Cause::Document(error.into()))
    }

    /// Creates a failure to read or write the file at `path`, which the message calls `name`.
    pub fn from_file(name: &str, problem: impl HasAdvice, path: &Path, error: io::Error) -> Self {
        Self::Caused(Diagnosis::of(name, problem), Cause::File(path.to_owned(), error))
    }

    /// Creates a failure to write a file; `state` says what was written.
    pub fn unwritten(path: &Path, error: io::Error, state: &str) -> Self {
        let problem = format!("cannot write: {}; {state}", reason(&error));
        Self::from_file(&printable_path(path), problem, path, error)
    }

    /// Creates a failure to read a file, with the advice of [`Failure::unreadable`].
    pub fn unreadable_file(path: &Path, error: io::Error) -> Self {
        match Self::unreadable(&printable_path(path), &error) {
            Self::Message(message) => Self::Caused(message, Cause::File(path.to_owned(), error)),
            other => other,
        }
    }

    /// Creates a failure to read an input that the command needs.
    pub fn unreadable(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            // The error names the limit and what to do.
            return Self::new(name, error);
        }
        let advice = match error.kind() {
            io::ErrorKind::NotFound => "; give the path of a file or a folder, or - for stdin",
            io::ErrorKind::PermissionDenied => "; make it readable",
            // The error describes the content.
            io::ErrorKind::InvalidData => "",
            _ => "; give another path",
        };
        // The name may be a URL with a password.
        Self::new(&masked(name), format_args!("cannot read: {}{advice}", reason(error)))
    }

    /// Creates a failure to read a container.
    pub fn from_container(name: &str, error: ContainerError) -> Self {
        match error {
            ContainerError::Read(error) => Self::unreadable(name, &error),
            error => Self::new(name, error),
        }
    }

    /// Creates a failure to write to stdout.
    pub fn output(error: io::Error) -> Self {
        // An error with a source comes from a file object of Python.
        if error.kind() == io::ErrorKind::BrokenPipe && error.get_ref().is_none() {
            return Self::ClosedPipe;
        }
        let problem = format!("cannot write: {}", reason(&error));
        Self::from_file("stdout", problem, Path::new("stdout"), error)
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
    fn from(problem: Diagnosis) -> Self {
        Self::Message(problem)
    }
}

/// The message and the location of the last panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Records each panic instead of printing it.
///
/// Panics of the HTML parser become errors of their documents; [`report_panic`] prints any other.
pub fn record_panics() {
    panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
}

/// Prints the last panic, and returns the exit code.
pub fn report_panic() -> u8 {
    let panic = LAST_PANIC.lock().map_or(String::new(), |panic| panic.replace('\n', " "));
    Messages::error(format_args!("a bug stopped it, please report it: {panic}"));
    2
}
