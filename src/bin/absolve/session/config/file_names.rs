//! Names that a configuration that was found may choose.

use std::ffi::OsStr;
use std::path::{Component, Path};

use absolve::batch::Globs;
use absolve::container::Format;

/// Whether a name is that of a document or of a web archive.
pub(crate) fn is_document_name(name: &OsStr) -> bool {
    let name = Path::new(name);
    Globs::default().is_document(name) || Format::of_name(name) == Format::Warc
}

/// Whether a name in a path begins with a dot.
pub(super) fn has_dot_name(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}
