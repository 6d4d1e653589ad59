//! Rewrites a tree: files in parallel, results in order.

use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::commit::{PendingItem, settle_batch};
use super::failure::Failure;
use super::flush::Sync;
use super::open_files::{check_open_files, window};
use super::outcome::{FileOutcome, Monitor, Report, RunStatus};
use super::preflight::PreflightError;
use super::read::{FileBuffers, LastFolder, OpenFile};
use super::settings::{Destination, Editor, HardLinks, Rewriting};
use super::temporary::remove_leftovers;
use super::tree::{Item, Kind, RootKind, Tree};
use super::walk::WriteMode;
use super::write_item::{FileJob, NewContent, WriteResult};
use crate::container::{self, Format};
use crate::error::Diagnosis;
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
            remove_leftovers_in(tree);
        }
        let run = TreeRun { rewriting: self, tree, monitor };
        let mut end = RunStatus::Done;
        let flush = self.flushes();
        let work = |buffers: &mut FileBuffers, number: usize| {
            if monitor.is_stopped() {
                return None;
            }
            let mut step = run.item(buffers, &tree.items[number]);
            if !flush {
                step.settle();
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
}

/// A run over a tree.
struct TreeRun<'r> {
    rewriting: &'r Rewriting<'r>,
    tree: &'r Tree,
    monitor: &'r dyn Monitor,
}

impl TreeRun<'_> {
    fn item(&self, buffers: &mut FileBuffers, item: &Item) -> PendingItem {
        let done = match &item.kind {
            Kind::Skipped(skip) => return FileOutcome::Skipped(skip.clone()).into(),
            Kind::Failed(failure) => return FileOutcome::Failed(failure.clone()).into(),
            Kind::Document => self.document(buffers, item),
            Kind::Other => self.other(buffers, item),
            Kind::Link => self
                .link(buffers, item)
                .map_err(|error| self.rewriting.not_written(self.tree, item, &error)),
        };
        done.unwrap_or_else(|failure| FileOutcome::Failed(failure).into())
    }

    fn document(&self, buffers: &mut FileBuffers, item: &Item) -> Result<PendingItem, Failure> {
        let Self { rewriting, tree, .. } = *self;
        let mut opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        if let Some(names) = self.other_names(&opened, item) {
            return Ok(match rewriting.editor {
                Some(_) => FileOutcome::Failed(Failure::hard_links_of_edited(names)),
                None => FileOutcome::of_hard_links(tree, item, names),
            }
            .into());
        }
        if let Destination::InPlace = rewriting.destination {
            opened = opened.settled().map_err(|error| Failure::read(&error))?;
        }
        let lock = lock_if_large(opened.metadata.len());
        let limits = rewriting.rewriter.settings().limits;
        buffers.read_opened(&opened, &limits).map_err(|error| Failure::read(&error))?;
        self.monitor.read(buffers.source().len() as u64);
        let job = FileJob { rewriting, tree, item, opened };
        let step = match rewriting.editor {
            Some(editor) => job.edited(buffers, editor),
            None => job.rewritten(buffers),
        };
        if lock.is_some() {
            buffers.shrink();
        }
        step
    }

    /// Copies a file that is not a document.
    fn other(&self, buffers: &mut FileBuffers, item: &Item) -> Result<PendingItem, Failure> {
        let Self { rewriting, tree, .. } = *self;
        let opened = buffers.open(tree, item).map_err(|error| Failure::read(&error))?;
        let job = FileJob { rewriting, tree, item, opened };
        let content = NewContent::CopyOf(&job.opened);
        Ok(match job.mirror(&mut buffers.output, content)? {
            WriteResult::Unchanged => FileOutcome::Unchanged.into(),
            written => {
                if let Destination::Mirror(_) = rewriting.destination {
                    self.monitor.read(job.opened.metadata.len());
                }
                PendingItem { pending: written.pending(), ..FileOutcome::Copied.into() }
            }
        })
    }

    /// Copies a symbolic link.
    fn link(&self, buffers: &mut FileBuffers, item: &Item) -> io::Result<PendingItem> {
        let Destination::Mirror(mirror) = self.rewriting.destination else {
            return Ok(FileOutcome::Copied.into());
        };
        let to = buffers.folder_of(self.tree, item)?.read_link(&item.name)?;
        let folder = buffers.output.get(item.folder, || mirror.folder(self.tree, item.folder))?;
        match folder.make_link(&to, &item.name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if folder.read_link(&item.name).is_ok_and(|old| old == to) {
                    return Ok(FileOutcome::Unchanged.into());
                }
                Err(error)
            }
            made => made.map(|()| FileOutcome::Copied.into()),
        }
    }

    /// The number of names of a file, if that prevents rewriting.
    fn other_names(&self, opened: &OpenFile, item: &Item) -> Option<u64> {
        let rewriting = self.rewriting;
        // A check reports what a run in place does.
        let replaces =
            matches!(rewriting.destination, Destination::InPlace | Destination::Check(_));
        if !replaces || rewriting.hard_links == HardLinks::Break {
            return None;
        }
        let old = opened.identity().ok()?;
        let names = old.names;
        let is_kept = || rewriting.old_files.is_kept(&opened.folder, &item.name, &old);
        (names > 1 && !(names == 2 && is_kept())).then_some(names)
    }
}

impl FileJob<'_> {
    /// Rewrites the links of a document.
    fn rewritten(&self, buffers: &mut FileBuffers) -> Result<PendingItem, Failure> {
        let FileBuffers { memory, source, output, .. } = buffers;
        let Self { rewriting, tree, item, opened } = self;
        let source = source.bytes();
        let format = match rewriting.format {
            Some(format) => format.check_given(source)?,
            None => Format::detect(item.name.as_ref(), source)?,
        };
        let origins = rewriting.origins;
        let rewriter = origins.rewriter_of_item(rewriting.rewriter, tree, item, &opened.folder)?;
        let rewritten = match container::rewrite(source, format, &rewriter, memory) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                let Some(skip) = tree.skipped(item, &error) else { return Err(error.into()) };
                let mut step = self.output(output, source, None)?;
                step.report.outcome = FileOutcome::Skipped(skip);
                return Ok(step);
            }
        };
        let new = rewritten.is_changed().then(|| rewritten.bytes());
        let mut step = self.output(output, source, new)?;
        step.report.documents = Some(rewritten.into_summary());
        Ok(step)
    }

    /// Edits a document by an editor.
    fn edited(
        &self,
        buffers: &mut FileBuffers,
        editor: &dyn Editor,
    ) -> Result<PendingItem, Failure> {
        let source = buffers.source.bytes();
        let edited = editor.edit(&self.tree.path(self.item), source)?;
        let new = edited.filter(|bytes| bytes != source);
        self.output(&mut buffers.output, source, new.as_deref())
    }

    /// Writes a document, with its new bytes if it has any, to where it goes.
    fn output(
        &self,
        folder: &mut LastFolder,
        source: &[u8],
        new: Option<&[u8]>,
    ) -> Result<PendingItem, Failure> {
        let bytes = new.unwrap_or(source);
        let written = match self.rewriting.destination {
            Destination::Check(WriteMode::Replace) | Destination::InPlace if new.is_none() => {
                WriteResult::Unchanged
            }
            Destination::Check(WriteMode::Replace) => {
                self.could_replace()?;
                WriteResult::Complete
            }
            Destination::InPlace => self.replace(bytes)?,
            _ => self.mirror(folder, NewContent::Bytes(bytes))?,
        };
        let is_written = new.is_some() && !matches!(written, WriteResult::Unchanged);
        let outcome = if is_written { FileOutcome::Rewritten } else { FileOutcome::Unchanged };
        Ok(PendingItem { pending: written.pending(), ..outcome.into() })
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
        if root.folder.enter(path).is_ok_and(|folder| folder.check_writable().is_ok()) {
            return Ok(());
        }
        let path = &tree.folders[item.folder].path;
        refused.get_or_insert_with(|| root.shown.iter().chain(path).collect::<PathBuf>());
    }
    let what = "it may not be written to; make it writable, or write to another folder with {o}";
    let what = Diagnosis::from_words(what, &[]);
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
