//! A web archive in, a web archive out.

mod index;
mod output_path;
mod run;
mod totals;
mod wacz;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::time::Instant;

use absolve::LinkCounts;
use absolve::batch::{Access, Content, write_with_like};
use absolve::container::warc::{ArchiveError, Entry, Reader, WarcInfo};

use super::destination::{check_replaceable, is_trial};
use crate::args::RewriteArgs;
use crate::session::config::Settings;
use crate::session::date;
use crate::session::failure::Failure;
use crate::session::input::{Input, Stream};
use crate::session::output::Output;
use crate::session::status::Status;
use crate::terminal::Messages;
use index::{ArchiveIndex, IndexFile};
use run::{ArchiveFailure, Run};
use totals::ArchiveTotals;

/// The form of a web archive.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ArchiveForm {
    Warc,
    /// Archives in a ZIP file.
    Wacz,
}

pub(super) fn run(
    settings: &Settings<RewriteArgs>,
    input: &Input,
    form: ArchiveForm,
    output: Output,
) -> Result<Status, Failure> {
    let started = Instant::now();
    let args = &settings.args;
    let name = input.name();
    if let Some(option) = args.writing.not_for_archives() {
        return Err(Failure::of(&name, format_args!("{option} is not for a web archive")));
    }
    if let Input::File(path) = input {
        check_replaceable(args, path).map_err(|why| Failure::of(&name, why))?;
    }
    if form == ArchiveForm::Wacz {
        wacz::check_args(args).map_err(|what| Failure::of(&name, what))?;
    }
    let info = WarcInfo::new(date::text(date::of_run()?)).options(settings.options());
    let run = Run::new(args, input, output, info)?;
    if !args.writing.write {
        run.check_write().map_err(|error| run.failure(error))?;
    }
    let index = IndexFile::new(&args.writing, input, run.path)?;
    let totals = if form == ArchiveForm::Wacz {
        run.wacz()
    } else if is_trial(&args.writing) {
        run.trial(input.open()?).map_err(|error| run.failure(error))
    } else if let Some(index) = index {
        index.write_after(run.messages, |index| run.write(Some(index)))
    } else {
        run.write(None)
    };
    run.bar.finish_and_clear();
    run.log.end(&run.name);
    run.stale.end(&run.name);
    match (totals, run.signals.received()) {
        (Err(Failure::Message(_)), Some(signal)) => {
            Messages::error(format_args!("interrupted: {}: {}", run.name, run.output_state()));
            Ok(Status::Signal(signal))
        }
        (_, Some(signal)) => Ok(Status::Signal(signal)),
        (Err(failure), None) => Err(failure),
        (Ok(totals), None) => run.conclude(&totals, started),
    }
}

impl Run<'_> {
    /// Does everything except writing.
    fn trial(&self, stream: Stream) -> Result<ArchiveTotals, ArchiveFailure> {
        let can_repeat = !matches!(stream, Stream::Other(_));
        let mut totals = self.pass(stream, None::<io::Sink>, None)?;
        if can_repeat && self.is_again() {
            let stream = self.input.open().map_err(ArchiveFailure::Input)?;
            totals = self.pass(stream, None::<io::Sink>, None)?;
        }
        if totals.is_changed() {
            self.check_write()?;
        }
        Ok(totals)
    }

    /// Writes the new archive, and adds its records to an index.
    fn write(&self, index: ArchiveIndex<'_>) -> Result<ArchiveTotals, Failure> {
        if let Some(path) = self.path {
            let fill = |file: &File, access| self.to_file(file, access, index);
            return write_with_like(self.input.path().as_ref(), path, fill)
                .map_err(|error| self.failure(error));
        }
        let stdout = Stdout { output: io::stdout().lock(), has_output: &self.has_output };
        self.pass(self.input.open()?, Some(stdout), index).map_err(|error| match error {
            ArchiveFailure::Archive(ArchiveError::Write(error)) => Failure::output(&error),
            error => self.failure(error),
        })
    }

    /// Writes the new archive; without output, reports what would change.
    fn pass(
        &self,
        stream: Stream,
        output: Option<impl Write>,
        index: ArchiveIndex<'_>,
    ) -> Result<ArchiveTotals, ArchiveFailure> {
        match stream {
            Stream::File(file, size) => {
                self.bar.set_length(size);
                self.read(Reader::seekable(self.bar.wrap_read(file)), output, index)
            }
            Stream::Stored(archive, size) => {
                self.bar.set_length(size);
                self.read(Reader::seekable(self.bar.wrap_read(archive)), output, index)
            }
            Stream::Other(source) => self.read(Reader::new(source), output, index),
        }
    }

    fn read<R: Read + Send>(
        &self,
        archive: Reader<R>,
        output: Option<impl Write>,
        index: ArchiveIndex<'_>,
    ) -> Result<ArchiveTotals, ArchiveFailure> {
        let rewriting = self.rewriting();
        let limits = self.args.document.limits.archives;
        let archive = archive.limits(limits).select(self.args.records.selection());
        let mut links = LinkCounts::default();
        let report = |entry: &Entry| self.record(&self.name, entry, &mut links);
        let workers = &self.workers;
        let records = match (output, index) {
            (Some(output), Some(index)) => {
                rewriting.run_with_index(archive, output, workers, index, report)
            }
            (Some(output), None) => rewriting.run(archive, output, workers, report),
            (None, _) => rewriting.check(archive, workers, report),
        };
        Ok(ArchiveTotals { records: records.map_err(ArchiveFailure::Archive)?, links })
    }

    fn to_file(
        &self,
        mut file: &File,
        access: Access,
        mut index: ArchiveIndex<'_>,
    ) -> Result<Content<ArchiveTotals>, ArchiveFailure> {
        let open = || self.input.open().map_err(ArchiveFailure::Input);
        let stream = open()?;
        let can_repeat = access == Access::New && !matches!(stream, Stream::Other(_));
        let mut totals = self.pass(stream, Some(file), index.as_deref_mut())?;
        if can_repeat && self.is_again() {
            file.set_len(0)?;
            file.rewind()?;
            if let Some(index) = &mut index {
                index.clear();
            }
            totals = self.pass(open()?, Some(file), index.as_deref_mut())?;
        }
        if totals.is_changed() {
            return Ok(Content::New(totals));
        }
        // No record changed, so that the split of large gzip members is undone.
        if totals.records.split > 0
            && access == Access::New
            && let Stream::File(mut source, _) = open()?
        {
            if !self.args.writing.write {
                file.set_len(0)?;
                file.rewind()?;
                io::copy(&mut source, &mut file)?;
                source.rewind()?;
            }
            if let Some(index) = index {
                index.clear();
                let source = Reader::seekable(source).limits(self.args.document.limits.archives);
                source.index(index).map_err(ArchiveError::Read)?;
            }
        }
        if self.args.writing.write {
            return Ok(Content::Unchanged(totals));
        }
        Ok(Content::New(totals))
    }
}

/// Stdout, and whether it got any byte.
struct Stdout<'r> {
    output: io::StdoutLock<'static>,
    has_output: &'r Cell<bool>,
}

impl Write for Stdout<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.has_output.set(self.has_output.get() || written > 0);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
