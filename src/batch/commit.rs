//! Renames written files to their final names, batch by batch.

use std::sync::Arc;

use super::failure::Failure;
use super::flush;
use super::folder::Folder;
use super::outcome::{FileOutcome, Monitor, Report, RunStatus};
use super::pending_rename::PendingRename;

/// An item that is done except for the rename.
pub(super) struct PendingItem {
    pub(super) report: Report,
    pub(super) pending: Option<Box<PendingRename>>,
}

impl From<FileOutcome> for PendingItem {
    fn from(outcome: FileOutcome) -> Self {
        Self { report: Report { outcome, documents: None }, pending: None }
    }
}

impl PendingItem {
    /// Renames the file.
    pub(super) fn settle(&mut self) {
        let Some(pending) = self.pending.take() else { return };
        if let Err(error) = pending.take_place() {
            self.report.outcome = FileOutcome::Failed(error.into());
        }
    }
}

/// Flushes the files of a batch, renames them, and flushes their folders.
pub(super) fn settle_batch(items: &mut [Option<PendingItem>], monitor: &dyn Monitor) -> RunStatus {
    let written = items.iter().flatten().filter_map(|item| item.pending.as_deref());
    if let Err(error) = flush::files(written.map(PendingRename::file)) {
        let failure = Failure::write(&error);
        for item in items.iter_mut().flatten() {
            if item.pending.take().is_some() {
                item.report.outcome = FileOutcome::Failed(failure.clone());
            }
        }
        return RunStatus::Done;
    }
    let mut folders: Vec<Arc<Folder>> = Vec::new();
    for item in items.iter_mut().flatten() {
        if monitor.is_stopped() {
            break;
        }
        let Some(pending) = &item.pending else { continue };
        if !folders.last().is_some_and(|last| Arc::ptr_eq(last, pending.folder())) {
            folders.push(pending.folder().clone());
        }
        item.settle();
    }
    match flush::folders(&folders) {
        Ok(()) => RunStatus::Done,
        Err(error) => RunStatus::Unflushed(Failure::flush(&error)),
    }
}
