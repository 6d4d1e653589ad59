//! Learns the retrieval URL of [RFC 1808 section 3.3][rfc] from what a saved page records.
//!
//! Programs that save pages record their URL: browsers, `SingleFile`, `HTTrack` and monolith in a
//! comment, `WebScrapBook` in an attribute, archives in a `link` element. The kinds take precedence
//! in the order of [`Learn::SOURCES`]; within a kind, the first usable URL wins. A page is
//! untrusted: only http: and https: URLs are learned, and only its beginning is read.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.3

mod page;

use std::borrow::Cow;

use page::UrlHint;

use crate::base::{BaseHref, BaseLayer, BaseSource, Learn, Learned, NotLearned};
use crate::encoding::Head;
use crate::error::{Error, Limit, Limits, Location};
use crate::link::{BaseOwner, Document, LinkPass};
use crate::url::{Base, clean, masked};

/// The origin of a recorded URL, which decides on the schemes that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HintSource {
    /// In the page, which is untrusted.
    Page,
    /// With the file, by the program that fetched it.
    File,
}

impl HintSource {
    fn schemes(self) -> &'static [&'static str] {
        match self {
            Self::Page => &["http", "https"],
            Self::File => &["http", "https", "ftp"],
        }
    }
}

/// The placeholder for an unknown URL in the mark of Internet Explorer.
const NO_URL: &str = "http://internet.e-mail";

/// Checks that a recorded URL is usable as a base and at most `max` bytes long (0 means no limit).
#[doc(hidden)]
pub fn parse_recorded_url(url: &str, source: HintSource, max: usize) -> Result<Base, Error> {
    if Limits::exceeds(max, url.len()) {
        return Err(Error::limit(Limit::BaseUrl, max, None));
    }
    let base = Base::new(url)?;
    let refused = |why: &str| Error::unusable_base(&masked(base.as_str()), why);
    let scheme = base.as_str().split(':').next().unwrap_or_default();
    let schemes = source.schemes();
    if !schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        let expected = schemes.join(" or ");
        return Err(refused(&format!("only {expected} URLs are learned")));
    }
    if base.as_str().trim_end_matches('/').eq_ignore_ascii_case(NO_URL) {
        return Err(refused("it is a placeholder, not a URL"));
    }
    Ok(base)
}

/// Learns the retrieval URL of a page from its beginning.
pub(crate) fn learn(head: Head<'_>, wanted: Learn, max: usize) -> Learned {
    let mut learned = Learned::default();
    let sources = Learn::IN_PAGES.iter().filter(|&&source| wanted.has(source));
    if sources.clone().next().is_none() || !may_record_url(head) {
        return learned;
    }
    let hints = page::find_hints(&head.text());
    for &source in sources {
        for UrlHint { url, .. } in hints.iter().filter(|hint| hint.source == source) {
            // HTTrack writes UTF-8, but keeps the rest of the page in its encoding.
            let is_utf_8 = source == BaseSource::Httrack;
            let url = if is_utf_8 { head.decode_utf_8(url) } else { Cow::Borrowed(url.as_str()) };
            match parse_recorded_url(&url, HintSource::Page, max) {
                Ok(base) => {
                    learned.layer = BaseLayer::new(Some(base), source);
                    return learned;
                }
                // A page may have thousands of URLs of a kind, so only one refusal is kept.
                Err(_) if learned.refused.last().is_some_and(|last| last.source() == source) => {}
                Err(error) => learned.refused.push(NotLearned::new(source, error)),
            }
        }
    }
    learned
}

fn may_record_url(head: Head<'_>) -> bool {
    page::may_record_url(&head.scannable())
}

/// Creates a document from its first `base` element with an `href`, which is at `location`. Reports
/// a usable `href` outside the head.
///
/// Browsers add `<base href=".">` to saved pages, for the files that they save next to the page. If
/// their mark is there too, the element is not the page's own.
pub(crate) fn open_document(
    href: Option<BaseHref>,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
    location: Option<Location>,
) -> Result<Document, Error> {
    let is_of_browser =
        href.as_ref().is_some_and(|href| clean(&href.text) == ".") && is_saved(pass);
    let owner = if is_of_browser { BaseOwner::Browser } else { BaseOwner::Page };
    let href = href.filter(|_| !is_of_browser);
    let effective = href.as_ref().filter(|href| href.counts).map(|href| &*href.text);
    let document = Document::new(effective, below, pass.encoding, pass.settings, location)?;
    let mut document = document.with_base_use(pass.base_use, effective, pass.settings);
    document.base_owner = owner;
    if let Some(BaseHref { text, counts: false }) = href {
        document.established.reject_outside_head(&text, pass.settings.standard);
    }
    Ok(document)
}

/// Whether a browser left its mark in the page, whatever URL the mark names.
fn is_saved(pass: &LinkPass<'_>) -> bool {
    let Some(head) = pass.head.filter(|_| pass.settings.learn.has(BaseSource::SavedFrom)) else {
        return false;
    };
    may_record_url(head)
        && page::find_hints(&head.text()).iter().any(|hint| hint.source == BaseSource::SavedFrom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{self, for_label};

    const MAX: usize = 8192;

    /// The URL and the source learned from a page in an encoding, and the rejected URLs.
    fn learn_from(
        page: &[u8],
        label: &str,
        wanted: Learn,
    ) -> (Option<String>, &'static str, Vec<String>) {
        let detected = encoding::detect(page, Some(for_label(label).unwrap()));
        let Learned { layer, refused } = learn(Head::new(page, detected), wanted, MAX);
        let refused = refused.iter().map(ToString::to_string).collect();
        (layer.base().map(|base| base.as_str().to_owned()), layer.source().name(), refused)
    }

    #[track_caller]
    fn teaches(page: &str, source: &str, url: &str) {
        let (base, kind, _) = learn_from(page.as_bytes(), "utf-8", Learn::ALL);
        assert_eq!((base.as_deref(), kind), (Some(url), source), "{page:?}");
    }

    /// Asserts that the only URL of a page is refused for this reason.
    #[track_caller]
    fn refuses(page: &str, source: &str, why: &str) {
        let (base, kind, refused) = learn_from(page.as_bytes(), "utf-8", Learn::ALL);
        assert_eq!((base, kind), (None, "none"), "{page:?}");
        let [only] = &refused[..] else { panic!("{page:?} {refused:?}") };
        assert!(only.starts_with(&format!("{source} does not count: ")), "{only}");
        assert!(only.ends_with(why), "{only}");
    }

    fn mark(url: &str) -> String {
        format!("<!-- saved from url=({:04}){url} -->", url.len())
    }

    const SINGLEFILE: &str = "<!--\n Page saved with SingleFile \n url: http://single/ \n-->";
    const HTTRACK: &str = "<!-- Mirrored from httrack/ by HTTrack Website Copier/3.x -->";
    const MONOLITH: &str = "<!-- Saved from http://monolith/ at 2024 using monolith v2 -->";
    const SCRAPBOOK: &str = "<html data-scrapbook-source=http://scrapbook/>";
    const ORIGINAL: &str = "<link rel=original href=http://original/>";

    #[test]
    fn kinds_count_in_their_order() {
        // The page has them in the reverse order.
        let page =
            [ORIGINAL, SCRAPBOOK, MONOLITH, HTTRACK, SINGLEFILE, &mark("http://mark/")].concat();
        let mut wanted = Learn::ALL;
        for (source, url) in [
            (BaseSource::SavedFrom, "http://mark/"),
            (BaseSource::SingleFile, "http://single/"),
            (BaseSource::Httrack, "http://httrack/"),
            (BaseSource::Monolith, "http://monolith/"),
            (BaseSource::WebScrapBook, "http://scrapbook/"),
            (BaseSource::Original, "http://original/"),
        ] {
            for wanted in [wanted, Learn::NONE.with(source)] {
                let (base, kind, _) = learn_from(page.as_bytes(), "utf-8", wanted);
                assert_eq!((base.as_deref(), kind), (Some(url), source.name()));
            }
            let rest = Learn::SOURCES.iter().skip_while(|&&other| other != source).skip(1);
            wanted = rest.fold(Learn::NONE, |set, &other| set.with(other));
        }
        assert_eq!(learn_from(page.as_bytes(), "utf-8", wanted).1, "none");
    }

    #[test]
    fn the_first_usable_url_of_a_kind_counts() {
        teaches(&[mark("http://a/"), mark("http://b/")].concat(), "saved-from", "http://a/");
        teaches(&[mark("file:///x"), mark("http://b/")].concat(), "saved-from", "http://b/");
        teaches(
            &[mark("about:blank"), ORIGINAL.to_owned()].concat(),
            "original",
            "http://original/",
        );
        let (_, _, refused) =
            learn_from(mark("about:blank").repeat(1000).as_bytes(), "utf-8", Learn::ALL);
        assert_eq!(refused.len(), 1);
    }

    #[test]
    fn a_page_names_nothing_but_http() {
        teaches(&mark("HTTPS://h/a"), "saved-from", "HTTPS://h/a");
        teaches(&mark("http://user:secret@h/"), "saved-from", "http://user:secret@h/");
        refuses(&mark("file:///etc/passwd"), "saved-from", "only http or https URLs are learned");
        refuses(&mark("ftp://h/"), "saved-from", "only http or https URLs are learned");
        refuses(
            &mark("javascript:alert(1)"),
            "saved-from",
            "no reference resolves against javascript: URLs",
        );
        refuses(&mark("about:internet"), "saved-from", "no reference resolves against about: URLs");
        refuses(&mark("http://internet.e-mail"), "saved-from", "it is a placeholder, not a URL");
        refuses(&mark("http://[::1/"), "saved-from", "invalid IPv6 address");
        refuses("<link rel=original href=/a>", "original", "such as http://host/");
        refuses(&HTTRACK.replace("httrack/", "javascript:x"), "httrack", "invalid port number");
        refuses(
            &mark(&format!("http://h/{}", "a".repeat(MAX))),
            "saved-from",
            "the limit for base URLs",
        );
    }

    #[test]
    fn only_the_beginning_is_read() {
        let filler = |length: usize| format!("<p>{}</p>", "x".repeat(length));
        teaches(&(filler(Head::LENGTH - 100) + &mark("http://h/")), "saved-from", "http://h/");
        let nothing =
            |page: String| assert_eq!(learn_from(page.as_bytes(), "utf-8", Learn::ALL).1, "none");
        nothing(filler(Head::LENGTH) + &mark("http://h/"));
        nothing(filler(Head::LENGTH - 30) + &mark("http://h/"));
        nothing(format!("<!--{}-->{}", "x".repeat(10 << 20), mark("http://h/")));
        nothing(format!("<!-- saved from url=(0009)http://h/{} -->", "x".repeat(10 << 20)));
    }

    #[test]
    fn every_encoding_is_read() {
        let page = format!("<html>{}", mark("http://h/\u{e9}"));
        let in_utf_16: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, label) in [
            (page.as_bytes().to_vec(), "utf-8"),
            ([b"\xef\xbb\xbf", page.as_bytes()].concat(), "utf-8"),
            (page.chars().map(|character| character as u8).collect(), "windows-1252"),
            (in_utf_16.clone(), "utf-16le"),
            ([&b"\xff\xfe"[..], &in_utf_16].concat(), "utf-8"),
        ] {
            let (base, source, _) = learn_from(&bytes, label, Learn::ALL);
            assert_eq!(
                (base.as_deref(), source),
                (Some("http://h/\u{e9}"), "saved-from"),
                "{label}"
            );
        }
        // A byte that is not a character in Shift_JIS does not consume the `<` after it.
        let page = [b"\x83", mark("http://h/").as_bytes()].concat();
        assert_eq!(learn_from(&page, "shift_jis", Learn::ALL).1, "saved-from");
    }

    #[test]
    fn httrack_writes_utf_8_into_every_page() {
        let mark = HTTRACK.replace("httrack/", "h/\u{e9}/\u{4e2d} \u{6587}.html");
        let page = [mark.as_bytes(), b"<p>\xe9"].concat();
        for label in ["windows-1252", "windows-1251", "utf-8"] {
            let (base, source, _) = learn_from(&page, label, Learn::ALL);
            let expected = "http://h/\u{e9}/\u{4e2d}%20\u{6587}.html";
            assert_eq!((base.as_deref(), source), (Some(expected), "httrack"), "{label}");
        }
        let (base, ..) =
            learn_from(b"<!-- Mirrored from h/\xe9 by HTTrack -->", "windows-1252", Learn::ALL);
        assert_eq!(base.as_deref(), Some("http://h/\u{e9}"));
    }
}
