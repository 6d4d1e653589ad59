//! The documents whose relative links no base URL resolves.

use serde_json::{Value, json};

use crate::numbers::counted;
use crate::output::Messages;
use crate::seen::Seen;

/// The documents whose relative links no base URL resolves: all are counted, the first
/// ones are kept by name.
pub(super) struct Unresolved {
    count: usize,
    /// Those whose base element is why, apart: a warning about that element names each.
    by_base_element: usize,
    names: Vec<String>,
    /// Names that are kept.
    most: usize,
}

/// Documents that are named for people, unless `--verbose`.
const FEW: usize = 10;

/// Documents of an archive that are named: it may have more than memory holds.
const OF_ARCHIVE: usize = 1000;

impl Default for Unresolved {
    fn default() -> Self {
        Self { count: 0, by_base_element: 0, names: Vec::new(), most: usize::MAX }
    }
}

impl Unresolved {
    pub(super) fn of_archive() -> Self {
        Self { most: OF_ARCHIVE, ..Self::default() }
    }

    pub(super) fn add(&mut self, seen: &Seen<'_>, file: &str) {
        if seen.has_inert_base() {
            self.by_base_element += 1;
            return;
        }
        self.count += 1;
        if self.names.len() < self.most {
            self.names.push(seen.name(file));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count + self.by_base_element == 0
    }

    /// Names the documents, a line each.
    pub(super) fn report(&self, messages: Messages) {
        if self.by_base_element > 0 {
            messages.warning(format_args!(
                "relative links stay as they are in {} with a base element whose URL nothing \
                 resolves against; --base-url does not help",
                counted(self.by_base_element, "document")
            ));
        }
        if self.count == 0 {
            return;
        }
        messages.warning(format_args!(
            "relative links stay as they are in {} without a base URL; \
             give it with --base-url or --base-map:",
            counted(self.count, "document")
        ));
        let shown = if messages.are_verbose() { self.names.len() } else { FEW };
        for name in self.names.iter().take(shown) {
            messages.warning(format_args!("  {name}"));
        }
        let more = self.count.saturating_sub(shown.min(self.names.len()));
        if more > 0 {
            let advice = if messages.are_verbose() { "" } else { ", --verbose names them" };
            messages.warning(format_args!("  and {more} more{advice}"));
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({ "count": self.count, "names": self.names })
    }
}
