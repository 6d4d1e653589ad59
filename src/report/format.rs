//! The formats of reports, as a table.

use std::fmt;
use std::str::FromStr;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each one is: `Format::summary`")]
pub enum Format {
    Text,
    Jsonl,
    Json,
    Sarif,
    Junit,
    Github,
    Markdown,
    Tsv,
    Html,
}

/// One row of the table.
struct Row {
    format: Format,
    name: &'static str,
    summary: &'static str,
    extensions: &'static [&'static str],
}

const fn row(
    format: Format,
    name: &'static str,
    summary: &'static str,
    extensions: &'static [&'static str],
) -> Row {
    Row { format, name, summary, extensions }
}

/// In the order of [`Format`].
const TABLE: &[Row] = &[
    row(Format::Text, "text", "Grouped by page, with the source, for people", &["txt"]),
    row(Format::Jsonl, "jsonl", "One JSON object a line", &["jsonl"]),
    row(Format::Json, "json", "One JSON document", &["json"]),
    row(Format::Sarif, "sarif", "SARIF 2.1.0, for code hosts", &["sarif", "json"]),
    row(Format::Junit, "junit", "JUnit XML, one suite per page", &["xml"]),
    row(Format::Github, "github", "Workflow commands of GitHub Actions", &["txt"]),
    row(Format::Markdown, "markdown", "A table in Markdown", &["md"]),
    row(Format::Tsv, "tsv", "Tab-separated values under a header", &["tsv"]),
    row(Format::Html, "html", "A page with charts and a table to search", &["html"]),
];

impl Format {
    /// Every format, in the order of the table.
    pub const ALL: &'static [Self] = &[
        Self::Text,
        Self::Jsonl,
        Self::Json,
        Self::Sarif,
        Self::Junit,
        Self::Github,
        Self::Markdown,
        Self::Tsv,
        Self::Html,
    ];

    /// Returns the name in options, such as `sarif`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns what a report of this format is, in one line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// Returns the extensions of files with such a report, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let row = TABLE.iter().find(|row| row.name == name);
        row.map(|row| row.format).ok_or(UnknownFormat)
    }
}

/// The error of a name that no format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        write!(f, "no such format, expected one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_formats_in_their_order() {
        assert_eq!(Format::ALL.len(), TABLE.len());
        for (at, format) in Format::ALL.iter().enumerate() {
            assert_eq!((*format as usize, format.row().format), (at, *format));
            assert_eq!(format.name().parse(), Ok(*format));
        }
        assert_eq!("xml".parse::<Format>(), Err(UnknownFormat));
    }
}
