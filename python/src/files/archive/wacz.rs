//! A WACZ archive in, a WACZ archive out.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use absolve::batch::{self, Access, Content, Monitor};
use absolve::container::wacz::{Wacz, WaczError};
use absolve::container::warc::Entry;

use super::Run;
use crate::files::counting::CountedFile;
use crate::files::failure::{RunError, Unwritten};
use crate::files::result::RewriteResult;

impl Run<'_> {
    /// Writes the new archive, or only counts.
    pub(super) fn wacz(&self) -> Result<RewriteResult, Unwritten> {
        if !self.args.writing.dry_run {
            return batch::write_with_like(self.source, self.destination, |file, access| {
                self.wacz_to_file(file, access)
            });
        }
        let result = RefCell::default();
        let report = |name: &str, entry: &Entry| self.member_record(&result, name, entry);
        let rewriting = self.args.writing.rewriting(&self.rewriter, &self.info);
        let totals = self.open_wacz()?.check(&rewriting, &self.workers, report);
        let totals = totals.map_err(|error| self.invalid(error))?;
        Ok(RewriteResult { counts: totals.into(), ..result.into_inner() })
    }

    fn wacz_to_file(
        &self,
        mut file: &File,
        access: Access,
    ) -> Result<Content<RewriteResult>, Unwritten> {
        if access != Access::New {
            return Err(self.unusable("a WACZ archive can be written to a regular file only"));
        }
        let result = RefCell::default();
        let report = |name: &str, entry: &Entry| self.member_record(&result, name, entry);
        let rewriting = self.args.writing.rewriting(&self.rewriter, &self.info);
        let new = self.open_wacz()?.rewrite(file, &rewriting, &self.workers, report);
        let new = new.map_err(|error| self.invalid(error))?;
        let result = RewriteResult { counts: new.records.into(), ..result.into_inner() };
        file.set_len(new.bytes)?;
        if !new.records.is_changed() {
            file.rewind()?;
            io::copy(&mut self.open()?, &mut file)?;
        }
        if !self.watch.goes_on() {
            return Err(Unwritten::Other(RunError::Message("it was stopped".to_owned())));
        }
        Ok(Content::New(result))
    }

    fn open_wacz(&self) -> Result<Wacz<impl Read + Seek + Send>, Unwritten> {
        let file = self.open()?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(self.unusable("a WACZ archive cannot be read from a pipe; give a file"));
        }
        let file = CountedFile { file, size: metadata.len(), position: 0, watch: self.watch };
        let wacz = Wacz::open(file).map_err(|error| self.invalid(error))?;
        let limits = self.args.document.limits.archives;
        Ok(wacz.limits(limits).select(self.args.records.selection()))
    }

    fn member_record(
        &self,
        result: &RefCell<RewriteResult>,
        member: &str,
        entry: &Entry,
    ) -> ControlFlow<()> {
        self.add(&mut result.borrow_mut(), entry, Some(member));
        if self.watch.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn unusable(&self, what: &str) -> Unwritten {
        Unwritten::Other(RunError::Message(format!("{}: {what}", self.source.display())))
    }

    fn invalid(&self, error: WaczError) -> Unwritten {
        match error {
            WaczError::Write(error) => Unwritten::Write(error),
            WaczError::Read(error) => Unwritten::Other(RunError::of(self.source, error)),
            error => self.unusable(&error.to_string()),
        }
    }
}
