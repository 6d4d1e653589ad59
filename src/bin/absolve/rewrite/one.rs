//! One document in, one document out.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use absolve::url::mask_credentials;
use absolve::{Summary, batch};

use super::totals::Totals;
use super::{diff, is_trial};
use crate::Status;
use crate::args::RewriteArgs;
use crate::failure::{Failure, reason};
use crate::input::Input;
use crate::output::{Messages, Output, UNREADABLE, printable, to_stdout};

pub(super) fn run(args: &RewriteArgs, input: &Input, output: Output) -> Result<Status, Failure> {
    let started = Instant::now();
    let (writing, messages) = (&args.writing, output.messages);
    let name = input.name();
    if let Some(option) = writing.for_many() {
        let what = format!("{option} is for folders, lists of files and --write");
        return Err(Failure::of(&name, what));
    }
    if let Some(output) = writing.output.as_deref().filter(|output| input.is_same_file(output)) {
        let what = "is the input itself; rewrite it in place with --write, or give another file";
        return Err(Failure::of(&printable(&output.to_string_lossy()), what));
    }
    let failed = |error| Failure::of(&name, error);
    let origins = args.document.origins()?;
    let rewriter = input.rewriter(&args.document.rewriter().map_err(failed)?, &origins);
    let source = input.read(&args.document.limits())?;
    let rewritten = rewriter.rewrite(&source).map_err(failed)?;
    report(rewritten.summary(), &name, messages);
    let status = if rewritten.is_changed() { Status::Found } else { Status::Done };
    let totals = Totals::of_one(rewritten.summary(), rewritten.is_changed());
    if writing.list_different && rewritten.is_changed() {
        to_stdout(|out| writeln!(out, "{name}"))?;
    }
    if writing.diff {
        let diff = diff::unified(OsStr::new(&name), &source, rewritten.bytes(), output.colour());
        to_stdout(|out| out.write_all(&diff))?;
    }
    if is_trial(writing) {
        totals.print_json(writing.stats, started)?;
        return Ok(if writing.check || writing.diff { status } else { Status::Done });
    }
    match writing.output.as_deref() {
        Some(path) if path != Path::new("-") => write_file(path, rewritten.bytes())?,
        _ => to_stdout(|out| out.write_all(rewritten.bytes()))?,
    }
    totals.print_json(writing.stats, started)?;
    Ok(Status::Done)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    batch::write(path, bytes).map_err(|error| {
        let name = printable(&path.to_string_lossy());
        Failure::of(&name, format_args!("cannot write: {}; nothing was written", reason(&error)))
    })
}

/// Says what stayed as it was, and why.
fn report(summary: &Summary, name: &str, messages: Messages) {
    if summary.is_unreadable() {
        messages.warning(format_args!("{name}: {UNREADABLE}"));
        return;
    }
    let counts = summary.counts();
    if let Some(rejected) = summary.rejected_base() {
        messages.warning(format_args!("{name}: {rejected}"));
    }
    let links = |count: usize| match count {
        1 => "1 link stays".to_owned(),
        _ => format!("{count} links stay"),
    };
    if counts.unresolved > 0 {
        let what = links(counts.unresolved);
        // With a base, what is left is relative to the layer below it.
        let lacks = if summary.base().is_some() {
            "its own URL is not known"
        } else {
            "the document has no base URL"
        };
        messages.warning(format_args!("{name}: {what} relative, {lacks}; give it with --base-url"));
    }
    if counts.invalid > 0 {
        let what = links(counts.invalid);
        messages.warning(format_args!(
            "{name}: {what} as written, the standard refuses its reference; --standard rfc1808 takes all"
        ));
    }
    detail(summary, name, messages);
}

/// Says which base URL was used and what became of the links, with `--verbose`.
pub(super) fn detail(summary: &Summary, name: &str, messages: Messages) {
    messages.not_learned(summary, name);
    let counts = summary.counts();
    let base = summary
        .base()
        .map_or("none".to_owned(), |base| printable(&mask_credentials(base.as_str(), "***")));
    messages.detail(format_args!(
        "{name}: base URL {base} ({}); links: {}, {} rewritten, {} absolute, {} kept, {} unresolved, {} invalid",
        summary.base_source(),
        counts.links,
        counts.rewritten,
        counts.absolute,
        counts.kept,
        counts.unresolved,
        counts.invalid,
    ));
}
