//! The index of a new archive.

use std::path::Path;

use crate::batch::{Content, check_write, is_same_file, is_stdout, write_with};
use crate::container::warc::Cdxj;
use crate::report::display::counted;

use super::destination::{Unwritten, is_trial};
use crate::cli::args::WritingArgs;
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::unfinished::check_not_being_written;
use crate::cli::terminal::printable_path;

/// The file of an index.
pub(super) struct IndexFile<'a> {
    path: &'a Path,
    index: Cdxj,
}

impl<'a> IndexFile<'a> {
    /// The file of `--cdxj`, which can be written.
    pub(super) fn new(writing: &'a WritingArgs) -> Result<Option<Self>, Failure> {
        let Some(path) = writing.cdxj.as_deref().filter(|_| !is_trial(writing)) else {
            return Ok(None);
        };
        check_write(path, None)
            .map_err(|error| Failure::unwritten(path, error, "nothing was written"))?;
        Ok(Some(Self { path, index: Cdxj::new("") }))
    }

    /// Checks that the file of `--cdxj` is not the old or the new archive; `output` is the new archive,
    /// or stdout.
    pub(super) fn check(
        writing: &WritingArgs,
        input: &Input,
        output: Option<&Path>,
    ) -> Result<(), Failure> {
        let Some(path) = writing.cdxj.as_deref() else { return Ok(()) };
        if path == Path::new("-") || is_stdout(path) {
            let what = "the index cannot be written to stdout; give --cdxj a file";
            return Err(Failure::message(what));
        }
        let is_output = output.is_some_and(|output| output == path || is_same_file(output, path));
        if input.is_same_file(path) || is_output {
            let what = "is the archive itself; give --cdxj another file";
            return Err(Failure::of(&printable_path(path), what));
        }
        check_not_being_written(path, "--cdxj")
    }

    /// Writes the index after `write` has written the archives and added them to the index; if that
    /// fails, no index is written. `warning` gets what an index without some records is reported by.
    pub(super) fn write_after<T>(
        mut self,
        warning: &mut Option<String>,
        write: impl FnOnce(&mut Cdxj) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (mut state, mut left_out) = ("nothing was written", 0);
        let written = write_with(self.path, |file, _| -> Result<_, Unwritten> {
            let done = write(&mut self.index)?;
            (state, left_out) = ("the archive was written", self.index.left_out());
            self.index.write(file)?;
            Ok(Content::New(done))
        });
        if left_out > 0 {
            *warning = Some(format!(
                "{}: {} left out, which replay cannot find: no WARC-Date, or not the first in its \
                 gzip member",
                printable_path(self.path),
                counted(left_out, "record")
            ));
        }
        written.map_err(|error| match error {
            Unwritten::File(error) => Failure::unwritten(self.path, error, state),
            Unwritten::Failure(failure) => failure,
        })
    }
}
