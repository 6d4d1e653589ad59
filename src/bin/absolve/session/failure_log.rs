//! Failures in a file that is read as a stream.

use std::cell::Cell;
use std::fmt::Display;

use absolve::container::EntryId;
use absolve::report::display::inside;

use super::document_report::{MOST, more};
use crate::terminal::{Messages, Severity};

/// Prints failures in a file while it is read as a stream.
pub(crate) struct FailureLog {
    messages: Messages,
    severity: Severity,
    count: Cell<usize>,
}

impl FailureLog {
    pub(crate) fn new(messages: Messages, severity: Severity) -> Self {
        Self { messages, severity, count: Cell::new(0) }
    }

    /// Prints a failure, unless too many were printed.
    pub(crate) fn add(&self, file: &str, place: EntryId, why: impl Display) {
        let failed = self.count.replace(self.count.get() + 1);
        if failed < MOST {
            let message = format_args!("{}: {why}", inside(file, Some(place)));
            self.messages.report(self.severity, message);
        }
    }

    /// Prints the number of failures that were not printed.
    pub(crate) fn end(&self, file: &str) {
        if let Some(more) = more(file, self.count.get()) {
            self.messages.report(self.severity, more);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count.get() == 0
    }
}
