//! Findings as SARIF, read back.

use std::path::Path;

use serde_json::{Value, json};

use super::result::region;
use super::*;
use crate::audit::{Level, Rule};
use crate::container::EntryId;
use crate::container::warc::RecordPosition;
use crate::report::baseline::Baseline;
use crate::report::format::Format;
use crate::report::tests::{
    HOSTILE, assert_harmless, broken, finding, hostile, report, report_compared, with_source,
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
fn a_source_is_the_location_and_its_page_is_related() {
    let run = run(&[with_source(broken("site/a.html", "x")), broken("b", "y")]);
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
    assert_eq!(region(&lines)["endColumn"], 12);
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
    let diff =
        Baseline::of(&findings[..1], Path::new("")).finish(&mut findings, Path::new(""), |_| true);
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
