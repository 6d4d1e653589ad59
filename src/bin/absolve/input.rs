//! The one document that a command works on.

use std::io;
use std::path::{Path, PathBuf};

use absolve::batch::{self, Origins};
use absolve::{Limits, Rewriter};

use crate::failure::{Failure, reason};
use crate::inputs::below_current;

/// Where a document comes from.
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The name for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".to_owned(),
            Self::File(path) => crate::output::printable(&path.to_string_lossy()),
        }
    }

    /// The rewriter for the document.
    pub(crate) fn rewriter(&self, rewriter: &Rewriter, origins: &Origins) -> Rewriter {
        match self {
            Self::Stdin => origins.rewriter_of_stdin(rewriter),
            Self::File(path) => origins.rewriter_of_file(rewriter, path, &below_current(path)),
        }
    }

    /// Reads the document.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Vec<u8>, Failure> {
        let source = match self {
            Self::Stdin => batch::read_from(io::stdin().lock(), limits),
            Self::File(path) => batch::read(path, limits),
        };
        source.map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::NotFound => "give the path of a file or a folder, or - for stdin",
                io::ErrorKind::PermissionDenied => "make it readable",
                _ => "nothing was written",
            };
            Failure::of(&self.name(), format_args!("cannot read: {}; {advice}", reason(&error)))
        })
    }

    /// Whether `path` names the same file.
    pub(crate) fn is_same_file(&self, path: &Path) -> bool {
        match self {
            Self::Stdin => false,
            Self::File(input) => batch::is_same_file(input, path),
        }
    }
}
