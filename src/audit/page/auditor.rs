//! Audits one page: reports findings that depend on it alone, and records the anchors that it
//! needs from other pages.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::audit::anchors::{AnchorsOfPage, IdHash};
use crate::audit::container::document::AuditedDocument;
use crate::audit::container::index::ContainerIndex;
use crate::audit::context::draft::{Draft, FindingBudget, PageFindings, Turn};
use crate::audit::context::requests::Requesters;
use crate::audit::context::state::{Pass, Refresh, State};
use crate::audit::context::{AuditBuffers, AuditContext};
use crate::audit::finding::Finding;
use crate::audit::hints::AuthoredReference;
use crate::audit::lookup::Lookup;
use crate::audit::lookup::cache::ResolutionCache;
use crate::audit::lookup::plain::PlainPaths;
use crate::audit::lookup::resolved::{ResolvedReference, split_fragment};
use crate::audit::options::Audit;
use crate::audit::page::occurrence::{Occurrence, ResolvedLink};
use crate::audit::page::relations::Relations;
use crate::audit::rules::{Level, Rule};
use crate::audit::summary::LinkTotals;
use crate::audit::target::{LinkScope, Problem};
use crate::base::BaseSource;
use crate::grammar::Grammar;
use crate::link::{Anchor, BaseTag, Syntax};
use crate::url::clean;

/// A refresh after at most so many seconds makes a page a redirect.
const MAX_DELAY: u64 = 10;

/// Audits one page or style sheet.
pub(crate) struct PageAuditor<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) state: &'a State,
    pub(super) containers: &'a ContainerIndex,
    pub(crate) lookup: Lookup<'a>,
    pub(super) cache: &'a mut ResolutionCache,
    pub(super) plain: &'a mut PlainPaths,
    pub(crate) pass: Pass<'a>,
    pub(crate) subject: AuditedDocument<'a>,
    /// The number of the document.
    pub(crate) page: usize,
    pub(crate) requester: Requesters,
    /// The syntax of the document.
    pub(crate) syntax: Syntax,
    /// Whether findings of this page are reported.
    pub(crate) is_reported: bool,
    pub(crate) bases: Vec<BaseTag>,
    pub(super) anchors: &'a mut AnchorsOfPage,
    /// The fragments of the page itself that its links request before the anchor was found.
    pub(super) own: HashSet<Box<str>>,
    /// Whether there are more of them than
    /// [`MAX_ANCHORS`](crate::audit::context::requests::MAX_ANCHORS).
    pub(super) own_unlisted: bool,
    pub(crate) refresh: Option<Refresh>,
    /// The offset of the first relative reference.
    pub(crate) first_relative: Option<usize>,
    pub(crate) findings: PageFindings,
    pub(super) budget: &'a FindingBudget,
    pub(crate) links: LinkTotals,
    /// Whether the encoding of the page is not supported.
    pub(crate) is_unreadable: bool,
    /// What its `link` elements state about the page.
    pub(super) relations: Relations,
    /// A finding about the `href` of the `base` element that counts.
    pub(super) base: Option<Finding>,
}

impl<'a> PageAuditor<'a> {
    pub(crate) fn new(
        context: &'a AuditContext<'a>,
        buffers: &'a mut AuditBuffers,
        pass: Pass<'a>,
        subject: AuditedDocument<'a>,
        requester: Requesters,
        turn: Turn,
    ) -> Self {
        buffers.cache.turn_to(subject.scope);
        Self {
            audit: context.audit,
            state: &context.state,
            containers: context.containers,
            lookup: Lookup { scope: subject.scope, ..context.lookup },
            cache: &mut buffers.cache,
            plain: &mut buffers.plain,
            pass,
            subject,
            page: subject.number,
            requester,
            syntax: Syntax::default(),
            is_reported: context.audit.reports(subject.file)
                && !context.site.is_around(subject.file),
            bases: Vec::new(),
            anchors: &mut buffers.anchors,
            own: HashSet::new(),
            own_unlisted: false,
            refresh: None,
            first_relative: None,
            findings: PageFindings::new(&context.budget, turn),
            budget: &context.budget,
            links: LinkTotals::default(),
            is_unreadable: false,
            relations: Relations::default(),
            base: None,
        }
    }

    /// Starts the audit of another document in the same container.
    pub(crate) fn turn_to(&mut self, subject: AuditedDocument<'a>) {
        (self.subject, self.page) = (subject, subject.number);
        self.bases.clear();
        self.own.clear();
        self.own_unlisted = false;
        self.relations = Relations::default();
        (self.refresh, self.first_relative, self.base) = (None, None, None);
        self.is_unreadable = false;
    }

    /// The finding with the position of this document.
    pub(crate) fn placed(&self, finding: Finding) -> Finding {
        let AuditedDocument { file, inside, url, .. } = self.subject;
        let (file, inside) = self.lookup.site.place(file, inside);
        Finding {
            file,
            inside,
            page: url.map(|url| self.lookup.shown(url).into_owned()),
            ..finding
        }
    }

    /// The level of a rule; `None` if its findings are not reported here.
    pub(super) fn level(&self, rule: Rule) -> Option<Level> {
        let level = self.audit.level_of(rule);
        (self.is_reported && level != Level::Off).then_some(level)
    }

    /// Whether the document is an XML file that is no page: a feed, a sitemap, an image.
    pub(super) fn is_no_page(&self) -> bool {
        self.subject.inside.is_none() && self.lookup.site.is_xml(self.subject.file)
    }

    /// Whether there is room for a finding; if not, it is counted.
    pub(super) fn admits(&mut self, rule: Rule) -> bool {
        if !self.audit.keeps(self.findings.number()) {
            self.findings.truncated.add(rule, 1);
            return false;
        }
        self.findings.admits(rule)
    }

    /// Adds a finding that was admitted.
    pub(super) fn push(&mut self, draft: impl Into<Draft>) {
        let draft = draft.into();
        let Lookup { site, server, .. } = self.lookup;
        let files = site.files();
        if self.budget.selects(&draft, |search, safety| search.may_find(safety, files, server)) {
            self.findings.push(draft, self.budget);
        }
    }

    /// Adds a finding about a link, if its rule is on.
    pub(super) fn add(&mut self, link: ResolvedLink<'_>, problem: &Problem) {
        self.add_made(link, problem.rule, || problem.clone());
    }

    /// Adds a finding about a reference with this URL.
    pub(crate) fn add_to(&mut self, link: &Occurrence<'_>, url: Option<&str>, problem: &Problem) {
        let Some(level) = self.level(problem.rule) else { return };
        if self.admits(problem.rule) {
            self.list(link, level, url, problem.clone());
        }
    }

    /// Adds a finding of this rule; builds the problem only if there is room for it.
    pub(super) fn add_made(
        &mut self,
        link: ResolvedLink<'_>,
        rule: Rule,
        problem: impl FnOnce() -> Problem,
    ) {
        let rule = link.link.rule_for(rule, self.syntax);
        let Some(level) = self.level(rule) else { return };
        if self.admits(rule) {
            let problem = Problem { rule, ..problem() };
            self.list(link.link, level, link.url().as_deref(), problem);
        }
    }

    /// Lists a finding that was admitted.
    fn list(&mut self, link: &Occurrence<'_>, level: Level, url: Option<&str>, problem: Problem) {
        let Problem { rule, message, hint, proposal, search, target } = problem;
        let finding = link.finding(rule, level, &self.lookup, url);
        let message = message.into_owned();
        let finding = self.placed(Finding { target, message, hint, ..finding });
        let mut draft = Draft { search, ..Draft::from(finding) };
        if let Some(mut proposal) = proposal {
            let Occurrence { reference, base, .. } = *link;
            let Lookup { standard, deployment, .. } = self.lookup;
            if !link.is_fixable(rule, deployment) {
                proposal.safety = None;
            }
            draft.propose(&proposal, &AuthoredReference { reference, base, standard, deployment });
        }
        self.push(draft);
    }

    /// Adds a finding about an id that an earlier element has, for the first such element.
    pub(super) fn duplicate_id(&mut self, anchor: &Anchor<'_>) {
        let rule = Rule::DuplicateId;
        let Some(level) = self.level(rule) else { return };
        if !self.admits(rule) {
            return;
        }
        let message = format!("another element before it has the id '{}'", anchor.value());
        let finding = self.placed(Finding {
            span: Some(anchor.span()),
            element: Some(anchor.element().to_owned()),
            attribute: Some("id".to_owned()),
            reference: Some(anchor.value().to_owned()),
            ..Finding::new(rule, level, PathBuf::new(), message)
        });
        let duplicate = Some((self.page, IdHash::of(anchor.value())));
        self.push(Draft { duplicate, ..finding.into() });
    }

    /// Counts a link with an empty value, which has no target, and reports it.
    pub(super) fn empty_value(&mut self, link: &Occurrence<'_>) {
        self.links.add(LinkScope::Internal);
        // An empty action is a usual way to write the page itself.
        let is_action = matches!(link.attribute, Some("action" | "formaction"));
        if matches!(self.pass, Pass::Read)
            && !is_action
            && !self.audit.ignores(link.reference, || link.url())
        {
            let problem = self.empty_in_book(link).unwrap_or_else(|| {
                let message = "an empty value, for which browsers fetch nothing";
                Problem::new(Rule::EmptyReference, message)
            });
            self.add_to(link, None, &problem);
        }
    }

    /// Audits one link.
    pub(crate) fn occurrence(&mut self, link: &Occurrence<'_>) {
        if self.audit.ignores(link.reference, || link.url()) {
            self.links.ignored += 1;
            self.ignored(link);
            return;
        }
        let (before, fragment) = split_fragment(link.reference);
        let resolved = if self.is_itself(before, link) {
            Arc::new(ResolvedReference::of_itself(link.url(), self.page))
        } else {
            self.cache.of(before, link.base, self.lookup.standard, || link.url(), &self.lookup)
        };
        self.links.add(resolved.target.scope);
        let link = ResolvedLink { link, resolved: &resolved, fragment };
        if let Some(file) = resolved.target.file.filter(|_| !link.link.names_a_host()) {
            if file != self.page {
                self.state.requests.link(file, self.requester);
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

    /// Whether a rule needs every link, ignored ones included.
    pub(super) fn needs_links(&self) -> bool {
        let is_on = |rule| self.audit.level_of(rule) != Level::Off;
        matches!(self.pass, Pass::Read)
            && (is_on(Rule::OrphanPage) || is_on(Rule::OrphanAsset))
            && !self.lookup.site.is_container()
    }

    /// Records the target of an ignored link, which makes a file no orphan.
    pub(super) fn ignored(&mut self, link: &Occurrence<'_>) {
        if !self.needs_links() || clean(link.reference).is_empty() || link.names_a_host() {
            return;
        }
        let (before, _) = split_fragment(link.reference);
        let resolved =
            self.cache.of(before, link.base, self.lookup.standard, || link.url(), &self.lookup);
        if let Some(file) = resolved.target.file.filter(|&file| file != self.page) {
            self.state.requests.link(file, self.requester);
        }
    }

    /// Whether a reference leads to its own document in a container, which may have no URL, or the
    /// URL of another document.
    fn is_itself(&self, reference: &str, link: &Occurrence<'_>) -> bool {
        let says_so = matches!(
            link.base_source,
            BaseSource::BaseElement | BaseSource::ContentBase | BaseSource::BaseHeader
        );
        self.subject.inside.is_some() && !says_so && clean(reference).is_empty()
    }

    /// Records the target of a refresh.
    fn refresh(&mut self, resolved_link: ResolvedLink<'_>) {
        let ResolvedLink { link, resolved, .. } = resolved_link;
        let to = resolved.target.file;
        // A page that waits longer is meant to be read.
        let delay = (link.sibling)("content").and_then(|content| delay_of(&content));
        if to == Some(self.page)
            || delay.is_some_and(|delay| delay > MAX_DELAY)
            || self.refresh.is_some()
            || link.is_nested
            || (to.is_none() && resolved.target.scope == LinkScope::Internal)
        {
            return;
        }
        let rule = Rule::RedirectLoop;
        let (level, url) = (self.audit.level_of(rule), resolved_link.url());
        let finding = self.placed(link.finding(rule, level, &self.lookup, url.as_deref()));
        self.refresh = Some(Refresh { to, finding });
    }
}

/// The seconds before a refresh.
fn delay_of(content: &str) -> Option<u64> {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_ascii_digit()).unwrap_or(content.len());
    content[..end].parse().ok()
}
