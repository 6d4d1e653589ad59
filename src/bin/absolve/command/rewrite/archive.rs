//! A web archive in, a web archive out.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use absolve::batch::{
    Access, Content, HardLinks, Skip, Symlinks, Workers, check_write, is_descriptor, names,
    write_with,
};
use absolve::container::EntryId;
use absolve::container::warc::{
    ArchiveError, Entry, Originals, Reader, RecordOutcome, Rewriting, Totals,
};
use absolve::{LinkCounts, Rewriter};
use indicatif::ProgressBar;
use serde_json::json;

use super::destination::{
    is_to_stdout, is_trial, list_changed, names_stdout, print_stats, refuse_itself, second_signal,
};
use super::totals::{RunMode, links_json, links_text};
use super::unresolved::Unresolved;
use crate::args::{RewriteArgs, StatsArg};
use crate::session::document_report::DocumentReport;
use crate::session::failure::{Failure, reason};
use crate::session::failure_log::FailureLog;
use crate::session::input::{Input, Stream};
use crate::session::output::Output;
use crate::session::progress;
use crate::session::signals::Signals;
use crate::session::status::Status;
use crate::terminal::{Messages, printable};
use absolve::report::display::{counted, thousands};

pub(super) fn run(args: &RewriteArgs, input: &Input, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let name = input.name();
    if let Some(option) = args.writing.not_for_archives() {
        return Err(Failure::of(&name, format_args!("{option} is not for a web archive")));
    }
    if let Input::File(path) = input {
        may_be_replaced(args, path).map_err(|why| Failure::of(&name, why))?;
    }
    let run = Run::new(args, input, output, name)?;
    if !args.writing.write {
        run.check_write().map_err(|broken| run.failure(broken))?;
    }
    let done = if is_trial(&args.writing) {
        run.trial(input.open()?).map_err(|broken| run.failure(broken))
    } else if let Some(path) = run.path {
        write_with(path, |file, access| run.to_file(file, access))
            .map_err(|broken| run.failure(broken))
    } else {
        let stdout = io::stdout().lock();
        run.pass(input.open()?, stdout).map_err(|broken| match broken {
            Broken::Archive(ArchiveError::Write(error)) => Failure::output(&error),
            broken => run.failure(broken),
        })
    };
    run.bar.finish_and_clear();
    run.log.end(&run.name);
    match (done, run.signals.received()) {
        (Err(Failure::Message(_)), Some(signal)) => {
            Messages::error(format_args!("interrupted: {}: {}", run.name, run.left()));
            Ok(Status::Signal(signal))
        }
        (_, Some(signal)) => Ok(Status::Signal(signal)),
        (Err(failure), None) => Err(failure),
        (Ok(done), None) => run.conclude(&done, started),
    }
}

/// Refuses an archive by the same rules as a document whose own path is given, where it would be
/// replaced.
fn may_be_replaced(args: &RewriteArgs, path: &Path) -> Result<(), String> {
    let writing = &args.writing;
    if !writing.write && (writing.output.is_some() || !is_trial(writing)) {
        return Ok(());
    }
    if is_descriptor(path) {
        let what = "it is an open descriptor and not a file; give the path of the file";
        return Err(what.to_owned());
    }
    if path.is_symlink() && args.inputs.files.symlinks() == Symlinks::Kept {
        let what = "symbolic link; give the path of its target, or --follow-symlinks";
        return Err(what.to_owned());
    }
    match names(path) {
        Ok(names @ 2..) if writing.hard_links() == HardLinks::Skip => {
            Err(Skip::HardLinks(names).to_string())
        }
        _ => Ok(()),
    }
}

/// A run over an archive.
struct Run<'a> {
    args: &'a RewriteArgs,
    input: &'a Input,
    name: String,
    /// The file that is written, if it is one.
    path: Option<&'a Path>,
    rewriter: Rewriter,
    jobs: Workers,
    signals: Signals,
    messages: Messages,
    bar: ProgressBar,
    log: FailureLog,
    unresolved: RefCell<Unresolved>,
}

/// What came of an archive.
struct Done {
    totals: Totals,
    links: LinkCounts,
}

/// Why it could not be written.
enum Broken {
    Archive(ArchiveError),
    File(io::Error),
    /// It is not there to be read.
    Input(Failure),
    /// Some records failed, and `--all-or-nothing` is set.
    Part,
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::File(error)
    }
}

impl<'a> Run<'a> {
    fn new(
        args: &'a RewriteArgs,
        input: &'a Input,
        output: Output,
        name: String,
    ) -> Result<Self, Failure> {
        let writing = &args.writing;
        refuse_itself(input, writing)?;
        let path = match (&writing.output, input) {
            _ if names_stdout(writing) => None,
            (Some(path), _) => Some(path.as_path()),
            (None, Input::File(path)) if writing.write => Some(path.as_path()),
            (None, _) if writing.write => {
                let what = "stdin cannot be rewritten in place, give a path".to_owned();
                return Err(Failure::Message(what));
            }
            (None, _) => None,
        };
        if writing.all_or_nothing && path.is_none() && !is_trial(writing) {
            let what = "--all-or-nothing cannot take back what went to stdout, give -o FILE";
            return Err(Failure::Message(what.to_owned()));
        }
        let failed = |error: &dyn std::fmt::Display| Failure::of(&name, error);
        let rewriter = args.document.rewriter(&args.base).map_err(|error| failed(&error))?;
        let rewriter = Input::rewriter_of_archive(rewriter, &args.base.origins()?);
        let jobs = Workers::new(args.inputs.files.jobs).map_err(|error| failed(&error))?;
        // On a terminal, the bar would be between the lines of the archive.
        let bar = if is_to_stdout(writing) && io::stdout().is_terminal() {
            ProgressBar::hidden()
        } else {
            progress::of_bytes(0, output)
        };
        let (signals, messages) = (Signals::watch(second_signal(writing)), output.messages);
        Ok(Self {
            args,
            input,
            name,
            path,
            rewriter,
            jobs,
            signals,
            messages,
            bar,
            log: FailureLog::default(),
            unresolved: RefCell::new(Unresolved::of_archive()),
        })
    }

    /// Finds out whether the file could be written, before an archive is read for it.
    fn check_write(&self) -> Result<(), Broken> {
        Ok(self.path.map_or(Ok(()), |path| check_write(path, None))?)
    }

    /// Does everything except writing.
    fn trial(&self, stream: Stream) -> Result<Done, Broken> {
        let done = self.pass(stream, io::sink())?;
        if done.totals.rewritten > 0 {
            self.check_write()?;
        }
        Ok(done)
    }

    /// Writes the new archive.
    fn pass(&self, stream: Stream, output: impl Write) -> Result<Done, Broken> {
        match stream {
            Stream::File(file, size) => {
                self.bar.set_length(size);
                self.read(Reader::seekable(self.bar.wrap_read(file)), output)
            }
            Stream::Other(source) => self.read(Reader::new(source), output),
        }
    }

    fn read<R: Read + Send>(&self, archive: Reader<R>, output: impl Write) -> Result<Done, Broken> {
        let originals =
            if self.args.writing.keep_originals { Originals::Keep } else { Originals::Replace };
        let rewriting = Rewriting::new(&self.rewriter).originals(originals);
        let archive = archive.limits(self.args.document.bounds());
        let mut links = LinkCounts::default();
        let totals = rewriting.run(archive, output, &self.jobs, |entry| {
            if let RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) =
                &entry.outcome
            {
                links += summary.counts();
            }
            self.say(entry);
            match self.signals.received() {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            }
        });
        Ok(Done { totals: totals.map_err(Broken::Archive)?, links })
    }

    fn to_file(&self, mut file: &File, access: Access) -> Result<Content<Done>, Broken> {
        let open = || self.input.open().map_err(Broken::Input);
        let done = self.pass(open()?, file)?;
        let Totals { rewritten, failed, skipped, split, .. } = done.totals;
        if self.args.writing.all_or_nothing && failed + skipped > 0 {
            return Err(Broken::Part);
        }
        if rewritten > 0 {
            return Ok(Content::New(done));
        }
        if self.args.writing.write {
            return Ok(Content::Unchanged(done));
        }
        // Large gzip members were split for nothing.
        if split > 0
            && access == Access::New
            && let Stream::File(mut source, _) = open()?
        {
            file.set_len(0)?;
            file.rewind()?;
            io::copy(&mut source, &mut file)?;
        }
        Ok(Content::New(done))
    }

    /// Says of one record what a reader should know.
    fn say(&self, entry: &Entry) {
        let place = EntryId::Record(entry.position);
        let complain = |why: &dyn std::fmt::Display| {
            self.bar.suspend(|| self.log.add(&self.name, place, why));
        };
        match &entry.outcome {
            RecordOutcome::Failed(problem) => complain(problem),
            RecordOutcome::Skipped(skip) => complain(skip),
            RecordOutcome::Rewritten(summary) | RecordOutcome::Unchanged(summary) => {
                let seen = DocumentReport::of(Some(place), summary);
                if seen.is_unresolved() {
                    self.unresolved.borrow_mut().add(&seen, &self.name);
                }
                let notes: Vec<_> = seen.notes(&self.name).collect();
                if !notes.is_empty() || self.messages.are_verbose() {
                    self.bar.suspend(|| {
                        for note in &notes {
                            self.messages.warning(note);
                        }
                        seen.detail(&self.name, self.messages);
                    });
                }
            }
            _ => {}
        }
    }

    fn failure(&self, broken: Broken) -> Failure {
        let cannot = |what: &str, name: &str, error: &io::Error| {
            let (why, left) = (reason(error), self.left());
            Failure::of(name, format_args!("cannot {what}: {why}; {left}"))
        };
        match broken {
            Broken::Archive(ArchiveError::Read(error)) => cannot("read", &self.name, &error),
            Broken::Archive(ArchiveError::Write(error)) | Broken::File(error) => {
                let path = self.path.map(|path| printable(&path.to_string_lossy()));
                cannot("write", path.as_deref().unwrap_or(&self.name), &error)
            }
            Broken::Input(failure) => failure,
            Broken::Part => {
                Failure::of(&self.name, "not all of it could be done, nothing was written")
            }
            Broken::Archive(other) => {
                Failure::of(&self.name, format_args!("{other}; {}", self.left()))
            }
        }
    }

    /// What there is of the output when it is given up.
    fn left(&self) -> &'static str {
        if is_to_stdout(&self.args.writing) {
            "the output is incomplete"
        } else {
            "nothing was written"
        }
    }

    /// The summary, and the exit code.
    fn conclude(&self, done: &Done, started: Instant) -> Result<Status, Failure> {
        let writing = &self.args.writing;
        let (totals, is_changed) = (&done.totals, done.totals.rewritten > 0);
        if is_changed {
            let path = match self.input {
                Input::File(path) => path,
                Input::Stdin => Path::new("stdin"),
            };
            list_changed(writing, path, self.messages)?;
        }
        let unresolved = self.unresolved.borrow();
        unresolved.report(self.messages, writing.unresolved());
        let seconds = started.elapsed().as_secs_f64();
        match writing.stats {
            StatsArg::Json => print_stats(writing, &done.json(&unresolved, seconds))?,
            StatsArg::Text => {
                let mode = if is_trial(writing) { RunMode::Would } else { RunMode::Done };
                done.text(mode, seconds).iter().for_each(|line| self.messages.warning(line));
            }
        }
        Ok(match () {
            () if totals.failed + totals.skipped > 0 => Status::Failed,
            () if writing.check && is_changed => Status::Found,
            () if writing.strict && !unresolved.is_empty() => Status::Found,
            () => Status::Done,
        })
    }
}

impl Done {
    /// Two lines for people.
    fn text(&self, mode: RunMode, seconds: f64) -> [String; 2] {
        let Totals { records, rewritten, unchanged, copied, skipped, failed, .. } = self.totals;
        let done = mode.rewritten();
        let records = counted(records, "record");
        let [rewritten, unchanged, copied, skipped, failed] =
            [rewritten, unchanged, copied, skipped, failed].map(thousands);
        let records = format!(
            "{records}: {rewritten} {done}, {unchanged} unchanged, {copied} copied, {skipped} skipped, {failed} failed"
        );
        [records, links_text(&self.links, mode, seconds)]
    }

    fn json(&self, unresolved: &Unresolved, seconds: f64) -> serde_json::Value {
        let Totals { records, rewritten, unchanged, copied, skipped, failed, .. } = self.totals;
        json!({
            "records": {
                "seen": records,
                "rewritten": rewritten,
                "unchanged": unchanged,
                "copied": copied,
                "skipped": skipped,
                "failed": failed,
            },
            "links": links_json(&self.links),
            "without_base": unresolved.json(),
            "seconds": seconds,
        })
    }
}
