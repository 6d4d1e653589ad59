//! The rules whose findings work for some, or by chance.

use crate::audit::rules::{Explanation, Grouping, Level, Row, Rule};

/// In the order of [`Rule`].
pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::MissingTrailingSlash,
        id: "missing-trailing-slash",
        grouping: Grouping::Target,
        level: Level::Warn,
        summary: "a link to a folder lacks the slash at its end",
        explanation: Explanation {
            reason: "The server answers with a redirect, which costs a round trip; where it does \
                     not, the relative links of the page lead elsewhere.",
            example: "<a href=\"docs\"> where docs is a folder with index.html",
            fix: "Write docs/.",
        },
    },
    Row {
        rule: Rule::CaseMismatch,
        id: "case-mismatch",
        grouping: Grouping::Target,
        level: Level::Warn,
        summary: "link and file name differ in letter case",
        explanation: Explanation {
            reason: "It works on this server, which does not tell them apart, and breaks on one \
                     that does.",
            example: "<img src=\"Logo.PNG\"> where the file is logo.png",
            fix: "Write the name as the file has it.",
        },
    },
    Row {
        rule: Rule::AboveRoot,
        id: "above-root",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "the link climbs above the root of the host",
        explanation: Explanation {
            reason: "A browser drops the .. that are too many, so the link works by chance; RFC \
                     1808 keeps them in the URL.",
            example: "<a href=\"../../index.html\"> in a page one folder below the root",
            fix: "Take the surplus .. away.",
        },
    },
    Row {
        rule: Rule::RelativeBase,
        id: "relative-base",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "the base element's href is relative",
        explanation: Explanation {
            reason: "RFC 1808 section 10 asks for an absolute one; a saved or moved page loses its \
                     base.",
            example: "<base href=\"/docs/\">",
            fix: "Write the absolute URL.",
        },
    },
    Row {
        rule: Rule::BaseAfterLink,
        id: "base-after-link",
        grouping: Grouping::Url,
        level: Level::Warn,
        summary: "a link stands before the base element",
        explanation: Explanation {
            reason: "The base counts for the whole document, but what a browser has begun to load \
                     before it came is loaded by the page's own URL.",
            example: "<link rel=stylesheet href=\"style.css\"><base href=\"https://example.org/\">",
            fix: "Put the base element first in head, behind the charset.",
        },
    },
    Row {
        rule: Rule::DuplicateBase,
        id: "duplicate-base",
        grouping: Grouping::Url,
        level: Level::Warn,
        summary: "there is more than one base element with an href",
        explanation: Explanation {
            reason: "Only the first one counts.",
            example: "<base href=\"https://example.org/a/\"><base href=\"https://example.org/b/\">",
            fix: "Take the others away.",
        },
    },
    Row {
        rule: Rule::BaseInBody,
        id: "base-in-body",
        grouping: Grouping::Url,
        level: Level::Warn,
        summary: "a base element stands outside head",
        explanation: Explanation {
            reason: "Browsers take it, RFC 1808 does not; often something before it has closed head \
                     unnoticed.",
            example: "<head><p>Hello<base href=\"https://example.org/\">",
            fix: "Move it into head, and look for what closed head.",
        },
    },
    Row {
        rule: Rule::MissingScheme,
        id: "missing-scheme",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "an address without mailto:, or a host without https://",
        explanation: Explanation {
            reason: "It is taken for the name of a file beside the page. It is reported instead of \
                     broken-link.",
            example: "<a href=\"help@example.org\">, <a href=\"www.example.org\">",
            fix: "Write mailto:help@example.org, https://www.example.org.",
        },
    },
    Row {
        rule: Rule::BadMailto,
        id: "bad-mailto",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "a mailto: link without an address",
        explanation: Explanation {
            reason: "The mail that it opens has nobody to go to.",
            example: "<a href=\"mailto:\">, <a href=\"mailto:help.example.org\">",
            fix: "Write the address, or a field such as ?subject=, behind mailto:.",
        },
    },
    Row {
        rule: Rule::BadTel,
        id: "bad-tel",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "a tel: link without a number",
        explanation: Explanation {
            reason: "There is nothing to dial.",
            example: "<a href=\"tel:\">",
            fix: "Write the number, as in tel:+1-201-555-0123.",
        },
    },
    Row {
        rule: Rule::DuplicateId,
        id: "duplicate-id",
        grouping: Grouping::Url,
        level: Level::Warn,
        summary: "two elements of a page have the same id",
        explanation: Explanation {
            reason: "A link to it leads to the first one.",
            example: "<h2 id=\"notes\">…<h2 id=\"notes\">",
            fix: "Give each its own.",
        },
    },
    Row {
        rule: Rule::MixedContent,
        id: "mixed-content",
        grouping: Grouping::Url,
        level: Level::Warn,
        summary: "an https page loads something by http",
        explanation: Explanation {
            reason: "Browsers block it (scripts, styles, frames, fonts, srcset) or try https \
                     instead (images, audio, video), whether the host has that or not.",
            example: "<script src=\"http://cdn.example.org/x.js\">",
            fix: "Write https:// where the host has it, or take the file into the site.",
        },
    },
    Row {
        rule: Rule::BadPercent,
        id: "bad-percent",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "a % without two hexadecimal digits after it",
        explanation: Explanation {
            reason: "RFC 1808 section 2.2 has % as an escape only; some servers answer 400.",
            example: "<a href=\"100%.html\">",
            fix: "Write the sign itself as %25.",
        },
    },
    Row {
        rule: Rule::Backslash,
        id: "backslash",
        grouping: Grouping::Reference,
        level: Level::Warn,
        summary: "a backslash in the path",
        explanation: Explanation {
            reason: "A browser takes it for a slash; RFC 1808 and other programs do not.",
            example: "<img src=\"images\\logo.png\">",
            fix: "Write a slash, or %5C where the name really has a backslash.",
        },
    },
    Row {
        rule: Rule::StandardsDiffer,
        id: "standards-differ",
        grouping: Grouping::Url,
        level: Level::Warn,
        summary: "RFC 1808 and a browser go to different places",
        explanation: Explanation {
            reason: "What works for one program breaks for another.",
            example: "<a href=\"http:page.html\">, <a href=\";x\">",
            fix: "Write the reference so that all read it alike; absolve resolve --explain shows \
                  the steps.",
        },
    },
];
