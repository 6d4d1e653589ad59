//! Several web archives that are one input.

use std::path::{Path, PathBuf};

use crate::batch::{Globs, archives_below};

use crate::container::Format;

use super::failure::Failure;
use super::status::Status;
use crate::cli::terminal::Messages;

/// The web archives of paths that are archives and folders of archives, in their order; `None` where
/// there are other documents.
pub fn archives_of(
    paths: &[PathBuf],
    globs: &Globs,
    is_archive: impl Fn(&Path) -> bool,
) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(is_archive(path).then(|| path.clone())?);
            continue;
        }
        let is_document = |file: &Path| globs.is_document(file.strip_prefix(path).unwrap_or(file));
        // What cannot be read is reported by those who read folders of documents.
        let archives = archives_below(path, Format::is_archive, is_document).ok()?;
        if archives.is_empty() {
            return None;
        }
        found.extend(archives);
    }
    Some(found)
}

/// Works on archives one after the other; one that cannot be read does not end the run.
pub fn for_each_archive(
    archives: Vec<PathBuf>,
    mut work: impl FnMut(PathBuf) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let mut worst = Status::Done;
    for archive in archives {
        match work(archive) {
            Ok(status @ Status::Signal(_)) => return Ok(status),
            Ok(status) if status.code() > worst.code() => worst = status,
            Ok(_) => {}
            Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
            Err(Failure::Message(what) | Failure::Caused(what, _)) => {
                Messages::error(what);
                worst = Status::Failed;
            }
        }
    }
    Ok(worst)
}
