//! Baselines: the findings of an earlier audit, so that only new ones are reported. Fingerprints
//! identify findings across audits.
//!
//! A baseline is JSON Lines: each line has a fingerprint and the number of findings with it. File
//! names are relative to the root of the site, so that they do not depend on the current folder. A
//! report in JSON or JSON Lines is also a baseline; its file names are as findings show them.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use absolve::url::Standard;
use absolve_files::with_slashes;
use serde_json::{Map, Value, json};

use crate::report::value::file_name;
use crate::report::{counted, printable, to_json, view};
use crate::{Finding, Rule, bytes_of, path_of};

/// Fingerprints, and the number of findings with each.
///
/// ```
/// use std::path::Path;
///
/// use absolve_site::{Finding, Level, Rule};
/// use absolve_site::report::Baseline;
///
/// let message = "docs/x.html does not exist".to_owned();
/// let finding = Finding::new(Rule::BrokenLink, Level::Error, "docs/a.html".into(), message);
/// let root = Path::new("");
/// let mut file = Vec::new();
/// Baseline::from_findings(&[finding.clone()], root).write(&mut file)?;
///
/// let baseline = Baseline::read(&file, root)?;
/// let mut comparison = baseline.compare(root);
/// assert!(comparison.is_known(&finding));
/// assert_eq!(comparison.finish(|_| true).known(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    counts: BTreeMap<Fingerprint, u64>,
}

/// The difference between an audit and a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BaselineDiff {
    /// The number of the audit's findings that are in the baseline.
    pub(super) known: u64,
    /// The fingerprints that the audit found less often than the baseline, with the differences.
    pub(super) fixed: Vec<(Fingerprint, u64)>,
    /// The known findings of [`Rule::Unreadable`].
    unreadable: Vec<Finding>,
}

impl BaselineDiff {
    /// Returns the known findings of [`Rule::Unreadable`]. Their documents may have any number of
    /// other findings, which the audit cannot report.
    #[must_use]
    pub fn unreadable(&self) -> &[Finding] {
        &self.unreadable
    }

    /// Returns the number of the audit's findings that are in the baseline.
    #[must_use]
    pub fn known(&self) -> u64 {
        self.known
    }

    /// Describes the numbers of known and fixed findings in one line.
    pub(super) fn summary(&self) -> String {
        let [known, fixed] =
            [self.known, self.fixed_count()].map(|count| counted(count, "finding"));
        format!("{known} left out by the baseline, {fixed} of it fixed")
    }

    /// Returns the number of findings in the baseline that the audit did not find.
    #[must_use]
    pub fn fixed_count(&self) -> u64 {
        self.fixed.iter().map(|(_, count)| count).sum()
    }
}

impl Baseline {
    /// Creates a baseline from the findings of an audit; `root` is the root of the site.
    #[must_use]
    pub fn from_findings(findings: &[Finding], root: &Path) -> Self {
        let mut baseline = Self::default();
        for finding in findings {
            baseline.add(Fingerprint::new(finding).relative_to(root), 1);
        }
        baseline
    }

    fn add(&mut self, fingerprint: Fingerprint, count: u64) {
        let sum = self.counts.entry(fingerprint).or_default();
        *sum = sum.saturating_add(count);
    }

    /// Reads a baseline, or a report in JSON or JSON Lines; `root` is the root of the site.
    ///
    /// # Errors
    ///
    /// If the bytes are neither; the error has the position, or the number of the value.
    pub fn read(bytes: &[u8], root: &Path) -> Result<Self, InvalidBaseline> {
        let mut baseline = Self::default();
        let values = serde_json::Deserializer::from_slice(bytes).into_iter();
        for (number, value) in (1..).zip(values) {
            let value = value.map_err(|error| InvalidBaseline(format!("not JSON: {error}")))?;
            let wrong =
                |why: String| InvalidBaseline(format!("value {number} is no fingerprint: {why}"));
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
                None => self.add(fingerprint.relative_to(root), 1),
                Some(count) => {
                    self.add(fingerprint, count.as_u64().ok_or("'count' is not a number")?);
                }
            }
        }
        Ok(())
    }

    /// Writes the baseline as JSON Lines, sorted by fingerprint.
    ///
    /// # Errors
    ///
    /// If writing to `out` fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        for (fingerprint, count) in &self.counts {
            writeln!(out, "{}", to_json(&fingerprint.to_entry(*count))?)?;
        }
        Ok(())
    }

    /// Starts a comparison with the findings of an audit; `root` is the root of the site.
    #[must_use]
    pub fn compare(self, root: &Path) -> Comparison<'_> {
        Comparison { baseline: self, root, known: 0, unreadable: Vec::new() }
    }
}

/// The error of bytes that are neither a baseline nor a report in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidBaseline(String);

impl fmt::Display for InvalidBaseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidBaseline {}

/// A comparison in progress, which gets the findings of an audit one by one.
pub struct Comparison<'r> {
    /// The findings of the baseline that the audit has not found yet.
    baseline: Baseline,
    root: &'r Path,
    /// The number of known findings so far.
    known: u64,
    unreadable: Vec<Finding>,
}

impl Comparison<'_> {
    /// Whether the baseline has a finding, which is then removed from the comparison. If an audit
    /// has more findings with a fingerprint than the baseline, the first ones are known.
    pub fn is_known(&mut self, finding: &Finding) -> bool {
        let fingerprint = Fingerprint::new(finding).relative_to(self.root);
        let count = self.baseline.counts.get_mut(&fingerprint).filter(|count| **count > 0);
        let is_known = count.map(|count| *count -= 1).is_some();
        self.known += u64::from(is_known);
        if is_known && finding.rule == Rule::Unreadable {
            self.unreadable.push(finding.clone());
        }
        is_known
    }

    /// Ends the comparison. Its remaining findings are fixed if `is_checked` is true for their
    /// file.
    pub fn finish(self, is_checked: impl Fn(&Path) -> bool) -> BaselineDiff {
        let remaining = self.baseline.counts.into_iter().filter(|(_, count)| *count > 0);
        let remaining =
            remaining.map(|(fingerprint, count)| (fingerprint.join_root(self.root), count));
        let fixed = remaining.filter(|(fingerprint, _)| is_checked(&path_of(&fingerprint.file)));
        let fixed = fixed.collect();
        BaselineDiff { known: self.known, fixed, unreadable: self.unreadable }
    }
}

#[cfg(test)]
impl Baseline {
    /// Removes the findings that the baseline has.
    pub(super) fn finish(
        self,
        findings: &mut Vec<Finding>,
        root: &Path,
        is_checked: impl Fn(&Path) -> bool,
    ) -> BaselineDiff {
        let mut comparison = self.compare(root);
        findings.retain(|finding| !comparison.is_known(finding));
        comparison.finish(is_checked)
    }
}

/// The identity of a finding, which stays the same if lines move or a message is reworded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint {
    /// The bytes of the name of the file, which need not be Unicode.
    pub(super) file: Vec<u8>,
    /// The id of the rule, which may be from another version.
    rule: String,
    element: Option<String>,
    attribute: Option<String>,
    reference: Option<String>,
}

/// Formats hashes, and appends an ordinal to each, so that equal hashes differ.
pub(super) fn number_hashes(hashes: impl Iterator<Item = u64>) -> impl Iterator<Item = String> {
    let mut numbers: HashMap<u64, u64> = HashMap::new();
    hashes.map(move |hash| {
        let number = numbers.entry(hash).or_default();
        *number += 1;
        format!("{hash:016x}:{number}")
    })
}

/// Hashes texts with 64-bit [FNV-1a](https://www.ietf.org/archive/id/draft-eastlake-fnv-21.html),
/// because the hash must be the same in every version and on every machine.
pub(super) fn hash_parts<'p>(parts: impl Iterator<Item = Option<&'p [u8]>>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // UTF-8 contains neither byte: 0xff ends a text, and 0xfe stands for a missing text.
        let end = if part.is_some() { 0xff } else { 0xfe };
        for &byte in part.unwrap_or_default().iter().chain(&[end]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

impl Fingerprint {
    /// Creates the fingerprint of a finding.
    #[must_use]
    pub fn new(finding: &Finding) -> Self {
        Self {
            file: finding.file.as_os_str().as_encoded_bytes().to_vec(),
            rule: finding.rule.id().to_owned(),
            element: finding.element.clone(),
            attribute: finding.attribute.clone(),
            reference: finding.reference.clone(),
        }
    }

    /// Makes the path of the file relative to the root, if it is in the root.
    pub(super) fn relative_to(mut self, root: &Path) -> Self {
        if let Ok(relative) = path_of(&self.file).strip_prefix(root) {
            self.file = bytes_of(relative);
        }
        self
    }

    /// Joins the root and the path of the file, as findings show it.
    pub(super) fn join_root(mut self, root: &Path) -> Self {
        let file = with_slashes(root.join(path_of(&self.file)));
        self.file = file.into_os_string().into_encoded_bytes();
        self
    }

    /// Reads the fingerprint in an entry of a baseline, or in a finding of a report.
    pub(super) fn from_json(entry: &Map<String, Value>) -> Result<Self, String> {
        let text = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("'{key}' is not a string")),
        };
        let needed = |key: &str| text(key)?.ok_or_else(|| format!("'{key}' is missing"));
        let file = match entry.get("file_bytes") {
            None | Some(Value::Null) => needed("file")?.into_bytes(),
            Some(bytes) => parse_bytes(bytes).ok_or("'file_bytes' is not a list of bytes")?,
        };
        // Older versions wrote passwords into baselines, but findings have them masked.
        let masked = |url: String| Standard::Rfc1808.masked(None, &url).into_owned();
        Ok(Self {
            file,
            rule: needed("rule")?,
            element: text("element")?,
            attribute: text("attribute")?,
            reference: text("reference")?.map(masked),
        })
    }

    /// Creates the line of a baseline for this fingerprint.
    pub(super) fn to_entry(&self, count: u64) -> Value {
        let Self { rule, element, attribute, reference, .. } = self;
        let (file, bytes) = file_name(&self.file);
        let mut entry = json!({
            "rule": rule, "file": file, "file_bytes": bytes, "element": element,
            "attribute": attribute, "reference": reference, "count": count,
        });
        if let (Value::Object(keys), None) = (&mut entry, bytes) {
            keys.shift_remove("file_bytes");
        }
        entry
    }

    /// Returns a hash that is the same in every version and on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let texts = [&self.element, &self.attribute, &self.reference];
        let texts = texts.into_iter().map(|text| text.as_ref().map(String::as_bytes));
        let parts = [Some(self.rule.as_bytes()), Some(self.file.as_slice())];
        hash_parts(parts.into_iter().chain(texts))
    }

    /// Returns the id of the rule, which this version may not know.
    pub(super) fn rule(&self) -> &str {
        &self.rule
    }

    /// Returns the reference, with its character references decoded.
    pub(super) fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// Returns the path of the file in printable form.
    pub(super) fn shown_file(&self) -> String {
        view::format_path(Path::new(&*String::from_utf8_lossy(&self.file)))
    }

    /// Describes the finding in one line: rule, file and reference.
    pub(super) fn describe(&self, count: u64) -> String {
        let mut line = format!("{} in {}", printable(&self.rule), self.shown_file());
        if let Some(reference) = &self.reference {
            line = format!("{line}: {}", printable(reference));
        }
        if count > 1 { format!("{line} ({count} times)") } else { line }
    }
}

fn parse_bytes(list: &Value) -> Option<Vec<u8>> {
    list.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::format::Format;
    use crate::report::tests::{broken, hostile, report};

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
        let baseline =
            Baseline::from_findings(&[broken("b", "x"), broken("a", "x"), other], here());
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
        let baseline = Baseline::from_findings(&findings, here());
        assert_eq!(Baseline::read(written(&baseline).as_bytes(), here()), Ok(baseline.clone()));
        for format in [Format::Json, Format::Jsonl] {
            let report = report(format, &findings);
            assert_eq!(Baseline::read(report.as_bytes(), here()), Ok(baseline.clone()));
        }
        assert_eq!(Baseline::read(b"", here()), Ok(Baseline::default()));
    }

    #[test]
    fn new_findings_stay_and_fixed_ones_are_listed() {
        let old = [broken("a", "x"), broken("a", "x"), broken("b", "y"), broken("c", "z")];
        let baseline = Baseline::from_findings(&old, here());
        let mut findings =
            vec![broken("a", "x"), broken("a", "n"), broken("b", "y"), broken("b", "y")];
        let diff = baseline.finish(&mut findings, here(), |file| file != "c");
        let left: Vec<_> = findings.iter().map(|new| new.reference.as_deref().unwrap()).collect();
        assert_eq!(left, ["n", "y"]);
        assert_eq!(diff.known, 2);
        let fixed: Vec<String> =
            diff.fixed.iter().map(|(fingerprint, count)| fingerprint.describe(*count)).collect();
        assert_eq!(fixed, ["broken-link in a: x"]);
    }

    #[test]
    fn files_are_named_from_the_root() {
        let (here, there) = (Path::new("site"), Path::new("../up/site"));
        let baseline =
            Baseline::from_findings(&[broken("site/a", "x"), broken("site/b", "y")], here);
        assert!(written(&baseline).contains("\"file\":\"a\""));
        let mut findings = vec![broken("../up/site/a", "x")];
        let report = report(Format::Jsonl, &findings);
        let diff = baseline.finish(&mut findings, there, |file| file.starts_with(there));
        assert_eq!((findings.len(), diff.known), (0, 1));
        let fixed: Vec<String> =
            diff.fixed.iter().map(|(fingerprint, _)| fingerprint.describe(1)).collect();
        assert_eq!(fixed, ["broken-link in ../up/site/b: y"]);
        // A report is compared with one on the same root.
        findings = vec![broken("../up/site/a", "x")];
        let diff = Baseline::read(report.as_bytes(), there).unwrap();
        assert_eq!(diff.finish(&mut findings, there, |_| true).known, 1);
    }

    #[test]
    fn an_invalid_baseline_is_refused_with_the_place() {
        let refuses = |text: &str, why: &str| {
            assert_eq!(
                Baseline::read(text.as_bytes(), here()),
                Err(InvalidBaseline(why.to_owned())),
                "{text}"
            );
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
        let fingerprint = Fingerprint::new(&broken("a", "x"));
        assert_eq!(format!("{:016x}", fingerprint.hash()), "6a7b7c5f9697e8db");
        let none = Fingerprint { reference: None, ..fingerprint.clone() };
        let empty = Fingerprint { reference: Some(String::new()), ..fingerprint };
        assert_ne!(none.hash(), empty.hash());
    }
}
