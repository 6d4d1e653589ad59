//! Rules about what is broken for every visitor.

use crate::audit::rules::{Grouping, Level, Row, Rule, RuleGroup};

pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::BrokenLink,
        level: Level::Error,
        grouping: Grouping::Target,
        group: None,
        summary: "link target does not exist",
        reason: "The server answers 404: the linked page, image, script or style sheet is missing.",
        example: "<a href=\"guide.html\"> where there is only Guide.html",
        fix: "Correct the reference, add the file, or remove the link.",
    },
    Row {
        rule: Rule::MissingAnchor,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "the page has no such anchor",
        reason: "The page opens at its top, not at the intended place. An anchor is the id of any \
                 element or the name of an a element.",
        example: "<a href=\"guide.html#instal\"> where the page has id=\"install\"",
        fix: "Correct the fragment, or add the id to the element.",
    },
    Row {
        rule: Rule::DirectoryWithoutIndex,
        level: Level::Error,
        grouping: Grouping::Target,
        group: None,
        summary: "link to a folder without an index page",
        reason: "The server shows a listing of the folder, or answers 403.",
        example: "<a href=\"images/\"> where images has no index.html",
        fix: "Link to a file in the folder, or add an index page. --index sets the names of index \
              pages.",
    },
    Row {
        rule: Rule::MissingPrefix,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "a link to a file of the site lacks the path of --base-url",
        reason: "The site is served below a path of its host, and the link leads to the root of the \
                 host, where the server answers 404. A link to the root itself is outside-base.",
        example: "<a href=\"/guide/\"> with --base-url https://example.org/manual/, where there is \
                  guide/index.html",
        fix: "Write /manual/guide/, or a relative reference. Site generators add the prefix if their \
              configuration has the base URL.",
    },
    Row {
        rule: Rule::MissingScheme,
        level: Level::Error,
        grouping: Grouping::Reference,
        group: None,
        summary: "an address without mailto:, or a host without https://",
        reason: "Browsers take it for the name of a file beside the page, which does not exist, or \
                 the host for a scheme. This finding replaces broken-link. A name such as notes.org \
                 alone may be a file, and is a broken-link.",
        example: "<a href=\"help@example.org\">, <a href=\"www.example.org\">, \
                  <a href=\"localhost:8000/x\">",
        fix: "Write mailto:help@example.org, https://www.example.org or http://localhost:8000/x.",
    },
    Row {
        rule: Rule::BrokenRedirect,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "redirect target does not exist, or the rule is malformed",
        reason: "Visitors of the old URL are redirected to a page that does not exist. The server \
                 ignores a line of a redirects file that it cannot read.",
        example: "/old /new 301, where there is no new.html",
        fix: "Correct the target, in the meta refresh or in the redirects file.",
    },
    Row {
        rule: Rule::RedirectLoop,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "redirects lead in a circle",
        reason: "A browser stops after some 20 redirects and shows an error.",
        example: "/a /b 301 and /b /a 301",
        fix: "Point one of the redirects at a page.",
    },
    Row {
        rule: Rule::InvalidBase,
        level: Level::Error,
        grouping: Grouping::Reference,
        group: Some(RuleGroup::Base),
        summary: "the base element's href cannot be a base URL",
        reason: "Browsers ignore the element and resolve every relative link against the page's \
                 own URL. If the URL is one that browsers accept, such as mailto:x or about:blank, \
                 no relative link works.",
        example: "<base href=\"http:docs/\">, <base href=\"mailto:me@example.org\">",
        fix: "Write an absolute URL with a host, or remove the element.",
    },
    Row {
        rule: Rule::InvalidReference,
        level: Level::Error,
        grouping: Grouping::Reference,
        group: None,
        summary: "a browser refuses the URL",
        reason: "The reference does not resolve to a valid URL by the URL Standard, so that a \
                 click on the link does nothing.",
        example: "<a href=\"http://exa mple.org/\">, <a href=\"https://h:port/\">",
        fix: "Correct the host or the port.",
    },
    Row {
        rule: Rule::BadPercent,
        level: Level::Error,
        grouping: Grouping::Reference,
        group: None,
        summary: "a % without two hexadecimal digits after it, in a path",
        reason: "RFC 1808 section 2.2 reserves % for escapes; a server answers 400, even if a file \
                 has that name. This finding replaces broken-link. In a query, the rule is \
                 bad-percent-in-query.",
        example: "<a href=\"100%.html\">",
        fix: "Write %25 for the percent sign itself.",
    },
    Row {
        rule: Rule::Unreadable,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "a file of the site could not be read",
        reason: "Its links and anchors are unknown, so that the audit is incomplete.",
        example: "a page without read permission, or larger than --limit input; a sitemap that is not XML",
        fix: "Make the file readable, raise the limit that the message names, or exclude the file \
              with --exclude.",
    },
    Row {
        rule: Rule::PageNotWellFormed,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "an XHTML page is not well-formed",
        reason: "Browsers and reading systems show an error in place of the page, or in place of \
                 what follows the fault. Its links and anchors are unknown.",
        example: "<p>one<br>two</p> in a page named a.xhtml",
        fix: "Correct the markup at the place, or name the page .html if it is HTML.",
    },
    Row {
        rule: Rule::NotInManifest,
        level: Level::Error,
        grouping: Grouping::Target,
        group: Some(RuleGroup::Books),
        summary: "a book links to a file that its manifest does not list",
        reason: "Reading systems need not load a file of a book (.epub) that is not in the manifest \
                 of the package document.",
        example: "<img src=\"map.png\"/> where the package has no <item href=\"map.png\">",
        fix: "Add an item with the file's media type to the manifest, or remove the link.",
    },
    Row {
        rule: Rule::RemoteResource,
        level: Level::Error,
        grouping: Grouping::Url,
        group: Some(RuleGroup::Books),
        summary: "a book loads a resource from the web that has to be in it",
        reason: "EPUB allows audio, video and fonts on the web. Reading systems refuse to load images, \
                 style sheets, scripts and pages from there. Links that readers follow may lead \
                 anywhere.",
        example: "<img src=\"https://example.org/map.png\"/> in a chapter",
        fix: "Put the file into the book, list it in the manifest, and link to it.",
    },
    Row {
        rule: Rule::InvalidManifest,
        level: Level::Error,
        grouping: Grouping::Reference,
        group: Some(RuleGroup::Books),
        summary: "the manifest or the spine of a book has an item that it cannot have",
        reason: "Reading systems find the files of a book by the items of its manifest: each is a file \
                 with a media type, without a fragment or a query, each file is listed once, and the \
                 spine names items by their id.",
        example: "<item href=\"ch1.xhtml#top\" …/>, <itemref idref=\"ch9\"/> without such an item",
        fix: "Correct the item in the package document.",
    },
    Row {
        rule: Rule::DuplicateName,
        level: Level::Error,
        grouping: Grouping::Message,
        group: Some(RuleGroup::Books),
        summary: "names of two files of a book differ in letter case or form alone",
        reason: "Where a book (.epub) is unpacked on a file system that compares names without letter \
                 case, or in one form of Unicode, one of the files replaces the other.",
        example: "Map.png and map.png; é as one character, and as e with a combining accent",
        fix: "Rename one of the files, and its item of the manifest.",
    },
    Row {
        rule: Rule::ForbiddenHost,
        level: Level::Error,
        grouping: Grouping::Url,
        group: None,
        summary: "a link to a host that --forbid-host names",
        reason: "The hosts are those that a site must not link to or load from, such as a staging server, \
                 a tracker or a domain that was given up. Their subdomains are included.",
        example: "<script src=\"https://cdn.tracker.example/t.js\"> with --forbid-host tracker.example",
        fix: "Remove the link, or write the URL on another host.",
    },
];
