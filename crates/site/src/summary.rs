//! The report of an audit: its findings, and their numbers by rule.

use crate::{Finding, Level, Rule};

/// The findings of an audit, and what it covered.
#[derive(Debug, Default)]
pub struct AuditReport {
    /// The findings, in the order of [`Finding::order`].
    pub findings: Vec<Finding>,
    /// Findings that are counted and not listed, by rule in the order of [`Rule::ALL`]: those
    /// beyond [`size`](crate::FindingLimits::size) and
    /// [`findings`](crate::FindingLimits::findings).
    pub unlisted: Vec<Unlisted>,
    /// Targets without a search for hints, because earlier searches used up the effort of a run.
    pub unsearched: u64,
    /// The number of pages.
    pub pages: u64,
    /// The number of the files of the folder that are no pages and are audited: style sheets,
    /// images, feeds and other XML.
    pub files: u64,
    /// The number of the links of all these.
    pub links: u64,
    /// The links by where they lead.
    pub by_scope: LinkTotals,
    /// The path that the site is probably served at: if no base URL is given, or if most links that
    /// begin with a slash lead outside of it.
    pub likely_base: Option<LikelyBase>,
    /// Whether the monitor stopped the audit, so that it is incomplete.
    pub is_stopped: bool,
}

/// The numbers of links by where they lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LinkTotals {
    /// Links into the site, and those without a target, such as an empty `src`.
    pub internal: u64,
    /// Links elsewhere, which are not looked up.
    pub external: u64,
    /// Links to the host of the site outside the path of its base URL.
    pub outside: u64,
    /// Links that [`Audit::ignore_links`](crate::Audit::ignore_links) leaves out.
    pub ignored: u64,
    /// Links into the site that begin with a slash.
    pub(crate) from_root: u64,
}

/// A path that a site is probably served at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LikelyBase {
    /// The first segment of the path, as links have it; with a base URL, all of them.
    pub segment: String,
    /// The number of broken links below it; with a base URL, of links below it.
    pub links: u64,
    /// The number of all broken links that begin with a slash; with a base URL, of all that begin
    /// so.
    pub of: u64,
    /// The base URL that fits, if another is given.
    pub base_url: Option<String>,
}

/// The place that a URL leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkScope {
    /// Into the site.
    Internal,
    /// To the host of the site, outside the base path.
    Outside,
    /// Elsewhere.
    External,
}

impl LinkTotals {
    /// Counts a link whose reference is not plain.
    pub(crate) fn add_reference(&mut self, scope: LinkScope, reference: &str) {
        self.add(scope);
        let is_from_root = scope == LinkScope::Internal && begins_at_root(reference);
        self.from_root += u64::from(is_from_root);
    }

    /// Counts a link.
    pub(crate) fn add(&mut self, scope: LinkScope) {
        match scope {
            LinkScope::Internal => self.internal += 1,
            LinkScope::Outside => self.outside += 1,
            LinkScope::External => self.external += 1,
        }
    }

    /// The number of all links.
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

/// The number of findings of each rule.
#[derive(Debug, Default)]
pub(crate) struct RuleCounts(Vec<u64>);

/// The number of findings of a rule that were counted and not listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlisted {
    /// Their rule.
    pub rule: Rule,
    /// The level of the rule in this audit.
    pub level: Level,
    /// Their number, which is not 0.
    pub count: u64,
}

impl RuleCounts {
    pub(crate) fn add(&mut self, rule: Rule, count: u64) {
        // Most pages have nothing to count.
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

    /// The rules that have findings, in the order of [`Rule::ALL`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Rule, u64)> {
        let counts = Rule::ALL.iter().zip(&self.0);
        counts.map(|(rule, count)| (*rule, *count)).filter(|(_, count)| *count > 0)
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.iter().sum()
    }
}
