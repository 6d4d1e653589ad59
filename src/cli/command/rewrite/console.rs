//! Prints the changes, notes and failures of a run.

use std::path::Path;

use super::destination::list_changed;
use super::listener::Listener;
use crate::Diagnosis;
use crate::batch::{FileOutcome, Report};
use crate::cli::args::RewriteArgs;
use crate::cli::session::document_report::{DocumentReport, failures, notes};
use crate::cli::session::failure::Failure;
use crate::cli::session::output::Output;
use crate::cli::session::progress::Progress;
use crate::cli::terminal::{Messages, printable_path};

/// Prints what a run does.
pub(super) struct Console<'a> {
    args: &'a RewriteArgs,
    output: Output,
    progress: &'a Progress<'a>,
    /// The failures of files, which are printed after the notes on all of them.
    failures: Vec<Diagnosis>,
    /// Whether the list of changed files was printed.
    listed: Result<(), Failure>,
}

impl<'a> Console<'a> {
    pub(super) fn new(args: &'a RewriteArgs, output: Output, progress: &'a Progress<'a>) -> Self {
        Self { args, output, progress, failures: Vec::new(), listed: Ok(()) }
    }

    /// Prints what waited for the end of the run, and returns whether the list of changed files was
    /// printed.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.progress.finish();
        self.failures.iter().for_each(Messages::error);
        self.listed
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
                self.failures.push(Diagnosis::of(name(), failure));
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
}
