//! The file of `--external-status`.

use std::io::ErrorKind;
use std::path::Path;

use crate::Limits;
use crate::audit::ExternalStatuses;
use crate::batch;

use super::files::max_size;
use crate::cli::session::failure::{Failure, reason};
use crate::cli::terminal::printable_path;

pub(super) fn read(file: &Path, limits: &Limits) -> Result<ExternalStatuses, Failure> {
    let name = printable_path(file);
    let bytes = batch::read_file(file, max_size(limits)).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::FileTooLarge => "it exceeds --limit input".to_owned(),
            _ => reason(&error),
        };
        let what = format!("cannot read the answers: {why}; give another with --external-status");
        Failure::of(&name, what)
    })?;
    ExternalStatuses::parse(&bytes).map_err(|error| Failure::of(&name, error))
}
