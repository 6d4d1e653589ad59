//! `absolve rewrite`: one document in, one document out, or a tree of them.

mod archive;
mod book;
mod destination;
mod many;
mod one;
mod totals;

use std::path::PathBuf;

use absolve::container::Format;

use crate::args::{CommandLine, RewriteArgs, StatsArg};
use crate::session::book::{is_book, member_path};
use crate::session::config::{Settings, with_settings};
use crate::session::entry_path::entry_path;
use crate::session::failure::Failure;
use crate::session::input::Input;
use crate::session::inputs::{Inputs, Paths, not_for_archives};
use crate::session::output::Output;
use crate::session::status::Status;
use crate::terminal::printable_path;
use archive::ArchiveForm;
use destination::is_trial;

pub(crate) fn run(args: RewriteArgs, line: CommandLine, output: Output) -> Result<Status, Failure> {
    with_settings(args, line, output.messages, |settings| rewrite(settings, output))
}

fn rewrite(settings: &mut Settings<RewriteArgs>, output: Output) -> Result<Status, Failure> {
    put_into_folder(&mut settings.args);
    let settings = &*settings;
    let args = &settings.args;
    let writing = &args.writing;
    check(args)?;
    let inputs = Inputs::new(&args.inputs, args.base.base_url(), settings.confined("files-from"))?;
    if let Inputs::One(Input::File(path)) = &inputs
        && is_book(&args.inputs, path)?
    {
        if let Some(what) = args.records.for_archives() {
            return Err(Failure::message(what));
        }
        return book::run(args, path, output);
    }
    if let Inputs::One(input) = &inputs {
        if input.is_wacz(&args.inputs) {
            return archive::run(settings, input, ArchiveForm::Wacz, output);
        }
        if input.format(&args.inputs) == Format::Warc {
            return archive::run(settings, input, ArchiveForm::Warc, output);
        }
    }
    let level = writing.level.is_some().then_some("--level");
    if let Some(option) = writing.for_archives().or(level) {
        let what = format_args!("{option} is for a web archive");
        return Err(not_for_archives(&args.inputs, what));
    }
    if let Some(what) = args.records.for_archives() {
        return Err(not_for_archives(&args.inputs, what));
    }
    match inputs {
        Inputs::One(Input::Stdin) if writing.write => {
            Err(Failure::message("stdin cannot be rewritten in place, give paths"))
        }
        Inputs::One(Input::File(path))
            if writing.write || is_trial(writing) && writing.output.is_none() =>
        {
            many::run(args, &Paths::of_file(path, &args.inputs), output)
        }
        Inputs::One(input) => one::run(args, &input, output),
        Inputs::Many(paths) => many::run(args, &paths, output),
    }
}

/// Names the output of one file as the file, if the output is a folder.
fn put_into_folder(args: &mut RewriteArgs) {
    let ([path], Some(output)) = (&args.inputs.paths[..], &mut args.writing.output) else { return };
    let is_folder = output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/");
    if let (true, true, Some(name)) = (is_folder, path.is_file(), path.file_name()) {
        output.push(name);
    }
}

/// Refuses options that exclude each other, and a document in a container.
fn check(args: &RewriteArgs) -> Result<(), Failure> {
    let writing = &args.writing;
    if writing.stats == StatsArg::Json && (writing.diff || writing.list_different) {
        let what = "--stats json and what --diff or --list-different print cannot both go to stdout; give only one";
        return Err(Failure::message(what));
    }
    if let Some(suffix) = &writing.backup
        && args.globs().is_document(format!("page{suffix}").as_ref())
    {
        let what =
            "would be documents of the next run; give a suffix that --include does not match";
        return Err(Failure::message(format_args!("files with the suffix '{suffix}' {what}")));
    }
    let is_entry = |path: &&PathBuf| entry_path(path).is_some() || member_path(path).is_some();
    if let Some(path) = args.inputs.paths.iter().find(is_entry) {
        let what = "rewrite writes the whole file: give that, and select records of an archive \
                    with --url; absolve extract writes one document";
        return Err(Failure::of(&printable_path(path), what));
    }
    Ok(())
}
