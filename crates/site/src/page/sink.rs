//! Limits, places and adds the findings of a document.

use std::path::PathBuf;

use absolve::Syntax;
use absolve::encoding::{Detected, Lines};

use crate::{
    AuditContext, AuthoredReference, Draft, Finding, Level, Lookup, Occurrence, PageFindings,
    Problem, Rule, Turn,
};

/// Takes the findings of a document.
pub(crate) struct FindingSink<'a> {
    context: &'a AuditContext<'a>,
    pub(crate) lookup: Lookup<'a>,
    /// The number of its file.
    pub(crate) file: usize,
    /// The syntax of the document.
    pub(crate) syntax: Syntax,
    /// Whether findings of the document are reported.
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
            is_reported: context.audit.reports(file) && !context.site.is_around(file),
            findings: PageFindings::new(&context.budget, turn),
        }
    }

    /// The level of a rule; `None` if its findings are not reported here.
    pub(crate) fn level(&self, rule: Rule) -> Option<Level> {
        let level = self.context.audit.level_of(rule);
        (self.is_reported && level != Level::Off).then_some(level)
    }

    /// The level of a rule, if there is room for another finding; otherwise the finding is counted.
    pub(crate) fn level_with_room(&mut self, rule: Rule) -> Option<Level> {
        let level = self.level(rule)?;
        if !self.context.audit.keeps(self.findings.number) {
            self.findings.truncated.add(rule, 1);
            return None;
        }
        self.findings.admits(rule).then_some(level)
    }

    /// Whether further findings are only counted.
    pub(crate) fn is_full(&self) -> bool {
        !self.context.audit.keeps(self.findings.number) || self.findings.is_full()
    }

    /// A finding of this level about the document as a whole.
    pub(crate) fn whole(&self, rule: Rule, level: Level, message: impl Into<String>) -> Finding {
        self.placed(Finding::new(rule, level, PathBuf::new(), message.into()))
    }

    /// A finding with the path of the document.
    pub(crate) fn placed(&self, finding: Finding) -> Finding {
        Finding { file: self.lookup.site.shown(self.file), ..finding }
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
        let Problem { rule, at_most, message, hint, proposal, search, target } = problem;
        if link.is_overridden() {
            return;
        }
        let alone = rule;
        let rule = link.rule_for(rule, self.syntax);
        self.findings.from_root.add(rule, link.reference);
        let Some(level) = self.level_with_room(rule) else { return };
        let level = if rule == alone { level.min(at_most) } else { level };
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

    /// The findings, with one that counts those beyond the limit of a page.
    pub(crate) fn take(&mut self) -> PageFindings {
        if let Some(level) = self.level(Rule::Unreadable)
            && let Some(message) = self.findings.left_out()
        {
            let finding = self.whole(Rule::Unreadable, level, message.to_string());
            self.findings.truncation = Some(finding.advising(&message));
        }
        std::mem::take(&mut self.findings)
    }
}

/// Fills in the lines and columns of the findings of a file.
pub(crate) fn fill(drafts: &mut [Draft], source: &[u8], detected: Detected) {
    drafts.sort_by_key(|draft| draft.finding.span.as_ref().map(|span| span.start));
    let mut lines = Lines::new(source, detected);
    for draft in drafts {
        put(&mut draft.finding, &mut lines);
    }
}

/// Fills in the line and the column of a finding; fastest in the order of offsets.
pub(crate) fn put(finding: &mut Finding, lines: &mut Lines<'_>) {
    if let Some(span) = &finding.span {
        let (line, column) = lines.place(span.start);
        (finding.line, finding.column) = (Some(line), Some(column));
    }
}
