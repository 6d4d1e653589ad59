//! Renames written files to their final names, batch by batch.

use std::sync::Arc;

use super::failure::Failure;
use super::flush;
use super::folder::Folder;
use super::outcome::{FileOutcome, Monitor, RunStatus};
use super::pending_rename::PendingItem;

/// Flushes the files of a batch, then renames them.
pub(super) fn settle_batch(steps: &mut [Option<PendingItem>], monitor: &dyn Monitor) -> RunStatus {
    if !flush_files(steps) {
        return RunStatus::Done;
    }
    place(steps, monitor)
}

/// Flushes the written files; `false` if there are no such files, or the flush fails.
fn flush_files(steps: &mut [Option<PendingItem>]) -> bool {
    let pending = || steps.iter().flatten().filter_map(|step| step.pending.as_deref());
    if pending().next().is_none() {
        return false;
    }
    let Err(error) = flush::files(pending()) else { return true };
    let failure = Failure::write(&error);
    for step in steps.iter_mut().flatten().filter(|step| step.pending.is_some()) {
        fail(step, failure.clone());
    }
    false
}

/// Renames files, and flushes their folders.
fn place(steps: &mut [Option<PendingItem>], monitor: &dyn Monitor) -> RunStatus {
    let mut folders: Vec<Arc<Folder>> = Vec::new();
    for step in steps.iter_mut().flatten() {
        if monitor.is_stopped() {
            break;
        }
        let Some(pending) = &step.pending else { continue };
        let folder = pending.folder().clone();
        if !folders.last().is_some_and(|last| Arc::ptr_eq(last, &folder)) {
            folders.push(folder);
        }
        settle(step);
    }
    match flush::folders(&folders) {
        Ok(()) => RunStatus::Done,
        Err(error) => RunStatus::Unflushed(Failure::flush(&error)),
    }
}

/// Renames one file.
pub(super) fn settle(step: &mut PendingItem) {
    let Some(mut pending) = step.pending.take() else { return };
    if let Err(failure) = pending.take_place() {
        fail(step, failure);
    }
}

fn fail(step: &mut PendingItem, failure: Failure) {
    step.pending = None;
    step.report.outcome = FileOutcome::Failed(failure);
}
