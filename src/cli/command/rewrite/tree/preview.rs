//! `--diff` over a tree.

use std::ops::ControlFlow;
use std::path::Path;

use crate::batch::{
    self, FileBuffers, FileOutcome, HardLinks, Item, Report, RunStatus, lock_if_large,
};
use crate::container;

use super::{TreeEnd, TreeRun};
use crate::cli::command::diff;
use crate::cli::command::rewrite::listener::Observers;
use crate::cli::command::rewrite::totals::Interrupted;
use crate::cli::session::failure::Failure;
use crate::cli::session::ordered_output::{PrintError, map_ordered};
use crate::cli::session::output::{Output, to_stdout};
use crate::cli::terminal::{Reader, printable_path};

impl TreeRun<'_> {
    /// Prints the changes as diffs.
    pub(in super::super) fn diff(
        &self,
        output: Output,
        observers: &mut Observers<'_>,
    ) -> Result<TreeEnd, Failure> {
        let mut totals = self.totals();
        let reader = Reader::of_stdout();
        let names = diff::Names::new();
        let Observers { monitor, listener } = observers;
        map_ordered(
            (&self.workers, &self.tree, *monitor),
            |write| to_stdout(write),
            |buffers, item, out| {
                self.diff_item(buffers, item, |path, texts| {
                    let name = names.of(path);
                    let diff = diff::unified(name.as_os_str(), texts, output.color, reader);
                    out.write_all(&diff)
                })
            },
            |item, report| {
                let path = self.tree.path(item);
                totals.add(&report, || printable_path(&path));
                listener.file(&path, &report);
                ControlFlow::Continue(())
            },
        )?;
        let is_cut = monitor.is_stopped() && totals.counts.seen < self.files() as u64;
        let status = if is_cut { RunStatus::Stopped } else { RunStatus::Done };
        Ok(TreeEnd { totals, status, interrupted: Interrupted::Trial })
    }

    /// Rewrites a document, and shows its path, its old and its new text if they differ.
    fn diff_item(
        &self,
        buffers: &mut FileBuffers,
        item: &Item,
        show: impl FnOnce(&Path, (&[u8], &[u8])) -> std::io::Result<()>,
    ) -> Result<Report, PrintError> {
        buffers.read(&self.tree, item, &self.args.document.limits.documents)?;
        let rewriter = buffers.rewriter(&self.tree, item, &self.rewriter, &self.origins)?;
        let _turn = lock_if_large(buffers.source().len() as u64);
        let path = self.tree.path(item);
        if let Some(count) = self.other_names(&path) {
            let outcome = FileOutcome::of_hard_links(&self.tree, item, count);
            return Ok(Report { outcome, documents: None });
        }
        let format = self.args.inputs.detect(&path, buffers.source())?;
        let (source, buffers) = buffers.parts();
        let rewritten = match container::rewrite(source, format, &rewriter, buffers) {
            Ok(rewritten) => rewritten,
            Err(error) => {
                let skip = self.tree.skipped(item, &error).ok_or(error)?;
                return Ok(Report { outcome: FileOutcome::Skipped(skip), documents: None });
            }
        };
        let mut outcome = FileOutcome::Unchanged;
        if rewritten.is_changed() {
            show(&path, (source, rewritten.bytes()))?;
            outcome = FileOutcome::Rewritten;
        }
        Ok(Report { outcome, documents: Some(rewritten.into_summary()) })
    }

    /// The number of hard links of a file, if a run in place skips it because of them.
    fn other_names(&self, path: &Path) -> Option<u64> {
        let are_skipped = self.args.writing.hard_links() == HardLinks::Skip;
        batch::names(path).ok().filter(|&count| are_skipped && count > 1)
    }
}
