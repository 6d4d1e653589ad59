//! Files that nothing links to.

use crate::audit::context::{AuditContext, Collector, Requesters};
use crate::audit::rules::{Level, Rule};
use crate::audit::site::files::FileKind;

/// Files in the root that people, browsers and servers request without a link.
const ENTRIES: &[&str] = &[
    "404.html",
    "CNAME",
    "_headers",
    "_redirects",
    "apple-touch-icon.png",
    "browserconfig.xml",
    "favicon.ico",
    "humans.txt",
    "robots.txt",
    "security.txt",
    "sitemap.xml",
];

/// Adds the files that nothing links to.
pub(crate) fn find(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let (audit, site) = (context.audit, context.site);
    let levels = [Rule::OrphanPage, Rule::OrphanAsset].map(|rule| audit.level_of(rule));
    if levels == [Level::Off; 2] || site.is_container() {
        return;
    }
    for (number, (path, kind)) in site.files().iter().enumerate() {
        if context.monitor.is_stopped() {
            return;
        }
        let is_page = site.is_page(number) || site.is_message(number);
        let rule = if is_page { Rule::OrphanPage } else { Rule::OrphanAsset };
        let is_orphan = kind == FileKind::File
            && audit.level_of(rule) != Level::Off
            && !site.is_around(number)
            && context.state.requests.links_to(number) == Requesters::NONE
            && !is_entry(context, path)
            && audit.reports(number)
            && !context.is_own_file(number);
        if is_orphan {
            collector.add(audit.finding(rule, site.shown(number), rule.summary()));
        }
    }
}

/// Whether a file is requested without a link.
fn is_entry(context: &AuditContext<'_>, path: &[u8]) -> bool {
    let is_hidden = path.starts_with(b".") || path.windows(2).any(|pair| pair == b"/.");
    let index = ["index.html", "index.htm", "index.xhtml", "index.xht"].into_iter();
    let index = index.chain(context.lookup.server.index().iter().map(String::as_str));
    is_hidden || index.chain(ENTRIES.iter().copied()).any(|name| name.as_bytes() == path)
}
