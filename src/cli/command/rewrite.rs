//! `absolve rewrite`: one document in, one document out, or a tree of them.
//!
//! [`TreeRun`], [`DocumentRun`] and [`ContainerRun`] do the work, for a [`Listener`] that hears of it:
//! the command or a function of Python.

mod console;
mod container;
mod destination;
mod document;
mod index;
mod listener;
mod names;
mod options;
mod totals;
mod tree;

use std::collections::HashSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf, is_separator};
use std::time::Instant;

use crate::Form;
use crate::batch::{Monitor, RunStatus};
use crate::container::Format;
use crate::container::warc::{ArchivesBefore, Cdxj, WarcInfo};

use crate::cli::args::{CommandLine, RewriteArgs};
use crate::cli::command::diff;
use crate::cli::session::archives::{ArchivePath, for_each_archive};
use crate::cli::session::config::{Settings, with_settings};
use crate::cli::session::date;
use crate::cli::session::document_report::{DocumentReport, failures};
use crate::cli::session::failure::Failure;
use crate::cli::session::input::Input;
use crate::cli::session::inputs::{Inputs, Paths};
use crate::cli::session::output::{Output, to_stdout, uninterrupted};
use crate::cli::session::progress::{Progress, Results};
use crate::cli::session::signals::Signals;
use crate::cli::session::status::Status;
use crate::cli::terminal::{Messages, Reader, printable_path};
use console::Console;
pub use container::{ContainerRun, Observers};
use destination::{is_to_stdout, is_trial, list_changed, refuse_stdout, second_signal};
pub use document::{DocumentRun, report};
use index::IndexFile;
pub use listener::Listener;
pub use options::check;
pub use totals::Totals;
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
    let inputs = Inputs::new(&args.inputs, args.base.base_url(), settings.confined("files-from"))?;
    let format = match &inputs {
        Inputs::One(input) => input.format(&args.inputs)?,
        Inputs::Archives(_) => Format::Warc,
        Inputs::Many(_) => Format::Html,
    };
    if let Some(what) = args.records.for_archives().filter(|_| !format.is_archive()) {
        return Err(Failure::message(what));
    }
    if let Inputs::One(input) = &inputs
        && format.is_container()
    {
        return container(settings, input, format, output);
    }
    if let Some(option) = writing.for_archives().filter(|_| !format.is_archive()) {
        return Err(Failure::message(format_args!("{option} is for a web archive")));
    }
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
        Inputs::Archives(several) => archives(settings, &several, output),
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
        totals.report_signed(messages);
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
    let mut console = Console::new(args, output, &progress, Path::new(""));
    let mut observers = Observers { monitor: &progress, listener: &mut console };
    let end = if writing.diff { run.diff(output, &mut observers) } else { run.run(&mut observers) };
    let listed = console.finish();
    let TreeEnd { totals, status, interrupted } = end?;
    if status == RunStatus::Stopped {
        Messages::error(totals.interrupted(run.files(), interrupted));
        totals.print_json(args, Some(interrupted), started)?;
        return Ok(signals.received().map_or(Status::Failed, Status::Signal));
    }
    totals.report_signed(messages);
    totals.unresolved.report(messages, writing.unresolved(), &args.base);
    if totals.is_changed() && args.direction.form() == Form::Absolute {
        names::warn(&args.inputs.paths, messages);
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

/// Rewrites a container, or shows what would change.
fn container(
    settings: &Settings<RewriteArgs>,
    input: &Input,
    format: Format,
    output: Output,
) -> Result<Status, Failure> {
    let started = Instant::now();
    let args = &settings.args;
    let run = ContainerRun::new(args, input, format, warcinfo(settings)?)?;
    let signals = Signals::watch(second_signal(&args.writing));
    let done = convert(args, &run, (output, &signals), |observers| run.run(observers))?;
    done.map_or_else(
        |signal| Ok(Status::Signal(signal)),
        |totals| end(args, &totals, output, started),
    )
}

/// What new web archives say of the run.
fn warcinfo(settings: &Settings<RewriteArgs>) -> Result<WarcInfo, Failure> {
    Ok(WarcInfo::new(date::text(date::of_run()?)).options(settings.options()))
}

/// Rewrites several web archives, or shows what would change: each into a file below the output folder,
/// or in place.
fn archives(
    settings: &Settings<RewriteArgs>,
    archives: &[ArchivePath],
    output: Output,
) -> Result<Status, Failure> {
    let started = Instant::now();
    let args = &settings.args;
    refuse_stdout(&args.writing)?;
    let inputs = archives.iter().map(|archive| {
        let name = |folder: &PathBuf| folder.join(&archive.name);
        (Input::File(archive.path.clone()), args.writing.output.as_ref().map(name))
    });
    let inputs: Vec<_> = inputs.collect();
    let (info, before) = (warcinfo(settings)?, ArchivesBefore::default());
    let mut runs = Vec::new();
    let mut names = HashSet::new();
    for (input, path) in &inputs {
        if let Some(path) = path.as_ref().filter(|path| !names.insert(*path)) {
            let what = "several archives have this name; give the folder that they are in";
            return Err(Failure::of(&printable_path(path), what));
        }
        let format = input.format(&args.inputs)?;
        let run = ContainerRun::with_output(args, (input, path.as_deref()), format, info.clone())?;
        runs.push(run.after(&before));
    }
    runs.iter().try_for_each(ContainerRun::make_folder)?;
    let signals = Signals::watch(second_signal(&args.writing));
    let mut all = Totals::of_records();
    let mut run_all = |mut index: Option<&mut Cdxj>| {
        for_each_archive(&runs, |run| {
            let done = convert(args, run, (output, &signals), |observers| {
                run.run_into(index.as_deref_mut(), observers)
            })?;
            Ok(match done {
                Ok(totals) => {
                    let status = totals.status(args);
                    all.append(totals);
                    status
                }
                Err(signal) => Status::Signal(signal),
            })
        })
    };
    let mut left_out = None;
    let status = match IndexFile::new(&args.writing)? {
        Some(index) => index.write_after(&mut left_out, |index| run_all(Some(index))),
        None => run_all(None),
    };
    if let Some(warning) = left_out {
        output.messages.warning(warning);
    }
    let status = status?;
    if let Status::Signal(_) = status {
        return Ok(status);
    }
    end(args, &all, output, started)?;
    Ok(status)
}

/// Does a run over a container; also returns a signal that stopped it.
fn convert(
    args: &RewriteArgs,
    run: &ContainerRun<'_>,
    (output, signals): (Output, &Signals),
    work: impl FnOnce(&mut Observers<'_>) -> Result<Totals, Failure>,
) -> Result<Result<Totals, u8>, Failure> {
    let writing = &args.writing;
    // On a terminal, the bar would be between the lines of the archive.
    let is_on_terminal = is_to_stdout(writing) && io::stdout().is_terminal();
    let progress = match () {
        () if is_on_terminal || !run.format.is_archive() => Progress::hidden(signals),
        () => Progress::of_one(output, signals),
    };
    let mut console = Console::new(args, output, &progress, run.input.shown());
    let monitor: &dyn Monitor = &progress;
    let done = work(&mut Observers { monitor, listener: &mut console });
    console.finish()?;
    let totals = match (done, signals.received()) {
        (Err(Failure::Message(_) | Failure::Caused(..)), Some(signal)) => {
            let state = run.output_state();
            Messages::error(format_args!("interrupted: {}: {state}", run.name));
            return Ok(Err(signal));
        }
        (_, Some(signal)) => return Ok(Err(signal)),
        (done, None) => done?,
    };
    if totals.is_changed() {
        list_changed(writing, run.input.shown(), output.messages)?;
    }
    if let Some(options) = args.records.given().filter(|_| totals.has_no_document()) {
        output.messages.warning(format_args!("{}: no document matches {options}", run.name));
    }
    Ok(Ok(totals))
}

/// Reports the totals of containers.
fn end(
    args: &RewriteArgs,
    totals: &Totals,
    output: Output,
    started: Instant,
) -> Result<Status, Failure> {
    totals.unresolved.report(output.messages, args.writing.unresolved(), &args.base);
    totals.print_json(args, None, started)?;
    totals.print_text(args, output.messages);
    Ok(totals.status(args))
}
