//! Which files are sitemaps, and the URLs in one: XML, or a text with one URL a line.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::audit::context::AuditContext;
use crate::audit::context::requests::Requesters;

/// The syntax of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Xml,
    /// [One URL a line](https://www.sitemaps.org/protocol.html#otherformats).
    Text,
}

impl Syntax {
    /// The syntax of a file of the site, by its number.
    pub(super) fn of_file(context: &AuditContext<'_>, file: usize) -> Option<Self> {
        context.site.files().get(file).and_then(|(path, _)| Self::of_name(path))
    }

    /// The syntax of a file with this name; `None` if it is no sitemap that is read.
    fn of_name(name: &[u8]) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(b".gz").unwrap_or(&name);
        match () {
            () if name.ends_with(b".xml") => Some(Self::Xml),
            () if name.ends_with(b".txt") => Some(Self::Text),
            () => None,
        }
    }

    /// Calls `visit` with each URL, and the bytes that hold it.
    ///
    /// # Errors
    ///
    /// If the source does not have this syntax, after the URLs before that.
    pub(super) fn each_url(
        self,
        source: &[u8],
        visit: impl FnMut(&str, Range<usize>),
    ) -> Result<(), String> {
        // The protocol asks for UTF-8.
        let text = std::str::from_utf8(source)
            .map_err(|error| format!("it is not UTF-8, at byte {}", error.valid_up_to()))?;
        match self {
            Self::Xml => each_loc(source, visit),
            Self::Text => {
                each_line(text, visit);
                Ok(())
            }
        }
    }
}

/// Whether a sitemap with this number is read: its name says so, and the user does not exclude it.
pub(super) fn is_audited(context: &AuditContext<'_>, file: usize) -> bool {
    Syntax::of_file(context, file).is_some() && !context.site.is_excluded(file)
}

/// Records the request of a crawler for a sitemap, to which no link of a page has to lead.
pub(super) fn request(context: &AuditContext<'_>, file: usize) {
    if !context.is_page(file) {
        context.state.requests.link(file, Requesters::one(0, 1));
    }
}

/// Calls `visit` with each line that is not empty.
fn each_line(text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
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
/// If it is not XML, or has an undefined entity, after the URLs before that.
fn each_loc(source: &[u8], mut visit: impl FnMut(&str, Range<usize>)) -> Result<(), String> {
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
        let read = Syntax::Xml.each_url(source.as_bytes(), |url, span| {
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
    fn a_url_of_a_text_is_a_line() {
        let text = "\u{feff}http://h/a\r\n\n  http://h/a b \nc";
        let mut found = Vec::new();
        let read = Syntax::Text.each_url(text.as_bytes(), |url, span| {
            assert_eq!(url, &text[span]);
            found.push(url.to_owned());
        });
        assert_eq!(
            (read, found),
            (Ok(()), ["http://h/a", "http://h/a b", "c"].map(str::to_owned).into())
        );
    }

    #[test]
    fn the_name_says_the_syntax() {
        assert_eq!(Syntax::of_name(b"maps/A.XML"), Some(Syntax::Xml));
        assert_eq!(Syntax::of_name(b"a.xml.gz"), Some(Syntax::Xml));
        assert_eq!(Syntax::of_name(b"a.txt"), Some(Syntax::Text));
        assert_eq!(Syntax::of_name(b"a.txt.GZ"), Some(Syntax::Text));
        assert_eq!(Syntax::of_name(b"feed.rss"), None);
    }

    #[test]
    fn what_is_no_xml_is_reported() {
        let read = Syntax::Xml.each_url(b"<a><loc>b</a>", |_, _| {});
        assert!(read.unwrap_err().starts_with("it is not XML: "));
        let refuses = |source: &[u8], why: &str| {
            assert_eq!(Syntax::Xml.each_url(source, |_, _| {}), Err(why.to_owned()), "{source:?}");
        };
        refuses(b"<a><loc>&b;c</loc></a>", "&b; is not known, at byte 8");
        refuses(b"<a><loc>\xe9</loc></a>", "it is not UTF-8, at byte 8");
        refuses(b"\xff\xfe<\0a\0", "it is not UTF-8, at byte 0");
    }
}
