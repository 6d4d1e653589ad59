//! What the reports have in common: their order, names and numbers.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Component, Path};

use absolve::audit::{Finding, Level, Unlisted};
use absolve::container::Inside;
use absolve::url::{MASK, masked, masked_base, masked_with_names};
use encoding_rs::Encoding;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use super::baseline::Settled;
use super::format::Format;
use super::{github, json, junit, markdown, sarif, text, tsv};
pub(super) use crate::numbers::counted;
use crate::numbers::thousands;
use crate::output::printable;
use crate::rewrite::Colour;
use crate::seen::inside;

/// What a report tells besides the findings.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Whether the text report is coloured.
    pub(crate) colour: Colour,
    /// The bytes of a file of a finding, for an excerpt.
    pub(crate) source: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    /// The encoding of files that do not say theirs.
    pub(crate) encoding: Option<&'static Encoding>,
    /// The lowest level that fails the audit; none where nothing does.
    pub(crate) fail_on: Option<Level>,
    /// What was looked at.
    pub(crate) checked: Checked<'a>,
    /// What a baseline made of the findings, where there is one.
    pub(crate) settled: Option<&'a Settled>,
    /// What the text report prints.
    pub(crate) detail: Detail,
}

/// How much the text report prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All findings, and a summary.
    Full,
    /// Errors alone.
    Errors,
}

/// What an audit looked at.
#[derive(Clone, Copy)]
pub(crate) struct Checked<'a> {
    /// The pages.
    pub(crate) pages: u64,
    /// Their links.
    pub(crate) links: u64,
    /// Findings that were counted and not listed.
    pub(crate) unlisted: &'a [Unlisted],
    /// Targets for which no near name was searched.
    pub(crate) unsearched: u64,
}

impl Checked<'_> {
    /// How many findings of at least this level are not listed, by rule.
    pub(super) fn not_listed(&self, least: Level) -> Option<String> {
        let of_level = self.unlisted.iter().filter(|unlisted| unlisted.level >= least);
        let rules: Vec<String> = of_level
            .map(|Unlisted { rule, count, .. }| format!("{} {}", thousands(*count), rule.id()))
            .collect();
        (!rules.is_empty()).then(|| {
            let rules = rules.join(", ");
            format!("not listed: {rules}; raise --max-findings or --max-findings-size to list them")
        })
    }

    /// How many hints are missing.
    pub(super) fn not_searched(&self) -> Option<String> {
        let targets = counted(self.unsearched, "broken target");
        (self.unsearched > 0)
            .then(|| format!("no similar names searched for {targets}: too many of them"))
    }

    /// The highest level of what is not listed.
    pub(super) fn worst_unlisted(&self) -> Option<Level> {
        self.unlisted.iter().map(|unlisted| unlisted.level).max()
    }
}

/// Writes findings, which are in the order of [`Finding::order`].
pub(crate) fn write(
    format: Format,
    findings: &[Finding],
    context: &Context<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => text::write(findings, context, out),
        Format::Jsonl => json::write_lines(findings, out),
        Format::Json => json::write(findings, context, out),
        Format::Sarif => sarif::write(findings, context, out),
        Format::Junit => junit::write(findings, context, out),
        Format::Github => github::write(findings, context, out),
        Format::Markdown => markdown::write(findings, context, out),
        Format::Tsv => tsv::write(findings, out),
    }
}

/// The findings of each level, and the pages that they are on.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) errors: u64,
    pub(super) warnings: u64,
    pub(super) notes: u64,
    pub(super) pages: usize,
}

impl Totals {
    /// Those of all findings; the pages are those of what is listed.
    pub(super) fn new(findings: &[Finding], checked: Checked<'_>) -> Self {
        let mut totals = Self::default();
        let listed = findings.iter().map(|finding| (finding.level, 1));
        let unlisted = checked.unlisted.iter().map(|unlisted| (unlisted.level, unlisted.count));
        for (level, count) in listed.chain(unlisted) {
            match level {
                Level::Error => totals.errors += count,
                Level::Warn => totals.warnings += count,
                _ => totals.notes += count,
            }
        }
        totals.pages = findings.chunk_by(are_of_one_page).count();
        totals
    }
}

/// What a report says of findings and pages in one line.
pub(super) fn summary(findings: &[Finding], checked: Checked<'_>) -> String {
    let totals = Totals::new(findings, checked);
    let kinds = [("error", totals.errors), ("warning", totals.warnings), ("note", totals.notes)];
    let kinds: Vec<String> = kinds
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(name, count)| counted(count, name))
        .collect();
    let found = if kinds.is_empty() {
        "no findings".to_owned()
    } else if !checked.unlisted.is_empty() {
        // On how many pages the others are is not known.
        format!("{}, {} listed", kinds.join(", "), thousands(findings.len() as u64))
    } else {
        format!("{} on {}", kinds.join(", "), counted(totals.pages as u64, "page"))
    };
    let (pages, links) = (counted(checked.pages, "page"), counted(checked.links, "link"));
    format!("{found}; checked {pages} with {links}")
}

/// A file as people are shown it.
pub(super) fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// The page of a finding: a file, or what is in one, as `page.mhtml!3`.
pub(super) fn page(finding: &Finding) -> String {
    inside(&shown(&finding.file), finding.inside)
}

/// Whether findings are of the same page.
pub(super) fn are_of_one_page(one: &Finding, other: &Finding) -> bool {
    one.file == other.file && one.inside == other.inside
}

/// Whether line, column and span of a finding count in its file, and not in a document
/// that cannot be seen there.
pub(super) fn is_in_file(finding: &Finding) -> bool {
    !matches!(finding.inside, Some(Inside::Record(_)))
}

/// The first place of a finding as compilers show it: `a.html:12:3`.
pub(super) fn place(finding: &Finding) -> String {
    let mut place = page(finding);
    for number in [finding.line, finding.column].into_iter().flatten() {
        place.extend([":", &number.to_string()]);
    }
    place
}

/// The level in words.
pub(super) fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "note",
    }
}

/// Masks user and password in every text of a finding, before any report and any baseline
/// sees it.
pub(super) fn mask(finding: &mut Finding) {
    let is_base = finding.element.as_deref() == Some("base");
    let Finding { reference, url, base, page, target, message, hint, .. } = finding;
    if let (true, Some(href)) = (is_base, &mut *reference) {
        *href = masked_base(href).into_owned();
    }
    let has_password = reference.as_deref().is_some_and(|one| masked(one) != one);
    let mask: fn(&str) -> Cow<'_, str> = if has_password { masked_with_names } else { masked };
    let texts = [reference, url, base, page, hint].into_iter().flatten().chain([message]);
    for text in texts {
        if let Cow::Owned(masked) = mask(text) {
            *text = masked;
        }
    }
    if let Some(path) = target
        && let Some(Cow::Owned(masked)) = path.to_str().map(mask)
    {
        *path = masked.into();
    }
}

/// The reference, where its source may show a password that it does not.
pub(super) fn masked_reference(finding: &Finding) -> Option<&str> {
    finding.reference.as_deref().filter(|reference| reference.contains(MASK))
}

/// What RFC 3986 reserves nowhere in a path.
const IN_A_NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A path as a reference that is relative where the path is, percent-encoded.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = String::new();
    for part in path.components() {
        let name = match part {
            Component::RootDir => {
                uri = format!("file://{}{uri}", if uri.is_empty() { "" } else { "/" });
                uri.push('/');
                continue;
            }
            Component::CurDir => continue,
            Component::Prefix(prefix) => prefix.as_os_str(),
            Component::ParentDir | Component::Normal(_) => part.as_os_str(),
        };
        if !(uri.is_empty() || uri.ends_with('/')) {
            uri.push('/');
        }
        uri.extend(percent_encode(name.as_encoded_bytes(), IN_A_NAME));
    }
    uri
}

#[cfg(test)]
mod tests {
    use absolve::audit::Rule;

    use super::*;
    use crate::audit::sample::{broken, finding};

    #[track_caller]
    fn has_uri(path: &str, expected: &str) {
        assert_eq!(uri(Path::new(path)), expected);
    }

    #[test]
    fn a_path_is_a_relative_reference() {
        has_uri("site/a.html", "site/a.html");
        has_uri("./a b#c?.html", "a%20b%23c%3F.html");
        has_uri("../\u{e9}/100%", "../%C3%A9/100%25");
        has_uri("c:d/[x]", "c%3Ad/%5Bx%5D");
        has_uri("/srv/a", "file:///srv/a");
        has_uri("a//b/", "a/b");
    }

    #[test]
    fn a_place_in_a_container_stands_behind_its_name() {
        let mut bad = broken("a.mhtml", "x");
        bad.inside = Some(Inside::Part(3));
        assert_eq!((page(&bad), place(&bad)), ("a.mhtml!3".into(), "a.mhtml!3:1:9".into()));
    }

    #[test]
    fn the_summary_counts() {
        let checked = Checked { pages: 1, links: 1_234_567, unlisted: &[], unsearched: 0 };
        let warning = finding(Rule::BadTel, Level::Warn, "b");
        let findings = [broken("a", "x"), broken("a", "x"), warning];
        assert_eq!(
            summary(&findings, checked),
            "2 errors, 1 warning on 2 pages; checked 1 page with 1,234,567 links"
        );
        assert_eq!(summary(&[], checked), "no findings; checked 1 page with 1,234,567 links");
        let unlisted = &[
            Unlisted { rule: Rule::BrokenLink, level: Level::Error, count: 1998 },
            Unlisted { rule: Rule::BadTel, level: Level::Warn, count: 1 },
        ];
        let checked = Checked { unlisted, unsearched: 1, ..checked };
        assert_eq!(
            summary(&findings, checked),
            "2,000 errors, 2 warnings, 3 listed; checked 1 page with 1,234,567 links"
        );
        assert_eq!(
            checked.not_listed(Level::Error).as_deref(),
            Some(
                "not listed: 1,998 broken-link; raise --max-findings or --max-findings-size to \
                 list them"
            )
        );
    }

    #[test]
    fn a_mask_is_on_every_text() {
        let secret = || Some("http://u:p@h/".to_owned());
        let mut finding = Finding {
            reference: secret(),
            url: secret(),
            base: secret(),
            page: secret(),
            hint: secret(),
            message: "it redirects to 'http://u:p@h/'".to_owned(),
            ..broken("a", "x")
        };
        mask(&mut finding);
        let debug = format!("{finding:?}");
        assert!(!debug.contains("u:p"), "{debug}");
        assert_eq!(debug.matches("http://***@h/").count(), 6, "{debug}");
    }
}
