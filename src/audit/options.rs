//! The options of an audit.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::audit::anchors::Ranges;
use crate::audit::external::ExternalStatuses;
use crate::audit::finding::Finding;
use crate::audit::forbidden::ForbiddenHost;
use crate::audit::ignore::LinkPattern;
use crate::audit::rules::{Level, Rule};
use crate::audit::site::Site;
use crate::audit::site::deployment::Deployment;
use crate::audit::site::files::path_of;
use crate::audit::site::server::Server;
use crate::batch::Failure;
use crate::container::Format;
use crate::container::warc::{ArchiveLimits, RecordSelection};
use crate::link::{BaseScope, Limits, Syntax};
use crate::rewrite::Rewriter;
use crate::url::Standard;

/// An audit and its options.
///
/// Its result does not depend on the number of threads.
///
/// The options are methods; the module has an [example](crate::audit).
#[derive(Debug, Clone)]
pub struct Audit {
    pub(crate) deployment: Deployment,
    pub(crate) server: Server,
    pub(crate) rewriter: Rewriter,
    /// In the order of [`Rule::ALL`].
    levels: Vec<Level>,
    pub(crate) ranges: Ranges,
    max_findings: usize,
    pub(crate) max_findings_size: usize,
    ignored: Vec<LinkPattern>,
    pub(crate) forbidden: Vec<ForbiddenHost>,
    /// Sorted.
    pub(crate) report_only: Option<Vec<usize>>,
    pub(crate) redirects_file: Option<PathBuf>,
    pub(crate) sitemap: Option<usize>,
    pub(crate) robots: Option<usize>,
    own_file: Option<OwnFile>,
    pub(crate) archive_limits: ArchiveLimits,
    pub(crate) records: RecordSelection,
    pub(crate) external: Option<Arc<ExternalStatuses>>,
}

/// Whether a file belongs to the audit, by its path and a function that reads it.
#[doc(hidden)]
pub type OwnFile = for<'r> fn(&Path, &dyn Fn() -> Option<Cow<'r, [u8]>>) -> bool;

/// Default maximum of findings kept per page and pass: a hostile page has a million, each several
/// times as long as its base URL.
pub const MAX_FINDINGS: usize = 10_000;

/// Default limit on the bytes of the findings of a run: 80 MiB, about 60,000 findings. Further
/// findings are counted.
pub const MAX_FINDINGS_SIZE: usize = 80 << 20;

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
            max_findings: MAX_FINDINGS,
            max_findings_size: MAX_FINDINGS_SIZE,
            ignored: Vec::new(),
            forbidden: Vec::new(),
            report_only: None,
            redirects_file: None,
            sitemap: None,
            robots: None,
            own_file: None,
            archive_limits: ArchiveLimits::default(),
            records: RecordSelection::default(),
            external: None,
        }
    }

    /// Returns how an audit reads pages and resolves references unless [`Audit::rewriter`] is called:
    /// as browsers do. The standard is [`Standard::Whatwg`], and a `base` element counts anywhere in
    /// the document ([`BaseScope::Document`]); all else is [`Rewriter::new`].
    #[must_use]
    pub fn default_rewriter() -> Rewriter {
        Rewriter::new().standard(Standard::Whatwg).base_scope(BaseScope::Document)
    }

    /// Sets how pages are read and references resolved. Default: [`Audit::default_rewriter`]. Its base
    /// URL applies only if a container is audited alone, as the URL that the container was retrieved
    /// from.
    #[must_use]
    pub fn rewriter(mut self, rewriter: Rewriter) -> Self {
        self.rewriter = rewriter;
        self
    }

    /// Sets the level of a rule. Default: [`Rule::level`].
    #[must_use]
    pub fn level(mut self, rule: Rule, level: Level) -> Self {
        self.levels[rule as usize] = level;
        self
    }

    /// Sets whether a fragment may name a range of anchors. Default: [`Ranges::Refused`].
    #[must_use]
    pub fn anchor_ranges(mut self, ranges: Ranges) -> Self {
        self.ranges = ranges;
        self
    }

    /// Sets the maximum of findings kept per page and pass. Default: [`MAX_FINDINGS`]; 0 is
    /// unlimited. Truncation is reported as `unreadable`.
    #[must_use]
    pub fn max_findings(mut self, most: usize) -> Self {
        self.max_findings = most;
        self
    }

    /// Sets the approximate limit on the bytes of all findings. Default: [`MAX_FINDINGS_SIZE`]; 0
    /// is unlimited. The first findings in the order of files are listed, and all are counted.
    #[must_use]
    pub fn max_findings_size(mut self, bytes: usize) -> Self {
        self.max_findings_size = bytes;
        self
    }

    /// Sets the links to ignore.
    #[must_use]
    pub fn ignore_links(mut self, patterns: Vec<LinkPattern>) -> Self {
        self.ignored = patterns;
        self
    }

    /// Sets the hosts that links must not lead to ([`Rule::ForbiddenHost`]). Default: none.
    #[must_use]
    pub fn forbid_hosts(mut self, hosts: Vec<ForbiddenHost>) -> Self {
        self.forbidden = hosts;
        self
    }

    /// Sets the pages to report on, by their numbers ([`Site::find`]). Default: all.
    #[must_use]
    pub fn report_only(mut self, mut pages: Vec<usize>) -> Self {
        pages.sort_unstable();
        self.report_only = Some(pages);
        self
    }

    /// Sets the file of the server's redirects, as findings show it. Default: its lines are not
    /// audited.
    #[must_use]
    pub fn redirects_file(mut self, file: PathBuf) -> Self {
        self.redirects_file = Some(file);
        self
    }

    /// Sets the sitemap to audit, by its number. Default: no sitemap.
    #[must_use]
    pub fn sitemap(mut self, file: impl Into<Option<usize>>) -> Self {
        self.sitemap = file.into();
        self
    }

    /// Sets the `robots.txt` whose sitemaps to audit too, by its number. Default: no such file.
    #[must_use]
    pub fn robots(mut self, file: impl Into<Option<usize>>) -> Self {
        self.robots = file.into();
        self
    }

    /// Sets how to recognize files that belong to the audit, such as reports, which are neither pages nor orphans.
    /// Default: none is recognized.
    #[must_use]
    #[doc(hidden)]
    pub fn own_file(mut self, is_own: OwnFile) -> Self {
        self.own_file = Some(is_own);
        self
    }

    /// Sets which documents of a web archive are audited. Default: all. The others are targets, with
    /// their anchors.
    #[must_use]
    pub fn records(mut self, records: RecordSelection) -> Self {
        self.records = records;
        self
    }

    /// Sets the limits on records of web archives. Default: [`ArchiveLimits::default`].
    #[must_use]
    pub fn archive_limits(mut self, archive_limits: ArchiveLimits) -> Self {
        self.archive_limits = archive_limits;
        self
    }

    /// Sets the answers that a link checker got for URLs outside the site. Default: absolve does not
    /// check these URLs.
    #[must_use]
    pub fn external_statuses(mut self, statuses: ExternalStatuses) -> Self {
        self.external = Some(Arc::new(statuses));
        self
    }

    /// Whether a page with so many findings may have another.
    pub(crate) fn keeps(&self, findings: usize) -> bool {
        !Limits::exceeds(self.max_findings, findings + 1)
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

    /// A finding about a file as a whole.
    pub(crate) fn finding(&self, rule: Rule, file: PathBuf, message: impl Into<String>) -> Finding {
        Finding::new(rule, self.level_of(rule), file, message.into())
    }

    /// Whether findings of a file are reported.
    pub(crate) fn reports(&self, file: usize) -> bool {
        self.report_only.as_ref().is_none_or(|pages| pages.binary_search(&file).is_ok())
    }

    pub(crate) fn ignores_some(&self) -> bool {
        !self.ignored.is_empty()
    }

    /// Whether a link with this reference and URL is ignored.
    pub(crate) fn ignores<'u>(
        &self,
        reference: &str,
        url: impl FnOnce() -> Option<&'u str>,
    ) -> bool {
        self.ignores_some() && {
            let url = url().map(|url| self.deployment.shown(url));
            self.ignored.iter().any(|pattern| pattern.matches(reference, url))
        }
    }

    /// The URL that a file is served at.
    pub(crate) fn url_of(&self, file: usize, site: &Site) -> String {
        let path = site.path(file);
        self.deployment.page_url(&path_of(path))
    }

    /// The rewriter for a page or a style sheet.
    pub(crate) fn rewriter_for(&self, file: usize, site: &Site) -> Result<Rewriter, Failure> {
        let rewriter = match site.format(file) {
            // The options are for pages: every URL of a style sheet is a link.
            _ if site.is_style(file) => {
                let limits = Limits { links: 0, reference: 0, ..self.limits() };
                Rewriter::new().standard(self.standard()).limits(limits).syntax(Syntax::Css)
            }
            Format::Xml => self.rewriter.clone().syntax(Syntax::Xml),
            _ => self.rewriter.clone(),
        };
        Ok(rewriter.base_url(&self.url_of(file, site))?)
    }

    /// The rewriter for a document in a container, whose URL is not known otherwise.
    pub(crate) fn rewriter_for_baseless(
        &self,
        file: usize,
        site: &Site,
    ) -> Result<Rewriter, Failure> {
        let given = self.rewriter.settings().below.base().is_some();
        if given { Ok(self.rewriter.clone()) } else { self.rewriter_for(file, site) }
    }

    /// Whether a file belongs to the audit; `read` returns its bytes.
    pub(crate) fn is_own_file<'r>(
        &self,
        path: &Path,
        read: &dyn Fn() -> Option<Cow<'r, [u8]>>,
    ) -> bool {
        self.own_file.is_some_and(|is_own| is_own(path, read))
    }
}
