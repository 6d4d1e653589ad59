//! Rules about the URLs of sitemaps, including the sitemaps that an index names
//! (<https://www.sitemaps.org/protocol.html>).

mod urls;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use absolve::HasAdvice;
use absolve::url::Base;
use absolve_archive::gunzip;
use absolve_files::Failure;
use urls::{SitemapKind, SitemapSyntax, find_sitemap, is_gzip_by_name};

use crate::checks::url_list;
use crate::checks::url_list::{ListedEntry, ListedUrl, Positions};
use crate::{AuditContext, Collector, LinkScope, Problem, Rule, SiteCheck, rows};

rows! {
    SitemapHost: Warn, Url, Seo;
        summary: "a URL of another host in a sitemap",
        reason: "Search engines ignore URLs that are not of the host of the sitemap.",
        example: "<loc>https://staging.example/</loc> in the sitemap of example.org",
        fix: "Write the URL of the page on the host of --base-url, or name the host with --alias.";

    NoindexInSitemap: Warn, Url, Seo;
        summary: "a page with noindex is in the sitemap",
        reason: "The sitemap asks search engines to show the page, and the page asks them not to.",
        example: "<meta name=robots content=noindex> in a page that sitemap.xml lists",
        fix: "Remove the URL from the sitemap, or the noindex from the page.";

    NotInSitemap: Off, Url, Seo;
        summary: "a page is not in the sitemap",
        reason: "Search engines may find it late. Pages that redirect, have noindex or another canonical URL \
                 do not belong there and are not reported.",
        example: "new.html, which sitemap.xml does not list",
        fix: "Add its URL to the sitemap.";
}

pub(super) const SITE: &[SiteCheck] = &[check_sitemaps];

/// Maximum sitemaps that an index may name
/// ([limits](https://www.sitemaps.org/protocol.html#index)).
const MAX_SITEMAPS: usize = 50_000;

/// Maximum bytes of a decompressed sitemap, by the same limits.
const MAX_DECOMPRESSED_LEN: usize = 50 << 20;

/// Audits the sitemaps, and adds the findings about other XML files that are not well-formed.
fn check_sitemaps(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let sitemaps = audit_sitemaps(context, collector);
    for (file, finding) in context.state.take_malformed() {
        // A sitemap has its own finding about this fault.
        if !sitemaps.contains(&file) {
            collector.add(finding);
        }
    }
}

/// Audits the URLs of the sitemap, and of the sitemaps that `robots.txt` and indexes name. Reports
/// listed pages with `noindex`, and unlisted pages. Returns the numbers of the sitemaps.
fn audit_sitemaps(
    context: &AuditContext<'_>,
    collector: &mut Collector<'_, '_>,
) -> BTreeSet<usize> {
    let listed = vec![false; context.site.files().len()];
    let mut sitemaps = Sitemaps { listed, indexed: BTreeSet::new(), is_complete: true };
    let mut files: BTreeSet<usize> = context.audit.sitemap.into_iter().collect();
    sitemaps.is_complete &= check_robots(context, collector, &mut files);
    if files.is_empty() {
        return files;
    }
    for &file in &files {
        sitemaps.read(context, file, collector);
    }
    // By the protocol, an index names no other index, so sitemaps in indexed files are not read.
    let indexed = std::mem::take(&mut sitemaps.indexed);
    for file in indexed.difference(&files) {
        sitemaps.read(context, *file, collector);
    }
    let is_complete = sitemaps.is_complete && sitemaps.indexed.is_subset(&files);
    report_noindex(context, &sitemaps.listed, collector);
    if is_complete && sitemaps.listed.contains(&true) {
        report_unlisted(context, &sitemaps.listed, collector);
    }
    &files | &indexed
}

/// The URLs that the sitemaps list.
struct Sitemaps {
    /// Whether a sitemap lists a file, by its number.
    listed: Vec<bool>,
    /// The sitemaps that indexes name, by their numbers.
    indexed: BTreeSet<usize>,
    /// Whether the whole list is known, because every sitemap is a file of the site and was read.
    is_complete: bool,
}

impl Sitemaps {
    /// Audits the URLs of a sitemap or an index.
    fn read(&mut self, context: &AuditContext<'_>, file: usize, collector: &mut Collector<'_, '_>) {
        // The file of `--sitemap` may have any name.
        let syntax = SitemapSyntax::from_file(context, file).unwrap_or(SitemapSyntax::Xml);
        let is_read = url_list::audit_list(context, file, collector, |source, auditor, base| {
            let decompressed = match gunzip(source, MAX_DECOMPRESSED_LEN) {
                Ok(decompressed) => decompressed,
                Err(why) => return (Positions::Known, Err(Failure::new(why))),
            };
            let positions = decompressed.as_ref().map_or(Positions::Known, |_| Positions::Unknown);
            let text = decompressed.map_or(Cow::Borrowed(source), Cow::Owned);
            let read = syntax.visit_urls(&text, |kind, url, span| {
                if context.monitor.is_stopped() {
                    return;
                }
                let loc = ListedUrl { entry: ListedEntry::Loc, url, span, base };
                loc.audit_absolute(auditor);
                let link = loc.to_occurrence();
                if kind == SitemapKind::Urls && has_other_host(context, url) {
                    let rule = Rule::SitemapHost;
                    auditor.sink.add_link(&link, Some(url), Problem::new(rule, rule.summary()));
                }
                if kind == SitemapKind::Index {
                    match find_sitemap(auditor, &link) {
                        Some(file) if self.indexed.len() < MAX_SITEMAPS => {
                            self.indexed.insert(file);
                        }
                        _ => self.is_complete = false,
                    }
                } else if let Some(file) = find_listed_file(context, url, base) {
                    self.listed[file] = true;
                }
            });
            // The audit does not read the URLs of feeds.
            self.is_complete &= read != Ok(SitemapKind::Feed);
            let is_misnamed = positions == Positions::Known && is_gzip_by_name(context, file);
            let read = read.map_err(|why| {
                let not_packed = if is_misnamed { "it is not packed by gzip, and " } else { "" };
                Failure::new(format!("{not_packed}{why}")).advising(why.advice())
            });
            (positions, read.map(|_| ()))
        });
        self.is_complete &= is_read;
    }
}

/// Finds the file that a URL of a sitemap lists. A relative URL, which has its own finding, is
/// resolved against the URL of the sitemap.
fn find_listed_file(context: &AuditContext<'_>, url: &str, base: Option<&Base>) -> Option<usize> {
    if url_list::is_absolute(url) {
        return context.lookup.look_up(url, url).file;
    }
    let base = base.filter(|_| !url.is_empty())?;
    context.lookup.look_up(&base.resolve_rfc1808(url, |_| {}), url).file
}

/// Reports the pages that a sitemap lists, but that ask search engines not to list them.
fn report_noindex(context: &AuditContext<'_>, listed: &[bool], collector: &mut Collector<'_, '_>) {
    let (audit, site, rule) = (context.audit, context.site, Rule::NoindexInSitemap);
    for &page in site.pages() {
        if listed[page] && context.state.is_noindex(page) && audit.reports(page) {
            collector.add(audit.finding(rule, site.shown(page), rule.summary()));
        }
    }
}

/// Whether a URL of a sitemap has another host than the site
/// ([location](https://www.sitemaps.org/protocol.html#location)).
fn has_other_host(context: &AuditContext<'_>, url: &str) -> bool {
    !context.lookup.deployment.is_nameless()
        && !context.audit.ignores(url, || Some(url))
        && url_list::is_absolute(url)
        && context.lookup.look_up(url, url).scope == LinkScope::External
}

/// Reports the pages that no sitemap lists.
fn report_unlisted(context: &AuditContext<'_>, listed: &[bool], collector: &mut Collector<'_, '_>) {
    let (audit, site, rule) = (context.audit, context.site, Rule::NotInSitemap);
    for &page in site.pages() {
        if context.monitor.is_stopped() {
            return;
        }
        let is_error_page = site.files().get(page).is_some_and(|(path, _)| path == b"404.html");
        let is_unindexed = context.state.refresh(page).is_some()
            || context.state.is_copy(page)
            || context.state.is_noindex(page);
        if !listed[page] && audit.reports(page) && !is_error_page && !is_unindexed {
            collector.add(audit.finding(rule, site.shown(page), rule.summary()));
        }
    }
}

/// Audits the `Sitemap` lines of the site's `robots.txt`, if there is one, and adds the numbers of
/// the sitemaps that it names. Returns whether each of them is a file that the audit reads.
fn check_robots(
    context: &AuditContext<'_>,
    collector: &mut Collector<'_, '_>,
    sitemaps: &mut BTreeSet<usize>,
) -> bool {
    let Some(robots) = context.audit.robots else { return true };
    let mut is_complete = true;
    let is_read = url_list::audit_list(context, robots, collector, |source, auditor, base| {
        for span in find_sitemap_urls(source) {
            let url = &*String::from_utf8_lossy(&source[span.clone()]);
            let line = ListedUrl { entry: ListedEntry::SitemapLine, url, span, base };
            line.audit_absolute(auditor);
            if !url_list::is_absolute(url) {
                continue;
            }
            match find_sitemap(auditor, &line.to_occurrence()) {
                Some(file) => drop(sitemaps.insert(file)),
                None => is_complete = false,
            }
        }
        (Positions::Known, Ok(()))
    });
    is_complete && is_read
}

/// Finds the values of `Sitemap` lines, by the grammar of
/// [RFC 9309](https://www.rfc-editor.org/rfc/rfc9309#section-2.2). They apply to all crawlers.
fn find_sitemap_urls(source: &[u8]) -> Vec<Range<usize>> {
    let mut urls = Vec::new();
    let mut start = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for line in source[start..].split(|byte| matches!(byte, b'\n' | b'\r')) {
        let field = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        if let Some(colon) = field.iter().position(|byte| *byte == b':')
            && field[..colon].trim_ascii().eq_ignore_ascii_case(b"sitemap")
        {
            let value = &field[colon + 1..];
            let (from, url) = (value.len() - value.trim_ascii_start().len(), value.trim_ascii());
            let from = start + colon + 1 + from;
            urls.extend((!url.is_empty()).then_some(from..from + url.len()));
        }
        start += line.len() + 1;
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_finds(source: &str, expected: &[&str]) {
        let found: Vec<&str> =
            find_sitemap_urls(source.as_bytes()).into_iter().map(|span| &source[span]).collect();
        assert_eq!(found, expected, "{source:?}");
    }

    #[test]
    fn a_url_is_the_value_of_a_sitemap_line() {
        assert_finds(
            "Sitemap: http://h/a\nsitemap:b\r\n\tSITEMAP :\tc # d\r",
            &["http://h/a", "b", "c"],
        );
        assert_finds("\u{feff}Sitemap: a\rSitemap: b", &["a", "b"]);
        assert_finds("User-agent: *\nDisallow: /\nSitemap: a", &["a"]);
    }

    #[test]
    fn other_lines_have_no_url() {
        assert_finds("# Sitemap: a\nSitemap:\nSitemap\nSitemaps: a\nAllow: Sitemap: a\n", &[]);
        assert_finds("Sitemap: # a\n: a\n", &[]);
        assert_finds("", &[]);
    }
}
