//! The anchors, redirects and relations of pages, for the checks of other pages.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use absolve_files::Digests;

use crate::context::requests::{FragmentRequests, MAX_SIZE};
use crate::target::MAX_REDIRECTS;
use crate::{Anchors, Finding, Fragment, IdHash, Problem, Ranges};

/// The redirect of a page (`meta refresh`).
#[derive(Debug)]
pub(crate) struct Refresh {
    /// The number of the target; `None` if it is outside the site.
    pub(crate) to: Option<usize>,
    /// The finding to report if the redirect is part of a circle.
    pub(crate) finding: Finding,
}

/// The facts about a document that other pages need after it was read.
#[derive(Debug, Default)]
pub(crate) struct DocumentFacts {
    /// `None` if the document cannot be read, or has no anchors.
    pub(crate) anchors: Option<Anchors>,
    /// Facts that few documents have, in a box: all others need only a pointer.
    pub(crate) rare: Option<Box<RareFacts>>,
}

/// Facts that few documents have.
#[derive(Debug)]
pub(crate) struct RareFacts {
    pub(crate) refresh: Option<Refresh>,
    /// The ids that several elements have, sorted, and for each whether a link leads to it.
    pub(crate) duplicates: Vec<(IdHash, AtomicBool)>,
    pub(crate) relations: StatedRelations,
}

impl RareFacts {
    /// Returns the facts in a box, if there are any.
    pub(crate) fn into_box(self) -> Option<Box<Self>> {
        let StatedRelations { is_copy, is_noindex, translations, .. } = &self.relations;
        let is_stated = *is_copy || *is_noindex || !translations.is_empty();
        let is_rare = self.refresh.is_some() || !self.duplicates.is_empty() || is_stated;
        is_rare.then(|| Box::new(self))
    }
}

/// The statements of a page about itself, in `link` and `meta` elements.
#[derive(Debug, Default)]
pub(crate) struct StatedRelations {
    /// Whether the canonical URL leads to another page of the site.
    pub(crate) is_copy: bool,
    /// Whether the page asks search engines not to list it (`<meta name=robots content=noindex>`).
    pub(crate) is_noindex: bool,
    /// Whether `translations` is complete: a long list is truncated.
    pub(crate) is_complete: bool,
    /// The numbers of its translations in the site, sorted, without its own.
    pub(crate) translations: Box<[usize]>,
}

/// The pass in which a page is read.
#[derive(Clone, Copy)]
pub(crate) enum Pass<'a> {
    /// The first pass, with all checks.
    Read,
    /// The second pass, for links to targets with problems that only the first pass found.
    Recheck(&'a TargetProblems),
}

/// The facts about all documents of an audit.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) requests: FragmentRequests,
    facts: Vec<OnceLock<DocumentFacts>>,
    /// By file: whether it is a page, and therefore has anchors.
    is_page: Vec<bool>,
    /// The findings about XML documents other than pages that are not well-formed, by file.
    malformed: Mutex<BTreeMap<usize, Finding>>,
    /// By file that a link with `integrity` loads; `None` if the file cannot be read.
    digests: Mutex<HashMap<usize, Option<Arc<Digests>>>>,
}

impl State {
    /// Creates a state in which no page has been read.
    pub(crate) fn new(is_page: Vec<bool>) -> Self {
        let facts = is_page.iter().map(|_| OnceLock::new()).collect();
        let requests = FragmentRequests::new(is_page.len(), MAX_SIZE);
        Self { requests, facts, is_page, malformed: Mutex::default(), digests: Mutex::default() }
    }

    /// Returns the digests of a file; calls `read` if they are unknown, without the lock.
    pub(crate) fn digests(
        &self,
        file: usize,
        read: impl FnOnce() -> Option<Digests>,
    ) -> Option<Arc<Digests>> {
        let lock = || self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file) {
            return known.clone();
        }
        let digests = read().map(Arc::new);
        lock().insert(file, digests.clone());
        digests
    }

    /// Keeps the finding about an XML document other than a page, which may be a sitemap.
    pub(crate) fn add_malformed(&self, file: usize, finding: Finding) {
        let mut malformed = self.malformed.lock().unwrap_or_else(PoisonError::into_inner);
        malformed.insert(file, finding);
    }

    /// Takes the findings about XML documents other than pages, by file.
    pub(crate) fn take_malformed(&self) -> BTreeMap<usize, Finding> {
        std::mem::take(&mut *self.malformed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn has_anchors(&self, file: usize) -> bool {
        self.is_page[file]
    }

    /// Returns the anchors of a page, if it was read.
    pub(crate) fn anchors(&self, file: usize) -> Option<&Anchors> {
        self.facts[file].get()?.anchors.as_ref()
    }

    fn rare(&self, file: usize) -> Option<&RareFacts> {
        self.facts[file].get()?.rare.as_deref()
    }

    fn duplicates(&self, file: usize) -> &[(IdHash, AtomicBool)] {
        self.rare(file).map_or(&[], |rare| &rare.duplicates)
    }

    fn relations(&self, file: usize) -> Option<&StatedRelations> {
        self.rare(file).map(|rare| &rare.relations)
    }

    /// Returns the redirect of a page, if it was read and has one.
    pub(crate) fn refresh(&self, file: usize) -> Option<&Refresh> {
        self.rare(file)?.refresh.as_ref()
    }

    /// Records the facts about a document; only the first call has an effect.
    pub(crate) fn record(&self, file: usize, facts: DocumentFacts) {
        let _ = self.facts[file].set(facts);
    }

    /// Records that a link names an anchor, if several elements of the page have it as their id.
    pub(crate) fn record_id_link(&self, file: usize, anchor: &str) {
        let duplicates = self.duplicates(file);
        if duplicates.is_empty() {
            return;
        }
        for id in IdHash::from_fragment(anchor) {
            if let Ok(at) = duplicates.binary_search_by_key(&id, |(id, _)| *id) {
                duplicates[at].1.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Whether the canonical URL of a page leads to another page of the site.
    pub(crate) fn is_copy(&self, file: usize) -> bool {
        self.relations(file).is_some_and(|stated| stated.is_copy)
    }

    /// Whether a page asks search engines not to list it.
    pub(crate) fn is_noindex(&self, file: usize) -> bool {
        self.relations(file).is_some_and(|stated| stated.is_noindex)
    }

    /// Whether a translation that a page names was read, and does not name the page in turn.
    pub(crate) fn is_one_way(&self, page: usize, translation: usize) -> bool {
        page != translation
            && self.anchors(translation).is_some()
            && self.relations(translation).is_none_or(|stated| {
                stated.is_complete && stated.translations.binary_search(&page).is_err()
            })
    }

    /// Returns the pages with a translation that does not name them in turn.
    pub(crate) fn one_way_pages(&self) -> impl Iterator<Item = usize> {
        (0..self.facts.len()).filter(|&page| {
            self.relations(page).is_some_and(|stated| {
                stated.translations.iter().any(|&other| self.is_one_way(page, other))
            })
        })
    }

    /// Whether several elements of a page have the same id.
    pub(crate) fn has_duplicates(&self, file: usize) -> bool {
        !self.duplicates(file).is_empty()
    }

    /// Whether a link leads to an id that several elements of a page have.
    pub(crate) fn is_duplicate_linked(&self, file: usize, id: IdHash) -> bool {
        let duplicates = self.duplicates(file);
        let position = duplicates.binary_search_by_key(&id, |(id, _)| *id);
        position.is_ok_and(|at| duplicates[at].1.load(Ordering::Relaxed))
    }

    /// Returns the pages that redirect, in order.
    pub(crate) fn redirecting(&self) -> impl Iterator<Item = (usize, &Refresh)> {
        (0..self.facts.len()).filter_map(|file| Some((file, self.refresh(file)?)))
    }

    /// Finds the pages whose redirects lead back to themselves, in order.
    pub(crate) fn find_circles(&self) -> Vec<usize> {
        // By file: one more than the number of the page whose walk reached it first.
        let mut visited = vec![0; self.facts.len()];
        let mut circles = Vec::new();
        for (start, _) in self.redirecting() {
            let mut at = Some(start);
            while let Some(file) = at.filter(|&file| visited[file] == 0) {
                visited[file] = start + 1;
                at = self.redirect_target(file);
            }
            // The walk came back to a page that it had visited itself.
            let Some(first) = at.filter(|&file| visited[file] == start + 1) else { continue };
            let mut file = first;
            loop {
                circles.push(file);
                visited[file] = usize::MAX;
                match self.redirect_target(file) {
                    Some(next) if next != first => file = next,
                    _ => break,
                }
            }
        }
        circles.sort_unstable();
        circles
    }

    /// Returns the last redirect of the chain that begins with `first`; `None` in a circle,
    /// and for a chain that is longer than [`MAX_REDIRECTS`].
    pub(crate) fn last_refresh<'s>(&'s self, first: &'s Refresh) -> Option<&'s Refresh> {
        let mut last = first;
        for _ in 0..MAX_REDIRECTS {
            match last.to.and_then(|file| self.refresh(file)) {
                Some(next) => last = next,
                None => return Some(last),
            }
        }
        None
    }

    /// Returns the target of a page's redirect, if it is in the site.
    fn redirect_target(&self, file: usize) -> Option<usize> {
        self.refresh(file)?.to
    }

    /// Whether a page and all pages that it redirects to lack the anchor of a fragment; false if
    /// the anchors of any of them are unknown.
    pub(crate) fn lacks(&self, file: usize, fragment: &str, ranges: Ranges) -> bool {
        let Some(anchor) = Fragment::parse(fragment).anchor else { return false };
        let mut at = Some(file);
        for _ in 0..=MAX_REDIRECTS {
            let Some(file) = at else { return false };
            if self.anchors(file).is_none_or(|anchors| anchors.has_anchor(anchor, ranges)) {
                return false;
            }
            match self.refresh(file) {
                Some(refresh) => at = refresh.to,
                None => return true,
            }
        }
        true
    }
}

/// The problems of link targets, once all pages are known.
#[derive(Debug, Default)]
pub(crate) struct TargetProblems {
    /// The files that lack a requested anchor, or may lack it, in order. The missing anchors are
    /// not kept, as there may be many: a recheck looks up the anchor of each link again.
    pub(crate) lacking: Vec<usize>,
    /// The pages that redirect in a circle, in order.
    pub(crate) circles: Vec<usize>,
    /// The pages that redirect.
    pub(crate) redirecting: HashMap<usize, Problem>,
}

/// The problems of the target of a link.
#[derive(Debug)]
pub(crate) struct Verdict<'v> {
    pub(crate) redirect: Option<&'v Problem>,
    /// Whether the target lacks the anchor that the link names.
    pub(crate) lacks_anchor: bool,
}

impl Verdict<'_> {
    pub(crate) fn is_good(&self) -> bool {
        self.redirect.is_none() && !self.lacks_anchor
    }
}

impl TargetProblems {
    /// Whether only links with a fragment have problems.
    pub(crate) fn concern_only_fragments(&self) -> bool {
        self.circles.is_empty() && self.redirecting.is_empty()
    }

    /// Judges a link to a file.
    pub(crate) fn judge(
        &self,
        state: &State,
        file: usize,
        fragment: Option<&str>,
        ranges: Ranges,
    ) -> Verdict<'_> {
        let may_lack = self.lacking.binary_search(&file).is_ok();
        let lacks = |fragment: &str| may_lack && state.lacks(file, fragment, ranges);
        Verdict { redirect: self.redirecting.get(&file), lacks_anchor: fragment.is_some_and(lacks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnchorsOfPage, Rule};

    /// Creates pages with an anchor each, `a0`, `a1` and so on, that redirect to these files.
    fn state(leads: &[Option<usize>]) -> State {
        let state = State::new(vec![true; leads.len()]);
        for (file, to) in leads.iter().enumerate() {
            let mut anchors = AnchorsOfPage::default();
            anchors.add_id(&format!("a{file}"));
            let rule = Rule::RedirectLoop;
            let finding = Finding::new(rule, rule.level(), "".into(), String::new());
            let refresh = to.map(|to| Refresh { to: Some(to), finding });
            let relations = StatedRelations::default();
            let rare = RareFacts { refresh, duplicates: Vec::new(), relations }.into_box();
            state.record(file, DocumentFacts { anchors: Some(anchors.finish()), rare });
        }
        state
    }

    #[track_caller]
    fn assert_circles(leads: &[Option<usize>], expected: &[usize]) {
        assert_eq!(state(leads).find_circles(), expected, "{leads:?}");
    }

    #[test]
    fn a_circle_has_the_pages_that_come_back() {
        assert_circles(&[None, Some(0)], &[]);
        assert_circles(&[Some(0)], &[0]);
        assert_circles(&[Some(1), Some(0), Some(0)], &[0, 1]);
        assert_circles(&[Some(1), Some(2), Some(3), Some(1), Some(0)], &[1, 2, 3]);
        assert_circles(&[Some(1), Some(0), Some(3), Some(2), None], &[0, 1, 2, 3]);
    }

    #[track_caller]
    fn assert_finds(leads: &[Option<usize>], fragment: &str, expected: bool) {
        assert_eq!(!state(leads).lacks(0, fragment, Ranges::Numbers), expected, "{fragment}");
    }

    #[test]
    fn an_anchor_is_looked_for_where_the_page_leads() {
        let leads = [Some(1), Some(2), None, None];
        for there in ["a0", "a1", "a2", "top", ""] {
            assert_finds(&leads, there, true);
        }
        assert_finds(&leads, "a3", false);
        assert_finds(&[Some(1), Some(0)], "a1", true);
        assert_finds(&[Some(1), Some(0)], "x", false);
    }
}
