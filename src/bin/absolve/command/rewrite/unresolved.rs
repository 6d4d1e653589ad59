//! The documents whose relative links no base URL resolves.

use serde_json::{Value, json};

use crate::session::document_report::DocumentReport;
use crate::terminal::{Messages, Severity};
use absolve::report::display::counted;

/// The documents whose relative links no base URL resolves: all are counted, the first
/// ones are kept by name.
pub(super) struct Unresolved {
    count: usize,
    names: Vec<String>,
    /// Those whose base element is why, apart: no option gives them a base URL.
    by_base_element: usize,
    names_by_base_element: Vec<String>,
    /// Names that are kept.
    most: usize,
}

/// Documents that a warning names, unless `--verbose`.
const FEW: usize = 10;

/// Documents of an archive that are named: it may have more than memory holds.
const OF_ARCHIVE: usize = 1000;

impl Default for Unresolved {
    fn default() -> Self {
        let (names, names_by_base_element) = (Vec::new(), Vec::new());
        Self { count: 0, names, by_base_element: 0, names_by_base_element, most: usize::MAX }
    }
}

impl Unresolved {
    pub(super) fn of_archive() -> Self {
        Self { most: OF_ARCHIVE, ..Self::default() }
    }

    pub(super) fn add(&mut self, seen: &DocumentReport<'_>, file: &str) {
        let (count, names) = if seen.has_inert_base() {
            (&mut self.by_base_element, &mut self.names_by_base_element)
        } else {
            (&mut self.count, &mut self.names)
        };
        *count += 1;
        if names.len() < self.most {
            names.push(seen.name(file));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count + self.by_base_element == 0
    }

    /// Names the documents, a line each: the first ones in a warning, all of them in an error.
    pub(super) fn report(&self, messages: Messages, severity: Severity) {
        if self.by_base_element > 0 {
            // A warning about the base element of each names it.
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
                    "relative links stay as they are in {} without a base URL; \
                     give it with --base-url or --base-map:",
                    counted(self.count, "document")
                ),
            );
            list(messages, severity, &self.names, self.count);
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({ "count": self.count, "names": self.names })
    }
}

/// Lists names, and how many of `count` are not among them.
fn list(messages: Messages, severity: Severity, names: &[String], count: usize) {
    let is_complete = severity == Severity::Error || messages.are_verbose();
    let (shown, advice) =
        if is_complete { (names.len(), "") } else { (FEW, ", --verbose names them") };
    for name in names.iter().take(shown) {
        messages.report(severity, format_args!("  {name}"));
    }
    let more = count.saturating_sub(shown.min(names.len()));
    if more > 0 {
        messages.report(severity, format_args!("  and {more} more{advice}"));
    }
}
