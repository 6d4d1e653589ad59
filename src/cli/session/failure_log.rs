//! Failures in a file that is read as a stream.

use std::cell::Cell;

use crate::container::EntryId;
use crate::{Diagnosis, HasAdvice};

use super::document_report::{MOST, more};
use super::entry_path::inside;
use crate::cli::terminal::{Messages, Severity};

/// Prints failures in a file while it is read as a stream.
pub struct FailureLog {
    messages: Messages,
    severity: Severity,
    count: Cell<usize>,
}

impl FailureLog {
    pub fn new(messages: Messages, severity: Severity) -> Self {
        Self { messages, severity, count: Cell::new(0) }
    }

    /// Prints a failure, unless too many were printed.
    pub fn add(&self, file: &str, place: Option<EntryId>, why: impl HasAdvice) {
        let failed = self.count.replace(self.count.get() + 1);
        if failed < MOST {
            let message = Diagnosis::of(inside(file, place), why);
            self.messages.report(self.severity, message);
        }
    }

    /// Prints the number of failures that were not printed.
    pub fn end(&self, file: &str) {
        if let Some(more) = more(file, self.count.get()) {
            self.messages.report(self.severity, more);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count.get() == 0
    }
}
