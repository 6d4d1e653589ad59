//! The index of a new archive.

use std::io;
use std::path::Path;

use absolve::batch::{Content, check_write, is_same_file, is_stdout, write_with};
use absolve::container::warc::Cdxj;
use absolve::report::display::counted;

use super::totals::ArchiveTotals;
use crate::args::WritingArgs;
use crate::session::failure::{Failure, reason};
use crate::session::input::Input;
use crate::session::unfinished::check_not_being_written;
use crate::terminal::{Messages, printable_path};

/// The index that an archive is added to, if there is one.
pub(super) type ArchiveIndex<'i> = Option<&'i mut Cdxj>;

/// The file of an index.
pub(super) struct IndexFile<'a> {
    path: &'a Path,
    index: Cdxj,
}

/// Why an index was not written.
enum IndexFailure {
    /// The archive was not written.
    Archive(Failure),
    Index(io::Error),
}

impl From<Failure> for IndexFailure {
    fn from(failure: Failure) -> Self {
        Self::Archive(failure)
    }
}

impl From<io::Error> for IndexFailure {
    fn from(error: io::Error) -> Self {
        Self::Index(error)
    }
}

impl<'a> IndexFile<'a> {
    /// The file of `--cdxj`, which can be written and is not the old or the new archive; `output`
    /// is the new archive, or stdout.
    pub(super) fn new(
        writing: &'a WritingArgs,
        input: &Input,
        output: Option<&Path>,
    ) -> Result<Option<Self>, Failure> {
        let Some(path) = writing.cdxj.as_deref() else { return Ok(None) };
        if path == Path::new("-") || is_stdout(path) {
            let what = "the index cannot be written to stdout; give --cdxj a file";
            return Err(Failure::message(what));
        }
        let name = printable_path(path);
        let is_output = output.is_some_and(|output| output == path || is_same_file(output, path));
        if input.is_same_file(path) || is_output {
            let what = "is the archive itself; give --cdxj another file";
            return Err(Failure::of(&name, what));
        }
        check_not_being_written(path, "--cdxj")?;
        check_write(path, None).map_err(|error| {
            let what = format_args!("cannot write: {}; nothing was written", reason(&error));
            Failure::of(&name, what)
        })?;
        let archive = output.and_then(Path::file_name);
        let archive = archive.map_or("-".into(), |name| name.to_string_lossy());
        Ok(Some(Self { path, index: Cdxj::new(archive) }))
    }

    /// Writes the index after `write` has written the archive and added it to the index; if that
    /// fails, no index is written.
    pub(super) fn write_after(
        mut self,
        messages: Messages,
        write: impl FnOnce(&mut Cdxj) -> Result<ArchiveTotals, Failure>,
    ) -> Result<ArchiveTotals, Failure> {
        let (mut state, mut left_out) = ("nothing was written", 0);
        let name = printable_path(self.path);
        let written = write_with(self.path, |file, _| -> Result<_, IndexFailure> {
            let totals = write(&mut self.index)?;
            (state, left_out) = ("the archive was written", self.index.left_out());
            self.index.write(file)?;
            Ok(Content::New(totals))
        });
        if left_out > 0 {
            messages.warning(format_args!(
                "{name}: {} left out, which replay cannot find: no WARC-Date, or not the first in \
                 its gzip member",
                counted(left_out, "record")
            ));
        }
        written.map_err(|failure| match failure {
            IndexFailure::Archive(failure) => failure,
            IndexFailure::Index(error) => {
                let why = reason(&error);
                Failure::of(&name, format_args!("cannot write: {why}; {state}"))
            }
        })
    }
}
