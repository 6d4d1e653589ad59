//! `absolve rewrite`: rewrites one document or a tree of documents, or shows what would change.

mod mirrors;
mod totals;

use std::path::{Path, is_separator};
use std::time::Instant;

use absolve::{Diagnosis, Form};
use absolve_files::{FileOutcome, Report, RunStatus};
use absolve_site::report::display::without_commands;
use totals::{Notes, RunSummary};

use crate::args::{CommandLine, RewriteArgs, StatsArg, WritingArgs};
use crate::command::diff;
use crate::run::rewrite::{
    DocumentJob, Listener, Observers, RewriteJob, RewriteReport, Totals, TreeJob, make_report,
    refuse_archive,
};
use crate::session::config::{Settings, run_with_settings};
use crate::session::document_report::{
    DocumentReport, collect_notes, explain_failures, explain_file_failures, report_symlinks,
};
use crate::session::failure::{Failure, Status};
use crate::session::output::{Output, print_path, write_to_stdout, write_uninterrupted};
use crate::session::progress::{Progress, ResultTime};
use crate::session::signals::{SecondSignal, Signals};
use crate::terminal::{Messages, StdoutReader, printable_path};

pub fn run(args: RewriteArgs, line: CommandLine, output: Output) -> Result<Status, Failure> {
    run_with_settings(args, line, output.messages, |settings| rewrite(settings, output))
}

fn rewrite(settings: &mut Settings<RewriteArgs>, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    name_output(&mut settings.args);
    let args = &settings.args;
    match RewriteJob::new(args, settings.confining_folder("files-from"))? {
        RewriteJob::Document(job) => rewrite_document(args, &job, started, output),
        RewriteJob::Tree(job) => rewrite_tree(args, &job, started, output),
        RewriteJob::Archive(path) => Err(refuse_archive(&path)),
    }
}

/// Appends the name of the input file to an output that is a folder.
fn name_output(args: &mut RewriteArgs) {
    let ([path], Some(output)) = (&args.inputs.paths[..], &mut args.writing.output) else { return };
    let last = output.as_os_str().as_encoded_bytes().last();
    let ends_in_separator = last.is_some_and(|&last| is_separator(char::from(last)));
    let is_folder = output.is_dir() || ends_in_separator;
    if let (true, true, Some(name)) = (is_folder, path.is_file(), path.file_name()) {
        output.push(name);
    }
}

/// Rewrites one document into a file or stdout, or shows what would change.
fn rewrite_document(
    args: &RewriteArgs,
    job: &DocumentJob<'_>,
    started: Instant,
    output: Output,
) -> Result<Status, Failure> {
    let (writing, messages) = (&args.writing, output.messages);
    let (name, shown) = (job.input.name(), job.input.shown());
    job.rewrite(|source, rewritten| {
        for document in DocumentReport::from_documents(rewritten.summary()) {
            document.report(&name, messages, writing.unresolved_severity(), &args.base);
        }
        explain_failures(rewritten.summary(), &name).iter().for_each(Messages::error);
        let report = make_report(rewritten);
        let mut notes = Notes::default();
        notes.add(&report, || name.clone());
        notes.report_signatures(messages);
        let summary = RunSummary { args, totals: &Totals::from_document(&report), notes: &notes };
        if rewritten.is_changed() {
            list_changed(writing, shown, messages)?;
            if writing.diff {
                let (texts, reader) = ((source, rewritten.bytes()), StdoutReader::detect());
                let diff = diff::unified_diff(shown.as_os_str(), texts, output.color, reader);
                write_to_stdout(|out| out.write_all(&diff))?;
            }
        }
        match job.output {
            Some(path) => {
                let signal = write_uninterrupted(path, || job.write(path, rewritten.bytes()))?;
                if let Some(signal) = signal {
                    return Ok(Status::Signal(signal));
                }
                if writing.is_trial() {
                    summary.print_text(messages);
                }
            }
            None if writing.is_trial() => {}
            None => write_to_stdout(|out| out.write_all(rewritten.bytes()))?,
        }
        summary.print_json(None, started)?;
        Ok(summary.status())
    })
}

/// Rewrites a tree of documents, or shows what would change.
fn rewrite_tree(
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
    let signals = Signals::watch(choose_second_signal(writing));
    let is_listed = writing.list_different || writing.check;
    let results = if is_listed { ResultTime::DuringRun } else { ResultTime::AfterRun };
    let progress = if writing.diff {
        Progress::hidden(&signals)
    } else {
        Progress::new(job.files(), output, results, &signals)
    };
    let mut console = Console::new(args, output, &progress);
    let mut observers = Observers { monitor: &progress, listener: &mut console };
    let outcome = if writing.diff {
        let (names, reader) = (diff::DiffNames::new(), StdoutReader::detect());
        job.preview(&mut observers, &output, |path, texts, out| {
            let name = names.name(path);
            out.write_all(&diff::unified_diff(name.as_os_str(), texts, output.color, reader))
        })
    } else {
        job.run(&mut observers)
    };
    let (notes, list_result) = console.finish();
    let RewriteReport { totals, status, interrupted } = outcome?;
    let summary = RunSummary { args, totals: &totals, notes: &notes };
    if status == RunStatus::Stopped {
        Messages::error(summary.describe_interrupted(job.files(), interrupted));
        summary.print_json(Some(interrupted), started)?;
        return Ok(signals.received().map_or(Status::Failed, Status::Signal));
    }
    notes.report_signatures(messages);
    report_symlinks(notes.symlinks, messages);
    notes.unresolved.report(messages, writing.unresolved_severity(), &args.base);
    notes.copied_pages.warn(args, messages);
    if totals.is_changed() && args.direction.form() == Form::Absolute {
        mirrors::warn_of_file_names(&args.inputs.paths, &args.base, messages);
    }
    summary.print_json(None, started)?;
    summary.print_text(messages);
    // A closed stdout does not change the exit code.
    if let Err(failure @ (Failure::Message(_) | Failure::Caused(..))) = list_result {
        return Err(failure);
    }
    let end_status = signals.received().map_or_else(|| summary.status(), Status::Signal);
    let RunStatus::Unflushed(failure) = status else { return Ok(end_status) };
    // The files may not be on the disk yet.
    Messages::error(failure);
    Ok(if let Status::Done = end_status { Status::Failed } else { end_status })
}

/// Chooses the effect of a second signal, which ends only a run that writes no files.
fn choose_second_signal(writing: &WritingArgs) -> SecondSignal {
    if writing.is_trial() || writing.is_to_stdout() {
        SecondSignal::Ends
    } else {
        SecondSignal::Ignored
    }
}

/// Prints changes and notes of a run, and keeps its failures for the end.
struct Console<'a> {
    args: &'a RewriteArgs,
    output: Output,
    progress: &'a Progress<'a>,
    notes: Notes,
    /// The failures of files, printed after the notes on all files.
    failures: Vec<Diagnosis>,
    /// Whether the list of changed files could be printed.
    list_result: Result<(), Failure>,
}

impl<'a> Console<'a> {
    fn new(args: &'a RewriteArgs, output: Output, progress: &'a Progress<'a>) -> Self {
        let (notes, failures) = (Notes::default(), Vec::new());
        Self { args, output, progress, notes, failures, list_result: Ok(()) }
    }

    /// Prints the failures. Returns the notes for the end of the run, and whether the list of
    /// changed files could be printed.
    fn finish(self) -> (Notes, Result<(), Failure>) {
        self.progress.finish();
        self.failures.iter().for_each(Messages::error);
        (self.notes, self.list_result)
    }
}

impl Listener for Console<'_> {
    fn report_copied(&mut self, path: &Path) {
        self.notes.copied_pages.add(path);
    }

    fn report_file(&mut self, path: &Path, report: &Report) {
        let messages = self.output.messages;
        let name = || printable_path(path);
        self.notes.add(report, name);
        let notes = collect_notes(report, messages, name);
        let detail = report.documents.as_ref().filter(|_| messages.are_verbose());
        if !notes.is_empty() || detail.is_some() {
            self.progress.print_above(|| {
                notes.iter().for_each(Messages::error);
                for document in detail.into_iter().flat_map(DocumentReport::from_documents) {
                    document.print_details(&name(), messages);
                }
            });
        }
        self.failures.extend(explain_file_failures(report, &name()));
        if matches!(report.outcome, FileOutcome::Rewritten) && self.list_result.is_ok() {
            self.list_result = list_changed(&self.args.writing, path, messages);
        }
    }
}

/// Prints a file that changes or would change; `--list-different` prints only its path.
fn list_changed(writing: &WritingArgs, path: &Path, messages: Messages) -> Result<(), Failure> {
    if writing.list_different {
        return print_path(path);
    }
    if !writing.check || messages.are_quiet() || writing.stats == StatsArg::Json {
        return Ok(());
    }
    let line = format!("would rewrite {}", printable_path(path));
    write_to_stdout(|out| writeln!(out, "{}", without_commands(&line)))
}
