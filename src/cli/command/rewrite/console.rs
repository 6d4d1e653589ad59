//! The command as the one who hears of a run: it prints changes, notes and failures.

use std::fmt::Display;
use std::path::Path;

use super::destination::list_changed;
use super::listener::Listener;
use crate::batch::{FileOutcome, Report};
use crate::cli::args::RewriteArgs;
use crate::cli::command::diff;
use crate::cli::session::document_report::{DocumentReport, MOST, failures, more, notes};
use crate::cli::session::failure::Failure;
use crate::cli::session::failure_log::FailureLog;
use crate::cli::session::output::{Output, to_stdout};
use crate::cli::session::progress::Progress;
use crate::cli::terminal::{Messages, Reader, Severity, printable_path};
use crate::container::{DocumentOutcome, EntryId, Outcome, path_of_member};
use crate::report::display::inside;

/// Prints what a run does.
pub(super) struct Console<'a> {
    args: &'a RewriteArgs,
    output: Output,
    progress: &'a Progress<'a>,
    /// The container, if it is one.
    container: &'a Path,
    name: String,
    /// The failures of files, which are printed after the notes on all of them.
    failures: Vec<String>,
    /// The failures of records.
    log: FailureLog,
    /// The number of revisits that do not agree with rewritten records, and the first ones, which are
    /// printed at the end.
    stale: (usize, Vec<String>),
    /// Whether the list of changed files was printed.
    listed: Result<(), Failure>,
}

impl<'a> Console<'a> {
    pub(super) fn new(
        args: &'a RewriteArgs,
        output: Output,
        progress: &'a Progress<'a>,
        container: &'a Path,
    ) -> Self {
        Self {
            args,
            output,
            progress,
            container,
            name: printable_path(container),
            failures: Vec::new(),
            log: FailureLog::new(output.messages, Severity::Error),
            stale: (0, Vec::new()),
            listed: Ok(()),
        }
    }

    /// Prints what waited for the end of the run, and returns whether the list of changed files was
    /// printed.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.progress.finish();
        self.failures.iter().for_each(Messages::error);
        self.log.end(&self.name);
        let (count, first) = self.stale;
        for line in first.into_iter().chain(more(&self.name, count)) {
            self.output.messages.warning(line);
        }
        self.listed
    }

    fn failed(&self, file: &str, record: Option<EntryId>, why: &dyn Display) {
        self.progress.aside(|| self.log.add(file, record, why));
    }

    /// Prints the notes on a document of a container.
    fn report(&self, file: &str, report: &DocumentReport<'_>) {
        let messages = self.output.messages;
        let notes: Vec<_> = report.notes(file).collect();
        // Printing redraws the bar after the text, which few documents need.
        if notes.is_empty() && !messages.are_verbose() {
            return;
        }
        self.progress.aside(|| {
            for note in &notes {
                messages.warning(note);
            }
            report.detail(file, messages);
        });
    }

    /// Prints the change of a document of a book as a diff.
    fn diff(&self, document: &DocumentOutcome<'_>) -> Result<(), Failure> {
        let Some(texts) = document.texts.filter(|_| self.args.writing.diff) else { return Ok(()) };
        let path = path_of_member(self.container, document.member);
        let (color, reader) = (self.output.color, Reader::of_stdout());
        let diff = diff::unified(path.as_os_str(), texts, color, reader);
        to_stdout(|out| out.write_all(&diff))
    }
}

impl Listener for Console<'_> {
    fn file(&mut self, path: &Path, report: &Report) {
        let messages = self.output.messages;
        let name = || printable_path(path);
        let notes = notes(report, messages, name);
        let detail = report.documents.as_ref().filter(|_| messages.are_verbose());
        if !notes.is_empty() || detail.is_some() {
            self.progress.aside(|| {
                notes.iter().for_each(Messages::error);
                for document in detail.into_iter().flat_map(DocumentReport::all) {
                    document.detail(&name(), messages);
                }
            });
        }
        match (&report.outcome, &report.documents) {
            (FileOutcome::Failed(failure), _) => {
                self.failures.push(format!("{}: {failure}", name()));
            }
            (_, Some(documents)) if !documents.failures().is_empty() => {
                self.failures.extend(failures(documents, &name()));
            }
            _ => {}
        }
        if matches!(report.outcome, FileOutcome::Rewritten) && self.listed.is_ok() {
            self.listed = list_changed(&self.args.writing, path, messages);
        }
    }

    fn document(&mut self, document: &DocumentOutcome<'_>) -> Result<(), Failure> {
        let file = printable_path(&path_of_member(self.container, document.member));
        match document.outcome {
            Outcome::Failed(why) => self.failed(&file, document.record, why),
            Outcome::Stale(why) => {
                let (count, first) = &mut self.stale;
                *count += 1;
                if first.len() < MOST {
                    first.push(format!("{}: {why}", inside(&file, document.record)));
                }
            }
            Outcome::Copied => {}
            Outcome::Rewritten(summary) | Outcome::Unchanged(summary) => {
                let report = DocumentReport::of(document.record, summary);
                if document.record.is_some() {
                    self.report(&file, &report);
                } else {
                    let messages = self.output.messages;
                    report.report(&file, messages, Severity::Warning, &self.args.base);
                }
                if let Outcome::Rewritten(_) = document.outcome {
                    self.diff(document)?;
                }
            }
        }
        Ok(())
    }

    fn warn(&mut self, message: &str) {
        self.output.messages.warning(message);
    }
}
