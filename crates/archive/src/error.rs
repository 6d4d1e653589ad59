//! Errors of containers.

use std::fmt;
use std::io;

use absolve::{Advice, Error, HasAdvice};

/// An error that ends the reading of a container.
#[derive(Debug)]
#[non_exhaustive]
pub enum ContainerError {
    /// The file is damaged, hostile, or has a form that is not supported.
    Invalid(String),
    /// A message cannot be read.
    Message(Error),
    /// The file cannot be read.
    Read(io::Error),
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(why) => f.write_str(why),
            Self::Message(error) => error.fmt(f),
            Self::Read(error) => write!(f, "cannot read the file: {error}"),
        }
    }
}

impl std::error::Error for ContainerError {}

impl HasAdvice for ContainerError {
    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Invalid(_) => None,
            Self::Message(error) => error.advice(),
            Self::Read(error) => error.advice(),
        }
    }
}

impl ContainerError {
    /// Creates the error for a problem of the named member.
    pub(super) fn invalid_member(member: &str, why: impl fmt::Display) -> Self {
        let member = if member.is_empty() { "''" } else { &*escape_controls(member) };
        Self::Invalid(format!("{member}: {why}"))
    }

    /// Creates the error for a damaged ZIP file.
    pub(super) fn damaged_zip(why: impl fmt::Display) -> Self {
        Self::Invalid(format!("damaged ZIP file: {why}; repair it (zip -FF)"))
    }

    /// Creates the error for a failed read of a ZIP file. A file that ends early is damaged, since
    /// its own records contain the offset.
    pub(super) fn from_read(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged_zip("it ends early"),
            _ => Self::Read(error),
        }
    }
}

/// Creates the error for a file that is no message.
pub(super) fn no_message_error() -> Error {
    Error::other("it has no header field, expected a message (RFC 5322) or MHTML")
}

/// Escapes the control characters of a name.
pub(super) fn escape_controls(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_control() { text.extend(c.escape_debug()) } else { text.push(c) }
    }
    text
}
