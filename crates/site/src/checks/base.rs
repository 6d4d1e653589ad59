//! Rules about the base of a page.

use std::path::PathBuf;

use absolve::url::rfc1808::scheme_end;
use absolve::url::{Standard, clean};
use absolve::{BasePlace, BaseSource, BaseTag, RejectedBase};

use crate::{
    DocumentCheck, Finding, Level, Location, Occurrence, PageAuditor, Problem, ReadDocument, Rule,
    rows,
};

rows! {
    InvalidBase: Error, Reference, Base;
        summary: "the base element's href cannot be a base URL",
        reason: "Browsers ignore the element and resolve every relative link against the page's \
                 own URL. If the URL is one that browsers accept, such as mailto:x or about:blank, \
                 no relative link works.",
        example: "<base href=\"http:docs/\">, <base href=\"mailto:me@example.org\">",
        fix: "Write an absolute URL with a host, or remove the element.";

    BaseElsewhere: Note, Url, Base;
        summary: "the base URL is outside the site",
        reason: "Every relative link of the page leads outside the site, so that the audit checks \
                 none of them.",
        example: "<base href=\"https://other.example/\"> on https://example.org/",
        fix: "Correct the base, or add the host with --alias if it belongs to the site.";

    DuplicateBase: Warn, Url, Base;
        summary: "more than one base element with an href",
        reason: "Browsers use the first one and ignore the others.",
        example: "<base href=\"https://example.org/a/\"><base href=\"https://example.org/b/\">",
        fix: "Remove the others.";

    BaseInBody: Warn, Url, Base;
        summary: "a base element outside head",
        reason: "Browsers use it, but RFC 1808 does not allow it. Often an element before it has \
                 closed head implicitly.",
        example: "<head><p>Hello<base href=\"https://example.org/\">",
        fix: "Move it into head, before any element that closes head.";

    BaseAfterLink: Warn, Url, Base;
        summary: "a link precedes the base element",
        reason: "The base applies to the whole document, but a browser may load what precedes it \
                 relative to the page's own URL.",
        example: "<link rel=stylesheet href=\"style.css\"><base href=\"https://example.org/\">",
        fix: "Put the base element first in head, right after the charset.";

    RelativeBase: Off, Reference, Rfc;
        summary: "the base element's href is relative",
        reason: "RFC 1808 section 10 requires an absolute URL; a saved or moved page loses its \
                 base.",
        example: "<base href=\"/docs/\">",
        fix: "Write the absolute URL.";
}

pub(super) const DOCUMENTS: &[DocumentCheck] = &[check_base];

/// Audits the `href` of a `base` element.
pub(super) fn check_element(auditor: &mut PageAuditor<'_>, link: &Occurrence<'_>) {
    // The bases are in the order of the source.
    let start = |base: &BaseTag| base.href().start;
    let Ok(at) = auditor.facts.bases.binary_search_by_key(&link.span.start, start) else { return };
    let base = auditor.facts.bases[at].clone();
    if base.counts() {
        // `check_base` sets the rule, the level and the message.
        let (rule, url) = (Rule::InvalidBase, link.url());
        let finding = link.finding(rule, Level::Off, &auditor.sink.lookup, url);
        auditor.facts.base = Some(auditor.sink.with_file(finding));
    }
    let reference = clean(link.reference);
    let is_relative = scheme_end(&reference).is_none() && !reference.is_empty();
    let is_after = auditor.facts.first_relative.is_some_and(|first| first < link.span.start);
    let checks = [
        (Rule::DuplicateBase, at > 0),
        (Rule::BaseInBody, base.place() == BasePlace::Body),
        (Rule::RelativeBase, is_relative),
        (Rule::BaseAfterLink, base.counts() && is_after),
    ];
    for (rule, _) in checks.into_iter().filter(|(_, is_violated)| *is_violated) {
        let problem = Problem::new(rule, rule.summary());
        auditor.sink.add_link(link, link.url(), problem);
    }
}

/// Reports a base that is unusable, or outside the site.
fn check_base(auditor: &mut PageAuditor<'_>, read: &mut ReadDocument<'_>) {
    let summary = read.summary;
    if !auditor.is_parsed() {
        return;
    }
    let rejected = summary.rejected_base();
    // `check_element` sees neither an `xml:base` nor a value with an entity.
    let standard = auditor.sink.lookup.standard;
    let find_rejected = || rejected.and_then(|base| rejected_base_finding(base, standard));
    let base = auditor.facts.base.take();
    let Some(base) = base.or_else(|| find_rejected().map(|base| auditor.sink.with_file(base)))
    else {
        return;
    };
    let base_url = summary.base().filter(|_| summary.base_source() == BaseSource::BaseElement);
    let is_elsewhere = base_url.is_some_and(|url| {
        !matches!(auditor.sink.lookup.deployment.locate(url.as_str()), Location::Inside { .. })
    });
    let checks = [
        (Rule::InvalidBase, rejected.map(RejectedBase::problem)),
        (Rule::BaseElsewhere, is_elsewhere.then(|| Rule::BaseElsewhere.summary().to_owned())),
    ];
    for (rule, message) in checks {
        if let (Some(level), Some(message)) = (auditor.sink.level(rule), message) {
            auditor.sink.add(Finding { rule, level, message, ..base.clone() });
        }
    }
}

/// Creates the finding about a rejected base of XML, with the element and attribute of a link.
fn rejected_base_finding(base: &RejectedBase, standard: Standard) -> Option<Finding> {
    let written = base.written()?;
    Some(Finding {
        span: Some(written.span.clone()),
        element: Some(written.element.clone()),
        attribute: Some(base.attribute().to_owned()),
        reference: Some(standard.masked(None, &written.reference).into_owned()),
        ..Finding::new(Rule::InvalidBase, Level::Off, PathBuf::new(), String::new())
    })
}
