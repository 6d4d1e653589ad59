//! The totals of a run: files and links by outcome.

use std::time::Instant;

use absolve::LinkCounts;
use absolve::batch::{FileOutcome, Report};
use absolve::container::Documents;
use serde::Serialize;

use super::destination::print_stats;
use crate::args::{StatsArg, WritingArgs};
use crate::session::document_report::DocumentReport;
use crate::session::failure::Failure;
use crate::session::unresolved::Unresolved;
use crate::terminal::Messages;
use absolve::report::display::{counted, thousands};

/// Files and links by outcome.
#[derive(Default)]
pub(super) struct Totals {
    files: FileCounts,
    /// Parts of messages; the messages are counted as rewritten or unchanged.
    failed_parts: usize,
    links: LinkCounts,
    unresolved: Unresolved,
    /// XML files that are passed over, where their links would have to change too.
    xml_files: usize,
    /// Messages with a signature that does not cover their new text.
    signed: usize,
}

/// Files by outcome. `seen` is the sum of the others.
#[derive(Default, Serialize)]
struct FileCounts {
    seen: usize,
    rewritten: usize,
    unchanged: usize,
    copied: usize,
    skipped: usize,
    failed: usize,
}

/// The totals as JSON.
#[derive(Serialize)]
struct Stats<'a> {
    interrupted: bool,
    files: &'a FileCounts,
    failed_parts: usize,
    #[serde(with = "LinkStats")]
    links: LinkCounts,
    without_base: &'a Unresolved,
    #[serde(skip_serializing_if = "is_zero")]
    xml_files_passed_over: usize,
    seconds: f64,
}

/// Links by outcome as JSON.
#[derive(Serialize)]
#[serde(remote = "LinkCounts")]
pub(super) struct LinkStats {
    #[serde(rename = "seen")]
    links: usize,
    rewritten: usize,
    absolute: usize,
    kept: usize,
    unresolved: usize,
    invalid: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Totals {
    /// No file yet, in a tree with so many XML files that are passed over.
    pub(super) fn new(xml_files: usize) -> Self {
        Self { xml_files, ..Self::default() }
    }

    pub(super) fn add(&mut self, report: &Report, name: impl FnOnce() -> String) {
        let files = &mut self.files;
        files.seen += 1;
        *match &report.outcome {
            FileOutcome::Rewritten => &mut files.rewritten,
            FileOutcome::Unchanged => &mut files.unchanged,
            FileOutcome::Copied => &mut files.copied,
            FileOutcome::Skipped(_) => &mut files.skipped,
            // Any other outcome is a failure.
            _ => &mut files.failed,
        } += 1;
        if let (FileOutcome::Rewritten | FileOutcome::Unchanged, Some(documents)) =
            (&report.outcome, &report.documents)
        {
            self.add_documents(documents, name);
        }
    }

    pub(super) fn of_one(documents: &Documents, is_changed: bool, name: &str) -> Self {
        let (rewritten, unchanged) = if is_changed { (1, 0) } else { (0, 1) };
        let files = FileCounts { seen: 1, rewritten, unchanged, ..FileCounts::default() };
        let mut totals = Self { files, ..Self::default() };
        totals.add_documents(documents, || name.to_owned());
        totals
    }

    fn add_documents(&mut self, documents: &Documents, name: impl FnOnce() -> String) {
        if documents.counts().unresolved > 0 {
            let name = name();
            let documents = DocumentReport::all(documents);
            for document in documents.iter().filter(|document| document.is_unresolved()) {
                self.unresolved.add(document, &name);
            }
        }
        if let Documents::Parts(parts) = documents {
            self.signed += usize::from(parts.breaks_signature());
        }
        self.links += documents.counts();
        self.failed_parts += documents.failures().len();
    }

    /// The number of files and parts of messages that failed.
    pub(super) fn failures(&self) -> usize {
        self.files.failed + self.failed_parts
    }

    /// Warns of signed messages that change.
    pub(super) fn report_signed(&self, messages: Messages) {
        if self.signed > 0 {
            messages.warning(format_args!(
                "signatures (DKIM, S/MIME, PGP) do not match the new text of {}",
                counted(self.signed, "message")
            ));
        }
    }

    /// Prints the totals as JSON with `--stats json`.
    pub(super) fn print_json(
        &self,
        writing: &WritingArgs,
        ending: Ending,
        started: Instant,
    ) -> Result<(), Failure> {
        match writing.stats {
            StatsArg::Json => {
                let stats = Stats {
                    interrupted: ending == Ending::Interrupted,
                    files: &self.files,
                    failed_parts: self.failed_parts,
                    links: self.links,
                    without_base: &self.unresolved,
                    xml_files_passed_over: self.xml_files,
                    seconds: started.elapsed().as_secs_f64(),
                };
                print_stats(writing, &stats)
            }
            StatsArg::Text => Ok(()),
        }
    }

    /// Whether a document changes, or would.
    pub(super) fn would_change(&self) -> bool {
        self.files.rewritten > 0
    }

    pub(super) fn seen(&self) -> usize {
        self.files.seen
    }

    /// One line for people about an interrupted run over `all` files.
    pub(super) fn interrupted(&self, all: usize, done: Interrupted) -> String {
        let files = |number| format!("{} of {}", thousands(number), counted(all, "file"));
        let what = match done {
            Interrupted::InPlace => {
                format!("{} rewritten; the rest is unchanged", files(self.files.rewritten))
            }
            Interrupted::IntoFolder => {
                let written = self.files.rewritten + self.files.unchanged + self.files.copied;
                format!("{} written; the rest was not", files(written))
            }
            Interrupted::Trial => format!("{} read; nothing was written", files(self.files.seen)),
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
        let copied = match self.files.copied {
            0 => String::new(),
            number => format!(", {} {copied}", thousands(number)),
        };
        let parts = match self.failed_parts {
            0 => String::new(),
            number => format!(", {} failed", counted(number, "part")),
        };
        let xml = match self.xml_files {
            0 => String::new(),
            number => format!(", {} passed over", counted(number, "XML file")),
        };
        [
            format!(
                "{}: {} {rewritten}, {} unchanged{copied}, {} skipped, {} failed{parts}{xml}",
                counted(self.files.seen, "file"),
                thousands(self.files.rewritten),
                thousands(self.files.unchanged),
                thousands(self.files.skipped),
                thousands(self.files.failed)
            ),
            links_text(&self.links, mode, started.elapsed().as_secs_f64()),
        ]
    }

    /// The documents whose links stay relative.
    pub(super) fn unresolved(&self) -> &Unresolved {
        &self.unresolved
    }
}

/// Links by outcome, in a line for people.
pub(super) fn links_text(links: &LinkCounts, mode: RunMode, seconds: f64) -> String {
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

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// All files were processed.
    Complete,
    /// A signal stopped it before the last file.
    Interrupted,
}

/// What an interrupted run leaves on the disk.
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

/// Whether a run writes or only shows what it would write.
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
