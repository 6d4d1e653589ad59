//! Rewriting a tree: every file in parallel, every result in order.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

use super::commit::{Commit, settle, settle_all, settle_batch};
use super::failure::Failure;
use super::flush::Sync;
use super::identity::settled;
use super::open_files::{few_files, window};
use super::outcome::{Monitor, Outcome, Report, RunStatus};
use super::pending_rename::PendingItem;
use super::preflight::PreflightError;
use super::read::{FileBuffers, Opened};
use super::settings::{Destination, HardLinks, Rewriting};
use super::temporary::remove_dead;
use super::tree::{Item, Kind, Tree};
use super::walk::WriteMode;
use super::write_item::{Written, backup_name, could_mirror, writable};
use crate::container::{self, Format};
use crate::jobs::{ThreadState as _, Workers, lock_if_large};

impl Rewriting<'_> {
    /// Rewrites a tree, and reports on every item in the order of the walk.
    pub fn run(
        &self,
        tree: &Tree,
        workers: &Workers,
        monitor: &dyn Monitor,
        report: &mut dyn FnMut(&Item, Report),
    ) -> RunStatus {
        if let Destination::InPlace = self.destination {
            remove_remains(tree);
        }
        let mut end = RunStatus::Done;
        let (commit, flush) = (self.commit_of(), self.flushes());
        let window = if commit == Commit::AtEnd { tree.items.len() } else { window() };
        let work = |buffers: &mut FileBuffers, number: usize| {
            if monitor.is_stopped() {
                return None;
            }
            let mut step = self.item(buffers, tree, &tree.items[number], monitor);
            if commit == Commit::InBatches && !flush {
                settle(&mut step);
            }
            Some(step)
        };
        workers.map_ordered(tree.items.len(), window, work, |numbers, mut steps| {
            let is_whole = !monitor.is_stopped() && steps.iter().all(Option::is_some);
            if is_whole {
                end = match commit {
                    Commit::InBatches => settle_batch(&mut steps, monitor),
                    Commit::AtEnd => settle_all(&mut steps, flush, monitor),
                };
            }
            for (item, step) in tree.items[numbers].iter().zip(steps) {
                match step {
                    Some(PendingItem { report: done, .. }) if end == RunStatus::NotWritten => {
                        if done.has_failed() {
                            report(item, done);
                        }
                    }
                    Some(PendingItem { report: done, pending: None }) => report(item, done),
                    // What has not taken its place is taken away.
                    _ => end = RunStatus::Stopped,
                }
            }
            if end == RunStatus::Stopped {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        end
    }

    fn flushes(&self) -> bool {
        match (self.sync, self.destination) {
            (Sync::Never, _) | (_, Destination::Nowhere(_) | Destination::Preview(_)) => false,
            (_, Destination::InPlace) => true,
            // What is staged is flushed in one.
            (_, Destination::Mirror(mirror)) => !mirror.is_staged(),
        }
    }

    /// A new tree is not seen before it is whole, and a trial writes nothing.
    fn commit_of(&self) -> Commit {
        match self.destination {
            Destination::Nowhere(_) | Destination::Preview(_) => Commit::InBatches,
            Destination::Mirror(mirror) if mirror.is_staged() => Commit::InBatches,
            _ => self.commit,
        }
    }

    fn item(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        monitor: &dyn Monitor,
    ) -> PendingItem {
        let done = match &item.kind {
            Kind::Skipped(skip) => return Outcome::Skipped(skip.clone()).into(),
            Kind::Failed(failure) => return Outcome::Failed(failure.clone()).into(),
            Kind::Document => self.document(buffers, tree, item, monitor),
            Kind::Other => self.other(buffers, tree, item, monitor),
            Kind::Link => {
                self.link(buffers, tree, item).map_err(|error| self.not_written(tree, item, &error))
            }
        };
        done.unwrap_or_else(|failure| Outcome::Failed(failure).into())
    }

    fn document(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        monitor: &dyn Monitor,
    ) -> Result<PendingItem, Failure> {
        let opened = match self.open(buffers, tree, item)? {
            Ok(opened) => opened,
            Err(outcome) => return Ok(outcome.into()),
        };
        let lock = lock_if_large(opened.metadata.len());
        let limits = self.rewriter.settings().limits;
        buffers.read_opened(&opened, &limits).map_err(|error| Failure::read(&error))?;
        monitor.read(buffers.source().len() as u64);
        let format = match self.format {
            Some(format) => format,
            None => Format::detect(item.name.as_ref(), buffers.source())?,
        };
        let origins = self.origins;
        let rewriter = origins.rewriter_of_item(self.rewriter, tree, item, &opened.folder)?;
        // Taken apart, so that the result can be written while it is borrowed.
        let (mut scratch, source) =
            (std::mem::take(&mut buffers.scratch), std::mem::take(&mut buffers.source));
        let step = container::rewrite(source.bytes(), format, &rewriter, &mut scratch)
            .map_err(Failure::from)
            .and_then(|rewritten| {
                let is_changed = rewritten.is_changed();
                let written = match self.destination {
                    Destination::Nowhere(WriteMode::Replace) | Destination::InPlace
                        if !is_changed =>
                    {
                        Ok(Written::There)
                    }
                    Destination::Nowhere(WriteMode::Replace) => {
                        self.could_replace(&opened, item, tree)?;
                        Ok(Written::Whole)
                    }
                    Destination::Nowhere(_) => Ok(Written::Whole),
                    Destination::Preview(checked) => {
                        could_mirror(tree, item, checked, rewritten.bytes())
                    }
                    Destination::InPlace => {
                        writable(&opened.metadata).map_err(|error| Failure::write(&error))?;
                        self.beside(&opened, item, tree, rewritten.bytes())
                            .map(|pending| Written::Beside(Box::new(pending)))
                    }
                    Destination::Mirror(mirror) => {
                        self.mirrored(buffers, tree, item, mirror, &opened, rewritten.bytes())
                    }
                };
                let written = written.map_err(|error| self.not_written(tree, item, &error))?;
                let outcome = match written {
                    Written::Whole | Written::Beside(_) if is_changed => Outcome::Rewritten,
                    _ => Outcome::Unchanged,
                };
                let report = Report { outcome, documents: Some(rewritten.into_summary()) };
                let pending = match written {
                    Written::Beside(pending) => Some(pending),
                    _ => None,
                };
                Ok(PendingItem { report, pending })
            });
        (buffers.scratch, buffers.source) = (scratch, source);
        if lock.is_some() {
            buffers.shrink();
        }
        step
    }

    /// Opens a document, unless it is to be skipped.
    fn open(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
    ) -> Result<Result<Opened, Outcome>, Failure> {
        let mut opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        if let Some(names) = self.other_names(&opened, item) {
            return Ok(Err(Outcome::of_hard_links(tree, item, names)));
        }
        if let Destination::InPlace = self.destination {
            opened.metadata =
                settled(&opened.file, opened.metadata).map_err(|error| Failure::read(&error))?;
        }
        Ok(Ok(opened))
    }

    /// How many names a file has, if it is not to be touched because of them.
    fn other_names(&self, opened: &Opened, item: &Item) -> Option<u64> {
        // A trial shows what a run in place does.
        let replaces = matches!(self.destination, Destination::InPlace | Destination::Nowhere(_));
        if !replaces || self.hard_links == HardLinks::Broken {
            return None;
        }
        let metadata = Metadata::from_just_metadata(opened.metadata.clone());
        let names = MetadataExt::nlink(&metadata);
        // The other name may be the backup that a killed run made.
        let own = |suffix: &&str| {
            let there = opened.folder.metadata(&backup_name(&item.name, suffix));
            names == 2
                && there.is_ok_and(|there| {
                    (there.dev(), there.ino()) == (metadata.dev(), metadata.ino())
                })
        };
        (names > 1 && self.backup.as_ref().is_none_or(|suffix| !own(suffix))).then_some(names)
    }
}

/// Finds out whether anything in a tree can be rewritten in place.
///
/// # Errors
///
/// If no folder that a document is in may be written to.
pub fn check_in_place(tree: &Tree) -> Result<(), PreflightError> {
    few_files(tree.roots.first().map_or(Path::new("."), |root| &root.shown))?;
    let mut refused = None;
    let mut last = usize::MAX;
    for item in tree.items.iter().filter(|item| matches!(item.kind, Kind::Document)) {
        if item.folder == last {
            continue;
        }
        last = item.folder;
        let (root, path, _) = tree.place(item);
        // One that cannot be entered is reported with its files.
        if root.folder.enter(path).is_ok_and(|folder| folder.is_writable()) {
            return Ok(());
        }
        let path = &tree.folders[item.folder].path;
        refused.get_or_insert_with(|| root.shown.iter().chain(path).collect::<PathBuf>());
    }
    let what = "it may not be written to; make it writable, or write to another folder with -o";
    refused.map_or(Ok(()), |path| Err(PreflightError::new(&path, what)))
}

/// Removes what killed runs left in the tree.
fn remove_remains(tree: &Tree) {
    for &folder in &tree.with_remains {
        let at = &tree.folders[folder];
        // What cannot be entered is reported with its files.
        let _ = tree.roots[at.root].folder.enter(&at.real).and_then(|folder| remove_dead(&folder));
    }
}
