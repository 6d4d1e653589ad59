//! `absolve rewrite`: one document in, one document out.

use std::path::Path;

use absolve::url::mask_credentials;
use absolve::{Rewritten, batch};

use crate::Status;
use crate::args::RewriteArgs;
use crate::failure::{Failure, reason};
use crate::input::Input;
use crate::output::{Messages, UNREADABLE, printable, to_stdout};

pub(crate) fn run(args: &RewriteArgs, messages: Messages) -> Result<Status, Failure> {
    if args.write {
        let message = "--write (in place) is not supported yet, write to another file with -o FILE";
        return Err(Failure::Message(message.to_owned()));
    }
    let input = Input::new(&args.paths)?;
    let name = input.name();
    if let Some(output) = args.output.as_deref().filter(|output| input.is_same_file(output)) {
        let what = "is the input itself; writing in place is not supported yet, give another file";
        return Err(Failure::of(&printable(&output.to_string_lossy()), what));
    }
    let failed = |error| Failure::of(&name, error);
    let rewriter = args.document.rewriter().map_err(failed)?;
    let source = input.read(&args.document.limits())?;
    let rewritten = rewriter.rewrite(&source).map_err(failed)?;
    report(&rewritten, &name, messages);
    match args.output.as_deref() {
        Some(path) if path != Path::new("-") => write_file(path, rewritten.bytes())?,
        _ => to_stdout(|out| out.write_all(rewritten.bytes()))?,
    }
    Ok(Status::Done)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    batch::write(path, bytes).map_err(|error| {
        let name = printable(&path.to_string_lossy());
        Failure::of(&name, format_args!("cannot write: {}; nothing was written", reason(&error)))
    })
}

/// Says what stayed as it was, and why.
fn report(rewritten: &Rewritten<'_>, name: &str, messages: Messages) {
    if rewritten.summary().is_unreadable() {
        messages.warning(format_args!("{name}: {UNREADABLE}"));
        return;
    }
    let counts = rewritten.counts();
    if let Some(rejected) = rewritten.rejected_base() {
        messages.warning(format_args!("{name}: {rejected}"));
    }
    if counts.unresolved > 0 {
        let count = counts.unresolved;
        let what =
            if count == 1 { "1 link stays".to_owned() } else { format!("{count} links stay") };
        // With a base, what is left is relative to the layer below it.
        let lacks = if rewritten.base().is_some() {
            "its own URL is not known"
        } else {
            "the document has no base URL"
        };
        messages.warning(format_args!("{name}: {what} relative, {lacks}; give it with --base-url"));
    }
    if counts.invalid > 0 {
        let count = counts.invalid;
        let what =
            if count == 1 { "1 link stays".to_owned() } else { format!("{count} links stay") };
        messages.warning(format_args!(
            "{name}: {what} as written, the standard refuses its reference; --standard rfc1808 takes all"
        ));
    }
    let base = rewritten
        .base()
        .map_or("none".to_owned(), |base| printable(&mask_credentials(base.as_str(), "***")));
    messages.detail(format_args!(
        "{name}: base URL {base} ({}); links: {}, {} rewritten, {} absolute, {} kept, {} unresolved, {} invalid",
        rewritten.base_source(),
        counts.links,
        counts.rewritten,
        counts.absolute,
        counts.kept,
        counts.unresolved,
        counts.invalid,
    ));
}
