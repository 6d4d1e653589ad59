//! Why a container cannot be read or written.

use std::fmt;
use std::io;

/// Why reading or rewriting a container ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum ContainerError {
    /// It is damaged, hostile, or has a form that is not supported.
    Invalid(String),
    /// It cannot be read.
    Read(io::Error),
    /// The new one cannot be written.
    Write(io::Error),
    /// The callback stopped it.
    Stopped,
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(what) => f.write_str(what),
            Self::Read(error) => write!(f, "cannot read the file: {error}"),
            Self::Write(error) => write!(f, "cannot write the new file: {error}"),
            Self::Stopped => f.write_str("it was stopped"),
        }
    }
}

impl std::error::Error for ContainerError {}

impl ContainerError {
    /// A member, and what is wrong with it.
    pub(super) fn of(member: &str, what: impl fmt::Display) -> Self {
        let member = if member.is_empty() { "''" } else { &*printable(member) };
        Self::Invalid(format!("{member}: {what}"))
    }

    /// A ZIP file that is not as its records say.
    pub(super) fn damaged(what: impl fmt::Display) -> Self {
        Self::Invalid(format!("damaged ZIP file: {what}; repair it (zip -FF)"))
    }

    /// An error of the source of a ZIP file, whose end is one of its records.
    pub(super) fn reading(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged("it ends early"),
            _ => Self::Read(error),
        }
    }
}

/// A name without control characters.
fn printable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for one in name.chars() {
        if one.is_control() { text.extend(one.escape_debug()) } else { text.push(one) }
    }
    text
}
