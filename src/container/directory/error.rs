//! Why the members of a ZIP file are not known.

use std::fmt;
use std::io;

/// Why a central directory could not be read, or is not used.
#[derive(Debug)]
pub(in crate::container) enum DirectoryError {
    /// It is damaged, hostile, or too large.
    Invalid(String),
    /// The file cannot be read.
    Read(io::Error),
}

impl DirectoryError {
    /// A ZIP file that is not as its records say.
    pub(super) fn damaged(what: impl fmt::Display) -> Self {
        Self::Invalid(format!("damaged ZIP file: {what}; repair it (zip -FF)"))
    }

    /// A member, and what is wrong with it.
    pub(in crate::container) fn of(member: &str, what: impl fmt::Display) -> Self {
        let member = if member.is_empty() { "''" } else { &*printable(member) };
        Self::Invalid(format!("{member}: {what}"))
    }

    /// An error of the source; the end of the file is one of its records.
    pub(in crate::container) fn reading(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return Self::damaged("it ends early");
        }
        Self::Read(error)
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
