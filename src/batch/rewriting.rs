//! Rewrites a tree: files in parallel, results in order.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

use super::commit::{settle, settle_batch};
use super::failure::Failure;
use super::flush::Sync;
use super::identity::settled;
use super::open_files::{check_open_files, window};
use super::outcome::{FileOutcome, Monitor, Report, RunStatus};
use super::pending_rename::PendingItem;
use super::preflight::PreflightError;
use super::read::{FileBuffers, OpenFile};
use super::settings::{Destination, Editor, HardLinks, Rewriting};
use super::temporary::remove_leftovers;
use super::tree::{Item, Kind, RootKind, Tree};
use super::walk::WriteMode;
use super::write_item::{WriteResult, backup_name, could_mirror};
use crate::container::{self, Format};
use crate::jobs::{ThreadState as _, Workers, lock_if_large};
use crate::rewrite::Buffers;

/// The new bytes of a document, and whether they differ from the old ones.
struct Changed<'b> {
    bytes: &'b [u8],
    is_changed: bool,
}

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
            remove_leftovers_in(tree);
        }
        let mut end = RunStatus::Done;
        let flush = self.flushes();
        let work = |buffers: &mut FileBuffers, number: usize| {
            if monitor.is_stopped() {
                return None;
            }
            let mut step = self.item(buffers, tree, &tree.items[number], monitor);
            if !flush {
                settle(&mut step);
            }
            Some(step)
        };
        workers.map_ordered(tree.items.len(), window(), work, |numbers, mut steps| {
            let is_whole = !monitor.is_stopped() && steps.iter().all(Option::is_some);
            if is_whole {
                end = settle_batch(&mut steps, monitor);
            }
            for (item, step) in tree.items[numbers].iter().zip(steps) {
                match step {
                    Some(PendingItem { report: done, pending: None }) => report(item, done),
                    // Files that were not renamed are removed.
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
            (Sync::Never, _) | (_, Destination::Check(_) | Destination::Preview(_)) => false,
            (_, Destination::InPlace) => true,
            // A staged tree is flushed once.
            (_, Destination::Mirror(mirror)) => !mirror.is_staged(),
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
            Kind::Skipped(skip) => return FileOutcome::Skipped(skip.clone()).into(),
            Kind::Failed(failure) => return FileOutcome::Failed(failure.clone()).into(),
            Kind::Document => self.document(buffers, tree, item, monitor),
            Kind::Other => self.other(buffers, tree, item, monitor),
            Kind::Link => {
                self.link(buffers, tree, item).map_err(|error| self.not_written(tree, item, &error))
            }
        };
        done.unwrap_or_else(|failure| FileOutcome::Failed(failure).into())
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
        // Taken out, so that the result can be written while it borrows them.
        let (mut memory, source) =
            (std::mem::take(&mut buffers.memory), std::mem::take(&mut buffers.source));
        let step = match self.editor {
            Some(editor) => self.edited(buffers, tree, item, &opened, source.bytes(), editor),
            None => self.rewritten(buffers, tree, item, &opened, source.bytes(), &mut memory),
        };
        (buffers.memory, buffers.source) = (memory, source);
        if lock.is_some() {
            buffers.shrink();
        }
        step
    }

    /// Rewrites the links of a document.
    fn rewritten(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        opened: &OpenFile,
        source: &[u8],
        memory: &mut Buffers,
    ) -> Result<PendingItem, Failure> {
        let format = match self.format {
            Some(format) => format.check_given(source)?,
            None => Format::detect(item.name.as_ref(), source)?,
        };
        let origins = self.origins;
        let rewriter = origins.rewriter_of_item(self.rewriter, tree, item, &opened.folder)?;
        let rewritten = match container::rewrite(source, format, &rewriter, memory) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                let Some(skip) = tree.skipped(item, &error) else { return Err(error.into()) };
                let unchanged = Changed { bytes: source, is_changed: false };
                let mut step = self.output(buffers, tree, item, opened, unchanged)?;
                step.report.outcome = FileOutcome::Skipped(skip);
                return Ok(step);
            }
        };
        let changed = Changed { bytes: rewritten.bytes(), is_changed: rewritten.is_changed() };
        let mut step = self.output(buffers, tree, item, opened, changed)?;
        step.report.documents = Some(rewritten.into_summary());
        Ok(step)
    }

    /// Edits a document by an editor.
    fn edited(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        opened: &OpenFile,
        source: &[u8],
        editor: &dyn Editor,
    ) -> Result<PendingItem, Failure> {
        let edited = editor.edit(&tree.path(item), source)?;
        let is_changed = edited.as_ref().is_some_and(|bytes| bytes != source);
        let bytes = edited.as_deref().unwrap_or(source);
        self.output(buffers, tree, item, opened, Changed { bytes, is_changed })
    }

    /// Writes the new bytes of a document to where they go.
    fn output(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
        opened: &OpenFile,
        Changed { bytes, is_changed }: Changed<'_>,
    ) -> Result<PendingItem, Failure> {
        let written = match self.destination {
            Destination::Check(WriteMode::Replace) | Destination::InPlace if !is_changed => {
                Ok(WriteResult::Unchanged)
            }
            Destination::Check(WriteMode::Replace) => {
                self.could_replace(opened, item, tree)?;
                Ok(WriteResult::Complete)
            }
            Destination::Check(_) => Ok(WriteResult::Complete),
            Destination::Preview(checked) => could_mirror(tree, item, checked, bytes),
            Destination::InPlace => {
                self.check_writable(&opened.metadata)?;
                self.beside(opened, item, tree, bytes)
                    .map(|pending| WriteResult::Pending(Box::new(pending)))
            }
            Destination::Mirror(mirror) => {
                self.mirrored(buffers, tree, item, mirror, opened, bytes)
            }
        };
        let written = written.map_err(|error| self.not_written(tree, item, &error))?;
        let is_written = is_changed && !matches!(written, WriteResult::Unchanged);
        let outcome = if is_written { FileOutcome::Rewritten } else { FileOutcome::Unchanged };
        let pending = match written {
            WriteResult::Pending(pending) => Some(pending),
            _ => None,
        };
        Ok(PendingItem { report: Report { outcome, documents: None }, pending })
    }

    /// Opens a document, or returns why it is skipped.
    fn open(
        &self,
        buffers: &mut FileBuffers,
        tree: &Tree,
        item: &Item,
    ) -> Result<Result<OpenFile, FileOutcome>, Failure> {
        let mut opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        if let Some(names) = self.other_names(&opened, item) {
            let outcome = match self.editor {
                Some(_) => FileOutcome::Failed(Failure::hard_links_of_edited(names)),
                None => FileOutcome::of_hard_links(tree, item, names),
            };
            return Ok(Err(outcome));
        }
        if let Destination::InPlace = self.destination {
            opened.metadata =
                settled(&opened.file, opened.metadata).map_err(|error| Failure::read(&error))?;
        }
        Ok(Ok(opened))
    }

    /// The number of names of a file, if that prevents rewriting.
    fn other_names(&self, opened: &OpenFile, item: &Item) -> Option<u64> {
        // A check reports what a run in place does.
        let replaces = matches!(self.destination, Destination::InPlace | Destination::Check(_));
        if !replaces || self.hard_links == HardLinks::Break {
            return None;
        }
        let metadata = Metadata::from_just_metadata(opened.metadata.clone());
        let names = MetadataExt::nlink(&metadata);
        // The other name may be the backup that a killed run made.
        let own = |suffix: &&str| {
            let backup = opened.folder.metadata(&backup_name(&item.name, suffix));
            names == 2
                && backup.is_ok_and(|backup| {
                    (backup.dev(), backup.ino()) == (metadata.dev(), metadata.ino())
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
    check_open_files(tree.roots.first().map_or(Path::new("."), |root| &root.shown))?;
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

/// Removes temporary files that killed runs left in the tree.
pub(crate) fn remove_leftovers_in(tree: &Tree) {
    for &folder in &tree.with_leftovers {
        let at = &tree.folders[folder];
        // What cannot be entered is reported with its files.
        let _ =
            tree.roots[at.root].folder.enter(&at.real).and_then(|folder| remove_leftovers(&folder));
    }
    let files = tree.roots.iter().filter(|root| root.kind == RootKind::File);
    let mut seen = HashSet::new();
    for root in files.filter(|root| seen.insert(&root.real)) {
        let _ = remove_leftovers(&root.folder);
    }
}
