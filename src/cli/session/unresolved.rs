//! The documents whose relative links no base URL resolves.

use serde::Serialize;

use super::document_report::DocumentReport;
use crate::cli::args::BaseUrlArgs;
use crate::cli::terminal::{Messages, Severity};
use crate::report::display::counted;

/// The number of documents whose relative links no base URL resolves, and the names of the first.
#[derive(Default, Serialize)]
pub struct Unresolved {
    count: usize,
    names: Vec<String>,
    /// Documents whose base element is the reason: no option gives them a base URL.
    #[serde(skip)]
    by_base_element: usize,
    #[serde(skip)]
    names_by_base_element: Vec<String>,
}

/// Documents that a warning names, unless `--verbose`.
const SHOWN: usize = 10;

impl Unresolved {
    pub fn add(&mut self, document: &DocumentReport<'_>, file: &str) {
        let (count, names) = if document.has_inert_base() {
            (&mut self.by_base_element, &mut self.names_by_base_element)
        } else {
            (&mut self.count, &mut self.names)
        };
        *count += 1;
        names.push(document.name(file));
    }

    pub fn is_empty(&self) -> bool {
        self.count + self.by_base_element == 0
    }

    /// Lists the documents, one per line: the first ones in a warning, all of them in an error.
    pub fn report(&self, messages: Messages, severity: Severity, base: &BaseUrlArgs) {
        if self.by_base_element > 0 {
            // Each was already named by a warning about its base element.
            let (end, names) = match severity {
                Severity::Warning => ("", &[][..]),
                Severity::Error => (":", &self.names_by_base_element[..]),
            };
            messages.report(
                severity,
                format_args!(
                    "relative links stay as they are in {} with a base element whose URL nothing \
                     resolves against; --base-url does not help{end}",
                    counted(self.by_base_element, "document")
                ),
            );
            let count = if names.is_empty() { 0 } else { self.by_base_element };
            list(messages, severity, names, count);
        }
        if self.count > 0 {
            messages.report(
                severity,
                format_args!(
                    "relative links stay as they are in {} without a base URL; {}:",
                    counted(self.count, "document"),
                    base.advice(self.names.first().map_or("", |name| name))
                ),
            );
            list(messages, severity, &self.names, self.count);
        }
    }
}

/// Lists names, and how many of `count` are not among them.
fn list(messages: Messages, severity: Severity, names: &[String], count: usize) {
    let is_complete = severity == Severity::Error || messages.are_verbose();
    let (shown, advice) =
        if is_complete { (names.len(), "") } else { (SHOWN, ", --verbose names them") };
    for name in names.iter().take(shown) {
        messages.report(severity, format_args!("  {name}"));
    }
    let more = count.saturating_sub(shown.min(names.len()));
    if more > 0 {
        messages.report(severity, format_args!("  and {more} more{advice}"));
    }
}
