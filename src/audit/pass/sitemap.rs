//! The URLs of a sitemap (<https://www.sitemaps.org/protocol.html>).

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::audit::context::AuditContext;
use crate::audit::context::collector::Collector;
use crate::audit::finding::Finding;
use crate::audit::pass::{robots, url_list};
use crate::audit::rules::Rule;
use crate::batch::Failure;

/// Audits the URLs of the sitemap and of those that `robots.txt` names, if there are any, and the
/// pages that none of them lists.
pub(crate) fn check(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    let named = robots::check(context, collector);
    let mut files: Vec<usize> =
        context.audit.sitemap_file().into_iter().chain(named.files).collect();
    files.sort_unstable();
    files.dedup();
    if files.is_empty() {
        return;
    }
    let none = vec![false; context.containers.end()];
    let mut listed = Listed { files: none, is_complete: named.is_complete };
    for file in files {
        check_urls(context, file, &mut listed, collector);
    }
    if listed.is_complete && listed.files.contains(&true) {
        report_unlisted(context, &listed.files, collector);
    }
}

/// The files that the sitemaps list.
struct Listed {
    /// By number.
    files: Vec<bool>,
    /// Whether the whole list is known: every sitemap can be read, and is no list of sitemaps.
    is_complete: bool,
}

/// Reports the pages that no sitemap lists.
fn report_unlisted(context: &AuditContext<'_>, listed: &[bool], collector: &mut Collector<'_, '_>) {
    let (audit, site, rule) = (context.audit, context.site, Rule::NotInSitemap);
    for &page in site.pages() {
        let is_error_page = site.files().get(page).is_some_and(|(path, _)| path == b"404.html");
        let is_other = context.state.refresh(page).is_some() || context.state.is_copy(page);
        if !listed[page]
            && audit.reports(page)
            && !is_error_page
            && !is_other
            && !context.is_own_file(page)
        {
            let message = rule.summary().to_owned();
            collector.add(Finding::new(rule, audit.level_of(rule), site.shown(page), message));
        }
    }
}

fn check_urls(
    context: &AuditContext<'_>,
    file: usize,
    listed: &mut Listed,
    collector: &mut Collector<'_, '_>,
) {
    let is_read = url_list::audit(context, file, collector, |source, auditor, base| {
        listed.is_complete &= memchr::memmem::find(source, b"<sitemapindex").is_none();
        each_url(source, |url, span| {
            if let Some(file) = context.lookup.target(url, url).file {
                listed.files[file] = true;
            }
            auditor.occurrence(&url_list::occurrence("loc", url, span, base));
        })
        .map_err(Failure::new)
    });
    listed.is_complete &= is_read;
}

/// Calls `visit` with each URL, and the bytes that hold it.
///
/// # Errors
///
/// If it is not XML in UTF-8, or has an undefined entity, after the URLs before that.
fn each_url(source: &[u8], mut visit: impl FnMut(&str, Range<usize>)) -> Result<(), String> {
    // The protocol asks for UTF-8.
    if let Err(error) = std::str::from_utf8(source) {
        return Err(format!("it is not UTF-8, at byte {}", error.valid_up_to()));
    }
    let bom = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut reader = Reader::from_reader(&source[bom..]);
    let at = |reader: &Reader<&[u8]>| bom + usize::try_from(reader.buffer_position()).unwrap_or(0);
    // The text of the innermost `loc`, and where it begins.
    let mut url: Option<(String, usize)> = None;
    loop {
        let start = at(&reader);
        let event = reader.read_event().map_err(|error| {
            let place = usize::try_from(reader.error_position()).unwrap_or(0) + bom;
            format!("it is not XML: {error}, at byte {place}")
        })?;
        match event {
            Event::Start(tag) if tag.local_name().as_ref() == b"loc" => {
                url = Some((String::new(), at(&reader)));
            }
            Event::Text(text) => {
                if let Some((url, _)) = &mut url {
                    url.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Event::CData(text) => {
                if let Some((url, _)) = &mut url {
                    url.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Event::GeneralRef(name) => {
                if let Some((url, _)) = &mut url {
                    let written = format!("&{};", String::from_utf8_lossy(&name));
                    let text = quick_xml::escape::unescape(&written)
                        .map_err(|_| format!("{written} is not known, at byte {start}"))?;
                    url.push_str(&text);
                }
            }
            Event::End(tag) if tag.local_name().as_ref() == b"loc" => {
                if let Some((url, from)) = url.take() {
                    let written = &source[from..start];
                    let lead = written.len() - written.trim_ascii_start().len();
                    let length = written.trim_ascii().len();
                    visit(url.trim(), from + lead..from + lead + length);
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn urls(source: &str, expected: &[(&str, &str)]) {
        let mut found = Vec::new();
        let read = each_url(source.as_bytes(), |url, span| {
            found.push((url.to_owned(), source[span].to_owned()));
        });
        let expected: Vec<_> =
            expected.iter().map(|(url, span)| ((*url).to_owned(), (*span).to_owned())).collect();
        assert_eq!((read, found), (Ok(()), expected), "{source}");
    }

    #[test]
    fn a_url_is_the_text_of_a_loc() {
        urls(
            "<urlset><url><loc> http://h/a </loc></url></urlset>",
            &[("http://h/a", "http://h/a")],
        );
        urls("\u{feff}<a><loc>b?c&amp;d</loc></a>", &[("b?c&d", "b?c&amp;d")]);
        urls("<a><loc><![CDATA[b&c]]></loc></a>", &[("b&c", "<![CDATA[b&c]]>")]);
        urls("<a><image:loc xmlns:image='x'>b</image:loc><c>d</c></a>", &[("b", "b")]);
        urls("<a><!--<loc>b</loc>--></a>", &[]);
    }

    #[test]
    fn what_is_no_xml_is_reported() {
        let read = each_url(b"<a><loc>b</a>", |_, _| {});
        assert!(read.unwrap_err().starts_with("it is not XML: "));
        let refuses = |source: &[u8], why: &str| {
            assert_eq!(each_url(source, |_, _| {}), Err(why.to_owned()), "{source:?}");
        };
        refuses(b"<a><loc>&b;c</loc></a>", "&b; is not known, at byte 8");
        refuses(b"<a><loc>\xe9</loc></a>", "it is not UTF-8, at byte 8");
        refuses(b"\xff\xfe<\0a\0", "it is not UTF-8, at byte 0");
    }
}
