//! Progress of a run over a tree, and its result.

use super::failure::Failure;
use super::tree::{Item, Skip, Tree};
use crate::container::Documents;

/// The outcome of an item.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outcome {
    /// It was written with other links, or would be.
    Rewritten,
    /// It has no link to change, or its output has the content already.
    Unchanged,
    /// It was copied as it is.
    Copied,
    /// It was skipped.
    Skipped(Skip),
    /// It could not be done, and is unchanged.
    Failed(Failure),
}

impl Outcome {
    /// The outcome for a file with other names that is not rewritten: it is skipped in a folder,
    /// and fails if its own path was given.
    #[must_use]
    pub fn of_hard_links(tree: &Tree, item: &Item, names: u64) -> Self {
        let skip = Skip::HardLinks(names);
        if tree.is_given(item) {
            Self::Failed(Failure::new(skip.to_string()))
        } else {
            Self::Skipped(skip)
        }
    }
}

/// The outcome of an item, and what was learned about it where it has documents.
#[derive(Debug)]
pub struct Report {
    /// Its outcome.
    pub outcome: Outcome,
    /// Of each document in it, its base URL and its counts.
    pub documents: Option<Documents>,
}

impl Report {
    /// Whether something in it could not be done.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let has_failed_parts =
            self.documents.as_ref().is_some_and(|documents| !documents.failures().is_empty());
        matches!(self.outcome, Outcome::Failed(_)) || has_failed_parts
    }
}

/// Receives the progress of a run, and may stop it; called from any thread.
///
/// ```
/// use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
///
/// use absolve::batch::Monitor;
///
/// #[derive(Default)]
/// struct Progress {
///     bytes: AtomicU64,
///     cancelled: AtomicBool,
/// }
///
/// impl Monitor for Progress {
///     fn is_stopped(&self) -> bool {
///         self.cancelled.load(Ordering::Relaxed)
///     }
///
///     fn read(&self, bytes: u64) {
///         self.bytes.fetch_add(bytes, Ordering::Relaxed);
///     }
/// }
/// ```
pub trait Monitor: Sync {
    /// Whether the run is to end: what is half done is taken away.
    fn is_stopped(&self) -> bool {
        false
    }

    /// So many bytes of one file more were read.
    fn read(&self, bytes: u64) {
        let _ = bytes;
    }

    /// A file of `size` bytes that is read as a stream was read up to this byte. One that is read
    /// again begins anew.
    fn read_to(&self, byte: u64, size: u64) {
        let _ = (byte, size);
    }
}

/// A watch that never stops anything.
impl Monitor for () {}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// Every item was reported.
    Done,
    /// Every item was reported, but files that are in their places may not be on the
    /// disk yet, for this reason.
    Unflushed(Failure),
    /// Files failed, which were reported, and no file was replaced: [`Commit::AtEnd`].
    ///
    /// [`Commit::AtEnd`]: super::Commit::AtEnd
    NotWritten,
    /// The watch stopped it.
    Stopped,
}
