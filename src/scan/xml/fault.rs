//! Faults of documents that are not well-formed, and the check of their characters.

use memchr::memchr_iter;

use crate::error::{Error, Location, shortened};

/// The reason why a document is not well-formed, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) why: String,
}

impl Fault {
    pub(super) fn new(at: usize, why: impl Into<String>) -> Self {
        Self { at, why: why.into() }
    }

    /// Converts the fault to an error, with its line and column in `bytes`, the document.
    pub(crate) fn into_error(self, bytes: &[u8]) -> Error {
        Error::not_well_formed(self.why, location(bytes, self.at))
    }
}

/// The line and column of an offset in `bytes`, the document.
pub(crate) fn location(bytes: &[u8], at: usize) -> Location {
    let before = &bytes[..at.min(bytes.len())];
    let lines = memchr_iter(b'\n', before).count();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let line = &before[start..];
    let column = std::str::from_utf8(line).map_or(line.len(), |line| line.chars().count());
    Location::Character { line: lines as u64 + 1, column: column as u64 + 1 }
}

/// Quotes a name for a message.
pub(super) fn shown(name: &[u8]) -> String {
    format!("'{}'", shortened(&String::from_utf8_lossy(name)).escape_debug())
}

/// The number of bytes that are compared at once.
const CHUNK: usize = 256;

/// Finds the first control character, which
/// [XML does not allow](https://www.w3.org/TR/xml/#charsets).
pub(super) fn check_characters(bytes: &[u8]) -> Result<(), Fault> {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // A fold without an early exit compares all bytes of a chunk at once.
    let has_control = |chunk: &[u8]| chunk.iter().fold(false, |any, byte| any | is_control(byte));
    let chunk = bytes.chunks(CHUNK).position(has_control).map(|chunk| chunk * CHUNK);
    let at = chunk.and_then(|start| Some(start + bytes[start..].iter().position(is_control)?));
    if let Some(at) = at {
        return Err(Fault::new(at, format!("the character U+{:04X}", bytes[at])));
    }
    Ok(())
}
