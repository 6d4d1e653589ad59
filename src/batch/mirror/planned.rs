//! Checks that a tree can be written to an output folder.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::super::failure::reason;
use super::super::folder::{Folder, LastLink, parent};
use super::super::open_files::check_open_files;
use super::super::preflight::PreflightError;
use super::super::temporary::has_only_leftovers;
use super::super::tree::Tree;
use super::preflight_checks::{NameComparison, check_separate, collisions};
use crate::error::{Advice, Diagnosis, HasAdvice};

/// Whether files are written into a folder that is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NotEmpty {
    /// Such a folder is refused.
    #[default]
    Refused,
    /// It is allowed; other files in it stay.
    Allowed,
}

/// An output folder that passed the checks.
#[derive(Debug)]
pub struct PlannedMirror {
    pub(super) path: PathBuf,
    /// The output folder, or the one in which it is created.
    pub(super) folder: Arc<Folder>,
    pub(super) output: OutputFolder,
}

#[derive(Debug)]
pub(super) enum OutputFolder {
    Existing {
        is_empty: bool,
    },
    /// It is to be created, with the folders of this path.
    Missing(PathBuf),
}

impl PlannedMirror {
    /// The path of the output folder, as it was given.
    pub(in super::super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that a tree may be written to a folder.
    ///
    /// # Errors
    ///
    /// If the folder is the tree or one is inside the other, if it is not a folder, has
    /// something in it or cannot be written to, or if two files would have one name.
    pub fn new(tree: &Tree, path: &Path, not_empty: NotEmpty) -> Result<Self, PreflightError> {
        let refused = |why: &dyn HasAdvice| PreflightError::new(path, why);
        let cannot = |error: io::Error| {
            PreflightError::new(path, format!("cannot write there: {}", reason(&error)))
        };
        check_open_files(path)?;
        // Opened once: the folder that is compared is the one that is written to.
        let opened = Folder::open(path, LastLink::Followed);
        check_separate(tree, path, opened.as_ref().ok()).map_err(|why| refused(&why))?;
        let (folder, output) = match opened {
            Ok(folder) => {
                let is_empty = has_only_leftovers(&folder).map_err(cannot)?;
                (folder, OutputFolder::Existing { is_empty })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let (above, path) = above(path).map_err(cannot)?;
                (above, OutputFolder::Missing(path))
            }
            Err(_) if fs::metadata(path).is_ok_and(|found| !found.is_dir()) => {
                return Err(refused(
                    &"it is not a folder, which several documents need; give another",
                ));
            }
            Err(error) => return Err(cannot(error)),
        };
        let planned = Self { path: path.to_owned(), folder: Arc::new(folder), output };
        if !planned.is_empty() && not_empty == NotEmpty::Refused {
            let what = "the folder is not empty; give one that is, or allow other files in it";
            let what = Diagnosis::new(what).advising(Advice::Set("{force}"));
            return Err(PreflightError::new(path, what).of_kind(io::ErrorKind::AlreadyExists));
        }
        if planned.folder.check_writable().is_err() {
            return Err(refused(&"it may not be written to; change its mode, or give another"));
        }
        let names = NameComparison::of(&planned.folder).map_err(cannot)?;
        collisions(tree, names).map_err(|(path, message)| PreflightError::new(&path, message))?;
        Ok(planned)
    }

    /// Whether the folder is new or empty, so that the tree is staged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !matches!(self.output, OutputFolder::Existing { is_empty: false })
    }

    /// The existing output folder of one of the tree's folders; `None` in an empty output.
    pub(in super::super) fn folder(
        &self,
        tree: &Tree,
        folder: usize,
    ) -> io::Result<Option<Arc<Folder>>> {
        if self.is_empty() {
            return Ok(None);
        }
        match self.folder.enter(&tree.output_folder(folder)) {
            Ok(found) => Ok(Some(Arc::new(found))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The nearest existing folder above a path, and the rest of the path.
fn above(path: &Path) -> io::Result<(Folder, PathBuf)> {
    for above in path.ancestors().skip(1) {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        match Folder::open(above, LastLink::Followed) {
            Ok(folder) => {
                let rest = path.strip_prefix(above).unwrap_or(path);
                if !rest.components().all(|part| matches!(part, Component::Normal(_))) {
                    return Err(io::Error::other("a folder above it does not exist"));
                }
                return Ok((folder, rest.to_owned()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok((Folder::open(parent(path), LastLink::Followed)?, PathBuf::new()))
}
