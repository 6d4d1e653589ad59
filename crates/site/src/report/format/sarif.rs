//! Writes findings as [SARIF 2.1.0], which code hosts and editors read.
//!
//! [SARIF 2.1.0]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use absolve::BaseSource;
use serde_json::{Value, json};

use crate::report::{
    Context, FormatRow, Group, counted, group_hash, group_worst_first, number_hashes, printable,
    to_json, view, write_list,
};
use crate::{Explanation, Finding, Fix, Level, Rule, Safety, SourceLine};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Maximum results of a run; [GitHub][limits] refuses a file with more.
///
/// [limits]: https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
const MAX_RESULTS: usize = 25_000;

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "sarif", summary: "SARIF 2.1.0, for code hosts", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut worst = group_worst_first(findings);
    let left_out = worst.len().saturating_sub(MAX_RESULTS);
    worst.truncate(MAX_RESULTS);
    let path = |file: &Path| context.repository_path(file);
    let fingerprints = number_hashes(worst.iter().map(|group| group_hash(group.first, path)));

    writeln!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
    writeln!(out, "\"tool\":{{\"driver\":{}}},", to_json(&describe_tool())?)?;
    writeln!(out, "\"columnKind\":\"unicodeCodePoints\",")?;
    writeln!(
        out,
        "\"invocations\":[{}],",
        to_json(&describe_invocation(findings, context, left_out))?
    )?;
    write!(out, "\"results\":[")?;
    let results = worst
        .iter()
        .zip(fingerprints)
        .map(|(group, fingerprint)| describe_result(group, &fingerprint, context));
    write_list(results, out)?;
    writeln!(out, "]}}]}}")
}

/// Describes the run as an invocation object, with notes on the run as a whole.
fn describe_invocation(findings: &[Finding], context: &Context<'_>, left_out: usize) -> Value {
    let mut notes = vec![("note", context.summary(findings))];
    if let Some(diff) = context.diff {
        notes.push(("note", diff.summary()));
    }
    if left_out > 0 {
        let count = counted(left_out as u64, "result");
        notes.push(("warning", format!("{count} left out, the worst are here")));
    }
    let coverage = &context.coverage;
    notes.extend(coverage.remarks().map(|text| ("warning", text)));
    let notes = notes.into_iter();
    let notes = notes.map(|(level, text)| json!({ "level": level, "message": { "text": text } }));
    json!({
        "executionSuccessful": true,
        "toolExecutionNotifications": notes.collect::<Vec<_>>(),
    })
}

/// The URL of the repository with the pages of the rules. A build without it links to no page.
const REPOSITORY: Option<&str> = option_env!("ABSOLVE_REPOSITORY");

/// Describes the tool as the [driver] of a run.
///
/// [driver]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317529
fn describe_tool() -> Value {
    json!({
        "name": "absolve",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Rule::ALL.iter().copied().map(describe_rule).collect::<Vec<_>>(),
    })
}

fn describe_rule(rule: Rule) -> Value {
    let Explanation { reason, example, fix, .. } = rule.explanation();
    // The fence must be longer than any run of backticks in the example.
    let longest = example.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let severity = match rule.level() {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "recommendation",
    };
    let markdown =
        format!("{reason}\n\n**Example**\n\n{fence}\n{example}\n{fence}\n\n**Fix**: {fix}");
    let mut descriptor = json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.summary() },
        "fullDescription": { "text": reason },
        "help": {
            "text": format!("{reason}\n\nExample:\n{example}\n\nFix: {fix}"),
            "markdown": markdown,
        },
        "defaultConfiguration": {
            "level": level_name(rule.level()),
            "enabled": rule.level() != Level::Off,
        },
        "properties": {
            "tags": ["links"],
            "precision": "very-high",
            "problem.severity": severity,
        },
    });
    if let Some(repository) = REPOSITORY {
        descriptor["helpUri"] = format!("{repository}/blob/main/docs/rules/{rule}.md").into();
    }
    descriptor
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Off => "none",
        _ => view::level_name(level),
    }
}

/// Maximum locations of a result; [GitHub][limits] ignores further ones.
///
/// [limits]: https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning
const MAX_LOCATIONS: usize = 100;

/// Describes a group as a
/// [result object](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317638).
fn describe_result(group: &Group<'_>, fingerprint: &str, context: &Context<'_>) -> Value {
    // Code hosts show only the first location, so it is one that an author can edit.
    let first = group.editable();
    let others = group.findings.iter().copied().filter(|other| !std::ptr::eq(*other, first));
    let listed: Vec<&Finding> = [first].into_iter().chain(others).take(MAX_LOCATIONS).collect();
    let mut text = describe_message(first);
    if group.finding_count() > 1 {
        let pages = counted(group.pages as u64, "page");
        text = format!("{text} ({} on {pages})", counted(group.finding_count() as u64, "place"));
    }
    let (mut locations, mut related) = (Vec::new(), Vec::new());
    for finding in &listed {
        let page = describe_location(finding, first, context);
        // Authors edit the Markdown, from which the page is built, so the page is only related.
        let Some(SourceLine { file, line }) = &finding.source else {
            locations.push(page);
            continue;
        };
        let source = physical_location(&context.source_path(file), json!({ "startLine": line }));
        push_unique(&mut locations, json!({ "physicalLocation": source }));
        push_unique(&mut related, page);
    }
    let safeties = [Safety::Safe, Safety::Unsafe].into_iter();
    let fixes: Vec<Value> =
        safeties.filter_map(|safety| describe_fixes(&listed, safety, context)).collect();
    drop_nulls(json!({
        "ruleId": first.rule.id(),
        "ruleIndex": first.rule as usize,
        "level": level_name(first.level),
        "message": { "text": text },
        "locations": locations,
        "relatedLocations": Some(related).filter(|related| !related.is_empty()),
        "occurrenceCount": Some(group.finding_count()).filter(|&places| places > 1),
        // GitHub reads a fingerprint under another name, which its upload action computes from the
        // line. The action warns of any other value under that name.
        "partialFingerprints": { "absolve/finding/v2": fingerprint },
        // The findings that the baseline has are not in the report.
        "baselineState": context.diff.map(|_| "new"),
        "fixes": Some(fixes).filter(|fixes| !fixes.is_empty()),
        "properties": describe_properties(first),
    }))
}

/// Appends a location unless the list has it: many pages may share a line of Markdown.
fn push_unique(locations: &mut Vec<Value>, location: Value) {
    if !locations.contains(&location) {
        locations.push(location);
    }
}

/// Formats the message of a finding, with its hint.
fn describe_message(finding: &Finding) -> String {
    let text = escape_message(&finding.message);
    match &finding.hint {
        Some(hint) => format!("{text}; {}", escape_message(hint)),
        None => text,
    }
}

/// Describes a finding as a [location object][spec], without the properties that `first` has too.
///
/// [spec]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317670
fn describe_location(finding: &Finding, first: &Finding, context: &Context<'_>) -> Value {
    let mut differing = describe_properties(finding);
    let shared = describe_properties(first);
    if let Value::Object(keys) = &mut differing {
        keys.retain(|key, value| shared.get(key) != Some(value));
    }
    let text = describe_message(finding);
    drop_nulls(json!({
        "physicalLocation": physical_location(&context.repository_path(&finding.file), describe_region(finding)),
        "message": (text != describe_message(first)).then(|| json!({ "text": text })),
        "properties": Some(differing).filter(|keys| *keys != json!({})),
    }))
}

/// Removes the keys of an object whose values are null.
fn drop_nulls(mut object: Value) -> Value {
    if let Value::Object(keys) = &mut object {
        keys.retain(|_, value| !value.is_null());
    }
    object
}

/// Describes a file and, unless it is empty, a region in it as a physical location.
fn physical_location(file: &Path, region: Value) -> Value {
    let region = Some(region).filter(|region| *region != json!({}));
    drop_nulls(json!({ "artifactLocation": { "uri": view::uri(file) }, "region": region }))
}

/// Describes all fixes of this safety as one [fix object][spec]; `None` if there are none.
///
/// A result is fixed only if every location is changed, so the changes are one fix.
///
/// [spec]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317881
fn describe_fixes(findings: &[&Finding], safety: Safety, context: &Context<'_>) -> Option<Value> {
    let mut files: BTreeMap<&Path, BTreeMap<usize, &Fix>> = BTreeMap::new();
    let mut first = None;
    for finding in findings {
        let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety == safety) else { continue };
        first.get_or_insert(fix);
        files.entry(&finding.file).or_default().insert(fix.span.start, fix);
    }
    let mut text = format!("Write '{}'", escape_message(&first?.reference));
    let changes: usize = files.values().map(BTreeMap::len).sum();
    if changes > 1 {
        text = format!("{text} or the like at {changes} places");
    }
    let change = |(file, fixes): (&Path, BTreeMap<usize, &Fix>)| {
        let replacements: Vec<Value> =
            fixes.values().map(|fix| describe_replacement(fix)).collect();
        json!({
            "artifactLocation": { "uri": view::uri(&context.repository_path(file)) },
            "replacements": replacements,
        })
    };
    Some(json!({
        "description": { "text": format!("{text} ({})", safety.name()) },
        "artifactChanges": files.into_iter().map(change).collect::<Vec<_>>(),
    }))
}

/// Describes a replacement. Its region has lines and columns, which code hosts need, and bytes.
fn describe_replacement(fix: &Fix) -> Value {
    let deleted = json!({
        "startLine": fix.start.0,
        "startColumn": fix.start.1,
        "endLine": fix.end.0,
        "endColumn": fix.end.1,
        "byteOffset": fix.span.start,
        "byteLength": fix.span.len(),
    });
    json!({ "deletedRegion": deleted, "insertedContent": { "text": fix.replacement } })
}

/// Describes the region of a finding's reference, by line and column and by bytes.
fn describe_region(finding: &Finding) -> Value {
    let end = finding.column.zip(written_width(finding)).filter(|_| finding.line.is_some());
    drop_nulls(json!({
        "startLine": finding.line,
        "startColumn": finding.column.filter(|_| finding.line.is_some()),
        "endLine": finding.line.filter(|_| end.is_some()),
        "endColumn": end.map(|(column, width)| column + width),
        "byteOffset": finding.span.as_ref().map(|span| span.start),
        "byteLength": finding.span.as_ref().map(ExactSizeIterator::len),
    }))
}

/// Counts the characters of the reference in the source. Returns `None` if the source may spell it
/// differently, which a different length shows, or if it has several lines.
fn written_width(finding: &Finding) -> Option<u64> {
    let reference = finding.reference.as_deref()?;
    let is_as_written = finding.span.as_ref()?.len() == reference.len();
    let is_line = !reference.contains(['\n', '\r']);
    (is_as_written && is_line).then(|| reference.chars().count() as u64)
}

/// Describes the fields of a finding for which SARIF has no name.
fn describe_properties(finding: &Finding) -> Value {
    drop_nulls(json!({
        "element": finding.element,
        "attribute": finding.attribute,
        "reference": finding.reference,
        "url": finding.url,
        "base": finding.base,
        "baseSource": finding.base_source.map(BaseSource::name),
        "target": finding.target.as_ref().map(|path| path.to_string_lossy()),
    }))
}

/// Escapes the text of a message, in which braces are [placeholders][braces] and `[text](url)` is a
/// [link][links].
///
/// [braces]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317459
/// [links]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317460
fn escape_message(text: &str) -> String {
    // NOTE: SARIF escapes with backslashes, but readers take `\[x\](y)` for a link.
    printable(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    use crate::report::baseline::Baseline;
    use crate::report::format::Format;
    use crate::report::tests::{
        HOSTILE, assert_harmless, broken, finding, hostile, report, report_compared, with_source,
    };
    use crate::{Fix, Level, Rule, Safety};

    fn run(findings: &[Finding]) -> Value {
        let text = report(Format::Sarif, findings);
        let mut document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["version"], "2.1.0");
        document["runs"][0].take()
    }

    fn fingerprint(result: &Value) -> &Value {
        &result["partialFingerprints"]["absolve/finding/v2"]
    }

    #[test]
    fn a_finding_is_a_result() {
        let mut bad = broken("site/a b.html", "x\u{e9}");
        bad.hint = Some("did you mean y?".to_owned());
        let run = run(&[bad]);
        let mut result = run["results"][0].clone();
        result.as_object_mut().unwrap().remove("partialFingerprints");
        assert_eq!(
            result,
            json!({
                "ruleId": "broken-link",
                "ruleIndex": 0,
                "level": "error",
                "message": { "text": "nothing is at x; did you mean y?" },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": "site/a%20b.html" },
                    "region": {
                        "startLine": 1, "startColumn": 9, "endLine": 1, "endColumn": 11,
                        "byteOffset": 8, "byteLength": 3,
                    },
                } }],
                "properties": {
                    "element": "a",
                    "attribute": "href",
                    "reference": "x\u{e9}",
                    "url": "http://h/x",
                    "base": "http://h/",
                    "baseSource": "retrieval-url",
                    "target": "site/x",
                },
            })
        );
        assert_eq!(run["columnKind"], "unicodeCodePoints");
    }

    #[test]
    fn a_source_is_the_location_and_its_page_is_related() {
        let mut other = broken("b", "y");
        other.target = Some("site/y".into());
        let run = run(&[with_source(broken("site/a.html", "x")), other]);
        let location = |of: &str| &run["results"][0][of][0]["physicalLocation"];
        assert_eq!(
            *location("locations"),
            json!({ "artifactLocation": { "uri": "docs/a%2Cb.md" }, "region": { "startLine": 7 } })
        );
        let page = location("relatedLocations");
        assert_eq!(page["artifactLocation"]["uri"], "site/a.html");
        assert_eq!(page["region"]["startColumn"], 9);
        assert_eq!(run["results"][1].get("relatedLocations"), None);
    }

    #[test]
    fn every_rule_is_described() {
        let run = run(&[]);
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), Rule::ALL.len());
        for (described, rule) in rules.iter().zip(Rule::ALL) {
            assert_eq!(described["id"], rule.id());
            assert!(described["help"]["text"].as_str().unwrap().contains("Fix: "));
        }
        assert_eq!(run["results"], json!([]));
    }

    #[test]
    fn a_result_without_a_place_has_no_region() {
        let run = run(&[finding(Rule::LegacyEncoding, Level::Note, "a")]);
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(*place, json!({ "artifactLocation": { "uri": "a" } }));
    }

    #[test]
    fn the_end_is_written_if_it_is_known() {
        let mut written_otherwise = broken("a", "x&y");
        written_otherwise.span = Some(8..15);
        assert_eq!(describe_region(&written_otherwise).get("endColumn"), None);
        let mut lines = broken("a", "x\ny");
        assert_eq!(describe_region(&lines).get("endColumn"), None);
        lines.reference = Some("xyz".to_owned());
        assert_eq!(describe_region(&lines)["endColumn"], 12);
    }

    #[test]
    fn fingerprints_stay_when_places_come_and_go() {
        let mut moved = broken("b", "x");
        moved.line = Some(99);
        moved.message = "worded anew".to_owned();
        let fingerprints = |findings: &[Finding]| {
            let run = run(findings);
            let results = run["results"].as_array().unwrap();
            results
                .iter()
                .map(|result| fingerprint(result).as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        let old = fingerprints(&[moved.clone()]);
        // The hash is the same for ever.
        assert_eq!(old, ["5b7c60e5f2294e1f:1"]);
        assert_eq!(fingerprints(&[broken("a", "../x"), moved.clone(), broken("c", "x")]), old);
        let mut other = broken("a", "y");
        other.target = Some("site/y".into());
        let two = fingerprints(&[other, moved.clone()]);
        assert!(two[1] == old[0] && two[0] != old[0], "{two:?}");
        // A target may have findings of two levels, of which the worse comes first.
        moved.level = Level::Note;
        assert_eq!(fingerprints(&[moved, broken("c", "x")])[1][16..], *":2");
        let alone = |file| finding(Rule::OrphanPage, Level::Note, file);
        assert_ne!(fingerprints(&[alone("a")]), fingerprints(&[alone("b")]));
    }

    #[test]
    fn a_target_is_one_result_with_its_places() {
        let mut other = broken("b/c.html", "../x#y");
        other.message = "nothing is at x#y".to_owned();
        let run = run(&[broken("a.html", "x"), other]);
        assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
        let result = &run["results"][0];
        assert_eq!(result["message"]["text"], "nothing is at x (2 places on 2 pages)");
        assert_eq!(result["occurrenceCount"], 2);
        let second = json!({
            "physicalLocation": {
                "artifactLocation": { "uri": "b/c.html" },
                "region": {
                    "startLine": 1, "startColumn": 9, "endLine": 1, "endColumn": 15,
                    "byteOffset": 8, "byteLength": 6,
                },
            },
            "message": { "text": "nothing is at x#y" },
            "properties": { "reference": "../x#y" },
        });
        assert_eq!(result["locations"][1], second);
        assert!(result["locations"][0].get("properties").is_none());
    }

    #[test]
    fn a_result_has_a_maximum_of_places() {
        let pages: Vec<Finding> =
            (0..=MAX_LOCATIONS).map(|page| broken(&format!("{page:03}"), "x")).collect();
        let run = run(&pages);
        let result = &run["results"][0];
        assert_eq!(result["locations"].as_array().map(Vec::len), Some(MAX_LOCATIONS));
        assert_eq!(result["occurrenceCount"], 101);
        assert_eq!(result["message"]["text"], "nothing is at x (101 places on 101 pages)");
    }

    #[test]
    fn each_place_with_a_fix_is_changed() {
        let fixable = |file: &str, at: usize, safety| {
            let (replacement, reference) = ("y&amp;z".to_owned(), "y&z".to_owned());
            let (start, end) = ((1, at as u64), (1, at as u64 + 1));
            let fix = Fix { span: at..at + 1, start, end, replacement, reference, safety };
            Finding { fix: Some(fix), ..broken(file, "x") }
        };
        let single = run(&[fixable("a", 8, Safety::Safe)]);
        let fixes_of = |run: &Value| run["results"][0]["fixes"].clone();
        assert_eq!(fixes_of(&single)[0]["description"]["text"], "Write 'y&z' (safe)");
        let findings = [
            fixable("a", 8, Safety::Safe),
            fixable("a", 8, Safety::Safe),
            fixable("a", 20, Safety::Safe),
            broken("b", "x"),
            fixable("c", 8, Safety::Safe),
            fixable("d", 8, Safety::Unsafe),
        ];
        let fixes = fixes_of(&run(&findings));
        let text = |at: usize| fixes[at]["description"]["text"].as_str().unwrap().to_owned();
        assert_eq!(text(0), "Write 'y&z' or the like at 3 places (safe)");
        assert_eq!(text(1), "Write 'y&z' (unsafe)");
        let changes = fixes[0]["artifactChanges"].as_array().unwrap();
        let places = changes.iter().map(|change| {
            let replacements = change["replacements"].as_array().unwrap();
            let start = |change: &Value| change["deletedRegion"]["byteOffset"].as_u64().unwrap();
            (change["artifactLocation"]["uri"].clone(), replacements.iter().map(start).collect())
        });
        let expected: [(Value, Vec<u64>); 2] = [(json!("a"), vec![8, 20]), (json!("c"), vec![8])];
        assert_eq!(places.collect::<Vec<_>>(), expected);
        assert_eq!(fixes.as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn places_with_a_source_come_first_and_once() {
        let source = |file| with_source(broken(file, "x"));
        let run = run(&[broken("a", "x"), source("b"), source("c")]);
        let uris = |of: &str| {
            let locations = run["results"][0][of].as_array().unwrap();
            let uri = |place: &Value| place["physicalLocation"]["artifactLocation"]["uri"].clone();
            locations.iter().map(uri).collect::<Vec<_>>()
        };
        assert_eq!(uris("locations"), ["docs/a%2Cb.md", "a"]);
        assert_eq!(uris("relatedLocations"), ["b", "c"]);
    }

    #[test]
    fn beside_a_baseline_results_are_new() {
        let mut findings = vec![broken("a", "x"), broken("a", "y")];
        let diff = Baseline::from_findings(&findings[..1], Path::new("")).finish(
            &mut findings,
            Path::new(""),
            |_| true,
        );
        let text = report_compared(Format::Sarif, &findings, Some(&diff));
        let document: Value = serde_json::from_str(&text).unwrap();
        let run = &document["runs"][0];
        assert_eq!(run["results"].as_array().map(Vec::len), Some(1));
        assert_eq!(run["results"][0]["baselineState"], "new");
        let note = &run["invocations"][0]["toolExecutionNotifications"][1]["message"]["text"];
        assert_eq!(*note, "1 finding left out by the baseline, 0 findings of it fixed");
    }

    #[test]
    fn the_worst_are_kept() {
        let note = finding(Rule::EmptyReference, Level::Note, "a");
        let mut findings = vec![note; MAX_RESULTS];
        findings.push(broken("b", "x"));
        let run = run(&findings);
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), MAX_RESULTS);
        assert_eq!(results[0]["level"], "error");
        let note = &run["invocations"][0]["toolExecutionNotifications"][1];
        assert_eq!(note["message"]["text"], "1 result left out, the worst are here");
    }

    #[test]
    fn hostile_texts_are_no_links_and_no_placeholders() {
        let text = report(Format::Sarif, &[hostile()]);
        assert_harmless(&text);
        let run = run(&[hostile()]);
        let result = &run["results"][0];
        assert_eq!(result["properties"]["reference"], HOSTILE);
        let message = result["message"]["text"].as_str().unwrap();
        assert!(message.contains("[x] (javascript:1) {{0}} ${{{{ x }}}}"), "{message}");
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        let uri = uri.as_str().unwrap();
        assert!(uri.starts_with("%3Da%0Ab%0D%09%1B%5B31m%E2%80%AE"), "{uri}");
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "%-._~/".contains(c);
        assert!(uri.chars().all(is_plain), "{uri}");
    }
}
