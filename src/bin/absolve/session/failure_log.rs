//! Failures in a file that is read as a stream.

use std::cell::Cell;
use std::fmt::Display;

use absolve::container::EntryId;
use absolve::report::display::inside;

use super::document_report::{MOST, more};
use crate::terminal::Messages;

/// Prints failures in a file while it is read as a stream.
#[derive(Default)]
pub(crate) struct FailureLog(Cell<usize>);

impl FailureLog {
    /// Prints a failure, unless too many were printed.
    pub(crate) fn add(&self, file: &str, place: EntryId, why: impl Display) {
        let failed = self.0.replace(self.0.get() + 1);
        if failed < MOST {
            Messages::error(format_args!("{}: {why}", inside(file, Some(place))));
        }
    }

    /// Prints the number of failures that were not printed.
    pub(crate) fn end(&self, file: &str) {
        if let Some(more) = more(file, self.0.get()) {
            Messages::error(more);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.get() == 0
    }
}
