//! The documents whose relative links no base URL resolves.

use absolve_site::report::display::counted;
use serde::Serialize;

use super::document_report::DocumentReport;

use crate::args::BaseUrlArgs;
use crate::terminal::{Messages, Severity};

/// The number of documents whose relative links no base URL resolves, and the names of the first.
#[derive(Default, Serialize)]
pub struct Unresolved {
    count: usize,
    names: Vec<String>,
    /// Documents whose base element is the reason: no option gives them a base URL.
    #[serde(skip)]
    by_base_element: Vec<String>,
}

/// Documents that a warning names, unless `--verbose`.
const SHOWN: usize = 10;

impl Unresolved {
    pub fn add(&mut self, document: &DocumentReport<'_>, file: &str) {
        if document.has_inert_base() {
            self.by_base_element.push(document.name(file));
        } else {
            self.count += 1;
            self.names.push(document.name(file));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.by_base_element.is_empty()
    }

    /// Lists the documents, one per line: the first ones in a warning, all of them in an error.
    pub fn report(&self, messages: Messages, severity: Severity, base: &BaseUrlArgs) {
        if !self.by_base_element.is_empty() {
            // Each was already named by a warning about its base element.
            let (end, names) = match severity {
                Severity::Warning => ("", &[][..]),
                Severity::Error => (":", &self.by_base_element[..]),
            };
            messages.report(
                severity,
                format_args!(
                    "relative links stay as they are in {} with a base element whose URL nothing \
                     resolves against; --base-url does not help{end}",
                    counted(self.by_base_element.len(), "document")
                ),
            );
            list(messages, severity, names);
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
            list(messages, severity, &self.names);
        }
    }
}

/// Lists names, and how many of them are left out.
fn list(messages: Messages, severity: Severity, names: &[String]) {
    let is_complete = severity == Severity::Error || messages.are_verbose();
    let shown = if is_complete { names.len() } else { SHOWN };
    for name in names.iter().take(shown) {
        messages.report(severity, format_args!("  {name}"));
    }
    let more = names.len().saturating_sub(shown);
    if more > 0 {
        messages.report(severity, format_args!("  and {more} more, --verbose names them"));
    }
}
