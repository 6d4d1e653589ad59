//! `absolve rewrite`: one document in, one document out, or a tree of them.

mod archive;
mod diff;
mod many;
mod one;
mod totals;
mod unresolved;

use std::path::Path;

use absolve::batch::{self, Purpose};
use absolve::container::Format;
use serde_json::Value;

use crate::Status;
use crate::args::{RewriteArgs, StatsArg, WritingArgs};
use crate::config::{self, Confinement, Settings, is_document_name};
use crate::failure::Failure;
use crate::input::Input;
use crate::inputs::{Inputs, Paths};
use crate::output::{Messages, Output, path_to_stdout, printable, to_stdout};
use crate::signals::SecondSignal;
use crate::workflow_commands::without_commands;

pub(crate) use diff::Colour;

pub(crate) fn run(args: &RewriteArgs, output: Output) -> Result<Status, Failure> {
    let settings = Settings::<RewriteArgs>::new(&args.config, &args.inputs.paths)?;
    settings.check(settings.args.document.check())?;
    if args.config.print_config {
        return config::print(&settings);
    }
    if let Some(file) = &settings.file {
        let file = printable(&file.to_string_lossy());
        output.messages.detail(format_args!("settings from {file}"));
    }
    rewrite(&settings, output)
}

fn rewrite(settings: &Settings<RewriteArgs>, output: Output) -> Result<Status, Failure> {
    let args = &settings.args;
    let writing = &args.writing;
    if writing.stats == StatsArg::Json && (writing.diff || writing.list_different) {
        let what = "--stats json and what --diff or --list-different print would both be on stdout, give one";
        return Err(Failure::Message(what.to_owned()));
    }
    if let Some(suffix) = &writing.backup
        && args.inputs.files.globs().is_document(format!("page{suffix}").as_ref())
    {
        let what =
            "would be documents of the next run; give a suffix that --include does not match";
        return Err(Failure::Message(format!("files with the suffix '{suffix}' {what}")));
    }
    let inputs = Inputs::new(&args.inputs, args.base.base_url(), Confinement::new(settings))?;
    if let (Inputs::One(_), Some(_), Some(path)) =
        (&inputs, settings.confined("output"), &writing.output)
        && path != Path::new("-")
        && !path.file_name().is_some_and(is_document_name)
    {
        let what = "a configuration that was found writes files that are named as documents \
                    alone; give --output, or trust it with --config";
        return Err(Failure::of(&printable(&path.to_string_lossy()), what));
    }
    if let Inputs::One(input) = &inputs
        && input.format(&args.inputs) == Format::Warc
    {
        return archive::run(args, input, output);
    }
    if writing.keep_originals {
        return Err(Failure::Message("--keep-originals is for a web archive".to_owned()));
    }
    match inputs {
        Inputs::One(Input::Stdin) if writing.write => {
            Err(Failure::Message("stdin cannot be rewritten in place, give paths".to_owned()))
        }
        Inputs::One(Input::File(path))
            if writing.write || is_trial(writing) && writing.output.is_none() =>
        {
            many::run(args, &Paths::of_file(path, &args.inputs), output)
        }
        Inputs::One(input) => one::run(args, &input, output),
        Inputs::Many(paths) => many::run(args, &paths, output),
    }
}

/// Refuses the input as the file to write to.
fn refuse_itself(input: &Input, writing: &WritingArgs) -> Result<(), Failure> {
    match writing.output.as_deref().filter(|output| input.is_same_file(output)) {
        None => Ok(()),
        Some(output) => Err(Failure::of(
            &printable(&output.to_string_lossy()),
            "is the input itself; rewrite it in place with --write, or give another file",
        )),
    }
}

/// Whether nothing is written but what would be.
fn is_trial(writing: &WritingArgs) -> bool {
    let asks = writing.check || writing.diff || writing.dry_run;
    asks || (writing.list_different && !writing.write && writing.output.is_none())
}

/// What a second signal does: it ends a run that writes no files.
fn second_signal(writing: &WritingArgs) -> SecondSignal {
    if is_trial(writing) || is_to_stdout(writing) {
        SecondSignal::Ends
    } else {
        SecondSignal::Ignored
    }
}

/// Whether the document, or the archive, is written to stdout.
fn is_to_stdout(writing: &WritingArgs) -> bool {
    let has_no_file = writing.output.is_none() || names_stdout(writing);
    has_no_file && !writing.write && !is_trial(writing)
}

/// Whether the output is stdout by name: `-`, `/dev/stdout` and what leads there.
fn names_stdout(writing: &WritingArgs) -> bool {
    writing
        .output
        .as_deref()
        .is_some_and(|output| output == Path::new("-") || batch::is_stdout(output))
}

/// Prints the statistics as a line of JSON: on stdout, or on stderr where stdout has the
/// document.
fn print_stats(writing: &WritingArgs, stats: &Value) -> Result<(), Failure> {
    if is_to_stdout(writing) {
        Messages::line(stats);
        return Ok(());
    }
    to_stdout(|out| writeln!(out, "{stats}"))
}

/// Lists a file that changes, or would: for programs by its path alone.
fn list_changed(writing: &WritingArgs, path: &Path, messages: Messages) -> Result<(), Failure> {
    if writing.list_different {
        return path_to_stdout(path);
    }
    if !writing.check || messages.are_quiet() || writing.stats == StatsArg::Json {
        return Ok(());
    }
    let line = format!("would rewrite {}", printable(&path.to_string_lossy()));
    to_stdout(|out| writeln!(out, "{}", without_commands(&line)))
}

/// What files are found for. What shows a run in place finds what that finds.
fn purpose(writing: &WritingArgs) -> Purpose {
    match (&writing.output, writing.write || is_trial(writing)) {
        (Some(_), _) => Purpose::Mirror,
        (None, true) => Purpose::Replace,
        (None, false) => Purpose::Read,
    }
}
