//! Audits one page: reports findings that depend on it alone, and records the anchors that it
//! needs from other pages.

use std::sync::Arc;

use crate::audit::container::document::AuditedDocument;
use crate::audit::context::{
    AuditBuffers, AuditContext, PageReading, PageResult, Pass, Refresh, Requesters, StatedRelations,
};
use crate::audit::finding::Finding;
use crate::audit::hash::HashSet;
use crate::audit::lookup::resolved::{ResolvedReference, split_fragment};
use crate::audit::page::occurrence::{Occurrence, ResolvedLink};
use crate::audit::page::sink::FindingSink;
use crate::audit::position;
use crate::audit::rules::{Level, Rule};
use crate::audit::summary::LinkTotals;
use crate::audit::target::{LinkScope, Problem};
use crate::base::BaseSource;
use crate::encoding::Detected;
use crate::grammar::Grammar;
use crate::link::{BaseTag, Syntax};
use crate::url::clean;

/// A refresh after at most so many seconds makes a page a redirect.
const MAX_DELAY: u64 = 10;

/// The most translations of a page that are kept; a page with more is compared with no other.
pub(super) const MAX_TRANSLATIONS: usize = 512;

/// Audits one page or style sheet.
pub(crate) struct PageAuditor<'a> {
    pub(crate) context: &'a AuditContext<'a>,
    pub(super) buffers: AuditBuffers,
    pub(crate) pass: Pass<'a>,
    pub(crate) requester: Requesters,
    pub(crate) sink: FindingSink<'a>,
    pub(super) facts: PageFacts,
    pub(crate) links: LinkTotals,
}

/// What is known of a document so far.
#[derive(Default)]
pub(super) struct PageFacts {
    pub(super) bases: Vec<BaseTag>,
    /// The fragments of the page itself that its links request before the anchor was found.
    pub(super) own: HashSet<Box<str>>,
    /// Whether there are more of them than
    /// [`MAX_ANCHORS`](crate::audit::context::MAX_ANCHORS).
    pub(super) own_unlisted: bool,
    pub(super) refresh: Option<Refresh>,
    /// The offset of the first relative reference.
    pub(super) first_relative: Option<usize>,
    /// Whether the encoding of the page is not supported.
    pub(super) is_unreadable: bool,
    /// The first canonical URL.
    pub(super) canonical: Option<String>,
    /// Whether the canonical URL is another one of the site.
    pub(super) is_copy: bool,
    /// The numbers of the translations in the site.
    pub(super) translations: Vec<usize>,
    /// A finding about the `href` of the `base` element that counts.
    pub(super) base: Option<Finding>,
}

impl PageFacts {
    /// What other pages need of the statements of `link` elements.
    pub(super) fn stated_relations(&mut self) -> StatedRelations {
        let mut translations = std::mem::take(&mut self.translations);
        translations.sort_unstable();
        translations.dedup();
        let is_complete = translations.len() <= MAX_TRANSLATIONS;
        translations.truncate(MAX_TRANSLATIONS);
        StatedRelations { is_copy: self.is_copy, is_complete, translations: translations.into() }
    }
}

impl<'a> PageAuditor<'a> {
    pub(crate) fn new(
        context: &'a AuditContext<'a>,
        document: AuditedDocument<'a>,
        reading: PageReading<'a>,
    ) -> Self {
        let mut buffers = context.take_buffers();
        buffers.cache.turn_to(document.scope);
        Self {
            context,
            buffers,
            pass: reading.pass,
            requester: reading.requester,
            sink: FindingSink::new(context, document, reading.turn),
            facts: PageFacts::default(),
            links: LinkTotals::default(),
        }
    }

    /// Starts the audit of another document in the same container.
    pub(crate) fn turn_to(&mut self, document: AuditedDocument<'a>) {
        self.sink.document = document;
        self.facts = PageFacts::default();
    }

    /// Ends the audit of a source in this encoding, and places the findings in it.
    pub(crate) fn into_result(mut self, source: &[u8], detected: Detected) -> PageResult {
        let mut findings = self.sink.take();
        position::fill(&mut findings.drafts, source, detected);
        self.context.put_back(self.buffers);
        PageResult { findings, links: self.links, is_own_file: false }
    }

    /// The number of the document.
    pub(crate) fn number(&self) -> usize {
        self.sink.document.number
    }

    /// Whether the document is an XML file that is no page: a feed, a sitemap, an image.
    pub(super) fn is_no_page(&self) -> bool {
        let AuditedDocument { file, inside, .. } = self.sink.document;
        inside.is_none() && self.sink.lookup.site.is_xml(file)
    }

    /// The word for the document in messages.
    pub(super) fn noun(&self) -> &'static str {
        if self.is_no_page() { "file" } else { "page" }
    }

    /// Whether the document is a style sheet that is a file of the site.
    pub(super) fn is_style_of_site(&self) -> bool {
        self.sink.syntax == Syntax::Css && self.sink.document.inside.is_none()
    }

    /// Counts a link with an empty value, which has no target, and reports it.
    pub(super) fn empty_value(&mut self, link: &Occurrence<'_>) {
        self.links.add(LinkScope::Internal);
        // An empty action is a usual way to write the page itself.
        let is_action = matches!(link.attribute, Some("action" | "formaction"));
        if matches!(self.pass, Pass::Read)
            && !is_action
            && !self.context.audit.ignores(link.reference, || link.url())
        {
            let problem = self.empty_in_book(link).unwrap_or_else(|| {
                let message = "an empty value, for which browsers fetch nothing";
                Problem::new(Rule::EmptyReference, message)
            });
            self.sink.add_link(link, None, problem);
        }
    }

    /// Audits one link.
    pub(crate) fn occurrence(&mut self, link: &Occurrence<'_>) {
        if self.context.audit.ignores(link.reference, || link.url()) {
            self.links.ignored += 1;
            self.ignored(link);
            return;
        }
        let (before, fragment) = split_fragment(link.reference);
        let resolved = if self.is_itself(before, link) {
            Arc::new(ResolvedReference::of_itself(link.url(), self.number()))
        } else {
            self.resolved(before, link)
        };
        self.links.add_reference(resolved.target.scope, before);
        let link = ResolvedLink { link, resolved: &resolved, fragment };
        if let Some(file) = resolved.target.file.filter(|_| !link.link.names_a_host()) {
            if file != self.number() {
                self.context.state.requests.link(file, self.requester);
            }
            self.fragment(link, file);
        }
        if matches!(self.pass, Pass::Read) {
            if link.link.grammar == Grammar::Refresh {
                self.refresh(link);
            }
            self.report(link);
        }
        self.relation(link);
    }

    /// What a reference without its fragment leads to.
    fn resolved(&mut self, reference: &str, link: &Occurrence<'_>) -> Arc<ResolvedReference> {
        let lookup = &self.sink.lookup;
        self.buffers.cache.of(reference, link.base, lookup.standard, || link.url(), lookup)
    }

    /// Whether a rule needs every link, ignored ones included.
    pub(super) fn needs_links(&self) -> bool {
        let is_on = |rule| self.context.audit.level_of(rule) != Level::Off;
        matches!(self.pass, Pass::Read)
            && (is_on(Rule::OrphanPage) || is_on(Rule::OrphanAsset))
            && !self.sink.lookup.site.is_container()
    }

    /// Records the target of an ignored link, which makes a file no orphan.
    pub(super) fn ignored(&mut self, link: &Occurrence<'_>) {
        if !self.needs_links() || clean(link.reference).is_empty() || link.names_a_host() {
            return;
        }
        let (before, _) = split_fragment(link.reference);
        let resolved = self.resolved(before, link);
        if let Some(file) = resolved.target.file.filter(|&file| file != self.number()) {
            self.context.state.requests.link(file, self.requester);
        }
    }

    /// Whether a reference leads to its own document in a container, which may have no URL, or the
    /// URL of another document.
    fn is_itself(&self, reference: &str, link: &Occurrence<'_>) -> bool {
        let says_so = matches!(
            link.base_source,
            BaseSource::BaseElement | BaseSource::ContentBase | BaseSource::BaseHeader
        );
        self.sink.document.inside.is_some() && !says_so && clean(reference).is_empty()
    }

    /// Records the target of a refresh.
    fn refresh(&mut self, resolved_link: ResolvedLink<'_>) {
        let ResolvedLink { link, resolved, .. } = resolved_link;
        let to = resolved.target.file;
        // A page that waits longer is meant to be read.
        let delay = (link.sibling)("content").and_then(|content| delay_of(&content));
        if to == Some(self.number())
            || delay.is_some_and(|delay| delay > MAX_DELAY)
            || self.facts.refresh.is_some()
            || link.is_nested
            || (to.is_none() && resolved.target.scope == LinkScope::Internal)
        {
            return;
        }
        let rule = Rule::RedirectLoop;
        let (level, url) = (self.context.audit.level_of(rule), resolved_link.url());
        let finding =
            self.sink.placed(link.finding(rule, level, &self.sink.lookup, url.as_deref()));
        self.facts.refresh = Some(Refresh { to, finding });
    }
}

/// The seconds before a refresh.
fn delay_of(content: &str) -> Option<u64> {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_ascii_digit()).unwrap_or(content.len());
    content[..end].parse().ok()
}
