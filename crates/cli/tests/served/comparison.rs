//! Compares the audit's verdict on a site's links with the answers of a server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::case::Checked;
use crate::deployment::{Deployment, Part, Place, Printed};
use crate::nginx::Nginx;

/// Response for a visitor who follows a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The file.
    Served,
    /// The file, after a redirect to the same path with a slash.
    ServedAfterSlash,
    /// No listing of a folder, also after such a redirect.
    Forbidden,
    /// No file.
    Missing,
    /// The server does not take the request for one.
    Refused,
}

/// A rule about where a link leads.
struct Row {
    rule: &'static str,
    /// Possible responses to such a link.
    outcomes: &'static [Outcome],
    /// A case that has such a link.
    case: &'static str,
}

const fn row(rule: &'static str, outcomes: &'static [Outcome], case: &'static str) -> Row {
    Row { rule, outcomes, case }
}

/// All other findings are about links that are served. Of two findings about a link, the rule of
/// the first row counts.
const ROWS: &[Row] = &[
    row("broken-link", &[Outcome::Missing, Outcome::Refused], "broken-link"),
    // Of a page that redirects by `meta`.
    row("broken-redirect", &[Outcome::Missing], "broken-refresh"),
    row("broken-form-action", &[Outcome::Missing, Outcome::Forbidden], "broken-form-action"),
    // The page may lack the anchor only.
    row("unknown-link", &[Outcome::Missing, Outcome::Forbidden, Outcome::Served], "unknown-link"),
    // The page may be served and redirect by `meta`.
    row(
        "broken-canonical",
        &[Outcome::Missing, Outcome::ServedAfterSlash, Outcome::Served],
        "broken-canonical",
    ),
    row("broken-hreflang", &[Outcome::Missing], "broken-hreflang"),
    row("bad-percent", &[Outcome::Refused], "bad-percent"),
    row("missing-prefix", &[Outcome::Missing], "missing-prefix"),
    row("missing-scheme", &[Outcome::Missing], "missing-scheme"),
    row("directory-without-index", &[Outcome::Forbidden], "directory-without-index"),
    row("missing-trailing-slash", &[Outcome::ServedAfterSlash], "missing-trailing-slash"),
];

/// The answers of a server: each status, with the path that it redirects to.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answers(Vec<(u16, Option<String>)>);

/// A path answers a redirect with another path; the end is near where that is the slash.
const MAX_REDIRECTS: usize = 3;

impl Answers {
    fn request(nginx: &Nginx, host: &str, path: &str) -> Checked<Self> {
        let mut answers = vec![nginx.head(host, path)?];
        while let [.., (300..400, Some(location))] = &answers[..]
            && answers.len() <= MAX_REDIRECTS
        {
            answers.push(nginx.head(host, location)?);
        }
        Ok(Self(answers))
    }

    /// `None` for what no static server answers.
    fn outcome(&self, path: &str) -> Option<Outcome> {
        let (file, query) = path.split_once('?').map_or((path, None), |(a, b)| (a, Some(b)));
        let with_slash = format!("{file}/{}", query.map(|q| format!("?{q}")).unwrap_or_default());
        match &self.0[..] {
            [(200, _)] => Some(Outcome::Served),
            [(404, _)] => Some(Outcome::Missing),
            [(400, _)] => Some(Outcome::Refused),
            [(403, _)] => Some(Outcome::Forbidden),
            [(301, Some(to)), (200, _)] if *to == with_slash => Some(Outcome::ServedAfterSlash),
            [(301, Some(to)), (403, _)] if *to == with_slash => Some(Outcome::Forbidden),
            _ => None,
        }
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (status, location)) in self.0.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{status}")?;
            if let Some(location) = location {
                write!(f, " {location}")?;
            }
        }
        Ok(())
    }
}

/// Result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// A line for each difference: the rule or `-`, the place, the reference, and the answers or
    /// `external`.
    pub(crate) differences: BTreeSet<String>,
    /// How many links each rule was found about, and how many are served without any.
    pub(crate) compared: BTreeMap<&'static str, usize>,
}

/// Compares all links of a site, and findings about links that are in no page, such as those of
/// style sheets.
pub(crate) fn compare(site: &Deployment, nginx: &Nginx) -> Checked<Comparison> {
    let mut comparison = Comparison::default();
    for (place, (url, row)) in links(site)? {
        let rule = row.map_or("-", |row| row.rule);
        let expected = row.map_or(&[Outcome::Served][..], |row| row.outcomes);
        let answers = match site.path_of(&url) {
            Some((_, Part::Host)) if row.is_none() => continue,
            Some((path, _)) => {
                let answers = Answers::request(nginx, &site.name, &path)?;
                let outcome = answers.outcome(&path);
                *comparison.compared.entry(rule).or_default() += 1;
                (!outcome.is_some_and(|found| expected.contains(&found)))
                    .then(|| answers.to_string())
            }
            None => row.map(|_| "external".to_owned()),
        };
        if let Some(answers) = answers {
            let Place { file, line, column, reference } = &place;
            let difference = format!("{rule} {file}:{line}:{column} {reference:?} {answers}");
            comparison.differences.insert(difference);
        }
    }
    Ok(comparison)
}

/// The URL of each link, and the row of the finding about it.
fn links(site: &Deployment) -> Checked<BTreeMap<Place, (String, Option<&'static Row>)>> {
    let mut links = BTreeMap::new();
    for link in site.links()? {
        if link.element != "base" {
            links.insert(link.place, (link.url, None));
        }
    }
    let findings = site.findings()?;
    for row in ROWS.iter().rev() {
        for finding in findings.iter().filter(|finding| finding.rule.as_deref() == Some(row.rule)) {
            let Printed { place, element, url, .. } = finding;
            let is_of_a_page = !matches!(&**element, "" | "loc" | "sitemap" | "icon");
            if is_of_a_page && !links.contains_key(place) {
                return Err(format!("{} about no link: {place:?}", row.rule));
            }
            links.entry(place.clone()).or_insert_with(|| (url.clone(), None)).1 = Some(row);
        }
    }
    Ok(links)
}

/// The rules that are compared, each with a case that has links of it.
pub(crate) fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROWS.iter().map(|row| (row.rule, row.case))
}
