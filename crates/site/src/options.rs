//! The options of an audit.

use std::path::PathBuf;
use std::sync::Arc;

use absolve::grammar::Grammar;
use absolve::url::Standard;
use absolve::{
    BaseScope, LimitRow, Limits, LinkPattern, Rewriter, Syntax, internal::is_template, limits,
    setters,
};
use absolve_files::Failure;
use encoding_rs::Encoding;

use crate::{
    Deployment, ExternalStatuses, Finding, ForbiddenHost, Level, Ranges, Rule, Server, Site,
    path_of,
};

/// An audit and its options.
///
/// The result of an audit does not depend on the number of threads.
///
/// The options are methods; the module has an [example](crate).
#[derive(Debug, Clone)]
pub struct Audit {
    #[doc(hidden)]
    pub deployment: Deployment,
    pub(crate) server: Server,
    pub(crate) rewriter: Rewriter,
    /// In the order of [`Rule::ALL`].
    levels: Vec<Level>,
    pub(crate) ranges: Ranges,
    pub(crate) findings: FindingLimits,
    ignored: Vec<LinkPattern>,
    pub(crate) forbidden: Vec<ForbiddenHost>,
    /// The numbers of the pages to report on, sorted; `None` for all.
    pub(crate) report_only: Option<Vec<usize>>,
    pub(crate) redirects_files: Vec<PathBuf>,
    pub(crate) sitemap: Option<usize>,
    pub(crate) robots: Option<usize>,
    pub(crate) external: Option<Arc<ExternalStatuses>>,
}

limits! {
    /// Limits on the findings of an audit; 0 is unlimited.
    FindingLimits;

    /// Findings kept per page and pass; 10,000. A hostile page has a million, each several times as
    /// long as its base URL. Truncation is reported as `unreadable`.
    findings = 10_000, LimitRow::new("findings", "the limit for findings", "Findings per page", &["audit"]);
    /// Approximate bytes of all findings of a run; 80 MiB, about 60,000 findings. The report lists
    /// the first ones in the order of files, and counts all.
    size = 80 << 20,
        LimitRow::new("findings-size", "the limit for all findings",
            "Memory for all findings; the report counts the rest by rule", &["audit"]);
}

impl Audit {
    /// Creates an audit of a site at this deployment and server, with default options.
    #[must_use]
    pub fn new(deployment: Deployment, server: Server) -> Self {
        Self {
            deployment,
            server,
            rewriter: Self::default_rewriter(),
            levels: Rule::ALL.iter().map(|rule| rule.level()).collect(),
            ranges: Ranges::default(),
            findings: FindingLimits::default(),
            ignored: Vec::new(),
            forbidden: Vec::new(),
            report_only: None,
            redirects_files: Vec::new(),
            sitemap: None,
            robots: None,
            external: None,
        }
    }

    /// Returns the default rewriter of an audit, which reads pages and resolves references as
    /// browsers do: by [`Standard::Whatwg`], with `base` elements in effect anywhere in the
    /// document ([`BaseScope::Document`]). Its other settings are those of [`Rewriter::new`].
    #[must_use]
    pub fn default_rewriter() -> Rewriter {
        Rewriter::new().standard(Standard::Whatwg).base_scope(BaseScope::Document)
    }

    setters! {
        /// Sets the rewriter, which reads pages and resolves references. Default:
        /// [`Audit::default_rewriter`]. The deployment determines the base URL of each page.
        pub fn rewriter(rewriter: Rewriter) => rewriter = rewriter;
    }

    /// Sets the level of a rule. Default: [`Rule::level`].
    #[must_use]
    pub fn level(mut self, rule: Rule, level: Level) -> Self {
        self.levels[rule as usize] = level;
        self
    }

    setters! {
        /// Sets the ranges of anchors that a fragment may name. Default: [`Ranges::Numbers`].
        pub fn anchor_ranges(ranges: Ranges) => ranges = ranges;

        /// Sets the limits on findings. Default: [`FindingLimits::default`].
        pub fn finding_limits(limits: FindingLimits) => findings = limits;

        /// Sets the links to ignore.
        pub fn ignore_links(patterns: Vec<LinkPattern>) => ignored = patterns;

        /// Sets the hosts that links must not lead to ([`Rule::ForbiddenHost`]). Default: none.
        pub fn forbid_hosts(hosts: Vec<ForbiddenHost>) => forbidden = hosts;
    }

    /// Sets the pages to report on, by their numbers ([`Site::find`]). Default: all.
    #[must_use]
    pub fn report_only(mut self, mut pages: Vec<usize>) -> Self {
        pages.sort_unstable();
        self.report_only = Some(pages);
        self
    }

    /// Adds a file of the server's redirects, as findings show it, in the order of the rules.
    /// Default: its lines are not audited.
    #[must_use]
    pub fn redirects_file(mut self, file: PathBuf) -> Self {
        self.redirects_files.push(file);
        self
    }

    setters! {
        /// Sets the sitemap to audit, by its number. Default: no sitemap.
        pub fn sitemap(file: impl Into<Option<usize>>) => sitemap = file.into();

        /// Sets the `robots.txt` whose sitemaps to audit too, by its number. Default: no such file.
        pub fn robots(file: impl Into<Option<usize>>) => robots = file.into();

        /// Sets the answers that a link checker got for URLs outside the site. Default: absolve
        /// does not check these URLs.
        pub fn external_statuses(statuses: ExternalStatuses) => external = Some(Arc::new(statuses));
    }

    /// Whether a page with this number of findings may have another.
    pub(crate) fn allows_another_finding(&self, findings: usize) -> bool {
        !Limits::exceeds(self.findings.findings, findings + 1)
    }

    pub(crate) fn standard(&self) -> Standard {
        self.rewriter.settings().standard
    }

    pub(crate) fn limits(&self) -> Limits {
        self.rewriter.settings().limits
    }

    pub(crate) fn encoding(&self) -> Option<&'static Encoding> {
        self.rewriter.settings().encoding
    }

    /// Whether references are compared by RFC 1808 and the URL Standard.
    pub(crate) fn compares_standards(&self) -> bool {
        self.level_of(Rule::StandardsDiffer) != Level::Off
    }

    pub(crate) fn level_of(&self, rule: Rule) -> Level {
        self.levels[rule as usize]
    }

    /// Creates a finding about a file as a whole.
    pub(crate) fn finding(&self, rule: Rule, file: PathBuf, message: impl Into<String>) -> Finding {
        Finding::new(rule, self.level_of(rule), file, message.into())
    }

    /// Whether the audit has a sitemap, or a `robots.txt` that may name one.
    pub(crate) fn has_sitemap(&self) -> bool {
        self.sitemap.is_some() || self.robots.is_some()
    }

    /// Whether findings of a file are reported.
    pub(crate) fn reports(&self, file: usize) -> bool {
        self.report_only.as_ref().is_none_or(|pages| pages.binary_search(&file).is_ok())
    }

    pub(crate) fn has_ignore_patterns(&self) -> bool {
        !self.ignored.is_empty()
    }

    /// Whether a link with this reference and URL is ignored.
    #[doc(hidden)]
    pub fn ignores<'u>(&self, reference: &str, url: impl FnOnce() -> Option<&'u str>) -> bool {
        self.has_ignore_patterns() && {
            let url = url().map(|url| self.deployment.shown(url));
            self.ignored.iter().any(|pattern| pattern.matches(reference, url))
        }
    }

    /// Whether a value of several references is ignored because it contains a template.
    pub(crate) fn ignores_value(&self, grammar: Grammar, value: &str) -> bool {
        is_template(&self.ignored, grammar, value)
    }

    /// Returns the URL that the server has for a file.
    pub(crate) fn url_of(&self, file: usize, site: &Site) -> String {
        let path = site.path(file);
        self.deployment.page_url(&path_of(path))
    }

    /// Creates the rewriter for a document, with its syntax and base URL.
    pub(crate) fn rewriter_for(&self, file: usize, site: &Site) -> Result<Rewriter, Failure> {
        let rewriter = match site.format(file).syntax() {
            // The rewriter's options select links of pages; every URL of a style sheet is a link.
            _ if site.is_style(file) => {
                let mut limits = self.limits();
                (limits.links, limits.reference) = (0, 0);
                Rewriter::new().standard(self.standard()).limits(limits).syntax(Syntax::Css)
            }
            Some(Syntax::Xml) => self.rewriter.clone().syntax(Syntax::Xml),
            _ => self.rewriter.clone(),
        };
        Ok(rewriter.base_url(&self.url_of(file, site))?)
    }
}
