//! Progress of a run over a tree, and its result.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use absolve_archive::Documents;

use super::failure::Failure;
use super::read::open;
use super::tree::{Item, Skip, Tree};

/// The result of a run for one item of the tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum FileOutcome {
    /// The file was written with other links, or would be in a check.
    Rewritten,
    /// The file has no link to change, or its output has the content already.
    Unchanged,
    /// The file was copied without a change.
    Copied,
    /// The item was skipped.
    Skipped(Skip),
    /// The item failed, and its file is unchanged.
    Failed(Failure),
}

impl FileOutcome {
    /// Returns the outcome for a file with several hard links that is not rewritten: it is skipped
    /// in a folder, and fails if its own path was given.
    #[must_use]
    pub fn skip_hard_links(tree: &Tree, item: &Item, names: u64) -> Self {
        let skip = Skip::HardLinks(names);
        if tree.is_given(item) { Self::Failed(Failure::new(skip)) } else { Self::Skipped(skip) }
    }
}

/// The report on an item and the documents in it.
#[derive(Debug)]
pub struct Report {
    /// The outcome of the item.
    pub outcome: FileOutcome,
    /// The base URL and the counts of each document in the item.
    pub documents: Option<Documents>,
}

impl Report {
    /// Whether the item or a document in it failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        let has_failed_parts =
            self.documents.as_ref().is_some_and(|documents| !documents.failures().is_empty());
        matches!(self.outcome, FileOutcome::Failed(_)) || has_failed_parts
    }
}

/// Receives the progress of a run, and may stop it; called from any thread.
///
/// ```
/// use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
///
/// use absolve_files::Monitor;
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
    /// Whether the run is to end; unfinished files are removed.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Reports that another file of this size was read.
    fn read(&self, bytes: u64) {
        let _ = bytes;
    }

    /// Reports that a file of `size` bytes, which is read as a stream, was read up to this byte. A
    /// second pass starts at 0 again.
    fn read_to(&self, byte: u64, size: u64) {
        let _ = (byte, size);
    }
}

/// A monitor that never stops the run.
impl Monitor for () {}

/// The way in which a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// Every item was reported.
    Done,
    /// Every item was reported, but a folder could not be flushed, so that a crash may undo
    /// renames.
    Unflushed(Failure),
    /// The monitor stopped it.
    Stopped,
}

/// A source that reports to a [`Monitor`] how far it was read, and fails once the run is stopped.
/// A check at each record would be late: a WACZ archive reads a member before its first record.
pub struct Monitored<'w, R> {
    source: R,
    position: u64,
    size: u64,
    monitor: &'w dyn Monitor,
}

impl<'w, R> Monitored<'w, R> {
    /// Wraps a source of this size, at its beginning.
    #[doc(hidden)]
    pub fn new(source: R, size: u64, monitor: &'w dyn Monitor) -> Self {
        Self { source, position: 0, size, monitor }
    }
}

/// A file that is read from its beginning.
pub(crate) type MonitoredFile<'w> = Monitored<'w, File>;

impl<'w> MonitoredFile<'w> {
    pub(crate) fn open(path: &Path, monitor: &'w dyn Monitor) -> io::Result<Self> {
        let file = open(path)?;
        let size = file.metadata()?.len();
        Ok(Self::new(file, size, monitor))
    }
}

impl<R: Read> Read for Monitored<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.monitor.is_stopped() {
            return Err(io::Error::other("interrupted"));
        }
        let read = self.source.read(into)?;
        self.position += read as u64;
        self.monitor.read_to(self.position, self.size);
        Ok(read)
    }
}

impl<R: Seek> Seek for Monitored<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.source.seek(to)?;
        Ok(self.position)
    }
}
