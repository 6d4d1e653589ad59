//! Refuses options that exclude each other, and inputs that are not rewritten.

use std::path::{Path, PathBuf};

use crate::cli::args::{InputArgs, RewriteArgs, StatsArg, is_url};
use crate::cli::session::entry_path::entry_path;
use crate::cli::session::failure::Failure;
use crate::cli::terminal::printable_path;
use crate::container::Format;
use crate::{Diagnosis, Form};

/// Refuses options that exclude each other or do nothing, and a document in a container.
pub fn check(args: &RewriteArgs) -> Result<(), Failure> {
    args.document.options.check().map_err(Failure::message)?;
    let writing = &args.writing;
    if writing.stats == StatsArg::Json && (writing.diff || writing.list_different) {
        let what = "--stats json and what --diff or --list-different print cannot both go to stdout; give only one";
        return Err(Failure::message(what));
    }
    if let Some(suffix) = writing.old_files.0.suffix()
        && args.globs().is_document(format!("page{suffix}").as_ref())
    {
        let words = "files with the suffix '{}' would be documents of the next run; give a suffix \
                     that {include} does not match";
        return Err(Diagnosis::from_words(words, &[&suffix]).into());
    }
    let paths = &args.inputs.paths;
    let is_flat = paths.len() > 1 && paths.iter().any(|path| path.is_file());
    if is_flat && args.direction.form() == Form::Relative && writing.output.is_some() {
        let what = "several files are written without their folders, and relative links between them \
                    would lead nowhere; give the folder, or {write}";
        return Err(Diagnosis::from_words(what, &[]).into());
    }
    if let Some(path) = paths.iter().find(|path| entry_path(path).is_some()) {
        let what = "rewrite writes the whole file: give that; absolve extract writes one document";
        return Err(Failure::of(&printable_path(path), what));
    }
    Ok(())
}

/// Refuses web archives that are given by their own paths.
pub(super) fn check_archives(args: &InputArgs) -> Result<(), Failure> {
    let is_archive = |path: &&PathBuf| args.is_archive(path) && !path.is_dir() && !is_url(path);
    if let Some(path) = args.paths.iter().find(is_archive) {
        return Err(archive(path));
    }
    let is_given = args.file_format.is_some_and(Format::is_archive);
    if is_given { Err(archive(Path::new("stdin"))) } else { Ok(()) }
}

/// The failure to rewrite a web archive, and what writes its pages.
pub(super) fn archive(path: &Path) -> Failure {
    let name = printable_path(path);
    let is_extracted = Format::of_name(path).is_archive() || path.is_dir();
    let given = if is_extracted { &*name } else { "FILE.warc" };
    let what = format!(
        "a web archive is read and not rewritten; write its pages as files: \
         absolve extract {given} -o DIR --to relative"
    );
    Failure::of(&name, what)
}
