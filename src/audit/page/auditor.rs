//! A look at one page: what is found in it alone, and what it asks of others.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::audit::anchors::AnchorsOfPage;
use crate::audit::container::document::AuditedDocument;
use crate::audit::container::index::ContainerIndex;
use crate::audit::context::draft::{Draft, FindingBudget, PageFindings, Turn};
use crate::audit::context::requests::Blocks;
use crate::audit::context::state::{Pass, Refresh, State};
use crate::audit::context::{AuditBuffers, AuditContext};
use crate::audit::finding::Finding;
use crate::audit::lookup::Lookup;
use crate::audit::lookup::cache::{
    ResolutionCache, ResolvedReference, split_fragment, with_fragment,
};
use crate::audit::lookup::plain::PlainPaths;
use crate::audit::options::Audit;
use crate::audit::page::occurrence::Occurrence;
use crate::audit::rules::{Level, Rule};
use crate::audit::target::{LinkScope, Problem};
use crate::base::BaseSource;
use crate::grammar::Grammar;
use crate::link::{Anchor, BaseTag};
use crate::url::{Standard, clean};

/// A page that sends its readers on within so many seconds only redirects.
const MAX_DELAY: u64 = 10;

/// A look at one page or style sheet.
pub(crate) struct PageAuditor<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) state: &'a State,
    pub(super) held: &'a ContainerIndex,
    pub(crate) lookup: Lookup<'a>,
    pub(super) standard: Standard,
    pub(super) cache: &'a mut ResolutionCache,
    pub(super) plain: &'a mut PlainPaths,
    pub(crate) pass: Pass<'a>,
    pub(crate) subject: AuditedDocument<'a>,
    /// Its number.
    pub(crate) page: usize,
    pub(crate) block: Blocks,
    /// Whether findings of this page are reported.
    pub(crate) is_reported: bool,
    pub(crate) bases: Vec<BaseTag>,
    pub(super) anchors: &'a mut AnchorsOfPage,
    /// The fragments of the page itself that its links ask for, before the anchors of all of
    /// them were seen.
    pub(super) own: HashSet<Box<str>>,
    /// Whether there are more of those than are listed.
    pub(super) own_unlisted: bool,
    pub(crate) refresh: Option<Refresh>,
    /// Where the first relative reference stands.
    pub(crate) first_relative: Option<usize>,
    pub(crate) findings: PageFindings,
    pub(super) budget: &'a FindingBudget,
    pub(crate) links: u64,
    /// Whether it is in an encoding that nobody reads.
    pub(crate) is_unreadable: bool,
    /// The `href` of the `base` element that counts, as findings about it show it.
    pub(super) base: Option<Finding>,
}

impl<'a> PageAuditor<'a> {
    pub(crate) fn new(
        context: &'a AuditContext<'a>,
        buffers: &'a mut AuditBuffers,
        pass: Pass<'a>,
        subject: AuditedDocument<'a>,
        block: Blocks,
        turn: Turn,
    ) -> Self {
        buffers.cache.turn_to(subject.scope);
        Self {
            audit: context.audit,
            state: &context.state,
            held: context.held,
            lookup: Lookup { scope: subject.scope, ..context.lookup },
            standard: context.audit.standard(),
            cache: &mut buffers.cache,
            plain: &mut buffers.plain,
            pass,
            subject,
            page: subject.number,
            block,
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
            links: 0,
            is_unreadable: false,
            base: None,
        }
    }

    /// Goes on to another document of the same container.
    pub(crate) fn turn_to(&mut self, subject: AuditedDocument<'a>) {
        (self.subject, self.page) = (subject, subject.number);
        self.bases.clear();
        self.own.clear();
        self.own_unlisted = false;
        (self.refresh, self.first_relative, self.base) = (None, None, None);
        self.is_unreadable = false;
    }

    /// A finding of what is looked at.
    pub(crate) fn placed(&self, finding: Finding) -> Finding {
        let AuditedDocument { file, inside, url, .. } = self.subject;
        Finding {
            file: self.lookup.site.shown(file),
            inside,
            page: url.map(|url| self.lookup.deployment.shown(url).to_owned()),
            ..finding
        }
    }

    /// The level of a rule's findings here; `None` where there are none to be.
    pub(super) fn level(&self, rule: Rule) -> Option<Level> {
        let level = self.audit.level_of(rule);
        (self.is_reported && level != Level::Off).then_some(level)
    }

    /// Whether a finding has to be made; one that there is no room for is counted.
    pub(super) fn admits(&mut self, rule: Rule) -> bool {
        if !self.audit.keeps(self.findings.number()) {
            self.findings.truncated.add(rule, 1);
            return false;
        }
        self.findings.admits(rule)
    }

    /// Adds a finding that was admitted.
    pub(super) fn push(&mut self, draft: impl Into<Draft>) {
        self.findings.push(draft.into(), self.budget);
    }

    /// Adds a finding about a reference, where its rule is on.
    pub(super) fn add(
        &mut self,
        link: &Occurrence<'_>,
        reading: &ResolvedReference,
        fragment: Option<&str>,
        problem: &Problem,
    ) {
        self.add_made(link, reading, fragment, problem.rule, || problem.clone());
    }

    /// The same about a reference that resolves to this URL.
    pub(super) fn add_to(&mut self, link: &Occurrence<'_>, url: Option<&str>, problem: &Problem) {
        let Some(level) = self.level(problem.rule) else { return };
        if self.admits(problem.rule) {
            self.list(link, level, url, problem.clone());
        }
    }

    /// The same about a problem of this rule that is made where there is room for it.
    pub(super) fn add_made(
        &mut self,
        link: &Occurrence<'_>,
        reading: &ResolvedReference,
        fragment: Option<&str>,
        rule: Rule,
        problem: impl FnOnce() -> Problem,
    ) {
        let Some(level) = self.level(rule) else { return };
        if self.admits(rule) {
            let url = reading.url.as_deref().map(|url| with_fragment(url, fragment));
            self.list(link, level, url.as_deref(), problem());
        }
    }

    /// Lists a finding that was admitted.
    pub(super) fn list(
        &mut self,
        link: &Occurrence<'_>,
        level: Level,
        url: Option<&str>,
        problem: Problem,
    ) {
        let Problem { rule, message, hint, search, target } = problem;
        let finding = link.finding(rule, level, &self.lookup, url);
        let message = message.into_owned();
        let finding = self.placed(Finding { target, message, hint, ..finding });
        self.push(Draft { finding, search });
    }

    /// Adds a finding about an id that was there before.
    pub(super) fn again(&mut self, anchor: &Anchor<'_>) {
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
        self.push(finding);
    }

    /// Counts a link whose empty value stays: it leads nowhere, so that nothing is looked up.
    pub(super) fn empty_value(&mut self, link: &Occurrence<'_>) {
        self.links += 1;
        // An empty action is a usual way to write the page itself.
        let is_action = matches!(link.attribute, Some("action" | "formaction"));
        if matches!(self.pass, Pass::Read)
            && !is_action
            && !self.audit.ignores(link.reference, || link.url())
        {
            let message = "an empty value, for which browsers fetch nothing";
            self.add_to(link, None, &Problem::new(Rule::EmptyReference, message));
        }
    }

    /// Looks at one link.
    pub(crate) fn occurrence(&mut self, link: &Occurrence<'_>) {
        self.links += 1;
        if self.audit.ignores(link.reference, || link.url()) {
            return;
        }
        let (before, fragment) = split_fragment(link.reference);
        let reading = if self.is_itself(before, link) {
            Arc::new(ResolvedReference::of_itself(link.url(), self.page))
        } else {
            self.cache.of(before, link.base, self.standard, || link.url(), &self.lookup)
        };
        if let Some(file) = reading.target.file {
            if file != self.page {
                self.state.wanted.link(file, self.block);
            }
            self.ask(link, &reading, file, fragment);
        }
        if matches!(self.pass, Pass::Read) {
            if link.grammar == Grammar::Refresh {
                self.refresh(link, &reading, fragment);
            }
            self.report(link, &reading, fragment);
        }
    }

    /// Whether a reference leads to the document in a container that it stands in. That may
    /// have no URL, or one that others there have as well.
    fn is_itself(&self, reference: &str, link: &Occurrence<'_>) -> bool {
        let says_so = matches!(
            link.base_source,
            BaseSource::BaseElement | BaseSource::ContentBase | BaseSource::BaseHeader
        );
        self.subject.inside.is_some() && !says_so && clean(reference).is_empty()
    }

    /// Notes where the page sends its readers.
    fn refresh(
        &mut self,
        link: &Occurrence<'_>,
        reading: &ResolvedReference,
        fragment: Option<&str>,
    ) {
        let is_itself = reading.target.file == Some(self.page);
        // One that readers have the time to read before is no redirect alone.
        let delay = (link.sibling)("content").and_then(|content| delay_of(&content));
        if is_itself
            || delay.is_some_and(|delay| delay > MAX_DELAY)
            || self.refresh.is_some()
            || link.is_nested
        {
            return;
        }
        let url = reading.url.as_deref().map(|url| with_fragment(url, fragment));
        let level = self.audit.level_of(Rule::RedirectLoop);
        let finding = link.finding(Rule::RedirectLoop, level, &self.lookup, url.as_deref());
        let finding = self.placed(finding);
        let to = match (reading.target.scope, reading.target.file) {
            (LinkScope::Internal, None) => return,
            (_, file) => file,
        };
        self.refresh = Some(Refresh { to, finding });
    }
}

/// The seconds of a refresh.
fn delay_of(content: &str) -> Option<u64> {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_ascii_digit()).unwrap_or(content.len());
    content[..end].parse().ok()
}
