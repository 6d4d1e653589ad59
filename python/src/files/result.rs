//! What a run did: the counts of the command's summary, and the failures by file.

use std::ffi::OsString;
use std::fmt;

use absolve::batch::{FileOutcome, Report};
use absolve::container::Documents;
use absolve::container::epub::BookTotals;
use absolve::container::warc::Totals;
use pyo3::prelude::*;

use crate::arguments::Function;

/// The numbers of files, of records of a web archive or of documents of a book, by outcome.
#[pyclass(frozen, get_all, eq, hash, module = "absolve")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Counts {
    /// All of them: the sum of the others.
    seen: u64,
    /// With other links.
    rewritten: u64,
    /// Without a link to change.
    unchanged: u64,
    /// Without a document, or no document.
    copied: u64,
    /// Revisits and redirects of a web archive with a new header.
    updated: u64,
    /// Revisits of a web archive that may not agree with rewritten records.
    stale: u64,
    /// Not read, such as symbolic links.
    skipped: u64,
    /// Not readable or not writable, and as they were.
    failed: u64,
}

#[pymethods]
impl Counts {
    fn __repr__(&self) -> String {
        let Self { seen, rewritten, unchanged, copied, updated, stale, skipped, failed } = self;
        format!(
            "Counts(seen={seen}, rewritten={rewritten}, unchanged={unchanged}, copied={copied}, \
             updated={updated}, stale={stale}, skipped={skipped}, failed={failed})"
        )
    }
}

impl Counts {
    /// Whether nothing changed.
    pub(super) fn is_unchanged(self) -> bool {
        self.rewritten + self.updated == 0
    }
}

impl From<BookTotals> for Counts {
    fn from(totals: BookTotals) -> Self {
        let BookTotals { rewritten, unchanged, failed, .. } = totals;
        let seen = rewritten + unchanged + failed;
        Self { seen, rewritten, unchanged, failed, ..Self::default() }
    }
}

impl From<Totals> for Counts {
    fn from(totals: Totals) -> Self {
        let Totals { records, rewritten, unchanged, updated, stale, skipped, failed, .. } = totals;
        let copied = totals.copied + totals.passed_over;
        Self { seen: records, rewritten, unchanged, copied, updated, stale, skipped, failed }
    }
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
    unresolved: usize,
    /// Refused by the standard.
    invalid: usize,
}

#[pymethods]
impl LinkCounts {
    fn __repr__(&self) -> String {
        let Self { seen, rewritten, absolute, kept, unresolved, invalid } = self;
        format!(
            "LinkCounts(seen={seen}, rewritten={rewritten}, absolute={absolute}, kept={kept}, \
             unresolved={unresolved}, invalid={invalid})"
        )
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
    /// The part of a message, the record of a web archive, or the document of a book; `None` for
    /// the whole file.
    #[pyo3(get)]
    pub(super) inside: Option<String>,
    /// The problem, and what to do.
    #[pyo3(get)]
    pub(super) message: String,
    /// The error of the document, if that is what failed.
    pub(super) error: Option<absolve::Error>,
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

/// What `rewrite_tree`, `rewrite_file`, `rewrite_warc` or `rewrite_epub` did.
#[pyclass(frozen, module = "absolve")]
#[derive(Debug, Default)]
pub(crate) struct RewriteResult {
    /// Files by outcome; records for a web archive.
    pub(super) counts: Counts,
    pub(super) links: absolve::LinkCounts,
    /// Parts of messages that failed; their messages are not counted as failed.
    pub(super) failed_parts: usize,
    pub(super) failures: Vec<FileFailure>,
    /// The paths of documents with other links.
    pub(super) changed: Vec<OsString>,
    pub(super) seconds: f64,
}

#[pymethods]
impl RewriteResult {
    /// The numbers of files by outcome; of records of a web archive, of documents of a book.
    #[getter]
    fn counts(&self) -> Counts {
        self.counts
    }

    /// The numbers of links by outcome.
    #[getter]
    fn links(&self) -> LinkCounts {
        self.links.into()
    }

    /// The number of parts of messages that failed; their messages do not count as failed.
    #[getter]
    fn failed_parts(&self) -> usize {
        self.failed_parts
    }

    /// What failed, by file; at most 1,000 records of a web archive.
    #[getter]
    fn failures(&self) -> Vec<FileFailure> {
        self.failures.clone()
    }

    /// The paths of files with other links.
    #[getter]
    fn changed(&self) -> Vec<OsString> {
        self.changed.clone()
    }

    /// How long it took.
    #[getter]
    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn __repr__(&self) -> String {
        let (counts, links) = (self.counts.__repr__(), self.links().__repr__());
        format!("RewriteResult(counts={counts}, links={links}, failures={})", self.failures.len())
    }
}

impl RewriteResult {
    /// Counts a file, and keeps its failures.
    pub(super) fn add(&mut self, path: impl Fn() -> OsString, report: &Report) {
        self.counts.seen += 1;
        *match &report.outcome {
            FileOutcome::Rewritten => &mut self.counts.rewritten,
            FileOutcome::Unchanged => &mut self.counts.unchanged,
            FileOutcome::Copied => &mut self.counts.copied,
            FileOutcome::Skipped(_) => &mut self.counts.skipped,
            // Any other outcome is a failure.
            _ => &mut self.counts.failed,
        } += 1;
        match &report.outcome {
            FileOutcome::Failed(failure) => {
                self.failures.push(FileFailure {
                    file: path(),
                    inside: None,
                    message: failure.to_string(),
                    error: failure.document_error().cloned(),
                });
            }
            FileOutcome::Rewritten => self.changed.push(path()),
            _ => {}
        }
        if let (FileOutcome::Rewritten | FileOutcome::Unchanged, Some(documents)) =
            (&report.outcome, &report.documents)
        {
            self.add_documents(documents, path);
        }
    }

    /// Counts the links of a file, and keeps the failures of its parts.
    pub(super) fn add_documents(&mut self, documents: &Documents, path: impl Fn() -> OsString) {
        self.links += documents.counts();
        self.failed_parts += documents.failures().len();
        self.failures.extend(documents.failures().iter().map(|error| FileFailure {
            file: path(),
            inside: error.part().map(|part| part.to_string()),
            message: error.to_string(),
            error: Some(error.clone()),
        }));
    }

    /// The same with messages that name parameters of the function, and not options.
    pub(super) fn in_python(mut self, function: &Function) -> Self {
        for failure in &mut self.failures {
            failure.message = function.in_python(&failure.message);
        }
        self
    }

    /// The result of one file.
    pub(super) fn of_one(documents: &Documents, is_changed: bool, path: OsString) -> Self {
        let (rewritten, unchanged) = if is_changed { (1, 0) } else { (0, 1) };
        let counts = Counts { seen: 1, rewritten, unchanged, ..Counts::default() };
        let mut result = Self { counts, ..Self::default() };
        result.add_documents(documents, || path.clone());
        if is_changed {
            result.changed.push(path);
        }
        result
    }
}
