//! The sitemaps that `robots.txt` names
//! (<https://www.sitemaps.org/protocol.html#submit_robots>).

use std::ops::Range;

use crate::audit::context::AuditContext;
use crate::audit::context::collector::Collector;
use crate::audit::hints::{Meant, Wording};
use crate::audit::page::auditor::PageAuditor;
use crate::audit::pass::sitemap_urls::{is_audited, request};
use crate::audit::pass::url_list;
use crate::audit::pass::url_list::Positions;
use crate::audit::rules::Rule;
use crate::audit::target::Problem;
use crate::url::Base;
use crate::url::rfc1808::scheme_end;

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
    let Some(robots) = context.audit.robots_file() else { return named };
    let is_read = url_list::audit(context, robots, collector, |source, auditor, base| {
        for span in sitemap_urls(source) {
            let url = String::from_utf8_lossy(&source[span.clone()]);
            let is_ignored = context.audit.ignores(&url, || Some(&url));
            if scheme_end(&url).is_none() {
                if !is_ignored {
                    report_relative(&url, span, auditor, base);
                }
                continue;
            }
            auditor.occurrence(&url_list::occurrence("sitemap", &url, span, base));
            let file = context.lookup.target(&url, &url).file;
            if let Some(file) = file {
                request(context, file);
            }
            match file.filter(|&file| !is_ignored && is_audited(context, file)) {
                Some(file) => named.files.push(file),
                None => named.is_complete = false,
            }
        }
        (Positions::Known, Ok(()))
    });
    named.is_complete &= is_read;
    named
}

/// Reports a URL that is not absolute, which crawlers ignore.
fn report_relative(
    url: &str,
    span: Range<usize>,
    auditor: &mut PageAuditor<'_>,
    base: Option<&Base>,
) {
    let message = "a relative URL: robots.txt needs the absolute URL of a sitemap";
    let mut problem = Problem::new(Rule::InvalidReference, message);
    if let Some(base) = base.filter(|_| !auditor.lookup.deployment.is_nameless()) {
        let absolute = Meant::Reference(base.resolve_rfc1808(url, |_| {}));
        problem = problem.proposing(absolute, Wording::Write, None);
    }
    auditor.add_to(&url_list::occurrence("sitemap", url, span, base), None, &problem);
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
