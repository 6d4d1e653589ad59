//! What a run did: the counts of the command's summary, and the failures by file.

use std::ffi::OsString;
use std::fmt;

use absolve_cli::run::rewrite::Counts as Files;
use pyo3::prelude::*;

use crate::errors::{self, Error};

/// The numbers of files, by outcome.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Counts {
    /// All of them: the sum of the others.
    seen: u64,
    /// With other links.
    rewritten: u64,
    /// Without a link to change.
    unchanged: u64,
    /// No document.
    copied: u64,
    /// Not read, such as symbolic links.
    skipped: u64,
    /// Not readable or not writable, and as they were.
    failed: u64,
}

#[pymethods]
impl Counts {
    fn __repr__(&self) -> String {
        repr(self)
    }
}

impl From<Files> for Counts {
    fn from(files: Files) -> Self {
        let Files { seen, rewritten, unchanged, copied, skipped, failed } = files;
        Self { seen, rewritten, unchanged, copied, skipped, failed }
    }
}

/// A struct of numbers as Python writes one.
fn repr(numbers: &impl fmt::Debug) -> String {
    format!("{numbers:?}").replace(" { ", "(").replace(": ", "=").replace(" }", ")")
}

/// The numbers of links by outcome.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct LinkCounts {
    /// All of them: the sum of the others.
    seen: usize,
    /// Replaced by another text.
    rewritten: usize,
    /// Absolute before.
    absolute: usize,
    /// Left as they are by an option or a rule.
    kept: usize,
    /// Relative, in a document without a base URL.
    pub(super) unresolved: usize,
    /// Refused by the standard.
    invalid: usize,
}

#[pymethods]
impl LinkCounts {
    fn __repr__(&self) -> String {
        repr(self)
    }
}

impl From<absolve::LinkCounts> for LinkCounts {
    fn from(counts: absolve::LinkCounts) -> Self {
        let absolve::LinkCounts { links, rewritten, absolute, kept, unresolved, invalid, .. } =
            counts;
        Self { seen: links, rewritten, absolute, kept, unresolved, invalid }
    }
}

/// Why a file, or a document in it, stays as it was.
#[pyclass(frozen, eq, hash, module = "absolve")]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FileFailure {
    /// The path of the file, below the path that was given.
    #[pyo3(get)]
    pub(super) file: OsString,
    /// The part of a message; `None` for the whole file.
    #[pyo3(get)]
    pub(super) inside: Option<String>,
    /// The problem, and what to do.
    #[pyo3(get)]
    pub(super) message: String,
    /// The error of the document, if that is what failed.
    pub(super) error: Option<absolve::Error>,
}

impl FileFailure {
    /// The exception of the only failure of a call.
    pub(super) fn exception(&self, py: Python<'_>) -> PyErr {
        match &self.error {
            Some(error) => errors::with_message(py, error, self.to_string()),
            None => Error::new_err(self.to_string()),
        }
    }
}

impl fmt::Display for FileFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inside = self.inside.iter().flat_map(|inside| ["!", inside]).collect::<String>();
        write!(f, "{}{inside}: {}", self.file.to_string_lossy(), self.message)
    }
}

#[pymethods]
impl FileFailure {
    fn __str__(&self) -> String {
        self.to_string()
    }

    fn __repr__(&self) -> String {
        format!("FileFailure({:?})", self.to_string())
    }
}

/// The result of `rewrite_tree` or `rewrite_file`.
#[pyclass(frozen, get_all, module = "absolve")]
#[derive(Debug, Default)]
pub(crate) struct RewriteResult {
    /// The numbers of files, by outcome.
    pub(super) counts: Counts,
    /// The numbers of links by outcome.
    pub(super) links: LinkCounts,
    /// The number of parts of messages that failed; their messages do not count as failed.
    pub(super) failed_parts: usize,
    /// The failures, by file.
    pub(super) failures: Vec<FileFailure>,
    /// The paths of files with other links.
    pub(super) changed: Vec<OsString>,
    /// How long it took.
    pub(super) seconds: f64,
}

#[pymethods]
impl RewriteResult {
    fn __repr__(&self) -> String {
        let (counts, links) = (self.counts.__repr__(), self.links.__repr__());
        format!("RewriteResult(counts={counts}, links={links}, failures={})", self.failures.len())
    }
}

impl RewriteResult {
    /// The failure of the only file.
    pub(super) fn failure(&self) -> Option<&FileFailure> {
        self.failures.first().filter(|failure| failure.inside.is_none())
    }
}
