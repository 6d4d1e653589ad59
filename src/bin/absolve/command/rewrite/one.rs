//! One document in, one document out.

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::Instant;

use absolve::{Buffers, batch, container};

use super::destination::{check_output, is_trial, list_changed, names_stdout};
use super::totals::{Ending, RunMode, Totals};
use crate::args::{RewriteArgs, StatsArg};
use crate::command::diff;
use crate::session::direction;
use crate::session::document_report::{DocumentReport, failures};
use crate::session::failure::{Failure, reason};
use crate::session::input::Input;
use crate::session::output::{Output, to_file, to_stdout};
use crate::session::status::Status;
use crate::terminal::{Messages, Reader, printable_path};

pub(super) fn run(args: &RewriteArgs, input: &Input, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let (writing, messages) = (&args.writing, output.messages);
    let name = input.name();
    if let Some(option) = writing.for_many() {
        let what = format!("{option} is for folders, lists of files and --write");
        return Err(Failure::of(&name, what));
    }
    check_output(input, writing)?;
    let failed = |error| Failure::of(&name, error);
    let rewriter = direction::rewriter(args)?;
    let rewriter = input.rewriter(&rewriter, args.base.origins()?, &args.inputs)?;
    let source = input.read(&args.document.limits.documents)?;
    let mut buffers = Buffers::new();
    let format = input.detect(&args.inputs, &source).map_err(failed)?;
    let rewritten = container::rewrite(&source, format, &rewriter, &mut buffers).map_err(failed)?;
    for document in DocumentReport::all(rewritten.summary()) {
        document.report(&name, messages, writing.unresolved(), &args.base);
    }
    let failures = failures(rewritten.summary(), &name);
    failures.iter().for_each(Messages::error);
    let done = if failures.is_empty() { Status::Done } else { Status::Failed };
    let totals = Totals::of_one(rewritten.summary(), rewritten.is_changed(), &name);
    totals.report_signed(messages);
    let is_unresolved = writing.strict && !totals.unresolved().is_empty();
    let is_found = rewritten.is_changed() && (writing.check || writing.diff) || is_unresolved;
    let done = if is_found && failures.is_empty() { Status::Found } else { done };
    let path = Path::new(if let Input::Stdin = input { OsStr::new("stdin") } else { input.path() });
    if rewritten.is_changed() {
        list_changed(writing, path, messages)?;
    }
    if writing.diff && rewritten.is_changed() {
        let texts = (&source[..], rewritten.bytes());
        let diff = diff::unified(path.as_os_str(), texts, output.color, Reader::of_stdout());
        to_stdout(|out| out.write_all(&diff))?;
    }
    let file = writing.output.as_deref().filter(|_| !names_stdout(writing));
    if is_trial(writing) {
        if let Some(path) = file {
            let written = batch::check_write(path, Some(rewritten.bytes()));
            written.map_err(|error| not_written(path, &error))?;
            if writing.stats == StatsArg::Text {
                totals.text(RunMode::Would, started).iter().for_each(|line| messages.warning(line));
            }
        }
        totals.print_json(writing, Ending::Complete, started)?;
        return Ok(done);
    }
    match file {
        Some(path) => match to_file(input.path().as_ref(), path, rewritten.bytes())? {
            Status::Done => {}
            signal => return Ok(signal),
        },
        None => to_stdout(|out| out.write_all(rewritten.bytes()))?,
    }
    totals.print_json(writing, Ending::Complete, started)?;
    Ok(done)
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    let what = format_args!("cannot write: {}; nothing was written", reason(error));
    Failure::of(&printable_path(path), what)
}
