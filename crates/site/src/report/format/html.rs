//! Writes findings as one HTML page with totals, charts, and a table to search.
//!
//! The page loads nothing. Its [policy][csp] allows only its own script and style, by their hashes.
//! The texts of findings are data that the script shows as text, so no file name and no reference
//! can inject markup.
//!
//! [csp]: https://www.w3.org/TR/CSP3/

mod charts;
mod rows;

use std::collections::BTreeMap;
use std::io::{self, Write};

use absolve::url::masked;
use charts::{Bar, Folders, Trend};
use data_encoding::BASE64;
use minijinja::Environment;
use minijinja::value::Serde;
use rows::Rows;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::Finding;
use crate::report::{
    About, BaselineDiff, Context, FormatRow, Totals, printable, thousands, to_json,
};

/// The templates of the page and of a bar in it. Their names end in `.html`, so that the engine
/// escapes text.
const TEMPLATES: [(&str, &str); 2] =
    [("page.html", include_str!("html/page.html")), ("bar.html", include_str!("html/bar.html"))];

/// The template of the index page in the folder of a crawl.
const ENTRIES: &str = include_str!("html/entries.html");

const STYLE: &str = include_str!("html/page.css");
/// The script: it reads the data of the rows, shows the detail of a row, and controls the page.
const SCRIPT: &str = concat!(
    include_str!("html/table.js"),
    include_str!("html/detail.js"),
    include_str!("html/page.js")
);

/// The headings of the table's columns; a click on one sorts the table.
const COLUMNS: [&str; 5] = ["Level", "Place", "Rule", "Reference", "Message"];

/// The beginning of every page.
///
/// The links of the page lead to states of its table, so an audit must ignore them.
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
    /// The line that a page without findings shows.
    clean: Option<String>,
    tiles: Vec<Tile>,
    /// The remarks about findings that are missing from the page.
    notices: Vec<String>,
    /// The levels of the table, and the number of rows of each.
    levels: Vec<(&'static str, String)>,
    /// The number of rows that are new since the previous run, if its targets are known.
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
    let clean = is_clean.then(|| describe_clean(context));
    let page = Page {
        start: START,
        title,
        style: STYLE,
        script: SCRIPT,
        style_hash: hash_source(STYLE),
        script_hash: hash_source(SCRIPT),
        data: to_json(&rows)?.replace('<', "\\u003c"),
        about: list_facts(context),
        clean,
        tiles: list_tiles(&Totals::new(findings, coverage), context),
        notices: coverage.remarks().collect(),
        levels: rows.levels().map(|(name, count)| (name, thousands(count))).collect(),
        new: rows.count_new_rows().map(thousands),
        columns: COLUMNS,
        rules: charts::draw_rules(findings, &coverage.audited.unlisted),
        folders,
        trend: context.history.and_then(Trend::new),
    };
    render(&TEMPLATES, page, out)
}

/// Writes the index page in the folder of a crawl, which links to the pages that the crawl began
/// with. `pages` has their URLs, and references to their files.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_entries(pages: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
    render(&[("entries.html", ENTRIES)], BTreeMap::from([("pages", pages)]), out)
}

/// Renders the first of these templates; it may include the others.
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

/// Computes the hash source by which the policy of the page allows an inline style or script.
fn hash_source(text: &str) -> String {
    format!("sha256-{}", BASE64.encode(&Sha256::digest(text)))
}

/// Lists the facts about the run, by name.
fn list_facts(context: &Context<'_>) -> Vec<(&'static str, String)> {
    let About { base_url, server, revision, date } = context.about;
    let is_commit = |text: &str| text.len() >= 40 && text.bytes().all(|c| c.is_ascii_hexdigit());
    let revision = revision.map(|text| match text.get(..SHORT_COMMIT_LEN) {
        Some(short) if is_commit(text) => ("Commit", short.to_owned()),
        _ => ("Revision", printable(text)),
    });
    let base_url = base_url.map(|url| ("Base URL", printable(&masked(url))));
    let date = date.map(|date| printable(date).replace('T', " ").replace('Z', " UTC"));
    let facts = [
        Some(("Checked", context.coverage.describe_documents())),
        base_url,
        server.map(|server| ("Server", server.to_owned())),
        revision,
        date.map(|date| ("Date", date)),
        Some(("absolve", env!("CARGO_PKG_VERSION").to_owned())),
    ];
    facts.into_iter().flatten().collect()
}

/// The number of digits of a commit's hash that the page shows.
const SHORT_COMMIT_LEN: usize = 12;

/// Formats the line that a page without findings shows.
fn describe_clean(context: &Context<'_>) -> String {
    match context.diff.map_or(0, BaselineDiff::known) {
        0 => "✓ No findings".to_owned(),
        known => format!("✓ No new findings; the baseline has {}", thousands(known)),
    }
}

fn list_tiles(totals: &Totals, context: &Context<'_>) -> Vec<Tile> {
    let tile = |count: u64, name, class, href| Tile { count: thousands(count), name, class, href };
    let name = |count: u64, single, plural| if count == 1 { single } else { plural };
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
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    use crate::report::baseline::{Baseline, BaselineDiff};
    use crate::report::format::Format;
    use crate::report::groups::group_findings;
    use crate::report::history::{History, Run};
    use crate::report::tests::{
        assert_harmless, broken, finding, hostile, report, report_compared, with_source,
    };
    use crate::report::write as write_report;
    use crate::{AuditReport, Fix, Level, Rule, Safety, Unlisted};

    /// Reads the data of a page.
    fn data(page: &str) -> Value {
        let (_, data) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
        serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
    }

    /// Returns the number of a row in a column; zeros at the end of a column are omitted.
    fn number(data: &Value, column: &str, row: usize) -> u64 {
        data["columns"][column].get(row).map_or(0, |number| number.as_u64().unwrap())
    }

    /// Returns the text of a row in a column.
    fn text<'a>(data: &'a Value, column: &str, row: usize) -> &'a str {
        let number = number(data, column, row);
        data["texts"][usize::try_from(number).unwrap()].as_str().unwrap()
    }

    fn page_with(audited: &AuditReport, context: Context<'_>) -> String {
        let mut out = Vec::new();
        write_report(Format::Html, &audited.findings, &context, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_row_has_the_line_with_the_place_marked() {
        let page = report(Format::Html, &[broken("a.html", "x")]);
        let data = data(&page);
        assert_eq!(text(&data, "page", 0), "a.html");
        assert_eq!(text(&data, "reference", 0), "x");
        assert_eq!(text(&data, "file", 0), "site/x");
        assert_eq!(text(&data, "markup", 0), "a[href]");
        assert_eq!(text(&data, "excerpt", 0), "<a href=x>y</a>");
        let number = |column: &str| number(&data, column, 0);
        assert_eq!((number("start"), number("length")), (8, 1));
        assert_eq!((number("line"), number("column"), number("level")), (1, 9, 0));
        assert_eq!(data["rules"][0]["id"], "broken-link");
        assert!(page.contains("<strong>1</strong> error<"), "{page}");
        assert!(page.contains("<dt>Checked</dt> <dd>1,200 pages with 1 link</dd>"), "{page}");
    }

    #[test]
    fn a_fix_is_shown_with_the_option_that_applies_it() {
        let fixed = |safety| {
            let (replacement, reference) = ("y&amp;z".to_owned(), "y&z".to_owned());
            let (start, end) = ((1, 9), (1, 10));
            let fix = Fix { span: 8..9, start, end, replacement, reference, safety };
            Finding { fix: Some(fix), ..broken("a", "x") }
        };
        let findings = [fixed(Safety::Safe), fixed(Safety::Unsafe), broken("a", "x")];
        let data = data(&report(Format::Html, &findings));
        let shown = [0, 1, 2].map(|row| (text(&data, "fix", row), text(&data, "applied", row)));
        let expected =
            [("y&z", "(--fix writes it)"), ("y&z", "(--fix --unsafe-fixes writes it)"), ("", "")];
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_targets_are_the_groups_of_the_text_report() {
        let mut findings =
            vec![broken("a", "x"), broken("b", "x"), broken("b", "x"), broken("c", "y")];
        findings[2].rule = Rule::UnknownLink;
        findings[3].target = Some("site/y".into());
        findings.extend(["d", "e"].map(|page| finding(Rule::OrphanPage, Level::Note, page)));
        let data = data(&report(Format::Html, &findings));
        assert_eq!(data["columns"]["target"], serde_json::json!([0, 0, 1, 2, 3, 4]));
        let targets: Vec<&str> = data["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|number| {
                data["texts"][usize::try_from(number.as_u64().unwrap()).unwrap()].as_str().unwrap()
            })
            .collect();
        assert_eq!(targets[0], "site/x");
        assert_eq!(targets[3..], ["", ""]);
        assert_eq!(group_findings(&findings).len(), targets.len());
    }

    #[test]
    fn every_row_has_a_number_in_each_column() {
        let old = Baseline::from_findings(&[broken("a", "x"), broken("a", "gone")], Path::new(""));
        let mut findings =
            vec![broken("a", "x"), hostile(), finding(Rule::BadTel, Level::Warn, "b")];
        let diff = old.finish(&mut findings, Path::new(""), |_| true);
        let data = data(&report_compared(Format::Html, &findings, Some(&diff)));
        assert_eq!(data["size"], findings.len() + 1);
        for (name, column) in data["columns"].as_object().unwrap() {
            assert!((1..=findings.len() + 1).contains(&column.as_array().unwrap().len()), "{name}");
        }
        assert_eq!(number(&data, "level", 2), 3);
        assert_eq!(text(&data, "reference", 2), "gone");
    }

    #[test]
    fn the_table_has_the_whole_message() {
        let mut bad = broken("a", "../x#y");
        bad.message = "page 'x' has no anchor 'y', but 'z'".to_owned();
        let data = data(&report(Format::Html, &[bad]));
        assert_eq!(text(&data, "message", 0), "page 'x' has no anchor 'y', but 'z'");
    }

    #[test]
    fn a_row_links_to_the_line_of_its_source() {
        let findings =
            vec![broken("s/a b.html", "x"), with_source(broken("s/b", "x")), broken("/c", "x")];
        let audited = AuditReport { findings, ..AuditReport::default() };
        let template = "https://h/blob/main/{file}#L{line}".parse().unwrap();
        let context = Context::new(&audited).source_url(Some(&template));
        let context = context.repository(Path::new("s"), Path::new("build/s"));
        let data =
            data(&page_with(&audited, context.sources(Path::new("docs"), Path::new("text"))));
        assert_eq!(data["sourceUrl"], template.template());
        let link = |row: usize| (text(&data, "link", row), number(&data, "linkLine", row));
        let expected = [("build/s/a%20b.html", 1), ("text/a%2Cb.md", 7), ("", 0)];
        assert_eq!([0, 1, 2].map(link), expected);
        assert_eq!(text(&data, "source", 1), "docs/a,b.md:7");
    }

    #[test]
    fn what_the_run_before_did_not_have_is_new() {
        let old = AuditReport { findings: vec![broken("a", "x")], ..AuditReport::default() };
        let mut other = broken("a", "y");
        other.target = Some("site/y".into());
        let findings = vec![broken("b", "x"), other];
        let audited = AuditReport { findings, ..AuditReport::default() };
        let page = |runs: &[&AuditReport]| {
            let mut history = History::default();
            for run in runs {
                history.push(Run::new("", run, None));
            }
            page_with(&audited, Context::new(&audited).history(Some(&history)))
        };
        let compared = page(&[&old, &audited]);
        assert_eq!(data(&compared)["newTargets"], serde_json::json!([1]));
        assert!(compared.contains("only new since the last run (1)"), "{compared}");
        let unlisted = vec![Unlisted { rule: Rule::BrokenLink, level: Level::Error, count: 5 }];
        let incomplete = AuditReport { unlisted, ..AuditReport::default() };
        for runs in [&[][..], &[&audited], &[&incomplete, &audited]] {
            let page = page(runs);
            assert!(data(&page)["newTargets"].is_null() && !page.contains("id=\"new\""), "{page}");
        }
    }

    #[test]
    fn the_head_says_what_was_checked() {
        let audited = AuditReport { findings: vec![broken("a", "x")], ..AuditReport::default() };
        let head = |about: About<'_>| {
            let page = page_with(&audited, Context::new(&audited).about(about));
            page.split_once("<dl class=\"about\">")
                .unwrap()
                .1
                .split_once("</dl>")
                .unwrap()
                .0
                .to_owned()
        };
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let about = About {
            base_url: Some("https://u:p@h/"),
            server: Some("netlify"),
            revision: Some(commit),
            date: Some("2026-01-31T12:00:00Z"),
        };
        let text = head(about).replace("&#x2f;", "/");
        for fact in [
            "<dt>Base URL</dt> <dd>https://***@h/<",
            "<dt>Server</dt> <dd>netlify<",
            "<dt>Commit</dt> <dd>0123456789ab<",
            "<dt>Date</dt> <dd>2026-01-31 12:00:00 UTC<",
            concat!("<dt>absolve</dt> <dd>", env!("CARGO_PKG_VERSION"), "<"),
        ] {
            assert!(text.contains(fact), "{fact}: {text}");
        }
        let revision = head(About { revision: Some("v1 <b>\u{202e}"), ..About::default() });
        assert!(revision.contains("<dt>Revision</dt> <dd>v1 &lt;b&gt;\\u{202e}<"), "{revision}");
        assert!(!revision.contains("Date") && !revision.contains("Server"), "{revision}");
    }

    #[test]
    fn a_page_without_findings_has_one_line() {
        let audited = AuditReport { pages: 3, links: 4, ..AuditReport::default() };
        let page = page_with(&audited, Context::new(&audited));
        assert!(page.contains("<p class=\"clean\">✓ No findings</p>"), "{page}");
        assert!(!page.contains("<script") && !page.contains("class=\"tiles\""), "{page}");
    }

    #[test]
    fn texts_are_kept_once() {
        let findings: Vec<Finding> =
            (0..1000).map(|number| broken(&format!("a/{}", number / 100), "x")).collect();
        let page = report(Format::Html, &findings);
        let per_finding = (page.len() - report(Format::Html, &[]).len()) / 1000;
        assert!(per_finding < 100, "{per_finding}");
    }

    #[test]
    fn only_its_own_script_and_style_may_run() {
        let page = report(Format::Html, &[hostile()]);
        let policy = page.replace("&#x2f;", "/");
        let between = |start: &str, end: &str| {
            let rest = page.rsplit_once(start).unwrap().1;
            rest.split_once(end).unwrap().0
        };
        for (kind, text) in [
            ("script", between("<script>", "</script>")),
            ("style", between("<style>", "</style>")),
        ] {
            assert!(policy.contains(&format!("{kind}-src '{}'", hash_source(text))), "{kind}");
        }
        assert_eq!(hash_source(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert!(page.contains("default-src 'none'"), "{page}");
        // Nothing else is loaded or run: no attribute of an event, no style, no other element.
        assert_eq!(page.matches("<script").count(), 2);
        for bad in [" style=\"", " onclick", " src=", "url(", "@import", "http-equiv=\"refresh"] {
            assert!(!page.contains(bad), "{bad}");
        }
    }

    #[test]
    fn hostile_texts_are_data() {
        let findings = [hostile(), broken("a", "</script><img src=x onerror=alert(1)>")];
        let audited = AuditReport { findings: findings.to_vec(), ..AuditReport::default() };
        let mut history = History::default();
        for _ in 0..2 {
            history.push(Run::new("</table><script>\u{202e}", &audited, None));
        }
        let site = "\"><script>alert(1)</script>\u{202e}";
        let page =
            page_with(&audited, Context::new(&audited).site(Some(site)).history(Some(&history)));
        assert_harmless(&page);
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("<img"), "{page}");
        assert_eq!(text(&data(&page), "reference", 1), "</script><img src=x onerror=alert(1)>");
    }

    #[test]
    fn what_is_new_fixed_and_not_listed_is_said() {
        let unlisted = vec![Unlisted { rule: Rule::BrokenLink, level: Level::Error, count: 5 }];
        let audited =
            AuditReport { unlisted, findings: vec![broken("a", "x")], ..AuditReport::default() };
        let page = page_with(&audited, Context::new(&audited));
        assert!(page.contains("not listed: 5 broken-link; raise --limit findings"), "{page}");
        assert!(page.contains("<strong>6</strong> errors"), "{page}");
        assert!(!page.contains("baseline</"), "{page}");
        let none = BaselineDiff::default();
        let page = page_with(&audited, Context::new(&audited).baseline(Some(&none)));
        assert!(page.contains("<strong>6</strong> new since the baseline"), "{page}");
        assert!(page.contains("<strong>0</strong> fixed since the baseline"), "{page}");
    }

    #[test]
    fn an_audit_ignores_the_page() {
        let page = report(Format::Html, &[broken("a", "x")]);
        assert!(
            page.starts_with(START) && START.contains("<html lang=\"en\" data-absolve-ignore>")
        );
        assert!(page.ends_with("</script>\n</html>\n") || page.ends_with("</script>\n</html>"));
    }

    #[test]
    fn the_script_is_short() {
        assert!(SCRIPT.lines().count() <= 500, "{}", SCRIPT.lines().count());
    }

    #[test]
    fn urls_are_text() {
        let mut page = Vec::new();
        write_entries(&[("http://h/<b>".to_owned(), "h/a%22.html".to_owned())], &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.contains("<li><a href=\"h&#x2f;a%22.html\">http:&#x2f;&#x2f;h&#x2f;&lt;b&gt;</a>"),
            "{page}"
        );
    }
}
