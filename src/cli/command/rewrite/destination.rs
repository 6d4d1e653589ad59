//! Where documents, lists and statistics go.

use std::path::Path;

use crate::Diagnosis;
use crate::batch::WriteMode;
use crate::report::display::without_commands;
use serde::Serialize;

use crate::cli::args::{StatsArg, WritingArgs};
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::output::{path_to_stdout, to_stdout};
use crate::cli::session::signals::SecondSignal;
use crate::cli::terminal::{Messages, printable_path};

/// Refuses an output that is the input or another file, unless `--force` is given.
pub(super) fn check_output(
    input: &Input,
    output: Option<&Path>,
    writing: &WritingArgs,
) -> Result<(), Failure> {
    let Some(output) = output else { return Ok(()) };
    if input.is_same_file(output) {
        let what = "is the input itself; rewrite it in place with {write}, or give another file";
        return Err(Failure::of(&printable_path(output), Diagnosis::from_words(what, &[])));
    }
    let is_file = std::fs::metadata(output).is_ok_and(|old| old.is_file() && old.len() > 0);
    if is_file && !writing.force && !names_stdout(writing) {
        let what = "it exists; give another file, or {force} to replace it";
        return Err(Failure::of(&printable_path(output), Diagnosis::from_words(what, &[])));
    }
    Ok(())
}

/// Whether the run only shows what it would write.
pub(super) fn is_trial(writing: &WritingArgs) -> bool {
    let is_preview = writing.check || writing.diff || writing.dry_run;
    is_preview || (writing.list_different && !writing.write && writing.output.is_none())
}

/// Whether the document is written to stdout.
pub(super) fn is_to_stdout(writing: &WritingArgs) -> bool {
    let has_no_file = writing.output.is_none() || names_stdout(writing);
    has_no_file && !writing.write && !is_trial(writing)
}

/// Whether the output names stdout, whose position a shell's `>> FILE` shares with other programs.
pub(super) fn names_stdout(writing: &WritingArgs) -> bool {
    let names = ["-", "/dev/stdout"];
    writing
        .output
        .as_deref()
        .is_some_and(|output| names.iter().any(|name| output == Path::new(name)))
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
    let stats =
        serde_json::to_string(stats).map_err(|error| Failure::message(error.to_string()))?;
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
