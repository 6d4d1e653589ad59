//! Findings as one page that shows them in a browser: totals, charts, and a table to search.
//!
//! The page loads nothing. Its [policy][csp] allows the script and the style that are in it, by
//! their hashes, and nothing else. The texts of findings are data that the script shows as text:
//! no name of a file and no reference is ever markup.
//!
//! [csp]: https://www.w3.org/TR/CSP3/

mod charts;
mod rows;
mod trend;

use std::collections::BTreeMap;
use std::io::{self, Write};

use absolve::url::masked;
use charts::{Bar, Folders};
use data_encoding::BASE64;
use minijinja::Environment;
use minijinja::value::Serde;
use rows::Rows;
use serde::Serialize;
use sha2::{Digest, Sha256};
use trend::Trend;

use crate::Finding;
use crate::report::{
    About, BaselineDiff, Context, FormatRow, Totals, escaped, printable, thousands,
};

/// The template of the page and of a bar in it. Their names end in `.html`, so that text is
/// escaped.
const TEMPLATES: [(&str, &str); 2] =
    [("page.html", include_str!("html/page.html")), ("bar.html", include_str!("html/bar.html"))];

/// The template of the page that a folder of a crawl begins with.
const ENTRIES: &str = include_str!("html/entries.html");

const STYLE: &str = include_str!("html/page.css");
/// The data of the rows, the detail of a row, and the page that shows them.
const SCRIPT: &str = concat!(
    include_str!("html/table.js"),
    include_str!("html/detail.js"),
    include_str!("html/page.js")
);

/// The columns of the table, which sort it.
const COLUMNS: [&str; 5] = ["Level", "Place", "Rule", "Reference", "Message"];

/// The beginning of every page.
///
/// The links of the page are states of its table, so that an audit has to ignore them.
const START: &str = "<!DOCTYPE html>\n<html lang=\"en\" \
    data-absolve-ignore>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"absolve audit\">\n";

/// The values of the template `page.html`; each field is text unless its comment says otherwise.
#[derive(Serialize)]
struct Page {
    start: &'static str,
    title: String,
    style: &'static str,
    script: &'static str,
    style_hash: String,
    script_hash: String,
    /// JSON in which no character opens a tag.
    data: String,
    /// The facts about the run, by name.
    about: Vec<(&'static str, String)>,
    /// The line of a page without findings.
    clean: Option<String>,
    tiles: Vec<Tile>,
    /// The remarks about findings that are missing from the page.
    notices: Vec<String>,
    /// The levels of the table, and how many rows each has.
    levels: Vec<(&'static str, String)>,
    /// The rows that are new since the run before, if that is known.
    new: Option<String>,
    columns: [&'static str; 5],
    rules: Vec<Bar>,
    folders: Folders,
    trend: Option<Trend>,
}

/// A number at the top of the page.
#[derive(Serialize)]
struct Tile {
    count: String,
    name: &'static str,
    class: &'static str,
    /// The state of the table that shows these findings.
    href: Option<&'static str>,
}

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "html", summary: "A page with charts and a table to search", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let coverage = context.coverage;
    let folders = Folders::new(findings);
    let rows = Rows::new(findings, &folders.common, context);
    let title = match context.site {
        Some(site) => format!("Links of {}", printable(site)),
        None => "Audit of links".to_owned(),
    };
    let is_clean = rows.are_empty() && coverage.audited.unlisted.is_empty();
    let clean = is_clean.then(|| clean(context));
    let page = Page {
        start: START,
        title,
        style: STYLE,
        script: SCRIPT,
        style_hash: hash(STYLE),
        script_hash: hash(SCRIPT),
        data: escaped(&rows)?.replace('<', "\\u003c"),
        about: about(context),
        clean,
        tiles: tiles(&Totals::new(findings, coverage), context),
        notices: coverage.remarks().collect(),
        levels: rows.levels().map(|(name, count)| (name, thousands(count))).collect(),
        new: rows.new_rows().map(thousands),
        columns: COLUMNS,
        rules: charts::by_rule(findings, &coverage.audited.unlisted),
        folders,
        trend: context.history.and_then(Trend::new),
    };
    render(&TEMPLATES, page, out)
}

/// Writes a page of links to the pages that a crawl began with, as the first one of its folder:
/// their URLs, and references to them.
///
/// # Errors
///
/// If writing fails.
pub fn write_entries(pages: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
    render(&[("entries.html", ENTRIES)], BTreeMap::from([("pages", pages)]), out)
}

/// Fills the first of some templates.
fn render(
    templates: &[(&'static str, &'static str)],
    values: impl Serialize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut environment = Environment::new();
    for (name, text) in templates {
        environment.add_template(name, text).map_err(io::Error::other)?;
    }
    let template = environment.get_template(templates[0].0).map_err(io::Error::other)?;
    template.render_captured_to(Serde(values), out).map(drop).map_err(io::Error::other)
}

/// The source expression that allows this text as an inline style or script.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
}

/// The facts about the run, by name.
fn about(context: &Context<'_>) -> Vec<(&'static str, String)> {
    let About { base_url, server, revision, date } = context.about;
    let is_commit = |text: &str| text.len() >= 40 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let revision = revision.map(|text| match text.get(..COMMIT) {
        Some(short) if is_commit(text) => ("Commit", short.to_owned()),
        _ => ("Revision", printable(text)),
    });
    let base_url = base_url.map(|url| ("Base URL", printable(&masked(url))));
    let date = date.map(|date| printable(date).replace('T', " ").replace('Z', " UTC"));
    let facts = [
        Some(("Checked", context.coverage.text())),
        base_url,
        server.map(|server| ("Server", server.to_owned())),
        revision,
        date.map(|date| ("Date", date)),
        Some(("absolve", env!("CARGO_PKG_VERSION").to_owned())),
    ];
    facts.into_iter().flatten().collect()
}

/// The digits of a commit that name it.
const COMMIT: usize = 12;

/// The line of a page without findings.
fn clean(context: &Context<'_>) -> String {
    match context.diff.map_or(0, BaselineDiff::known) {
        0 => "✓ No findings".to_owned(),
        known => format!("✓ No new findings; the baseline has {}", thousands(known)),
    }
}

fn tiles(totals: &Totals, context: &Context<'_>) -> Vec<Tile> {
    let tile = |count: u64, name, class, href| Tile { count: thousands(count), name, class, href };
    let name = |count: u64, one, many| if count == 1 { one } else { many };
    let Totals { errors, warnings, notes, .. } = *totals;
    let error = name(errors, "error", "errors");
    let warning = name(warnings, "warning", "warnings");
    let mut tiles = vec![
        tile(errors, error, "error", Some("#level=error&group=target")),
        tile(warnings, warning, "warning", Some("#level=warning&group=target")),
        tile(notes, name(notes, "note", "notes"), "note", Some("#level=note&group=target")),
    ];
    if let Some(diff) = context.diff {
        let (fixed, known) = (diff.fixed_count(), diff.known());
        tiles.push(tile(errors + warnings + notes, "new since the baseline", "new", None));
        tiles.push(tile(
            fixed,
            "fixed since the baseline",
            "fixed",
            Some("#level=fixed&group=none"),
        ));
        tiles.push(tile(known, "known to the baseline, not listed", "known", None));
    }
    tiles
}

#[cfg(test)]
mod tests;
