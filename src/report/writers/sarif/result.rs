//! The results of a SARIF report: one for each finding.

use std::path::Path;

use serde_json::{Value, json};

use super::driver::level_name;
use crate::audit::{Finding, Fix, SourceLine};
use crate::base::BaseSource;
use crate::report::context::Context;
use crate::report::display::printable;
use crate::report::view;

/// The [result object](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317638)
/// of a finding.
pub(super) fn result(finding: &Finding, fingerprint: &str, context: &Context<'_>) -> Value {
    let mut text = message(&finding.message);
    if let Some(hint) = &finding.hint {
        text = format!("{text}; {}", message(hint));
    }
    let name = |_| json!([{ "fullyQualifiedName": view::page(finding) }]);
    let location = present(json!({
        "physicalLocation": place(&context.repository_path(&finding.file), region(finding)),
        "logicalLocations": finding.inside.map(name),
    }));
    // A fix goes into the source; the page is built from it.
    let (location, related) = match &finding.source {
        Some(SourceLine { file, line }) => {
            let source = place(file, json!({ "startLine": line }));
            (json!({ "physicalLocation": source }), Some([location]))
        }
        None => (location, None),
    };
    present(json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": finding.rule as usize,
        "level": level_name(finding.level),
        "message": { "text": text },
        "locations": [location],
        "relatedLocations": related,
        // GitHub's upload action computes the fingerprint that GitHub reads from the line itself, and
        // warns of any other value under that name.
        "partialFingerprints": { "absolve/finding/v1": fingerprint },
        // A report leaves out the findings that the baseline has.
        "baselineState": context.diff.map(|_| "new"),
        "fixes": finding.fix.as_ref().map(|fix| [fix_object(finding, fix, context)]),
        "properties": properties(finding),
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

/// A [fix object][spec]; the region has lines and columns for code hosts, and bytes.
///
/// [spec]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317881
fn fix_object(finding: &Finding, fix: &Fix, context: &Context<'_>) -> Value {
    let text = format!("Write '{}' ({})", message(&fix.reference), fix.safety.name());
    let deleted = json!({
        "startLine": fix.start.0,
        "startColumn": fix.start.1,
        "endLine": fix.end.0,
        "endColumn": fix.end.1,
        "byteOffset": fix.span.start,
        "byteLength": fix.span.len(),
    });
    let inserted = json!({ "text": fix.replacement });
    json!({
        "description": { "text": text },
        "artifactChanges": [{
            "artifactLocation": { "uri": view::uri(&context.repository_path(&finding.file)) },
            "replacements": [{ "deletedRegion": deleted, "insertedContent": inserted }],
        }],
    })
}

/// The bytes of the reference, and its line and column.
pub(super) fn region(finding: &Finding) -> Value {
    if !view::is_in_file(finding) {
        return json!({});
    }
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
    let in_document = |number: Option<u64>| number.filter(|_| !view::is_in_file(finding));
    present(json!({
        "page": finding.page,
        "line": in_document(finding.line),
        "column": in_document(finding.column),
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
