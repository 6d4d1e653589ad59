//! Serializes findings as JSON objects.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use absolve::BaseSource;
use serde::Serialize;
use serde_json::{Value, json};

use crate::report::is_harmless;
use crate::{Finding, SourceLine};

/// A finding as a JSON object. A field without a value is null, except those that are skipped.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    rule: &'a str,
    level: &'a str,
    file: Cow<'a, str>,
    /// The bytes of the file's name if it is not Unicode.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<&'a [u8]>,
    line: Option<u64>,
    column: Option<u64>,
    span: Option<[usize; 2]>,
    element: Option<&'a str>,
    attribute: Option<&'a str>,
    reference: Option<&'a str>,
    url: Option<&'a str>,
    base: Option<&'a str>,
    base_source: Option<&'a str>,
    message: &'a str,
    hint: Option<&'a str>,
    fix: Option<FixRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Value>,
}

/// A fix as a JSON object.
#[derive(Serialize)]
struct FixRecord<'a> {
    span: [usize; 2],
    replacement: &'a str,
    safety: &'static str,
}

impl<'a> From<&'a Finding> for Record<'a> {
    fn from(finding: &'a Finding) -> Self {
        let (file, file_bytes) = file_name(finding.file.as_os_str().as_encoded_bytes());
        Self {
            rule: finding.rule.id(),
            level: finding.level.name(),
            file,
            file_bytes,
            line: finding.line,
            column: finding.column,
            span: finding.span.as_ref().map(|span| [span.start, span.end]),
            element: finding.element.as_deref(),
            attribute: finding.attribute.as_deref(),
            reference: finding.reference.as_deref(),
            url: finding.url.as_deref(),
            base: finding.base.as_deref(),
            base_source: finding.base_source.map(BaseSource::name),
            message: &finding.message,
            hint: finding.hint.as_deref(),
            fix: finding.fix.as_ref().map(|fix| FixRecord {
                span: [fix.span.start, fix.span.end],
                replacement: &fix.replacement,
                safety: fix.safety.name(),
            }),
            source: finding.source.as_ref().map(source_record),
        }
    }
}

fn source_record(SourceLine { file, line }: &SourceLine) -> Value {
    match file_name(file.as_os_str().as_encoded_bytes()) {
        (file, None) => json!({ "file": file, "line": line }),
        (file, bytes) => json!({ "file": file, "file_bytes": bytes, "line": line }),
    }
}

/// Converts the name of a file to text; also returns its bytes if it is not Unicode.
pub(super) fn file_name(name: &[u8]) -> (Cow<'_, str>, Option<&[u8]>) {
    let text = String::from_utf8_lossy(name);
    let bytes = matches!(text, Cow::Owned(_)).then_some(name);
    (text, bytes)
}

/// Serializes a value as JSON, and escapes invisible characters and those that control a terminal
/// or change the direction of text.
///
/// # Errors
///
/// If the value cannot be serialized as JSON, which happens for no value of a report.
pub(super) fn to_json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        // These characters occur only in strings, and a string may escape any character.
        if is_harmless(c) {
            escaped.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = fmt::Write::write_fmt(&mut escaped, format_args!("\\u{unit:04x}"));
            }
        }
    }
    Ok(escaped)
}

/// Writes the entries of a JSON array, one per line, without its brackets.
pub(super) fn write_list(
    entries: impl Iterator<Item = impl Serialize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (number, entry) in entries.enumerate() {
        let separator = if number == 0 { "\n" } else { ",\n" };
        write!(out, "{separator}{}", to_json(&entry)?)?;
    }
    Ok(())
}
