//! `absolve rewrite`: one document in, one document out, or a tree of them.

mod console;
mod copied;
mod names;
mod totals;

use std::path::is_separator;
use std::time::Instant;

use absolve::Form;
use absolve_files::RunStatus;
use console::{Console, list_changed};
use totals::{Notes, Summary};

use crate::args::{CommandLine, RewriteArgs, WritingArgs};
use crate::command::diff;
use crate::run::rewrite::{
    DocumentJob, Observers, RewriteJob, RewriteReport, Totals, TreeJob, archive, document_report,
};
use crate::session::config::{Settings, with_settings};
use crate::session::document_report::{DocumentReport, failures, report_symlinks};
use crate::session::failure::Failure;
use crate::session::output::{Output, to_stdout, uninterrupted};
use crate::session::progress::{Progress, Results};
use crate::session::signals::{SecondSignal, Signals};
use crate::session::status::Status;
use crate::terminal::{Messages, Reader};

pub fn run(args: RewriteArgs, line: CommandLine, output: Output) -> Result<Status, Failure> {
    with_settings(args, line, output.messages, |settings| rewrite(settings, output))
}

fn rewrite(settings: &mut Settings<RewriteArgs>, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    put_into_folder(&mut settings.args);
    let args = &settings.args;
    match RewriteJob::new(args, settings.confined("files-from"))? {
        RewriteJob::Document(job) => document(args, &job, started, output),
        RewriteJob::Tree(job) => tree(args, &job, started, output),
        RewriteJob::Archive(path) => Err(archive(&path)),
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
fn document(
    args: &RewriteArgs,
    job: &DocumentJob<'_>,
    started: Instant,
    output: Output,
) -> Result<Status, Failure> {
    let (writing, messages) = (&args.writing, output.messages);
    let (name, shown) = (job.input.name(), job.input.shown());
    job.rewrite(|source, rewritten| {
        for document in DocumentReport::all(rewritten.summary()) {
            document.report(&name, messages, writing.unresolved(), &args.base);
        }
        failures(rewritten.summary(), &name).iter().for_each(Messages::error);
        let report = document_report(rewritten);
        let mut notes = Notes::default();
        notes.add(&report, || name.clone());
        notes.report_signatures(messages);
        let summary = Summary { args, totals: &Totals::of_document(&report), notes: &notes };
        if rewritten.is_changed() {
            list_changed(writing, shown, messages)?;
            if writing.diff {
                let (texts, reader) = ((source, rewritten.bytes()), Reader::of_stdout());
                let diff = diff::unified(shown.as_os_str(), texts, output.color, reader);
                to_stdout(|out| out.write_all(&diff))?;
            }
        }
        match job.output {
            Some(path) => {
                let signal = uninterrupted(path, || job.write(path, rewritten.bytes()))?;
                if let Some(signal) = signal {
                    return Ok(Status::Signal(signal));
                }
                if writing.is_trial() {
                    summary.print_text(messages);
                }
            }
            None if writing.is_trial() => {}
            None => to_stdout(|out| out.write_all(rewritten.bytes()))?,
        }
        summary.print_json(None, started)?;
        Ok(summary.status())
    })
}

/// Rewrites a tree of documents, or shows what would change.
fn tree(
    args: &RewriteArgs,
    job: &TreeJob<'_>,
    started: Instant,
    output: Output,
) -> Result<Status, Failure> {
    let (writing, messages) = (&args.writing, output.messages);
    if job.files() == 0 && writing.is_to_stdout() {
        messages.warning("no documents found");
        return Ok(Status::Done);
    }
    let signals = Signals::watch(second_signal(writing));
    let is_listed = writing.list_different || writing.check;
    let results = if is_listed { Results::Meanwhile } else { Results::Afterwards };
    let progress = match () {
        () if writing.diff => Progress::hidden(&signals),
        () => Progress::new(job.files(), output, results, &signals),
    };
    let mut console = Console::new(args, output, &progress);
    let mut observers = Observers { monitor: &progress, listener: &mut console };
    let end = if writing.diff {
        let (names, reader) = (diff::Names::new(), Reader::of_stdout());
        job.preview(&mut observers, &output, |path, texts, out| {
            let name = names.of(path);
            out.write_all(&diff::unified(name.as_os_str(), texts, output.color, reader))
        })
    } else {
        job.run(&mut observers)
    };
    let (notes, listed) = console.finish();
    let RewriteReport { totals, status, interrupted } = end?;
    let summary = Summary { args, totals: &totals, notes: &notes };
    if status == RunStatus::Stopped {
        Messages::error(summary.interrupted(job.files(), interrupted));
        summary.print_json(Some(interrupted), started)?;
        return Ok(signals.received().map_or(Status::Failed, Status::Signal));
    }
    notes.report_signatures(messages);
    report_symlinks(notes.symlinks, messages);
    notes.unresolved.report(messages, writing.unresolved(), &args.base);
    notes.copied_pages.warn(args, messages);
    if totals.is_changed() && args.direction.form() == Form::Absolute {
        names::warn(&args.inputs.paths, &args.base, messages);
    }
    summary.print_json(None, started)?;
    summary.print_text(messages);
    // The exit code depends only on the files, if stdout is closed.
    if let Err(failure @ (Failure::Message(_) | Failure::Caused(..))) = listed {
        return Err(failure);
    }
    let done = signals.received().map_or_else(|| summary.status(), Status::Signal);
    let RunStatus::Unflushed(failure) = status else { return Ok(done) };
    // The files may not be on the disk yet.
    Messages::error(failure);
    Ok(if let Status::Done = done { Status::Failed } else { done })
}

/// The effect of a second signal: it ends a run that writes no files.
fn second_signal(writing: &WritingArgs) -> SecondSignal {
    if writing.is_trial() || writing.is_to_stdout() {
        SecondSignal::Ends
    } else {
        SecondSignal::Ignored
    }
}
