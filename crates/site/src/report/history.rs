//! The history of a site: the totals of its audits, as JSON Lines with one line per run.

use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::report::{BaselineDiff, Coverage, Totals, group_findings, group_hash, to_json};
use crate::{AuditReport, Finding};

/// The totals of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The date of the audit, as the caller gives it.
    pub(super) date: String,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    pub(super) notes: u64,
    /// The number of findings that the baseline has.
    pub(super) known: u64,
    pub(super) pages: u64,
    pub(super) links: u64,
    /// The number of findings by the id of their rule, which this version may not know.
    pub(super) rules: BTreeMap<String, u64>,
    /// The hashes of the targets, by which the next run finds its new targets; `None` if there were
    /// more than [`MAX_TARGETS`], or if findings were not listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) targets: Option<Vec<String>>,
}

/// Maximum targets of a run; if it has more, none is recorded. A hundred runs with this number take
/// about 1 MiB.
const MAX_TARGETS: usize = 400;

/// The runs of a site, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    pub(super) runs: Vec<Run>,
}

impl Run {
    /// Computes the totals of an audit; findings that are not listed are included.
    ///
    /// The date is text, such as `2026-01-31T12:00:00Z`. The totals contain no text of a finding,
    /// so there are no passwords to mask.
    #[must_use]
    pub fn new(
        date: impl Into<String>,
        audited: &AuditReport,
        diff: Option<&BaselineDiff>,
    ) -> Self {
        let listed = audited.findings.iter().map(|finding| (finding.rule, 1));
        let unlisted = audited.unlisted.iter().map(|unlisted| (unlisted.rule, unlisted.count));
        let mut rules = BTreeMap::new();
        for (rule, count) in listed.chain(unlisted) {
            *rules.entry(rule.id().to_owned()).or_default() += count;
        }
        let Totals { errors, warnings, notes, .. } =
            Totals::new(&audited.findings, Coverage { audited });
        let known = diff.map_or(0, BaselineDiff::known);
        let (pages, links) = (audited.pages, audited.links);
        let groups = group_findings(&audited.findings);
        let are_recorded = audited.unlisted.is_empty() && groups.len() <= MAX_TARGETS;
        let targets =
            are_recorded.then(|| groups.iter().map(|group| target_hash(group.first)).collect());
        Self { date: date.into(), errors, warnings, notes, known, pages, links, rules, targets }
    }

    /// Formats the run as a line of a history, with its line feed.
    ///
    /// # Errors
    ///
    /// If the run cannot be serialized as JSON, which never happens.
    pub fn line(&self) -> serde_json::Result<String> {
        to_json(self).map(|line| line + "\n")
    }
}

impl History {
    /// Reads a history.
    ///
    /// # Errors
    ///
    /// If the bytes are not a history, or the last line is incomplete; the error has the line.
    pub fn read(bytes: &[u8]) -> Result<Self, InvalidHistory> {
        if !(bytes.is_empty() || bytes.ends_with(b"\n")) {
            return Err(InvalidHistory("its last line is incomplete".to_owned()));
        }
        let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
        let lines = lines.filter(|(_, line)| !line.is_empty());
        let runs = lines.map(|(number, line)| {
            let wrong = |_| InvalidHistory(format!("line {number} is not the totals of a run"));
            serde_json::from_slice(line).map_err(wrong)
        });
        runs.collect::<Result<_, _>>().map(|runs| Self { runs })
    }

    /// Returns the targets of the run before the last one, if they were recorded.
    pub(super) fn earlier_targets(&self) -> Option<HashSet<&str>> {
        let run = self.runs.iter().nth_back(1)?;
        Some(run.targets.as_ref()?.iter().map(String::as_str).collect())
    }

    /// Adds a run.
    pub fn push(&mut self, run: Run) {
        self.runs.push(run);
    }
}

/// Hashes the target of a finding; the hash is the same in later runs.
pub(super) fn target_hash(finding: &Finding) -> String {
    format!("{:016x}", group_hash(finding, Path::to_owned))
}

/// The error of bytes that are not a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidHistory(String);

impl fmt::Display for InvalidHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidHistory {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{broken, finding};
    use crate::{Level, Rule, Unlisted};

    fn audited() -> AuditReport {
        AuditReport {
            findings: vec![
                broken("a", "x"),
                broken("a", "y"),
                finding(Rule::BadTel, Level::Warn, "b"),
            ],
            unlisted: vec![Unlisted { rule: Rule::BrokenLink, level: Level::Error, count: 3 }],
            pages: 7,
            links: 70,
            ..AuditReport::default()
        }
    }

    #[test]
    fn a_run_counts_what_is_listed_and_what_is_not() {
        let line = Run::new("2026-01-31T12:00:00Z", &audited(), None).line().unwrap();
        assert_eq!(
            line,
            "{\"date\":\"2026-01-31T12:00:00Z\",\"errors\":5,\"warnings\":1,\"notes\":0,\
             \"known\":0,\"pages\":7,\"links\":70,\"rules\":{\"bad-tel\":1,\"broken-link\":5}}\n"
        );
        let complete = AuditReport { unlisted: Vec::new(), ..audited() };
        let targets = Run::new("", &complete, None).targets.unwrap();
        assert_eq!((targets.len(), targets[0].len()), (2, 16));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let runs = ["", "\u{202e}\"<script>\n"].map(|date| Run::new(date, &audited(), None));
        let lines: String = runs.iter().map(|run| run.line().unwrap()).collect();
        assert_eq!(History::read(lines.as_bytes()), Ok(History { runs: runs.to_vec() }));
        assert_eq!(lines.lines().count(), 2);
        assert!(!lines.contains('\u{202e}'));
        assert_eq!(History::read(b""), Ok(History::default()));
    }

    #[test]
    fn another_file_is_refused_with_the_line() {
        let refuses = |text: &str, why: &str| {
            let error = History::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(why), "{text}: {error}");
        };
        refuses("{\"date\":1}\n", "line 1 is not the totals of a run");
        refuses("\n{}\n", "line 2 is not the totals of a run");
        refuses("notes\n", "line 1 is not the totals of a run");
        refuses("{\"rule\":\"broken-link\"}\n", "line 1 is not the totals of a run");
        refuses("notes", "its last line is incomplete");
    }
}
