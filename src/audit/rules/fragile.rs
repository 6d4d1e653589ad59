//! Rules about what works for some visitors only, or by chance.

use crate::audit::rules::{Grouping, Level, Row, Rule, RuleGroup};

pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::MissingTrailingSlash,
        level: Level::Warn,
        grouping: Grouping::Target,
        group: None,
        summary: "a link to a folder without a trailing slash",
        reason: "The server answers with a redirect, which costs a round trip. If it does not \
                 redirect, the relative links of the page break.",
        example: "<a href=\"docs\"> where docs is a folder with index.html",
        fix: "Write docs/.",
    },
    Row {
        rule: Rule::CaseMismatch,
        level: Level::Warn,
        grouping: Grouping::Target,
        group: None,
        summary: "link and file name differ in letter case",
        reason: "It works on this server, which ignores case, and breaks on a server that does \
                 not.",
        example: "<img src=\"Logo.PNG\"> where the file is logo.png",
        fix: "Write the name exactly as the file has it.",
    },
    Row {
        rule: Rule::AboveRoot,
        level: Level::Warn,
        grouping: Grouping::Reference,
        group: None,
        summary: "the link climbs above the root of the host",
        reason: "A browser drops the surplus .. segments, so that the link works by chance; RFC \
                 1808 keeps them in the URL. In a book, a path from the root of a server leads out \
                 of it in many reading systems.",
        example: "<a href=\"../../index.html\"> in a page one folder below the root",
        fix: "Remove the surplus .. segments, or write the path relative to the file.",
    },
    Row {
        rule: Rule::BaseAfterLink,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: Some(RuleGroup::Base),
        summary: "a link precedes the base element",
        reason: "The base applies to the whole document, but a browser may load what precedes it \
                 relative to the page's own URL.",
        example: "<link rel=stylesheet href=\"style.css\"><base href=\"https://example.org/\">",
        fix: "Put the base element first in head, right after the charset.",
    },
    Row {
        rule: Rule::DuplicateBase,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: Some(RuleGroup::Base),
        summary: "more than one base element with an href",
        reason: "Browsers use the first one and ignore the others.",
        example: "<base href=\"https://example.org/a/\"><base href=\"https://example.org/b/\">",
        fix: "Remove the others.",
    },
    Row {
        rule: Rule::BaseInBody,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: Some(RuleGroup::Base),
        summary: "a base element outside head",
        reason: "Browsers use it, but RFC 1808 does not allow it. Often an element before it has \
                 closed head implicitly.",
        example: "<head><p>Hello<base href=\"https://example.org/\">",
        fix: "Move it into head, before any element that closes head.",
    },
    Row {
        rule: Rule::BadMailto,
        level: Level::Warn,
        grouping: Grouping::Reference,
        group: None,
        summary: "a mailto: link without an address",
        reason: "The mail program opens a message without a recipient.",
        example: "<a href=\"mailto:\">, <a href=\"mailto:help.example.org\">",
        fix: "Write the address, or a field such as ?subject=, after mailto:.",
    },
    Row {
        rule: Rule::BadTel,
        level: Level::Warn,
        grouping: Grouping::Reference,
        group: None,
        summary: "a tel: link without a number",
        reason: "The phone has no number to dial.",
        example: "<a href=\"tel:\">",
        fix: "Write the number, as in tel:+1-201-555-0123.",
    },
    Row {
        rule: Rule::DuplicateId,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: None,
        summary: "two elements of a page have the same id",
        reason: "A link to the id leads to the first element. Only the second element is reported; \
                 if no link of the site leads to the id, as a note.",
        example: "<h2 id=\"notes\">…<h2 id=\"notes\">",
        fix: "Give each element an id of its own.",
    },
    Row {
        rule: Rule::MixedContent,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: None,
        summary: "an https page loads a resource over http",
        reason: "Browsers block it (scripts, styles, frames, fonts, srcset) or use https instead \
                 (images, audio, video), even if the host does not support https.",
        example: "<script src=\"http://cdn.example.org/x.js\">",
        fix: "Write https:// if the host supports it, or copy the file into the site.",
    },
    Row {
        rule: Rule::BadPercentInQuery,
        level: Level::Warn,
        grouping: Grouping::Reference,
        group: None,
        summary: "a % without two hexadecimal digits after it, in a query",
        reason: "Programs decode the query in different ways: some keep the sign, others drop it \
                 or answer 400. The rule also applies to a URL without a server, such as mailto:. A \
                 fragment is compared as it is written, and needs no escape.",
        example: "<a href=\"search?q=50%\">",
        fix: "Write %25 for the percent sign itself.",
    },
    Row {
        rule: Rule::Backslash,
        level: Level::Warn,
        grouping: Grouping::Reference,
        group: None,
        summary: "a backslash in the path",
        reason: "Browsers read it as a slash; RFC 1808 and other programs do not.",
        example: "<img src=\"images\\logo.png\">",
        fix: "Write a slash, or %5C if the name really has a backslash.",
    },
    Row {
        rule: Rule::BrokenFormAction,
        level: Level::Warn,
        grouping: Grouping::Target,
        group: None,
        summary: "target of a form does not exist",
        reason: "A program on the server may answer it, which no file shows; otherwise the server \
                 answers 404. This finding replaces broken-link for action and formaction.",
        example: "<form action=\"search.cgi\"> where there is no file search.cgi",
        fix: "Correct the reference, or ignore the program with --ignore-link.",
    },
    Row {
        rule: Rule::NotCaptured,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: None,
        summary: "the archive has no record of the link target",
        reason: "The crawl did not fetch it: a replay shows a gap, but the link may work on the \
                 Web. URLs of hosts without any record are external.",
        example: "<a href=\"page2.html\"> beyond the depth of the crawl",
        fix: "Crawl the URL as well, or ignore it with --ignore-link.",
    },
    Row {
        rule: Rule::NotWellFormed,
        level: Level::Warn,
        grouping: Grouping::Url,
        group: None,
        summary: "XML other than a page is not well-formed, or has unknown namespaces",
        reason: "Browsers do not show such an image, and readers of feeds and sitemaps may refuse \
                 the file. Its links and anchors are unknown, and so is what a self-closing script \
                 hides in XHTML that is named .html.",
        example: "<link>https://example.org/?a&b</link> in a feed",
        fix: "Correct the markup at the place, or exclude the file with --exclude if it is no XML.",
    },
    Row {
        rule: Rule::UndeclaredEncoding,
        level: Level::Warn,
        grouping: Grouping::Message,
        group: None,
        summary: "a page without an encoding has references or ids outside ASCII",
        reason: "Without a byte order mark, a meta element or a header of the server, browsers guess the \
                 encoding, often as windows-1252: the link leads elsewhere, and the anchor has another \
                 name. Only the first such place of a page is reported.",
        example: "<a href=\"käse.html\"> in UTF-8, without <meta charset=utf-8>",
        fix: "Write <meta charset=utf-8> first in head, or give --encoding if the server sends it.",
    },
];
