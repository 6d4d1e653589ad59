//! Findings as SARIF, read back.

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
    assert_eq!(region(&written_otherwise).get("endColumn"), None);
    let mut lines = broken("a", "x\ny");
    assert_eq!(region(&lines).get("endColumn"), None);
    lines.reference = Some("xyz".to_owned());
    assert_eq!(region(&lines)["endColumn"], 12);
}

#[test]
fn fingerprints_stay_when_places_come_and_go() {
    let mut moved = broken("b", "x");
    moved.line = Some(99);
    moved.message = "worded anew".to_owned();
    let prints = |findings: &[Finding]| {
        let run = run(findings);
        let results = run["results"].as_array().unwrap();
        results.iter().map(|one| fingerprint(one).as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let old = prints(&[moved.clone()]);
    // The hash is the same for ever.
    assert_eq!(old, ["5b7c60e5f2294e1f:1"]);
    assert_eq!(prints(&[broken("a", "../x"), moved.clone(), broken("c", "x")]), old);
    let mut other = broken("a", "y");
    other.target = Some("site/y".into());
    let two = prints(&[other, moved.clone()]);
    assert!(two[1] == old[0] && two[0] != old[0], "{two:?}");
    // A target may have findings of two levels, of which the worse comes first.
    moved.level = Level::Note;
    assert_eq!(prints(&[moved, broken("c", "x")])[1][16..], *":2");
    let alone = |file| finding(Rule::OrphanPage, Level::Note, file);
    assert_ne!(prints(&[alone("a")]), prints(&[alone("b")]));
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
fn a_result_has_so_many_places() {
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
    let found = |file: &str, at: usize, safety| {
        let (replacement, reference) = ("y&amp;z".to_owned(), "y&z".to_owned());
        let (start, end) = ((1, at as u64), (1, at as u64 + 1));
        let fix = Fix { span: at..at + 1, start, end, replacement, reference, safety };
        Finding { fix: Some(fix), ..broken(file, "x") }
    };
    let one = run(&[found("a", 8, Safety::Safe)]);
    let of = |run: &Value| run["results"][0]["fixes"].clone();
    assert_eq!(of(&one)[0]["description"]["text"], "Write 'y&z' (safe)");
    let findings = [
        found("a", 8, Safety::Safe),
        found("a", 8, Safety::Safe),
        found("a", 20, Safety::Safe),
        broken("b", "x"),
        found("c", 8, Safety::Safe),
        found("d", 8, Safety::Unsafe),
    ];
    let fixes = of(&run(&findings));
    let text = |at: usize| fixes[at]["description"]["text"].as_str().unwrap().to_owned();
    assert_eq!(text(0), "Write 'y&z' or the like at 3 places (safe)");
    assert_eq!(text(1), "Write 'y&z' (unsafe)");
    let changes = fixes[0]["artifactChanges"].as_array().unwrap();
    let places = changes.iter().map(|change| {
        let replacements = change["replacements"].as_array().unwrap();
        let start = |one: &Value| one["deletedRegion"]["byteOffset"].as_u64().unwrap();
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
        let uri = |one: &Value| one["physicalLocation"]["artifactLocation"]["uri"].clone();
        locations.iter().map(uri).collect::<Vec<_>>()
    };
    assert_eq!(uris("locations"), ["docs/a%2Cb.md", "a"]);
    assert_eq!(uris("relatedLocations"), ["b", "c"]);
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
