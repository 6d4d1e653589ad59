//! Errors found before a run writes anything.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Diagnosis, HasAdvice};

/// An error found before a run wrote anything, with the path that it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreflightError {
    path: PathBuf,
    message: Diagnosis,
    kind: io::ErrorKind,
}

impl PreflightError {
    pub(super) fn new(path: &Path, message: impl HasAdvice) -> Self {
        Self { path: path.to_owned(), message: Diagnosis::new(message), kind: io::ErrorKind::Other }
    }

    /// Sets what an error of the system would be.
    pub(super) fn of_kind(self, kind: io::ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// The path that the error concerns.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What an error of the system would be: `AlreadyExists` for a folder that has to be empty.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.kind
    }

    /// What is wrong with it, and what to do.
    #[must_use]
    pub fn message(&self) -> &Diagnosis {
        &self.message
    }
}

impl fmt::Display for PreflightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for PreflightError {}
