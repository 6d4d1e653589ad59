//! One document in, one document out.

use std::path::Path;

use crate::batch::{FileOutcome, Report, check_write};
use crate::cli::args::RewriteArgs;
use crate::cli::session::direction;
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::container::{self, Documents};
use crate::rewrite::Rewritten;
use crate::{Buffers, Diagnosis, batch};

use super::destination::{check_output, names_stdout};
use super::options::archive;

/// A document that is rewritten into a file or stdout.
pub struct DocumentRun<'a> {
    pub(super) args: &'a RewriteArgs,
    pub(super) input: &'a Input,
    /// The file that is written; stdout without it.
    pub(super) output: Option<&'a Path>,
}

impl<'a> DocumentRun<'a> {
    /// Checks the options and the output.
    pub fn new(args: &'a RewriteArgs, input: &'a Input) -> Result<Self, Failure> {
        let writing = &args.writing;
        if let Some(option) = writing.for_many() {
            let words = "{} is for folders, lists of files and {write}";
            return Err(Failure::of(&input.name(), Diagnosis::from_words(words, &[&option])));
        }
        check_output(input, writing.output.as_deref(), writing)?;
        let output = writing.output.as_deref().filter(|_| !names_stdout(writing));
        Ok(Self { args, input, output })
    }

    /// Rewrites the document, and passes its old text and the new one to `then`.
    pub fn run<T>(
        &self,
        then: impl FnOnce(&[u8], &Rewritten<'_, Documents>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self { args, input, .. } = self;
        let failed = |error| Failure::of_document(&input.name(), error);
        let rewriter = direction::rewriter(args)?;
        let rewriter = input.rewriter(&rewriter, direction::origins(args)?, &args.inputs)?;
        let source = input.read(&args.document.limits.documents)?;
        let is_archive = matches!(input, Input::Stdin) && source.starts_with(b"WARC/1.");
        if is_archive && args.inputs.file_format.is_none() {
            return Err(archive(input.shown()));
        }
        let mut buffers = Buffers::new();
        let format = input.detect(&args.inputs, &source).map_err(failed)?;
        let rewritten = container::rewrite(&source, format, &rewriter, &mut buffers);
        then(&source, &rewritten.map_err(failed)?)
    }

    /// Writes the document to the output file, or only checks that it could be written.
    pub fn write(&self, path: &Path, document: &[u8]) -> Result<(), Failure> {
        let written = if self.args.writing.dry_run {
            check_write(path, Some(document))
        } else {
            batch::write_like(self.input.path().as_ref(), path, document)
        };
        written.map_err(|error| Failure::unwritten(path, error, "nothing was written"))
    }
}

/// The report on the only document.
pub fn report(rewritten: &Rewritten<'_, Documents>) -> Report {
    let outcome =
        if rewritten.is_changed() { FileOutcome::Rewritten } else { FileOutcome::Unchanged };
    Report { outcome, documents: Some(rewritten.summary().clone()) }
}
