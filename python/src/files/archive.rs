//! A web archive in, a web archive out.

mod wacz;

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::Rewriter;
use absolve::batch::{self, Access, Content, Monitor, Workers};
use absolve::container::Format;
use absolve::container::warc::{ArchiveError, Cdxj, Entry, Reader, RecordOutcome, WarcInfo};
use clap::ArgMatches;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::counting::CountedFile;
use super::failure::{RunError, Unwritten};
use super::result::{FileFailure, RewriteResult};
use super::tree::check;
use super::{WARC, finished};
use crate::args::RewriteArgs;
use crate::arguments::Function;
use crate::errors::Error;
use crate::progress::{Unit, Watch, watched};
use crate::session::config::options::options;
use crate::session::date;
use crate::session::direction;
use crate::session::failure::Failure;
use crate::session::input::Input;
use crate::session::unfinished::check_not_being_written;

/// Failures that are kept; a hostile archive has millions.
const MOST: usize = 1_000;

/// Rewrites an archive into another file.
pub(super) fn rewrite(
    py: Python<'_>,
    args: &RewriteArgs,
    info: WarcInfo,
    source: &Path,
    destination: &Path,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<RewriteResult> {
    let done = watched(py, progress, Unit::Bytes, |watch| {
        Run::new(args, info, source, destination, watch)?.write()
    });
    Ok(finished(py, &WARC, source, done)?.in_python(&WARC))
}

/// What a new archive says of the run.
pub(super) fn warcinfo(matches: &ArgMatches) -> PyResult<WarcInfo> {
    let date = date::of_run().map_err(|failure| match failure {
        Failure::Message(message) => Error::new_err(message),
        Failure::ClosedPipe => Error::new_err("closed"),
    })?;
    Ok(WarcInfo::new(date::text(date)).options(options::<RewriteArgs>(matches)))
}

/// Rewrites an archive from a stream into another; `name` is that of the source.
pub(crate) fn rewrite_stream<R: Read + Send>(
    py: Python<'_>,
    archive: Reader<R>,
    output: impl Write + Send,
    name: &Path,
    base_url: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let function = Function {
        name: "rewrite_warc_stream",
        parameters: &["source", "destination", "base_url"],
        ..WARC
    };
    let own = base_url.map(|url| format!("--base-url={url}").into()).into_iter().collect();
    let paths = [name.to_owned()];
    let (args, matches) = &function.parse_with_matches::<RewriteArgs>(py, options, own, &paths)?;
    let info = warcinfo(matches)?;
    if args.writing.cdxj.is_some() {
        return Err(PyTypeError::new_err("cdxj needs a path, which rewrite_warc() takes"));
    }
    if args.writing.dry_run {
        return Err(PyTypeError::new_err("dry_run=True needs a path, which rewrite_warc() takes"));
    }
    let done = watched(py, None, Unit::Bytes, |watch| {
        let started = Instant::now();
        let run = Run::new(args, info, name, name, watch)?;
        let mut result = run.read(archive, output).map_err(|error| error.of(name))?;
        result.seconds = started.elapsed().as_secs_f64();
        Ok(result)
    });
    Ok(finished(py, &function, name, done)?.in_python(&function))
}

/// A run over an archive.
struct Run<'a> {
    args: &'a RewriteArgs,
    info: WarcInfo,
    source: &'a Path,
    destination: &'a Path,
    watch: &'a Watch,
    rewriter: Rewriter,
    workers: Workers,
    /// Whether large gzip members were split.
    split: RefCell<u64>,
    /// The index of the new archive, if one is written.
    index: RefCell<Option<Cdxj>>,
}

impl<'a> Run<'a> {
    fn new(
        args: &'a RewriteArgs,
        info: WarcInfo,
        source: &'a Path,
        destination: &'a Path,
        watch: &'a Watch,
    ) -> Result<Self, RunError> {
        check(args)?;
        direction::check_archive(args)?;
        let rewriter = direction::rewriter(args)?;
        let rewriter = Input::rewriter_of_archive(rewriter, &args.base.origins()?);
        let workers = Workers::new(args.inputs.files.jobs);
        let workers = workers.map_err(|error| RunError::Message(error.to_string()))?;
        let split = RefCell::default();
        let index = args
            .writing
            .cdxj
            .as_ref()
            .filter(|_| !args.writing.dry_run)
            .map(|_| Cdxj::new(destination.file_name().unwrap_or_default().to_string_lossy()));
        let index = RefCell::new(index);
        Ok(Self { args, info, source, destination, watch, rewriter, workers, split, index })
    }

    fn write(&self) -> Result<RewriteResult, RunError> {
        let started = Instant::now();
        if batch::is_same_file(self.source, self.destination) {
            let what = "is the input itself; give another file";
            return Err(RunError::Message(format!("{}: {what}", self.destination.display())));
        }
        check_not_being_written(self.destination, "destination")?;
        let is_wacz = Format::is_wacz(self.source);
        if is_wacz != Format::is_wacz(self.destination) {
            let what =
                "a WACZ archive stays one; give both names the extension .wacz, or none of them";
            return Err(RunError::Message(format!("{}: {what}", self.destination.display())));
        }
        if is_wacz && self.args.writing.cdxj.is_some() {
            let what = "--cdxj is not for a WACZ archive, whose index is in it";
            return Err(RunError::Message(format!("{}: {what}", self.source.display())));
        }
        self.check_index()?;
        batch::check_write(self.destination, None)
            .map_err(|error| Unwritten::Write(error).of(self.destination))?;
        let result = if is_wacz {
            self.wacz()
        } else if self.args.writing.dry_run {
            self.pass(io::sink())
        } else {
            batch::write_with_like(self.source, self.destination, |file, access| {
                self.to_file(file, access)
            })
        };
        let mut result = result.map_err(|error| error.of(self.destination))?;
        self.write_index()?;
        result.seconds = started.elapsed().as_secs_f64();
        Ok(result)
    }

    /// Checks that the index can be written, before the archive is read.
    fn check_index(&self) -> Result<(), RunError> {
        let Some(path) = self.args.writing.cdxj.as_deref() else { return Ok(()) };
        let is_archive = |archive: &Path| archive == path || batch::is_same_file(archive, path);
        if is_archive(self.source) || is_archive(self.destination) {
            let what = "is the archive itself; give --cdxj another file";
            return Err(RunError::Message(format!("{}: {what}", path.display())));
        }
        check_not_being_written(path, "--cdxj")?;
        batch::check_write(path, None).map_err(|error| RunError::File(path.to_owned(), error))
    }

    /// Writes the index of the new archive, after the archive.
    fn write_index(&self) -> Result<(), RunError> {
        let (path, index) = (self.args.writing.cdxj.as_deref(), self.index.take());
        let Some((path, index)) = path.zip(index) else { return Ok(()) };
        let written = batch::write_with(path, |file, _| index.write(file).map(Content::New));
        written.map_err(|error| RunError::File(path.to_owned(), error))
    }

    fn to_file(
        &self,
        mut file: &File,
        access: Access,
    ) -> Result<Content<RewriteResult>, Unwritten> {
        let result = self.pass(file)?;
        // No record changed, so that the split of large gzip members is undone.
        if result.counts.is_unchanged() && *self.split.borrow() > 0 && access == Access::New {
            let mut source = self.open()?;
            if source.metadata()?.is_file() {
                file.set_len(0)?;
                file.rewind()?;
                io::copy(&mut source, &mut file)?;
                if let Some(index) = &mut *self.index.borrow_mut() {
                    index.clear();
                    source.rewind()?;
                    let limits = self.args.document.limits.archives;
                    Reader::seekable(source).limits(limits).index(index)?;
                }
            }
        }
        if !self.watch.goes_on() {
            return Err(Unwritten::Other(RunError::Message("it was stopped".to_owned())));
        }
        Ok(Content::New(result))
    }

    fn open(&self) -> Result<File, Unwritten> {
        let opened = batch::open(self.source);
        opened.map_err(|error| Unwritten::Other(RunError::File(self.source.to_owned(), error)))
    }

    /// Writes the new archive.
    fn pass(&self, output: impl Write) -> Result<RewriteResult, Unwritten> {
        let file = self.open()?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            let size = metadata.len();
            let file = CountedFile { file, size, position: 0, watch: self.watch };
            self.read(Reader::seekable(file), output)
        } else {
            self.read(Reader::new(file), output)
        }
    }

    fn read<R: Read + Send>(
        &self,
        archive: Reader<R>,
        output: impl Write,
    ) -> Result<RewriteResult, Unwritten> {
        let rewriting = self.args.writing.rewriting(&self.rewriter, &self.info);
        let limits = self.args.document.limits.archives;
        let archive = archive.limits(limits).select(self.args.records.selection());
        let mut result = RewriteResult::default();
        let report = |entry: &Entry| {
            self.add(&mut result, entry, None);
            if self.watch.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let totals = match &mut *self.index.borrow_mut() {
            Some(index) => rewriting.run_with_index(archive, output, &self.workers, index, report),
            None => rewriting.run(archive, output, &self.workers, report),
        };
        let totals = totals.map_err(|error| match error {
            ArchiveError::Write(error) => Unwritten::Write(error),
            ArchiveError::Read(error) => Unwritten::Other(RunError::of(self.source, error)),
            other => Unwritten::Other(RunError::Message(other.to_string())),
        })?;
        *self.split.borrow_mut() = totals.split;
        result.counts = totals.into();
        Ok(result)
    }

    /// Counts the links of a record, and keeps its failure. `archive` is the one that it is in, in a
    /// WACZ archive.
    fn add(&self, result: &mut RewriteResult, entry: &Entry, archive: Option<&str>) {
        let message = match &entry.outcome {
            RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) => {
                result.links += summary.counts();
                return;
            }
            RecordOutcome::Failed(problem) => problem.to_string(),
            RecordOutcome::Skipped(skip) => skip.to_string(),
            _ => return,
        };
        if result.failures.len() < MOST {
            let inside = Some(entry.position.to_string());
            let mut file = self.source.as_os_str().to_owned();
            if let Some(archive) = archive {
                file.push("!");
                file.push(archive);
            }
            result.failures.push(FileFailure { file, inside, message, error: None });
        }
    }
}
