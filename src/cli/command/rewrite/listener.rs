//! The listener that a run reports to: the command, or a function of Python.

use std::path::Path;

use crate::batch::{Monitor, Report};

/// Gets the reports of a run.
pub trait Listener {
    /// The number of files that follow.
    fn start(&mut self, _files: usize) {}

    /// A file was rewritten, or was not.
    fn file(&mut self, path: &Path, report: &Report);

    /// Whether new files are to be moved to their places, which cannot be undone.
    fn commits(&mut self) -> bool {
        true
    }
}

/// The monitor that stops a run, and the listener that gets its reports.
pub struct Observers<'r> {
    pub monitor: &'r dyn Monitor,
    pub listener: &'r mut dyn Listener,
}
