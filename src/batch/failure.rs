//! Why a file failed.

use std::fmt;
use std::io;
use std::path::Path;

use crate::error::Error;

/// Why a file failed: the operation, the problem and what to do.
///
/// The message has no path; the caller prints it in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    message: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    pub(crate) fn read(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            // The error names the limit and what to do.
            return Self::new(error.to_string());
        }
        let advice = match error.kind() {
            io::ErrorKind::PermissionDenied => "make it readable",
            io::ErrorKind::NotFound => "give the path of an existing file or folder",
            _ => "it was left as it was",
        };
        Self::new(format!("cannot read: {}; {advice}", reason(error)))
    }

    pub(super) fn flush(error: &io::Error) -> Self {
        let reason = reason(error);
        Self::new(format!(
            "cannot flush a folder: {reason}; the files are rewritten, and a crash may undo that"
        ))
    }

    pub(super) fn write(error: &io::Error) -> Self {
        Self::write_as("cannot write", error)
    }

    /// Like [`Self::write`], for a file with another path than the item's.
    pub(super) fn write_to(path: &Path, error: &io::Error) -> Self {
        Self::write_as(&format!("cannot write {}", path.display()), error)
    }

    fn write_as(what: &str, error: &io::Error) -> Self {
        let advice = match error.kind() {
            io::ErrorKind::PermissionDenied => "make it and its folder writable, or write to -o",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "make room and run again; it was left as it was"
            }
            _ => "it was left as it was",
        };
        Self::new(format!("{what}: {}; {advice}", reason(error)))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The text of an error, without the error number of the operating system.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
