//! The totals of a run: files and links by outcome.

use std::time::Instant;

use absolve::batch::{FileOutcome, Report};
use absolve::container::Documents;
use serde_json::{Value, json};

use super::destination::print_stats;
use super::unresolved::Unresolved;
use crate::args::{StatsArg, WritingArgs};
use crate::session::document_report::DocumentReport;
use crate::session::failure::Failure;
use absolve::report::display::{counted, thousands};

/// Files and links by outcome. `seen` is the sum of the five that follow it.
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
    links: absolve::LinkCounts,
    unresolved: Unresolved,
}

impl Totals {
    pub(super) fn add(&mut self, report: &Report, name: impl FnOnce() -> String) {
        self.seen += 1;
        let count = match &report.outcome {
            FileOutcome::Rewritten => &mut self.rewritten,
            FileOutcome::Unchanged => &mut self.unchanged,
            FileOutcome::Copied => &mut self.copied,
            FileOutcome::Skipped(_) => &mut self.skipped,
            // Any other outcome is a failure.
            _ => &mut self.failed,
        };
        *count += 1;
        if let (FileOutcome::Rewritten | FileOutcome::Unchanged, Some(documents)) =
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
            for seen in DocumentReport::all(documents).iter().filter(|seen| seen.is_unresolved()) {
                self.unresolved.add(seen, &name);
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

    /// Prints the totals as JSON if `--stats` says so.
    pub(super) fn print_json(
        &self,
        writing: &WritingArgs,
        ending: Ending,
        started: Instant,
    ) -> Result<(), Failure> {
        match writing.stats {
            StatsArg::Json => print_stats(writing, &self.json(ending, started)),
            StatsArg::Text => Ok(()),
        }
    }

    /// Whether a document changes, or would.
    pub(super) fn would_change(&self) -> bool {
        self.rewritten > 0
    }

    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// One line for people, of a run that a signal stopped: how many of `all` files it did.
    pub(super) fn interrupted(&self, all: usize, done: Interrupted) -> String {
        let files = |number| format!("{} of {}", thousands(number), counted(all, "file"));
        let what = match done {
            Interrupted::InPlace => {
                format!("{} rewritten; the rest is unchanged", files(self.rewritten))
            }
            Interrupted::IntoFolder => {
                let written = self.rewritten + self.unchanged + self.copied;
                format!("{} written; the rest was not", files(written))
            }
            Interrupted::Trial => format!("{} read; nothing was written", files(self.seen)),
            Interrupted::Discarded => "nothing was written".to_owned(),
        };
        format!("interrupted: {what}")
    }

    /// Two lines for people.
    pub(super) fn text(&self, mode: RunMode, started: Instant) -> [String; 2] {
        let rewritten = mode.rewritten();
        let copied = match mode {
            RunMode::Done => "copied",
            RunMode::Would => "would be copied",
        };
        let copied = match self.copied {
            0 => String::new(),
            number => format!(", {} {copied}", thousands(number)),
        };
        let parts = match self.failed_parts {
            0 => String::new(),
            number => format!(", {} failed", counted(number, "part")),
        };
        [
            format!(
                "{}: {} {rewritten}, {} unchanged{copied}, {} skipped, {} failed{parts}",
                counted(self.seen, "file"),
                thousands(self.rewritten),
                thousands(self.unchanged),
                thousands(self.skipped),
                thousands(self.failed)
            ),
            links_text(&self.links, mode, started.elapsed().as_secs_f64()),
        ]
    }

    fn json(&self, ending: Ending, started: Instant) -> Value {
        json!({
            "interrupted": ending == Ending::Interrupted,
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

/// Links by outcome, in a line for people.
pub(super) fn links_text(links: &absolve::LinkCounts, mode: RunMode, seconds: f64) -> String {
    format!(
        "{}: {} {}, {} absolute, {} kept, {} unresolved, {} invalid; {seconds:.2} seconds",
        counted(links.links, "link"),
        thousands(links.rewritten),
        mode.rewritten(),
        thousands(links.absolute),
        thousands(links.kept),
        thousands(links.unresolved),
        thousands(links.invalid)
    )
}

pub(super) fn links_json(links: &absolve::LinkCounts) -> Value {
    json!({
        "seen": links.links,
        "rewritten": links.rewritten,
        "absolute": links.absolute,
        "kept": links.kept,
        "unresolved": links.unresolved,
        "invalid": links.invalid,
    })
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// All files were processed.
    Complete,
    /// A signal stopped it before the last file.
    Interrupted,
}

/// What an interrupted run leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// Files rewritten in place.
    InPlace,
    /// Files in an output folder that was not empty.
    IntoFolder,
    /// Nothing: the run only showed what would change.
    Trial,
    /// Nothing: the output folder was removed, or not written to yet.
    Discarded,
}

/// Whether something was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RunMode {
    Done,
    Would,
}

impl RunMode {
    pub(super) fn rewritten(self) -> &'static str {
        match self {
            Self::Done => "rewritten",
            Self::Would => "would be rewritten",
        }
    }
}
