//! Why a document is not well-formed.

use memchr::memchr_iter;

use crate::error::{Error, Location};

/// Why a document is not well-formed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) why: String,
}

impl Fault {
    pub(super) fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }

    /// The error, with line and column in `bytes`, which are those of the document.
    pub(crate) fn into_error(self, bytes: &[u8]) -> Error {
        Error::not_well_formed(self.why, location(bytes, self.at))
    }
}

/// The line and column of a place in `bytes`, which are those of the document.
pub(crate) fn location(bytes: &[u8], at: usize) -> Location {
    let before = &bytes[..at.min(bytes.len())];
    let lines = memchr_iter(b'\n', before).count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = &before[start..];
    let column = std::str::from_utf8(line).map_or(line.len(), |line| line.chars().count());
    Location::Character { line: lines as u64 + 1, column: column as u64 + 1 }
}

/// A name as messages show it.
pub(super) fn shown(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("'{}{more}'", short.escape_debug())
}
