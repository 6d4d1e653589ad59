//! Findings as a case has them, and as the command reports them.

use serde_json::Value;

use crate::case::{Checked, escaped, unescaped};

/// The names of the levels and rules in a line, and the keys that may follow it.
const KEYS: &[&str] =
    &["element", "attribute", "url", "base", "base_source", "message", "hint", "span"];

/// A finding that is expected: a line `LEVEL RULE FILE:LINE:COLUMN REFERENCE`.
///
/// The place lacks its null parts; a null reference is `-`, an empty one `""`. A space in the name
/// of the file is `\x20`. The lines after it that begin with two spaces are `KEY: VALUE` of the
/// finding in JSON: `message` and `hint` have to contain the value, the others have to be equal,
/// and `-` is null.
#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) line: String,
    more: Vec<(String, String)>,
}

impl Expected {
    /// Reads the findings of a case.
    pub(crate) fn read(lines: &[String]) -> Checked<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for line in lines {
            let Some(more) = line.strip_prefix("  ") else {
                all.push(Self { line: normalised(line)?, more: Vec::new() });
                continue;
            };
            let wrong = || format!("{line}: expected KEY: VALUE of the finding above");
            let (key, value) = more.split_once(": ").ok_or_else(wrong)?;
            let last = all.last_mut().filter(|_| KEYS.contains(&key)).ok_or_else(wrong)?;
            last.more.push((key.to_owned(), value.to_owned()));
        }
        Ok(all)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.line.starts_with("error ")
    }

    /// The id of its rule.
    pub(crate) fn rule(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    /// Lists the members of a finding that differ from the lines after the first.
    pub(crate) fn differences(&self, found: &Value) -> Vec<String> {
        let differs = |(key, value): &&(String, String)| {
            let found = &found[key.as_str()];
            match (key.as_str(), found) {
                (_, Value::Null) => value != "-",
                ("message" | "hint", found) => !found.as_str().unwrap_or("").contains(value),
                ("span", found) => format!("{}-{}", found[0], found[1]) != *value,
                (_, found) => escaped(found.as_str().unwrap_or("").as_bytes()) != *value,
            }
        };
        let message = |(key, value): &(String, String)| {
            format!("  {key}: {value}\n    is {}", found[key.as_str()])
        };
        self.more.iter().filter(differs).map(message).collect()
    }
}

/// A line with every text escaped in one way.
fn normalised(line: &str) -> Checked<String> {
    let wrong = || format!("{line}: expected LEVEL RULE FILE:LINE:COLUMN REFERENCE");
    let mut parts = line.splitn(4, ' ');
    let mut part = || parts.next().ok_or_else(wrong);
    let (level, rule, place, reference) = (part()?, part()?, part()?, part()?);
    let place = escaped(&unescaped(place)?).replace(' ', "\\x20");
    let reference = match reference {
        "-" | "\"\"" => reference.to_owned(),
        written => escaped(&unescaped(written)?),
    };
    Ok(format!("{level} {rule} {place} {reference}"))
}

/// A finding in JSON as such a line.
pub(crate) fn line(finding: &Value) -> String {
    let mut place = escaped(&file_of(finding)).replace(' ', "\\x20");
    for key in ["line", "column"] {
        if !finding[key].is_null() {
            place = format!("{place}:{}", finding[key]);
        }
    }
    let reference = match finding["reference"].as_str() {
        None => "-".to_owned(),
        Some("") => "\"\"".to_owned(),
        Some(reference) => escaped(reference.as_bytes()),
    };
    let text = |key: &str| finding[key].as_str().unwrap_or("?").to_owned();
    format!("{} {} {place} {reference}", text("level"), text("rule"))
}

/// The bytes of the name of a finding's file.
pub(crate) fn file_of(finding: &Value) -> Vec<u8> {
    let byte = |value: &Value| value.as_u64().and_then(|byte| u8::try_from(byte).ok());
    match finding["file_bytes"].as_array() {
        Some(bytes) => bytes.iter().filter_map(byte).collect(),
        None => finding["file"].as_str().unwrap_or("").as_bytes().to_vec(),
    }
}
