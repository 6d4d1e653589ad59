//! Why a WACZ archive cannot be rewritten.

use std::fmt;
use std::io;

use zip::result::ZipError;

use crate::container::directory::DirectoryError;
use crate::container::warc::ArchiveError;

/// Why the rewriting of a WACZ archive ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum WaczError {
    /// It is damaged, or has a form that is not supported.
    Invalid(String),
    /// It cannot be read.
    Read(io::Error),
    /// The new one cannot be written.
    Write(io::Error),
    /// The callback stopped it.
    Stopped,
}

impl fmt::Display for WaczError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(what) => f.write_str(what),
            Self::Read(error) => write!(f, "cannot read the archive: {error}"),
            Self::Write(error) => write!(f, "cannot write the new archive: {error}"),
            Self::Stopped => f.write_str("it was stopped"),
        }
    }
}

impl std::error::Error for WaczError {}

impl From<ArchiveError> for WaczError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Read(error) => Self::Read(error),
            ArchiveError::Write(error) => Self::Write(error),
            ArchiveError::Stopped => Self::Stopped,
        }
    }
}

impl From<DirectoryError> for WaczError {
    fn from(error: DirectoryError) -> Self {
        match error {
            DirectoryError::Invalid(what) => Self::Invalid(what),
            DirectoryError::Read(error) => Self::Read(error),
        }
    }
}

impl WaczError {
    /// A member, and what is wrong with it.
    pub(super) fn of(member: &str, what: impl fmt::Display) -> Self {
        Self::Invalid(format!("{member}: {what}"))
    }

    /// The error of a reader of ZIP files.
    pub(super) fn reading(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => Self::Read(error),
            error => Self::Invalid(format!("damaged ZIP file: {error}")),
        }
    }

    /// The error of a writer of ZIP files.
    pub(super) fn writing(error: ZipError) -> Self {
        match error {
            ZipError::Io(error) => Self::Write(error),
            error => Self::Write(io::Error::other(error)),
        }
    }
}
