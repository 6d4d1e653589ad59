//! `absolve rewrite`: one document in, one document out, or a tree of them.
//!
//! [`TreeRun`] and [`DocumentRun`] do the work, and report it to a [`Listener`]: the command or a function
//! of Python.

mod console;
mod copied;
mod destination;
mod document;
mod listener;
mod names;
mod options;
mod totals;
mod tree;

use std::path::is_separator;
use std::time::Instant;

use crate::Form;
use crate::batch::RunStatus;

use crate::cli::args::{CommandLine, RewriteArgs};
use crate::cli::command::diff;
use crate::cli::session::config::{Settings, with_settings};
use crate::cli::session::document_report::{DocumentReport, failures, report_symlinks};
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::inputs::{Inputs, Paths};
use crate::cli::session::output::{Output, to_stdout, uninterrupted};
use crate::cli::session::progress::{Progress, Results};
use crate::cli::session::signals::Signals;
use crate::cli::session::status::Status;
use crate::cli::terminal::{Messages, Reader};
use console::Console;
use destination::{is_to_stdout, is_trial, list_changed, second_signal};
pub use document::{DocumentRun, report};
pub use listener::{Listener, Observers};
pub use options::check;
use options::{archive, check_archives};
pub use totals::{Counts, Totals};
pub use tree::{TreeEnd, TreeRun};

pub fn run(args: RewriteArgs, line: CommandLine, output: Output) -> Result<Status, Failure> {
    with_settings(args, line, output.messages, |settings| rewrite(settings, output))
}

fn rewrite(settings: &mut Settings<RewriteArgs>, output: Output) -> Result<Status, Failure> {
    put_into_folder(&mut settings.args);
    let settings = &*settings;
    let args = &settings.args;
    let writing = &args.writing;
    check(args)?;
    check_archives(&args.inputs)?;
    let inputs = Inputs::new(&args.inputs, args.base.base_url(), settings.confined("files-from"))?;
    match inputs {
        Inputs::One(Input::Stdin) if writing.write => {
            Err(Failure::message("stdin cannot be rewritten in place, give paths"))
        }
        Inputs::One(Input::File(path))
            if writing.write || is_trial(writing) && writing.output.is_none() =>
        {
            tree(args, &Paths::of_file(path, &args.inputs), output)
        }
        Inputs::One(input) => document(args, &input, output),
        Inputs::Archives(_) => Err(archive(&args.inputs.paths[0])),
        Inputs::Many(paths) => tree(args, &paths, output),
    }
}

/// Names the output of one file as the file, if the output is a folder.
fn put_into_folder(args: &mut RewriteArgs) {
    let ([path], Some(output)) = (&args.inputs.paths[..], &mut args.writing.output) else { return };
    let last = output.as_os_str().as_encoded_bytes().last();
    let ends_in_separator = last.is_some_and(|&last| is_separator(char::from(last)));
    let is_folder = output.is_dir() || ends_in_separator;
    if let (true, true, Some(name)) = (is_folder, path.is_file(), path.file_name()) {
        output.push(name);
    }
}

/// Rewrites one document into a file or stdout, or shows what would change.
fn document(args: &RewriteArgs, input: &Input, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let (writing, messages, name) = (&args.writing, output.messages, input.name());
    let run = DocumentRun::new(args, input)?;
    run.run(|source, rewritten| {
        for document in DocumentReport::all(rewritten.summary()) {
            document.report(&name, messages, writing.unresolved(), &args.base);
        }
        failures(rewritten.summary(), &name).iter().for_each(Messages::error);
        let totals = Totals::of_document(&report(rewritten), &name);
        totals.report_signatures(messages);
        if rewritten.is_changed() {
            list_changed(writing, input.shown(), messages)?;
            if writing.diff {
                let (texts, reader) = ((source, rewritten.bytes()), Reader::of_stdout());
                let diff = diff::unified(input.shown().as_os_str(), texts, output.color, reader);
                to_stdout(|out| out.write_all(&diff))?;
            }
        }
        match run.output {
            Some(path) => {
                let signal = uninterrupted(path, || run.write(path, rewritten.bytes()))?;
                if let Some(signal) = signal {
                    return Ok(Status::Signal(signal));
                }
                if is_trial(writing) {
                    totals.print_text(args, messages);
                }
            }
            None if is_trial(writing) => {}
            None => to_stdout(|out| out.write_all(rewritten.bytes()))?,
        }
        totals.print_json(args, None, started)?;
        Ok(totals.status(args))
    })
}

/// Rewrites a tree of documents, or shows what would change.
fn tree(args: &RewriteArgs, paths: &Paths, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let (writing, messages) = (&args.writing, output.messages);
    let run = TreeRun::new(args, paths)?;
    if run.files() == 0 && is_to_stdout(writing) {
        messages.warning("no documents found");
        return Ok(Status::Done);
    }
    let signals = Signals::watch(second_signal(writing));
    let is_listed = writing.list_different || writing.check;
    let results = if is_listed { Results::Meanwhile } else { Results::Afterwards };
    let progress = match () {
        () if writing.diff => Progress::hidden(&signals),
        () => Progress::new(run.files(), output, results, &signals),
    };
    let mut console = Console::new(args, output, &progress);
    let mut observers = Observers { monitor: &progress, listener: &mut console };
    let end = if writing.diff { run.diff(output, &mut observers) } else { run.run(&mut observers) };
    let listed = console.finish();
    let TreeEnd { totals, status, interrupted } = end?;
    if status == RunStatus::Stopped {
        Messages::error(totals.interrupted(run.files(), interrupted));
        totals.print_json(args, Some(interrupted), started)?;
        return Ok(signals.received().map_or(Status::Failed, Status::Signal));
    }
    totals.report_signatures(messages);
    report_symlinks(totals.symlinks, messages);
    totals.unresolved.report(messages, writing.unresolved(), &args.base);
    totals.copied_pages.warn(args, messages);
    if totals.is_changed() && args.direction.form() == Form::Absolute {
        names::warn(&args.inputs.paths, &args.base, messages);
    }
    totals.print_json(args, None, started)?;
    totals.print_text(args, messages);
    // The exit code depends only on the files, if stdout is closed.
    if let Err(failure @ (Failure::Message(_) | Failure::Caused(..))) = listed {
        return Err(failure);
    }
    let done = signals.received().map_or_else(|| totals.status(args), Status::Signal);
    let RunStatus::Unflushed(failure) = status else { return Ok(done) };
    // The files may not be on the disk yet.
    Messages::error(failure);
    Ok(if let Status::Done = done { Status::Failed } else { done })
}
