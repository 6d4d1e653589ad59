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

use std::io::{self, Write};

use data_encoding::BASE64;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::audit::Finding;
use crate::report::context::Context;
use crate::report::coverage::Totals;
use crate::report::display::{printable, thousands};
use crate::report::value::escaped;
use charts::{Bar, Folders};
use rows::Rows;
use trend::Trend;

/// The template of the page and of a bar in it. Their names end in `.html`, so that text is escaped.
const TEMPLATES: [(&str, &str); 2] =
    [("page.html", include_str!("html/page.html")), ("bar.html", include_str!("html/bar.html"))];

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// What every page begins with.
///
/// The links of the page are states of its table, so that an audit has to ignore them.
pub(in crate::report) const START: &str = "<!DOCTYPE html>\n<html lang=\"en\" \
    data-absolve-ignore>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"absolve audit\">\n";

/// What the template `page.html` is filled with; each field is text unless that says otherwise.
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
    checked: String,
    tiles: Vec<Tile>,
    /// What is missing from the page.
    notices: Vec<String>,
    /// The levels of the table, and how many rows each has.
    levels: Vec<(&'static str, String)>,
    rules: Vec<Bar>,
    folders: Folders,
    trend: Option<Trend>,
    version: &'static str,
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

pub(in crate::report) fn write(
    findings: &[Finding],
    context: &Context<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let coverage = context.coverage;
    let folders = Folders::new(findings);
    let rows = Rows::new(findings, &folders.common, context);
    let title = match context.site {
        Some(site) => format!("Links of {}", printable(site)),
        None => "Audit of links".to_owned(),
    };
    let page = Page {
        start: START,
        title,
        style: STYLE,
        script: SCRIPT,
        style_hash: hash(STYLE),
        script_hash: hash(SCRIPT),
        data: escaped(&rows)?.replace('<', "\\u003c"),
        checked: format!("{} checked", coverage.text()),
        tiles: tiles(&Totals::new(findings, coverage), context),
        notices: coverage.remarks().collect(),
        levels: rows.levels().map(|(name, count)| (name, thousands(count))).collect(),
        rules: charts::by_rule(findings, &coverage.audited.unlisted),
        folders,
        trend: context.history.and_then(Trend::new),
        version: env!("CARGO_PKG_VERSION"),
    };
    let mut templates = Environment::new();
    for (name, text) in TEMPLATES {
        templates.add_template(name, text).map_err(io::Error::other)?;
    }
    let template = templates.get_template(TEMPLATES[0].0).map_err(io::Error::other)?;
    let filled = template.render_captured_to(Serde(page), out);
    filled.map(drop).map_err(io::Error::other)
}

/// The source expression that allows this text as an inline style or script.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
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
