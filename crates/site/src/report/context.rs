//! The data of a report besides its findings: the audit, its baseline, and options.

use std::path::{Component, Path, PathBuf};

use absolve::setters;
use absolve_files::with_slashes;
use encoding_rs::Encoding;

use crate::report::{BaselineDiff, Coverage, History, SourceUrl, counted, thousands};
use crate::{AuditReport, Finding, Level, Safety, SourceLine};

/// Reads the file of a finding; returns `None` if it cannot be read.
pub(super) type ReadSource<'a> = &'a dyn Fn(&Path) -> Option<Vec<u8>>;

/// The data of a report besides its findings: the audit's coverage, a baseline, and options.
///
/// By default, a report has no color, no maximum width, no excerpts, no level that fails, no
/// baseline, all findings, no name and no history.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub(super) color: Color,
    pub(super) width: usize,
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
    pub(super) sources: Option<RepositoryPaths<'a>>,
    pub(super) about: About<'a>,
    pub(super) source_url: Option<&'a SourceUrl>,
}

/// A folder as findings show it, and its path in a repository.
#[derive(Clone, Copy)]
pub(super) struct RepositoryPaths<'a> {
    /// The folder as findings show it.
    pub(super) folder: &'a Path,
    /// The path of the folder, relative to the root of the repository.
    pub(super) in_repository: &'a Path,
}

/// Whether the text report contains escape sequences for color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// With color.
    Yes,
    /// Without color.
    No,
}

/// The extent of the text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All findings, and a summary.
    Full,
    /// Findings of level error, without a summary.
    Errors,
}

impl<'a> Context<'a> {
    /// Creates the context of an audit's findings.
    #[must_use]
    pub fn new(audited: &'a AuditReport) -> Self {
        Self {
            color: Color::No,
            width: usize::MAX,
            source: None,
            encoding: None,
            fail_on: None,
            coverage: Coverage { audited },
            diff: None,
            detail: Detail::Full,
            site: None,
            history: None,
            repository: None,
            sources: None,
            about: About::default(),
            source_url: None,
            applied: None,
            applied_unlisted: 0,
        }
    }

    setters! {
        /// Sets whether the text report is colored; by default, it is not.
        pub fn color(color: Color) => color = color;

        /// Sets the columns of the terminal, to which the text report wraps and cuts its lines. By
        /// default, lines are not wrapped, and lines of source have at most 100 columns.
        pub fn width(columns: usize) => width = columns;

        /// Sets the function that reads the files of findings, so that the text report and the HTML
        /// page can show lines of source.
        ///
        /// Without it, they show only the reference.
        pub fn source(read: &'a dyn Fn(&Path) -> Option<Vec<u8>>) => source = Some(read);

        /// Sets the encoding of files that declare none.
        pub fn encoding(encoding: Option<&'static Encoding>) => encoding = encoding;

        /// Sets the lowest level that fails the audit; by default, no level does.
        pub fn fail_on(level: Option<Level>) => fail_on = level;

        /// Sets the comparison with a baseline; by default, there is no baseline.
        pub fn baseline(diff: Option<&'a BaselineDiff>) => diff = diff;

        /// Sets the extent of the text report; [`Detail::Full`] by default.
        #[doc(hidden)]
        pub fn detail(detail: Detail) => detail = detail;

        /// Sets the name of the site, for the title of the HTML page; by default, it has none.
        pub fn site(name: Option<&'a str>) => site = name;

        /// Sets the facts about the run that the HTML page shows; by default, none.
        pub fn about(about: About<'a>) => about = about;

        /// Sets the URLs of source lines, to which the HTML page links; by default, no links.
        pub fn source_url(template: Option<&'a SourceUrl>) => source_url = template;

        /// Sets the runs that the HTML page draws, this run included; by default, none.
        pub fn history(history: Option<&'a History>) => history = history;

        /// Sets the path of the site in a repository, for reports that code hosts read: its folder
        /// as findings show it, and the path relative to the root of the repository.
        ///
        /// By default, these reports have the paths that findings show.
        pub fn repository(site: &'a Path, in_repository: &'a Path) =>
            repository = Some(RepositoryPaths { folder: site, in_repository });

        /// Sets the path of the Markdown files of [`Finding::source`] in a repository, as
        /// [`repository`](Self::repository) does for the site.
        pub fn sources(folder: &'a Path, in_repository: &'a Path) =>
            sources = Some(RepositoryPaths { folder, in_repository });
    }

    /// Returns the path of a file in the repository, without `.` and inner `..` segments.
    pub(super) fn repository_path(&self, file: &Path) -> PathBuf {
        to_repository_path(self.repository, file)
    }

    /// Returns the file in the repository that an author edits to fix a finding, and the line in
    /// it: the Markdown source if it is known, else the page.
    pub(super) fn editable(&self, finding: &Finding) -> (PathBuf, Option<u64>) {
        match &finding.source {
            Some(SourceLine { file, line }) => (self.source_path(file), Some(*line)),
            None => (self.repository_path(&finding.file), finding.line),
        }
    }

    /// Returns the path of a Markdown source in the repository.
    pub(super) fn source_path(&self, source: &Path) -> PathBuf {
        to_repository_path(self.sources, source)
    }

    setters! {
        /// Sets the findings of an earlier audit whose fixes were applied; by default, none.
        pub fn applied(findings: &'a [Finding]) => applied = Some(findings);

        /// Sets the number of further findings whose fixes were applied; by default, 0.
        pub fn applied_unlisted(count: u64) => applied_unlisted = count;
    }

    /// Describes the number of findings that `--fix` fixes in one line, if there are any.
    fn describe_fixable(&self, findings: &[Finding]) -> Option<String> {
        let [safe, all] = [Safety::Safe, Safety::Unsafe].map(|max| count_fixable(findings, max));
        // Findings that are not listed may have fixes too.
        let prefix = if self.coverage.audited.unlisted.is_empty() { "" } else { "at least " };
        let more = counted(all - safe, "finding");
        match (safe, all - safe) {
            (0, 0) => None,
            (_, 0) => Some(format!("{prefix}{} fixable with --fix", counted(safe, "finding"))),
            (0, _) => Some(format!("{prefix}{more} fixable with --fix --unsafe-fixes")),
            (_, unsafe_only) => {
                let more = thousands(unsafe_only);
                let safe = counted(safe, "finding");
                let options = "with --fix --unsafe-fixes";
                Some(format!("{prefix}{safe} fixable with --fix, {more} more {options}"))
            }
        }
    }

    /// Returns the numbers of findings, pages and links, in one line.
    #[must_use]
    pub fn summary(&self, findings: &[Finding]) -> String {
        self.coverage.summary(findings)
    }

    /// Returns the lines before the summary: the numbers of findings that are fixed, known, not
    /// listed, without a search for hints, or fixable, and the base URL that may be missing.
    #[must_use]
    pub fn remarks(&self, findings: &[Finding]) -> Vec<String> {
        let applied = self.applied.map(|applied| applied.len() as u64 + self.applied_unlisted);
        let known = self.diff.map(|diff| diff.known).filter(|&known| known > 0);
        let lines = [
            applied.map(|count| format!("{} fixed", counted(count, "finding"))),
            known.map(|count| format!("{} left out by the baseline", counted(count, "finding"))),
        ];
        let lines = lines.into_iter().flatten().chain(self.coverage.remarks());
        lines.chain(self.describe_fixable(findings)).collect()
    }

    /// Returns the question whether a base URL is missing or wrong, if many broken links have a
    /// folder in front that the site does not have.
    #[must_use]
    pub fn base_url_hint(&self) -> Option<String> {
        self.coverage.base_url_hint()
    }

    /// Whether a finding, listed or not, reaches the level that fails the audit.
    #[must_use]
    pub fn fails(&self, findings: &[Finding]) -> bool {
        let worst = findings.iter().map(|finding| finding.level).max();
        let worst = worst.max(self.coverage.worst_unlisted());
        self.fail_on.zip(worst).is_some_and(|(fail_on, worst)| worst >= fail_on)
    }
}

/// Converts the path of a file in the folder to its path in the repository; normalizes any path.
fn to_repository_path(paths: Option<RepositoryPaths<'_>>, file: &Path) -> PathBuf {
    let joined = paths.and_then(|RepositoryPaths { folder, in_repository }| {
        file.strip_prefix(folder).ok().map(|rest| in_repository.join(rest))
    });
    let mut normalized = PathBuf::new();
    for part in joined.as_deref().unwrap_or(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(normalized.components().next_back(), Some(Component::Normal(_))) =>
            {
                normalized.pop();
            }
            part => normalized.push(part),
        }
    }
    with_slashes(normalized)
}

/// Counts the listed findings with a fix that is at least this certain.
pub(super) fn count_fixable(findings: &[Finding], safety: Safety) -> u64 {
    let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
    fixes.filter(|fix| fix.safety <= safety).count() as u64
}

/// Facts about a run, which the HTML page shows; a field without a value is omitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct About<'a> {
    /// The URL that the site is served at.
    pub base_url: Option<&'a str>,
    /// The server whose lookup rules apply.
    pub server: Option<&'a str>,
    /// The version of the site, such as a commit.
    pub revision: Option<&'a str>,
    /// The date of the audit, such as `2026-01-31T12:00:00Z`.
    pub date: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_path_in_the_repository() {
        let audited = AuditReport::default();
        let context = Context::new(&audited);
        let path = |context: &Context<'_>, file: &str| {
            context.repository_path(Path::new(file)).into_os_string().into_string().unwrap()
        };
        assert_eq!(path(&context, "./a/../two.html"), "two.html");
        assert_eq!(path(&context, "../two.html"), "../two.html");
        let context = context.repository(Path::new("/srv/site"), Path::new("docs"));
        assert_eq!(path(&context, "/srv/site/two.html"), "docs/two.html");
        assert_eq!(path(&context, "/other/two.html"), "/other/two.html");
        let context = context.sources(Path::new("../text"), Path::new("site/text"));
        assert_eq!(context.source_path(Path::new("../text/a.md")), Path::new("site/text/a.md"));
    }
}
