//! Requests the fragments that the links of a page name.

use std::borrow::Cow;
use std::sync::Arc;

use crate::audit::anchors::{Fragment, IdHash};
use crate::audit::container::index::ContainerIndex;
use crate::audit::context::{DocumentFacts, MAX_ANCHORS, Pass, Refresh, Requesters, Verdict};
use crate::audit::hints::Search;
use crate::audit::lookup::resolved::{ResolvedReference, split_fragment};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::{Occurrence, ResolvedLink};
use crate::audit::rules::{Level, Rule};
use crate::audit::site::Site;
use crate::audit::target::{FragmentSource, Problem};
use crate::grammar::Grammar;

impl PageAuditor<'_> {
    /// Requests the fragment that a link names, or in a recheck reports that it is missing.
    pub(super) fn fragment(&mut self, resolved_link: ResolvedLink<'_>, file: usize) {
        let ResolvedLink { link, resolved, fragment } = resolved_link;
        let is_used = resolved.target.fragment_source == FragmentSource::Link;
        let named = fragment.filter(|fragment| {
            is_used
                && !link.is_nested_fragment()
                && !link.names_a_font()
                && !self.is_view(file, fragment)
        });
        let Pass::Recheck(verdicts) = self.pass else {
            if let Some(fragment) = named {
                self.request(file, fragment);
            }
            return;
        };
        self.link_duplicate(file, named);
        let verdict = verdicts.of(&self.context.state, file, named, self.context.audit.ranges);
        // Another finding reports the circle of this page.
        let is_circle = || {
            link.grammar == Grammar::Refresh
                && verdicts.circles.binary_search(&self.number()).is_ok()
        };
        if let Some(problem) = verdict.redirect.filter(|_| !is_circle()) {
            let mut problem = problem.clone();
            // A browser drops the fragment on the way.
            if let (Some(proposal), Some(_)) = (&mut problem.proposal, fragment) {
                proposal.safety = None;
            }
            self.add_problem(resolved_link, problem);
        }
        if let (Some(missing), Some(fragment)) = (verdict.missing, fragment)
            && !self.only_counts(&verdict)
        {
            let (containers, site) = (self.context.containers, self.sink.lookup.site);
            let anchor = missing.anchor.then(|| missing_anchor(containers, site, file, fragment));
            let text = missing.text.then(|| missing_text(site, file));
            for problem in anchor.into_iter().chain(text) {
                self.add_problem(resolved_link, problem);
            }
        }
    }

    /// Requests the element of a page that its SVG refers to by a fragment alone, or in a recheck
    /// reports that it is missing.
    ///
    /// Pages outside books are left out: their scripts often insert the elements.
    pub(super) fn local(&mut self, link: &Occurrence<'_>) {
        let is_checked = self.sink.lookup.site.book().is_some() || self.is_no_page();
        if !is_checked || self.context.audit.ignores(link.reference, || link.url()) {
            return;
        }
        let resolved = ResolvedReference::of_itself(link.url(), self.number());
        let fragment = split_fragment(link.reference).1;
        self.fragment(ResolvedLink { link, resolved: &resolved, fragment }, self.number());
    }

    /// Counts the missing anchor and text of a link if there is no room for findings; returns
    /// whether the link needs nothing more.
    pub(super) fn only_counts(&mut self, verdict: &Verdict<'_>) -> bool {
        let Verdict { redirect: None, missing: Some(missing) } = verdict else { return false };
        if !self.sink.is_full() {
            return false;
        }
        for (rule, is_missing) in
            [(Rule::MissingAnchor, missing.anchor), (Rule::MissingTextFragment, missing.text)]
        {
            if is_missing {
                self.sink.level_with_room(rule);
            }
        }
        true
    }

    /// Requests a fragment of a file, unless it is known to exist.
    pub(super) fn request(&mut self, file: usize, fragment: &str) {
        let needs_ids = self.context.audit.level_of(Rule::DuplicateId) != Level::Off;
        if !self.context.state.has_anchors(file) || !(self.sink.is_reported || needs_ids) {
            return;
        }
        if self.is_view(file, fragment) {
            return;
        }
        let Fragment { anchor, directive } = Fragment::parse(fragment);
        if directive.is_some() && self.sink.level(Rule::MissingTextFragment).is_some() {
            self.context.state.requests.text(file, fragment, self.requester);
        }
        let Some(anchor) = anchor else { return };
        if file == self.number() {
            self.request_own(fragment);
        } else if self.sink.level(Rule::MissingAnchor).is_none() && !needs_ids {
            // The target is still read, as it may redirect.
            if self.context.state.anchors(file).is_none() {
                self.context.state.requests.anchor(file, "", self.requester);
            }
        } else if !self.context.state.requests.is_unlisted(file, self.requester) {
            let known = self.context.state.anchors(file);
            if known.is_some() {
                self.context.state.link_to_id(file, anchor);
            }
            if !known.is_some_and(|known| known.has_anchor(anchor, self.context.audit.ranges)) {
                // Other pages need no second read.
                let page = if self.sink.is_reported { self.requester } else { Requesters::NONE };
                self.context.state.requests.anchor(file, fragment, page);
            }
        }
    }

    /// Whether a fragment names no element: a view of an image
    /// ([SVG](https://www.w3.org/TR/SVG2/linking.html#SVGFragmentIdentifiers)), or a place in a book
    /// ([EPUB CFI](https://idpf.org/epub/linking/cfi/epub-cfi.html)).
    fn is_view(&self, file: usize, fragment: &str) -> bool {
        const VIEWS: [&str; 3] = ["svgView(", "xywh=", "t="];
        let site = self.sink.lookup.site;
        if site.book().is_some() && fragment.starts_with("epubcfi(") {
            return true;
        }
        site.is_xml(file) && VIEWS.iter().any(|view| fragment.starts_with(view))
    }

    /// In a recheck, records a link to an id that several elements of a page may have: the first
    /// pass does not list all requests.
    pub(super) fn link_duplicate(&self, file: usize, fragment: Option<&str>) {
        if let Some(anchor) = fragment.and_then(|fragment| Fragment::parse(fragment).anchor) {
            self.context.state.link_to_id(file, anchor);
        }
    }

    /// Requests an anchor of the page itself, which may follow.
    fn request_own(&mut self, fragment: &str) {
        let is_needed = [Rule::MissingAnchor, Rule::DuplicateId]
            .iter()
            .any(|rule| self.sink.level(*rule).is_some());
        if !is_needed || self.buffers.anchors.link(fragment) {
            return;
        }
        if self.facts.own.len() < MAX_ANCHORS {
            self.facts.own.insert(fragment.into());
        } else if !self.facts.own.contains(fragment) {
            self.facts.own_unlisted = true;
        }
    }

    /// Ends the page: returns what others need of it, and requests its own anchors that are missing.
    pub(crate) fn finish(&mut self, refresh: Option<Refresh>) -> DocumentFacts {
        let own = std::mem::take(&mut self.facts.own);
        let mut duplicates = self.buffers.anchors.duplicates();
        if !duplicates.is_empty() {
            let linked = own.iter().filter_map(|fragment| Fragment::parse(fragment).anchor);
            for id in linked.flat_map(IdHash::of_fragment) {
                if let Ok(at) = duplicates.binary_search_by_key(&id, |(id, _)| *id) {
                    duplicates[at].1 = true;
                }
            }
        }
        let anchors = self.buffers.anchors.finish();
        let lacks = self.sink.level(Rule::MissingAnchor).is_some()
            && own.iter().any(|fragment| !anchors.has(fragment, self.context.audit.ranges));
        if std::mem::take(&mut self.facts.own_unlisted) || lacks {
            self.context.state.requests.any_anchor(self.number(), self.requester);
        }
        let relations = self.facts.stated_relations();
        DocumentFacts { anchors: Some(anchors), refresh, duplicates, relations }
    }
}

/// The problem of a link to an anchor that a file lacks.
pub(crate) fn missing_anchor(
    containers: &ContainerIndex,
    site: &Site,
    file: usize,
    fragment: &str,
) -> Problem {
    let document = containers.name(file, site);
    let anchor = anchor_of(fragment);
    // For a hint, a container would have to be read again up to the document.
    let search =
        document.is_none().then(|| Arc::new(Search::Anchor { file, anchor: (&*anchor).into() }));
    let target = document.is_none().then(|| site.shown(file));
    let path = site.path(file);
    let name = document.map_or_else(|| String::from_utf8_lossy(path), Cow::Owned);
    let message = format!("{} '{name}' has no anchor '{anchor}'", site.noun(file));
    Problem { search, target, ..Problem::new(Rule::MissingAnchor, message) }
}

/// The problem of a link to a text that a file lacks.
pub(crate) fn missing_text(site: &Site, file: usize) -> Problem {
    let shown = site.shown(file);
    let message = format!("{} '{}' does not have the text", site.noun(file), shown.display());
    Problem { target: Some(shown), ..Problem::new(Rule::MissingTextFragment, message) }
}

/// The anchor of a fragment, percent-decoded.
fn anchor_of(fragment: &str) -> Cow<'_, str> {
    let anchor = Fragment::parse(fragment).anchor.unwrap_or("");
    percent_encoding::percent_decode_str(anchor).decode_utf8_lossy()
}
