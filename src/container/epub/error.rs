//! Why a book cannot be read or rewritten.

use std::fmt;
use std::io;

/// Why a book could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum BookError {
    /// It is damaged, hostile, or has a form that is not supported.
    Invalid(String),
    /// It cannot be read.
    Read(io::Error),
    /// The new one cannot be written.
    Write(io::Error),
    /// The callback stopped it.
    Stopped,
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(what) => f.write_str(what),
            Self::Read(error) => write!(f, "cannot read the book: {error}"),
            Self::Write(error) => write!(f, "cannot write the new book: {error}"),
            Self::Stopped => f.write_str("it was stopped"),
        }
    }
}

impl std::error::Error for BookError {}

impl BookError {
    /// A ZIP file that is not as its records say.
    pub(super) fn damaged(what: impl fmt::Display) -> Self {
        Self::Invalid(format!("damaged ZIP file: {what}"))
    }

    /// A member, and what is wrong with it.
    pub(super) fn of(member: &str, what: impl fmt::Display) -> Self {
        let member = if member.is_empty() { "''" } else { &*printable(member) };
        Self::Invalid(format!("{member}: {what}"))
    }

    /// An error of the source; the end of the file is one of its records.
    pub(super) fn reading(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return Self::damaged("it ends early");
        }
        Self::Read(error)
    }
}

/// A name without control characters.
fn printable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for one in name.chars() {
        if one.is_control() { text.extend(one.escape_debug()) } else { text.push(one) }
    }
    text
}
