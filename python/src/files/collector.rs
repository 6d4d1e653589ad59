//! Collects what a run does.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{FileOutcome, Monitor, Report};
use absolve::cli::command::rewrite::{Listener, Observers, Totals};
use absolve::cli::session::failure::Failure;
use absolve::container::{DocumentOutcome, Documents, Outcome, path_of_member};

use super::result::{FileFailure, RewriteResult};
use crate::progress::Watch;

/// Failures of documents in a container that are kept; a hostile archive has millions.
const MOST: usize = 1_000;

/// Collects the failures of a run, and reports its progress.
pub(super) struct Collector<'w> {
    started: Instant,
    watch: &'w Watch,
    /// The file that is rewritten, if it is a container.
    source: &'w Path,
    failures: Vec<FileFailure>,
    /// The paths of documents with other links.
    changed: Vec<OsString>,
}

impl<'w> Collector<'w> {
    pub(super) fn new(watch: &'w Watch, source: &'w Path) -> Self {
        let (failures, changed) = (Vec::new(), Vec::new());
        Self { started: Instant::now(), watch, source, failures, changed }
    }

    pub(super) fn observers<'r>(&'r mut self, monitor: &'r Watch) -> Observers<'r> {
        Observers { monitor, listener: self }
    }

    pub(super) fn finish(self, totals: &Totals) -> RewriteResult {
        RewriteResult {
            counts: totals.counts.into(),
            links: totals.links.into(),
            failed_parts: totals.failed_parts,
            failures: self.failures,
            changed: self.changed,
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }
}

impl Listener for Collector<'_> {
    fn start(&mut self, documents: usize) {
        self.watch.set_total(documents as u64);
    }

    fn file(&mut self, path: &Path, report: &Report) {
        match &report.outcome {
            FileOutcome::Failed(failure) => self.failures.push(FileFailure {
                file: path.into(),
                inside: None,
                message: failure.to_string(),
                error: failure.document_error().cloned(),
            }),
            FileOutcome::Rewritten => self.changed.push(path.into()),
            _ => {}
        }
        let documents = report.documents.iter();
        self.failures.extend(documents.flat_map(Documents::failures).map(|error| FileFailure {
            file: path.into(),
            inside: error.part().map(|part| part.to_string()),
            message: error.to_string(),
            error: Some(error.clone()),
        }));
    }

    fn document(&mut self, document: &DocumentOutcome<'_>) -> Result<(), Failure> {
        self.watch.read(0);
        if let Outcome::Failed(why) = document.outcome
            && self.failures.len() < MOST
        {
            let (file, inside) = match document.record {
                Some(record) => {
                    (path_of_member(self.source, document.member).into(), Some(record.to_string()))
                }
                None => (self.source.into(), document.member.map(str::to_owned)),
            };
            let message = why.to_string();
            self.failures.push(FileFailure { file, inside, message, error: None });
        }
        Ok(())
    }

    fn commits(&mut self) -> bool {
        self.watch.complete();
        self.watch.goes_on()
    }
}
