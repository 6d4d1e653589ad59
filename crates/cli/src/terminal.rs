//! Text for people: messages on stderr, colors, columns, and escaped text for a terminal.

mod color;
mod columns;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use absolve::HasAdvice;
use absolve::internal::typed;
use absolve_site::report::display::{without_commands, wrapped};
use terminal_size::{Height, Width};

pub use absolve_site::report::display::{is_harmless, printable, printable_path};
pub use color::ColorChoice;
pub use columns::{Cells, Columns, write_aligned};

/// Prints messages to stderr; write errors are ignored.
#[derive(Clone, Copy)]
pub struct Messages {
    verbosity: Verbosity,
}

/// The severity of a message; `--quiet` hides warnings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Warning,
    Error,
}

/// The messages that are printed to stderr.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors.
    Quiet,
    /// Warnings too.
    Normal,
    /// Details too.
    Verbose,
}

impl Messages {
    pub fn new(verbosity: Verbosity) -> Self {
        Self { verbosity }
    }

    /// Prints an error, even with `--quiet`.
    pub fn error(message: impl HasAdvice) {
        Self::text(&format!("absolve: {}", shorten(&message.diagnosis().spelled(typed))));
    }

    /// Prints lines, wrapped on a terminal, even with `--quiet`.
    pub fn text(text: &str) {
        Self::line(wrapped(text, stderr_columns(), 2));
    }

    /// Writes a line for a program, even with `--quiet`.
    pub fn line(line: impl Display) {
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Prints a warning, unless `--quiet`.
    pub fn warning(self, message: impl HasAdvice) {
        if self.verbosity > Verbosity::Quiet {
            Self::error(message);
        }
    }

    /// Prints a problem with a severity that depends on an option.
    pub fn report(self, severity: Severity, message: impl HasAdvice) {
        match severity {
            Severity::Warning => self.warning(message),
            Severity::Error => Self::error(message),
        }
    }

    pub fn are_quiet(self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    pub fn are_verbose(self) -> bool {
        self.verbosity == Verbosity::Verbose
    }

    /// Prints a detail with `--verbose`.
    pub fn detail(self, message: impl HasAdvice) {
        if self.verbosity == Verbosity::Verbose {
            Self::error(message);
        }
    }
}

/// Returns the columns of the terminal on stdout; no limit without a terminal.
pub fn stdout_columns() -> usize {
    width(terminal_size::terminal_size_of(io::stdout()))
}

/// Returns the columns of the terminal on stderr; no limit without a terminal.
pub fn stderr_columns() -> usize {
    width(terminal_size::terminal_size_of(io::stderr()))
}

fn width(size: Option<(Width, Height)>) -> usize {
    size.map_or(usize::MAX, |(Width(columns), _)| columns.into())
}

/// The reader of stdout, who decides how text is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StdoutReader {
    /// A person, at a terminal.
    Person,
    /// A program, through a pipe or a file.
    Program,
}

impl StdoutReader {
    /// Returns the reader of stdout.
    pub fn detect() -> Self {
        if io::stdout().is_terminal() { Self::Person } else { Self::Program }
    }

    /// Shows bytes of documents and file names: unchanged to a program, escaped to a person.
    pub fn show(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Person => {
                let text = String::from_utf8_lossy(bytes);
                // Tabs stay: they only move the cursor forward.
                let cells = text.split('\t').map(printable);
                Cow::Owned(cells.collect::<Vec<_>>().join("\t").into_bytes())
            }
            Self::Program => Cow::Borrowed(bytes),
        }
    }
}

/// Shortens long values in a message, and a long message.
pub fn shorten(text: &str) -> String {
    /// Maximum bytes of a message. Messages with short values are shorter.
    const MAX_MESSAGE_LEN: usize = 4000;
    /// Maximum bytes of a value. The middle is cut: the ends of a path or a URL identify it best.
    const MAX_VALUE_LEN: usize = 256;
    let text = without_commands(text);
    let mut shown = String::new();
    for word in text.split_inclusive(' ') {
        if shown.len() > MAX_MESSAGE_LEN {
            shown.truncate(shown.trim_end().len());
            shown.push('…');
            break;
        }
        let (word, space) = word.strip_suffix(' ').map_or((word, ""), |word| (word, " "));
        if word.len() <= MAX_VALUE_LEN {
            shown.extend([word, space]);
            continue;
        }
        let is_boundary = |at: &usize| word.is_char_boundary(*at);
        let first = (0..=MAX_VALUE_LEN / 2).rev().find(is_boundary).unwrap_or(0);
        let last =
            (word.len() - MAX_VALUE_LEN / 2..word.len()).find(is_boundary).unwrap_or(word.len());
        shown.extend([&word[..first], "…", &word[last..], space]);
    }
    shown
}

/// The width of a text, comfortable to read and narrower than most terminals.
pub const TEXT_WIDTH: usize = 78;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_repeats_no_long_value() {
        for text in ["", "a: cannot read 'b'\n  c", &"x".repeat(256)] {
            assert_eq!(shorten(text), text);
        }
        let (one, other) = ("é".repeat(64), "z".repeat(128));
        let long = format!("{one}{}{other}", "é".repeat(100_000));
        assert_eq!(shorten(&format!("a {long} b")), format!("a {one}…{other} b"));
        let many = shorten(&"a b ".repeat(100_000));
        assert!(many.ends_with('…') && many.len() < 5000, "{many}");
    }
}
