//! The report of an audit: its findings, and counts of findings and links.

use crate::{Finding, Level, Rule};

/// The findings of an audit, and what it covered.
#[derive(Debug, Default)]
pub struct AuditReport {
    /// The findings, in the order of [`Finding::order`].
    pub findings: Vec<Finding>,
    /// The numbers of findings beyond the limits [`size`](crate::FindingLimits::size) and
    /// [`findings`](crate::FindingLimits::findings), which are not listed, in the order of
    /// [`Rule::ALL`].
    pub unlisted: Vec<Unlisted>,
    /// The number of targets without a search for hints, because the effort of a run is limited.
    pub unsearched: u64,
    /// The number of pages.
    pub pages: u64,
    /// The number of audited files that are no pages: style sheets, SVG images, feeds and other
    /// XML.
    pub files: u64,
    /// The number of links in pages and files.
    pub links: u64,
    /// The numbers of links by their scope.
    pub by_scope: LinkTotals,
    /// The path that the site is probably served at; `None` unless many links with a leading slash
    /// are broken, or leave the base URL.
    pub likely_base: Option<LikelyBase>,
    /// Whether the monitor stopped the audit. The report is then incomplete.
    pub is_stopped: bool,
}

/// The numbers of links by their scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LinkTotals {
    /// Links into the site, and those without a target, such as an empty `src`.
    pub internal: u64,
    /// Links to other hosts, and those without a host, such as `mailto:`; no file is looked up.
    pub external: u64,
    /// Links to the host of the site outside the path of its base URL.
    pub outside: u64,
    /// Ignored links, by [`Audit::ignore_links`](crate::Audit::ignore_links) or a marker in a page.
    pub ignored: u64,
    /// Links into the site that begin with a slash.
    pub(crate) from_root: u64,
}

/// A path that a site is probably served at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LikelyBase {
    /// The first segment of the path as links spell it; with `base_url`, all segments.
    pub segment: String,
    /// The number of broken links inside the path; with `base_url`, of all links inside it.
    pub links: u64,
    /// The number of broken links that begin with a slash; with `base_url`, of all links that begin
    /// with a slash.
    pub of: u64,
    /// The base URL that fits the links, if the deployment has a different one.
    pub base_url: Option<String>,
}

/// The part of the web that a URL leads to, relative to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkScope {
    /// In the site.
    Internal,
    /// On the host of the site, outside the base path.
    Outside,
    /// On another host, or without a host.
    External,
}

impl LinkTotals {
    /// Counts a link by its scope, and also as a link from the root if it begins with a slash.
    pub(crate) fn add_reference(&mut self, scope: LinkScope, reference: &str) {
        self.add(scope);
        let is_from_root = scope == LinkScope::Internal && begins_at_root(reference);
        self.from_root += u64::from(is_from_root);
    }

    /// Counts a link by its scope.
    pub(crate) fn add(&mut self, scope: LinkScope) {
        match scope {
            LinkScope::Internal => self.internal += 1,
            LinkScope::Outside => self.outside += 1,
            LinkScope::External => self.external += 1,
        }
    }

    /// Returns the number of all links.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { internal, external, outside, ignored, .. } = self;
        internal + external + outside + ignored
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.internal += other.internal;
        self.external += other.external;
        self.outside += other.outside;
        self.ignored += other.ignored;
        self.from_root += other.from_root;
    }
}

/// Whether a reference is a path from the root of the host.
pub(crate) fn begins_at_root(reference: &str) -> bool {
    reference.starts_with('/') && !reference.starts_with("//")
}

/// The number of findings of each rule, in the order of [`Rule::ALL`]; empty if all are 0.
#[derive(Debug, Default)]
pub(crate) struct RuleCounts(Vec<u64>);

/// The number of findings of a rule that the report does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlisted {
    /// The rule of the findings.
    pub rule: Rule,
    /// The level of the rule in this audit.
    pub level: Level,
    /// The number of findings, at least 1.
    pub count: u64,
}

impl RuleCounts {
    pub(crate) fn add(&mut self, rule: Rule, count: u64) {
        // Most pages have no finding to count, so memory is allocated for the first.
        if self.0.is_empty() {
            self.0.resize(Rule::ALL.len(), 0);
        }
        self.0[rule as usize] += count;
    }

    pub(crate) fn append(&mut self, other: &Self) {
        for (rule, count) in other.iter() {
            self.add(rule, count);
        }
    }

    /// Returns the rules that have findings, with their numbers, in the order of [`Rule::ALL`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Rule, u64)> {
        let counts = Rule::ALL.iter().zip(&self.0);
        counts.map(|(rule, count)| (*rule, *count)).filter(|(_, count)| *count > 0)
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}
