//! Prints the changes, notes and failures of a run.

use std::path::Path;

use absolve::Diagnosis;
use absolve_files::{FileOutcome, Report};
use absolve_site::report::display::without_commands;

use super::totals::Notes;

use crate::args::{RewriteArgs, StatsArg, WritingArgs};
use crate::run::rewrite::Listener;
use crate::session::document_report::{DocumentReport, failures_of, notes};
use crate::session::failure::Failure;
use crate::session::output::{Output, path_to_stdout, to_stdout};
use crate::session::progress::Progress;
use crate::terminal::{Messages, printable_path};

/// Prints what a run does.
pub(super) struct Console<'a> {
    args: &'a RewriteArgs,
    output: Output,
    progress: &'a Progress<'a>,
    notes: Notes,
    /// The failures of files, which are printed after the notes on all of them.
    failures: Vec<Diagnosis>,
    /// Whether the list of changed files was printed.
    listed: Result<(), Failure>,
}

impl<'a> Console<'a> {
    pub(super) fn new(args: &'a RewriteArgs, output: Output, progress: &'a Progress<'a>) -> Self {
        let (notes, failures) = (Notes::default(), Vec::new());
        Self { args, output, progress, notes, failures, listed: Ok(()) }
    }

    /// Prints what waited for the end of the run, and returns the other notes, and whether the list of
    /// changed files was printed.
    pub(super) fn finish(self) -> (Notes, Result<(), Failure>) {
        self.progress.finish();
        self.failures.iter().for_each(Messages::error);
        (self.notes, self.listed)
    }
}

impl Listener for Console<'_> {
    fn copied(&mut self, path: &Path) {
        self.notes.copied_pages.add(path);
    }

    fn file(&mut self, path: &Path, report: &Report) {
        let messages = self.output.messages;
        let name = || printable_path(path);
        self.notes.add(report, name);
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
        self.failures.extend(failures_of(report, &name()));
        if matches!(report.outcome, FileOutcome::Rewritten) && self.listed.is_ok() {
            self.listed = list_changed(&self.args.writing, path, messages);
        }
    }
}

/// Lists a file that changes or would change; `--list-different` prints only its path.
pub(super) fn list_changed(
    writing: &WritingArgs,
    path: &Path,
    messages: Messages,
) -> Result<(), Failure> {
    if writing.list_different {
        return path_to_stdout(path);
    }
    if !writing.check || messages.are_quiet() || writing.stats == StatsArg::Json {
        return Ok(());
    }
    let line = format!("would rewrite {}", printable_path(path));
    to_stdout(|out| writeln!(out, "{}", without_commands(&line)))
}
