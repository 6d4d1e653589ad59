//! The file of `--external-status`.

use std::io::ErrorKind;
use std::path::Path;

use crate::audit::ExternalStatuses;
use crate::batch;
use crate::{Diagnosis, Limits};

use super::files::{TOO_LARGE, max_size};
use crate::cli::session::failure::{Failure, reason};
use crate::cli::terminal::printable_path;

pub(super) fn read(file: &Path, limits: &Limits) -> Result<ExternalStatuses, Failure> {
    let name = printable_path(file);
    let bytes = batch::read_file(file, max_size(limits)).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::FileTooLarge => Diagnosis::from_words(TOO_LARGE, &[]),
            _ => Diagnosis::new(reason(&error)),
        };
        let words = "cannot read the answers: {}; give another with {external-status}";
        Failure::of(&name, Diagnosis::from_words(words, &[&why]))
    })?;
    ExternalStatuses::parse(&bytes).map_err(|error| Failure::of(&name, error.to_string()))
}
