//! A book in, a book out.

use std::fs::File;
use std::io::{self, Seek};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::Rewriter;
use absolve::batch::{self, Access, Content, Monitor};
use absolve::container::epub::{BookEntry, BookError};
use pyo3::prelude::*;

use super::failure::{RunError, Unwritten};
use super::result::{FileFailure, RewriteResult};
use super::{EPUB, finished};
use crate::args::RewriteArgs;
use crate::progress::{Unit, Watch, watched};
use crate::session::book::{failure, open, rewriter};

/// Rewrites a book into another file.
pub(super) fn rewrite(
    py: Python<'_>,
    args: &RewriteArgs,
    source: &Path,
    destination: &Path,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<RewriteResult> {
    let done = watched(py, progress, Unit::Files, |watch| {
        let rewriter = rewriter(args, &source.to_string_lossy())?;
        Run { args, source, destination, watch, rewriter }.write()
    });
    Ok(finished(py, &EPUB, source, done)?.in_python(&EPUB))
}

/// A run over a book.
struct Run<'a> {
    args: &'a RewriteArgs,
    source: &'a Path,
    destination: &'a Path,
    watch: &'a Watch,
    rewriter: Rewriter,
}

impl Run<'_> {
    fn write(&self) -> Result<RewriteResult, RunError> {
        let started = Instant::now();
        if batch::is_same_file(self.source, self.destination) {
            let what = "is the input itself; give another file";
            return Err(RunError::Message(format!("{}: {what}", self.destination.display())));
        }
        batch::check_write(self.destination, None)
            .map_err(|error| Unwritten::Write(error).of(self.destination))?;
        let result = if self.args.writing.dry_run {
            self.pass(io::sink())
        } else {
            batch::write_with_like(self.source, self.destination, |file, access| {
                self.to_file(file, access)
            })
        };
        let mut result = result.map_err(|error| error.of(self.destination))?;
        result.seconds = started.elapsed().as_secs_f64();
        Ok(result)
    }

    fn to_file(
        &self,
        mut file: &File,
        access: Access,
    ) -> Result<Content<RewriteResult>, Unwritten> {
        if access != Access::New {
            let what = "a book can be written to a regular file only";
            let what = format!("{}: {what}", self.destination.display());
            return Err(Unwritten::Other(RunError::Message(what)));
        }
        let result = self.pass(io::BufWriter::new(file))?;
        if result.counts.is_unchanged() {
            file.rewind()?;
            io::copy(&mut batch::open(self.source)?, &mut file)?;
        }
        if !self.watch.goes_on() {
            return Err(Unwritten::Other(RunError::Message("it was stopped".to_owned())));
        }
        Ok(Content::New(result))
    }

    /// Writes the new book.
    fn pass(&self, output: impl io::Write) -> Result<RewriteResult, Unwritten> {
        let opened = open(self.source, &self.args.document.limits.documents);
        let mut book = opened.map_err(|failure| Unwritten::Other(failure.into()))?;
        self.watch.set_total(book.documents().len() as u64);
        let mut result = RewriteResult::default();
        let report = |entry: &BookEntry<'_>| {
            self.watch.read(entry.source.len() as u64);
            if let Err(error) = &entry.result {
                result.failures.push(FileFailure {
                    file: self.source.as_os_str().to_owned(),
                    inside: Some(entry.document.name.clone()),
                    message: error.to_string(),
                    error: Some(error.clone()),
                });
            }
            if self.watch.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let totals = book.rewrite(output, &self.rewriter, report).map_err(|error| match error {
            BookError::Write(error) => Unwritten::Write(error),
            error => Unwritten::Other(failure(&self.source.to_string_lossy(), error).into()),
        })?;
        result.links = totals.links;
        result.counts = totals.into();
        Ok(result)
    }
}
