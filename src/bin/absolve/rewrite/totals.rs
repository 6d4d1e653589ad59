//! What became of a tree, in all.

use std::time::Instant;

use absolve::batch::{Outcome, Report};
use serde_json::{Value, json};

/// What became of a tree, in all. `seen` is the sum of the five that follow it.
#[derive(Default)]
pub(super) struct Totals {
    seen: usize,
    rewritten: usize,
    unchanged: usize,
    copied: usize,
    skipped: usize,
    pub(super) failed: usize,
    links: absolve::Counts,
}

impl Totals {
    pub(super) fn add(&mut self, report: &Report) {
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
        if let (Outcome::Rewritten | Outcome::Unchanged, Some(summary)) =
            (&report.outcome, &report.summary)
        {
            self.links += summary.counts();
        }
    }

    /// Whether a document changes, or would.
    pub(super) fn would_change(&self) -> bool {
        self.rewritten > 0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// Two lines for people.
    pub(super) fn text(&self, mood: Mood, started: Instant) -> [String; 2] {
        let links = &self.links;
        let (rewritten, copied) = match mood {
            Mood::Done => ("rewritten", "copied"),
            Mood::Would => ("would be rewritten", "would be copied"),
        };
        let copied = match self.copied {
            0 => String::new(),
            count => format!(", {count} {copied}"),
        };
        let seconds = started.elapsed().as_secs_f64();
        [
            format!(
                "{} files: {} {rewritten}, {} unchanged{copied}, {} skipped, {} failed",
                self.seen, self.rewritten, self.unchanged, self.skipped, self.failed
            ),
            format!(
                "{} links: {} {rewritten}, {} absolute, {} kept, {} unresolved, {} invalid; {seconds:.2} seconds",
                links.links,
                links.rewritten,
                links.absolute,
                links.kept,
                links.unresolved,
                links.invalid
            ),
        ]
    }

    pub(super) fn json(&self, started: Instant) -> Value {
        let links = &self.links;
        json!({
            "files": {
                "seen": self.seen,
                "rewritten": self.rewritten,
                "unchanged": self.unchanged,
                "copied": self.copied,
                "skipped": self.skipped,
                "failed": self.failed,
            },
            "links": {
                "seen": links.links,
                "rewritten": links.rewritten,
                "absolute": links.absolute,
                "kept": links.kept,
                "unresolved": links.unresolved,
                "invalid": links.invalid,
            },
            "seconds": started.elapsed().as_secs_f64(),
        })
    }

    pub(super) fn unresolved(&self) -> usize {
        self.links.unresolved
    }
}

/// Whether something was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Done,
    Would,
}
