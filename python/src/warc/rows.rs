//! What is read of an archive in batches.

use absolve::Rewriter;
use absolve::container::warc::{Page, UnreadRecord};

/// The rows of a batch.
pub(super) trait Rows {
    /// Adds a document.
    fn page(&mut self, page: &Page<'_>, options: &Rewriter);
    /// Adds a record whose document cannot be read.
    fn failure(&mut self, entry: &UnreadRecord, message: &str);
    /// Bytes of the documents.
    fn size(&self) -> usize;
    fn is_empty(&self) -> bool;
}
