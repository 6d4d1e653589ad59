//! Rules about what is worth knowing.

use crate::audit::rules::{Grouping, Level, Row, Rule};

pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::ColonInFirstSegment,
        level: Level::Note,
        grouping: Grouping::Reference,
        summary: "a relative reference has a colon before its first slash",
        reason: "A program may read the text before the colon as a scheme (RFC 1808 section 5.3).",
        example: "<a href=\"12:30.html\">",
        fix: "Write ./ in front: ./12:30.html.",
    },
    Row {
        rule: Rule::FtpTypeD,
        level: Level::Note,
        grouping: Grouping::Reference,
        summary: "an ftp: URL has ;type=d",
        reason: "RFC 1808 section 5.3 advises against it: links in the listing resolve against the \
                 wrong folder.",
        example: "<a href=\"ftp://example.org/pub;type=d\">",
        fix: "Write a trailing slash instead.",
    },
    Row {
        rule: Rule::ProtocolRelative,
        level: Level::Note,
        grouping: Grouping::Url,
        summary: "the reference begins with //",
        reason: "An http page loads it over http, and a local copy of the page cannot load it.",
        example: "<script src=\"//cdn.example.org/x.js\">",
        fix: "Write https:// in front.",
    },
    Row {
        rule: Rule::OwnHostAbsolute,
        level: Level::Note,
        grouping: Grouping::Url,
        summary: "an absolute link to the site itself",
        reason: "A preview, mirror or local copy of the site links back to the published one. \
                 rel=canonical and rel=alternate must be absolute and are not reported.",
        example: "<a href=\"https://example.org/about.html\"> on https://example.org/",
        fix: "Write a relative reference, such as /about.html.",
    },
    Row {
        rule: Rule::BaseElsewhere,
        level: Level::Note,
        grouping: Grouping::Url,
        summary: "the base URL is outside the site",
        reason: "Every relative link of the page leads outside the site, so that the audit checks \
                 none of them.",
        example: "<base href=\"https://other.example/\"> on https://example.org/",
        fix: "Correct the base, or add the host with --alias if it belongs to the site.",
    },
    Row {
        rule: Rule::OutsideBase,
        level: Level::Note,
        grouping: Grouping::Url,
        summary: "a link to the same host outside the path of --base-url",
        reason: "The folder has no such file, or it is a file of the root of most hosts, such as \
                 /index.html. The link may lead to another site of the host: the audit does not check \
                 it.",
        example: "<a href=\"/shop/\"> with --base-url https://example.org/manual/",
        fix: "If the target belongs to the site, write /manual/shop/ and add the file. To check the \
              link, audit a folder with all of the host as --root-dir.",
    },
    Row {
        rule: Rule::LinkToRedirect,
        level: Level::Note,
        grouping: Grouping::Url,
        summary: "the link leads to a redirect",
        reason: "The link works, but costs an additional request.",
        example: "<a href=\"old.html\"> where old.html only redirects to new.html",
        fix: "Link to the target of the redirect.",
    },
    Row {
        rule: Rule::LegacyEncoding,
        level: Level::Note,
        grouping: Grouping::Message,
        summary: "the page is not in UTF-8",
        reason: "Browsers encode queries in the page's encoding, and paths in UTF-8.",
        example: "<meta charset=\"windows-1252\">",
        fix: "Convert the page to UTF-8.",
    },
    Row {
        rule: Rule::RelativeBase,
        level: Level::Note,
        grouping: Grouping::Reference,
        summary: "the base element's href is relative",
        reason: "RFC 1808 section 10 requires an absolute URL; a saved or moved page loses its \
                 base.",
        example: "<base href=\"/docs/\">",
        fix: "Write the absolute URL.",
    },
    Row {
        rule: Rule::UnknownLink,
        level: Level::Note,
        grouping: Grouping::Target,
        summary: "broken href or src of an element that HTML gives none",
        reason: "Browsers ignore the attribute; only a script or another program may use it. This \
                 finding replaces the one that a link would have.",
        example: "<gtkdoclink href=\"GObject\">, <div src=\"missing.png\">",
        fix: "Remove the attribute, or ignore it if a script reads it.",
    },
    Row {
        rule: Rule::MalformedJsonBlock,
        level: Level::Note,
        grouping: Grouping::Message,
        summary: "an import map or a script with speculation rules is no JSON",
        reason: "Browsers ignore the script, and the audit does not check the links in it.",
        example: "<script type=\"importmap\">{\"imports\": {\"a\": \"/a.js\",}}</script>",
        fix: "Correct the JSON: names in double quotes, and no comma after the last value.",
    },
    Row {
        rule: Rule::OrphanPage,
        level: Level::Off,
        grouping: Grouping::Url,
        summary: "no page links to this one",
        reason: "Visitors cannot reach it by following links.",
        example: "old/draft.html, which nothing links to",
        fix: "Link to it, or remove it from the site.",
    },
    Row {
        rule: Rule::OrphanAsset,
        level: Level::Off,
        grouping: Grouping::Url,
        summary: "nothing links to this file",
        reason: "It may be unused. A script may still load it: the audit does not run scripts.",
        example: "images/old-logo.png, which no page or style uses",
        fix: "Remove it from the site if no script loads it.",
    },
    Row {
        rule: Rule::MissingTextFragment,
        level: Level::Off,
        grouping: Grouping::Url,
        summary: "the page does not contain the text of a text fragment",
        reason: "The page opens at its top, without a highlight.",
        example: "<a href=\"guide.html#:~:text=first%20step\">",
        fix: "Correct the text, or link to an anchor.",
    },
    Row {
        rule: Rule::StandardsDiffer,
        level: Level::Off,
        grouping: Grouping::Url,
        summary: "RFC 1808 and browsers resolve the reference differently",
        reason: "The link works in browsers and breaks in a program that follows RFC 1808, or the \
                 other way around. An audit resolves as browsers do, so that it misses no link that \
                 is broken for visitors.",
        example: "<a href=\"http:page.html\">, <a href=\";x\">",
        fix: "Write the reference so that both agree; absolve resolve --explain shows the steps.",
    },
    Row {
        rule: Rule::EmptyReference,
        level: Level::Off,
        grouping: Grouping::Reference,
        summary: "the reference is empty",
        reason: "The link leads to the base URL, which is rarely intended; for other elements \
                 browsers fetch nothing.",
        example: "<a href=\"\">, <img src=\"\">",
        fix: "Write the target, or remove the attribute.",
    },
    Row {
        rule: Rule::InsecureLink,
        level: Level::Off,
        grouping: Grouping::Url,
        summary: "a link leads to an http: URL",
        reason: "Others on the network can read and change what is transferred.",
        example: "<a href=\"http://example.org/\">",
        fix: "Write https:// if the host supports it.",
    },
    Row {
        rule: Rule::NotInSitemap,
        level: Level::Off,
        grouping: Grouping::Url,
        summary: "a page is not in the sitemap",
        reason: "Search engines may find it late. Pages that redirect or have another canonical URL do \
                 not belong there and are not reported.",
        example: "new.html, which sitemap.xml does not list",
        fix: "Add its URL to the sitemap.",
    },
];
