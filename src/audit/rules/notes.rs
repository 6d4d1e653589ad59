//! The rules whose findings are worth knowing, and those that are off unless asked
//! for.

use crate::audit::rules::{Explanation, Grouping, Level, Row, Rule};

/// In the order of [`Rule`].
pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::EmptyReference,
        id: "empty-reference",
        grouping: Grouping::Reference,
        level: Level::Note,
        summary: "the reference is empty",
        explanation: Explanation {
            reason: "A link leads to the base URL then, which is seldom what was meant; for other \
                     elements browsers fetch nothing.",
            example: "<a href=\"\">, <img src=\"\">",
            fix: "Write where it leads, or take the attribute away.",
        },
    },
    Row {
        rule: Rule::ColonInFirstSegment,
        id: "colon-in-first-segment",
        grouping: Grouping::Reference,
        level: Level::Note,
        summary: "a relative reference has a colon before its first slash",
        explanation: Explanation {
            reason: "What stands before the colon is easily taken for a scheme (RFC 1808 section \
                     5.3).",
            example: "<a href=\"12:30.html\">",
            fix: "Write ./12:30.html.",
        },
    },
    Row {
        rule: Rule::FtpTypeD,
        id: "ftp-type-d",
        grouping: Grouping::Reference,
        level: Level::Note,
        summary: "an ftp: URL has ;type=d",
        explanation: Explanation {
            reason: "RFC 1808 section 5.3 advises against it: links in the listing are relative to \
                     the wrong folder.",
            example: "<a href=\"ftp://example.org/pub;type=d\">",
            fix: "Write a slash at the end instead.",
        },
    },
    Row {
        rule: Rule::ProtocolRelative,
        id: "protocol-relative",
        grouping: Grouping::Url,
        level: Level::Note,
        summary: "the reference begins with //",
        explanation: Explanation {
            reason: "It is fetched by http on an http page, and leads nowhere from a local copy.",
            example: "<script src=\"//cdn.example.org/x.js\">",
            fix: "Write https:// in front.",
        },
    },
    Row {
        rule: Rule::OwnHostAbsolute,
        id: "own-host-absolute",
        grouping: Grouping::Url,
        level: Level::Note,
        summary: "an absolute link to the site itself",
        explanation: Explanation {
            reason: "A preview, a mirror or a local copy of the site links back to the one that is \
                     published. rel=canonical and alternate have to be absolute and are not \
                     reported.",
            example: "<a href=\"https://example.org/about.html\"> on https://example.org/",
            fix: "Write it relative, as in /about.html.",
        },
    },
    Row {
        rule: Rule::InsecureLink,
        id: "insecure-link",
        grouping: Grouping::Url,
        level: Level::Note,
        summary: "a link leads to an http: URL",
        explanation: Explanation {
            reason: "What is sent and read there can be seen and changed on the way.",
            example: "<a href=\"http://example.org/\">",
            fix: "Write https:// where the host has it.",
        },
    },
    Row {
        rule: Rule::BaseElsewhere,
        id: "base-elsewhere",
        grouping: Grouping::Url,
        level: Level::Note,
        summary: "the base element leads outside the site",
        explanation: Explanation {
            reason: "Every relative link of the page leads there, so none of them is looked up.",
            example: "<base href=\"https://other.example/\"> on https://example.org/",
            fix: "Correct the base, or name the host with --alias if it is the site's own.",
        },
    },
    Row {
        rule: Rule::LinkToRedirect,
        id: "link-to-redirect",
        grouping: Grouping::Url,
        level: Level::Note,
        summary: "the link leads to a redirect",
        explanation: Explanation {
            reason: "It works, one request later than it could.",
            example: "<a href=\"old.html\"> where old.html only redirects to new.html",
            fix: "Link to where the redirect leads.",
        },
    },
    Row {
        rule: Rule::LegacyEncoding,
        id: "legacy-encoding",
        grouping: Grouping::Message,
        level: Level::Note,
        summary: "the page is not in UTF-8",
        explanation: Explanation {
            reason: "A browser writes queries in the page's encoding, and paths in UTF-8.",
            example: "<meta charset=\"windows-1252\">",
            fix: "Convert the page to UTF-8.",
        },
    },
    Row {
        rule: Rule::OrphanPage,
        id: "orphan-page",
        grouping: Grouping::Url,
        level: Level::Off,
        summary: "no page links to this one",
        explanation: Explanation {
            reason: "Nobody finds it by following links.",
            example: "old/draft.html, which nothing links to",
            fix: "Link to it, or take it out of the site.",
        },
    },
    Row {
        rule: Rule::OrphanAsset,
        id: "orphan-asset",
        grouping: Grouping::Url,
        level: Level::Off,
        summary: "nothing links to this file",
        explanation: Explanation {
            reason: "It is published for nothing. A script may still load it: the audit does not \
                     run scripts.",
            example: "images/old-logo.png, which no page or style uses",
            fix: "Take it out of the site.",
        },
    },
    Row {
        rule: Rule::MissingTextFragment,
        id: "missing-text-fragment",
        grouping: Grouping::Url,
        level: Level::Off,
        summary: "the page does not have the text of a text fragment",
        explanation: Explanation {
            reason: "The page opens at its top, and nothing is highlighted.",
            example: "<a href=\"guide.html#:~:text=first%20step\">",
            fix: "Correct the text, or link to an anchor.",
        },
    },
];
