//! The totals of a run: files and their links, by outcome.

use std::fmt::Write as _;
use std::time::Instant;

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::copied::CopiedPages;
use super::destination::{is_trial, print_stats};
use crate::LinkCounts;
use crate::batch::{FileOutcome, Report, Skip};
use crate::cli::args::{RewriteArgs, StatsArg};
use crate::cli::session::document_report::DocumentReport;
use crate::cli::session::failure::Failure;
use crate::cli::session::status::Status;
use crate::cli::session::unresolved::Unresolved;
use crate::cli::terminal::Messages;
use crate::container::Documents;
use crate::report::display::{counted, thousands};

/// The number of files, by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The sum of the others.
    pub seen: u64,
    pub rewritten: u64,
    pub unchanged: u64,
    pub copied: u64,
    pub skipped: u64,
    pub failed: u64,
}

/// Files and their links, by outcome.
#[derive(Default)]
pub struct Totals {
    pub counts: Counts,
    /// Parts of messages; the messages are counted as rewritten or unchanged.
    pub failed_parts: usize,
    pub links: LinkCounts,
    pub(super) unresolved: Unresolved,
    /// XML files that are passed over, where their links would have to change too.
    pub(super) xml_files: usize,
    pub(super) copied_pages: CopiedPages,
    /// Messages with a signature that does not cover their new text.
    signed: usize,
    /// Symbolic links that were skipped.
    pub(super) symlinks: usize,
    /// Pages with digests of what changes.
    stale: usize,
}

/// An outcome: its key in JSON, its word for people, and how often it occurred.
type Column = (&'static str, &'static str, u64);

impl Totals {
    /// The totals of the only document, which has this name.
    pub fn of_document(report: &Report, name: &str) -> Self {
        let mut totals = Self::default();
        totals.add(report, || name.to_owned());
        totals
    }

    /// Counts a file.
    pub(super) fn add(&mut self, report: &Report, name: impl FnOnce() -> String) {
        let files = &mut self.counts;
        files.seen += 1;
        *match &report.outcome {
            FileOutcome::Rewritten => &mut files.rewritten,
            FileOutcome::Unchanged => &mut files.unchanged,
            FileOutcome::Copied => &mut files.copied,
            FileOutcome::Skipped(skip) => {
                self.symlinks += usize::from(*skip == Skip::Link);
                &mut files.skipped
            }
            // Any other outcome is a failure.
            _ => &mut files.failed,
        } += 1;
        if let (FileOutcome::Rewritten | FileOutcome::Unchanged, Some(documents)) =
            (&report.outcome, &report.documents)
        {
            self.add_documents(documents, name);
        }
    }

    fn add_documents(&mut self, documents: &Documents, name: impl FnOnce() -> String) {
        if documents.counts().unresolved > 0 {
            let name = name();
            let documents = DocumentReport::all(documents);
            for document in documents.iter().filter(|document| document.is_unresolved()) {
                self.unresolved.add(document, &name);
            }
        }
        if let Documents::One(summary) = documents {
            self.stale += usize::from(summary.has_stale_digests());
        }
        if let Documents::Parts(parts) = documents {
            self.signed += usize::from(parts.breaks_signature());
        }
        self.links += documents.counts();
        self.failed_parts += documents.failures().len();
    }

    /// Whether a document changes, or would.
    pub fn is_changed(&self) -> bool {
        self.counts.rewritten > 0
    }

    /// Whether a document failed.
    fn has_failed(&self) -> bool {
        self.counts.failed > 0 || self.failed_parts > 0
    }

    /// The exit code of a run to the end.
    pub(super) fn status(&self, args: &RewriteArgs) -> Status {
        let writing = &args.writing;
        match () {
            () if self.has_failed() => Status::Failed,
            () if (writing.check || writing.diff) && self.is_changed() => Status::Found,
            () if writing.strict && !self.unresolved.is_empty() => Status::Found,
            () => Status::Done,
        }
    }

    /// Warns of signed messages that change, and of pages with digests of what changes.
    pub(super) fn report_signatures(&self, messages: Messages) {
        if self.stale > 0 {
            messages.warning(format_args!(
                "digests (integrity, Content-Security-Policy) of style sheets or scripts that change \
                 stay in {}; write new ones there",
                counted(self.stale, "page")
            ));
        }
        if self.signed > 0 {
            messages.warning(format_args!(
                "signatures (DKIM, S/MIME, PGP) do not match the new text of {}",
                counted(self.signed, "message")
            ));
        }
    }

    /// Prints the totals as JSON with `--stats json`; a closed stdout is no failure.
    pub(super) fn print_json(
        &self,
        args: &RewriteArgs,
        interrupted: Option<Interrupted>,
        started: Instant,
    ) -> Result<(), Failure> {
        if args.writing.stats == StatsArg::Text {
            return Ok(());
        }
        let seconds = started.elapsed().as_secs_f64();
        match print_stats(&args.writing, &Stats { totals: self, interrupted, seconds }) {
            Err(Failure::ClosedPipe) => Ok(()),
            printed => printed,
        }
    }

    /// Prints one line for people, unless the totals are printed as JSON.
    pub(super) fn print_text(&self, args: &RewriteArgs, messages: Messages) {
        if args.writing.stats == StatsArg::Text {
            let verb = if is_trial(&args.writing) { "would rewrite" } else { "rewrote" };
            messages.warning(self.summary(verb));
        }
    }

    /// One line for people about an interrupted run over `all` files.
    pub(super) fn interrupted(&self, all: usize, done: Interrupted) -> String {
        let counts = &self.counts;
        let files = |number| format!("{} of {}", thousands(number), counted(all, "file"));
        let what = match done {
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
        format!("interrupted: {what}")
    }

    /// The outcomes, in their order.
    fn columns(&self) -> [Column; 5] {
        let counts = &self.counts;
        [
            ("rewritten", "rewritten", counts.rewritten),
            ("unchanged", "unchanged", counts.unchanged),
            ("copied", "copied", counts.copied),
            ("skipped", "skipped", counts.skipped),
            ("failed", "failed", counts.failed),
        ]
    }

    /// What was rewritten, and the other outcomes that occurred, in a line for people.
    fn summary(&self, verb: &str) -> String {
        let LinkCounts { rewritten, unresolved, invalid, .. } = self.links;
        let mut text = match self.counts.rewritten {
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
            let what = if self.counts.rewritten == 0 { "links: " } else { "" };
            let _ = write!(text, " ({what}{})", stayed.join(", "));
        }
        let parts = counted(self.failed_parts, "part");
        let files = counted(self.xml_files, "XML file");
        let outcomes = self.columns().into_iter().skip(1);
        let outcomes = outcomes.map(|(_, word, number)| (number, thousands(number), word));
        let others = [
            (self.failed_parts as u64, parts, "failed"),
            (self.xml_files as u64, files, "passed over"),
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
    totals: &'a Totals,
    interrupted: Option<Interrupted>,
    seconds: f64,
}

/// An object of numbers, in their order.
struct Numbers(Vec<(&'static str, u64)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

impl Serialize for Stats<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Totals { counts, failed_parts, links, unresolved, xml_files, .. } = self.totals;
        let columns = self.totals.columns().map(|(key, _, number)| (key, number));
        let outcomes = [("seen", counts.seen)].into_iter().chain(columns);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("interrupted", &self.interrupted.is_some())?;
        map.serialize_entry("files", &Numbers(outcomes.collect()))?;
        map.serialize_entry("failed_parts", failed_parts)?;
        map.serialize_entry("links", &Numbers(link_numbers(links)))?;
        map.serialize_entry("without_base", unresolved)?;
        if *xml_files > 0 {
            map.serialize_entry("xml_files_passed_over", xml_files)?;
        }
        map.serialize_entry("seconds", &self.seconds)?;
        map.end()
    }
}

fn link_numbers(links: &LinkCounts) -> Vec<(&'static str, u64)> {
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

/// What an interrupted run leaves on the disk.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// Files rewritten in place.
    InPlace,
    /// Files in an output folder that was not empty.
    IntoFolder,
    /// Nothing: the run only showed what would change.
    Trial,
    /// Nothing: the output folder was removed, or not written to yet.
    Discarded,
}
