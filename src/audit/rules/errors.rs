//! The rules whose findings do not work for anybody.

use crate::audit::rules::{Explanation, Grouping, Level, Row, Rule};

/// In the order of [`Rule`].
pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::BrokenLink,
        id: "broken-link",
        grouping: Grouping::Target,
        level: Level::Error,
        summary: "link target does not exist",
        explanation: Explanation {
            reason: "The server would answer 404: the link, image, script or style is not there.",
            example: "<a href=\"guide.html\"> where there is only Guide.html",
            fix: "Correct the reference, put the file there, or take the link away.",
        },
    },
    Row {
        rule: Rule::MissingAnchor,
        id: "missing-anchor",
        grouping: Grouping::Url,
        level: Level::Error,
        summary: "the page has no such anchor",
        explanation: Explanation {
            reason: "The page opens at its top, not at the place that was meant. An anchor is the id \
                     of any element or the name of an a element.",
            example: "<a href=\"guide.html#instal\"> where the page has id=\"install\"",
            fix: "Correct the fragment, or give the place that id.",
        },
    },
    Row {
        rule: Rule::DirectoryWithoutIndex,
        id: "directory-without-index",
        grouping: Grouping::Target,
        level: Level::Error,
        summary: "link to a directory without an index page",
        explanation: Explanation {
            reason: "A server shows a listing of the folder, or refuses.",
            example: "<a href=\"images/\"> where images has no index.html",
            fix: "Link to a file in the folder, or give the folder an index page. --index says \
                  which names the server takes for one.",
        },
    },
    Row {
        rule: Rule::BrokenRedirect,
        id: "broken-redirect",
        grouping: Grouping::Url,
        level: Level::Error,
        summary: "redirect target does not exist, or the rule is malformed",
        explanation: Explanation {
            reason: "Whoever comes by an old address is sent to a page that is not there; a line of \
                     a redirects file that the server cannot read does nothing.",
            example: "/old /new 301, where there is no new.html",
            fix: "Correct the target of the redirect, in the meta refresh or in the line of the \
                  redirects file.",
        },
    },
    Row {
        rule: Rule::RedirectLoop,
        id: "redirect-loop",
        grouping: Grouping::Url,
        level: Level::Error,
        summary: "redirects lead in a circle",
        explanation: Explanation {
            reason: "A browser gives up after some rounds and shows an error.",
            example: "/a /b 301 and /b /a 301",
            fix: "Let one of the redirects lead to a page.",
        },
    },
    Row {
        rule: Rule::InvalidBase,
        id: "invalid-base",
        grouping: Grouping::Reference,
        level: Level::Error,
        summary: "the base element's href cannot be a base URL",
        explanation: Explanation {
            reason: "The element does not count, and every relative link of the page is resolved \
                     against the page's own URL. With a URL such as mailto:x or about:blank, which \
                     browsers take, relative links lead nowhere.",
            example: "<base href=\"http:docs/\">, <base href=\"mailto:me@example.org\">",
            fix: "Write an absolute URL with a host, or take the element away.",
        },
    },
    Row {
        rule: Rule::InvalidReference,
        id: "invalid-reference",
        grouping: Grouping::Reference,
        level: Level::Error,
        summary: "a browser refuses the URL",
        explanation: Explanation {
            reason: "What the reference resolves to is no URL by the URL Standard: nothing happens \
                     when it is followed.",
            example: "<a href=\"http://exa mple.org/\">, <a href=\"https://h:port/\">",
            fix: "Correct the host or the port.",
        },
    },
    Row {
        rule: Rule::Unreadable,
        id: "unreadable",
        grouping: Grouping::Url,
        level: Level::Error,
        summary: "a file of the site could not be read",
        explanation: Explanation {
            reason: "Its links and anchors are not known: what the audit says of them is not whole.",
            example: "a page without read permission, or larger than --max-input",
            fix: "Make the file readable, raise the limit that the message names, or --exclude it.",
        },
    },
];
