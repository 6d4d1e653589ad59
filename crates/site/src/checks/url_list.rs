//! Audits a file that lists URLs: a sitemap, `robots.txt`, or a web app manifest.

use std::ops::Range;

use absolve::grammar::Grammar;
use absolve::url::Base;
use absolve::url::rfc1808::scheme_end;
use absolve::{BaseSource, encoding};
use absolve_files::{Failure, FileBuffers};
use encoding_rs::UTF_8;

use crate::checks::documents::report_unreadable;
use crate::{
    AuditContext, Collector, Meant, Occurrence, OccurrenceUrl, PageAuditor, PageReading, Pass,
    Problem, Requesters, Rule, Turn, Wording,
};

/// Whether the positions of URLs in the file are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Positions {
    Known,
    /// The file is compressed.
    Unknown,
}

/// The kind of an entry that names a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedEntry {
    /// A `loc` of a sitemap in XML, or a line of a sitemap in text.
    Loc,
    /// A `Sitemap` line of `robots.txt`.
    SitemapLine,
    /// An image of a web app manifest.
    Icon,
}

impl ListedEntry {
    /// Returns the name of the element in findings.
    fn element(self) -> &'static str {
        match self {
            Self::Loc => "loc",
            Self::SitemapLine => "sitemap",
            Self::Icon => "icon",
        }
    }

    /// Returns the message about a URL that is not absolute.
    fn relative_message(self, url: &str) -> &'static str {
        match self {
            Self::Loc if url.is_empty() => "an empty URL: a sitemap needs absolute URLs",
            Self::Loc => "a relative URL: a sitemap needs absolute URLs",
            Self::SitemapLine | Self::Icon => {
                "a relative URL: robots.txt needs the absolute URL of a sitemap"
            }
        }
    }
}

/// Calls `visit` with the bytes of a file, the auditor of its URLs, and the URL of the file;
/// returns whether the whole file could be read.
pub(crate) fn audit_list(
    context: &AuditContext<'_>,
    file: usize,
    collector: &mut Collector<'_, '_>,
    visit: impl FnOnce(&[u8], &mut PageAuditor<'_>, Option<&Base>) -> (Positions, Result<(), Failure>),
) -> bool {
    let mut file_buffers = FileBuffers::default();
    let reading = PageReading { pass: Pass::Read, requester: Requesters::NONE, turn: Turn::Alone };
    let mut auditor = PageAuditor::start(context, file, reading);
    // The file may be outside the audited folder.
    auditor.sink.is_reported = context.audit.reports(file);
    let read = context.site.read_into(file, &mut file_buffers, &context.audit.limits());
    let source = file_buffers.source();
    let base = Base::new(&context.audit.url_of(file, context.site)).ok();
    let (positions, read) = match read {
        Ok(()) => visit(source, &mut auditor, base.as_ref()),
        Err(failure) => (Positions::Known, Err(failure)),
    };
    if let Err(failure) = &read {
        report_unreadable(&mut auditor, failure);
    }
    if positions == Positions::Unknown {
        auditor.sink.findings.drafts.iter_mut().for_each(|draft| draft.finding.span = None);
    }
    let detected = encoding::detect(source, Some(UTF_8));
    collector.add_page(auditor.into_result(source, detected).findings);
    read.is_ok()
}

/// Whether a URL is absolute; crawlers ignore relative URLs in these files.
pub(crate) fn is_absolute(url: &str) -> bool {
    scheme_end(url).is_some()
}

/// A URL that a file lists.
pub(crate) struct ListedUrl<'a> {
    pub(crate) entry: ListedEntry,
    pub(crate) url: &'a str,
    pub(crate) span: Range<usize>,
    /// The URL of the file.
    pub(crate) base: Option<&'a Base>,
}

impl ListedUrl<'_> {
    /// Audits a URL that has to be absolute.
    pub(crate) fn audit_absolute(&self, auditor: &mut PageAuditor<'_>) {
        let Self { entry, url, base, .. } = *self;
        let link = self.to_occurrence();
        if is_absolute(url) {
            auditor.audit_link(&link);
            return;
        }
        if auditor.context.audit.ignores(url, || Some(url)) {
            return;
        }
        let mut problem = Problem::new(Rule::InvalidReference, entry.relative_message(url));
        let is_nameless = auditor.sink.lookup.deployment.is_nameless();
        if let Some(base) = base.filter(|_| !is_nameless && !url.is_empty()) {
            let absolute = Meant::Reference(base.resolve_rfc1808(url, |_| {}));
            problem = problem.proposing(absolute, Wording::Write, None);
        }
        auditor.sink.add_link(&link, None, problem);
    }

    /// Audits a URL that may be relative to the file.
    pub(crate) fn audit_relative(&self, auditor: &mut PageAuditor<'_>) {
        let standard = auditor.sink.lookup.standard;
        let Ok(resolution) = standard.resolve(self.base, self.url) else { return };
        let url_source = OccurrenceUrl::To(resolution.url());
        auditor.audit_link(&Occurrence { url_source, ..self.to_occurrence() });
    }

    /// Returns the URL as a link.
    pub(crate) fn to_occurrence(&self) -> Occurrence<'_> {
        Occurrence {
            element: Some(self.entry.element()),
            attribute: None,
            grammar: Grammar::Url,
            reference: self.url,
            span: self.span.clone(),
            base: self.base,
            base_source: BaseSource::RetrievalUrl,
            url_source: OccurrenceUrl::To(Some(self.url)),
            is_nested: false,
            sibling: &|_| None,
        }
    }
}
