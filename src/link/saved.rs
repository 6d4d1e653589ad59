//! Links of a saved document that name files beside it.

use std::fmt;

/// The files beside a document that a program saved. A link may name one of them, as `wget -k` and `HTTrack`
/// write it, and leads to its URL.
pub(crate) trait SavedFiles: fmt::Debug + Send + Sync {
    /// Whether a reference may be the name of a file with another URL; no sure `false` for one that is.
    fn may_name(&self, reference: &[u8]) -> bool;

    /// The URL of the file that a relative reference names, with the fragment of the reference; `None` if
    /// it names no such file.
    fn url(&self, reference: &str) -> Option<String>;
}
