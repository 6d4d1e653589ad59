//! Why a command stopped.

use std::fmt::Display;
use std::io;

pub(crate) use absolve::batch::reason;
use absolve::url::masked;

use crate::args::InvalidBaseMap;
use crate::terminal::Messages;

/// Why a command stopped before its end.
pub(crate) enum Failure {
    /// The reader of stdout closed it, which is no error.
    ClosedPipe,
    /// The file, the problem and what to do.
    Message(String),
}

impl Failure {
    /// A failure of the whole command.
    pub(crate) fn message(what: impl Display) -> Self {
        Self::Message(what.to_string())
    }

    /// A failure of one file.
    pub(crate) fn of(name: &str, what: impl Display) -> Self {
        Self::message(format_args!("{name}: {what}"))
    }

    /// A failure to read an input without which the command fails.
    pub(crate) fn unreadable(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            // The error names the limit and what to do.
            return Self::of(name, error);
        }
        let advice = match error.kind() {
            io::ErrorKind::NotFound => "give the path of a file or a folder, or - for stdin",
            io::ErrorKind::PermissionDenied => "make it readable",
            _ => "give another path",
        };
        // A URL may be given in place of a path.
        Self::of(&masked(name), format_args!("cannot read: {}; {advice}", reason(error)))
    }

    /// A failure to start the threads of `--jobs`.
    pub(crate) fn threads(error: &io::Error) -> Self {
        Self::message(format_args!("cannot start threads: {}; give -j 1", reason(error)))
    }

    /// A failure to write the output.
    pub(crate) fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::of("stdout", format_args!("cannot write: {}", reason(error)))
        }
    }

    /// Prints the message, and returns the exit code.
    pub(crate) fn report(self) -> u8 {
        match self {
            Self::ClosedPipe => 0,
            Self::Message(message) => {
                Messages::error(message);
                2
            }
        }
    }
}

impl From<InvalidBaseMap> for Failure {
    fn from(error: InvalidBaseMap) -> Self {
        Self::Message(error.0)
    }
}
