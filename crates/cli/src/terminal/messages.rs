//! Messages on stderr.

use std::fmt::Display;
use std::io::{self, Write};

use absolve::HasAdvice;
use absolve::internal::typed;
use absolve_site::report::display::wrapped;

use super::{stderr_columns, text};

/// Prints messages to stderr, and ignores write errors.
#[derive(Clone, Copy)]
pub struct Messages {
    verbosity: Verbosity,
}

/// Whether `--quiet` hides a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Warning,
    Error,
}

/// How much is printed on stderr.
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

    /// Prints an error, also with `--quiet`.
    pub fn error(message: impl HasAdvice) {
        Self::text(&format!("absolve: {}", text::message(&message.diagnosis().spelled(typed))));
    }

    /// Prints lines, wrapped on a terminal, also with `--quiet`.
    pub fn text(text: &str) {
        Self::line(wrapped(text, stderr_columns(), 2));
    }

    /// Writes a line for a program to read, also with `--quiet`.
    pub fn line(line: impl Display) {
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Prints a warning, unless `--quiet`.
    pub fn warning(self, message: impl HasAdvice) {
        if self.verbosity > Verbosity::Quiet {
            Self::error(message);
        }
    }

    /// Reports a problem that is an error only by an option.
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
