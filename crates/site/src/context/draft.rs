//! The findings of a page, within the memory limit of a run.
//!
//! Threads audit pages in parallel; the findings of a page wait until all pages before it are
//! collected. The memory of waiting findings is limited: a page that exceeds it is deferred, and
//! audited again when its turn comes. The result is therefore the same for every number of threads.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use absolve::{Advice, Diagnosis};

use crate::context::state::State;
use crate::{
    Audit, AuthoredReference, Finding, IdHash, Level, LinksFromRoot, Proposal, Rule, RuleCounts,
    Safety, Search, Unlisted,
};

/// Limit on the bytes of the findings of all waiting pages: 16 MiB.
const MAX_WAITING_SIZE: usize = 16 << 20;

/// A finding whose hint has not been searched yet.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Boxed, because lists of drafts grow and are sorted: moving findings took a third of the time
    /// of the thread that collects them (openjdk-17-doc, 40,836 findings; perf record).
    pub(crate) finding: Box<Finding>,
    pub(crate) search: Option<Arc<Search>>,
    /// For a duplicate id, the number of its page and the id: the level depends on links to the id,
    /// which are known after all pages have been read.
    pub(crate) duplicate: Option<(usize, IdHash)>,
    pub(crate) fix: Option<DraftFix>,
}

/// A fix whose edit in the source has not been found yet.
#[derive(Debug)]
pub(crate) struct DraftFix {
    /// The new reference.
    pub(crate) reference: String,
    pub(crate) safety: Safety,
}

impl Draft {
    /// Returns the approximate bytes: lists grow to twice their size, and a hint contains a path.
    pub(crate) fn size(&self) -> usize {
        let search = self.search.as_ref().map_or(0, |search| 64 + 2 * search.text_size());
        // A fix has its reference twice, and the hint has it, too.
        let fix = self.fix.as_ref().map_or(0, |fix| 64 + 2 * fix.reference.len());
        2 * (size_of::<Self>() + size_of::<Finding>()) + self.finding.text_size() + search + fix
    }

    /// Adds the hint that proposes a reference, and its fix if that is certain enough.
    pub(crate) fn propose(&mut self, proposal: &Proposal, author: &AuthoredReference<'_>) {
        let Some(reference) = author.shape(&proposal.meant) else { return };
        let shown = author.standard.masked(author.base, &reference);
        self.finding.hint = Some(proposal.wording.hint(&shown));
        // A fix would show a user and password, which reports mask.
        if matches!(shown, Cow::Borrowed(_)) {
            self.fix = proposal.safety.map(|safety| DraftFix { reference, safety });
        }
    }
}

impl From<Finding> for Draft {
    fn from(finding: Finding) -> Self {
        Self { finding: Box::new(finding), search: None, duplicate: None, fix: None }
    }
}

/// The findings that a run keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Selection {
    #[default]
    All,
    /// Findings with a fix that is at least this certain, or whose hint may become such a fix.
    Fixable(Safety),
}

/// The memory for findings, shared by the threads.
#[derive(Debug)]
pub(crate) struct FindingBudget {
    pub(crate) selection: Selection,
    /// Limit on the bytes of the findings of a page.
    max_page_size: usize,
    /// Bytes of findings that are not collected yet.
    waiting_size: AtomicUsize,
    /// Whether further findings are only counted.
    is_spent: AtomicBool,
}

impl FindingBudget {
    /// Creates the budget of a run whose findings may have `max_size` bytes; 0 is unlimited. A
    /// single page may use all of them.
    pub(crate) fn new(selection: Selection, max_size: usize) -> Self {
        let max_page_size = if max_size == 0 { usize::MAX } else { max_size.max(MAX_WAITING_SIZE) };
        let (waiting_size, is_spent) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { selection, max_page_size, waiting_size, is_spent }
    }

    /// Whether the run keeps a finding: it has a fix, or a search may still find one.
    pub(crate) fn selects(&self, draft: &Draft) -> bool {
        let Selection::Fixable(safety) = self.selection else { return true };
        draft.fix.as_ref().is_some_and(|fix| fix.safety <= safety) || draft.search.is_some()
    }

    /// Ends the budget: further findings are only counted.
    pub(crate) fn spend(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    /// Reserves bytes; returns whether they fit. The caller releases them even if they do not.
    fn reserve(&self, size: usize) -> bool {
        self.waiting_size.fetch_add(size, Ordering::Relaxed) + size <= MAX_WAITING_SIZE
    }

    fn release(&self, size: usize) {
        self.waiting_size.fetch_sub(size, Ordering::Relaxed);
    }
}

/// The time at which a page is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Turn {
    /// In parallel with others.
    Parallel,
    /// Alone, after all pages before it are collected.
    #[default]
    Alone,
}

/// Whether further findings of a page are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Retention {
    #[default]
    Listed,
    /// A limit is reached: further findings are only counted.
    Counted,
    /// The waiting pages reached their limit: the page is audited again.
    Deferred,
}

/// The findings of a page in a pass.
#[derive(Debug, Default)]
pub(crate) struct PageFindings {
    pub(crate) drafts: Vec<Draft>,
    /// Findings that were counted because memory was used up.
    pub(crate) unlisted: RuleCounts,
    /// Findings beyond the number that a page may have.
    pub(crate) truncated: RuleCounts,
    /// The finding that reports the truncation.
    pub(crate) truncation: Option<Finding>,
    /// The root-relative links, which show whether the base URL is right.
    pub(crate) from_root: LinksFromRoot,
    /// The number of findings, listed or counted.
    pub(crate) number: usize,
    size: usize,
    retention: Retention,
    turn: Turn,
}

impl PageFindings {
    pub(crate) fn new(budget: &FindingBudget, turn: Turn) -> Self {
        let is_spent = budget.is_spent.load(Ordering::Relaxed);
        let retention = if is_spent { Retention::Counted } else { Retention::Listed };
        Self { retention, turn, ..Self::default() }
    }

    /// Whether [`PageFindings::push`] accepts a further finding. At a limit, counts the finding.
    pub(crate) fn admits(&mut self, rule: Rule) -> bool {
        if self.retention == Retention::Counted {
            self.number += 1;
            self.unlisted.add(rule, 1);
        }
        self.retention == Retention::Listed
    }

    /// Returns the message about findings beyond the number that a page may have, if there are any.
    pub(crate) fn left_out(&self) -> Option<Diagnosis> {
        let left_out = self.truncated.total();
        (left_out > 0).then(|| {
            Diagnosis::new(format!(
                "{left_out} more findings of this page are left out: they exceed the limit for findings"
            ))
            .advising(Advice::Set("{limit findings=N}"))
        })
    }

    /// Whether no further finding is listed.
    pub(crate) fn is_full(&self) -> bool {
        self.retention != Retention::Listed
    }

    /// Adds a finding, counts it at a limit, or drops all findings of a page to be deferred.
    pub(crate) fn push(&mut self, draft: Draft, budget: &FindingBudget) {
        if !self.admits(draft.finding.rule) {
            return;
        }
        self.number += 1;
        let size = draft.size();
        if self.size + size > budget.max_page_size {
            self.retention = Retention::Counted;
            self.unlisted.add(draft.finding.rule, 1);
            return;
        }
        if self.turn == Turn::Parallel && !budget.reserve(size) {
            budget.release(self.size + size);
            (self.drafts, self.size) = (Vec::new(), 0);
            self.retention = Retention::Deferred;
            return;
        }
        self.size += size;
        self.drafts.push(draft);
    }

    /// Whether the page must be audited again, alone.
    pub(crate) fn is_deferred(&self) -> bool {
        self.retention == Retention::Deferred
    }

    /// Releases the reserved memory when the page is collected.
    pub(crate) fn release(&self, budget: &FindingBudget) {
        if self.turn == Turn::Parallel {
            budget.release(self.size);
        }
    }
}

/// Whether the baseline has a finding; such a finding is neither counted nor listed.
pub(crate) type IsKnown<'a> = dyn FnMut(&Finding) -> bool + 'a;

/// Removes findings that turn out to have no fix, to make room for others.
pub(crate) type Compact<'a> = dyn Fn(&mut Vec<Draft>) + 'a;

/// Collects findings, page by page in order.
pub(crate) struct Collector<'a, 'k> {
    budget: &'a FindingBudget,
    is_known: Option<&'k mut IsKnown<'k>>,
    /// Makes room when the limit is reached. Without it, further findings are only counted.
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
        compact: Option<&'a Compact<'a>>,
    ) -> Self {
        Self {
            budget,
            is_known,
            compact,
            drafts: Vec::new(),
            size: 0,
            max_size,
            is_full: false,
            unlisted: RuleCounts::default(),
            from_root: LinksFromRoot::default(),
        }
    }

    /// Whether there are enough findings for a round of fixes. The next round audits the site
    /// again, with the pages that this one has not reached.
    pub(crate) fn ends_round(&self) -> bool {
        self.is_full && self.compact.is_some()
    }

    /// Returns the number of files that may be audited before the first of them is collected; their
    /// findings wait.
    ///
    /// With 1,024, the fixable findings of pages with 90 broken links each have no room to wait,
    /// and one thread audits half of the pages again.
    pub(crate) fn max_ahead(&self) -> usize {
        if self.compact.is_some() { 128 } else { 1024 }
    }

    /// Adds the findings of a page; pages come in order.
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

    /// Whether this many bytes fit. At the limit, compacts the findings first.
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

    /// Returns the findings in order, and the number of unlisted findings by rule.
    ///
    /// A duplicate id without a link to it is at most a note.
    pub(crate) fn finish(self, audit: &Audit, state: &State) -> (Vec<Draft>, Vec<Unlisted>) {
        let mut drafts = self.drafts;
        for Draft { finding, duplicate, .. } in &mut drafts {
            if duplicate.is_some_and(|(file, id)| !state.is_duplicate_linked(file, id)) {
                finding.level = finding.level.min(Level::Note);
            }
        }
        drafts.sort_by(|a, b| a.finding.order(&b.finding));
        let unlisted = self.unlisted.iter().map(|(rule, count)| {
            let level = audit.level_of(rule);
            Unlisted { rule, level, count }
        });
        (drafts, unlisted.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(length: usize) -> Draft {
        let rule = Rule::BrokenLink;
        Finding::new(rule, rule.level(), "a".into(), "x".repeat(length)).into()
    }

    #[test]
    fn a_page_without_room_beside_others_is_deferred() {
        let budget = FindingBudget::new(Selection::All, 0);
        let mut first = PageFindings::new(&budget, Turn::Parallel);
        first.push(draft(MAX_WAITING_SIZE / 2), &budget);
        let mut second = PageFindings::new(&budget, Turn::Parallel);
        second.push(draft(1), &budget);
        second.push(draft(MAX_WAITING_SIZE / 2), &budget);
        assert!(!first.is_deferred() && second.is_deferred() && second.drafts.is_empty());
        assert!(!second.admits(Rule::BrokenLink));
        first.release(&budget);
        second.release(&budget);
        assert!(budget.reserve(MAX_WAITING_SIZE));
    }

    #[test]
    fn without_a_limit_a_page_may_have_any_number() {
        let budget = FindingBudget::new(Selection::All, 0);
        let mut page = PageFindings::new(&budget, Turn::Alone);
        page.push(draft(MAX_WAITING_SIZE), &budget);
        page.push(draft(MAX_WAITING_SIZE), &budget);
        assert_eq!((page.drafts.len(), page.unlisted.total()), (2, 0));
    }

    #[test]
    fn what_a_page_has_no_room_for_is_counted() {
        let budget = FindingBudget::new(Selection::All, 1);
        let mut page = PageFindings::new(&budget, Turn::Alone);
        page.push(draft(MAX_WAITING_SIZE / 2), &budget);
        page.push(draft(MAX_WAITING_SIZE / 2), &budget);
        page.push(draft(1), &budget);
        assert_eq!((page.drafts.len(), page.number, page.unlisted.total()), (1, 3, 2));
        budget.spend();
        let mut spent = PageFindings::new(&budget, Turn::Parallel);
        spent.push(draft(1), &budget);
        assert_eq!((spent.drafts.len(), spent.unlisted.total()), (0, 1));
    }
}
