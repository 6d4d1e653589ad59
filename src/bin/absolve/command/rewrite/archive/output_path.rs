//! The file that an archive is written to.

use std::path::Path;

use crate::args::WritingArgs;
use crate::command::rewrite::destination::{check_output, names_stdout};
use crate::session::failure::Failure;
use crate::session::input::Input;
use crate::terminal::printable_path;

/// The file to write; `None` for stdout.
pub(super) fn output_path<'a>(
    writing: &'a WritingArgs,
    input: &'a Input,
) -> Result<Option<&'a Path>, Failure> {
    check_output(input, writing)?;
    let path = match (&writing.output, input) {
        _ if names_stdout(writing) => None,
        (Some(path), _) => Some(path.as_path()),
        (None, Input::File(path)) if writing.write => Some(path.as_path()),
        (None, Input::Stdin) if writing.write => {
            return Err(Failure::message("stdin cannot be rewritten in place, give a path"));
        }
        (None, _) => None,
    };
    if let (Input::File(input), Some(output)) = (input, path) {
        check_compression(input, output)?;
    }
    Ok(path)
}

/// The ends of the names of archives, which name the compression.
const COMPRESSIONS: &[&str] = &[".warc.gz", ".warc.zst", ".warc", ".wacz"];

/// Refuses an output whose name is that of an archive with another compression than the input.
fn check_compression(input: &Path, output: &Path) -> Result<(), Failure> {
    let compression = |path: &Path| {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".open").unwrap_or(&name).to_owned();
        COMPRESSIONS.iter().find(|end| name.ends_with(**end))
    };
    match (compression(input), compression(output)) {
        (Some(end), Some(other)) if end != other => {
            let what = format_args!(
                "an archive keeps its compression; give a name that ends in {end}, as that of the input"
            );
            Err(Failure::of(&printable_path(output), what))
        }
        _ => Ok(()),
    }
}
