//! The facts about a run in its report page, and the URLs of source lines.

use std::error::Error;
use std::fmt;
use std::path::{Component, Path};
use std::str::FromStr;

use crate::report::{is_harmless, view};

/// The facts about a run for readers of its report; a field without a value is left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// The URL that the site is served at.
    pub base_url: Option<&'a str>,
    /// The server whose lookup rules apply.
    pub server: Option<&'a str>,
    /// The version of the site, such as a commit.
    pub revision: Option<&'a str>,
    /// The date of the audit, such as `2026-01-31T12:00:00Z`.
    pub date: Option<&'a str>,
}

/// A template of the URLs of source lines, such as `https://host/o/r/blob/main/{file}#L{line}`.
///
/// ```
/// use absolve_site::report::SourceUrl;
///
/// assert!("https://example.org/blob/main/{file}#L{line}".parse::<SourceUrl>().is_ok());
/// assert!("javascript:{file}".parse::<SourceUrl>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceUrl(String);

impl SourceUrl {
    /// The template, in which `{file}` is a [`path`](Self::path), and `{line}` a number.
    pub(super) fn template(&self) -> &str {
        &self.0
    }

    /// The percent-encoded path of a file in a repository; `None` if it is in none.
    pub(super) fn path(file: &Path) -> Option<String> {
        let is_below = file.components().all(|part| matches!(part, Component::Normal(_)));
        Some(view::uri(file)).filter(|path| is_below && !path.is_empty())
    }
}

impl FromStr for SourceUrl {
    type Err = InvalidSourceUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once("://").ok_or(InvalidSourceUrl)?;
        let (host, path) = rest.split_once('/').ok_or(InvalidSourceUrl)?;
        let is_web = ["http", "https"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
        // The host does not depend on a file; a user and password would be in every report.
        let is_host = !host.is_empty() && !host.contains(['{', '@', '?', '#', '\\']);
        let names_all = !path.replace("{file}", "").replace("{line}", "").contains(['{', '}']);
        let is_plain = text.chars().all(|c| is_harmless(c) && !c.is_whitespace());
        let is_valid = is_web && is_host && names_all && is_plain && path.contains("{file}");
        is_valid.then(|| Self(text.to_owned())).ok_or(InvalidSourceUrl)
    }
}

/// The error of a text that is no template of URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSourceUrl;

impl fmt::Display for InvalidSourceUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "expected an http or https URL with {file}, and {line} if it has lines, such as \
             https://host/owner/repository/blob/main/{file}#L{line}",
        )
    }
}

impl Error for InvalidSourceUrl {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_an_http_url_with_a_file() {
        let is_valid = |text: &str| text.parse::<SourceUrl>().is_ok();
        assert!(is_valid("https://h/o/r/blob/0a1b/{file}#L{line}"));
        assert!(is_valid("HTTP://h:80/{file}"));
        assert!(is_valid("https://h/?at={line}&path={file}"));
        for text in [
            "",
            "{file}",
            "//h/{file}",
            "https://h/main#L{line}",
            "https://{file}/",
            "https:///{file}",
            "https://u:p@h/{file}",
            "https://h?{file}",
            "https://h\\@e/{file}",
            "javascript://h/{file}",
            "https://h/{file}/{sha}",
            "https://h/{file}}",
            "https://h/ {file}",
            "https://h/\u{202e}{file}",
        ] {
            assert!(!is_valid(text), "{text}");
        }
    }

    #[test]
    fn a_path_is_that_of_a_file_in_a_repository() {
        let path = |file: &str| SourceUrl::path(Path::new(file));
        assert_eq!(path("a b/{line}#?.md").as_deref(), Some("a%20b/%7Bline%7D%23%3F.md"));
        for file in ["", "../a.md", "/srv/a.md"] {
            assert_eq!(path(file), None, "{file}");
        }
    }
}
