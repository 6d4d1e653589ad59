//! `absolve links`: every link of documents, for people or for programs.

mod record;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::ControlFlow;

use absolve::batch::{Item, Jobs, Others, Outcome, Purpose, Report, turn};
use absolve::{Rewriter, Summary};
use serde_json::Value;

use crate::Status;
use crate::args::{Format, LinksArgs};
use crate::failure::Failure;
use crate::input::Input;
use crate::inputs::{Inputs, Paths};
use crate::output::{Columns, Messages, Output, UNREADABLE, printable, to_stdout};
use crate::render::{Stop, in_order};
use crate::signals::Signals;
use record::{KEYS, Shown, record, text_row, tsv_row};

pub(crate) fn run(args: &LinksArgs, output: Output) -> Result<Status, Failure> {
    match Inputs::new(&args.inputs)? {
        Inputs::One(input) => one(args, &input, output.messages),
        Inputs::Many(paths) => many(args, &paths, output.messages),
    }
}

fn one(args: &LinksArgs, input: &Input, messages: Messages) -> Result<Status, Failure> {
    let name = input.name();
    let failed = |error| Failure::of(&name, error);
    let origins = args.document.origins()?;
    let rewriter = input.rewriter(&args.document.rewriter().map_err(failed)?, &origins);
    let source = input.read(&args.document.limits())?;
    let file = match input {
        Input::Stdin => OsStr::new("-"),
        Input::File(path) => path.as_os_str(),
    };
    let document = Document { args, rewriter: &rewriter, source: &source, file };
    // All of it or nothing: what fails, fails before the first line.
    let (columns, summary) = document.measure(Shown::Place).map_err(failed)?;
    say(&summary, &name, messages);
    to_stdout(|out| {
        header(args, out)?;
        document.print(&columns, Shown::Place, out)
    })?;
    Ok(Status::Done)
}

fn many(args: &LinksArgs, paths: &Paths, messages: Messages) -> Result<Status, Failure> {
    let origins = args.document.origins()?;
    let tree = paths.walk(&args.inputs, Others::Ignored, Purpose::Read, origins.base())?;
    let failed = |error: &dyn std::fmt::Display| Failure::Message(error.to_string());
    let rewriter = args.document.rewriter().map_err(|error| failed(&error))?;
    let jobs = Jobs::new(args.inputs.files.jobs.into()).map_err(|error| failed(&error))?;
    let signals = Signals::watch();
    let limits = args.document.limits();
    let name = |item: &Item| printable(&tree.path(item).to_string_lossy());
    let mut failures = Vec::new();
    to_stdout(|out| header(args, out))?;
    in_order(
        &jobs,
        &tree,
        &signals,
        |desk, item, out| {
            let rewriter = desk.rewriter(&tree, item, &rewriter, &origins)?;
            desk.read(&tree, item, &limits)?;
            let _turn = turn(desk.source().len() as u64);
            let path = tree.path(item);
            let document = Document {
                args,
                rewriter: &rewriter,
                source: desk.source(),
                file: path.as_os_str(),
            };
            let (columns, summary) = document.measure(Shown::FileAndPlace)?;
            document.print(&columns, Shown::FileAndPlace, out).map_err(Stop::Output)?;
            Ok(Report { outcome: Outcome::Unchanged, summary: Some(summary) })
        },
        |item, report| {
            messages.notes(&report, || name(item)).iter().for_each(Messages::error);
            if let Some(summary) = report.summary.as_ref().filter(|_| messages.are_verbose()) {
                messages.not_learned(summary, &name(item));
            }
            if let Outcome::Failed(failure) = report.outcome {
                failures.push(format!("{}: {failure}", name(item)));
            }
            ControlFlow::Continue(())
        },
    )?;
    for failure in &failures {
        Messages::error(failure);
    }
    Ok(match signals.received() {
        Some(signal) => Status::Signal(signal),
        None if failures.is_empty() => Status::Done,
        None => Status::Failed,
    })
}

fn say(summary: &Summary, name: &str, messages: Messages) {
    messages.not_learned(summary, name);
    if summary.is_unreadable() {
        messages.warning(format_args!("{name}: {UNREADABLE}"));
    }
    if let Some(rejected) = summary.rejected_base() {
        messages.warning(format_args!("{name}: {rejected}"));
    }
}

fn header(args: &LinksArgs, out: &mut dyn Write) -> io::Result<()> {
    match args.format {
        Format::Tsv => writeln!(out, "{}", KEYS.join("\t")),
        Format::Text | Format::Jsonl => Ok(()),
    }
}

/// A document whose links are listed, in two passes: so that nothing is written of
/// one that reaches a limit, and no link is kept in memory.
struct Document<'a> {
    args: &'a LinksArgs,
    rewriter: &'a Rewriter,
    source: &'a [u8],
    file: &'a OsStr,
}

impl Document<'_> {
    /// Finds out how wide the columns are.
    fn measure(&self, shown: Shown) -> Result<(Columns, Summary), absolve::Error> {
        let mut columns = Columns::default();
        let mut lines = self.args.document.lines(self.source)?;
        let summary = self.rewriter.links(self.source, |link| {
            if let Format::Text = self.args.format {
                columns.fit(&text_row(&record(self.file, link, &mut lines), shown));
            }
        })?;
        Ok((columns, summary))
    }

    fn print(&self, columns: &Columns, shown: Shown, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = self.args.document.lines(self.source).map_err(io::Error::other)?;
        let mut written = Ok(());
        let listed = self.rewriter.links(self.source, |link| {
            if written.is_ok() {
                let record = record(self.file, link, &mut lines);
                written = match self.args.format {
                    Format::Text => columns.write(out, &text_row(&record, shown)),
                    Format::Jsonl => writeln!(out, "{}", Value::Object(record)),
                    Format::Tsv => writeln!(out, "{}", tsv_row(&record)),
                };
            }
        });
        written.and(listed.map_err(io::Error::other).map(|_| ()))
    }
}
