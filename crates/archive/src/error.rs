//! Why a container cannot be read.

use std::fmt;
use std::io;

use absolve::{Advice, Error, HasAdvice};

/// Why reading a container ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum ContainerError {
    /// It is damaged, hostile, or has a form that is not supported.
    Invalid(String),
    /// A message that cannot be used.
    Document(Error),
    /// It cannot be read.
    Read(io::Error),
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(what) => f.write_str(what),
            Self::Document(error) => error.fmt(f),
            Self::Read(error) => write!(f, "cannot read the file: {error}"),
        }
    }
}

impl std::error::Error for ContainerError {}

impl HasAdvice for ContainerError {
    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Invalid(_) => None,
            Self::Document(error) => error.advice(),
            Self::Read(error) => error.advice(),
        }
    }
}

impl ContainerError {
    /// A member, and what is wrong with it.
    pub(super) fn invalid_member(member: &str, what: impl fmt::Display) -> Self {
        let member = if member.is_empty() { "''" } else { &*printable(member) };
        Self::Invalid(format!("{member}: {what}"))
    }

    /// A ZIP file that is not as its records say.
    pub(super) fn damaged_zip(what: impl fmt::Display) -> Self {
        Self::Invalid(format!("damaged ZIP file: {what}; repair it (zip -FF)"))
    }

    /// An error of the source of a ZIP file, whose end is one of its records.
    pub(super) fn from_read(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::damaged_zip("it ends early"),
            _ => Self::Read(error),
        }
    }
}

/// The file is no message.
pub(super) fn not_a_message() -> Error {
    Error::other("it has no header field, expected a message (RFC 5322) or MHTML")
}

/// A name without control characters.
pub(super) fn printable(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for one in name.chars() {
        if one.is_control() { text.extend(one.escape_debug()) } else { text.push(one) }
    }
    text
}
