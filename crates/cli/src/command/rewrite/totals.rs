//! The totals of a run, in a line for people or as JSON, and the notes on its files.

use std::fmt::Write as _;
use std::time::Instant;

use absolve::LinkCounts;
use absolve_archive::Documents;
use absolve_files::{FileOutcome, Report, Skip};
use absolve_site::report::display::{counted, thousands};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::mirrors::CopiedPages;

use crate::args::{RewriteArgs, StatsArg};
use crate::run::rewrite::{Interrupted, Totals, rewritten_documents};
use crate::session::document_report::{DocumentReport, Unresolved};
use crate::session::failure::{Failure, Status};
use crate::session::output::write_to_stdout;
use crate::terminal::Messages;

/// The notes on the files of a run, printed at its end.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) unresolved: Unresolved,
    pub(super) copied_pages: CopiedPages,
    /// The number of messages with a signature that does not cover their new text.
    signed_messages: usize,
    /// The number of symbolic links that were skipped.
    pub(super) symlinks: usize,
    /// The number of pages with digests of style sheets or scripts that change.
    stale_pages: usize,
}

impl Notes {
    pub(super) fn add(&mut self, report: &Report, name: impl FnOnce() -> String) {
        self.symlinks += usize::from(matches!(report.outcome, FileOutcome::Skipped(Skip::Link)));
        let Some(documents) = rewritten_documents(report) else { return };
        if documents.counts().unresolved > 0 {
            let name = name();
            let documents = DocumentReport::from_documents(documents);
            for document in documents.iter().filter(|document| document.is_unresolved()) {
                self.unresolved.add(document, &name);
            }
        }
        match documents {
            Documents::One(summary) => self.stale_pages += usize::from(summary.has_stale_digests()),
            Documents::Parts(parts) => {
                self.signed_messages += usize::from(parts.breaks_signature());
            }
        }
    }

    /// Warns if changed messages are signed, or changed files have digests in other pages.
    pub(super) fn report_signatures(&self, messages: Messages) {
        if self.stale_pages > 0 {
            messages.warning(format_args!(
                "digests (integrity, Content-Security-Policy) of style sheets or scripts that change \
                 stay in {}; write new ones there",
                counted(self.stale_pages, "page")
            ));
        }
        if self.signed_messages > 0 {
            messages.warning(format_args!(
                "signatures (DKIM, S/MIME, PGP) do not match the new text of {}",
                counted(self.signed_messages, "message")
            ));
        }
    }
}

/// An outcome of files: its key in JSON, its word for people, and its number.
type OutcomeCount = (&'static str, &'static str, u64);

/// The totals of a finished or interrupted run, with its arguments and notes.
#[derive(Clone, Copy)]
pub(super) struct RunSummary<'a> {
    pub(super) args: &'a RewriteArgs,
    pub(super) totals: &'a Totals,
    pub(super) notes: &'a Notes,
}

impl RunSummary<'_> {
    /// Returns the status of a run that was not interrupted.
    pub(super) fn status(&self) -> Status {
        let writing = &self.args.writing;
        let is_preview = writing.check || writing.diff;
        let has_findings = is_preview && self.totals.is_changed()
            || writing.strict && !self.notes.unresolved.is_empty();
        Status::new(self.totals.has_failed(), has_findings)
    }

    /// Prints the totals as a line of JSON with `--stats json`: to stdout, or to stderr if stdout
    /// has the document. A closed stdout is no failure.
    pub(super) fn print_json(
        self,
        interrupted: Option<Interrupted>,
        started: Instant,
    ) -> Result<(), Failure> {
        let writing = &self.args.writing;
        if writing.stats == StatsArg::Text {
            return Ok(());
        }
        let seconds = started.elapsed().as_secs_f64();
        let stats = serde_json::to_string(&Stats { summary: self, interrupted, seconds });
        let stats = stats.map_err(|error| Failure::message(error.to_string()))?;
        if writing.is_to_stdout() {
            Messages::line(stats);
            return Ok(());
        }
        match write_to_stdout(|out| writeln!(out, "{stats}")) {
            Err(Failure::ClosedPipe) => Ok(()),
            printed => printed,
        }
    }

    /// Prints a line for people, unless the totals are printed as JSON.
    pub(super) fn print_text(&self, messages: Messages) {
        let writing = &self.args.writing;
        if writing.stats == StatsArg::Text {
            let verb = if writing.is_trial() { "would rewrite" } else { "rewrote" };
            messages.warning(self.describe(verb));
        }
    }

    /// Returns the line about an interrupted run over `all` files.
    pub(super) fn describe_interrupted(&self, all: usize, done: Interrupted) -> String {
        let counts = &self.totals.counts;
        let files = |number| format!("{} of {}", thousands(number), counted(all, "file"));
        let state = match done {
            Interrupted::InPlace => {
                format!("{} rewritten; the rest is unchanged", files(counts.rewritten))
            }
            Interrupted::IntoFolder => {
                let written = counts.rewritten + counts.unchanged + counts.copied;
                format!("{} written; the rest was not", files(written))
            }
            Interrupted::Trial => format!("{} read; nothing was written", files(counts.seen)),
            Interrupted::Discarded => "nothing was written".to_owned(),
        };
        format!("interrupted: {state}")
    }

    /// Lists the outcomes in the order of the summary.
    fn list_outcomes(&self) -> [OutcomeCount; 5] {
        let counts = &self.totals.counts;
        [
            ("rewritten", "rewritten", counts.rewritten),
            ("unchanged", "unchanged", counts.unchanged),
            ("copied", "copied", counts.copied),
            ("skipped", "skipped", counts.skipped),
            ("failed", "failed", counts.failed),
        ]
    }

    /// Returns the line for people: the rewritten files and links, then the other outcomes.
    fn describe(&self, verb: &str) -> String {
        let LinkCounts { rewritten, unresolved, invalid, .. } = self.totals.links;
        let mut text = match self.totals.counts.rewritten {
            0 => format!("{verb} nothing"),
            files => {
                format!("{verb} {}, {}", counted(files, "file"), counted(rewritten as u64, "link"))
            }
        };
        let stayed = [(unresolved, "without a base URL"), (invalid, "invalid")];
        let stayed = stayed.into_iter().filter(|(number, _)| *number > 0);
        let stayed: Vec<_> =
            stayed.map(|(number, why)| format!("{} {why}", thousands(number))).collect();
        if !stayed.is_empty() {
            let label = if self.totals.counts.rewritten == 0 { "links: " } else { "" };
            let _ = write!(text, " ({label}{})", stayed.join(", "));
        }
        let parts = counted(self.totals.failed_parts, "part");
        let files = counted(self.totals.xml_files, "XML file");
        let outcomes = self.list_outcomes().into_iter().skip(1);
        let outcomes = outcomes.map(|(_, word, number)| (number, thousands(number), word));
        let others = [
            (self.totals.failed_parts as u64, parts, "failed"),
            (self.totals.xml_files as u64, files, "passed over"),
        ];
        let others = outcomes.chain(others).filter(|(number, ..)| *number > 0);
        for (at, (_, number, word)) in others.enumerate() {
            let separator = if at == 0 { "; " } else { ", " };
            let _ = write!(text, "{separator}{number} {word}");
        }
        text
    }
}

/// The totals as JSON.
struct Stats<'a> {
    summary: RunSummary<'a>,
    interrupted: Option<Interrupted>,
    seconds: f64,
}

/// A JSON object of numbers, in this order.
struct Numbers(Vec<(&'static str, u64)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for Stats<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RunSummary { totals, notes, .. } = self.summary;
        let Totals { counts, failed_parts, links, xml_files } = totals;
        let by_outcome = self.summary.list_outcomes().map(|(key, _, number)| (key, number));
        let outcomes = [("seen", counts.seen)].into_iter().chain(by_outcome);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("interrupted", &self.interrupted.is_some())?;
        map.serialize_entry("files", &Numbers(outcomes.collect()))?;
        map.serialize_entry("failed_parts", failed_parts)?;
        map.serialize_entry("links", &Numbers(list_link_counts(links)))?;
        map.serialize_entry("without_base", &notes.unresolved)?;
        if *xml_files > 0 {
            map.serialize_entry("xml_files_passed_over", xml_files)?;
        }
        map.serialize_entry("seconds", &self.seconds)?;
        map.end()
    }
}

fn list_link_counts(links: &LinkCounts) -> Vec<(&'static str, u64)> {
    let numbers = [
        ("seen", links.links),
        ("rewritten", links.rewritten),
        ("absolute", links.absolute),
        ("kept", links.kept),
        ("unresolved", links.unresolved),
        ("invalid", links.invalid),
    ];
    numbers.map(|(key, number)| (key, number as u64)).to_vec()
}
