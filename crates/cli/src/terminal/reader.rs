//! Whether a person or a program reads stdout.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use terminal_size::{Height, Width};

use super::printable;

/// Returns the columns of the terminal on stdout; no limit if stdout is not a terminal.
pub fn columns() -> usize {
    width(terminal_size::terminal_size_of(io::stdout()))
}

/// The same of the terminal on stderr.
pub fn stderr_columns() -> usize {
    width(terminal_size::terminal_size_of(io::stderr()))
}

fn width(size: Option<(Width, Height)>) -> usize {
    size.map_or(usize::MAX, |(Width(columns), _)| columns.into())
}

/// Who reads stdout.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A person, at a terminal.
    Person,
    /// A program, through a pipe or a file.
    Program,
}

impl Reader {
    /// The reader of stdout.
    pub fn of_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Person } else { Self::Program }
    }

    /// Bytes of documents and file names: unchanged for a program, escaped for a person.
    pub fn shown(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Person => {
                let text = String::from_utf8_lossy(bytes);
                // A tab moves the cursor no further than the text.
                let cells = text.split('\t').map(printable);
                Cow::Owned(cells.collect::<Vec<_>>().join("\t").into_bytes())
            }
            Self::Program => Cow::Borrowed(bytes),
        }
    }
}
