//! `absolve links`: lists every link of documents, for people or for programs.

mod external;
mod listing;
mod record;

use std::path::Path;

use absolve::{Diagnosis, Summary};
use absolve_archive::{Documents, EntryId};
use absolve_files::{FileOutcome, Monitor, Report, Skip};
use listing::Listing;

use crate::args::LinksArgs;
use crate::run::links::{LinksJob, Listener};
use crate::session::document_report::{
    DocumentReport, MAX_FAILURES, Unresolved, collect_notes, describe_unnamed, explain_failures,
    explain_file_failures, report_symlinks,
};
use crate::session::failure::{Failure, Status};
use crate::session::output::Output;
use crate::session::paths::name_entry;
use crate::session::signals::{SecondSignal, Signals};
use crate::terminal::{Messages, Severity, printable_path};

/// Prints the list and its messages: notes and failed records at once, failures of files after the
/// list, and totals last.
pub fn run(args: LinksArgs, output: Output) -> Result<Status, Failure> {
    args.document.options.check().map_err(Failure::message)?;
    let listing = Listing::new(args, output.messages)?;
    let job = LinksJob::new(&listing.args, listing.globs())?;
    let signals = job.is_monitored().then(|| Signals::watch(SecondSignal::Ends));
    let monitor = signals.as_ref().map_or(&() as &dyn Monitor, |signals| signals);
    let mut console = Console::new(&listing.args, output.messages);
    job.run(&listing, monitor, &mut console)?;
    let status = console.finish(signals.and_then(|signals| signals.received()));
    listing.report(output.messages);
    Ok(status)
}

/// Prints notes on documents, and failures of records, at once; failures of files after the list.
struct Console<'a> {
    args: &'a LinksArgs,
    messages: Messages,
    failures: Vec<Diagnosis>,
    unresolved: Unresolved,
    symlinks: usize,
    /// The number of failures in the web archive that is being read.
    archive_failures: usize,
    has_failed: bool,
}

impl<'a> Console<'a> {
    fn new(args: &'a LinksArgs, messages: Messages) -> Self {
        let (failures, unresolved) = (Vec::new(), Unresolved::default());
        Self {
            args,
            messages,
            failures,
            unresolved,
            symlinks: 0,
            archive_failures: 0,
            has_failed: false,
        }
    }

    /// Prints the failures and the totals after the list, which a signal may have cut short.
    fn finish(self, signal: Option<u8>) -> Status {
        self.failures.iter().for_each(Messages::error);
        self.unresolved.report(self.messages, Severity::Warning, &self.args.base);
        report_symlinks(self.symlinks, self.messages);
        match signal {
            Some(signal) => {
                Messages::error("interrupted: the list is incomplete");
                Status::Signal(signal)
            }
            None if self.has_failed || !self.failures.is_empty() => Status::Failed,
            None => Status::Done,
        }
    }
}

impl Listener for Console<'_> {
    fn report_document(&mut self, name: &str, documents: &Documents) {
        for document in DocumentReport::from_documents(documents) {
            document.print_refused_urls(name, self.messages);
            document.notes(name).for_each(|note| self.messages.warning(note));
            if let Some(why) = document.explain_unresolved(name, &self.args.base) {
                self.messages.warning(why);
            }
        }
        self.failures.extend(explain_failures(documents, name));
    }

    fn report_file(&mut self, path: &Path, report: &Report) {
        let name = &*printable_path(path);
        collect_notes(report, self.messages, || name.to_owned()).iter().for_each(Messages::error);
        if let Some(documents) = &report.documents {
            for document in DocumentReport::from_documents(documents) {
                document.print_refused_urls(name, self.messages);
                if document.is_unresolved() {
                    self.unresolved.add(&document, name);
                }
            }
        }
        self.failures.extend(explain_file_failures(report, name));
        self.symlinks += usize::from(matches!(report.outcome, FileOutcome::Skipped(Skip::Link)));
    }

    fn report_record(&mut self, file: &Path, record: EntryId, result: &Result<Summary, Diagnosis>) {
        let name = &*printable_path(file);
        match result {
            Ok(summary) => {
                let document = DocumentReport::new(Some(record), summary);
                document.print_refused_urls(name, self.messages);
                document.notes(name).for_each(|note| self.messages.warning(note));
            }
            Err(why) => {
                self.archive_failures += 1;
                if self.archive_failures <= MAX_FAILURES {
                    Messages::error(Diagnosis::of(name_entry(name, Some(record)), why));
                }
            }
        }
    }

    fn end_archive(&mut self, name: &str) {
        let failed = std::mem::take(&mut self.archive_failures);
        self.has_failed |= failed > 0;
        describe_unnamed(name, failed).iter().for_each(Messages::error);
    }

    fn report_none_selected(&mut self, name: &str, options: &str) {
        self.messages.warning(format_args!("{name}: no document matches {options}"));
    }

    fn report_failure(&mut self, why: Diagnosis) {
        Messages::error(why);
        self.has_failed = true;
    }
}
