//! The formats of reports, as a table.

use crate::named::named_enum;

named_enum! {
    /// The format of a report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    #[expect(missing_docs, reason = "the table says what each one is: `Format::summary`")]
    pub enum Format {
        Text = "text",
        Concise = "concise",
        Jsonl = "jsonl",
        Json = "json",
        Sarif = "sarif",
        Junit = "junit",
        Github = "github",
        Gitlab = "gitlab",
        Markdown = "markdown",
        Html = "html",
    }

    /// The error of a name that no format has.
    pub struct UnknownFormat = "no such format, expected one of {names}";
}

/// The summary and the extensions of each format, in the order of [`Format`].
const TABLE: &[(Format, &str, &[&str])] = &[
    (Format::Text, "Grouped by page, with the source, for people", &["txt"]),
    (Format::Concise, "A line for each finding, for editors and grep", &["txt"]),
    (Format::Jsonl, "One JSON object per line", &["jsonl"]),
    (Format::Json, "One JSON document", &["json"]),
    (Format::Sarif, "SARIF 2.1.0, for code hosts", &["sarif", "json"]),
    (Format::Junit, "JUnit XML, one suite per page", &["xml"]),
    (Format::Github, "Workflow commands of GitHub Actions", &["txt"]),
    (Format::Gitlab, "Code Quality of GitLab", &["json"]),
    (Format::Markdown, "A table in Markdown", &["md"]),
    (Format::Html, "A page with charts and a table to search", &["html"]),
];

impl Format {
    /// Returns what a report of this format is, in one line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().1
    }

    /// Returns the extensions of files with such a report, without the dot.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().2
    }

    fn row(self) -> &'static (Self, &'static str, &'static [&'static str]) {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_formats_in_their_order() {
        assert_eq!(Format::ALL.len(), TABLE.len());
        for (at, format) in Format::ALL.iter().enumerate() {
            assert_eq!((*format as usize, format.row().0), (at, *format));
            assert_eq!(format.name().parse(), Ok(*format));
        }
        assert_eq!("xml".parse::<Format>(), Err(UnknownFormat));
    }
}
