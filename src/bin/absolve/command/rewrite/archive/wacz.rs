//! A WACZ archive in, a WACZ archive out.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use absolve::LinkCounts;
use absolve::batch::{Access, Content, write_with_like};
use absolve::container::wacz::{Wacz, WaczTotals};
use absolve::container::warc::Entry;
use absolve::report::display::counted;

use super::run::{ArchiveFailure, Run};
use super::totals::ArchiveTotals;
use crate::args::RewriteArgs;
use crate::command::rewrite::destination::{is_to_stdout, is_trial};
use crate::session::failure::Failure;
use crate::session::input::Stream;
use crate::session::output::is_special;
use crate::session::signals::Signals;

/// Refuses options that are not for WACZ archives.
pub(super) fn check_args(args: &RewriteArgs) -> Result<(), &'static str> {
    let writing = &args.writing;
    if writing.cdxj.is_some() {
        return Err("--cdxj is not for a WACZ archive, whose index is in it");
    }
    if is_to_stdout(writing) {
        return Err("a WACZ archive cannot be written to stdout; give --output FILE, or --write");
    }
    Ok(())
}

impl Run<'_> {
    /// Rewrites the archive, or reports what would change.
    pub(super) fn wacz(&self) -> Result<ArchiveTotals, Failure> {
        match self.path.filter(|_| !is_trial(&self.args.writing)) {
            None => self.wacz_trial(),
            Some(path) if is_special(path) => Err(not_a_file()),
            Some(path) => write_with_like(self.input.path().as_ref(), path, |file, access| {
                self.wacz_to_file(file, access)
            }),
        }
        .map_err(|error| self.failure(error))
    }

    fn wacz_trial(&self) -> Result<ArchiveTotals, ArchiveFailure> {
        let check = || -> Result<ArchiveTotals, ArchiveFailure> {
            let mut links = LinkCounts::default();
            let mut wacz = self.open_wacz(self.wacz_file()?)?;
            let report = |name: &str, entry: &Entry| self.member_record(name, entry, &mut links);
            let records = wacz.check(&self.rewriting(), &self.workers, report)?;
            Ok(ArchiveTotals { records, links })
        };
        let mut totals = check()?;
        if self.is_again() {
            totals = check()?;
        }
        if totals.is_changed() {
            self.check_write()?;
        }
        Ok(totals)
    }

    fn wacz_to_file(
        &self,
        mut file: &File,
        access: Access,
    ) -> Result<Content<ArchiveTotals>, ArchiveFailure> {
        if access != Access::New {
            return Err(not_a_file());
        }
        let (mut totals, mut new) = self.wacz_pass(file)?;
        if self.is_again() {
            file.set_len(0)?;
            file.rewind()?;
            (totals, new) = self.wacz_pass(file)?;
        }
        if totals.is_changed() {
            file.set_len(new.bytes)?;
            self.warn(&new);
            return Ok(Content::New(totals));
        }
        if self.args.writing.write {
            return Ok(Content::Unchanged(totals));
        }
        file.set_len(0)?;
        file.rewind()?;
        io::copy(&mut self.wacz_file()?, &mut file)?;
        Ok(Content::New(totals))
    }

    /// Writes the new archive once.
    fn wacz_pass(&self, file: &File) -> Result<(ArchiveTotals, WaczTotals), ArchiveFailure> {
        let mut links = LinkCounts::default();
        let mut wacz = self.open_wacz(self.wacz_file()?)?;
        let report = |name: &str, entry: &Entry| self.member_record(name, entry, &mut links);
        let new = wacz.rewrite(file, &self.rewriting(), &self.workers, report)?;
        Ok((ArchiveTotals { records: new.records, links }, new))
    }

    fn wacz_file(&self) -> Result<File, ArchiveFailure> {
        match self.input.open().map_err(ArchiveFailure::Input)? {
            Stream::File(file, size) => {
                self.bar.set_length(size);
                Ok(file)
            }
            Stream::Stored(..) | Stream::Other(_) => {
                let what = "a WACZ archive cannot be read from a pipe; give a file";
                Err(ArchiveFailure::Invalid(what.to_owned()))
            }
        }
    }

    fn open_wacz(&self, file: File) -> Result<Wacz<impl Read + Seek + Send>, ArchiveFailure> {
        let file = Interruptible { file, signals: &self.signals };
        let wacz = Wacz::open(self.bar.wrap_read(file))?;
        let limits = self.args.document.limits.archives;
        Ok(wacz.limits(limits).select(self.args.records.selection()))
    }

    fn member_record(
        &self,
        member: &str,
        entry: &Entry,
        links: &mut LinkCounts,
    ) -> std::ops::ControlFlow<()> {
        self.record(&format!("{}!{member}", self.name), entry, links)
    }

    fn warn(&self, new: &WaczTotals) {
        let name = &self.name;
        if new.was_signed {
            self.messages.warning(format_args!(
                "{name}: its signature is void, and was left out of the new archive"
            ));
        }
        if new.index_lines_left_out > 0 {
            let lines = counted(new.index_lines_left_out, "line");
            self.messages.warning(format_args!(
                "{name}: {lines} of its index left out, which point to no record"
            ));
        }
    }
}

/// A file that cannot be read after a signal: members are read as a whole before their first record
/// is reported.
struct Interruptible<'s> {
    file: File,
    signals: &'s Signals,
}

impl Read for Interruptible<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.signals.received() {
            Some(_) => Err(io::Error::other("interrupted")),
            None => self.file.read(into),
        }
    }
}

impl Seek for Interruptible<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

fn not_a_file() -> ArchiveFailure {
    ArchiveFailure::Invalid("a WACZ archive can be written to a regular file only".to_owned())
}
