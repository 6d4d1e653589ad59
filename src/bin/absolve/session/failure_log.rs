//! Failures in a file that is read as a stream.

use std::cell::{Cell, RefCell};
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

/// Failures that are printed at the end, unless the file is read once more.
pub(crate) struct HeldFailures {
    log: FailureLog,
    /// The first ones, which are printed.
    first: RefCell<Vec<(String, EntryId, String)>>,
    count: Cell<usize>,
}

impl HeldFailures {
    pub(crate) fn new(messages: Messages, severity: Severity) -> Self {
        let log = FailureLog::new(messages, severity);
        Self { log, first: RefCell::default(), count: Cell::new(0) }
    }

    pub(crate) fn add(&self, file: &str, place: EntryId, why: impl Display) {
        self.count.set(self.count.get() + 1);
        let mut first = self.first.borrow_mut();
        if first.len() < MOST {
            first.push((file.to_owned(), place, why.to_string()));
        }
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.first.borrow_mut().clear();
        self.count.set(0);
    }

    /// Prints them, with the number of those that are left out.
    pub(crate) fn end(&self, file: &str) {
        for (file, place, why) in self.first.borrow().iter() {
            self.log.add(file, *place, why);
        }
        self.log.count.set(self.count.get());
        self.log.end(file);
    }
}
