//! The summary of a report: the numbers of pages, links and findings, and remarks on them.

use crate::report::{are_of_one_page, counted, printable, thousands, view};
use crate::{AuditReport, Finding, Level, LikelyBase, LinkTotals, Unlisted};

/// Describes the extent of an audit: its pages, links and findings.
#[derive(Clone, Copy)]
pub(super) struct Coverage<'a> {
    pub(super) audited: &'a AuditReport,
}

impl Coverage<'_> {
    /// Describes the numbers of pages and links; of files instead, if there are no pages.
    pub(super) fn describe_documents(self) -> String {
        let AuditReport { pages, files, .. } = *self.audited;
        let documents = match (pages, files) {
            (0, 1..) => counted(files, "file"),
            _ => counted(pages, "page"),
        };
        format!("{documents} with {}", counted(self.audited.links, "link"))
    }

    /// Describes the numbers of unlisted findings of at least this level, by rule.
    pub(super) fn describe_unlisted(self, min_level: Level) -> Option<String> {
        let of_level = self.audited.unlisted.iter().filter(|unlisted| unlisted.level >= min_level);
        let rules: Vec<String> = of_level
            .map(|Unlisted { rule, count, .. }| format!("{} {}", thousands(*count), rule.id()))
            .collect();
        (!rules.is_empty()).then(|| {
            let rules = rules.join(", ");
            format!("not listed: {rules}; raise --limit findings or findings-size to list them")
        })
    }

    /// Describes the number of targets without a search for hints.
    pub(super) fn describe_unsearched(self) -> Option<String> {
        let targets = counted(self.audited.unsearched, "broken target");
        (self.audited.unsearched > 0)
            .then(|| format!("no similar names searched for {targets}: too many of them"))
    }

    /// Returns the remarks that accompany the summary.
    pub(super) fn remarks(self) -> impl Iterator<Item = String> {
        let remarks =
            [self.describe_unlisted(Level::Note), self.describe_unsearched(), self.base_url_hint()];
        remarks.into_iter().flatten()
    }

    /// Asks whether a base URL is missing or wrong, with the reason.
    pub(super) fn base_url_hint(self) -> Option<String> {
        let LikelyBase { segment, links, of, base_url, .. } = self.audited.likely_base.as_ref()?;
        let (segment, links) = (printable(segment), thousands(*links));
        if let Some(url) = base_url {
            let (url, of) = (printable(url), counted(*of, "link"));
            return Some(format!(
                "the base URL is probably wrong, did you mean --base-url {url}? {links} of {of} with \
                 a slash in front lead to files of the folder only with that"
            ));
        }
        let of = counted(*of, "broken link");
        Some(format!(
            "did you mean --base-url …/{segment}/? The folder has no '{segment}', and {links} of {of} \
             with a slash in front lead there"
        ))
    }

    /// Describes the numbers of findings, pages and links in one line.
    pub(super) fn summary(self, findings: &[Finding]) -> String {
        let totals = Totals::new(findings, self);
        let kinds =
            [("error", totals.errors), ("warning", totals.warnings), ("note", totals.notes)];
        let kinds: Vec<String> = kinds
            .into_iter()
            .filter(|&(_, count)| count > 0)
            .map(|(name, count)| counted(count, name))
            .collect();
        let found = if kinds.is_empty() {
            "no findings".to_owned()
        } else if !self.audited.unlisted.is_empty() {
            // The pages of the findings that are not listed are unknown.
            format!("{}, {} listed", kinds.join(", "), thousands(findings.len() as u64))
        } else {
            format!(
                "{} on {}",
                kinds.join(", "),
                counted(totals.pages as u64, view::choose_noun(findings))
            )
        };
        format!(
            "{found}; checked {}{}",
            self.describe_documents(),
            describe_scopes(self.audited.by_scope)
        )
    }

    /// Returns the highest level of the findings that are not listed.
    pub(super) fn worst_unlisted(self) -> Option<Level> {
        self.audited.unlisted.iter().map(|unlisted| unlisted.level).max()
    }
}

/// The number of findings of each level, and the number of pages with listed findings.
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
        let unlisted =
            coverage.audited.unlisted.iter().map(|unlisted| (unlisted.level, unlisted.count));
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

/// Describes the links by their scope, such as ` (9 internal, 1 external)`; empty without links.
fn describe_scopes(totals: LinkTotals) -> String {
    let LinkTotals { internal, external, outside, ignored, .. } = totals;
    let scopes = [
        (internal, "internal"),
        (external, "external"),
        (outside, "outside"),
        (ignored, "ignored"),
    ];
    let scopes = scopes.into_iter().filter(|(count, _)| *count > 0);
    let scopes: Vec<String> =
        scopes.map(|(count, scope)| format!("{} {scope}", thousands(count))).collect();
    if scopes.is_empty() { String::new() } else { format!(" ({})", scopes.join(", ")) }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rule;
    use crate::report::tests::{broken, finding};

    #[test]
    fn the_summary_counts_links_by_where_they_lead() {
        let mut audited = AuditReport { pages: 1, links: 1_006, ..AuditReport::default() };
        let totals = &mut audited.by_scope;
        (totals.internal, totals.external, totals.ignored) = (1_000, 4, 2);
        assert_eq!(
            Coverage { audited: &audited }.summary(&[]),
            "no findings; checked 1 page with 1,006 links (1,000 internal, 4 external, 2 ignored)"
        );
        assert_eq!(Coverage { audited: &audited }.base_url_hint(), None);
    }

    #[test]
    fn the_summary_counts() {
        let mut audited = AuditReport { pages: 1, links: 1_234_567, ..AuditReport::default() };
        let coverage = Coverage { audited: &audited };
        let warning = finding(Rule::BadTel, Level::Warn, "b");
        let findings = [broken("a", "x"), broken("a", "x"), warning];
        assert_eq!(
            coverage.summary(&findings),
            "2 errors, 1 warning on 2 pages; checked 1 page with 1,234,567 links"
        );
        assert_eq!(coverage.summary(&[]), "no findings; checked 1 page with 1,234,567 links");
        audited.unlisted = vec![
            Unlisted { rule: Rule::BrokenLink, level: Level::Error, count: 1998 },
            Unlisted { rule: Rule::BadTel, level: Level::Warn, count: 1 },
        ];
        audited.unsearched = 1;
        let coverage = Coverage { audited: &audited };
        assert_eq!(
            coverage.summary(&findings),
            "2,000 errors, 2 warnings, 3 listed; checked 1 page with 1,234,567 links"
        );
        assert_eq!(
            coverage.describe_unlisted(Level::Error).as_deref(),
            Some(
                "not listed: 1,998 broken-link; raise --limit findings or findings-size to \
                 list them"
            )
        );
    }
}
