//! Several web archives that are one input.

use std::path::{Path, PathBuf};

use crate::batch::{Globs, archives_below};

use crate::container::Format;

use super::failure::Failure;
use super::status::Status;
use crate::cli::terminal::Messages;

/// One of several web archives.
pub struct ArchivePath {
    pub path: PathBuf,
    /// Its path in an output folder.
    pub name: PathBuf,
}

/// The web archives of paths that are archives and folders of archives, in their order; `None` where
/// there are other documents.
pub fn archives_of(
    paths: &[PathBuf],
    globs: &Globs,
    is_archive: impl Fn(&Path) -> bool,
) -> Option<Vec<ArchivePath>> {
    let mut found = Vec::new();
    for path in paths {
        let last = PathBuf::from(path.file_name().unwrap_or_default());
        if !path.is_dir() {
            let name = is_archive(path).then_some(last)?;
            found.push(ArchivePath { path: path.clone(), name });
            continue;
        }
        let below = |file: &Path| file.strip_prefix(path).unwrap_or(file).to_owned();
        // What cannot be read is reported by those who read folders of documents.
        let archives =
            archives_below(path, Format::is_archive, |file| globs.is_document(&below(file)))
                .ok()?;
        if archives.is_empty() {
            return None;
        }
        let folder = if paths.len() > 1 { last } else { PathBuf::new() };
        let name = |path: PathBuf| ArchivePath { name: folder.join(below(&path)), path };
        found.extend(archives.into_iter().map(name));
    }
    Some(found)
}

/// Works on archives one after the other; one that cannot be read or written does not end the run.
pub fn for_each_archive<A>(
    archives: impl IntoIterator<Item = A>,
    mut work: impl FnMut(A) -> Result<Status, Failure>,
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
