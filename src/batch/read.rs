//! Reading one document, with a bound on its size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::link::Limits;

/// Reads a document from a file.
///
/// It stops one byte behind [`Limits::input`], so that the rewriter sees that
/// the limit is reached and memory stays bounded.
///
/// # Errors
///
/// If it cannot be opened or read, or is a directory.
pub fn read(path: &Path, limits: &Limits) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    read_from(file, limits)
}

/// Whether two paths lead to the same file, which is there.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Reads a document from a stream, as [`read`] does from a file.
///
/// # Errors
///
/// If it cannot be read.
pub fn read_from(stream: impl Read, limits: &Limits) -> io::Result<Vec<u8>> {
    let max = if limits.input == 0 { u64::MAX } else { (limits.input as u64).saturating_add(1) };
    let mut source = Vec::new();
    stream.take(max).read_to_end(&mut source)?;
    Ok(source)
}
