//! Findings as JSON objects.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::display::{is_harmless, place_keys};
use crate::audit::Finding;
use crate::base::BaseSource;

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

/// The keys of a finding in a container, which follow that of the file if they are
/// known.
pub(super) const CONTAINER_KEYS: &[&str] = &["part", "offset", "within", "page"];

/// The keys of the numbers of a document, in order.
pub(super) const SUMMARY_KEYS: [&str; 8] =
    ["errors", "warnings", "notes", "known", "pages", "links", "unlisted", "unsearched"];

/// A finding as an object; a field without a value is null.
pub(super) fn record(finding: &Finding) -> Map<String, Value> {
    let mut record = Map::new();
    let mut put = |key: &str, value: Value| record.insert(key.to_owned(), value);
    put("rule", json!(finding.rule.id()));
    put("level", json!(finding.level.to_string()));
    for (key, value) in file_of(finding.file.as_os_str().as_encoded_bytes()) {
        put(&key, value);
    }
    for (key, value) in place_keys(finding.inside) {
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
    put("base_source", json!(finding.base_source.map(BaseSource::name)));
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
        // These characters occur in strings alone, where every character may be escaped.
        if is_harmless(c) {
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
