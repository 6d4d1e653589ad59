//! Audits one page or style sheet: collects its findings up to a limit, and records the fragments
//! of other pages that its links request.

pub(crate) mod occurrence;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use absolve::encoding::{Detected, Lines};
use absolve::grammar::Grammar;
use absolve::url::{Base, clean};
use absolve::{
    Anchor, AnchorKind, BaseSource, BaseTag, Buffers, Error, Link, LinkOutcome, Rewriter, Summary,
    Syntax, Visit,
};

use crate::{
    AuditBuffers, AuditContext, AuthoredReference, Draft, Finding, HashSet, Level, LinkScope,
    LinkTotals, Lookup, Occurrence, OccurrenceUrl, PageFindings, PageReading, PageResult, Pass,
    Problem, Refresh, Requesters, ResolvedLink, ResolvedReference, Rule, StatedRelations, Turn,
    split_fragment,
};

/// Maximum translations of a page that are kept. A page with more is not compared with them.
pub(crate) const MAX_TRANSLATIONS: usize = 512;

/// Checks a link whose target is known.
pub(crate) type LinkCheck = fn(&mut PageAuditor<'_>, ResolvedLink<'_>);

/// Checks a link before its target is looked up.
pub(crate) type ValueCheck = fn(&mut PageAuditor<'_>, &Occurrence<'_>);

/// Checks a document that was read.
pub(crate) type DocumentCheck = fn(&mut PageAuditor<'_>, &mut ReadDocument<'_>);

/// The checks of pages and style sheets, by subject.
pub(crate) struct PageChecks {
    pub(crate) links: &'static [&'static [LinkCheck]],
    /// Checks the `href` of a `base` element.
    pub(crate) base: ValueCheck,
    /// Checks an empty value.
    pub(crate) empty: ValueCheck,
    /// Checks a reference to an element of the document.
    pub(crate) local: ValueCheck,
    /// Checks an id that an earlier element has too.
    pub(crate) repeated_id: fn(&mut PageAuditor<'_>, &Anchor<'_>),
    /// Checks a JSON block that does not parse.
    pub(crate) script: fn(&mut PageAuditor<'_>, Range<usize>, &str),
    /// The checks of a document in the first pass.
    pub(crate) documents: &'static [&'static [DocumentCheck]],
    /// Reports a document that cannot be read.
    pub(crate) failed: fn(&mut PageAuditor<'_>, Error),
    /// The rules that need the targets of ignored links.
    pub(crate) ignored_link_rules: &'static [Rule],
}

/// A document after the pass over its links, for checks of the whole document.
pub(crate) struct ReadDocument<'d> {
    pub(crate) source: &'d [u8],
    pub(crate) syntax: Syntax,
    pub(crate) summary: &'d Summary,
    pub(crate) detected: Detected,
    pub(crate) rewriter: &'d Rewriter,
    pub(crate) buffers: &'d mut Buffers,
}

/// Audits one page or style sheet, as the visitor of its links and anchors.
pub(crate) struct PageAuditor<'a> {
    pub(crate) context: &'a AuditContext<'a>,
    pub(crate) checks: &'a PageChecks,
    pub(crate) buffers: AuditBuffers,
    pub(crate) pass: Pass<'a>,
    pub(crate) requester: Requesters,
    pub(crate) sink: FindingSink<'a>,
    pub(crate) facts: PageFacts,
    /// Whether the server sends the page for missing paths.
    pub(crate) is_error_page: bool,
    pub(crate) links: LinkTotals,
}

/// The facts about a document, collected while it is read.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about a page of its own")]
pub(crate) struct PageFacts {
    pub(crate) bases: Vec<BaseTag>,
    /// Fragments of the page itself that links request before the anchor appears.
    pub(crate) own_fragments: HashSet<Box<str>>,
    /// Whether links request fragments that `own_fragments` has no room for
    /// ([`MAX_ANCHORS`](crate::context::MAX_ANCHORS)).
    pub(crate) has_unlisted_fragments: bool,
    pub(crate) refresh: Option<Refresh>,
    /// The offset of the first relative reference.
    pub(crate) first_relative: Option<usize>,
    /// Whether the encoding of the page is not supported.
    pub(crate) is_unreadable: bool,
    /// The first canonical URL.
    pub(crate) canonical: Option<String>,
    /// Whether the canonical URL is that of another page of the site.
    pub(crate) is_copy: bool,
    /// Whether an element names a map of the page.
    pub(crate) names_map: bool,
    /// Whether the page asks search engines to leave it out.
    pub(crate) is_noindex: bool,
    /// The file numbers of the translations in the site.
    pub(crate) translations: Vec<usize>,
    /// A finding about the `href` of the `base` element that is in effect.
    pub(crate) base: Option<Finding>,
}

impl PageFacts {
    /// Takes the statements of the page about itself that other pages need.
    pub(crate) fn stated_relations(&mut self) -> StatedRelations {
        let mut translations = std::mem::take(&mut self.translations);
        translations.sort_unstable();
        translations.dedup();
        let is_complete = translations.len() <= MAX_TRANSLATIONS;
        translations.truncate(MAX_TRANSLATIONS);
        StatedRelations {
            is_copy: self.is_copy,
            is_noindex: self.is_noindex,
            is_complete,
            translations: translations.into(),
        }
    }
}

impl<'a> PageAuditor<'a> {
    pub(crate) fn new(
        context: &'a AuditContext<'a>,
        checks: &'a PageChecks,
        file: usize,
        reading: PageReading<'a>,
    ) -> Self {
        Self {
            context,
            checks,
            buffers: context.take_buffers(),
            pass: reading.pass,
            requester: reading.requester,
            sink: FindingSink::new(context, file, reading.turn),
            facts: PageFacts::default(),
            is_error_page: context.error_pages.binary_search(&file).is_ok(),
            links: LinkTotals::default(),
        }
    }

    /// Ends the audit, and fills in the lines and columns of the findings.
    pub(crate) fn into_result(mut self, source: &[u8], detected: Detected) -> PageResult {
        let mut findings = self.sink.take();
        fill_positions(&mut findings.drafts, source, detected);
        self.context.return_buffers(self.buffers);
        PageResult { findings, links: self.links }
    }

    /// Whether this is the first pass over the document.
    pub(crate) fn is_first_pass(&self) -> bool {
        matches!(self.pass, Pass::Read)
    }

    /// Whether the document is a page or other XML, in an encoding that is supported.
    pub(crate) fn is_parsed(&self) -> bool {
        !self.is_style() && !self.facts.is_unreadable
    }

    /// Whether this pass reports findings about links; a recheck reports only those about targets.
    pub(crate) fn reports_links(&self) -> bool {
        self.is_first_pass() && self.sink.is_reported
    }

    /// Adds the finding for a problem of a link.
    pub(crate) fn add_problem(&mut self, resolved_link: ResolvedLink<'_>, problem: Problem) {
        self.sink.add_link(resolved_link.link, resolved_link.url().as_deref(), problem);
    }

    /// Returns the file number of the document.
    pub(crate) fn number(&self) -> usize {
        self.sink.file
    }

    /// Whether the document is an XML file that is no page: a feed, a sitemap or an SVG image.
    pub(crate) fn is_xml(&self) -> bool {
        self.sink.lookup.site.is_xml(self.number())
    }

    /// Returns the word for the document in messages.
    pub(crate) fn noun(&self) -> &'static str {
        self.sink.lookup.site.noun(self.number())
    }

    pub(crate) fn is_style(&self) -> bool {
        self.sink.syntax == Syntax::Css
    }

    /// Resolves a link, looks up its target and runs the checks of links, unless it is ignored.
    pub(crate) fn audit_link(&mut self, link: &Occurrence<'_>) {
        if self.context.audit.ignores(link.reference, || link.url()) {
            self.links.ignored += 1;
            self.record_ignored(link);
            return;
        }
        let (without_fragment, fragment) = split_fragment(link.reference);
        let resolved = self.resolve(without_fragment, link);
        let resolved =
            self.resolve_from_page(without_fragment, link, &resolved).unwrap_or(resolved);
        self.links.add_reference(resolved.target.scope, without_fragment);
        let link = ResolvedLink { link, resolved: &resolved, fragment };
        let file = resolved.target.file.filter(|_| !link.link.is_host_hint());
        if let Some(file) = file.filter(|&file| file != self.number()) {
            self.context.state.requests.record_link(file, self.requester);
        }
        let checks = self.checks;
        for check in checks.links.iter().copied().flatten() {
            check(self, link);
        }
    }

    /// Resolves a reference without its fragment, and looks up its target.
    fn resolve(&mut self, reference: &str, link: &Occurrence<'_>) -> Arc<ResolvedReference> {
        let lookup = &self.sink.lookup;
        self.buffers.cache.resolve(reference, link.base, lookup.standard, || link.url(), lookup)
    }

    /// Resolves a link against the URL of the page instead of the `base` element's. Browsers do so
    /// for links that they load before they parse that element. Returns `None` unless the link is
    /// one of these, and only this URL leads to a file.
    fn resolve_from_page(
        &self,
        reference: &str,
        link: &Occurrence<'_>,
        resolved: &ResolvedReference,
    ) -> Option<Arc<ResolvedReference>> {
        let base = self.facts.bases.iter().find(|base| base.counts())?;
        let OccurrenceUrl::Link(link_url) = link.url_source else { return None };
        let is_before = link.span.start < base.href().start && !link.is_nested;
        if !is_before || resolved.target.file.is_some() || !link_url.is_loaded_at_once() {
            return None;
        }
        let lookup = &self.sink.lookup;
        let page = Base::new(&self.context.audit.url_of(self.number(), lookup.site)).ok()?;
        let url = lookup.standard.resolve(Some(&page), reference).ok()?;
        let (page, url) = (Some(&page), url.url());
        let by_page = ResolvedReference::new(reference, page, lookup.standard, url, lookup);
        by_page.target.file.is_some().then(|| Arc::new(by_page))
    }

    /// Whether a rule needs the targets of ignored links.
    pub(crate) fn needs_ignored_links(&self) -> bool {
        let is_on = |rule| self.context.audit.level_of(rule) != Level::Off;
        self.is_first_pass() && self.checks.ignored_link_rules.iter().any(|&rule| is_on(rule))
    }

    /// Records the target of an ignored link: a file with such a link is no orphan.
    pub(crate) fn record_ignored(&mut self, link: &Occurrence<'_>) {
        if !self.needs_ignored_links() || clean(link.reference).is_empty() || link.is_host_hint() {
            return;
        }
        let (without_fragment, _) = split_fragment(link.reference);
        let resolved = self.resolve(without_fragment, link);
        if let Some(file) = resolved.target.file.filter(|&file| file != self.number()) {
            self.context.state.requests.record_link(file, self.requester);
        }
    }
}

impl Visit for PageAuditor<'_> {
    fn can_skip(&mut self, is_a: bool, reference: &str, base: Option<&Base>) -> bool {
        // Rules need every link before a `base` element, and every link of an error page.
        if !self.facts.bases.is_empty()
            || self.is_error_page
            || self.context.audit.has_ignore_patterns()
        {
            return false;
        }
        let (without_fragment, fragment) = split_fragment(reference);
        // An empty reference needs a check. The text of a fragment needs none.
        if fragment.is_none() && without_fragment.is_empty() {
            return false;
        }
        if let Pass::Recheck(problems) = self.pass
            && fragment.is_none()
            && problems.concern_only_fragments()
        {
            return true;
        }
        let plain = base
            .and_then(|base| self.buffers.plain.file(without_fragment, base, &self.sink.lookup));
        let (file, scope, reference) = if plain.is_some() {
            // `LinkTotals` needs the text only for a leading slash, which no plain reference has.
            (plain, LinkScope::Internal, "")
        } else {
            let known = self.buffers.cache.find(without_fragment, base, self.sink.lookup.standard);
            let Some(resolved) = known.filter(|resolved| resolved.is_good) else { return false };
            (resolved.target.file, resolved.target.scope, without_fragment)
        };
        if !is_a && file.is_some_and(|file| self.sink.lookup.site.is_page_by_name(file)) {
            // An element other than `a` may need a file that is no page, such as an image.
            return false;
        }
        if let (Some(file), Pass::Recheck(problems)) = (file, self.pass) {
            self.record_id_link(file, fragment);
            let verdict =
                problems.judge(&self.context.state, file, fragment, self.context.audit.ranges);
            if !verdict.is_good() && !self.count_if_full(&verdict) {
                return false;
            }
        }
        self.links.add_reference(scope, reference);
        if let (Some(file), Pass::Read) = (file, self.pass) {
            if file != self.number() {
                self.context.state.requests.record_link(file, self.requester);
            }
            if let Some(fragment) = fragment {
                self.request(file, fragment);
            }
        }
        true
    }

    fn link(&mut self, link: &Link<'_>) {
        let sibling = |name: &str| link.sibling(name);
        // A link with an entity that is not declared has an unknown target.
        if link.has_entity() {
            return;
        }
        // The check of sitemaps reads `loc` elements.
        let is_sitemap_url = self.is_xml() && link.element() == "loc";
        if is_sitemap_url || link.attribute() == "xml:base" {
            return;
        }
        let is_empty =
            clean(link.reference()).is_empty() && matches!(link.outcome(), LinkOutcome::Empty);
        let is_empty = is_empty && !self.is_style();
        let link = Occurrence::new(link, &sibling);
        if is_empty {
            self.links.add(LinkScope::Internal);
            (self.checks.empty)(self, &link);
            return;
        }
        if lacks_base(&link) {
            // The finding about the base element covers this link.
            self.links.add(LinkScope::Internal);
            return;
        }
        if link.element == Some("base") && link.attribute == Some("href") {
            if self.is_first_pass() && !link.is_nested {
                (self.checks.base)(self, &link);
            }
            return;
        }
        if self.facts.first_relative.is_none() && is_relative_reference(link.reference) {
            self.facts.first_relative = Some(link.span.start);
        }
        self.audit_link(&link);
    }

    fn takes_ignored(&self) -> bool {
        self.is_first_pass()
    }

    fn ignores_value(&self, grammar: Grammar, value: &str) -> bool {
        self.context.audit.ignores_value(grammar, value)
    }

    fn ignored_link(&mut self, link: &Link<'_>) {
        self.links.ignored += 1;
        self.record_ignored(&Occurrence::new(link, &|name| link.sibling(name)));
    }

    fn local_reference(&mut self, link: &Link<'_>) {
        let sibling = |name: &str| link.sibling(name);
        (self.checks.local)(self, &Occurrence::new(link, &sibling));
    }

    fn usemap(&mut self) {
        self.facts.names_map = true;
    }

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        if !self.is_first_pass() {
            return;
        }
        match anchor.kind() {
            AnchorKind::Name => self.buffers.anchors.add_name(anchor.value()),
            AnchorKind::Id => {
                if self.buffers.anchors.add_id(anchor.value()) {
                    (self.checks.repeated_id)(self, anchor);
                }
            }
        }
    }

    fn unknown_anchors(&mut self) {
        if self.is_first_pass() {
            self.buffers.anchors.add_unknown();
        }
    }

    fn malformed_script(&mut self, span: Range<usize>, why: &str) {
        if self.is_first_pass() {
            (self.checks.script)(self, span, why);
        }
    }

    fn base(&mut self, base: &BaseTag) {
        self.facts.bases.push(base.clone());
    }
}

/// Whether a link is relative, and the `base` element of its page has no usable URL.
fn lacks_base(link: &Occurrence<'_>) -> bool {
    link.base.is_none()
        && link.base_source == BaseSource::BaseElement
        && absolve::url::rfc1808::scheme_end(&clean(link.reference)).is_none()
}

/// Whether a reference is relative to the base URL, and not only a fragment.
fn is_relative_reference(reference: &str) -> bool {
    absolve::url::rfc1808::scheme_end(reference.trim_start()).is_none()
        && !reference.trim_start().starts_with('#')
}

/// Collects the findings of a document up to its limit, and counts further ones.
pub(crate) struct FindingSink<'a> {
    context: &'a AuditContext<'a>,
    pub(crate) lookup: Lookup<'a>,
    /// The file number of the document.
    pub(crate) file: usize,
    pub(crate) syntax: Syntax,
    /// Whether the user selects the document, and it is not only a target of links.
    pub(crate) is_reported: bool,
    pub(crate) findings: PageFindings,
}

impl<'a> FindingSink<'a> {
    pub(crate) fn new(context: &'a AuditContext<'a>, file: usize, turn: Turn) -> Self {
        Self {
            context,
            lookup: context.lookup,
            file,
            syntax: Syntax::default(),
            is_reported: context.audit.reports(file) && !context.site.is_target_only(file),
            findings: PageFindings::new(&context.budget, turn),
        }
    }

    /// Returns the level of a rule; `None` if its findings are not reported for this document.
    pub(crate) fn level(&self, rule: Rule) -> Option<Level> {
        let level = self.context.audit.level_of(rule);
        (self.is_reported && level != Level::Off).then_some(level)
    }

    /// Returns the level of a rule if there is room for another finding; else counts the finding.
    pub(crate) fn level_with_room(&mut self, rule: Rule) -> Option<Level> {
        let level = self.level(rule)?;
        if !self.context.audit.allows_another_finding(self.findings.number) {
            self.findings.truncated.add(rule, 1);
            return None;
        }
        self.findings.admits(rule).then_some(level)
    }

    /// Whether further findings are only counted.
    pub(crate) fn is_full(&self) -> bool {
        !self.context.audit.allows_another_finding(self.findings.number) || self.findings.is_full()
    }

    /// Creates a finding of this level about the document as a whole.
    pub(crate) fn document_finding(
        &self,
        rule: Rule,
        level: Level,
        message: impl Into<String>,
    ) -> Finding {
        self.with_file(Finding::new(rule, level, PathBuf::new(), message.into()))
    }

    /// Sets the path of a finding to that of the document.
    pub(crate) fn with_file(&self, finding: Finding) -> Finding {
        Finding { file: self.lookup.site.shown(self.file), ..finding }
    }

    /// Adds a finding if the run selects it. The caller has checked the rule and the room.
    pub(crate) fn add(&mut self, draft: impl Into<Draft>) {
        let draft = draft.into();
        if self.context.budget.selects(&draft) {
            self.findings.push(draft, &self.context.budget);
        }
    }

    /// Adds the finding for a problem of a link, if its rule is on and there is room for it.
    pub(crate) fn add_link(&mut self, link: &Occurrence<'_>, url: Option<&str>, problem: Problem) {
        let Problem { rule, max_level, message, hint, proposal, search, target } = problem;
        if link.is_overridden() {
            return;
        }
        // A problem may matter more or less at this link: then another rule reports it.
        let problem_rule = rule;
        let rule = link.rule_for(rule, self.syntax);
        self.findings.from_root.add(rule, link.reference);
        let Some(level) = self.level_with_room(rule) else { return };
        let level = if rule == problem_rule { level.min(max_level) } else { level };
        let finding = link.finding(rule, level, &self.lookup, url);
        let message = message.into_owned();
        let finding = self.with_file(Finding { target, message, hint, ..finding });
        let mut draft = Draft { search, ..Draft::from(finding) };
        if let Some(mut proposal) = proposal {
            let Occurrence { reference, base, .. } = *link;
            let Lookup { standard, deployment, .. } = self.lookup;
            if !link.is_fixable(rule, deployment) {
                proposal.safety = None;
            }
            draft.propose(&proposal, &AuthoredReference { reference, base, standard, deployment });
        }
        self.add(draft);
    }

    /// Takes the findings, with a finding about the truncation if the page exceeds its limit.
    pub(crate) fn take(&mut self) -> PageFindings {
        if let Some(level) = self.level(Rule::Unreadable)
            && let Some(message) = self.findings.left_out()
        {
            let finding = self.document_finding(Rule::Unreadable, level, message.to_string());
            self.findings.truncation = Some(finding.advising(&message));
        }
        std::mem::take(&mut self.findings)
    }
}

/// Fills in the lines and columns of the findings of a file.
pub(crate) fn fill_positions(drafts: &mut [Draft], source: &[u8], detected: Detected) {
    drafts.sort_by_key(|draft| draft.finding.span.as_ref().map(|span| span.start));
    let mut lines = Lines::new(source, detected);
    for draft in drafts {
        fill_position(&mut draft.finding, &mut lines);
    }
}

/// Fills in the line and the column of a finding; calls are fastest in the order of offsets.
pub(crate) fn fill_position(finding: &mut Finding, lines: &mut Lines<'_>) {
    if let Some(span) = &finding.span {
        let (line, column) = lines.locate(span.start);
        (finding.line, finding.column) = (Some(line), Some(column));
    }
}
