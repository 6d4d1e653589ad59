//! Failures of files, in words for users.

use std::fmt;
use std::io;
use std::path::Path;

use absolve::{Advice, Diagnosis, Error, HasAdvice};

/// The failure of a file: the operation, the problem and what to do.
///
/// The message has no path; the caller prints it in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    message: Diagnosis,
    document: Option<Box<Error>>,
}

impl Failure {
    #[doc(hidden)]
    pub fn new(message: impl HasAdvice) -> Self {
        Self { message: Diagnosis::new(message), document: None }
    }

    /// Adds advice for the user.
    #[must_use]
    #[doc(hidden)]
    pub fn advising(self, advice: impl Into<Option<Advice>>) -> Self {
        Self { message: self.message.advising(advice), ..self }
    }

    /// Returns the error of the document, if the document is unusable: it reaches a limit, has an
    /// unusable base, or is malformed.
    #[must_use]
    pub fn document_error(&self) -> Option<&Error> {
        self.document.as_deref()
    }

    /// Creates the failure of reading a file.
    #[doc(hidden)]
    #[must_use]
    pub fn read(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            // The error names the limit and what to do.
            let document = error.get_ref().and_then(|error| error.downcast_ref::<Error>());
            return Self {
                message: Diagnosis::new(error),
                document: document.cloned().map(Box::new),
            };
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

    /// Like [`Self::write`], for a file of an editor, which has no other output.
    pub(super) fn write_edited(error: &io::Error) -> Self {
        if let Some(WriteRefusal { problem, .. }) =
            error.get_ref().and_then(|why| why.downcast_ref())
        {
            return Self::new(format!("cannot write: {problem}"));
        }
        match error.kind() {
            io::ErrorKind::PermissionDenied => {
                let reason = reason(error);
                Self::new(format!("cannot write: {reason}; make it and its folder writable"))
            }
            _ => Self::write(error),
        }
    }

    /// Creates the failure of an edited file that has several hard links.
    pub(super) fn hard_links_of_edited(names: u64) -> Self {
        Self::new(format!("file has {names} hard links, and only this one would change"))
    }

    fn write_as(operation: &str, error: &io::Error) -> Self {
        let words = match error.kind() {
            io::ErrorKind::PermissionDenied => NOT_PERMITTED,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "{}: {}; make room and run again; it was left as it was"
            }
            _ => "{}: {}; it was left as it was",
        };
        let carried = error.get_ref().and_then(|carried| carried.downcast_ref::<WriteRefusal>());
        let why = carried.map_or_else(|| Diagnosis::new(reason(error)), Diagnosis::new);
        Self::new(Diagnosis::from_words(words, &[&operation, &why]))
    }
}

/// The message for a denied permission; on Windows, a file that is open causes this error too.
const NOT_PERMITTED: &str = if cfg!(windows) {
    "{}: {}; close it in other programs, make it and its folder writable, or write to {o}"
} else {
    "{}: {}; make it and its folder writable, or write to {o}"
};

/// The error for a file that may not be replaced: it is read-only, or the new version could not get
/// its metadata.
#[derive(Debug)]
pub(super) struct WriteRefusal {
    /// The problem; it is the whole message for a file of an editor.
    pub(super) problem: String,
    /// The template of the message for a rewrite: the problem, and what to do.
    pub(super) words: &'static str,
}

impl fmt::Display for WriteRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnosis().fmt(f)
    }
}

impl HasAdvice for WriteRefusal {
    fn diagnosis(&self) -> Diagnosis {
        Diagnosis::from_words(self.words, &[&self.problem])
    }
}

impl std::error::Error for WriteRefusal {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { message: Diagnosis::new(&error), document: Some(error.into()) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl HasAdvice for Failure {
    fn advice(&self) -> Option<Advice> {
        self.message.advice()
    }

    fn diagnosis(&self) -> Diagnosis {
        self.message.clone()
    }
}

impl std::error::Error for Failure {}

/// Returns the text of an error, without its number in the system, and with a small first letter.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    // Windows ends a reason with a full stop.
    let text = text.split(" (os error").next().unwrap_or_default().trim_end_matches('.');
    let word = text.split(' ').next().unwrap_or_default();
    // An abbreviation, such as LZ4 or I/O, stays.
    if word.chars().skip(1).any(char::is_uppercase) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_begins_with_a_small_letter_unless_it_is_an_abbreviation() {
        for (error, expected) in [
            ("No such file or directory (os error 2)", "no such file or directory"),
            (
                "LZ4-compressed data, and not a web archive",
                "LZ4-compressed data, and not a web archive",
            ),
            ("I/O error", "I/O error"),
            ("Access denied. (os error 5)", "access denied"),
            ("A file", "a file"),
            ("", ""),
        ] {
            assert_eq!(reason(&io::Error::other(error)), expected);
        }
    }
}
