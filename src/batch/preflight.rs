//! Errors found before a run writes anything.

use std::fmt;
use std::path::{Path, PathBuf};

/// An error found before a run wrote anything, with the path that it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreflightError {
    path: PathBuf,
    message: String,
}

impl PreflightError {
    pub(super) fn new(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), message: message.into() }
    }

    /// The path that the error concerns.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong with it, and what to do.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for PreflightError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for PreflightError {}
