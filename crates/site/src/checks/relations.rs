//! Rules about the canonical URL and the translations that a page states.

use std::collections::HashSet;

use crate::page::MAX_TRANSLATIONS;
use crate::{
    AuditContext, Level, LinkCheck, LinkScope, PageAuditor, Pass, Problem, Recheck, Relation,
    Requesters, ResolvedLink, Rule, TargetCheck, rows,
};

rows! {
    BrokenCanonical: Warn, Target, Seo;
        summary: "the canonical URL of a page does not exist, or redirects",
        reason: "Search engines ignore it and choose a URL themselves. This finding replaces the one \
                 that a link would have.",
        example: "<link rel=canonical href=\"https://example.org/old.html\"> without such a page",
        fix: "Write the URL of the page that search engines are to show.";

    DuplicateCanonical: Warn, Url, Seo;
        summary: "a page has more than one canonical URL",
        reason: "Search engines ignore all of them (RFC 6596).",
        example: "<link rel=canonical href=\"/a.html\"><link rel=canonical href=\"/b.html\">",
        fix: "Remove all but one.";

    BrokenHreflang: Warn, Target, Seo;
        summary: "the translation of a page does not exist, or redirects",
        reason: "Search engines ignore it. This finding replaces the one that a link would have.",
        example: "<link rel=alternate hreflang=de href=\"/de/\"> without a folder de",
        fix: "Correct the URL, or remove the element.";

    InvalidHreflang: Warn, Message, Seo;
        summary: "hreflang is not a language tag",
        reason: "Search engines ignore the element: a tag has subtags with hyphens between them \
                 (BCP 47), or is x-default.",
        example: "<link rel=alternate hreflang=en_US href=\"/us/\">",
        fix: "Write a tag such as en, en-US or zh-Hant.";

    OneWayHreflang: Warn, Url, Seo;
        summary: "a translation does not name this page as its translation",
        reason: "Search engines ignore alternates that do not name each other.",
        example: "en.html names de.html with hreflang=de, and de.html does not name en.html",
        fix: "Write the same list of translations on each of the pages.";
}

pub(super) const RECHECKS: &[TargetCheck] = &[select_one_way];

pub(super) const LINKS: &[LinkCheck] = &[check_relation];

/// Whether a canonical URL differs from the first one of the page, which this function records. A
/// reference that does not resolve has its own finding.
fn is_other_canonical(auditor: &mut PageAuditor<'_>, url: Option<&str>) -> bool {
    let Some(url) = url else { return false };
    let url = ::url::Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
    *auditor.facts.canonical.get_or_insert_with(|| url.clone()) != url
}

/// Audits the canonical URL or the translation that a `link` element states; in a recheck, reports
/// a translation that does not name this page.
fn check_relation(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    if auditor.is_xml() {
        return;
    }
    let ResolvedLink { link, resolved, .. } = resolved_link;
    let (relation, file) = (link.relation(), resolved.target.file);
    match (relation, auditor.pass) {
        (None, _) | (Some(Relation::Canonical), Pass::Recheck(_)) => {}
        (Some(Relation::Canonical), Pass::Read) => {
            if is_other_canonical(auditor, resolved.url.as_deref()) {
                let rule = Rule::DuplicateCanonical;
                auditor.add_problem(resolved_link, Problem::new(rule, rule.summary()));
            }
            let is_own = file == Some(auditor.number());
            auditor.facts.is_copy |= resolved.target.scope == LinkScope::Internal && !is_own;
        }
        (Some(Relation::Translation), Pass::Read) => {
            let tag = (link.sibling)("hreflang").unwrap_or_default();
            if !is_language_tag(tag.trim_ascii()) {
                let message = format!("hreflang '{tag}' is not a language tag such as en-US");
                auditor.add_problem(resolved_link, Problem::new(Rule::InvalidHreflang, message));
            }
            // The list still has duplicates, so its limit is twice that of the final list.
            if let Some(file) = file.filter(|&file| file != auditor.number())
                && auditor.facts.translations.len() <= 2 * MAX_TRANSLATIONS
            {
                auditor.facts.translations.push(file);
            }
        }
        (Some(Relation::Translation), Pass::Recheck(_)) => {
            if let Some(file) = file
                && auditor.context.state.is_one_way(auditor.number(), file)
            {
                let shown = auditor.sink.lookup.site.shown(file);
                let message =
                    format!("'{}' does not name this page as a translation", shown.display());
                let problem = Problem::new(Rule::OneWayHreflang, message).with_target(shown);
                auditor.add_problem(resolved_link, problem);
            }
        }
    }
}

/// Selects the pages with a translation that does not name them.
fn select_one_way(context: &AuditContext<'_>, recheck: &mut Recheck) {
    if context.audit.level_of(Rule::OneWayHreflang) == Level::Off {
        return;
    }
    let one_way: HashSet<usize> = context.state.one_way_pages().collect();
    let pages = context.files.len();
    for (number, _) in context.files.iter().enumerate().filter(|(_, file)| one_way.contains(file)) {
        recheck.pages.add(Requesters::from_page(number, pages));
    }
}

/// Whether a text has the form of a [language tag][bcp47], or is `x-default`.
///
/// [bcp47]: https://www.rfc-editor.org/rfc/rfc5646#section-2.1
fn is_language_tag(tag: &str) -> bool {
    if tag.eq_ignore_ascii_case("x-default") {
        return true;
    }
    let mut subtags = tag.split('-');
    let is_language = subtags.next().is_some_and(|language| {
        (2..=8).contains(&language.len()) && language.bytes().all(|c| c.is_ascii_alphabetic())
    });
    is_language
        && subtags.all(|subtag| {
            (1..=8).contains(&subtag.len()) && subtag.bytes().all(|c| c.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_tag_has_subtags() {
        for tag in ["en", "en-US", "zh-Hant-TW", "es-419", "X-Default", "de-1996", "en-a-b"] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in ["", "e", "en_US", "en-", "12", "english language", "x-other", "en--US"] {
            assert!(!is_language_tag(tag), "{tag}");
        }
    }
}
