//! The passes of an audit: over files, and requests between pages.

pub(crate) mod base_path;
mod file;
pub(crate) mod fixes;
pub(crate) mod hints;
pub(crate) mod source_edits;
