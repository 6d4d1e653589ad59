//! The URLs of sitemaps, and the sitemaps that an index names
//! (<https://www.sitemaps.org/protocol.html>).

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::audit::context::{AuditContext, Collector};
use crate::audit::pass::sitemap_urls::{Kind, Syntax, is_packed_by_name, named_sitemap};
use crate::audit::pass::url_list::{Entry, Positions};
use crate::audit::pass::{robots, url_list};
use crate::audit::rules::Rule;
use crate::batch::Failure;
use crate::container::gunzip;
use crate::url::Base;

/// The most sitemaps that an index may name
/// ([limits](https://www.sitemaps.org/protocol.html#index)).
const MAX_SITEMAPS: usize = 50_000;

/// The most bytes of an unpacked sitemap, by the same limits.
const MAX_UNPACKED: usize = 50 << 20;

/// Audits the URLs of the sitemap and of those that `robots.txt` and indexes name, if there are any,
/// and reports the pages that none of them lists. Returns the numbers of the files that it read.
pub(crate) fn check(
    context: &AuditContext<'_>,
    collector: &mut Collector<'_, '_>,
) -> BTreeSet<usize> {
    // No server sends the files of a book, so that files of these names are those of the book.
    if context.site.book().is_some() {
        return BTreeSet::new();
    }
    let named = robots::check(context, collector);
    let files: BTreeSet<usize> = context.audit.sitemap.into_iter().chain(named.files).collect();
    if files.is_empty() {
        return files;
    }
    let listed = vec![false; context.containers.end()];
    let mut sitemaps =
        Sitemaps { listed, indexed: BTreeSet::new(), is_complete: named.is_complete };
    for &file in &files {
        sitemaps.read(context, file, collector);
    }
    // By the protocol, an index names no other index: those of the indexed sitemaps are not read.
    let indexed = std::mem::take(&mut sitemaps.indexed);
    for file in indexed.difference(&files) {
        sitemaps.read(context, *file, collector);
    }
    let is_complete = sitemaps.is_complete && sitemaps.indexed.is_subset(&files);
    if is_complete && sitemaps.listed.contains(&true) {
        report_unlisted(context, &sitemaps.listed, collector);
    }
    &files | &indexed
}

/// What the sitemaps list.
struct Sitemaps {
    /// Whether a sitemap lists a file, by its number.
    listed: Vec<bool>,
    /// The sitemaps that indexes name, by their numbers.
    indexed: BTreeSet<usize>,
    /// Whether the whole list is known: every sitemap is a file of the site that can be read.
    is_complete: bool,
}

impl Sitemaps {
    /// Audits the URLs of a sitemap or an index.
    fn read(&mut self, context: &AuditContext<'_>, file: usize, collector: &mut Collector<'_, '_>) {
        // The file of `--sitemap` may have any name.
        let syntax = Syntax::of_file(context, file).unwrap_or(Syntax::Xml);
        let is_read = url_list::audit(context, file, collector, |source, auditor, base| {
            let unpacked = match gunzip(source, MAX_UNPACKED) {
                Ok(unpacked) => unpacked,
                Err(why) => return (Positions::Known, Err(Failure::new(why))),
            };
            let positions = unpacked.as_ref().map_or(Positions::Known, |_| Positions::Unknown);
            let text = unpacked.map_or(Cow::Borrowed(source), Cow::Owned);
            let read = syntax.each_url(&text, |kind, url, span| {
                if context.monitor.is_stopped() {
                    return;
                }
                url_list::audit_url(auditor, Entry::Loc, url, span.clone(), base);
                if kind == Kind::Index {
                    let link = url_list::occurrence(Entry::Loc, url, span, base);
                    match named_sitemap(auditor, &link) {
                        Some(file) if self.indexed.len() < MAX_SITEMAPS => {
                            self.indexed.insert(file);
                        }
                        _ => self.is_complete = false,
                    }
                } else if let Some(file) = listed(context, url, base) {
                    self.listed[file] = true;
                }
            });
            // What a feed lists is not read.
            self.is_complete &= read != Ok(Kind::Feed);
            let is_misnamed = positions == Positions::Known && is_packed_by_name(context, file);
            let read = read.map_err(|why| {
                let not_packed = if is_misnamed { "it is not packed by gzip, and " } else { "" };
                Failure::new(format!("{not_packed}{why}"))
            });
            (positions, read.map(|_| ()))
        });
        self.is_complete &= is_read;
    }
}

/// The number of the file that a URL of a sitemap lists. A relative URL, which has its own finding,
/// lists the page that it leads to.
fn listed(context: &AuditContext<'_>, url: &str, base: Option<&Base>) -> Option<usize> {
    if url_list::is_absolute(url) {
        return context.lookup.target(url, url).file;
    }
    let base = base.filter(|_| !url.is_empty())?;
    context.lookup.target(&base.resolve_rfc1808(url, |_| {}), url).file
}

/// Reports the pages that no sitemap lists.
fn report_unlisted(context: &AuditContext<'_>, listed: &[bool], collector: &mut Collector<'_, '_>) {
    let (audit, site, rule) = (context.audit, context.site, Rule::NotInSitemap);
    for &page in site.pages() {
        if context.monitor.is_stopped() {
            return;
        }
        let is_error_page = site.files().get(page).is_some_and(|(path, _)| path == b"404.html");
        let is_other = context.state.refresh(page).is_some() || context.state.is_copy(page);
        if !listed[page]
            && audit.reports(page)
            && !is_error_page
            && !is_other
            && !context.is_own_file(page)
        {
            collector.add(audit.finding(rule, site.shown(page), rule.summary()));
        }
    }
}
