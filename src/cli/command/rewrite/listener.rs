//! Who hears of a run: the command, or a function of Python.

use std::path::Path;

use crate::batch::Report;
use crate::cli::session::failure::Failure;
use crate::container::DocumentOutcome;

/// Hears of what a run does.
pub trait Listener {
    /// The number of the documents that follow, where it is known.
    fn start(&mut self, _documents: usize) {}

    /// A file was rewritten, or was not.
    fn file(&mut self, path: &Path, report: &Report);

    /// A document of a container was rewritten, or was not. A failure ends the run.
    fn document(&mut self, document: &DocumentOutcome<'_>) -> Result<(), Failure>;

    /// Something about a container that no document has.
    fn warn(&mut self, _message: &str) {}

    /// Whether new files are to be moved to their places, which cannot be undone.
    fn commits(&mut self) -> bool {
        true
    }
}
