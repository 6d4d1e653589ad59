//! What a report needs besides the findings: the coverage of the audit, the baseline, the options.

use std::path::Path;

use encoding_rs::Encoding;

use super::baseline::BaselineDiff;
use super::color::Color;
use super::display::{counted, thousands};
use super::view::are_of_one_page;
use crate::audit::{AuditReport, Finding, Level, Safety, Unlisted};

/// Reads the bytes of a file of a finding; `None` if that is not possible.
pub(super) type ReadSource<'a> = &'a dyn Fn(&Path) -> Option<Vec<u8>>;

/// What a report needs besides the findings, and its options.
///
/// Unless set: no color, no lines of source, no level that fails, no baseline, every finding.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub(super) color: Color,
    pub(super) source: Option<ReadSource<'a>>,
    pub(super) encoding: Option<&'static Encoding>,
    pub(super) fail_on: Option<Level>,
    pub(super) coverage: Coverage<'a>,
    pub(super) diff: Option<&'a BaselineDiff>,
    pub(super) detail: Detail,
    pub(super) applied: Option<&'a [Finding]>,
}

/// How much the text report prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All findings, and a summary.
    Full,
    /// Findings of level error, without a summary.
    Errors,
}

/// How much an audit covered.
#[derive(Clone, Copy)]
pub(super) struct Coverage<'a> {
    pub(super) pages: u64,
    pub(super) links: u64,
    /// Findings that are counted and not listed.
    pub(super) unlisted: &'a [Unlisted],
    /// The number of targets without a search for hints.
    pub(super) unsearched: u64,
}

impl<'a> Context<'a> {
    /// Creates the context of an audit's findings.
    #[must_use]
    pub fn new(audited: &'a AuditReport) -> Self {
        let AuditReport { pages, links, unlisted, unsearched, .. } = audited;
        let (pages, links, unsearched) = (*pages, *links, *unsearched);
        Self {
            color: Color::No,
            source: None,
            encoding: None,
            fail_on: None,
            coverage: Coverage { pages, links, unlisted, unsearched },
            diff: None,
            detail: Detail::Full,
            applied: None,
        }
    }

    /// Sets whether the text report is colored; it is not by default.
    #[must_use]
    pub fn color(mut self, color: Color) -> Self {
        self.color = color;
        self
    }

    /// Sets how the text report reads the files of findings, to show the lines that they are on.
    ///
    /// Without it, the report shows the reference alone.
    #[must_use]
    pub fn source(mut self, read: &'a dyn Fn(&Path) -> Option<Vec<u8>>) -> Self {
        self.source = Some(read);
        self
    }

    /// Sets the encoding of files that do not declare theirs.
    #[must_use]
    pub fn encoding(mut self, encoding: Option<&'static Encoding>) -> Self {
        self.encoding = encoding;
        self
    }

    /// Sets the lowest level that fails the audit; by default, no level does.
    #[must_use]
    pub fn fail_on(mut self, level: Option<Level>) -> Self {
        self.fail_on = level;
        self
    }

    /// Sets the comparison with a baseline; by default, there is no baseline.
    #[must_use]
    pub fn baseline(mut self, diff: Option<&'a BaselineDiff>) -> Self {
        self.diff = diff;
        self
    }

    /// Sets how much the text report prints; [`Detail::Full`] by default.
    #[must_use]
    #[doc(hidden)]
    pub fn detail(mut self, detail: Detail) -> Self {
        self.detail = detail;
        self
    }

    /// Sets the findings of an earlier audit whose fixes were applied; by default, none was.
    #[must_use]
    pub fn applied(mut self, findings: &'a [Finding]) -> Self {
        self.applied = Some(findings);
        self
    }

    /// Returns the number of findings that `--fix` fixes, in one line, if there are any.
    #[must_use]
    pub fn fixable(findings: &[Finding]) -> Option<String> {
        let [safe, all] = [Safety::Safe, Safety::Unsafe].map(|most| count_fixable(findings, most));
        let more = counted(all - safe, "finding");
        match (safe, all - safe) {
            (0, 0) => None,
            (_, 0) => Some(format!("{} fixable with --fix", counted(safe, "finding"))),
            (0, _) => Some(format!("{more} fixable with --fix --unsafe-fixes")),
            (_, more) => {
                let more = thousands(more);
                let safe = counted(safe, "finding");
                Some(format!("{safe} fixable with --fix, {more} more with --unsafe-fixes"))
            }
        }
    }

    /// Returns the numbers of findings, pages and links, in one line.
    #[must_use]
    pub fn summary(&self, findings: &[Finding]) -> String {
        summary(findings, self.coverage)
    }

    /// Returns the numbers of findings that are counted and not listed, in one line.
    #[must_use]
    pub fn not_listed(&self) -> Option<String> {
        self.coverage.not_listed(Level::Note)
    }

    /// Whether a finding, listed or not, has at least the level that fails the audit.
    #[must_use]
    pub fn fails(&self, findings: &[Finding]) -> bool {
        let worst = findings.iter().map(|finding| finding.level).max();
        let worst = worst.max(self.coverage.worst_unlisted());
        self.fail_on.zip(worst).is_some_and(|(least, worst)| worst >= least)
    }
}

impl Coverage<'_> {
    /// The numbers of findings of at least this level that are not listed, by rule.
    pub(super) fn not_listed(&self, least: Level) -> Option<String> {
        let of_level = self.unlisted.iter().filter(|unlisted| unlisted.level >= least);
        let rules: Vec<String> = of_level
            .map(|Unlisted { rule, count, .. }| format!("{} {}", thousands(*count), rule.id()))
            .collect();
        (!rules.is_empty()).then(|| {
            let rules = rules.join(", ");
            format!("not listed: {rules}; raise --max-findings or --max-findings-size to list them")
        })
    }

    /// The number of targets without a search for hints, in a sentence.
    pub(super) fn not_searched(&self) -> Option<String> {
        let targets = counted(self.unsearched, "broken target");
        (self.unsearched > 0)
            .then(|| format!("no similar names searched for {targets}: too many of them"))
    }

    /// The highest level of findings that are not listed.
    pub(super) fn worst_unlisted(&self) -> Option<Level> {
        self.unlisted.iter().map(|unlisted| unlisted.level).max()
    }
}

/// The number of findings with a fix that is at least this certain.
pub(super) fn count_fixable(findings: &[Finding], safety: Safety) -> u64 {
    let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
    fixes.filter(|fix| fix.safety <= safety).count() as u64
}

/// The numbers of findings of each level, and of their pages.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) errors: u64,
    pub(super) warnings: u64,
    pub(super) notes: u64,
    pub(super) pages: usize,
}

impl Totals {
    /// Counts all findings, and the pages of listed ones.
    pub(super) fn new(findings: &[Finding], coverage: Coverage<'_>) -> Self {
        let mut totals = Self::default();
        let listed = findings.iter().map(|finding| (finding.level, 1));
        let unlisted = coverage.unlisted.iter().map(|unlisted| (unlisted.level, unlisted.count));
        for (level, count) in listed.chain(unlisted) {
            match level {
                Level::Error => totals.errors += count,
                Level::Warn => totals.warnings += count,
                _ => totals.notes += count,
            }
        }
        totals.pages = findings.chunk_by(are_of_one_page).count();
        totals
    }
}

/// The numbers of findings, pages and links, in one line.
fn summary(findings: &[Finding], coverage: Coverage<'_>) -> String {
    let totals = Totals::new(findings, coverage);
    let kinds = [("error", totals.errors), ("warning", totals.warnings), ("note", totals.notes)];
    let kinds: Vec<String> = kinds
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(name, count)| counted(count, name))
        .collect();
    let found = if kinds.is_empty() {
        "no findings".to_owned()
    } else if !coverage.unlisted.is_empty() {
        // The pages of the other findings are not known.
        format!("{}, {} listed", kinds.join(", "), thousands(findings.len() as u64))
    } else {
        format!("{} on {}", kinds.join(", "), counted(totals.pages as u64, "page"))
    };
    let (pages, links) = (counted(coverage.pages, "page"), counted(coverage.links, "link"));
    format!("{found}; checked {pages} with {links}")
}

#[cfg(test)]
mod tests {
    use crate::audit::Rule;

    use super::*;
    use crate::report::tests::{broken, finding};

    #[test]
    fn the_summary_counts() {
        let coverage = Coverage { pages: 1, links: 1_234_567, unlisted: &[], unsearched: 0 };
        let warning = finding(Rule::BadTel, Level::Warn, "b");
        let findings = [broken("a", "x"), broken("a", "x"), warning];
        assert_eq!(
            summary(&findings, coverage),
            "2 errors, 1 warning on 2 pages; checked 1 page with 1,234,567 links"
        );
        assert_eq!(summary(&[], coverage), "no findings; checked 1 page with 1,234,567 links");
        let unlisted = &[
            Unlisted { rule: Rule::BrokenLink, level: Level::Error, count: 1998 },
            Unlisted { rule: Rule::BadTel, level: Level::Warn, count: 1 },
        ];
        let coverage = Coverage { unlisted, unsearched: 1, ..coverage };
        assert_eq!(
            summary(&findings, coverage),
            "2,000 errors, 2 warnings, 3 listed; checked 1 page with 1,234,567 links"
        );
        assert_eq!(
            coverage.not_listed(Level::Error).as_deref(),
            Some(
                "not listed: 1,998 broken-link; raise --max-findings or --max-findings-size to \
                 list them"
            )
        );
    }
}
