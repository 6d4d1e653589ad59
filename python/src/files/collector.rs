//! Collects what a run does.

use std::ffi::OsString;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{FileOutcome, Report};
use absolve::cli::command::rewrite::{Listener, Observers, Totals};
use absolve::container::Documents;

use super::result::{FileFailure, RewriteResult};
use crate::errors::in_python;
use crate::progress::Watch;

/// Collects the failures of a run, and reports its progress.
pub(super) struct Collector<'w> {
    started: Instant,
    watch: &'w Watch,
    failures: Vec<FileFailure>,
    /// The paths of documents with other links.
    changed: Vec<OsString>,
}

impl<'w> Collector<'w> {
    pub(super) fn new(watch: &'w Watch) -> Self {
        let (failures, changed) = (Vec::new(), Vec::new());
        Self { started: Instant::now(), watch, failures, changed }
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
    fn start(&mut self, files: usize) {
        self.watch.set_total(files as u64);
    }

    fn file(&mut self, path: &Path, report: &Report) {
        match &report.outcome {
            FileOutcome::Failed(failure) => self.failures.push(FileFailure {
                file: path.into(),
                inside: None,
                message: in_python(failure),
                error: failure.document_error().cloned(),
            }),
            FileOutcome::Rewritten => self.changed.push(path.into()),
            _ => {}
        }
        let documents = report.documents.iter();
        self.failures.extend(documents.flat_map(Documents::failures).map(|error| FileFailure {
            file: path.into(),
            inside: error.part().map(|part| part.to_string()),
            message: in_python(error),
            error: Some(error.clone()),
        }));
    }

    fn commits(&mut self) -> bool {
        self.watch.complete();
        self.watch.goes_on()
    }
}
