//! Findings as [SARIF 2.1.0], which code hosts and editors read.
//!
//! [SARIF 2.1.0]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::audit::{Finding, Level, Rule};
use crate::report::context::Context;
use crate::report::display::{counted, printable};
use crate::report::fingerprint::Fingerprint;
use crate::report::value::{escaped, write_list};
use crate::report::view;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name of our fingerprint. The one that GitHub reads is made by its upload action
/// from the line itself, and it warns of any other value under that name.
const FINGERPRINT: &str = "absolve/finding/v1";

/// The results of a run; [GitHub][limits] takes no file that has more.
///
/// [limits]: https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
const MOST: usize = 25_000;

pub(in crate::report) fn write(
    findings: &[Finding],
    context: &Context<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    // The number of a fingerprint is that in the order of the document.
    let mut numbers: HashMap<u64, u64> = HashMap::new();
    let mut worst: Vec<(&Finding, String)> = findings
        .iter()
        .map(|finding| {
            let hash = Fingerprint::of(finding).hash();
            let number = numbers.entry(hash).or_default();
            *number += 1;
            (finding, format!("{hash:016x}:{number}"))
        })
        .collect();
    worst.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.level));
    let left_out = worst.len().saturating_sub(MOST);
    worst.truncate(MOST);

    let schema = json!(SCHEMA);
    let driver = driver();
    writeln!(out, "{{\"$schema\":{schema},\"version\":\"2.1.0\",\"runs\":[{{")?;
    writeln!(out, "\"tool\":{{\"driver\":{}}},", escaped(&driver)?)?;
    writeln!(out, "\"columnKind\":\"unicodeCodePoints\",")?;
    writeln!(out, "\"invocations\":[{}],", escaped(&invocation(findings, context, left_out))?)?;
    write!(out, "\"results\":[")?;
    let results = worst.iter().map(|(finding, fingerprint)| result(finding, fingerprint, context));
    write_list(results, out)?;
    writeln!(out, "]}}]}}")
}

/// The tool, with every rule.
fn driver() -> Map<String, Value> {
    let rules: Vec<Value> = Rule::ALL.iter().map(|&rule| describe(rule)).collect();
    object([
        ("name", json!("absolve")),
        ("version", json!(env!("CARGO_PKG_VERSION"))),
        ("semanticVersion", json!(env!("CARGO_PKG_VERSION"))),
        ("rules", json!(rules)),
    ])
}

fn describe(rule: Rule) -> Value {
    let explanation = rule.explanation();
    let (reason, example, fix) = (explanation.reason, explanation.example, explanation.fix);
    // A fence longer than any run of ticks in the example.
    let fence = "`".repeat(longest_run(example, '`').max(2) + 1);
    let problem = match rule.level() {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "recommendation",
    };
    json!({
        "id": rule.id(),
        "shortDescription": { "text": rule.summary() },
        "fullDescription": { "text": reason },
        "help": {
            "text": format!("{reason}\n\nExample:\n{example}\n\nFix: {fix}"),
            "markdown":
                format!("{reason}\n\n**Example**\n\n{fence}\n{example}\n{fence}\n\n**Fix**: {fix}"),
        },
        "defaultConfiguration": {
            "level": level(rule.level()),
            "enabled": rule.level() != Level::Off,
        },
        "properties": {
            "tags": ["links"],
            "precision": "very-high",
            "problem.severity": problem,
        },
    })
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or_default()
}

/// The notes on the run as a whole.
fn invocation(findings: &[Finding], context: &Context<'_>, left_out: usize) -> Value {
    let mut notes = vec![("note", context.summary(findings))];
    if let Some(diff) = context.diff {
        let known = counted(diff.known, "finding");
        let fixed = counted(diff.fixed_count(), "finding");
        notes.push(("note", format!("{known} left out by the baseline, {fixed} of it fixed")));
    }
    if left_out > 0 {
        let count = counted(left_out as u64, "finding");
        notes.push(("warning", format!("{count} left out, the worst are here")));
    }
    let coverage = &context.coverage;
    let missing = [coverage.not_listed(Level::Note), coverage.not_searched()];
    notes.extend(missing.into_iter().flatten().map(|text| ("warning", text)));
    let notes: Vec<Value> = notes
        .into_iter()
        .map(|(level, text)| json!({ "level": level, "message": { "text": text } }))
        .collect();
    json!({ "executionSuccessful": true, "toolExecutionNotifications": notes })
}

fn result(finding: &Finding, fingerprint: &str, context: &Context<'_>) -> Map<String, Value> {
    let mut text = message(&finding.message);
    if let Some(hint) = &finding.hint {
        text = format!("{text}; {}", message(hint));
    }
    let mut physical = object([("artifactLocation", json!({ "uri": view::uri(&finding.file) }))]);
    let region = region(finding);
    if !region.is_empty() {
        physical.insert("region".to_owned(), Value::Object(region));
    }
    let mut location = object([("physicalLocation", json!(physical))]);
    if finding.inside.is_some() {
        let name = json!([{ "fullyQualifiedName": view::page(finding) }]);
        location.insert("logicalLocations".to_owned(), name);
    }
    let index = Rule::ALL.iter().position(|&rule| rule == finding.rule);
    let mut result = object([
        ("ruleId", json!(finding.rule.id())),
        ("ruleIndex", json!(index)),
        ("level", json!(level(finding.level))),
        ("message", json!({ "text": text })),
        ("locations", json!([location])),
        ("partialFingerprints", json!({ FINGERPRINT: fingerprint })),
    ]);
    if context.diff.is_some() {
        // Known ones are in no report.
        result.insert("baselineState".to_owned(), json!("new"));
    }
    result.insert("properties".to_owned(), Value::Object(properties(finding)));
    result.retain(|_, value| !value.is_null());
    result
}

/// Where a finding is: the bytes of the reference, and its line and column.
fn region(finding: &Finding) -> Map<String, Value> {
    let mut region = Map::new();
    if !view::is_in_file(finding) {
        return region;
    }
    let mut put = |key: &str, value: Value| region.insert(key.to_owned(), value);
    if let Some(line) = finding.line {
        put("startLine", json!(line));
        if let Some(column) = finding.column {
            put("startColumn", json!(column));
            if let Some(width) = written_width(finding) {
                put("endLine", json!(line));
                put("endColumn", json!(column + width));
            }
        }
    }
    if let Some(span) = &finding.span {
        put("byteOffset", json!(span.start));
        put("byteLength", json!(span.len()));
    }
    region
}

/// The characters that the reference has in the source; known where it has the same
/// bytes there, and one line.
fn written_width(finding: &Finding) -> Option<u64> {
    let reference = finding.reference.as_deref()?;
    let is_as_written = finding.span.as_ref()?.len() == reference.len();
    let is_line = !reference.contains(['\n', '\r']);
    (is_as_written && is_line).then(|| reference.chars().count() as u64)
}

/// The fields that SARIF has no name for.
fn properties(finding: &Finding) -> Map<String, Value> {
    let target = finding.target.as_ref().map(|path| path.to_string_lossy());
    let in_document = |number: Option<u64>| number.filter(|_| !view::is_in_file(finding));
    let mut properties = object([
        ("page", json!(finding.page)),
        ("line", json!(in_document(finding.line))),
        ("column", json!(in_document(finding.column))),
        ("element", json!(finding.element)),
        ("attribute", json!(finding.attribute)),
        ("reference", json!(finding.reference)),
        ("url", json!(finding.url)),
        ("base", json!(finding.base)),
        ("baseSource", json!(finding.base_source.map(crate::base::BaseSource::name))),
        ("target", json!(target)),
    ]);
    properties.retain(|_, value| !value.is_null());
    properties
}

/// Text of a message, in which braces are [placeholders][braces] and `[text](url)` is a
/// [link][links].
///
/// [braces]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317459
/// [links]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317460
fn message(text: &str) -> String {
    // NOTE: backslashes would do by the letter, and readers take `\[x\](y)` for a link.
    printable(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Off => "none",
        _ => view::level(level),
    }
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::container::EntryId;
    use crate::container::warc::RecordPosition;

    use super::*;
    use crate::report::baseline::Baseline;
    use crate::report::format::Format;
    use crate::report::tests::{
        HOSTILE, assert_harmless, broken, finding, hostile, report, report_compared,
    };

    fn run(findings: &[Finding]) -> Value {
        let text = report(Format::Sarif, findings);
        let mut document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["version"], "2.1.0");
        document["runs"][0].take()
    }

    fn fingerprint(result: &Value) -> &Value {
        &result["partialFingerprints"]["absolve/finding/v1"]
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
    fn a_page_in_a_container_has_a_name() {
        let part = Finding { inside: Some(EntryId::Part(3)), ..broken("a.mht", "x") };
        let place = RecordPosition { offset: 12, within: 0 };
        let record = Finding { inside: Some(EntryId::Record(place)), ..broken("a.warc", "x") };
        let run = run(&[part, record]);
        let location = |at: usize| run["results"][at]["locations"][0].clone();
        let name = |at: usize| location(at)["logicalLocations"][0]["fullyQualifiedName"].clone();
        assert_eq!((name(0), name(1)), (json!("a.mht!3"), json!("a.warc!@12")));
        let physical = |at: usize| location(at)["physicalLocation"].clone();
        assert_eq!(physical(0)["artifactLocation"]["uri"], "a.mht");
        assert_eq!(
            (&physical(0)["region"]["startLine"], &physical(1)["region"]),
            (&json!(1), &json!(null))
        );
        assert_eq!(run["results"][1]["properties"]["line"], 1);
    }

    #[test]
    fn the_end_is_written_if_it_is_known() {
        let mut written_otherwise = broken("a", "x&y");
        written_otherwise.span = Some(8..15);
        assert_eq!(region(&written_otherwise).get("endColumn"), None);
        let mut lines = broken("a", "x\ny");
        assert_eq!(region(&lines).get("endColumn"), None);
        lines.reference = Some("xyz".to_owned());
        assert_eq!(region(&lines).get("endColumn"), Some(&json!(12)));
    }

    #[test]
    fn fingerprints_stay_when_lines_move() {
        let mut moved = broken("a", "x");
        moved.line = Some(99);
        moved.message = "worded anew".to_owned();
        let (old, new) = (run(&[broken("a", "x")]), run(&[moved]));
        assert_eq!(fingerprint(&old["results"][0]), fingerprint(&new["results"][0]));
        let twice = run(&[broken("a", "x"), broken("a", "x"), broken("a", "y")]);
        let prints: Vec<&str> =
            (0..3).map(|at| fingerprint(&twice["results"][at]).as_str().unwrap()).collect();
        assert_eq!(prints[0], fingerprint(&old["results"][0]));
        assert!(prints[0].ends_with(":1") && prints[1].ends_with(":2"), "{prints:?}");
        assert!(prints[2].ends_with(":1") && prints[2][..16] != prints[0][..16], "{prints:?}");
    }

    #[test]
    fn beside_a_baseline_results_are_new() {
        let mut findings = vec![broken("a", "x"), broken("a", "y")];
        let diff = Baseline::of(&findings[..1], Path::new("")).finish(
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
        let mut findings = vec![note; MOST];
        findings.push(broken("b", "x"));
        let run = run(&findings);
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), MOST);
        assert_eq!(results[0]["level"], "error");
        let note = &run["invocations"][0]["toolExecutionNotifications"][1];
        assert_eq!(note["message"]["text"], "1 finding left out, the worst are here");
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
