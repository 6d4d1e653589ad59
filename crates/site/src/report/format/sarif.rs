//! Findings as [SARIF 2.1.0], which code hosts and editors read.
//!
//! [SARIF 2.1.0]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use absolve::BaseSource;
use serde_json::{Value, json};

use crate::report::{
    Context, FormatRow, Group, counted, escaped, group_hash, numbered, printable, view,
    worst_first, write_list,
};
use crate::{Explanation, Finding, Fix, Level, Rule, Safety, SourceLine};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The most results of a run; [GitHub][limits] refuses a file that has more.
///
/// [limits]: https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit
const MAX_RESULTS: usize = 25_000;

pub(super) const FORMAT: FormatRow =
    FormatRow { name: "sarif", summary: "SARIF 2.1.0, for code hosts", write };

fn write(findings: &[Finding], context: &Context<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut worst = worst_first(findings);
    let left_out = worst.len().saturating_sub(MAX_RESULTS);
    worst.truncate(MAX_RESULTS);
    let path = |file: &Path| context.repository_path(file);
    let prints = numbered(worst.iter().map(|group| group_hash(group.first, path)));

    writeln!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
    writeln!(out, "\"tool\":{{\"driver\":{}}},", escaped(&driver())?)?;
    writeln!(out, "\"columnKind\":\"unicodeCodePoints\",")?;
    writeln!(out, "\"invocations\":[{}],", escaped(&invocation(findings, context, left_out))?)?;
    write!(out, "\"results\":[")?;
    let results = worst.iter().zip(prints).map(|(group, print)| result(group, &print, context));
    write_list(results, out)?;
    writeln!(out, "]}}]}}")
}

/// The notes on the run as a whole.
fn invocation(findings: &[Finding], context: &Context<'_>, left_out: usize) -> Value {
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

/// The URL of the pages of the rules; a build from sources without an owner links to no page.
const REPOSITORY: Option<&str> = option_env!("ABSOLVE_REPOSITORY");

/// The tool, as the [driver] of a run.
///
/// [driver]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317529
fn driver() -> Value {
    json!({
        "name": "absolve",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": Rule::ALL.iter().copied().map(descriptor).collect::<Vec<_>>(),
    })
}

/// A rule.
fn descriptor(rule: Rule) -> Value {
    let Explanation { reason, example, fix, .. } = rule.explanation();
    // A fence longer than any run of ticks in the example.
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
        _ => view::level(level),
    }
}

/// The most locations of a result; [GitHub][limits] reads no more.
///
/// [limits]: https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support-for-code-scanning
const MAX_LOCATIONS: usize = 100;

/// The [result object](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317638)
/// of a group.
fn result(group: &Group<'_>, fingerprint: &str, context: &Context<'_>) -> Value {
    // Code hosts show the first location alone.
    let first = group.editable();
    let others = group.findings.iter().copied().filter(|other| !std::ptr::eq(*other, first));
    let listed: Vec<&Finding> = [first].into_iter().chain(others).take(MAX_LOCATIONS).collect();
    let mut text = text(first);
    if group.places() > 1 {
        let pages = counted(group.pages as u64, "page");
        text = format!("{text} ({} on {pages})", counted(group.places() as u64, "place"));
    }
    let (mut locations, mut related) = (Vec::new(), Vec::new());
    for finding in &listed {
        let page = location(finding, first, context);
        // A fix goes into the source; the page is built from it.
        let Some(SourceLine { file, line }) = &finding.source else {
            locations.push(page);
            continue;
        };
        let source = place(&context.source_path(file), json!({ "startLine": line }));
        push_new(&mut locations, json!({ "physicalLocation": source }));
        push_new(&mut related, page);
    }
    let safeties = [Safety::Safe, Safety::Unsafe].into_iter();
    let fixes: Vec<Value> =
        safeties.filter_map(|safety| fix_object(&listed, safety, context)).collect();
    present(json!({
        "ruleId": first.rule.id(),
        "ruleIndex": first.rule as usize,
        "level": level_name(first.level),
        "message": { "text": text },
        "locations": locations,
        "relatedLocations": Some(related).filter(|related| !related.is_empty()),
        "occurrenceCount": Some(group.places()).filter(|&places| places > 1),
        // GitHub's upload action computes the fingerprint that GitHub reads from the line itself,
        // and warns of any other value under that name.
        "partialFingerprints": { "absolve/finding/v2": fingerprint },
        // A report leaves out the findings that the baseline has.
        "baselineState": context.diff.map(|_| "new"),
        "fixes": Some(fixes).filter(|fixes| !fixes.is_empty()),
        "properties": properties(first),
    }))
}

/// Appends a location unless it is there: one line may have made links of many pages.
fn push_new(locations: &mut Vec<Value>, location: Value) {
    if !locations.contains(&location) {
        locations.push(location);
    }
}

/// The message of a finding, with its hint.
fn text(finding: &Finding) -> String {
    let text = message(&finding.message);
    match &finding.hint {
        Some(hint) => format!("{text}; {}", message(hint)),
        None => text,
    }
}

/// The [location object][spec] of a finding, with what differs from the first one of its result.
///
/// [spec]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317670
fn location(finding: &Finding, first: &Finding, context: &Context<'_>) -> Value {
    let mut own = properties(finding);
    let shared = properties(first);
    if let Value::Object(keys) = &mut own {
        keys.retain(|key, value| shared.get(key) != Some(value));
    }
    let text = text(finding);
    present(json!({
        "physicalLocation": place(&context.repository_path(&finding.file), region(finding)),
        "message": (text != self::text(first)).then(|| json!({ "text": text })),
        "properties": Some(own).filter(|own| *own != json!({})),
    }))
}

/// An object without the keys whose values are not known.
fn present(mut object: Value) -> Value {
    if let Value::Object(keys) = &mut object {
        keys.retain(|_, value| !value.is_null());
    }
    object
}

/// A file, and a region of it unless that is empty.
fn place(file: &Path, region: Value) -> Value {
    let region = Some(region).filter(|region| *region != json!({}));
    present(json!({ "artifactLocation": { "uri": view::uri(file) }, "region": region }))
}

/// A [fix object][spec] with all fixes of findings that are so certain; `None` if there is none.
///
/// A result with several locations is fixed by a change at each, so that they are one fix.
///
/// [spec]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317881
fn fix_object(findings: &[&Finding], safety: Safety, context: &Context<'_>) -> Option<Value> {
    let mut files: BTreeMap<&Path, BTreeMap<usize, &Fix>> = BTreeMap::new();
    let mut first = None;
    for finding in findings {
        let Some(fix) = finding.fix.as_ref().filter(|fix| fix.safety == safety) else { continue };
        first.get_or_insert(fix);
        files.entry(&finding.file).or_default().insert(fix.span.start, fix);
    }
    let mut text = format!("Write '{}'", message(&first?.reference));
    let places: usize = files.values().map(BTreeMap::len).sum();
    if places > 1 {
        text = format!("{text} or the like at {places} places");
    }
    let change = |(file, fixes): (&Path, BTreeMap<usize, &Fix>)| {
        let replacements: Vec<Value> = fixes.values().map(|fix| replacement(fix)).collect();
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

/// A replacement; the region has lines and columns for code hosts, and bytes.
fn replacement(fix: &Fix) -> Value {
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

/// The bytes of the reference, and its line and column.
fn region(finding: &Finding) -> Value {
    let end = finding.column.zip(written_width(finding)).filter(|_| finding.line.is_some());
    present(json!({
        "startLine": finding.line,
        "startColumn": finding.column.filter(|_| finding.line.is_some()),
        "endLine": finding.line.filter(|_| end.is_some()),
        "endColumn": end.map(|(column, width)| column + width),
        "byteOffset": finding.span.as_ref().map(|span| span.start),
        "byteLength": finding.span.as_ref().map(ExactSizeIterator::len),
    }))
}

/// The characters that the reference has in the source; known if it has the same bytes there, in
/// one line.
fn written_width(finding: &Finding) -> Option<u64> {
    let reference = finding.reference.as_deref()?;
    let is_as_written = finding.span.as_ref()?.len() == reference.len();
    let is_line = !reference.contains(['\n', '\r']);
    (is_as_written && is_line).then(|| reference.chars().count() as u64)
}

/// The fields that SARIF has no name for.
fn properties(finding: &Finding) -> Value {
    present(json!({
        "element": finding.element,
        "attribute": finding.attribute,
        "reference": finding.reference,
        "url": finding.url,
        "base": finding.base,
        "baseSource": finding.base_source.map(BaseSource::name),
        "target": finding.target.as_ref().map(|path| path.to_string_lossy()),
    }))
}

/// Text of a message, in which braces are [placeholders][braces] and `[text](url)` is a
/// [link][links].
///
/// [braces]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317459
/// [links]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317460
fn message(text: &str) -> String {
    // NOTE: SARIF escapes with backslashes, but readers take `\[x\](y)` for a link.
    printable(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

#[cfg(test)]
mod tests;
