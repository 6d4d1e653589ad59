//! Findings as JSON: an object a line, or one document.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use absolve::audit::Finding;
use serde_json::{Map, Value, json};

use super::report::{Context, Totals};
use crate::seen;

/// The keys of a finding, in order; `file_bytes` follows `file` where the name is not
/// Unicode.
pub(super) const KEYS: &[&str] = &[
    "rule",
    "level",
    "file",
    "line",
    "column",
    "span",
    "element",
    "attribute",
    "reference",
    "url",
    "base",
    "base_source",
    "message",
    "hint",
];

/// The keys of a finding in a container, which stand behind that of the file where they
/// are known.
pub(super) const HELD_KEYS: &[&str] = &["part", "offset", "within", "page"];

/// The keys of the numbers of a document, in order.
pub(super) const SUMMARY_KEYS: [&str; 8] =
    ["errors", "warnings", "notes", "known", "pages", "links", "unlisted", "unsearched"];

/// A finding under its keys; null is what it does not have.
pub(super) fn record(finding: &Finding) -> Map<String, Value> {
    let mut record = Map::new();
    let mut put = |key: &str, value: Value| record.insert(key.to_owned(), value);
    put("rule", json!(finding.rule.id()));
    put("level", json!(finding.level.to_string()));
    for (key, value) in file_of(finding.file.as_os_str().as_encoded_bytes()) {
        put(&key, value);
    }
    for (key, value) in seen::keys(finding.inside) {
        put(key, value);
    }
    if let Some(url) = &finding.page {
        put("page", json!(url));
    }
    put("line", json!(finding.line));
    put("column", json!(finding.column));
    put("span", json!(finding.span.as_ref().map(|span| [span.start, span.end])));
    put("element", json!(finding.element));
    put("attribute", json!(finding.attribute));
    put("reference", json!(finding.reference));
    put("url", json!(finding.url));
    put("base", json!(finding.base));
    put("base_source", json!(finding.base_source.map(absolve::BaseSource::name)));
    put("message", json!(finding.message));
    put("hint", json!(finding.hint));
    record
}

/// A name, and its bytes too where it is not Unicode.
pub(super) fn file_of(name: &[u8]) -> Vec<(String, Value)> {
    let text = String::from_utf8_lossy(name);
    let bytes = matches!(text, Cow::Owned(_)).then(|| json!(name));
    let mut entries = vec![("file".to_owned(), json!(text))];
    entries.extend(bytes.map(|bytes| ("file_bytes".to_owned(), bytes)));
    entries
}

/// JSON in which nothing moves the cursor or turns the direction of text.
pub(super) fn escaped(value: &Value) -> String {
    let text = value.to_string();
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // What is meant stands within a string, where every character may be escaped.
        if crate::output::is_harmless(c) {
            escaped.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = fmt::Write::write_fmt(&mut escaped, format_args!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

pub(super) fn write_lines(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    for finding in findings {
        writeln!(out, "{}", escaped(&Value::Object(record(finding))))?;
    }
    Ok(())
}

pub(super) fn write(
    findings: &[Finding],
    context: &Context<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"{\"findings\":[")?;
    let records = findings.iter().map(record);
    write_list(records, out)?;
    if let Some(settled) = context.settled {
        out.write_all(b"],\n\"fixed\":[")?;
        let entries = settled.fixed.iter().map(|(fingerprint, count)| {
            let mut entry = fingerprint.to_json();
            entry.insert("count".to_owned(), json!(count));
            entry
        });
        write_list(entries, out)?;
    }
    let checked = context.checked;
    let Totals { errors, warnings, notes, .. } = Totals::new(findings, checked);
    let unlisted = checked.unlisted.iter().map(|of| (of.rule.id().to_owned(), json!(of.count)));
    let unlisted: Map<String, Value> = unlisted.collect();
    let summary = json!({
        "errors": errors,
        "warnings": warnings,
        "notes": notes,
        "known": context.settled.map(|settled| settled.known),
        "pages": checked.pages,
        "links": checked.links,
        "unlisted": unlisted,
        "unsearched": checked.unsearched,
    });
    writeln!(out, "],\n\"summary\":{summary}}}")
}

/// Writes the entries of a list, each on a line.
pub(super) fn write_list(
    entries: impl Iterator<Item = Map<String, Value>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (number, entry) in entries.enumerate() {
        let before = if number == 0 { "\n" } else { ",\n" };
        write!(out, "{before}{}", escaped(&Value::Object(entry)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use absolve::audit::{Level, Rule};
    use absolve::container::EntryId;
    use absolve::container::warc::RecordPosition;

    use super::*;
    use crate::audit::baseline::Baseline;
    use crate::audit::format::Format;
    use crate::audit::sample::{
        HOSTILE, assert_harmless, broken, finding, hostile, report, report_settled,
    };

    const BROKEN: &str = "{\"rule\":\"broken-link\",\"level\":\"error\",\"file\":\"a\",\"line\":1,\
        \"column\":9,\"span\":[8,9],\"element\":\"a\",\"attribute\":\"href\",\"reference\":\"x\",\
        \"url\":\"http://h/x\",\"base\":\"http://h/\",\"base_source\":\"retrieval-url\",\
        \"message\":\"nothing is at x\",\"hint\":null}";

    #[test]
    fn a_finding_is_a_line() {
        let whole = finding(Rule::BrokenRedirect, Level::Warn, "_redirects");
        assert_eq!(
            report(Format::Jsonl, &[broken("a", "x"), whole]),
            format!(
                "{BROKEN}\n{{\"rule\":\"broken-redirect\",\"level\":\"warn\",\
                 \"file\":\"_redirects\",\"line\":null,\"column\":null,\"span\":null,\
                 \"element\":null,\"attribute\":null,\"reference\":null,\"url\":null,\
                 \"base\":null,\"base_source\":null,\"message\":\"it is wrong\",\"hint\":null}}\n"
            )
        );
        assert_eq!(report(Format::Jsonl, &[]), "");
    }

    #[test]
    fn a_document_counts_too() {
        assert_eq!(
            report(Format::Json, &[broken("a", "x")]),
            format!(
                "{{\"findings\":[\n{BROKEN}],\n\"summary\":{{\"errors\":1,\"warnings\":0,\
                 \"notes\":0,\"known\":null,\"pages\":1200,\"links\":1,\"unlisted\":{{}},\
                 \"unsearched\":0}}}}\n"
            )
        );
    }

    #[test]
    fn what_is_fixed_is_told() {
        let mut findings = vec![broken("a", "x")];
        let settled = Baseline::of(&[broken("a", "x"), broken("b", "y")], Path::new("")).settle(
            &mut findings,
            Path::new(""),
            |_| true,
        );
        assert_eq!(
            report_settled(Format::Json, &findings, Some(&settled)),
            "{\"findings\":[],\n\"fixed\":[\n{\"rule\":\"broken-link\",\"file\":\"b\",\
             \"element\":\"a\",\"attribute\":\"href\",\"reference\":\"y\",\"count\":1}],\n\
             \"summary\":{\"errors\":0,\"warnings\":0,\"notes\":0,\"known\":1,\"pages\":1200,\
             \"links\":1,\"unlisted\":{},\"unsearched\":0}}\n"
        );
    }

    #[test]
    fn the_keys_are_those_of_a_record() {
        let record = record(&broken("a", "x"));
        assert_eq!(record.keys().collect::<Vec<_>>(), KEYS);
    }

    #[test]
    fn a_place_in_a_container_has_keys_of_its_own() {
        let keys = |inside| {
            let held = Finding { inside: Some(inside), ..broken("a", "x") };
            let record = record(&held);
            let held: Vec<_> = HELD_KEYS.iter().map(|&key| record.get(key).cloned()).collect();
            held
        };
        assert_eq!(keys(EntryId::Part(3)), [Some(json!(3)), None, None, None]);
        let at = |offset, within| keys(EntryId::Record(RecordPosition { offset, within }));
        assert_eq!(at(12, 0), [None, Some(json!(12)), None, None]);
        assert_eq!(at(12, 7), [None, Some(json!(12)), Some(json!(7)), None]);
        let page = Some("http://h/".to_owned());
        let record = record(&Finding { page, ..broken("a", "x") });
        assert_eq!(record["page"], "http://h/");
    }

    #[test]
    fn hostile_texts_come_back_as_they_were() {
        let lines = report(Format::Jsonl, &[hostile()]);
        assert_harmless(&lines);
        assert_eq!(lines.lines().count(), 1);
        let value: Value = serde_json::from_str(&lines).unwrap();
        assert_eq!(value["reference"], HOSTILE);
        assert_eq!(value["message"], HOSTILE);
        #[cfg(unix)]
        {
            assert_eq!(value["file"], format!("{HOSTILE}\u{fffd}"));
            assert_eq!(value["file_bytes"], json!([HOSTILE.as_bytes(), b"\xff"].concat()));
        }
        let document = report(Format::Json, &[hostile(), hostile()]);
        assert_harmless(&document);
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["findings"][1], value);
    }
}
