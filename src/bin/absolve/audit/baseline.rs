//! Findings that were there before: only new ones count.
//!
//! A baseline is JSON lines, one a fingerprint with the number of findings that have
//! it. Files are named from the root of the site, so that it is the same wherever the
//! audit is started from. A report in JSON is one too: each of its findings counts once,
//! and its files are named as they were reported.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use absolve::audit::{Finding, path_of};
use serde_json::{Value, json};

use super::fingerprint::Fingerprint;
use super::json::escaped;

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
    /// The baseline that holds these findings of the site at a root.
    pub(crate) fn of(findings: &[Finding], root: &Path) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            baseline.add(Fingerprint::of(finding).below(root), 1);
        }
        baseline
    }

    fn add(&mut self, fingerprint: Fingerprint, count: u64) {
        let sum = self.counts.entry(fingerprint).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Reads a baseline, or a report in JSON or JSON lines on the site at a root.
    ///
    /// # Errors
    ///
    /// If it is not one; the message has the place.
    pub(crate) fn read(bytes: &[u8], root: &Path) -> Result<Self, String> {
        let mut baseline = Self::default();
        let values = serde_json::Deserializer::from_slice(bytes).into_iter();
        for (number, value) in (1..).zip(values) {
            let value = value.map_err(|error| format!("not JSON: {error}"))?;
            let wrong = |why: String| format!("value {number} is no fingerprint: {why}");
            baseline.read_value(&value, root).map_err(wrong)?;
        }
        Ok(baseline)
    }

    fn read_value(&mut self, value: &Value, root: &Path) -> Result<(), String> {
        let list = value.as_array().or_else(|| value.get("findings")?.as_array());
        let entries = list.map_or(std::slice::from_ref(value), Vec::as_slice);
        for entry in entries {
            let entry = entry.as_object().ok_or("it is not an object")?;
            let fingerprint = Fingerprint::from_json(entry)?;
            match entry.get("count") {
                None => self.add(fingerprint.below(root), 1),
                Some(count) => {
                    self.add(fingerprint, count.as_u64().ok_or("'count' is not a number")?);
                }
            }
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

    /// Compares the findings of the site at a root with it.
    pub(crate) fn compare(self, root: &Path) -> Comparison<'_> {
        Comparison { baseline: self, root, known: 0 }
    }
}

/// A baseline while findings are compared with it, one after the other.
pub(crate) struct Comparison<'r> {
    baseline: Baseline,
    root: &'r Path,
    /// How many findings it has so far.
    known: u64,
}

impl Comparison<'_> {
    /// Whether the baseline has a finding. Of several findings with one fingerprint, the
    /// first ones are the old ones.
    pub(crate) fn is_known(&mut self, finding: &Finding) -> bool {
        let fingerprint = Fingerprint::of(finding).below(self.root);
        let count = self.baseline.counts.get_mut(&fingerprint).filter(|count| **count > 0);
        let is_known = count.map(|count| *count -= 1).is_some();
        self.known += u64::from(is_known);
        is_known
    }

    /// What was known, and which of its own findings are fixed, among the files that were
    /// looked at.
    pub(crate) fn settle(self, is_checked: impl Fn(&Path) -> bool) -> Settled {
        let left = self.baseline.counts.into_iter().filter(|(_, count)| *count > 0);
        let left = left.map(|(print, count)| (print.reported(self.root), count));
        let fixed = left.filter(|(print, _)| is_checked(&path_of(&print.file)));
        Settled { known: self.known, fixed: fixed.collect() }
    }
}

#[cfg(test)]
impl Baseline {
    /// Takes out the findings that it has.
    pub(crate) fn settle(
        self,
        findings: &mut Vec<Finding>,
        root: &Path,
        is_checked: impl Fn(&Path) -> bool,
    ) -> Settled {
        let mut comparison = self.compare(root);
        findings.retain(|finding| !comparison.is_known(finding));
        comparison.settle(is_checked)
    }
}

#[cfg(test)]
mod tests {
    use absolve::container::EntryId;

    use super::*;
    use crate::audit::fingerprint::told;
    use crate::audit::format::Format;
    use crate::audit::sample::{broken, hostile, report};

    /// The root of files that are named from it.
    fn here() -> &'static Path {
        Path::new("")
    }

    fn written(baseline: &Baseline) -> String {
        let mut out = Vec::new();
        baseline.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn equal_findings_are_counted() {
        let mut other = broken("a", "x");
        other.line = Some(99);
        let baseline = Baseline::of(&[broken("b", "x"), broken("a", "x"), other], here());
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
        let part = |part| Finding { inside: Some(EntryId::Part(part)), ..broken("a", "x") };
        let page = Finding { page: Some("http://h/".to_owned()), ..broken("a", "x") };
        let findings = [hostile(), broken("a", "x"), hostile(), part(1), part(2), page];
        let baseline = Baseline::of(&findings, here());
        assert_eq!(Baseline::read(written(&baseline).as_bytes(), here()), Ok(baseline.clone()));
        for format in [Format::Json, Format::Jsonl] {
            let report = report(format, &findings);
            assert_eq!(Baseline::read(report.as_bytes(), here()), Ok(baseline.clone()));
        }
        assert_eq!(Baseline::read(b"", here()), Ok(Baseline::default()));
    }

    #[test]
    fn new_findings_stay_and_fixed_ones_are_told() {
        let old = [broken("a", "x"), broken("a", "x"), broken("b", "y"), broken("c", "z")];
        let baseline = Baseline::of(&old, here());
        let mut findings =
            vec![broken("a", "x"), broken("a", "n"), broken("b", "y"), broken("b", "y")];
        let settled = baseline.settle(&mut findings, here(), |file| file != "c");
        let left: Vec<_> = findings.iter().map(|new| new.reference.as_deref().unwrap()).collect();
        assert_eq!(left, ["n", "y"]);
        assert_eq!(settled.known, 2);
        let fixed: Vec<String> =
            settled.fixed.iter().map(|(print, count)| told(print, *count)).collect();
        assert_eq!(fixed, ["broken-link in a: x"]);
    }

    #[test]
    fn files_are_named_from_the_root() {
        let (here, there) = (Path::new("site"), Path::new("../up/site"));
        let baseline = Baseline::of(&[broken("site/a", "x"), broken("site/b", "y")], here);
        assert!(written(&baseline).contains("\"file\":\"a\""));
        let mut findings = vec![broken("../up/site/a", "x")];
        let report = report(Format::Jsonl, &findings);
        let settled = baseline.settle(&mut findings, there, |file| file.starts_with(there));
        assert_eq!((findings.len(), settled.known), (0, 1));
        let fixed: Vec<String> = settled.fixed.iter().map(|(print, _)| told(print, 1)).collect();
        assert_eq!(fixed, ["broken-link in ../up/site/b: y"]);
        // A report is compared with one on the same root.
        findings = vec![broken("../up/site/a", "x")];
        let settled = Baseline::read(report.as_bytes(), there).unwrap();
        assert_eq!(settled.settle(&mut findings, there, |_| true).known, 1);
    }

    #[test]
    fn what_is_no_baseline_is_told_with_its_place() {
        let refuses = |text: &str, why: &str| {
            assert_eq!(Baseline::read(text.as_bytes(), here()), Err(why.to_owned()), "{text}");
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
}
