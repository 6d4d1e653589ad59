//! Where documents, lists and statistics go.

use std::io;
use std::path::Path;

use crate::batch::{self, HardLinks, Skip, Symlinks, WriteMode, is_descriptor, names};
use crate::container::Format;
use crate::report::display::without_commands;
use serde::Serialize;

use crate::cli::args::{RewriteArgs, StatsArg, WritingArgs};
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::output::{path_to_stdout, to_stdout};
use crate::cli::session::signals::SecondSignal;
use crate::cli::session::unfinished::{check_not_being_written, is_being_written};
use crate::cli::terminal::{Messages, printable_path};

/// Refuses an output that is the input or another file, unless `--force` is given, and an archive that
/// a crawler is still writing.
pub(super) fn check_output(
    input: &Input,
    output: Option<&Path>,
    writing: &WritingArgs,
) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    if input.is_same_file(output) {
        let what = "is the input itself; rewrite it in place with --write, or give another file";
        return Err(Failure::of(&printable_path(output), what));
    }
    check_not_being_written(output, "-o")?;
    let is_file = std::fs::metadata(output).is_ok_and(|old| old.is_file() && old.len() > 0);
    if is_file && !writing.force && !names_stdout(writing) && !is_descriptor(output) {
        let what = "it exists; give another file, or --force to replace it";
        return Err(Failure::of(&printable_path(output), what));
    }
    Ok(())
}

/// Refuses to replace an archive or a book by the same rules as a document that is given by its own path.
pub(super) fn check_replaceable(args: &RewriteArgs, path: &Path) -> Result<(), String> {
    let writing = &args.writing;
    if !writing.write && (writing.output.is_some() || !is_trial(writing)) {
        return Ok(());
    }
    if is_descriptor(path) {
        let what = "it is an open descriptor and not a file; give the path of the file";
        return Err(what.to_owned());
    }
    if writing.write && is_being_written(path) {
        let what = "a crawler is still writing it, and would lose its place; give -o";
        return Err(what.to_owned());
    }
    if path.is_symlink() && args.inputs.files.symlinks() == Symlinks::Kept {
        let what = "symbolic link; give the path of its target, or follow symbolic links";
        return Err(what.to_owned());
    }
    match names(path) {
        Ok(names @ 2..) if writing.hard_links() == HardLinks::Skip => {
            Err(Skip::HardLinks(names).to_string())
        }
        _ => Ok(()),
    }
}

/// Why a file was not written.
pub(super) enum Unwritten {
    /// The file itself.
    File(io::Error),
    /// What it was to have.
    Failure(Failure),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// The file to write; `None` for stdout.
pub(super) fn output_path<'a>(
    writing: &WritingArgs,
    input: &'a Input,
    output: Option<&'a Path>,
) -> Result<Option<&'a Path>, Failure> {
    check_output(input, output, writing)?;
    let path = match (output, input) {
        _ if names_stdout(writing) => None,
        (Some(path), _) => Some(path),
        (None, Input::File(path)) if writing.write => Some(path.as_path()),
        (None, Input::Stdin) if writing.write => {
            return Err(Failure::message("stdin cannot be rewritten in place, give a path"));
        }
        (None, _) => None,
    };
    if let (Input::File(input), Some(output)) = (input, path) {
        check_compression(input, output)?;
    }
    Ok(path)
}

/// Refuses an output whose name is that of an archive with another compression than the input.
fn check_compression(input: &Path, output: &Path) -> Result<(), Failure> {
    let compression =
        |path| Format::of_end(path).and_then(|(format, end)| format.is_archive().then_some(end));
    match (compression(input), compression(output)) {
        (Some(end), Some(other)) if end != other => {
            let what = format_args!(
                "an archive keeps its compression; give a name that ends in {end}, as that of the input"
            );
            Err(Failure::of(&printable_path(output), what))
        }
        _ => Ok(()),
    }
}

/// Whether the run only shows what it would write.
pub(super) fn is_trial(writing: &WritingArgs) -> bool {
    let is_preview = writing.check || writing.diff || writing.dry_run;
    is_preview || (writing.list_different && !writing.write && writing.output.is_none())
}

/// Whether the document, or the archive, is written to stdout.
pub(super) fn is_to_stdout(writing: &WritingArgs) -> bool {
    let has_no_file = writing.output.is_none() || names_stdout(writing);
    has_no_file && !writing.write && !is_trial(writing)
}

/// Whether the output names stdout: `-`, `/dev/stdout` or a link to it.
pub(super) fn names_stdout(writing: &WritingArgs) -> bool {
    writing
        .output
        .as_deref()
        .is_some_and(|output| output == Path::new("-") || batch::is_stdout(output))
}

/// Refuses to write several documents to stdout.
pub(super) fn refuse_stdout(writing: &WritingArgs) -> Result<(), Failure> {
    let to_stdout = writing.output.is_none() || names_stdout(writing);
    if !writing.write && to_stdout && (writing.output.is_some() || !is_trial(writing)) {
        let what = "cannot write several documents to stdout; give --output DIR, or --write to rewrite in place";
        return Err(Failure::message(what));
    }
    Ok(())
}

/// Prints the statistics as a line of JSON: on stdout, or on stderr if stdout has the document.
pub(super) fn print_stats(writing: &WritingArgs, stats: &impl Serialize) -> Result<(), Failure> {
    let stats = serde_json::to_string(stats).map_err(Failure::message)?;
    if is_to_stdout(writing) {
        Messages::line(stats);
        return Ok(());
    }
    to_stdout(|out| writeln!(out, "{stats}"))
}

/// Lists a file that changes or would change; `--list-different` prints only its path.
pub(super) fn list_changed(
    writing: &WritingArgs,
    path: &Path,
    messages: Messages,
) -> Result<(), Failure> {
    if writing.list_different {
        return path_to_stdout(path);
    }
    if !writing.check || messages.are_quiet() || writing.stats == StatsArg::Json {
        return Ok(());
    }
    let line = format!("would rewrite {}", printable_path(path));
    to_stdout(|out| writeln!(out, "{}", without_commands(&line)))
}

/// The purpose of the search for files; a preview of a run in place finds the same files.
pub(super) fn purpose(writing: &WritingArgs) -> WriteMode {
    match (&writing.output, writing.write || is_trial(writing)) {
        (Some(_), _) => WriteMode::Mirror,
        (None, true) => WriteMode::Replace,
        (None, false) => WriteMode::Read,
    }
}

/// The effect of a second signal: it ends a run that writes no files.
pub(super) fn second_signal(writing: &WritingArgs) -> SecondSignal {
    if is_trial(writing) || is_to_stdout(writing) {
        SecondSignal::Ends
    } else {
        SecondSignal::Ignored
    }
}
