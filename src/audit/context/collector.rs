//! Collects the findings of a run up to a limit, and counts the others.

use crate::audit::context::draft::{Draft, FindingBudget, PageFindings};
use crate::audit::context::from_root::LinksFromRoot;
use crate::audit::context::state::State;
use crate::audit::finding::Finding;
use crate::audit::options::Audit;
use crate::audit::rules::Level;
use crate::audit::summary::{RuleCounts, Unlisted};

/// Whether the baseline has a finding, which is then neither counted nor listed.
pub(crate) type IsKnown<'a> = dyn FnMut(&Finding) -> bool + 'a;

/// Removes findings that turn out to have no fix, to make room for others.
pub(crate) type Compact<'a> = dyn Fn(&mut Vec<Draft>) + 'a;

/// Collects findings, page by page in order.
pub(crate) struct Collector<'a, 'k> {
    budget: &'a FindingBudget,
    is_known: Option<&'k mut IsKnown<'k>>,
    compact: Option<&'a Compact<'a>>,
    drafts: Vec<Draft>,
    size: usize,
    /// Limit on the bytes of all findings; 0 for no limit.
    max_size: usize,
    is_full: bool,
    unlisted: RuleCounts,
    pub(crate) from_root: LinksFromRoot,
}

impl<'a, 'k> Collector<'a, 'k> {
    pub(crate) fn new(
        max_size: usize,
        budget: &'a FindingBudget,
        is_known: Option<&'k mut IsKnown<'k>>,
    ) -> Self {
        Self {
            budget,
            is_known,
            compact: None,
            drafts: Vec::new(),
            size: 0,
            max_size,
            is_full: false,
            unlisted: RuleCounts::default(),
            from_root: LinksFromRoot::default(),
        }
    }

    /// Sets what to do when the limit is reached; by default, further findings are counted.
    pub(crate) fn compacting(mut self, compact: Option<&'a Compact<'a>>) -> Self {
        self.compact = compact;
        self
    }

    /// Whether there are as many findings as one round of fixes takes: the next one audits the
    /// site again, and the pages after these too.
    pub(crate) fn ends_round(&self) -> bool {
        self.is_full && self.compact.is_some()
    }

    /// The number of files that may be begun before the first of them is collected; their findings wait.
    ///
    /// With 1,024, the fixable findings of pages with 90 broken links each have no room to wait, and one
    /// thread audits half of the pages again.
    pub(crate) fn ahead(&self) -> usize {
        if self.compact.is_some() { 128 } else { 1024 }
    }

    /// Adds the findings of a page.
    pub(crate) fn add_page(&mut self, page: PageFindings) {
        page.release(self.budget);
        self.from_root.append(&page.from_root);
        page.drafts.into_iter().for_each(|draft| self.add(draft));
        self.unlisted.append(&page.unlisted);
        // If the baseline has the truncation of a page, it covers the truncated findings.
        match page.truncation {
            Some(truncation) if self.is_known(&truncation) => {}
            truncation => {
                if let Some(finding) = truncation {
                    self.add_new(finding.into());
                }
                self.unlisted.append(&page.truncated);
            }
        }
    }

    /// Adds a finding, unless its rule is off or it is known.
    pub(crate) fn add(&mut self, draft: impl Into<Draft>) {
        let draft = draft.into();
        if draft.finding.level != Level::Off && !self.is_known(&draft.finding) {
            self.add_new(draft);
        }
    }

    /// Lists a finding about the run, even beyond the limit.
    pub(crate) fn add_always(&mut self, finding: Finding) {
        if finding.level != Level::Off && !self.is_known(&finding) {
            self.drafts.push(finding.into());
        }
    }

    fn is_known(&mut self, finding: &Finding) -> bool {
        self.is_known.as_mut().is_some_and(|is_known| is_known(finding))
    }

    fn add_new(&mut self, draft: Draft) {
        if !self.budget.selects(&draft) {
            return;
        }
        self.is_full |= self.max_size > 0 && !self.has_room(draft.size());
        if self.is_full {
            // A baseline needs every finding; without one, pages need only count them.
            if self.is_known.is_none() {
                self.budget.spend();
            }
            self.unlisted.add(draft.finding.rule, 1);
            return;
        }
        self.size += draft.size();
        self.drafts.push(draft);
    }

    /// Whether so many bytes fit, if need be after compacting.
    fn has_room(&mut self, size: usize) -> bool {
        if self.size + size <= self.max_size || self.is_full {
            return !self.is_full;
        }
        let Some(compact) = self.compact else { return false };
        compact(&mut self.drafts);
        self.size = self.drafts.iter().map(Draft::size).sum();
        // With less room, the next compaction would come too soon to pay.
        self.size + size <= self.max_size / 2
    }

    /// The findings in order, and the number of those that are not listed.
    ///
    /// A duplicate id that no link leads to is at most a note.
    pub(crate) fn finish(self, audit: &Audit, state: &State) -> (Vec<Draft>, Vec<Unlisted>) {
        let mut drafts = self.drafts;
        for Draft { finding, duplicate, .. } in &mut drafts {
            if duplicate.is_some_and(|(file, id)| !state.is_duplicate_linked(file, id)) {
                finding.level = finding.level.min(Level::Note);
            }
        }
        drafts.sort_by(|one, other| one.finding.order(&other.finding));
        let unlisted = self.unlisted.iter().map(|(rule, count)| {
            let level = audit.level_of(rule);
            Unlisted { rule, level, count }
        });
        (drafts, unlisted.collect())
    }
}
