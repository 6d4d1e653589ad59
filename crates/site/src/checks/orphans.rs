//! Rules about files that nothing links to, and files that GitHub Pages does not publish because
//! [Jekyll excludes them][jekyll].
//!
//! [jekyll]: https://docs.github.com/en/pages/setting-up-a-github-pages-site-with-jekyll/about-github-pages-and-jekyll

use std::collections::BTreeSet;

use crate::{
    AuditContext, Collector, FileKind, Level, Profile, Requesters, Rule, SiteCheck, rows,
    split_name,
};

rows! {
    OrphanPage: Off, Url;
        summary: "no page links to this one",
        reason: "Visitors cannot reach it by following links.",
        example: "old/draft.html, which nothing links to",
        fix: "Link to it, or remove it from the site.";

    OrphanAsset: Off, Url;
        summary: "nothing links to this file",
        reason: "It may be unused. A script may still load it: the audit does not run scripts.",
        example: "images/old-logo.png, which no page or style uses",
        fix: "Remove it from the site if no script loads it.";

    UnpublishedFolder: Warn, Message;
        summary: "links lead into a folder that GitHub Pages does not publish",
        reason: "GitHub Pages runs Jekyll on the files of a branch, which leaves out names that \
                 begin with an underscore, a dot or #, unless the root has a file .nojekyll. An \
                 upload by a workflow is published as it is. Only --server github-pages finds this, \
                 once a folder.",
        example: "<link rel=stylesheet href=\"_static/style.css\"> without a file .nojekyll",
        fix: "Add an empty file .nojekyll to the root.";
}

/// The rules that need the targets of ignored links: such a target is not an orphan.
pub(super) const OF_IGNORED: &[Rule] = &[Rule::OrphanPage, Rule::OrphanAsset];

pub(super) const SITE: &[SiteCheck] = &[report_orphans, report_unpublished];

/// Files in the root that people, browsers and servers request without a link.
const ENTRY_FILES: &[&str] = &[
    "404.html",
    "CNAME",
    "_headers",
    "_redirects",
    "apple-touch-icon.png",
    "browserconfig.xml",
    "favicon.ico",
    "humans.txt",
    "netlify.toml",
    "robots.txt",
    "security.txt",
    "sitemap.xml",
];

/// Reports the files that nothing links to.
fn report_orphans(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let (audit, site) = (context.audit, context.site);
    let levels = [Rule::OrphanPage, Rule::OrphanAsset].map(|rule| audit.level_of(rule));
    if levels == [Level::Off; 2] {
        return;
    }
    for (number, (path, kind)) in site.files().iter().enumerate() {
        if context.monitor.is_stopped() {
            return;
        }
        let rule = if site.is_page(number) { Rule::OrphanPage } else { Rule::OrphanAsset };
        let is_orphan = kind == FileKind::File
            && audit.level_of(rule) != Level::Off
            && !site.is_target_only(number)
            && context.state.requests.links_to(number) == Requesters::NONE
            && !is_entry(context, path)
            && audit.reports(number);
        if is_orphan {
            collector.add(audit.finding(rule, site.shown(number), rule.summary()));
        }
    }
}

/// Whether a file is requested without a link: hidden, an index page, or in [`ENTRY_FILES`].
fn is_entry(context: &AuditContext<'_>, path: &[u8]) -> bool {
    let is_hidden = path.starts_with(b".") || path.windows(2).any(|pair| pair == b"/.");
    let index = ["index.html", "index.htm", "index.xhtml", "index.xht"].into_iter();
    let index = index.chain(context.lookup.server.index().iter().map(String::as_str));
    is_hidden || index.chain(ENTRY_FILES.iter().copied()).any(|name| name.as_bytes() == path)
}

/// Reports the first linked file of each folder that Jekyll excludes, and of each folder with files
/// that Jekyll excludes.
fn report_unpublished(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let (audit, site) = (context.audit, context.site);
    if context.lookup.server.profile() != Profile::GithubPages
        || audit.level_of(Rule::UnpublishedFolder) == Level::Off
        || site.files().find(b".nojekyll").is_some()
    {
        return;
    }
    let mut reported = BTreeSet::new();
    for (number, (path, kind)) in site.files().iter().enumerate() {
        let Some(excluded) = find_excluded(path).filter(|_| kind == FileKind::File) else {
            continue;
        };
        let is_linked = context.state.requests.links_to(number) != Requesters::NONE;
        // All excluded files in a folder share one finding.
        let folder = if excluded == path {
            split_name(path).map(|(folder, _)| folder)
        } else {
            Some(excluded)
        };
        if !is_linked || !audit.reports(number) || !reported.insert((folder, excluded == path)) {
            continue;
        }
        let name = String::from_utf8_lossy(excluded);
        let message =
            format!("GitHub Pages does not publish '{name}'; add a file .nojekyll to the root");
        collector.add(audit.finding(Rule::UnpublishedFolder, site.shown(number), message));
    }
}

/// Returns the path up to the first name that Jekyll excludes.
fn find_excluded(path: &[u8]) -> Option<&[u8]> {
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'/', path).map(|slash| slash + 1));
    let start =
        starts.into_iter().find(|&start| matches!(path.get(start), Some(b'_' | b'.' | b'#')))?;
    let end = memchr::memchr(b'/', &path[start..]).map_or(path.len(), |length| start + length);
    Some(&path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jekyll_excludes_some_names() {
        let assert_excluded = |path: &str, expected: Option<&str>| {
            assert_eq!(find_excluded(path.as_bytes()), expected.map(str::as_bytes), "{path}");
        };
        assert_excluded("_static/a/_b.css", Some("_static"));
        assert_excluded("a/_next/x.js", Some("a/_next"));
        assert_excluded("_x.html", Some("_x.html"));
        assert_excluded(".well-known/x", Some(".well-known"));
        assert_excluded("a_b/c_.html", None);
        assert_excluded("index.html", None);
    }
}
