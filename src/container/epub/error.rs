//! Why a book cannot be read or rewritten.

use std::fmt;
use std::io;

use crate::container::directory::DirectoryError;

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
    /// A member, and what is wrong with it.
    pub(super) fn of(member: &str, what: impl fmt::Display) -> Self {
        DirectoryError::of(member, what).into()
    }

    /// An error of the source.
    pub(super) fn reading(error: io::Error) -> Self {
        DirectoryError::reading(error).into()
    }
}

impl From<DirectoryError> for BookError {
    fn from(error: DirectoryError) -> Self {
        match error {
            DirectoryError::Invalid(what) => Self::Invalid(what),
            DirectoryError::Read(error) => Self::Read(error),
        }
    }
}
