//! The Markdown files of `--sources`.

use std::path::Path;

use crate::Diagnosis;
use crate::audit::Sources;
use crate::batch::Workers;

use crate::cli::session::failure::Failure;
use crate::cli::session::output::Output;
use crate::cli::terminal::printable_path;

/// Reads the folder, and warns of the files in it that have no part in the search.
pub(super) fn read(
    folder: Option<&Path>,
    jobs: &Workers,
    output: Output,
) -> Result<Option<Sources>, Failure> {
    let Some(folder) = folder else { return Ok(None) };
    let sources = Sources::read(folder, jobs)
        .map_err(|failure| Failure::of(&printable_path(folder), failure))?;
    for (file, failure) in sources.unread() {
        output.messages.warning(Diagnosis::of(printable_path(file), failure));
    }
    if sources.is_truncated() {
        output.messages.warning(format_args!(
            "{}: there are more paragraphs than --sources keeps; some findings have no source",
            printable_path(folder)
        ));
    }
    Ok(Some(sources))
}
