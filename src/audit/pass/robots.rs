//! The sitemaps that `robots.txt` names
//! (<https://www.sitemaps.org/protocol.html#submit_robots>).

use std::ops::Range;

use crate::audit::context::{AuditContext, Collector};
use crate::audit::pass::sitemap_urls::named_sitemap;
use crate::audit::pass::url_list;
use crate::audit::pass::url_list::{Entry, Positions};

/// The sitemaps that `robots.txt` names.
pub(super) struct NamedSitemaps {
    /// The numbers of those in the site, as they are named.
    pub(super) files: Vec<usize>,
    /// Whether these are all: each is a file of the site that the audit reads.
    pub(super) is_complete: bool,
}

/// Audits the `Sitemap` lines of the site's `robots.txt`, if there is one.
pub(super) fn check(
    context: &AuditContext<'_>,
    collector: &mut Collector<'_, '_>,
) -> NamedSitemaps {
    let mut named = NamedSitemaps { files: Vec::new(), is_complete: true };
    let Some(robots) = context.audit.robots else { return named };
    let is_read = url_list::audit(context, robots, collector, |source, auditor, base| {
        for span in sitemap_urls(source) {
            let url = String::from_utf8_lossy(&source[span.clone()]);
            url_list::audit_url(auditor, Entry::SitemapLine, &url, span.clone(), base);
            if !url_list::is_absolute(&url) {
                continue;
            }
            let line = url_list::occurrence(Entry::SitemapLine, &url, span, base);
            match named_sitemap(auditor, &line) {
                Some(file) => named.files.push(file),
                None => named.is_complete = false,
            }
        }
        (Positions::Known, Ok(()))
    });
    named.is_complete &= is_read;
    named
}

/// The bytes of the values of `Sitemap` lines, by the grammar of
/// [RFC 9309](https://www.rfc-editor.org/rfc/rfc9309#section-2.2); they are in no group.
fn sitemap_urls(source: &[u8]) -> Vec<Range<usize>> {
    let mut urls = Vec::new();
    let mut start = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for line in source[start..].split(|byte| matches!(byte, b'\n' | b'\r')) {
        let written = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        if let Some(colon) = written.iter().position(|byte| *byte == b':')
            && written[..colon].trim_ascii().eq_ignore_ascii_case(b"sitemap")
        {
            let value = &written[colon + 1..];
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
    fn urls(source: &str, expected: &[&str]) {
        let found: Vec<&str> =
            sitemap_urls(source.as_bytes()).into_iter().map(|span| &source[span]).collect();
        assert_eq!(found, expected, "{source:?}");
    }

    #[test]
    fn a_url_is_the_value_of_a_sitemap_line() {
        urls("Sitemap: http://h/a\nsitemap:b\r\n\tSITEMAP :\tc # d\r", &["http://h/a", "b", "c"]);
        urls("\u{feff}Sitemap: a\rSitemap: b", &["a", "b"]);
        urls("User-agent: *\nDisallow: /\nSitemap: a", &["a"]);
    }

    #[test]
    fn other_lines_have_no_url() {
        urls("# Sitemap: a\nSitemap:\nSitemap\nSitemaps: a\nAllow: Sitemap: a\n", &[]);
        urls("Sitemap: # a\n: a\n", &[]);
        urls("", &[]);
    }
}
