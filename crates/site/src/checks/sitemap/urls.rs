//! Reads the URLs of a sitemap: XML, or a text with one URL per line.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::{AuditContext, Occurrence, PageAuditor, Problem, Requesters, Rule};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// The root elements of the protocol.
const ROOTS: &str = "<urlset> or <sitemapindex>";

/// The kind of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SitemapKind {
    /// A sitemap of pages.
    Urls,
    /// A sitemap of sitemaps.
    Index,
    /// RSS or Atom, which [crawlers accept](https://www.sitemaps.org/protocol.html#otherformats),
    /// and the audit does not read.
    Feed,
}

impl SitemapKind {
    /// Returns the kind of an XML file with this root element.
    fn from_root(name: &[u8]) -> Result<Self, String> {
        match name {
            b"urlset" => Ok(Self::Urls),
            b"sitemapindex" => Ok(Self::Index),
            b"rss" | b"feed" | b"RDF" => Ok(Self::Feed),
            _ => {
                let name = String::from_utf8_lossy(name);
                Err(format!("its root element is <{name}>, expected {ROOTS}"))
            }
        }
    }
}

/// The syntax of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SitemapSyntax {
    Xml,
    /// [One URL per line](https://www.sitemaps.org/protocol.html#otherformats).
    Text,
}

impl SitemapSyntax {
    /// Returns the syntax of a file of the site, by its number.
    pub(super) fn from_file(context: &AuditContext<'_>, file: usize) -> Option<Self> {
        context.site.files().get(file).and_then(|(path, _)| Self::from_name(path))
    }

    /// Returns the syntax of a sitemap with this name; `None` if the audit does not read it.
    fn from_name(name: &[u8]) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(b".gz").unwrap_or(&name);
        if name.ends_with(b".xml") {
            Some(Self::Xml)
        } else {
            name.ends_with(b".txt").then_some(Self::Text)
        }
    }

    /// Calls `visit` with each URL and its span; a feed is not read.
    ///
    /// # Errors
    ///
    /// If the source is empty, not UTF-8 or malformed; the URLs before the fault may be visited.
    pub(super) fn visit_urls(
        self,
        source: &[u8],
        mut visit: impl FnMut(SitemapKind, &str, Range<usize>),
    ) -> Result<SitemapKind, String> {
        if source.strip_prefix(BOM).unwrap_or(source).trim_ascii().is_empty() {
            return Err("it is empty, expected the URLs of pages".to_owned());
        }
        // The protocol asks for UTF-8.
        let text = std::str::from_utf8(source)
            .map_err(|error| format!("it is not UTF-8, at byte {}", error.valid_up_to()))?;
        match self {
            Self::Xml => visit_locs(source, visit),
            Self::Text => {
                visit_lines(text, |url, span| visit(SitemapKind::Urls, url, span));
                Ok(SitemapKind::Urls)
            }
        }
    }
}

/// Returns the problem of a URL that should lead to a sitemap, if it leads to a page.
fn page_problem(context: &AuditContext<'_>, file: usize) -> Option<Problem> {
    let is_page = SitemapSyntax::from_file(context, file).is_none() && context.site.is_page(file);
    is_page.then(|| {
        let shown = context.site.shown(file);
        let message = format!(
            "'{}' is a page, expected a sitemap: XML (.xml), or a text with one URL a line (.txt)",
            shown.display()
        );
        Problem::new(Rule::Unreadable, message).with_target(shown)
    })
}

/// Whether a file has the extension of gzip.
pub(super) fn is_gzip_by_name(context: &AuditContext<'_>, file: usize) -> bool {
    let path = context.site.path(file);
    path.to_ascii_lowercase().ends_with(b".gz")
}

/// Finds the sitemap that a URL names, records that the file is linked, and reports a page in its
/// place. `None` if the audit does not read the sitemap: the URL is ignored or leads to no file of
/// the site, or the file has another extension or is excluded.
pub(super) fn find_sitemap(auditor: &mut PageAuditor<'_>, link: &Occurrence<'_>) -> Option<usize> {
    let (context, url) = (auditor.context, link.reference);
    let file = context.lookup.look_up(url, url).file?;
    // Crawlers request the sitemap, so it is not an orphan without a link of a page.
    if !context.site.is_page(file) {
        context.state.requests.record_link(file, Requesters::from_page(0, 1));
    }
    if context.audit.ignores(url, || Some(url)) {
        return None;
    }
    if let Some(problem) = page_problem(context, file) {
        auditor.sink.add_link(link, Some(url), problem);
    }
    let is_read =
        SitemapSyntax::from_file(context, file).is_some() && !context.site.is_excluded(file);
    is_read.then_some(file)
}

/// Calls `visit` with each line that is not empty.
fn visit_lines(text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let url = line.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        if !url.is_empty() {
            let from = start + line.find(url).unwrap_or(0);
            visit(url, from..from + url.len());
        }
        start += line.len();
    }
}

/// Calls `visit` with the text of each `loc`.
///
/// # Errors
///
/// If the source is not the XML of a sitemap, is incomplete, or has an undefined entity. The URLs
/// before the fault are visited.
fn visit_locs(
    source: &[u8],
    mut visit: impl FnMut(SitemapKind, &str, Range<usize>),
) -> Result<SitemapKind, String> {
    let bom = if source.starts_with(BOM) { BOM.len() } else { 0 };
    let mut reader = Reader::from_reader(&source[bom..]);
    let offset_of =
        |reader: &Reader<&[u8]>| bom + usize::try_from(reader.buffer_position()).unwrap_or(0);
    let mut elements = Elements::default();
    // The text of the innermost `loc`, and its start.
    let mut url: Option<(String, usize)> = None;
    loop {
        let start = offset_of(&reader);
        let event = reader.read_event().map_err(|error| {
            let position = usize::try_from(reader.error_position()).unwrap_or(0) + bom;
            format!("it is not XML: {error}, at byte {position}")
        })?;
        match event {
            Event::Start(tag) => {
                if elements.open(tag.local_name().as_ref(), start)? == SitemapKind::Feed {
                    return Ok(SitemapKind::Feed);
                }
                if tag.local_name().as_ref() == b"loc" {
                    url = Some((String::new(), offset_of(&reader)));
                }
            }
            Event::Empty(tag) => {
                let kind = elements.open(tag.local_name().as_ref(), start)?;
                elements.close();
                if tag.local_name().as_ref() == b"loc" {
                    visit(kind, "", start..offset_of(&reader));
                }
            }
            Event::Text(text) => {
                elements.check_text(&text, start)?;
                append(&mut url, &String::from_utf8_lossy(&text));
            }
            Event::CData(text) => append(&mut url, &String::from_utf8_lossy(&text)),
            Event::GeneralRef(name) if url.is_some() => {
                let written = format!("&{};", String::from_utf8_lossy(&name));
                let text = quick_xml::escape::unescape(&written)
                    .map_err(|_| format!("{written} is not known, at byte {start}"))?;
                append(&mut url, &text);
            }
            Event::End(tag) => {
                elements.close();
                if tag.local_name().as_ref() == b"loc"
                    && let (Some((url, from)), Some(kind)) = (url.take(), elements.kind)
                {
                    let written = &source[from..start];
                    let lead = written.len() - written.trim_ascii_start().len();
                    let length = written.trim_ascii().len();
                    visit(kind, url.trim(), from + lead..from + lead + length);
                }
            }
            Event::Eof => return elements.finish(),
            _ => {}
        }
    }
}

/// Appends text to the URL of an open `loc`; other text is dropped.
fn append(url: &mut Option<(String, usize)>, text: &str) {
    if let Some((url, _)) = url {
        url.push_str(text);
    }
}

/// Tracks the open elements of an XML file.
#[derive(Default)]
struct Elements {
    /// The kind of the root element, once it is known.
    kind: Option<SitemapKind>,
    /// The number of open elements.
    depth: usize,
}

impl Elements {
    /// Opens an element, and returns the kind of the root.
    fn open(&mut self, name: &[u8], start: usize) -> Result<SitemapKind, String> {
        let kind = match self.kind {
            None => SitemapKind::from_root(name)?,
            Some(_) if self.depth == 0 => {
                return Err(format!("it is not XML: a second root element, at byte {start}"));
            }
            Some(kind) => kind,
        };
        self.kind = Some(kind);
        self.depth += 1;
        Ok(kind)
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn check_text(&self, text: &[u8], start: usize) -> Result<(), String> {
        if self.depth == 0 && !text.trim_ascii().is_empty() {
            return Err(format!("it is not XML: text outside of an element, at byte {start}"));
        }
        Ok(())
    }

    fn finish(&self) -> Result<SitemapKind, String> {
        match self.kind {
            Some(kind) if self.depth == 0 => Ok(kind),
            Some(_) => Err("it is incomplete: it ends inside of an element".to_owned()),
            None => Err(format!("it has no element, expected {ROOTS}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_urls(source: &str, expected: &[(&str, &str)]) {
        let mut found = Vec::new();
        let read = SitemapSyntax::Xml.visit_urls(source.as_bytes(), |_, url, span| {
            found.push((url.to_owned(), source[span].to_owned()));
        });
        let expected: Vec<_> =
            expected.iter().map(|(url, span)| ((*url).to_owned(), (*span).to_owned())).collect();
        assert_eq!((read, found), (Ok(SitemapKind::Urls), expected), "{source}");
    }

    #[test]
    fn a_url_is_the_text_of_a_loc() {
        assert_urls(
            "<urlset><url><loc> http://h/a </loc></url></urlset>",
            &[("http://h/a", "http://h/a")],
        );
        let in_set = |text: &str| format!("<urlset>{text}</urlset>");
        assert_urls("\u{feff}<urlset><loc>b?c&amp;d</loc></urlset>", &[("b?c&d", "b?c&amp;d")]);
        assert_urls(&in_set("<loc><![CDATA[b&c]]></loc>"), &[("b&c", "<![CDATA[b&c]]>")]);
        assert_urls(&in_set("<image:loc xmlns:image='x'>b</image:loc><c>d</c>"), &[("b", "b")]);
        assert_urls(&in_set("<!--<loc>b</loc>-->"), &[]);
        assert_urls(&in_set("<loc> </loc><loc/>"), &[("", ""), ("", "<loc/>")]);
        assert_urls("<?xml version='1.0'?><!--a--> <s:urlset xmlns:s='x'/> ", &[]);
    }

    #[test]
    fn a_url_of_a_text_is_a_line() {
        let text = "\u{feff}http://h/a\r\n\n  http://h/a b \nc";
        let mut found = Vec::new();
        let read = SitemapSyntax::Text.visit_urls(text.as_bytes(), |_, url, span| {
            assert_eq!(url, &text[span]);
            found.push(url.to_owned());
        });
        assert_eq!(
            (read, found),
            (Ok(SitemapKind::Urls), ["http://h/a", "http://h/a b", "c"].map(str::to_owned).into())
        );
    }

    #[test]
    fn the_name_says_the_syntax() {
        assert_eq!(SitemapSyntax::from_name(b"maps/A.XML"), Some(SitemapSyntax::Xml));
        assert_eq!(SitemapSyntax::from_name(b"a.xml.gz"), Some(SitemapSyntax::Xml));
        assert_eq!(SitemapSyntax::from_name(b"a.txt"), Some(SitemapSyntax::Text));
        assert_eq!(SitemapSyntax::from_name(b"a.txt.GZ"), Some(SitemapSyntax::Text));
        assert_eq!(SitemapSyntax::from_name(b"feed.rss"), None);
    }

    #[test]
    fn what_is_no_xml_is_reported() {
        let read = SitemapSyntax::Xml.visit_urls(b"<urlset><loc>b</urlset>", |_, _, _| {});
        assert!(read.unwrap_err().starts_with("it is not XML: "));
        let assert_refuses = |source: &[u8], why: &str| {
            let read = SitemapSyntax::Xml.visit_urls(source, |_, _, _| {});
            assert_eq!(read, Err(why.to_owned()), "{source:?}");
        };
        assert_refuses(b"<urlset><loc>&b;c</loc></urlset>", "&b; is not known, at byte 13");
        assert_refuses(b"<urlset><loc>\xe9</loc></urlset>", "it is not UTF-8, at byte 13");
        assert_refuses(b"\xff\xfe<\0a\0", "it is not UTF-8, at byte 0");
        assert_refuses(b"garbage", "it is not XML: text outside of an element, at byte 0");
        assert_refuses(b"<urlset/><urlset/>", "it is not XML: a second root element, at byte 9");
        assert_refuses(b"<urlset><url><loc>b", "it is incomplete: it ends inside of an element");
        assert_refuses(
            b"<html><loc>b",
            "its root element is <html>, expected <urlset> or <sitemapindex>",
        );
        assert_refuses(b"<!--a-->", "it has no element, expected <urlset> or <sitemapindex>");
        assert_refuses(b"\xef\xbb\xbf \n", "it is empty, expected the URLs of pages");
    }

    #[test]
    fn the_root_says_the_kind() {
        let kind = |source: &str| SitemapSyntax::Xml.visit_urls(source.as_bytes(), |_, _, _| {});
        assert_eq!(kind("<s:sitemapindex xmlns:s='x'/>"), Ok(SitemapKind::Index));
        assert_eq!(kind("<rss><channel/></rss>"), Ok(SitemapKind::Feed));
        assert_eq!(kind("<feed/>"), Ok(SitemapKind::Feed));
    }
}
