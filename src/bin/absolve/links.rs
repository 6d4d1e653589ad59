//! `absolve links`: every link of documents, for people or for programs.

mod archive;
mod record;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::ops::ControlFlow;

use absolve::batch::{Item, Jobs, Others, Outcome, Purpose, Report, turn};
use absolve::container::{self, Documents, Format, Inside};
use absolve::{Link, Rewriter};
use encoding_rs::Encoding;
use serde_json::Value;

use crate::Status;
use crate::args::{LinksArgs, ListFormat};
use crate::config::Confinement;
use crate::failure::Failure;
use crate::input::Input;
use crate::inputs::{Inputs, Paths};
use crate::output::{Columns, Messages, Output, printable, to_stdout};
use crate::render::{Stop, in_order};
use crate::seen::{Seen, failures};
use crate::signals::{SecondSignal, Signals};
use crate::tsv::row;
use record::{KEYS, Place, Shown, record, text_row};

pub(crate) fn run(args: &LinksArgs, output: Output) -> Result<Status, Failure> {
    args.document.check().map_err(|unused| Failure::Message(unused.to_string()))?;
    match Inputs::new(&args.inputs, args.base.base_url(), Confinement::default())? {
        Inputs::One(input) if input.format(&args.inputs) == Format::Warc => {
            archive::run(args, &input, output.messages)
        }
        Inputs::One(input) => one(args, &input, output.messages),
        Inputs::Many(paths) => many(args, &paths, output.messages),
    }
}

fn one(args: &LinksArgs, input: &Input, messages: Messages) -> Result<Status, Failure> {
    let name = input.name();
    let failed = |error| Failure::of(&name, error);
    let origins = args.base.origins()?;
    let rewriter = input.rewriter(
        &args.document.rewriter(&args.base).map_err(failed)?,
        origins,
        &args.inputs,
    )?;
    let source = input.read(&args.document.limits())?;
    let format = input.detect(&args.inputs, &source).map_err(failed)?;
    let document = Document {
        args,
        rewriter: &rewriter,
        source: &source,
        file: input.path(),
        format,
        charset: None,
        inside: None,
    };
    let shown = if format == Format::Html { Shown::Place } else { Shown::FileAndPlace };
    // All of it or nothing: what fails, fails before the first line.
    let (columns, documents) = document.measure(shown).map_err(failed)?;
    for seen in Seen::all(&documents) {
        seen.not_learned(&name, messages);
        seen.notes(&name).for_each(|note| messages.warning(note));
    }
    to_stdout(|out| {
        header(args, out)?;
        document.print(&columns, &documents, shown, out)
    })?;
    let failures = failures(&documents, &name);
    failures.iter().for_each(Messages::error);
    Ok(if failures.is_empty() { Status::Done } else { Status::Failed })
}

fn many(args: &LinksArgs, paths: &Paths, messages: Messages) -> Result<Status, Failure> {
    let origins = args.base.origins()?;
    let tree =
        paths.walk(&args.inputs, Others::Ignored, Purpose::Read, origins.base(), messages)?;
    let failed = |error: &dyn std::fmt::Display| Failure::Message(error.to_string());
    let rewriter = args.document.rewriter(&args.base).map_err(|error| failed(&error))?;
    let jobs = Jobs::new(args.inputs.files.jobs).map_err(|error| failed(&error))?;
    let signals = Signals::watch(SecondSignal::Ends);
    let limits = args.document.limits();
    let name = |item: &Item| printable(&tree.path(item).to_string_lossy());
    let mut failed_files = Vec::new();
    to_stdout(|out| header(args, out))?;
    in_order(
        &jobs,
        &tree,
        &signals,
        |desk, item, out| {
            desk.read(&tree, item, &limits)?;
            let rewriter = desk.rewriter(&tree, item, &rewriter, &origins)?;
            let _turn = turn(desk.source().len() as u64);
            let path = tree.path(item);
            let document = Document {
                args,
                rewriter: &rewriter,
                source: desk.source(),
                file: path.as_os_str(),
                format: args.inputs.detect(&path, desk.source())?,
                charset: None,
                inside: None,
            };
            let (columns, documents) = document.measure(Shown::FileAndPlace)?;
            document.print(&columns, &documents, Shown::FileAndPlace, out).map_err(Stop::Output)?;
            Ok(Report { outcome: Outcome::Unchanged, documents: Some(documents) })
        },
        |item, report| {
            messages.notes(&report, || name(item)).iter().for_each(Messages::error);
            if let Some(documents) = &report.documents {
                let name = name(item);
                for seen in Seen::all(documents) {
                    seen.not_learned(&name, messages);
                }
                failed_files.extend(failures(documents, &name));
            }
            if let Outcome::Failed(failure) = report.outcome {
                failed_files.push(format!("{}: {failure}", name(item)));
            }
            ControlFlow::Continue(())
        },
    )?;
    failed_files.iter().for_each(Messages::error);
    Ok(match signals.received() {
        Some(signal) => {
            Messages::error(INTERRUPTED);
            Status::Signal(signal)
        }
        None if failed_files.is_empty() => Status::Done,
        None => Status::Failed,
    })
}

/// Printed after a list that a signal cut short.
const INTERRUPTED: &str = "interrupted: the list is incomplete";

fn header(args: &LinksArgs, out: &mut dyn Write) -> io::Result<()> {
    match args.format {
        ListFormat::Tsv => writeln!(out, "{}", KEYS.join("\t")),
        ListFormat::Text | ListFormat::Jsonl => Ok(()),
    }
}

/// A file whose links are listed, in two passes: so that nothing is written of
/// one that reaches a limit, and no link is kept in memory.
struct Document<'a> {
    args: &'a LinksArgs,
    rewriter: &'a Rewriter,
    source: &'a [u8],
    file: &'a OsStr,
    format: Format,
    /// What is known of its encoding.
    charset: Option<&'static Encoding>,
    /// What it is in, if it is not a file.
    inside: Option<Inside>,
}

impl Document<'_> {
    /// Finds out how wide the columns are.
    fn measure(&self, shown: Shown) -> Result<(Columns, Documents), absolve::Error> {
        let mut columns = Columns::default();
        let mut lines = self.args.document.lines(self.source, self.format, self.charset)?;
        let documents =
            container::links(self.source, self.format, self.rewriter, |inside, link, spans| {
                if let ListFormat::Text = self.args.format {
                    let place = Place::new(self.file, inside.or(self.inside), spans, &mut lines);
                    let record = record(&place, link, self.args.base.credentials());
                    columns.fit(&text_row(&place, &record, shown));
                }
            })?;
        Ok((columns, documents))
    }

    fn print(
        &self,
        columns: &Columns,
        measured: &Documents,
        shown: Shown,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let failed: HashSet<Inside> =
            measured.failures().iter().filter_map(absolve::Error::part).map(Inside::Part).collect();
        let lines = self.args.document.lines(self.source, self.format, self.charset);
        let mut lines = lines.map_err(io::Error::other)?;
        let mut written = Ok(());
        let print = |inside: Option<Inside>, link: &Link<'_>, spans| {
            if written.is_ok() && inside.is_none_or(|inside| !failed.contains(&inside)) {
                let place = Place::new(self.file, inside.or(self.inside), spans, &mut lines);
                let record = record(&place, link, self.args.base.credentials());
                written = match self.args.format {
                    ListFormat::Text => columns.write(out, &text_row(&place, &record, shown)),
                    ListFormat::Jsonl => writeln!(out, "{}", Value::Object(record)),
                    ListFormat::Tsv => writeln!(out, "{}", row(&record, KEYS)),
                };
            }
        };
        let listed = container::links(self.source, self.format, self.rewriter, print);
        written.and(listed.map_err(io::Error::other).map(|_| ()))
    }
}
