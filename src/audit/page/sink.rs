//! Limits, places and adds the findings of one document.

use std::path::{Path, PathBuf};

use crate::audit::container::document::AuditedDocument;
use crate::audit::context::{AuditContext, Draft, PageFindings, Requesters, Turn};
use crate::audit::finding::Finding;
use crate::audit::hints::AuthoredReference;
use crate::audit::lookup::Lookup;
use crate::audit::page::occurrence::Occurrence;
use crate::audit::reference::is_local;
use crate::audit::rules::{Level, Rule};
use crate::audit::target::Problem;
use crate::link::Syntax;

/// Takes the findings of a document, or of one after another in the same container.
pub(crate) struct FindingSink<'a> {
    context: &'a AuditContext<'a>,
    pub(crate) lookup: Lookup<'a>,
    pub(crate) document: AuditedDocument<'a>,
    /// The syntax of the document.
    pub(crate) syntax: Syntax,
    /// Whether findings of the document are reported.
    pub(crate) is_reported: bool,
    pub(crate) findings: PageFindings,
}

impl<'a> FindingSink<'a> {
    pub(crate) fn new(
        context: &'a AuditContext<'a>,
        document: AuditedDocument<'a>,
        turn: Turn,
    ) -> Self {
        Self {
            context,
            lookup: Lookup { scope: document.scope, ..context.lookup },
            document,
            syntax: Syntax::default(),
            is_reported: context.audit.reports(document.file)
                && !context.site.is_around(document.file),
            findings: PageFindings::new(&context.budget, turn),
        }
    }

    /// The level of a rule; `None` if its findings are not reported here.
    pub(crate) fn level(&self, rule: Rule) -> Option<Level> {
        let level = self.context.audit.level_of(rule);
        (self.is_reported && level != Level::Off).then_some(level)
    }

    /// The level of a rule, if there is room for another finding; if there is none, it is counted.
    pub(crate) fn level_with_room(&mut self, rule: Rule) -> Option<Level> {
        let level = self.level(rule)?;
        if !self.context.audit.keeps(self.findings.number()) {
            self.findings.truncated.add(rule, 1);
            return None;
        }
        self.findings.admits(rule).then_some(level)
    }

    /// Whether further findings are only counted.
    pub(crate) fn is_full(&self) -> bool {
        !self.context.audit.keeps(self.findings.number()) || self.findings.is_full()
    }

    /// A finding of this level about the document as a whole.
    pub(crate) fn whole(&self, rule: Rule, level: Level, message: impl Into<String>) -> Finding {
        self.placed(Finding::new(rule, level, PathBuf::new(), message.into()))
    }

    /// A finding with the position of the document.
    pub(crate) fn placed(&self, finding: Finding) -> Finding {
        let AuditedDocument { file, inside, url, .. } = self.document;
        let (file, inside) = self.lookup.site.place(file, inside);
        let page = url.map(|url| self.lookup.shown(url).into_owned());
        Finding { file, inside, page, ..finding }
    }

    /// Adds a finding that has a position, and a level that is not off.
    pub(crate) fn add(&mut self, draft: impl Into<Draft>) {
        let draft = draft.into();
        if self.context.budget.selects(&draft) {
            self.findings.push(draft, &self.context.budget);
        }
    }

    /// Adds the finding about a link, if its rule is on and there is room for it.
    pub(crate) fn add_link(&mut self, link: &Occurrence<'_>, url: Option<&str>, problem: Problem) {
        let Problem { rule, message, hint, proposal, search, target } = problem;
        if link.is_overridden() {
            return;
        }
        let rule = link.rule_for(rule, self.syntax);
        self.findings.from_root.add(rule, link.reference);
        let Some(level) = self.level_with_room(rule) else { return };
        let level = level.min(self.highest_level(rule, link, (url, target.as_deref())));
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
        self.add(draft);
    }

    /// The highest level of a finding of this rule about a link.
    fn highest_level(
        &self,
        rule: Rule,
        link: &Occurrence<'_>,
        (url, target): (Option<&str>, Option<&Path>),
    ) -> Level {
        let AuditedDocument { number, inside, .. } = self.document;
        let is_note = match rule {
            // A text often names the server that its reader runs.
            Rule::LeakedDevelopmentUrl => {
                link.element == Some("a")
                    && matches!(link.attribute, Some("href" | "xlink:href"))
                    && url.is_some_and(is_local)
            }
            // No visitor sees what an image lacks that no page has.
            Rule::MissingAnchor => {
                inside.is_none()
                    && self.context.site.is_xml(number)
                    && target == Some(&*self.context.site.shown(number))
                    && self.context.state.requests.links_to(number) == Requesters::NONE
            }
            _ => false,
        };
        if is_note { Level::Note } else { Level::Error }
    }

    /// The findings, with one that counts those beyond the limit of a page.
    pub(crate) fn take(&mut self) -> PageFindings {
        if let Some(level) = self.level(Rule::Unreadable)
            && let Some(message) = self.findings.left_out()
        {
            self.findings.truncation = Some(self.whole(Rule::Unreadable, level, message));
        }
        std::mem::take(&mut self.findings)
    }
}
