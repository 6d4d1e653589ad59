//! Why a run stops before it writes anything.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a run was refused before it wrote anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    path: PathBuf,
    message: String,
}

impl Refusal {
    pub(super) fn new(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), message: message.into() }
    }

    /// The path that it is about.
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

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

impl std::error::Error for Refusal {}
