//! The checks before the first file is written.

use std::path::Path;

use absolve::batch::{
    Destination, FileOutcome, PlannedMirror, WriteMode, allow_open_files, check_in_place,
};

use super::{Run, not_written, refused};
use crate::command::rewrite::destination::purpose;
use crate::session::failure::Failure;
use crate::terminal::Messages;

impl Run<'_> {
    /// The destination of the documents, after all checks that come before the first write.
    pub(super) fn destination(&self) -> Result<Destination, Failure> {
        let writing = self.writing();
        let checked = match &writing.output {
            Some(path) => {
                Some(PlannedMirror::new(self.tree, path, writing.not_empty()).map_err(refused)?)
            }
            None if writing.write => {
                check_in_place(self.tree).map_err(refused)?;
                None
            }
            None => return Ok(Destination::Check(WriteMode::Read)),
        };
        let trial = checked.map_or(Destination::Check(purpose(writing)), Destination::Preview);
        if writing.dry_run {
            return Ok(trial);
        }
        let written = if writing.all_or_nothing { Some(self.try_all(&trial)?) } else { None };
        let checked = if let Destination::Preview(checked) = trial { Some(checked) } else { None };
        if let Some(written) = written {
            if checked.as_ref().is_none_or(|checked| !checked.is_empty()) {
                let path = writing.output.as_deref().unwrap_or(Path::new("."));
                allow_open_files(written, path).map_err(refused)?;
            }
            if self.signals.received().is_some() {
                return Ok(Destination::Check(WriteMode::Read));
            }
        }
        Ok(match checked {
            Some(checked) => Destination::Mirror(checked.make(self.tree).map_err(refused)?),
            None => Destination::InPlace,
        })
    }

    /// Fails if any document fails; returns how many files would be written.
    fn try_all(&self, trial: &Destination) -> Result<usize, Failure> {
        let (mut failed, mut written) = (0, 0);
        self.rewriting(trial).run(self.tree, &self.workers, &self.signals, &mut |item, report| {
            let failures = self.failures(item, &report);
            failed += failures.len();
            let is_written = match purpose(self.writing()) {
                WriteMode::Replace => matches!(report.outcome, FileOutcome::Rewritten),
                _ => true,
            };
            written += usize::from(is_written);
            failures.iter().for_each(Messages::error);
        });
        if failed > 0 { Err(not_written(failed)) } else { Ok(written) }
    }
}
