//! A look at one page: what is found in it alone, and what it asks of others.

mod page;
mod shown;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::attributes::TEXT;
use crate::audit::anchors::{Anchors, AnchorsOfPage, Fragment};
use crate::audit::check::Audit;
use crate::audit::draft::{Draft, FindingBudget, PageFindings, Turn};
use crate::audit::finding::Finding;
use crate::audit::held::Held;
use crate::audit::occurrence::Occurrence;
use crate::audit::reading::{Reading, Readings, split_fragment, with_fragment};
use crate::audit::reference::{self, has_to_be_absolute, insecure_link, mixed_content};
use crate::audit::rules::{Level, Rule};
use crate::audit::run::Course;
use crate::audit::state::{Refresh, State, Verdict, Verdicts};
use crate::audit::subject::{Scope, Subject};
use crate::audit::target::{Lookup, Problem, Side};
use crate::audit::verdicts::{missing_anchor, missing_text};
use crate::audit::wanted::{Blocks, MAX_ANCHORS};
use crate::base::BaseSource;
use crate::grammar::Grammar;
use crate::link::{Anchor, BaseTag};
use crate::url::{Standard, clean};

/// Why a page is looked at.
#[derive(Clone, Copy)]
pub(crate) enum Why<'a> {
    /// For everything.
    First,
    /// For what it asks of other pages, now that those are known.
    Again(&'a Verdicts),
}

/// A page that sends its readers on within so many seconds only redirects.
const MAX_DELAY: u64 = 10;

/// What a thread keeps from one page to the next.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    readings: Readings,
    anchors: AnchorsOfPage,
}

/// A look at one page or style sheet.
pub(crate) struct Look<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) state: &'a State,
    held: &'a Held,
    pub(crate) lookup: Lookup<'a>,
    standard: Standard,
    readings: &'a mut Readings,
    pub(crate) why: Why<'a>,
    pub(crate) subject: Subject<'a>,
    /// Its number.
    pub(crate) page: usize,
    pub(crate) block: Blocks,
    /// Whether findings of this page are reported.
    pub(crate) is_reported: bool,
    pub(crate) bases: Vec<BaseTag>,
    anchors: &'a mut AnchorsOfPage,
    /// The fragments of the page itself that its links ask for, before the anchors of all of
    /// them were seen.
    own: HashSet<Box<str>>,
    /// Whether there are more of those than are listed.
    own_unlisted: bool,
    pub(crate) refresh: Option<Refresh>,
    /// Where the first relative reference stands.
    pub(crate) first_relative: Option<usize>,
    pub(crate) findings: PageFindings,
    budget: &'a FindingBudget,
    pub(crate) links: u64,
    /// Whether it is in an encoding that nobody reads.
    pub(crate) is_unreadable: bool,
    /// The `href` of the `base` element that counts, as findings about it show it.
    base: Option<Finding>,
}

impl<'a> Look<'a> {
    pub(crate) fn new(
        course: &'a Course<'a>,
        kept: &'a mut Kept,
        why: Why<'a>,
        subject: Subject<'a>,
        block: Blocks,
        turn: Turn,
    ) -> Self {
        kept.readings.turn_to(subject.scope);
        Self {
            audit: course.audit,
            state: &course.state,
            held: course.held,
            lookup: Lookup { scope: subject.scope, ..course.lookup },
            standard: course.audit.standard(),
            readings: &mut kept.readings,
            why,
            subject,
            page: subject.number,
            block,
            is_reported: course.audit.reports(subject.file) && !course.site.is_around(subject.file),
            bases: Vec::new(),
            anchors: &mut kept.anchors,
            own: HashSet::new(),
            own_unlisted: false,
            refresh: None,
            first_relative: None,
            findings: PageFindings::new(&course.budget, turn),
            budget: &course.budget,
            links: 0,
            is_unreadable: false,
            base: None,
        }
    }

    /// Goes on to another document of the same container.
    pub(crate) fn turn_to(&mut self, subject: Subject<'a>) {
        (self.subject, self.page) = (subject, subject.number);
        self.bases.clear();
        self.own.clear();
        self.own_unlisted = false;
        (self.refresh, self.first_relative, self.base) = (None, None, None);
        self.is_unreadable = false;
    }

    /// A finding of what is looked at.
    pub(crate) fn placed(&self, finding: Finding) -> Finding {
        let Subject { file, inside, url, .. } = self.subject;
        Finding {
            file: self.lookup.site.shown(file),
            inside,
            page: url.map(|url| self.lookup.deployment.shown(url).to_owned()),
            ..finding
        }
    }

    /// The level of a rule's findings here; `None` where there are none to be.
    fn level(&self, rule: Rule) -> Option<Level> {
        let level = self.audit.level_of(rule);
        (self.is_reported && level != Level::Off).then_some(level)
    }

    /// Whether a finding has to be made; one that there is no room for is counted.
    fn admits(&mut self, rule: Rule) -> bool {
        if !self.audit.keeps(self.findings.number()) {
            self.findings.truncated.add(rule, 1);
            return false;
        }
        self.findings.admits(rule)
    }

    /// Adds a finding that was admitted.
    fn push(&mut self, draft: impl Into<Draft>) {
        self.findings.push(draft.into(), self.budget);
    }

    /// Adds a finding about a reference, where its rule is on.
    fn add(
        &mut self,
        link: &Occurrence<'_>,
        reading: &Reading,
        fragment: Option<&str>,
        problem: &Problem,
    ) {
        self.add_made(link, reading, fragment, problem.rule, || problem.clone());
    }

    /// The same about a reference that resolves to this URL.
    fn add_to(&mut self, link: &Occurrence<'_>, url: Option<&str>, problem: &Problem) {
        let Some(level) = self.level(problem.rule) else { return };
        if self.admits(problem.rule) {
            self.list(link, level, url, problem.clone());
        }
    }

    /// The same about a problem of this rule that is made where there is room for it.
    fn add_made(
        &mut self,
        link: &Occurrence<'_>,
        reading: &Reading,
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
    fn list(&mut self, link: &Occurrence<'_>, level: Level, url: Option<&str>, problem: Problem) {
        let Problem { rule, message, hint, search, target } = problem;
        let finding = link.finding(rule, level, &self.lookup, url);
        let message = message.into_owned();
        let finding = self.placed(Finding { target, message, hint, ..finding });
        self.push(Draft { finding, search });
    }

    /// Adds a finding about an id that was there before.
    fn again(&mut self, anchor: &Anchor<'_>) {
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
    fn empty_value(&mut self, link: &Occurrence<'_>) {
        self.links += 1;
        // An empty action is a usual way to write the page itself.
        let is_action = matches!(link.attribute, Some("action" | "formaction"));
        if matches!(self.why, Why::First) && !is_action && !self.audit.ignores(link) {
            let message = "an empty value, for which browsers fetch nothing";
            self.add_to(link, None, &Problem::new(Rule::EmptyReference, message));
        }
    }

    /// Looks at one link.
    pub(crate) fn occurrence(&mut self, link: &Occurrence<'_>) {
        self.links += 1;
        if self.audit.ignores(link) {
            return;
        }
        let (before, fragment) = split_fragment(link.reference);
        let reading = if self.is_itself(before, link) {
            Arc::new(Reading::of_itself(link.url(), self.page))
        } else {
            self.readings.of(before, link.base, self.standard, || link.url(), &self.lookup)
        };
        if let Some(file) = reading.target.file {
            if file != self.page {
                self.state.wanted.link(file, self.block);
            }
            self.ask(link, &reading, file, fragment);
        }
        if matches!(self.why, Why::First) {
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

    /// Reports what is wrong with a link, as far as that is known at first sight.
    fn report(&mut self, link: &Occurrence<'_>, reading: &Reading, fragment: Option<&str>) {
        if !self.is_reported {
            return;
        }
        for problem in &reading.target.problems {
            match problem.rule {
                // A place to start from need not be a page.
                Rule::DirectoryWithoutIndex if link.attribute == Some("codebase") => {}
                Rule::BrokenLink if link.grammar == Grammar::Refresh => {
                    let problem = Problem { rule: Rule::BrokenRedirect, ..problem.clone() };
                    self.add(link, reading, fragment, &problem);
                }
                _ => self.add(link, reading, fragment, problem),
            }
        }
        for (rule, message) in reference::check(link.reference) {
            let mut problem = Problem::new(rule, message);
            if rule == Rule::BadPercent
                && let Some(escape) = reference::bad_escape(link.reference)
            {
                problem.message = format!("escape '{escape}': {message}").into();
            }
            self.add(link, reading, fragment, &problem);
        }
        if reading.is_own_absolute || reading.is_insecure {
            self.report_absolute(link, reading, fragment);
        }
    }

    /// What depends on what the element does with a URL.
    fn report_absolute(
        &mut self,
        link: &Occurrence<'_>,
        reading: &Reading,
        fragment: Option<&str>,
    ) {
        let rel = (link.sibling)("rel");
        let (rel, element) = (rel.as_deref(), link.element.unwrap_or(""));
        // A style sheet is to a page what the text of its style elements is.
        let is_style = link.grammar == Grammar::Stylesheet;
        let attribute = link.attribute.unwrap_or(if is_style { TEXT } else { "" });
        if reading.is_own_absolute && !has_to_be_absolute(element, rel) {
            let message = "an absolute link to the site itself";
            self.add(link, reading, fragment, &Problem::new(Rule::OwnHostAbsolute, message));
        }
        let Some(target) = reading.url.as_deref().filter(|_| reading.is_insecure) else { return };
        let class =
            mixed_content(element, attribute, rel, target).filter(|_| self.lookup.is_secure());
        if let Some(class) = class {
            self.add(link, reading, fragment, &Problem::new(Rule::MixedContent, class.message()));
        } else if matches!(self.lookup.scope, Scope::Site)
            && is_http(link.reference)
            && insecure_link(element, attribute, rel, target)
        {
            let message = "it leads to an http: URL";
            self.add(link, reading, fragment, &Problem::new(Rule::InsecureLink, message));
        }
    }

    /// Asks for what a link wants of a page, or says what became of that.
    fn ask(
        &mut self,
        link: &Occurrence<'_>,
        reading: &Reading,
        file: usize,
        fragment: Option<&str>,
    ) {
        let Why::Again(verdicts) = self.why else {
            if let Some(fragment) = fragment.filter(|_| !link.is_nested_fragment()) {
                self.ask_for(file, fragment);
            }
            return;
        };
        let fragment_of_file = fragment.filter(|_| !link.is_nested_fragment());
        let verdict = verdicts.of(self.state, file, fragment_of_file, self.audit.ranges());
        // Another finding reports the circle that this page is in.
        let is_circle = || {
            link.grammar == Grammar::Refresh && verdicts.circles.binary_search(&self.page).is_ok()
        };
        if let Some(problem) = verdict.redirect.filter(|_| !is_circle()) {
            self.add(link, reading, fragment, problem);
        }
        if let (Some(missing), Some(fragment)) = (verdict.missing, fragment) {
            let (held, site, asked) = (self.held, self.lookup.site, Some(fragment));
            if missing.anchor {
                let problem = || missing_anchor(held, site, file, fragment);
                self.add_made(link, reading, asked, Rule::MissingAnchor, problem);
            }
            if missing.text {
                let problem = || missing_text(site, file);
                self.add_made(link, reading, asked, Rule::MissingTextFragment, problem);
            }
        }
    }

    /// Counts what a link misses where there is no room for a finding of it; says whether
    /// that is all there is to do.
    fn only_counts(&mut self, verdict: &Verdict<'_>) -> bool {
        let Verdict { redirect: None, missing: Some(missing) } = verdict else { return false };
        if self.audit.keeps(self.findings.number()) && !self.findings.is_full() {
            return false;
        }
        for (rule, is_missing) in
            [(Rule::MissingAnchor, missing.anchor), (Rule::MissingTextFragment, missing.text)]
        {
            if is_missing && self.level(rule).is_some() {
                self.admits(rule);
            }
        }
        true
    }

    /// Asks for a fragment of a file, unless it is known to be there.
    fn ask_for(&mut self, file: usize, fragment: &str) {
        if !self.is_reported || !self.state.has_anchors(file) {
            return;
        }
        let Fragment { anchor, directive } = Fragment::parse(fragment);
        if directive.is_some() && self.level(Rule::MissingTextFragment).is_some() {
            self.state.wanted.text(file, fragment, self.block);
        }
        let Some(anchor) = anchor else { return };
        if file == self.page {
            self.ask_for_own(fragment);
        } else if self.level(Rule::MissingAnchor).is_none() {
            // The page is read all the same, as it may redirect.
            if self.state.anchors(file).is_none() {
                self.state.wanted.anchor(file, "", self.block);
            }
        } else if self.state.wanted.unlisted(file) & self.block == 0 {
            let known = self.state.anchors(file);
            if !known.is_some_and(|known| known.has_anchor(anchor, self.audit.ranges())) {
                self.state.wanted.anchor(file, fragment, self.block);
            }
        }
    }

    /// Asks for an anchor of the page itself, which may follow.
    fn ask_for_own(&mut self, fragment: &str) {
        if self.level(Rule::MissingAnchor).is_none() || self.anchors.has_so_far(fragment) {
            return;
        }
        if self.own.len() < MAX_ANCHORS {
            self.own.insert(fragment.into());
        } else if !self.own.contains(fragment) {
            self.own_unlisted = true;
        }
    }

    /// Notes where the page sends its readers.
    fn refresh(&mut self, link: &Occurrence<'_>, reading: &Reading, fragment: Option<&str>) {
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
        let to = match (reading.target.side, reading.target.file) {
            (Side::Inside, None) => return,
            (_, file) => file,
        };
        self.refresh = Some(Refresh { to, finding });
    }

    /// Ends the look: the page's anchors, and what it asks of itself.
    pub(crate) fn finish(&mut self) -> Anchors {
        let anchors = self.anchors.finish();
        let own = std::mem::take(&mut self.own);
        let mut lacking = own.iter().filter(|fragment| !anchors.has(fragment, self.audit.ranges()));
        if std::mem::take(&mut self.own_unlisted) || lacking.next().is_some() {
            self.state.wanted.any_anchor(self.page, self.block);
        }
        anchors
    }
}

/// The seconds of a refresh.
fn delay_of(content: &str) -> Option<u64> {
    let content = content.trim_start();
    let end = content.find(|c: char| !c.is_ascii_digit()).unwrap_or(content.len());
    content[..end].parse().ok()
}

fn is_http(reference: &str) -> bool {
    let reference = clean(reference);
    reference.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:"))
}
