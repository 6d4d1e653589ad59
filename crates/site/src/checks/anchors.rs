//! Rules about fragments, and the ids that they name.
//!
//! The first pass requests the anchors that links name. The list of requests is bounded, and looked
//! up after all pages have been read. The second pass reads the pages with failed or unlisted
//! requests again, and reports their findings.

use std::borrow::Cow;
use std::sync::Arc;

use absolve::Anchor;
use absolve::grammar::Grammar;

use crate::checks::links::find_page_for_resource;
use crate::context::MAX_ANCHORS;
use crate::{
    AuditContext, DocumentFacts, Draft, Finding, Fragment, FragmentSource, IdHash, Level,
    LinkCheck, Occurrence, PageAuditor, Pass, Problem, RareFacts, Recheck, Refresh, Requesters,
    ResolvedLink, ResolvedReference, Rule, Search, TargetCheck, Verdict, rows, split_fragment,
};

rows! {
    MissingAnchor: Error, Url;
        summary: "the page has no such anchor",
        reason: "The page opens at its top, not at the intended place. An anchor is the id of any \
                 element or the name of an a element.",
        example: "<a href=\"guide.html#instal\"> where the page has id=\"install\"",
        fix: "Correct the fragment, or add the id to the element.";

    DuplicateId: Warn, Url;
        summary: "two elements of a page have the same id",
        reason: "A link to the id leads to the first element. Only the second element is reported; \
                 if no link of the site leads to the id, as a note.",
        example: "<h2 id=\"notes\">…<h2 id=\"notes\">",
        fix: "Give each element an id of its own.";
}

pub(super) const LINKS: &[LinkCheck] = &[check_fragment];

pub(super) const RECHECKS: &[TargetCheck] = &[select_missing];

/// Requests the fragment that a link names, or in a recheck reports that it is missing.
fn check_fragment(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    let ResolvedLink { link, resolved, fragment } = resolved_link;
    let file = resolved.target.file.filter(|_| !link.is_host_hint());
    let Some(file) = file else { return };
    let is_fragment_used = resolved.target.fragment_source == FragmentSource::Link;
    let checked_fragment = fragment.filter(|fragment| {
        is_fragment_used
            && !link.is_nested_fragment()
            && !link.is_font_reference()
            && find_page_for_resource(auditor, resolved_link).is_none()
            && !auditor.is_view(file, fragment)
    });
    let Pass::Recheck(problems) = auditor.pass else {
        if let Some(fragment) = checked_fragment {
            auditor.request(file, fragment);
        }
        return;
    };
    auditor.record_id_link(file, checked_fragment);
    let ranges = auditor.context.audit.ranges;
    let verdict = problems.judge(&auditor.context.state, file, checked_fragment, ranges);
    // `redirect-loop` already reports the loop that this page is in.
    let is_in_loop = || {
        link.grammar == Grammar::Refresh
            && problems.circles.binary_search(&auditor.number()).is_ok()
    };
    if let Some(problem) = verdict.redirect.filter(|_| !is_in_loop()) {
        let mut problem = problem.clone();
        // A browser drops the fragment of the link at the redirect.
        if let (Some(proposal), Some(_)) = (&mut problem.proposal, fragment) {
            proposal.safety = None;
        }
        auditor.add_problem(resolved_link, problem);
    }
    if let Some(fragment) = fragment
        && verdict.lacks_anchor
        && !auditor.count_if_full(&verdict)
    {
        let problem = missing_anchor_problem(auditor, file, fragment);
        auditor.add_problem(resolved_link, problem);
    }
}

/// Requests the element that an XML document refers to by a fragment alone, as SVG does, or in a
/// recheck reports that it is missing.
///
/// Pages are left out, as their scripts often insert the elements.
pub(super) fn check_local(auditor: &mut PageAuditor<'_>, link: &Occurrence<'_>) {
    if !auditor.is_xml() || auditor.context.audit.ignores(link.reference, || link.url()) {
        return;
    }
    let resolved = ResolvedReference::from_own_document(link.url(), auditor.number());
    let fragment = split_fragment(link.reference).1;
    check_fragment(auditor, ResolvedLink { link, resolved: &resolved, fragment });
}

impl PageAuditor<'_> {
    /// Counts the missing anchor of a link if there is no room for findings. Returns true if the
    /// caller can skip the link.
    pub(crate) fn count_if_full(&mut self, verdict: &Verdict<'_>) -> bool {
        let is_counted = verdict.redirect.is_none() && verdict.lacks_anchor && self.sink.is_full();
        if is_counted {
            self.sink.level_with_room(Rule::MissingAnchor);
        }
        is_counted
    }

    /// Requests a fragment of a file, unless it is known to exist.
    pub(crate) fn request(&mut self, file: usize, fragment: &str) {
        let needs_ids = self.context.audit.level_of(Rule::DuplicateId) != Level::Off;
        if !self.context.state.has_anchors(file) || !(self.sink.is_reported || needs_ids) {
            return;
        }
        if self.is_view(file, fragment) {
            return;
        }
        let Some(anchor) = Fragment::parse(fragment).anchor else { return };
        if file == self.number() {
            self.request_own(fragment);
        } else if self.sink.level(Rule::MissingAnchor).is_none() && !needs_ids {
            // No rule needs the anchor, but the target is still read, as it may redirect.
            if self.context.state.anchors(file).is_none() {
                self.context.state.requests.request(file, "", self.requester);
            }
        } else if !self.context.state.requests.is_unlisted(file, self.requester) {
            let known = self.context.state.anchors(file);
            if known.is_some() {
                self.context.state.record_id_link(file, anchor);
            }
            if !known.is_some_and(|known| known.has_anchor(anchor, self.context.audit.ranges)) {
                // A page whose findings are not reported is not read again.
                let page = if self.sink.is_reported { self.requester } else { Requesters::NONE };
                self.context.state.requests.request(file, fragment, page);
            }
        }
    }

    /// Whether a fragment names no element, but a view of an image
    /// ([SVG](https://www.w3.org/TR/SVG2/linking.html#SVGFragmentIdentifiers)).
    fn is_view(&self, file: usize, fragment: &str) -> bool {
        const VIEWS: [&str; 3] = ["svgView(", "xywh=", "t="];
        self.sink.lookup.site.is_xml(file) && VIEWS.iter().any(|view| fragment.starts_with(view))
    }

    /// In a recheck, records a link to an id that several elements of a page may have, because the
    /// first pass does not list all requests.
    pub(crate) fn record_id_link(&self, file: usize, fragment: Option<&str>) {
        if let Some(anchor) = fragment.and_then(|fragment| Fragment::parse(fragment).anchor) {
            self.context.state.record_id_link(file, anchor);
        }
    }

    /// Requests an anchor of the page itself, which may follow the link.
    fn request_own(&mut self, fragment: &str) {
        let is_needed = [Rule::MissingAnchor, Rule::DuplicateId]
            .iter()
            .any(|rule| self.sink.level(*rule).is_some());
        if !is_needed || self.buffers.anchors.record_link(fragment) {
            return;
        }
        if self.facts.own_fragments.len() < MAX_ANCHORS {
            self.facts.own_fragments.insert(fragment.into());
        } else if !self.facts.own_fragments.contains(fragment) {
            self.facts.has_unlisted_fragments = true;
        }
    }

    /// Ends the page: returns the facts that other pages need, and requests the missing anchors of
    /// the page itself.
    pub(crate) fn finish(&mut self, refresh: Option<Refresh>) -> DocumentFacts {
        let requested = std::mem::take(&mut self.facts.own_fragments);
        let mut duplicates = self.buffers.anchors.list_duplicates();
        if !duplicates.is_empty() {
            let linked = requested.iter().filter_map(|fragment| Fragment::parse(fragment).anchor);
            for id in linked.flat_map(IdHash::from_fragment) {
                if let Ok(at) = duplicates.binary_search_by_key(&id, |(id, _)| *id) {
                    *duplicates[at].1.get_mut() = true;
                }
            }
        }
        let anchors = self.buffers.anchors.finish();
        let lacks_own_anchor = self.sink.level(Rule::MissingAnchor).is_some()
            && requested.iter().any(|fragment| !anchors.has(fragment, self.context.audit.ranges));
        if std::mem::take(&mut self.facts.has_unlisted_fragments) || lacks_own_anchor {
            self.context.state.requests.request_any(self.number(), self.requester);
        }
        let relations = self.facts.stated_relations();
        let rare = RareFacts { refresh, duplicates, relations }.into_box();
        DocumentFacts { anchors: Some(anchors), rare }
    }
}

/// Creates the problem of a link to an anchor that a file lacks.
fn missing_anchor_problem(auditor: &PageAuditor<'_>, file: usize, fragment: &str) -> Problem {
    let (anchor, site) = (decode_anchor(fragment), auditor.sink.lookup.site);
    let search = Some(Arc::new(Search::Anchor { file, anchor: (&*anchor).into() }));
    let target = Some(site.shown(file));
    let name = String::from_utf8_lossy(site.path(file));
    let message = format!("{} '{name}' has no anchor '{anchor}'", site.noun(file));
    // Nobody sees an image that no page shows, so its own anchors matter little.
    let may_be_seen = file != auditor.number()
        || !auditor.is_xml()
        || auditor.context.state.requests.links_to(file) != Requesters::NONE;
    let max_level = if may_be_seen { Level::Error } else { Level::Note };
    Problem { max_level, search, target, ..Problem::new(Rule::MissingAnchor, message) }
}

/// Percent-decodes the anchor of a fragment.
fn decode_anchor(fragment: &str) -> Cow<'_, str> {
    let anchor = Fragment::parse(fragment).anchor.unwrap_or("");
    percent_encoding::percent_decode_str(anchor).decode_utf8_lossy()
}

/// Looks up all requested fragments, and selects the pages with failed requests.
fn select_missing(context: &AuditContext<'_>, recheck: &mut Recheck) {
    let is_reported = context.audit.level_of(Rule::MissingAnchor) != Level::Off;
    for file in context.state.requests.files() {
        if context.monitor.is_stopped() {
            return;
        }
        let requests = context.state.requests.take(file);
        for anchor in requests.keys().filter_map(|fragment| Fragment::parse(fragment).anchor) {
            context.state.record_id_link(file, anchor);
        }
        // The requests that are not listed may have failed, or lead to a duplicate id.
        let unlisted = context.state.requests.unlisted(file);
        if is_reported {
            let lacks = |fragment: &str| context.state.lacks(file, fragment, context.audit.ranges);
            let missing = requests.iter().filter(|(fragment, _)| lacks(fragment));
            let mut lacks_anchor = false;
            for pages in missing.map(|(_, &pages)| pages).chain([unlisted]) {
                lacks_anchor |= pages != Requesters::NONE;
                recheck.pages.add(pages);
            }
            if lacks_anchor {
                recheck.problems.lacking.push(file);
            }
        } else if context.state.has_duplicates(file) {
            recheck.pages.add(unlisted);
        }
    }
}

/// Reports the second element of a page with the same id; further elements are not reported.
pub(super) fn check_id(auditor: &mut PageAuditor<'_>, anchor: &Anchor<'_>) {
    if anchor.is_ignored() || !auditor.buffers.anchors.mark_duplicate(anchor.value()) {
        return;
    }
    let rule = Rule::DuplicateId;
    let Some(level) = auditor.sink.level_with_room(rule) else { return };
    let message = format!("another element before it has the id '{}'", anchor.value());
    let finding = Finding {
        span: Some(anchor.span()),
        element: Some(anchor.element().to_owned()),
        attribute: Some("id".to_owned()),
        reference: Some(anchor.value().to_owned()),
        ..auditor.sink.document_finding(rule, level, message)
    };
    let duplicate = Some((auditor.number(), IdHash::new(anchor.value())));
    auditor.sink.add(Draft { duplicate, ..finding.into() });
}
