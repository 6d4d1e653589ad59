//! What a report needs besides the findings: the coverage of the audit, the baseline, the options.

use std::path::{Component, Path, PathBuf};

use encoding_rs::Encoding;

use super::baseline::BaselineDiff;
use super::color::Color;
use super::display::{counted, printable, thousands};
use super::history::History;
use super::view::are_of_one_page;
use crate::audit::{AuditReport, Finding, Level, LikelyBase, LinkTotals, Safety, Unlisted};

/// Reads the bytes of a file of a finding; `None` if that is not possible.
pub(super) type ReadSource<'a> = &'a dyn Fn(&Path) -> Option<Vec<u8>>;

/// What a report needs besides the findings, and its options.
///
/// Unless set: no color, no lines of source, no level that fails, no baseline, every finding, no
/// name, no history.
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
    pub(super) applied_unlisted: u64,
    pub(super) site: Option<&'a str>,
    pub(super) history: Option<&'a History>,
    pub(super) repository: Option<RepositoryPaths<'a>>,
}

/// Where the files of a site are in a repository.
#[derive(Clone, Copy)]
pub(super) struct RepositoryPaths<'a> {
    /// The folder of the site as findings show it.
    pub(super) site: &'a Path,
    /// The same folder, relative to the root of the repository.
    pub(super) below: &'a Path,
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
    /// Style sheets in messages and archives.
    style_sheets: u64,
    pub(super) links: u64,
    pub(super) by_scope: LinkTotals,
    pub(super) likely_base: Option<&'a LikelyBase>,
    /// Findings that are counted and not listed.
    pub(super) unlisted: &'a [Unlisted],
    /// The number of targets without a search for hints.
    pub(super) unsearched: u64,
}

impl Coverage<'_> {
    /// The numbers of pages and links. Style sheets count where there is no page.
    pub(super) fn text(&self) -> String {
        let documents = match (self.pages, self.style_sheets) {
            (0, 1..) => counted(self.style_sheets, "style sheet"),
            (pages, _) => counted(pages, "page"),
        };
        format!("{documents} with {}", counted(self.links, "link"))
    }
}

impl<'a> Context<'a> {
    /// Creates the context of an audit's findings.
    #[must_use]
    pub fn new(audited: &'a AuditReport) -> Self {
        let AuditReport { unlisted, likely_base, .. } = audited;
        let coverage = Coverage {
            pages: audited.pages,
            style_sheets: audited.style_sheets,
            links: audited.links,
            by_scope: audited.by_scope,
            likely_base: likely_base.as_ref(),
            unlisted,
            unsearched: audited.unsearched,
        };
        Self {
            color: Color::No,
            source: None,
            encoding: None,
            fail_on: None,
            coverage,
            diff: None,
            detail: Detail::Full,
            site: None,
            history: None,
            repository: None,
            applied: None,
            applied_unlisted: 0,
        }
    }

    /// Sets whether the text report is colored; it is not by default.
    #[must_use]
    pub fn color(mut self, color: Color) -> Self {
        self.color = color;
        self
    }

    /// Sets how the text report and the report page read the files of findings, to show the lines
    /// that they are on.
    ///
    /// Without it, they show the reference alone.
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

    /// Sets the name of what was audited, for the title of the report page; it has no name by
    /// default.
    #[must_use]
    pub fn site(mut self, name: Option<&'a str>) -> Self {
        self.site = name;
        self
    }

    /// Sets the runs that the report page draws, this one among them; none by default.
    #[must_use]
    pub fn history(mut self, history: Option<&'a History>) -> Self {
        self.history = history;
        self
    }

    /// Sets where the site is in a repository, for reports that code hosts read: the folder of the
    /// site as findings show it, and its path relative to the root of the repository.
    ///
    /// By default, these reports have the paths of the findings.
    #[must_use]
    pub fn repository(mut self, site: &'a Path, below: &'a Path) -> Self {
        self.repository = Some(RepositoryPaths { site, below });
        self
    }

    /// The path of a file in the repository, without `.` and inner `..` segments.
    pub(super) fn repository_path(&self, file: &Path) -> PathBuf {
        let below = self.repository.and_then(|RepositoryPaths { site, below }| {
            file.strip_prefix(site).ok().map(|rest| below.join(rest))
        });
        let mut normalized = PathBuf::new();
        for part in below.as_deref().unwrap_or(file).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir
                    if matches!(
                        normalized.components().next_back(),
                        Some(Component::Normal(_))
                    ) =>
                {
                    normalized.pop();
                }
                part => normalized.push(part),
            }
        }
        normalized
    }

    /// Sets the findings of an earlier audit whose fixes were applied; by default, none was.
    #[must_use]
    pub fn applied(mut self, findings: &'a [Finding]) -> Self {
        self.applied = Some(findings);
        self
    }

    /// Sets the number of further findings whose fixes were applied; by default, 0.
    #[must_use]
    pub fn applied_unlisted(mut self, count: u64) -> Self {
        self.applied_unlisted = count;
        self
    }

    /// Returns the number of listed findings that `--fix` fixes, in one line, if there are any.
    #[must_use]
    pub fn fixable(&self, findings: &[Finding]) -> Option<String> {
        let [safe, all] = [Safety::Safe, Safety::Unsafe].map(|most| count_fixable(findings, most));
        // Those that are not listed may have fixes too.
        let least = if self.coverage.unlisted.is_empty() { "" } else { "at least " };
        let more = counted(all - safe, "finding");
        match (safe, all - safe) {
            (0, 0) => None,
            (_, 0) => Some(format!("{least}{} fixable with --fix", counted(safe, "finding"))),
            (0, _) => Some(format!("{least}{more} fixable with --fix --unsafe-fixes")),
            (_, more) => {
                let more = thousands(more);
                let safe = counted(safe, "finding");
                Some(format!("{least}{safe} fixable with --fix, {more} more with --unsafe-fixes"))
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

    /// Returns the base URL that may be missing, as a question, if many broken links share a folder
    /// that does not exist.
    #[must_use]
    pub fn base_url_hint(&self) -> Option<String> {
        self.coverage.base_url_hint()
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

    /// What a reader of the summary has to know besides the numbers.
    pub(super) fn remarks(&self) -> impl Iterator<Item = String> {
        let remarks = [self.not_listed(Level::Note), self.not_searched(), self.base_url_hint()];
        remarks.into_iter().flatten()
    }

    /// The base URL that may be missing, as a question with its reason.
    pub(super) fn base_url_hint(&self) -> Option<String> {
        let LikelyBase { segment, links, of, .. } = self.likely_base?;
        let (segment, links) = (printable(segment), thousands(*links));
        let of = counted(*of, "broken link");
        Some(format!(
            "did you mean --base-url …/{segment}/? The folder has no '{segment}', and {links} of {of} \
             with a slash in front lead there"
        ))
    }

    /// The highest level of findings that are not listed.
    pub(super) fn worst_unlisted(&self) -> Option<Level> {
        self.unlisted.iter().map(|unlisted| unlisted.level).max()
    }
}

/// The number of listed findings with a fix that is at least this certain.
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
    format!("{found}; checked {}{}", coverage.text(), scopes(coverage.by_scope))
}

/// Where the links lead: ` (9 internal, 1 external)`; empty without links.
fn scopes(totals: LinkTotals) -> String {
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
    use crate::audit::Rule;

    use super::*;
    use crate::report::tests::{broken, finding};

    #[test]
    fn the_summary_counts_links_by_where_they_lead() {
        let mut audited = AuditReport { pages: 1, links: 1_006, ..AuditReport::default() };
        let totals = &mut audited.by_scope;
        (totals.internal, totals.external, totals.ignored) = (1_000, 4, 2);
        assert_eq!(
            Context::new(&audited).summary(&[]),
            "no findings; checked 1 page with 1,006 links (1,000 internal, 4 external, 2 ignored)"
        );
        assert_eq!(Context::new(&audited).base_url_hint(), None);
    }

    #[test]
    fn a_file_has_a_path_in_the_repository() {
        let audited = AuditReport::default();
        let context = Context::new(&audited);
        let path = |context: &Context<'_>, file: &str| {
            context.repository_path(Path::new(file)).to_string_lossy().replace('\\', "/")
        };
        assert_eq!(path(&context, "./a/../two.html"), "two.html");
        assert_eq!(path(&context, "../two.html"), "../two.html");
        let context = context.repository(Path::new("/srv/site"), Path::new("docs"));
        assert_eq!(path(&context, "/srv/site/two.html"), "docs/two.html");
        assert_eq!(path(&context, "/other/two.html"), "/other/two.html");
    }

    #[test]
    fn the_summary_counts() {
        let audited = AuditReport { pages: 1, links: 1_234_567, ..AuditReport::default() };
        let coverage = Context::new(&audited).coverage;
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
