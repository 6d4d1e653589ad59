//! Whether reports are well-formed, whatever is in them.

use std::collections::HashSet;

use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use serde_json::Value;

use crate::case::Checked;

/// Whether a report holds what was found, and nothing that its format does not allow.
type Check = fn(&str, &[Value]) -> Checked<()>;

/// Every format that is written to a file, and what it has to be.
pub(crate) const FORMATS: &[(&str, Check)] = &[
    ("text", text),
    ("json", json),
    ("sarif", sarif),
    ("junit", junit),
    ("github", github),
    ("gitlab", gitlab),
    ("concise", concise),
    ("markdown", markdown),
    ("html", html),
];

/// Reads JSON lines.
pub(crate) fn json_lines(report: &str) -> Checked<Vec<Value>> {
    harmless(report, "\n")?;
    report.lines().map(|line| serde_json::from_str(line).map_err(message)).collect()
}

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Checked<()> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: {found:?}, expected {expected:?}"))
}

/// Controls and marks that move the cursor, end a line or turn the direction of text.
fn harmless(report: &str, allowed: &str) -> Checked<()> {
    let is_bad = |c: &char| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() || turns) && !allowed.contains(*c)
    };
    match report.chars().find(is_bad) {
        Some(c) => Err(format!("it holds {c:?} as it is")),
        None => Ok(()),
    }
}

fn text(report: &str, _: &[Value]) -> Checked<()> {
    harmless(report, "\n")
}

fn json(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    let document: Value = serde_json::from_str(report).map_err(message)?;
    same("findings", &document["findings"], &Value::from(findings))
}

fn sarif(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    let document: Value = serde_json::from_str(report).map_err(message)?;
    same("version", &document["version"], &Value::from("2.1.0"))?;
    let results = document["runs"][0]["results"].as_array().ok_or("it has no results")?;
    let places = |result: &Value| result["occurrenceCount"].as_u64().unwrap_or(1);
    same("places", &results.iter().map(places).sum(), &(findings.len() as u64))?;
    let prints = results.iter().map(|result| result["partialFingerprints"].to_string());
    same("fingerprints", &prints.collect::<HashSet<_>>().len(), &results.len())?;
    results.iter().try_for_each(|result| in_schema("result", result))
}

/// The objects of the SARIF schema that a result has, with the properties that it uses, and the
/// object of each; `-` is any value.
const SARIF: &[(&str, &[(&str, &str)])] = &[
    (
        "result",
        &[
            ("ruleId", "-"),
            ("ruleIndex", "-"),
            ("level", "-"),
            ("message", "message"),
            ("locations", "location"),
            ("relatedLocations", "location"),
            ("occurrenceCount", "-"),
            ("partialFingerprints", "-"),
            ("baselineState", "-"),
            ("fixes", "fix"),
            ("properties", "-"),
        ],
    ),
    ("message", &[("text", "-")]),
    (
        "location",
        &[
            ("physicalLocation", "physicalLocation"),
            ("logicalLocations", "logicalLocation"),
            ("message", "message"),
            ("properties", "-"),
        ],
    ),
    ("logicalLocation", &[("fullyQualifiedName", "-")]),
    ("physicalLocation", &[("artifactLocation", "artifactLocation"), ("region", "region")]),
    ("artifactLocation", &[("uri", "-")]),
    (
        "region",
        &[
            ("startLine", "-"),
            ("startColumn", "-"),
            ("endLine", "-"),
            ("endColumn", "-"),
            ("byteOffset", "-"),
            ("byteLength", "-"),
        ],
    ),
    ("fix", &[("description", "message"), ("artifactChanges", "artifactChange")]),
    (
        "artifactChange",
        &[("artifactLocation", "artifactLocation"), ("replacements", "replacement")],
    ),
    ("replacement", &[("deletedRegion", "region"), ("insertedContent", "message")]),
];

/// Whether an object, or each of a list, has only properties of the schema, and no list is empty or
/// has an object twice.
fn in_schema(name: &str, value: &Value) -> Checked<()> {
    if let Some(list) = value.as_array() {
        let different: HashSet<_> = list.iter().map(Value::to_string).collect();
        same(name, &(different.len(), !list.is_empty()), &(list.len(), true))?;
        return list.iter().try_for_each(|one| in_schema(name, one));
    }
    let Some((_, allowed)) = SARIF.iter().find(|(object, _)| *object == name) else {
        return Ok(());
    };
    let keys = value.as_object().ok_or_else(|| format!("{name}: no object"))?;
    keys.iter().try_for_each(|(key, value)| {
        let known = allowed.iter().find(|(known, _)| known == key);
        let (_, object) = known.ok_or_else(|| format!("{name}: {key} is not in the schema"))?;
        in_schema(object, value)
    })
}

/// The elements of `junit-10.xsd` that a report has, with the attributes that it uses.
const JUNIT: &[(&[u8], &[&[u8]])] = &[
    (b"testsuites", &[b"name", b"tests", b"failures", b"errors"]),
    (b"testsuite", &[b"name", b"tests", b"failures", b"errors"]),
    (b"testcase", &[b"name", b"classname"]),
    (b"failure", &[b"type", b"message"]),
    (b"system-out", &[]),
];

/// A suite without a case is taken for a broken report, so there is one without findings.
fn junit(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    let mut reader = Reader::from_str(report);
    let mut cases = 0;
    loop {
        match reader.read_event().map_err(message)? {
            Event::Start(tag) | Event::Empty(tag) => {
                let allowed = JUNIT.iter().find(|(name, _)| *name == tag.name().as_ref());
                let (_, allowed) = allowed.ok_or("an element that the schema does not have")?;
                for attribute in tag.attributes() {
                    let key = attribute.as_ref().map_or(&b""[..], |one| one.key.as_ref());
                    if !allowed.contains(&key) {
                        return Err(format!("{}: not in the schema", key.escape_ascii()));
                    }
                    attribute
                        .map_err(message)?
                        .normalized_value(XmlVersion::Implicit1_0)
                        .map_err(message)?;
                }
                let of_unlisted = tag.attributes().flatten().any(|attribute| {
                    attribute.key.as_ref() == b"classname" && *attribute.value == *b"not listed"
                });
                cases += usize::from(tag.name().as_ref() == b"testcase" && !of_unlisted);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    same("cases", &cases, &findings.len().max(1))
}

fn github(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    same("whether there is nothing", &report.is_empty(), &findings.is_empty())?;
    match report.lines().find(|line| !line.starts_with("::")) {
        Some(line) => Err(format!("{line}: is no command")),
        None => Ok(()),
    }
}

/// The keys that GitLab requires, whose fingerprints differ.
fn gitlab(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    let document: Value = serde_json::from_str(report).map_err(message)?;
    let issues = document.as_array().ok_or("it is no array")?;
    same("issues", &issues.len(), &findings.len())?;
    let mut prints: Vec<_> =
        issues.iter().filter_map(|issue| issue["fingerprint"].as_str()).collect();
    prints.sort_unstable();
    prints.dedup();
    same("fingerprints", &prints.len(), &findings.len())?;
    let is_whole = |issue: &&Value| {
        let is_text = |key: &str| issue[key].is_string();
        let severity = issue["severity"].as_str().unwrap_or_default();
        is_text("description")
            && is_text("check_name")
            && ["info", "minor", "major"].contains(&severity)
            && issue["location"]["path"].is_string()
            && issue["location"]["lines"]["begin"].as_u64() > Some(0)
    };
    same("whole issues", &issues.iter().filter(is_whole).count(), &findings.len())
}

fn concise(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    same("lines", &report.lines().count(), &findings.len())
}

fn markdown(report: &str, _: &[Value]) -> Checked<()> {
    harmless(report, "\n")
}

fn html(report: &str, findings: &[Value]) -> Checked<()> {
    harmless(report, "\n")?;
    let scripts = report.matches("<script").count();
    if report.contains("class=\"clean\"") {
        same("scripts of a page without a table", &scripts, &0)?;
        return same("rows", &0, &findings.len());
    }
    same("scripts", &scripts, &2)?;
    let data = report.split("type=\"application/json\">").nth(1).unwrap_or_default();
    let data = data.split("</script>").next().unwrap_or_default();
    let data: Value = serde_json::from_str(data).map_err(message)?;
    let levels = data["columns"]["level"].as_array().into_iter().flatten();
    // The last level is that of fixed findings. A column ends with its last number other than 0.
    let fixed = levels.filter(|level| **level == 3).count();
    same("rows", &data["size"], &Value::from(findings.len() + fixed))
}
