//! `--diff` over a tree.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{self, FileOutcome, HardLinks, Report, lock_if_large};
use absolve::container;

use super::Run;
use crate::command::diff;
use crate::command::rewrite::totals::{Interrupted, RunMode};
use crate::session::failure::Failure;
use crate::session::ordered_output::map_ordered;
use crate::session::status::Status;
use crate::terminal::{Messages, Reader};

impl Run<'_> {
    /// Prints the changes as diffs.
    pub(super) fn diff(&self, started: Instant) -> Result<Status, Failure> {
        let mut totals = self.totals();
        let mut failures = Vec::new();
        let (color, reader) = (self.output.color, Reader::of_stdout());
        let names = diff::Names::new();
        let limits = self.args.document.limits.documents;
        let printed = map_ordered(
            &self.workers,
            self.tree,
            &self.signals,
            |buffers, item, out| {
                buffers.read(self.tree, item, &limits)?;
                let rewriter = buffers.rewriter(self.tree, item, self.rewriter, self.origins)?;
                let _turn = lock_if_large(buffers.source().len() as u64);
                let path = self.tree.path(item);
                if let Some(count) = self.other_names(&path) {
                    let outcome = FileOutcome::of_hard_links(self.tree, item, count);
                    return Ok(Report { outcome, documents: None });
                }
                let format = self.args.inputs.detect(&path, buffers.source())?;
                let (source, buffers) = buffers.parts();
                let rewritten = match container::rewrite(source, format, &rewriter, buffers) {
                    Ok(rewritten) => rewritten,
                    Err(error) => {
                        let skip = self.tree.skipped(item, &error).ok_or(error)?;
                        let outcome = FileOutcome::Skipped(skip);
                        return Ok(Report { outcome, documents: None });
                    }
                };
                let is_changed = rewritten.is_changed();
                if is_changed {
                    let diff = diff::unified(
                        names.of(&path).as_os_str(),
                        (source, rewritten.bytes()),
                        color,
                        reader,
                    );
                    out.write_all(&diff)?;
                }
                let outcome =
                    if is_changed { FileOutcome::Rewritten } else { FileOutcome::Unchanged };
                Ok(Report { outcome, documents: Some(rewritten.into_summary()) })
            },
            |item, report| {
                totals.add(&report, || self.name(item));
                self.report(item, &report, |print| print());
                failures.extend(self.failures(item, &report));
                ControlFlow::Continue(())
            },
        );
        printed?;
        failures.iter().for_each(Messages::error);
        if self.signals.received().is_some() && totals.seen() < self.tree.items().len() {
            return self.stopped(&totals, Interrupted::Trial, started);
        }
        self.conclude(&totals, RunMode::Would, started)
    }

    /// The number of hard links of a file, if a run in place skips it because of them.
    fn other_names(&self, path: &Path) -> Option<u64> {
        let are_skipped = self.writing().hard_links() == HardLinks::Skip;
        batch::names(path).ok().filter(|&count| are_skipped && count > 1)
    }
}
