//! A container in, a container out: a web archive or a book.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::destination::{Unwritten, check_replaceable, is_trial, output_path};
use super::index::IndexFile;
use super::listener::Listener;
use super::options::check_container;
use super::totals::{Totals, Unit};
use crate::Rewriter;
use crate::batch::{Access, Content, Monitor, Workers, check_write, write_with_like};
use crate::cli::args::RewriteArgs;
use crate::cli::session::failure::{Failure, reason};
use crate::cli::session::input::Input;
use crate::cli::session::output::is_special;
use crate::cli::session::{book, direction};
use crate::container::warc::{ArchivesBefore, Cdxj, WarcInfo};
use crate::container::{ContainerError, ContainerTotals, Format, Output, Source, WriteOptions};
use crate::report::display::counted;

/// A run over a container.
pub struct ContainerRun<'a> {
    args: &'a RewriteArgs,
    pub(super) input: &'a Input,
    pub(super) format: Format,
    pub(super) name: String,
    /// The file that is written; stdout without it.
    path: Option<&'a Path>,
    rewriter: Rewriter,
    /// What a new web archive says of this run.
    info: WarcInfo,
    /// What was rewritten before.
    before: ArchivesBefore,
    workers: Workers,
    /// Whether stdout got a part of the new container.
    has_output: Cell<bool>,
}

/// What stops a run, and who hears of it.
pub struct Observers<'r> {
    pub monitor: &'r dyn Monitor,
    pub listener: &'r mut dyn Listener,
}

/// The outcome of one run over a container.
struct Pass {
    container: ContainerTotals,
    totals: Totals,
}

impl<'a> ContainerRun<'a> {
    /// Checks the options and the paths.
    pub fn new(
        args: &'a RewriteArgs,
        input: &'a Input,
        format: Format,
        info: WarcInfo,
    ) -> Result<Self, Failure> {
        Self::with_output(args, (input, args.writing.output.as_deref()), format, info)
    }

    /// The same with an output that is not that of the arguments.
    pub(super) fn with_output(
        args: &'a RewriteArgs,
        (input, output): (&'a Input, Option<&'a Path>),
        format: Format,
        info: WarcInfo,
    ) -> Result<Self, Failure> {
        let name = input.name();
        check_container(args, format).map_err(|what| Failure::of(&name, what))?;
        if let Input::File(path) = input {
            check_replaceable(args, path).map_err(|why| Failure::of(&name, why))?;
        }
        let path = output_path(&args.writing, input, output)?;
        IndexFile::check(&args.writing, input, path)?;
        let rewriter = direction::rewriter(args)?;
        let rewriter = if format.is_archive() {
            Input::rewriter_of_archive(rewriter, &args.base.origins()?)
        } else {
            rewriter.base_url(book::root(&args.base)).map_err(Failure::message)?
        };
        let workers = Workers::new(args.inputs.files.jobs);
        Ok(Self {
            args,
            input,
            format,
            name,
            path,
            rewriter,
            info,
            before: ArchivesBefore::default(),
            workers,
            has_output: Cell::new(false),
        })
    }

    /// The archive follows others in a run over several.
    pub(super) fn after(mut self, before: &ArchivesBefore) -> Self {
        self.before = before.clone();
        self
    }

    /// Rewrites the container, or only reports what would change.
    pub fn run(&self, observers: &mut Observers<'_>) -> Result<Totals, Failure> {
        if !self.args.writing.write {
            self.check_write()?;
        }
        let Some(index) = IndexFile::new(&self.args.writing)? else {
            return self.run_into(None, observers);
        };
        let mut left_out = None;
        let totals =
            index.write_after(&mut left_out, |index| self.run_into(Some(index), observers));
        if let Some(warning) = left_out {
            observers.listener.warn(&warning);
        }
        totals
    }

    /// The same, and adds the new archive to an index.
    pub(super) fn run_into(
        &self,
        index: Option<&mut Cdxj>,
        observers: &mut Observers<'_>,
    ) -> Result<Totals, Failure> {
        if is_trial(&self.args.writing) {
            return self.trial(observers);
        }
        let Some(index) = index else { return self.write(None, observers) };
        let mut own = self.new_index();
        let totals = self.write(Some(&mut own), observers)?;
        index.append(own).map_err(|error| self.unwritten(error))?;
        Ok(totals)
    }

    fn new_index(&self) -> Cdxj {
        let name = self.path.and_then(Path::file_name);
        Cdxj::new(name.map_or("-".into(), |name| name.to_string_lossy()))
    }

    /// Rewrites a web archive from a stream into another, once.
    pub fn stream(
        &self,
        source: Source<'_>,
        output: &mut dyn Write,
        observers: &mut Observers<'_>,
    ) -> Result<Totals, Failure> {
        let mut output = OutputStream { output, has_output: &self.has_output };
        Ok(self.convert(source, Some(&mut output), None, observers)?.totals)
    }

    /// What the output is after a failure.
    pub(super) fn output_state(&self) -> &'static str {
        if self.has_output.get() { "the output is incomplete" } else { "nothing was written" }
    }

    /// Makes the folder of an output in one.
    pub(super) fn make_folder(&self) -> Result<(), Failure> {
        let Some(folder) = self.path.and_then(Path::parent) else { return Ok(()) };
        if is_trial(&self.args.writing) || folder.as_os_str().is_empty() {
            return Ok(());
        }
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::unwritten(folder, error, "nothing was written"))
    }

    /// Checks that the file can be written, before the container is read.
    fn check_write(&self) -> Result<(), Failure> {
        let Some(path) = self.path else { return Ok(()) };
        check_write(path, None).map_err(|error| self.unwritten(error))
    }

    /// Does everything except writing.
    fn trial(&self, observers: &mut Observers<'_>) -> Result<Totals, Failure> {
        let pass = self.pass(None, None, observers)?;
        if pass.totals.is_changed() {
            self.check_write()?;
        }
        Ok(pass.totals)
    }

    /// Writes the new container, and adds its records to an index.
    fn write(
        &self,
        mut index: Option<&mut Cdxj>,
        observers: &mut Observers<'_>,
    ) -> Result<Totals, Failure> {
        let Some(path) = self.path else {
            let mut stdout = io::stdout().lock();
            let mut output = OutputStream { output: &mut stdout, has_output: &self.has_output };
            return Ok(self.pass(Some(&mut output), index, observers)?.totals);
        };
        if self.format.needs_file() && is_special(path) {
            return Err(self.needs_file());
        }
        let fill =
            |file: &File, access| self.to_file(file, access, index.as_deref_mut(), observers);
        let written = write_with_like(self.input.path().as_ref(), path, fill);
        written.map_err(|error| match error {
            Unwritten::File(error) => self.unwritten(error),
            Unwritten::Failure(failure) => failure,
        })
    }

    fn to_file(
        &self,
        mut file: &File,
        access: Access,
        mut index: Option<&mut Cdxj>,
        observers: &mut Observers<'_>,
    ) -> Result<Content<Totals>, Unwritten> {
        if self.format.needs_file() && access != Access::New {
            return Err(self.needs_file().into());
        }
        let pass = self.pass(Some(&mut file), index.as_deref_mut(), observers)?;
        let is_changed = pass.totals.is_changed();
        if is_changed {
            if let Some(bytes) = pass.container.bytes {
                file.set_len(bytes)?;
            }
            self.warn(&pass.container, observers);
        } else if access == Access::New {
            self.keep_old(&pass, file, index, observers)?;
        }
        if !observers.listener.commits() {
            return Err(self.failure(ContainerError::Stopped).into());
        }
        let is_new = is_changed || !self.args.writing.write;
        Ok(if is_new { Content::New(pass.totals) } else { Content::Unchanged(pass.totals) })
    }

    /// Where no document changed, makes the new file the old one: a ZIP file is not complete, and large
    /// gzip members may have been split.
    fn keep_old(
        &self,
        pass: &Pass,
        mut file: &File,
        index: Option<&mut Cdxj>,
        observers: &Observers<'_>,
    ) -> Result<(), Unwritten> {
        if !self.format.needs_file() && pass.container.documents.split == 0 {
            return Ok(());
        }
        let mut source = self.input.open(observers.monitor)?;
        if let Source::Stream(_) = source {
            return Ok(());
        }
        if !self.args.writing.write {
            truncate(file)?;
            io::copy(&mut source, &mut file)?;
            source.rewind()?;
        }
        if let Some(index) = index {
            *index = self.new_index();
            let archive = source.reader().limits(self.args.document.limits.archives);
            archive.index(index).map_err(|error| self.failure(ContainerError::Read(error)))?;
        }
        Ok(())
    }

    fn pass(
        &self,
        output: Option<&mut dyn Output>,
        index: Option<&mut Cdxj>,
        observers: &mut Observers<'_>,
    ) -> Result<Pass, Failure> {
        self.convert(self.input.open(observers.monitor)?, output, index, observers)
    }

    fn convert(
        &self,
        source: Source<'_>,
        output: Option<&mut dyn Output>,
        index: Option<&mut Cdxj>,
        observers: &mut Observers<'_>,
    ) -> Result<Pass, Failure> {
        let options = self.args.document.limits.reading(self.args.records.selection(), None);
        let container = self.format.open(source, &options).map_err(|error| self.failure(error))?;
        if let Some(count) = container.count() {
            observers.listener.start(count);
        }
        let rewriting =
            self.args.writing.rewriting(&self.rewriter, self.args.records.statuses(), &self.info);
        let rewriting = rewriting.after(&self.before);
        let options = WriteOptions { rewriting: &rewriting, workers: &self.workers, index };
        let (mut totals, mut failed) = (Totals::new(Unit::of(self.format)), None);
        let done = container.write(output, options, &mut |document| {
            totals.add_document(document, self.input.shown());
            if let Err(failure) = observers.listener.document(document) {
                failed = Some(failure);
                return ControlFlow::Break(());
            }
            if observers.monitor.is_stopped() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Some(failure) = failed {
            return Err(failure);
        }
        let container = done.map_err(|error| self.failure(error))?;
        totals.counts = container.documents;
        Ok(Pass { container, totals })
    }

    fn warn(&self, new: &ContainerTotals, observers: &mut Observers<'_>) {
        let name = &self.name;
        if new.was_signed {
            let what = "its signature is void, and was left out of the new archive";
            observers.listener.warn(&format!("{name}: {what}"));
        }
        if new.index_lines_left_out > 0 {
            let lines = counted(new.index_lines_left_out, "line");
            let what = "of its index left out, which point to no record";
            observers.listener.warn(&format!("{name}: {lines} {what}"));
        }
    }

    fn needs_file(&self) -> Failure {
        let what = format!("{} can be written to a regular file only", self.format.noun());
        self.failure(ContainerError::Invalid(what))
    }

    fn failure(&self, error: ContainerError) -> Failure {
        let state = self.output_state();
        match error {
            ContainerError::Read(error) => {
                let what = format!("cannot read: {}; {state}", reason(&error));
                Failure::of_file(&self.name, what, self.input.path().as_ref(), error)
            }
            ContainerError::Write(error) => self.unwritten(error),
            ContainerError::Invalid(what) => Failure::of(&self.name, format!("{what}; {state}")),
            _ => Failure::of(&self.name, format!("it was stopped; {state}")),
        }
    }

    fn unwritten(&self, error: io::Error) -> Failure {
        match self.path {
            Some(path) => Failure::unwritten(path, error, self.output_state()),
            None => Failure::output(error),
        }
    }
}

/// Removes what was written to a file.
fn truncate(mut file: &File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()
}

/// An output that cannot be sought, and whether it got any byte.
struct OutputStream<'o> {
    output: &'o mut dyn Write,
    has_output: &'o Cell<bool>,
}

impl Write for OutputStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.has_output.set(self.has_output.get() || written > 0);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Seek for OutputStream<'_> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}
