//! A tree of documents.

mod preview;

use crate::Rewriter;
use crate::batch::{
    self, Destination, FileOutcome, HardLinks, Item, Origins, PlannedMirror, Rewriting, RunStatus,
    Tree, Workers, WriteMode, check_in_place,
};

use super::destination::{is_to_stdout, purpose, refuse_stdout};
use super::listener::Observers;
use super::totals::{Interrupted, Totals};
use crate::cli::args::RewriteArgs;
use crate::cli::session::direction;
use crate::cli::session::failure::Failure;
use crate::cli::session::inputs::Paths;
use crate::cli::terminal::printable_path;

/// A run over a tree.
pub struct TreeRun<'a> {
    pub(super) args: &'a RewriteArgs,
    pub(super) tree: Tree,
    rewriter: Rewriter,
    origins: Origins,
    workers: Workers,
}

/// The end of a run over a tree.
pub struct TreeEnd {
    pub totals: Totals,
    pub status: RunStatus,
    /// What the run left on the disk, if it was interrupted.
    pub(super) interrupted: Interrupted,
}

impl<'a> TreeRun<'a> {
    /// Finds the files.
    pub fn new(args: &'a RewriteArgs, paths: &Paths) -> Result<Self, Failure> {
        let origins = direction::origins(args)?;
        let walk = args.walk(purpose(&args.writing));
        let tree = paths.walk(&args.inputs, walk, origins.base())?;
        if !tree.items().is_empty() || !is_to_stdout(&args.writing) {
            refuse_stdout(&args.writing)?;
        }
        let workers = Workers::new(args.inputs.files.jobs);
        // A run in place, or a trial of one, skips a file that has several names.
        let are_skipped =
            args.writing.output.is_none() && args.writing.hard_links() == HardLinks::Skip;
        let is_written = |item: &Item| {
            !are_skipped || batch::names(&tree.path(item)).is_ok_and(|names| names == 1)
        };
        let rewriter = direction::rewriter(args)?;
        let rewriter = tree.renewing(rewriter, &origins, &workers, is_written);
        Ok(Self { args, tree, rewriter, origins, workers })
    }

    /// The number of files.
    pub fn files(&self) -> usize {
        self.tree.items().len()
    }

    /// Rewrites the tree, or only reports what would change.
    pub fn run(&self, observers: &mut Observers<'_>) -> Result<TreeEnd, Failure> {
        let destination = self.destination()?;
        let mut interrupted = match destination {
            Destination::Check(_) | Destination::Preview(_) => Interrupted::Trial,
            Destination::InPlace => Interrupted::InPlace,
            Destination::Mirror(_) => Interrupted::IntoFolder,
        };
        let (mut totals, mut status) = (self.totals(), RunStatus::Stopped);
        if observers.monitor.is_stopped() {
            interrupted = Interrupted::Discarded;
        } else {
            status = self.rewrite(&destination, &mut totals, observers);
        }
        if let Destination::Mirror(mirror) = destination {
            let is_done = status != RunStatus::Stopped;
            if is_done && (!mirror.is_staged() || observers.listener.commits()) {
                mirror.finish(self.args.writing.sync)?;
            } else if mirror.is_staged() || interrupted == Interrupted::Discarded {
                interrupted = Interrupted::Discarded;
                mirror.discard();
            }
        }
        Ok(TreeEnd { totals, status, interrupted })
    }

    /// The destination of the documents, after all checks that come before the first write.
    fn destination(&self) -> Result<Destination, Failure> {
        let (writing, tree) = (&self.args.writing, &self.tree);
        let Some(path) = &writing.output else {
            if writing.write {
                check_in_place(tree)?;
            }
            let is_in_place = writing.write && !writing.dry_run;
            let mode = if writing.write { WriteMode::Replace } else { WriteMode::Read };
            let trial = Destination::Check(mode);
            return Ok(if is_in_place { Destination::InPlace } else { trial });
        };
        let planned = PlannedMirror::new(tree, path, writing.not_empty())?;
        if writing.dry_run {
            return Ok(Destination::Preview(planned));
        }
        Ok(Destination::Mirror(planned.make(tree)?))
    }

    /// The totals of no file yet. Links in XML files stay, which is worth knowing where the links
    /// of other files become relative or move.
    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        if !self.args.direction.is_default() {
            totals.xml_files = self.tree.xml_files();
        }
        totals
    }

    fn rewrite(
        &self,
        destination: &Destination,
        totals: &mut Totals,
        observers: &mut Observers<'_>,
    ) -> RunStatus {
        let writing = &self.args.writing;
        let rewriting = Rewriting::new(&self.rewriter, &self.origins, destination)
            .format(self.args.inputs.file_format)
            .sync(writing.sync)
            .hard_links(writing.hard_links())
            .old_files(writing.old_files.0.clone());
        let Observers { monitor, listener } = observers;
        listener.start(self.files());
        let globs = self.args.inputs.files.globs.globs();
        rewriting.run(&self.tree, &self.workers, *monitor, &mut |item, report| {
            let path = self.tree.path(item);
            totals.add(&report, || printable_path(&path));
            let is_copied = matches!(report.outcome, FileOutcome::Copied);
            if is_copied && !globs.is_excluded(&self.tree.below_root(item)) {
                totals.copied_pages.add(&path);
            }
            listener.file(&path, &report);
        })
    }
}
