//! Formats the page, position and level of a finding, and the URL of its source line.

use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Component, Path, Prefix};
use std::str::FromStr;

use absolve::{BaseSource, Syntax};
use absolve_archive::Format;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::report::{is_harmless, printable};
use crate::{Finding, Level};

/// Returns the path of a file in printable form.
pub(super) fn format_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Whether two findings are on the same page.
pub(super) fn are_of_one_page(finding: &Finding, other: &Finding) -> bool {
    finding.file.as_os_str() == other.file.as_os_str()
}

/// Returns the word for the documents of findings: `page`, or `file` if one of them is no page.
pub(super) fn choose_noun(findings: &[Finding]) -> &'static str {
    let mut nouns = NounCache::default();
    if findings.iter().all(|finding| nouns.get(finding) == "page") { "page" } else { "file" }
}

/// Caches the word for the document of the last finding, because the findings of a page are
/// adjacent. An audit of python3.11-doc has 21,900 findings on 318 files; without the cache, their
/// names took 5 % of its instructions (`valgrind --tool=callgrind absolve audit -j 1`).
#[derive(Default)]
pub(super) struct NounCache<'f>(Option<(&'f Finding, &'static str)>);

impl<'f> NounCache<'f> {
    pub(super) fn get(&mut self, finding: &'f Finding) -> &'static str {
        match self.0 {
            Some((last, noun)) if are_of_one_page(last, finding) => noun,
            _ => {
                let noun = if is_on_page(finding) { "page" } else { "file" };
                self.0 = Some((finding, noun));
                noun
            }
        }
    }
}

/// Whether a finding is on a page: not on a style sheet, an image, a feed, a sitemap, or a
/// configuration file of the server.
fn is_on_page(finding: &Finding) -> bool {
    const NO_PAGES: [&str; 4] = ["css", "gz", "toml", "txt"];
    let file = &finding.file;
    let is_xml = Format::from_name(file).syntax() == Some(Syntax::Xml) && !Format::is_xhtml(file);
    let end = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_other = NO_PAGES.iter().any(|other| end.eq_ignore_ascii_case(other));
    !(is_xml || is_other || file.ends_with("_redirects"))
}

/// Formats the position of a finding, as compilers do: `a.html:12:3`.
pub(super) fn format_position(finding: &Finding) -> String {
    let mut position = format_path(&finding.file);
    for number in [finding.line, finding.column].into_iter().flatten() {
        position.extend([":", &number.to_string()]);
    }
    position
}

/// Formats the line of Markdown that a finding comes from: `a.md:12`.
pub(super) fn format_source_position(finding: &Finding) -> Option<String> {
    finding.source.as_ref().map(|source| format!("{}:{}", format_path(&source.file), source.line))
}

/// Describes the base URL of a finding if a `base` element or an enclosing document sets it. Any
/// other base is the URL of the page, which a report need not repeat for each finding.
pub(super) fn describe_base(finding: &Finding) -> Option<String> {
    let (base, source) = finding.base.as_deref().zip(finding.base_source)?;
    matches!(source, BaseSource::BaseElement | BaseSource::Enclosing)
        .then(|| format!("{} ({})", printable(base), source.name()))
}

/// Describes the element and attribute of a finding: `a[href]`.
pub(super) fn describe_markup(finding: &Finding) -> Option<String> {
    let element = printable(finding.element.as_deref()?);
    Some(match &finding.attribute {
        Some(attribute) => [&element, "[", &printable(attribute), "]"].concat(),
        None => element,
    })
}

/// Returns the name of a level in reports; options call a warning `warn`.
pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "note",
    }
}

/// The characters to encode in a name: all except the unreserved characters of RFC 3986.
const IN_A_NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Converts a path to a percent-encoded reference: a `file:` URL for an absolute path.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = String::new();
    for part in path.components() {
        let name = match part {
            Component::RootDir => {
                uri = format!("file://{uri}/");
                continue;
            }
            Component::CurDir => continue,
            Component::Prefix(prefix) => {
                let encode =
                    |name: &OsStr| percent_encode(name.as_encoded_bytes(), IN_A_NAME).to_string();
                uri = match prefix.kind() {
                    Prefix::Disk(drive) | Prefix::VerbatimDisk(drive) => {
                        format!("/{}:", char::from(drive))
                    }
                    Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
                        format!("{}/{}", encode(server), encode(share))
                    }
                    _ => format!("/{}", encode(prefix.as_os_str())),
                };
                continue;
            }
            Component::ParentDir | Component::Normal(_) => part.as_os_str(),
        };
        if !(uri.is_empty() || uri.ends_with('/')) {
            uri.push('/');
        }
        uri.extend(percent_encode(name.as_encoded_bytes(), IN_A_NAME));
    }
    uri
}

/// A template for the URLs of source lines, such as `https://host/o/r/blob/main/{file}#L{line}`.
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
    /// Returns the template, with `{file}` for a [`path`](Self::path) and `{line}` for a number.
    pub(super) fn template(&self) -> &str {
        &self.0
    }

    /// Percent-encodes the path of a file in a repository; `None` if it leads out of the
    /// repository.
    pub(super) fn path(file: &Path) -> Option<String> {
        let is_below = file.components().all(|part| matches!(part, Component::Normal(_)));
        Some(uri(file)).filter(|path| is_below && !path.is_empty())
    }
}

impl FromStr for SourceUrl {
    type Err = InvalidSourceUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) = text.split_once("://").ok_or(InvalidSourceUrl)?;
        let (host, path) = rest.split_once('/').ok_or(InvalidSourceUrl)?;
        let is_web = ["http", "https"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
        // A placeholder must not choose the host. A user and password would appear in every report.
        let is_host = !host.is_empty() && !host.contains(['{', '@', '?', '#', '\\']);
        let names_all = !path.replace("{file}", "").replace("{line}", "").contains(['{', '}']);
        let is_plain = text.chars().all(|c| is_harmless(c) && !c.is_whitespace());
        let is_valid = is_web && is_host && names_all && is_plain && path.contains("{file}");
        is_valid.then(|| Self(text.to_owned())).ok_or(InvalidSourceUrl)
    }
}

/// The error of a text that is no template for URLs.
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

    #[track_caller]
    fn has_uri(path: &str, expected: &str) {
        assert_eq!(uri(Path::new(path)), expected);
    }

    #[test]
    fn a_path_is_a_relative_reference() {
        has_uri("site/a.html", "site/a.html");
        has_uri("./a b#c?.html", "a%20b%23c%3F.html");
        has_uri("../\u{e9}/100%", "../%C3%A9/100%25");
        if cfg!(windows) {
            has_uri(r"C:\a b\c", "file:///C:/a%20b/c");
            has_uri(r"\\?\C:\a", "file:///C:/a");
            has_uri(r"\\server\share\a", "file://server/share/a");
            return;
        }
        has_uri("c:d/[x]", "c%3Ad/%5Bx%5D");
        has_uri("/srv/a", "file:///srv/a");
        has_uri("a//b/", "a/b");
    }

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
