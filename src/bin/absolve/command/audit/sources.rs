//! The Markdown files of `--sources`.

use std::path::Path;

use absolve::audit::{AuditReport, Sources};
use absolve::batch::Workers;
use encoding_rs::Encoding;

use super::setup::Setup;
use crate::session::failure::Failure;
use crate::session::output::Output;
use crate::terminal::printable_path;

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
        output.messages.warning(format_args!("{}: {failure}", printable_path(file)));
    }
    if sources.is_truncated() {
        output.messages.warning(format_args!(
            "{}: there are more paragraphs than --sources keeps; some findings have no source",
            printable_path(folder)
        ));
    }
    Ok(Some(sources))
}

/// Names the sources of the findings, if there are any.
pub(super) fn locate(
    sources: Option<&Sources>,
    audited: &mut AuditReport,
    setup: &Setup,
    encoding: Option<&'static Encoding>,
    workers: &Workers,
) {
    if let Some(sources) = sources {
        sources.locate(&mut audited.findings, &setup.site, encoding, workers);
    }
}
