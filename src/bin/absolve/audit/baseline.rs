//! Findings that were there before: only new ones count.
//!
//! A baseline is JSON lines, one a fingerprint with the number of findings that have
//! it. A report in JSON is one too: each of its findings counts once.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use absolve::audit::Finding;
use serde_json::{Map, Value, json};

use super::json::{escaped, file_of};
use super::report;

/// What stays of a finding when lines move and messages are worded anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint {
    /// The name of the file; of one that is not Unicode, its bytes.
    file: Vec<u8>,
    /// The id of the rule, which another version may not know.
    rule: String,
    element: Option<String>,
    attribute: Option<String>,
    reference: Option<String>,
}

impl Fingerprint {
    pub(super) fn of(finding: &Finding) -> Self {
        Self {
            file: finding.file.as_os_str().as_encoded_bytes().to_vec(),
            rule: finding.rule.id().to_owned(),
            element: finding.element.clone(),
            attribute: finding.attribute.clone(),
            reference: report::reference(finding),
        }
    }

    fn from_json(entry: &Map<String, Value>) -> Result<Self, String> {
        let text = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("'{key}' is not a string")),
        };
        let needed = |key: &str| text(key)?.ok_or_else(|| format!("'{key}' is missing"));
        let file = match entry.get("file_bytes") {
            None | Some(Value::Null) => needed("file")?.into_bytes(),
            Some(bytes) => bytes_of(bytes).ok_or("'file_bytes' is not a list of bytes")?,
        };
        Ok(Self {
            file,
            rule: needed("rule")?,
            element: text("element")?,
            attribute: text("attribute")?,
            reference: text("reference")?,
        })
    }

    pub(super) fn to_json(&self) -> Map<String, Value> {
        let mut entry = Map::new();
        entry.insert("rule".to_owned(), json!(self.rule));
        entry.extend(file_of(&self.file));
        for (key, text) in [
            ("element", &self.element),
            ("attribute", &self.attribute),
            ("reference", &self.reference),
        ] {
            entry.insert(key.to_owned(), json!(text));
        }
        entry
    }

    /// A number that is the same in every version and on every machine: 64 bits of
    /// [FNV-1a](https://www.ietf.org/archive/id/draft-eastlake-fnv-21.html).
    pub(super) fn hash(&self) -> u64 {
        let texts = [&self.element, &self.attribute, &self.reference];
        let texts = texts.into_iter().map(|text| text.as_ref().map(String::as_bytes));
        let parts = [Some(self.rule.as_bytes()), Some(self.file.as_slice())];
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for part in parts.into_iter().chain(texts) {
            // A byte that is in no text, and another one where there is none.
            let end = if part.is_some() { 0xff } else { 0xfe };
            for &byte in part.unwrap_or_default().iter().chain(&[end]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }
}

fn bytes_of(list: &Value) -> Option<Vec<u8>> {
    list.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect()
}

/// Fingerprints, and how many findings have each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Baseline {
    counts: BTreeMap<Fingerprint, u64>,
}

/// What a baseline made of the findings of an audit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Settled {
    /// The findings that it holds.
    pub(crate) known: u64,
    /// What it holds that was not found any more, and how often.
    pub(crate) fixed: Vec<(Fingerprint, u64)>,
}

impl Settled {
    /// How many findings are fixed.
    pub(super) fn fixed_count(&self) -> u64 {
        self.fixed.iter().map(|(_, count)| count).sum()
    }
}

impl Baseline {
    /// The baseline that holds these findings.
    pub(crate) fn of(findings: &[Finding]) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            baseline.add(Fingerprint::of(finding), 1);
        }
        baseline
    }

    fn add(&mut self, fingerprint: Fingerprint, count: u64) {
        let sum = self.counts.entry(fingerprint).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Reads a baseline, or a report in JSON or JSON lines.
    ///
    /// # Errors
    ///
    /// If it is not one; the message has the place.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut baseline = Self::default();
        let values = serde_json::Deserializer::from_slice(bytes).into_iter();
        for (number, value) in (1..).zip(values) {
            let value = value.map_err(|error| format!("not JSON: {error}"))?;
            let wrong = |why: String| format!("value {number} is no fingerprint: {why}");
            baseline.read_value(&value).map_err(wrong)?;
        }
        Ok(baseline)
    }

    fn read_value(&mut self, value: &Value) -> Result<(), String> {
        let list = value.as_array().or_else(|| value.get("findings")?.as_array());
        let entries = list.map_or(std::slice::from_ref(value), Vec::as_slice);
        for entry in entries {
            let entry = entry.as_object().ok_or("it is not an object")?;
            let count = match entry.get("count") {
                None => 1,
                Some(count) => count.as_u64().ok_or("'count' is not a number")?,
            };
            self.add(Fingerprint::from_json(entry)?, count);
        }
        Ok(())
    }

    /// Writes the baseline, in order.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (fingerprint, count) in &self.counts {
            let mut entry = fingerprint.to_json();
            entry.insert("count".to_owned(), json!(count));
            writeln!(out, "{}", escaped(&Value::Object(entry)))?;
        }
        Ok(())
    }

    /// Takes out the findings that it holds, and tells which of its own are fixed,
    /// among the files that were looked at.
    ///
    /// Of several findings with one fingerprint, the first ones are the old ones.
    pub(crate) fn settle(
        mut self,
        findings: &mut Vec<Finding>,
        is_checked: impl Fn(&[u8]) -> bool,
    ) -> Settled {
        let before = findings.len();
        findings.retain(|finding| match self.counts.get_mut(&Fingerprint::of(finding)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        let is_fixed =
            |fingerprint: &Fingerprint, count| count > 0 && is_checked(&fingerprint.file);
        let known = (before - findings.len()) as u64;
        let fixed = self.counts.into_iter().filter(|(print, count)| is_fixed(print, *count));
        Settled { known, fixed: fixed.collect() }
    }
}

/// One line for people: the rule, the file and the reference of what is fixed.
pub(super) fn told(fingerprint: &Fingerprint, count: u64) -> String {
    let file = report::shown(Path::new(&*String::from_utf8_lossy(&fingerprint.file)));
    let rule = crate::output::printable(&fingerprint.rule);
    let mut line = format!("{rule} in {file}");
    if let Some(reference) = &fingerprint.reference {
        line = format!("{line}: {}", crate::output::printable(reference));
    }
    if count > 1 { format!("{line} ({count} times)") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::format::Format;
    use crate::audit::sample::{broken, hostile, report};

    fn written(baseline: &Baseline) -> String {
        let mut out = Vec::new();
        baseline.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_findings_are_counted() {
        let mut other = broken("a", "x");
        other.line = Some(99);
        let baseline = Baseline::of(&[broken("b", "x"), broken("a", "x"), other]);
        assert_eq!(
            written(&baseline),
            "{\"rule\":\"broken-link\",\"file\":\"a\",\"element\":\"a\",\"attribute\":\"href\",\
             \"reference\":\"x\",\"count\":2}\n\
             {\"rule\":\"broken-link\",\"file\":\"b\",\"element\":\"a\",\"attribute\":\"href\",\
             \"reference\":\"x\",\"count\":1}\n"
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        let findings = [hostile(), broken("a", "x"), hostile()];
        let baseline = Baseline::of(&findings);
        assert_eq!(Baseline::read(written(&baseline).as_bytes()), Ok(baseline.clone()));
        for format in [Format::Json, Format::Jsonl] {
            let report = report(format, &findings);
            assert_eq!(Baseline::read(report.as_bytes()), Ok(baseline.clone()));
        }
        assert_eq!(Baseline::read(b""), Ok(Baseline::default()));
    }

    #[test]
    fn new_findings_stay_and_fixed_ones_are_told() {
        let old = [broken("a", "x"), broken("a", "x"), broken("b", "y"), broken("c", "z")];
        let baseline = Baseline::of(&old);
        let mut findings =
            vec![broken("a", "x"), broken("a", "n"), broken("b", "y"), broken("b", "y")];
        let settled = baseline.settle(&mut findings, |file| file != b"c");
        let left: Vec<_> = findings.iter().map(|new| new.reference.as_deref().unwrap()).collect();
        assert_eq!(left, ["n", "y"]);
        assert_eq!(settled.known, 2);
        let fixed: Vec<String> =
            settled.fixed.iter().map(|(print, count)| told(print, *count)).collect();
        assert_eq!(fixed, ["broken-link in a: x"]);
    }

    #[test]
    fn what_is_no_baseline_is_told_with_its_place() {
        let refuses = |text: &str, why: &str| {
            assert_eq!(Baseline::read(text.as_bytes()), Err(why.to_owned()), "{text}");
        };
        refuses("{}", "value 1 is no fingerprint: 'file' is missing");
        refuses("[1]", "value 1 is no fingerprint: it is not an object");
        refuses("<html>", "not JSON: expected value at line 1 column 1");
        refuses(
            "{\"file\":\"a\",\"rule\":\"x\",\"count\":-1}",
            "value 1 is no fingerprint: 'count' is not a number",
        );
        refuses(
            "{\"file\":\"a\",\"rule\":\"x\"}\n{\"file\":\"a\",\"rule\":1}",
            "value 2 is no fingerprint: 'rule' is not a string",
        );
        refuses(
            "{\"file\":\"a\",\"file_bytes\":[256],\"rule\":\"x\"}",
            "value 1 is no fingerprint: 'file_bytes' is not a list of bytes",
        );
    }

    #[test]
    fn the_hash_is_the_same_for_ever() {
        let print = Fingerprint::of(&broken("a", "x"));
        assert_eq!(format!("{:016x}", print.hash()), "6a7b7c5f9697e8db");
        let none = Fingerprint { reference: None, ..print.clone() };
        let empty = Fingerprint { reference: Some(String::new()), ..print };
        assert_ne!(none.hash(), empty.hash());
    }
}
