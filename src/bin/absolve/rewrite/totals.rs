//! What became of a tree, in all.

use std::time::Instant;

use absolve::batch::{Outcome, Report};
use absolve::container::Documents;
use serde_json::{Value, json};

use super::unresolved::Unresolved;
use crate::args::StatsArg;
use crate::failure::Failure;
use crate::output::to_stdout;
use crate::seen::Seen;

/// What became of a tree, in all. `seen` is the sum of the five that follow it.
#[derive(Default)]
pub(super) struct Totals {
    seen: usize,
    rewritten: usize,
    unchanged: usize,
    copied: usize,
    skipped: usize,
    pub(super) failed: usize,
    /// Parts of messages, which are otherwise done.
    failed_parts: usize,
    links: absolve::Counts,
    unresolved: Unresolved,
}

impl Totals {
    pub(super) fn add(&mut self, report: &Report, name: impl FnOnce() -> String) {
        self.seen += 1;
        let count = match &report.outcome {
            Outcome::Rewritten => &mut self.rewritten,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Copied => &mut self.copied,
            Outcome::Skipped(_) => &mut self.skipped,
            // What became of it in any other way was not done.
            _ => &mut self.failed,
        };
        *count += 1;
        if let (Outcome::Rewritten | Outcome::Unchanged, Some(documents)) =
            (&report.outcome, &report.documents)
        {
            self.take_in(documents, name);
        }
    }

    pub(super) fn of_one(documents: &Documents, is_changed: bool, name: &str) -> Self {
        let (rewritten, unchanged) = if is_changed { (1, 0) } else { (0, 1) };
        let mut totals = Self { seen: 1, rewritten, unchanged, ..Self::default() };
        totals.take_in(documents, || name.to_owned());
        totals
    }

    fn take_in(&mut self, documents: &Documents, name: impl FnOnce() -> String) {
        if documents.counts().unresolved > 0 {
            let name = name();
            for seen in Seen::all(documents).iter().filter(|seen| seen.is_unresolved()) {
                self.unresolved.add(seen.name(&name));
            }
        }
        self.links += documents.counts();
        self.failed_parts += documents.failures().len();
    }

    /// Files and parts of files that failed.
    pub(super) fn failures(&self) -> usize {
        self.failed + self.failed_parts
    }

    /// Whether something stayed as it was that was to be done.
    pub(super) fn has_failed(&self) -> bool {
        self.failed + self.failed_parts > 0
    }

    /// Prints the totals on stdout where that is how they are asked for.
    pub(super) fn print_json(&self, stats: StatsArg, started: Instant) -> Result<(), Failure> {
        match stats {
            StatsArg::Json => to_stdout(|out| writeln!(out, "{}", self.json(started))),
            StatsArg::Text => Ok(()),
        }
    }

    /// Whether a document changes, or would.
    pub(super) fn would_change(&self) -> bool {
        self.rewritten > 0
    }

    /// Two lines for people.
    pub(super) fn text(&self, mood: Mood, started: Instant) -> [String; 2] {
        let rewritten = mood.rewritten();
        let copied = match mood {
            Mood::Done => "copied",
            Mood::Would => "would be copied",
        };
        let copied = match self.copied {
            0 => String::new(),
            number => format!(", {number} {copied}"),
        };
        let parts = match self.failed_parts {
            0 => String::new(),
            number => format!(", {} failed", count(number, "part")),
        };
        [
            format!(
                "{}: {} {rewritten}, {} unchanged{copied}, {} skipped, {} failed{parts}",
                count(self.seen, "file"),
                self.rewritten,
                self.unchanged,
                self.skipped,
                self.failed
            ),
            links_text(&self.links, mood, started.elapsed().as_secs_f64()),
        ]
    }

    fn json(&self, started: Instant) -> Value {
        json!({
            "files": {
                "seen": self.seen,
                "rewritten": self.rewritten,
                "unchanged": self.unchanged,
                "copied": self.copied,
                "skipped": self.skipped,
                "failed": self.failed,
            },
            "failed_parts": self.failed_parts,
            "links": links_json(&self.links),
            "without_base": self.unresolved.json(),
            "seconds": started.elapsed().as_secs_f64(),
        })
    }

    /// The documents whose relative links stay as they are.
    pub(super) fn unresolved(&self) -> &Unresolved {
        &self.unresolved
    }
}

/// What became of links, in a line for people.
pub(super) fn links_text(links: &absolve::Counts, mood: Mood, seconds: f64) -> String {
    format!(
        "{}: {} {}, {} absolute, {} kept, {} unresolved, {} invalid; {seconds:.2} seconds",
        count(links.links, "link"),
        links.rewritten,
        mood.rewritten(),
        links.absolute,
        links.kept,
        links.unresolved,
        links.invalid
    )
}

pub(super) fn links_json(links: &absolve::Counts) -> Value {
    json!({
        "seen": links.links,
        "rewritten": links.rewritten,
        "absolute": links.absolute,
        "kept": links.kept,
        "unresolved": links.unresolved,
        "invalid": links.invalid,
    })
}

pub(super) fn count(number: usize, of: &str) -> String {
    if number == 1 { format!("1 {of}") } else { format!("{number} {of}s") }
}

/// Whether something was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Done,
    Would,
}

impl Mood {
    pub(super) fn rewritten(self) -> &'static str {
        match self {
            Self::Done => "rewritten",
            Self::Would => "would be rewritten",
        }
    }
}
