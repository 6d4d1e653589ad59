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
use super::outcome::{End, Outcome, Report, Watch};
use super::pending::Step;
use super::placing::{Written, backup_name, could_mirror, writable};
use super::preflight::Refusal;
use super::read::{Desk, Opened};
use super::settings::{Destination, HardLinks, Rewriting};
use super::temporary::remove_dead;
use super::tree::{Item, Kind, Skip, Tree};
use super::walk::Purpose;
use crate::container::{self, Format};
use crate::jobs::{Jobs, Tools as _, turn};

impl Rewriting<'_> {
    /// Rewrites a tree, and reports on every item in the order of the walk.
    pub fn run(
        &self,
        tree: &Tree,
        jobs: &Jobs,
        watch: &dyn Watch,
        report: &mut dyn FnMut(&Item, Report),
    ) -> End {
        if let Destination::InPlace = self.destination {
            remove_remains(tree);
        }
        let mut end = End::Done;
        let (commit, flush) = (self.commit_of(), self.flushes());
        let window = if commit == Commit::AtEnd { tree.items.len() } else { window() };
        let work = |desk: &mut Desk, number: usize| {
            if watch.is_stopped() {
                return None;
            }
            let mut step = self.item(desk, tree, &tree.items[number], watch);
            if commit == Commit::InBatches && !flush {
                settle(&mut step);
            }
            Some(step)
        };
        jobs.in_order(tree.items.len(), window, work, |numbers, mut steps| {
            let is_whole = !watch.is_stopped() && steps.iter().all(Option::is_some);
            if is_whole {
                end = match commit {
                    Commit::InBatches => settle_batch(&mut steps, watch),
                    Commit::AtEnd => settle_all(&mut steps, flush, watch),
                };
            }
            for (item, step) in tree.items[numbers].iter().zip(steps) {
                match step {
                    Some(Step { report: done, .. }) if end == End::NotWritten => {
                        if done.has_failed() {
                            report(item, done);
                        }
                    }
                    Some(Step { report: done, pending: None }) => report(item, done),
                    // What has not taken its place is taken away.
                    _ => end = End::Stopped,
                }
            }
            if end == End::Stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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

    fn item(&self, desk: &mut Desk, tree: &Tree, item: &Item, watch: &dyn Watch) -> Step {
        let done = match &item.kind {
            Kind::Skipped(skip) => return Outcome::Skipped(skip.clone()).into(),
            Kind::Failed(failure) => return Outcome::Failed(failure.clone()).into(),
            Kind::Document => self.document(desk, tree, item, watch),
            Kind::Other => self.other(desk, tree, item, watch),
            Kind::Link => {
                self.link(desk, tree, item).map_err(|error| self.not_written(tree, item, &error))
            }
        };
        done.unwrap_or_else(|failure| Outcome::Failed(failure).into())
    }

    fn document(
        &self,
        desk: &mut Desk,
        tree: &Tree,
        item: &Item,
        watch: &dyn Watch,
    ) -> Result<Step, Failure> {
        let opened = match self.open(desk, tree, item)? {
            Ok(opened) => opened,
            Err(skip) => return Ok(Outcome::Skipped(skip).into()),
        };
        let turn = turn(opened.metadata.len());
        let limits = self.rewriter.settings().limits;
        desk.read_opened(&opened, &limits).map_err(|error| Failure::read(&error))?;
        watch.read(desk.source().len() as u64);
        let format = match self.format {
            Some(format) => format,
            None => Format::detect(item.name.as_ref(), desk.source())?,
        };
        let origins = self.origins;
        let rewriter = origins.rewriter_of_item(self.rewriter, tree, item, &opened.folder)?;
        // Taken apart, so that the result can be written while it is borrowed.
        let (mut scratch, source) =
            (std::mem::take(&mut desk.scratch), std::mem::take(&mut desk.source));
        let step = container::rewrite(source.bytes(), format, &rewriter, &mut scratch)
            .map_err(Failure::from)
            .and_then(|rewritten| {
                let is_changed = rewritten.is_changed();
                let written = match self.destination {
                    Destination::Nowhere(Purpose::Replace) | Destination::InPlace
                        if !is_changed =>
                    {
                        Ok(Written::There)
                    }
                    Destination::Nowhere(Purpose::Replace) => {
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
                        self.mirrored(desk, tree, item, mirror, &opened, rewritten.bytes())
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
                Ok(Step { report, pending })
            });
        (desk.scratch, desk.source) = (scratch, source);
        if turn.is_some() {
            desk.shrink();
        }
        step
    }

    /// Opens a document, unless it is to be skipped.
    fn open(
        &self,
        desk: &mut Desk,
        tree: &Tree,
        item: &Item,
    ) -> Result<Result<Opened, Skip>, Failure> {
        let mut opened = desk.open(tree, item).map_err(|error| Failure::read(&error))?;
        if let Some(names) = self.other_names(&opened, item) {
            let skip = Skip::HardLinks(names);
            // As a symbolic link whose path is given.
            return if tree.is_given(item) {
                Err(Failure::new(skip.to_string()))
            } else {
                Ok(Err(skip))
            };
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
pub fn check_in_place(tree: &Tree) -> Result<(), Refusal> {
    few_files(tree.roots.first().map_or(Path::new("."), |root| &root.shown))?;
    let mut refused = None;
    let mut last = usize::MAX;
    for item in tree.items.iter().filter(|item| matches!(item.kind, Kind::Document)) {
        if item.folder == last {
            continue;
        }
        last = item.folder;
        let (root, path, _) = tree.place(item);
        // One that cannot be entered is told of with its files.
        if root.folder.enter(path).is_ok_and(|folder| folder.is_writable()) {
            return Ok(());
        }
        let path = &tree.folders[item.folder].path;
        refused.get_or_insert_with(|| root.shown.iter().chain(path).collect::<PathBuf>());
    }
    let what = "it may not be written to; make it writable, or write to another folder with -o";
    refused.map_or(Ok(()), |path| Err(Refusal::new(&path, what)))
}

/// Removes what killed runs left in the tree.
fn remove_remains(tree: &Tree) {
    for &folder in &tree.with_remains {
        let at = &tree.folders[folder];
        // What cannot be entered is told of with its files.
        let _ = tree.roots[at.root].folder.enter(&at.real).and_then(|folder| remove_dead(&folder));
    }
}
