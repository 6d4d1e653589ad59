//! The formats of reports. Each has a file with its row and its writer.

mod concise;
mod github;
mod gitlab;
mod html;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod sarif;
mod text;

use std::io::{self, Write};

use absolve::named_enum;

use crate::Finding;
use crate::report::Context;

pub use html::write_entries;

/// The row of a format: its name in options, its summary in the help, and its writer.
pub(super) struct FormatRow {
    name: &'static str,
    summary: &'static str,
    write: fn(&[Finding], &Context<'_>, &mut dyn Write) -> io::Result<()>,
}

/// Defines the formats, each with the module that contains its row.
macro_rules! formats {
    ($($Value:ident = $module:ident,)+) => {
        /// The format of a report.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the rows say what each one is: `Format::summary`")]
        pub enum Format {
            $($Value,)+
        }

        impl Format {
            /// Every format, in its order.
            pub const ALL: &'static [Self] = &[$(Self::$Value,)+];

            fn row(self) -> &'static FormatRow {
                const ROWS: &[FormatRow] = &[$($module::FORMAT,)+];
                &ROWS[self as usize]
            }
        }
    };
}

formats! {
    Text = text,
    Concise = concise,
    Jsonl = jsonl,
    Json = json,
    Sarif = sarif,
    Junit = junit,
    Github = github,
    Gitlab = gitlab,
    Markdown = markdown,
    Html = html,
}

named_enum!(@display Format);
named_enum! {
    @error
    /// The error of a name that is not a format.
    pub UnknownFormat, "no such format, expected one of {names}", Format
}

impl Format {
    /// Returns the name in options.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Describes the format in one line, for the help.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary
    }
}

impl std::str::FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL.iter().find(|format| format.name() == name).copied().ok_or(UnknownFormat)
    }
}

/// Writes findings as a report.
///
/// The findings must be in the order of [`Finding::order`].
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write(
    format: Format,
    findings: &[Finding],
    context: &Context<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    (format.row().write)(findings, context, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_name_of_its_own() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(*format));
        }
        assert_eq!("xml".parse::<Format>(), Err(UnknownFormat));
    }
}
