//! Options that exclude each other, or are not for what is rewritten.

use std::path::PathBuf;

use crate::Form;
use crate::cli::args::{RewriteArgs, StatsArg};
use crate::cli::session::book::member_path;
use crate::cli::session::entry_path::entry_path;
use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;
use crate::container::Format;

use super::destination::{is_to_stdout, names_stdout};

/// Refuses options that exclude each other or do nothing, and a document in a container.
pub fn check(args: &RewriteArgs) -> Result<(), Failure> {
    args.document.selection.check().map_err(Failure::message)?;
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
    let paths = &args.inputs.paths;
    let is_flat = paths.len() > 1 && paths.iter().any(|path| path.is_file());
    if is_flat && args.direction.form() == Form::Relative && writing.output.is_some() {
        let what = "several files are written without their folders, and relative links between them \
                    would lead nowhere; give the folder, or --write";
        return Err(Failure::message(what));
    }
    let is_entry = |path: &&PathBuf| entry_path(path).is_some() || member_path(path).is_some();
    if let Some(path) = paths.iter().find(is_entry) {
        let what = "rewrite writes the whole file: give that, and select records of an archive \
                    with --url; absolve extract writes one document";
        return Err(Failure::of(&printable_path(path), what));
    }
    Ok(())
}

/// Refuses options that are not for a container of this format.
pub(super) fn check_container(args: &RewriteArgs, format: Format) -> Result<(), String> {
    let writing = &args.writing;
    // The words for all web archives.
    let noun = if format.is_archive() { Format::Warc.noun() } else { format.noun() };
    let given = if format.is_archive() { writing.not_for_archives() } else { not_for_books(args) };
    if let Some(option) = given {
        return Err(format!("{option} is not for {noun}"));
    }
    if format == Format::Wacz && writing.cdxj.is_some() {
        return Err("--cdxj is not for a WACZ archive, whose index is in it".to_owned());
    }
    if let Some(what) = args.direction.not_for_archives() {
        return Err(format!("{what} is not for {noun}, which takes --map alone"));
    }
    if !format.is_archive() && args.direction.is_default() {
        let what = "links between the files of a book stay relative, as absolute ones would lead out \
                    of it; give --map OLD=NEW to move its links to the web";
        return Err(what.to_owned());
    }
    if format.needs_file() && (is_to_stdout(writing) || names_stdout(writing)) {
        let noun = format.noun();
        return Err(format!("{noun} cannot be written to stdout; give --output FILE, or --write"));
    }
    Ok(())
}

/// The first option that was given and is not for books.
fn not_for_books(args: &RewriteArgs) -> Option<&'static str> {
    let writing = &args.writing;
    let given = [
        (writing.backup.is_some(), "--backup"),
        (args.base.has_map(), "--base-map"),
        (args.inputs.files.root_dir.is_some(), "--root-dir"),
    ];
    let given = given.into_iter().find_map(|(is_given, name)| is_given.then_some(name));
    given.or_else(|| writing.for_many()).or_else(|| writing.for_archives())
}
