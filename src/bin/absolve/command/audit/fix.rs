//! `--fix`: applies the fixes of findings, or shows them as a diff.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use absolve::Rewriter;
use absolve::audit::{Finding, Fixes};
use absolve::batch::{
    self, Destination, Editor as _, FileOutcome, Origins, Rewriting, RootPlace, RunStatus, Walk,
    Workers, WriteMode,
};
use absolve::report::display::counted;

use super::setup::Setup;
use crate::args::AuditArgs;
use crate::command::diff;
use crate::session::failure::{Failure, reason};
use crate::session::output::{Output, to_stdout};
use crate::session::signals::Signals;
use crate::terminal::{Messages, Reader, printable_path};

/// The most audits of a run: a fix may uncover another fault of the same link, such as a missing
/// anchor of a page that was found by another name.
pub(super) const MAX_ROUNDS: usize = 8;

/// Files of a round that are fixed together; each keeps a folder open.
const TOGETHER: usize = 256;

/// What the rounds of a run fixed.
#[derive(Default)]
pub(super) struct Applied {
    /// The findings whose fixes were written, in the order of the rounds.
    pub(super) findings: Vec<Finding>,
    /// The files that have a backup already.
    written: HashSet<PathBuf>,
    failed: HashSet<PathBuf>,
}

/// Whether there is more to fix after a round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// Files were written: another audit shows what remains.
    Written,
    /// There is nothing to write.
    Idle,
}

impl Applied {
    /// Whether a file with a fix could not be written.
    pub(super) fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Fixes what one audit found.
    pub(super) fn fix(
        &mut self,
        args: &AuditArgs,
        setup: &Setup,
        findings: &[Finding],
        workers: &Workers,
        signals: &Signals,
    ) -> Round {
        let fixes = Fixes::new(&setup.audit, &setup.site, findings, args.fixing.safety());
        let paths = fixes.files().filter(|file| !self.failed.contains(*file));
        // A file that an earlier round wrote has its backup.
        let (again, first): (Vec<&Path>, Vec<&Path>) =
            paths.partition(|file| self.written.contains(*file));
        let before = self.findings.len();
        let backup = args.fixing.backup.as_deref();
        for (paths, backup) in [(first, backup), (again, None)] {
            for paths in paths.chunks(TOGETHER) {
                self.write(args, &fixes, paths, backup, workers, signals);
            }
        }
        if self.findings.len() > before { Round::Written } else { Round::Idle }
    }

    /// Writes some files, as `rewrite --write` does.
    fn write(
        &mut self,
        args: &AuditArgs,
        fixes: &Fixes<'_>,
        paths: &[&Path],
        backup: Option<&str>,
        workers: &Workers,
        signals: &Signals,
    ) {
        let mut walk = Walk::new(WriteMode::Replace).symlinks(args.pages.symlinks());
        for path in paths {
            walk.add(path, RootPlace::default());
        }
        let tree = walk.finish();
        let (rewriter, origins) = (Rewriter::new(), Origins::default());
        let rewriting = Rewriting::new(&rewriter, &origins, &Destination::InPlace);
        let status = rewriting.backup(backup).editor(fixes).run(
            &tree,
            workers,
            signals,
            &mut |item, report| {
                let path = tree.path(item);
                match report.outcome {
                    FileOutcome::Rewritten => {
                        self.findings.extend(fixes.findings(&path).cloned());
                        self.written.insert(path);
                    }
                    FileOutcome::Failed(failure) => self.fail(path, &failure),
                    FileOutcome::Skipped(skip) => self.fail(path, &skip),
                    _ => {}
                }
            },
        );
        if let RunStatus::Unflushed(failure) = status {
            Messages::error(failure);
        }
    }

    fn fail(&mut self, path: PathBuf, why: &dyn std::fmt::Display) {
        Messages::error(format_args!("{}: not fixed: {why}", printable_path(&path)));
        self.failed.insert(path);
    }
}

/// Prints the fixes as a diff; returns the number of findings that they fix.
pub(super) fn print_diff(
    args: &AuditArgs,
    setup: &Setup,
    findings: &[Finding],
    output: Output,
) -> Result<u64, Failure> {
    let fixes = Fixes::new(&setup.audit, &setup.site, findings, args.fixing.safety());
    let names = diff::Names::new();
    let reader = Reader::of_stdout();
    let (mut changed, mut found) = (0_u64, 0_u64);
    for file in fixes.files() {
        let name = printable_path(file);
        let source = batch::read(file, &args.reading.limits.documents)
            .map_err(|error| Failure::of(&name, format_args!("cannot read: {}", reason(&error))))?;
        let edited = fixes.edit(file, &source).map_err(|failure| Failure::of(&name, failure))?;
        let Some(edited) = edited else { continue };
        let name = names.of(file);
        let diff = diff::unified(name.as_os_str(), (&source, &edited), output.color, reader);
        to_stdout(|out| out.write_all(&diff))?;
        changed += 1;
        found += fixes.findings(file).count() as u64;
    }
    let (findings, changed) = (counted(found, "finding"), counted(changed, "file"));
    output.messages.warning(format_args!("would fix {findings} in {changed}"));
    Ok(found)
}
