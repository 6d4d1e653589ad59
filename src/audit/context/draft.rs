//! The findings of one page, within the memory that a run has for findings.
//!
//! Pages are audited in several threads, and their findings wait until those of all pages
//! before them are collected. What waits is bounded: a page for which there is no room is
//! deferred, and audited again when it is its turn. So memory is bounded whatever the
//! pages are, and the result is the same for every number of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::audit::finding::Finding;
use crate::audit::hints::Search;
use crate::audit::rules::Rule;
use crate::audit::summary::RuleCounts;

/// Bytes that the findings of one page may take, and those of all pages that wait: 16 MiB.
const MAX_WAITING: usize = 16 << 20;

/// A finding whose hint is still to be searched.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) finding: Finding,
    pub(crate) search: Option<Arc<Search>>,
}

impl Draft {
    /// Bytes that it takes, about: a list grows to twice its size, and a hint is as long as
    /// a path.
    pub(crate) fn size(&self) -> usize {
        let search = self.search.as_ref().map_or(0, |search| 64 + 2 * search.text_size());
        2 * size_of::<Self>() + self.finding.text_size() + search
    }
}

impl From<Finding> for Draft {
    fn from(finding: Finding) -> Self {
        Self { finding, search: None }
    }
}

impl AsMut<Finding> for Draft {
    fn as_mut(&mut self) -> &mut Finding {
        &mut self.finding
    }
}

/// What the pages that are audited at the same time share.
#[derive(Debug, Default)]
pub(crate) struct FindingBudget {
    /// Bytes of findings that are not collected yet.
    waiting: AtomicUsize,
    /// Whether no further finding is listed.
    is_spent: AtomicBool,
}

impl FindingBudget {
    /// From now on findings are counted alone.
    pub(crate) fn spend(&self) {
        self.is_spent.store(true, Ordering::Relaxed);
    }

    fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    fn reserve(&self, size: usize) -> bool {
        self.waiting.fetch_add(size, Ordering::Relaxed) + size <= MAX_WAITING
    }

    fn release(&self, size: usize) {
        self.waiting.fetch_sub(size, Ordering::Relaxed);
    }
}

/// When a page is audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Beside others.
    Parallel,
    /// Alone, when all pages before it are collected.
    Alone,
}

/// How the findings of a page are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retention {
    Listed,
    /// There is no room: they are counted.
    Counted,
    /// There was no room beside other pages: the page is audited again.
    Deferred,
}

/// The findings of one page and pass.
#[derive(Debug)]
pub(crate) struct PageFindings {
    pub(crate) drafts: Vec<Draft>,
    /// Those that were counted because there was no room.
    pub(crate) unlisted: RuleCounts,
    /// Those beyond the number that a page may have.
    pub(crate) truncated: RuleCounts,
    /// The finding that there are such.
    pub(crate) truncation: Option<Finding>,
    number: usize,
    size: usize,
    retention: Retention,
    turn: Turn,
}

impl PageFindings {
    pub(crate) fn new(budget: &FindingBudget, turn: Turn) -> Self {
        Self {
            drafts: Vec::new(),
            unlisted: RuleCounts::default(),
            truncated: RuleCounts::default(),
            truncation: None,
            number: 0,
            size: 0,
            retention: if budget.is_spent() { Retention::Counted } else { Retention::Listed },
            turn,
        }
    }

    /// A page without findings.
    pub(crate) fn none() -> Self {
        Self::new(&FindingBudget::default(), Turn::Alone)
    }

    /// How many there are, listed or counted.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Whether a further finding has to be made, which [`PageFindings::push`] takes; one that
    /// has not is counted.
    pub(crate) fn admits(&mut self, rule: Rule) -> bool {
        if self.retention == Retention::Counted {
            self.number += 1;
            self.unlisted.add(rule, 1);
        }
        self.retention == Retention::Listed
    }

    /// Whether no further finding is listed.
    pub(crate) fn is_full(&self) -> bool {
        self.retention != Retention::Listed
    }

    pub(crate) fn push(&mut self, draft: Draft, budget: &FindingBudget) {
        if !self.admits(draft.finding.rule) {
            return;
        }
        self.number += 1;
        let size = draft.size();
        if self.size + size > MAX_WAITING {
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

    /// Whether the page has to be audited again, alone.
    pub(crate) fn is_deferred(&self) -> bool {
        self.retention == Retention::Deferred
    }

    /// Gives back the memory that was reserved, as the findings wait no longer.
    pub(crate) fn release(&self, budget: &FindingBudget) {
        if self.turn == Turn::Parallel {
            budget.release(self.size);
        }
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
        let budget = FindingBudget::default();
        let mut first = PageFindings::new(&budget, Turn::Parallel);
        first.push(draft(MAX_WAITING / 2), &budget);
        let mut second = PageFindings::new(&budget, Turn::Parallel);
        second.push(draft(1), &budget);
        second.push(draft(MAX_WAITING / 2), &budget);
        assert!(!first.is_deferred() && second.is_deferred() && second.drafts.is_empty());
        assert!(!second.admits(Rule::BrokenLink));
        first.release(&budget);
        second.release(&budget);
        assert!(budget.reserve(MAX_WAITING));
    }

    #[test]
    fn what_a_page_has_no_room_for_is_counted() {
        let budget = FindingBudget::default();
        let mut page = PageFindings::new(&budget, Turn::Alone);
        page.push(draft(MAX_WAITING / 2), &budget);
        page.push(draft(MAX_WAITING / 2), &budget);
        page.push(draft(1), &budget);
        assert_eq!((page.drafts.len(), page.number(), page.unlisted.total()), (1, 3, 2));
        budget.spend();
        let mut spent = PageFindings::new(&budget, Turn::Parallel);
        spent.push(draft(1), &budget);
        assert_eq!((spent.drafts.len(), spent.unlisted.total()), (0, 1));
    }
}
