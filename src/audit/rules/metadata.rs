//! Rules about the URLs that a page states for search engines, and about URLs of the machine that a
//! site was built on.

use crate::audit::rules::{Grouping, Level, Row, Rule, RuleGroup};

pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::BrokenCanonical,
        level: Level::Warn,
        grouping: Grouping::Target,
        group: Some(RuleGroup::Seo),
        summary: "the canonical URL of a page does not exist, or redirects",
        reason: "Search engines ignore it and choose a URL themselves. This finding replaces the one \
                 that a link would have.",
        example: "<link rel=canonical href=\"https://example.org/old.html\"> without such a page",
        fix: "Write the URL of the page that search engines are to show.",
    },
    Row {
        rule: Rule::DuplicateCanonical,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: Some(RuleGroup::Seo),
        summary: "a page has more than one canonical URL",
        reason: "Search engines ignore all of them (RFC 6596).",
        example: "<link rel=canonical href=\"/a.html\"><link rel=canonical href=\"/b.html\">",
        fix: "Remove all but one.",
    },
    Row {
        rule: Rule::BrokenHreflang,
        level: Level::Warn,
        grouping: Grouping::Target,
        group: Some(RuleGroup::Seo),
        summary: "the translation of a page does not exist, or redirects",
        reason: "Search engines ignore it. This finding replaces the one that a link would have.",
        example: "<link rel=alternate hreflang=de href=\"/de/\"> without a folder de",
        fix: "Correct the URL, or remove the element.",
    },
    Row {
        rule: Rule::InvalidHreflang,
        level: Level::Warn,
        grouping: Grouping::Message,
        group: Some(RuleGroup::Seo),
        summary: "hreflang is not a language tag",
        reason: "Search engines ignore the element: a tag has subtags with hyphens between them \
                 (BCP 47), or is x-default.",
        example: "<link rel=alternate hreflang=en_US href=\"/us/\">",
        fix: "Write a tag such as en, en-US or zh-Hant.",
    },
    Row {
        rule: Rule::OneWayHreflang,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: Some(RuleGroup::Seo),
        summary: "a translation does not name this page as its translation",
        reason: "Search engines ignore alternates that do not name each other.",
        example: "en.html names de.html with hreflang=de, and de.html does not name en.html",
        fix: "Write the same list of translations on each of the pages.",
    },
    Row {
        rule: Rule::LeakedDevelopmentUrl,
        level: Level::Warn,
        grouping: Grouping::Message,
        group: None,
        summary: "a URL of the machine that the site was built on",
        reason: "It leads each visitor to the visitor's own machine, where nothing answers. A link of the \
                 text (a href) to a local host is a note, as it may name the visitor's own server.",
        example: "<a href=\"http://localhost:3000/\">, <img src=\"file:///C:/site/a.png\">, \
                  <img src=\"C:\\site\\a.png\">",
        fix: "Write a relative reference, or the URL that visitors can reach.",
    },
];
