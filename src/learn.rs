//! The retrieval URL that a saved page records: [RFC 1808 section 3.3][rfc] without a
//! network.
//!
//! Programs that save pages record their URL: browsers, `SingleFile`, `HTTrack` and monolith in a
//! comment, `WebScrapBook` in an attribute, archives in a `link` element. The kinds take precedence
//! in the order of [`Learn::SOURCES`], and within a kind the first usable URL counts. A page is
//! untrusted: only http: and https: URLs count, and only its beginning is read.
//!
//! [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-3.3

mod comments;
mod page;

use std::borrow::Cow;

use page::UrlHint;

use crate::base::{BaseHref, BaseLayer, BaseSource, Learn, Learned, NotLearned};
use crate::encoding::Head;
use crate::error::{Error, Limit, Limits, Location};
use crate::link::{BaseOwner, Document, LinkPass};
use crate::url::{Base, clean, masked};

/// The place where a URL was recorded.
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

/// The text that Internet Explorer's mark has in place of an unknown URL.
const NO_URL: &str = "http://internet.e-mail";

/// Checks that a recorded URL is usable as a base and at most `max` bytes long (0 means no limit).
#[doc(hidden)]
pub fn usable(url: &str, source: HintSource, max: usize) -> Result<Base, Error> {
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
    if sources.clone().next().is_none() || !may_say(head) {
        return learned;
    }
    let said = page::said(&head.text());
    for &source in sources {
        for UrlHint { url, .. } in said.iter().filter(|hint| hint.source == source) {
            // HTTrack writes UTF-8, but keeps the rest of the page in its encoding.
            let is_utf_8 = source == BaseSource::Httrack;
            let url = if is_utf_8 { head.in_utf_8(url) } else { Cow::Borrowed(url.as_str()) };
            match usable(&url, HintSource::Page, max) {
                Ok(base) => {
                    learned.layer = BaseLayer::new(Some(base), source);
                    return learned;
                }
                // A page may have thousands of URLs of the same kind.
                Err(_) if learned.refused.last().is_some_and(|last| last.source() == source) => {}
                Err(error) => learned.refused.push(NotLearned::new(source, error)),
            }
        }
    }
    learned
}

fn may_say(head: Head<'_>) -> bool {
    page::may_say(&head.scannable())
}

/// Creates a document from the `href` of its first `base` element with an `href`, at this place. A
/// usable `href` outside the head is reported.
///
/// Browsers add `<base href=".">` to saved pages, for the files that they save next to the page. If
/// their mark is there too, the element is not the page's own.
pub(crate) fn document(
    href: Option<BaseHref>,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
    place: Option<Location>,
) -> Result<Document, Error> {
    let is_savers = href.as_ref().is_some_and(|href| clean(&href.text) == ".") && is_saved(pass);
    let owner = if is_savers { BaseOwner::Browser } else { BaseOwner::Page };
    let href = href.filter(|_| !is_savers);
    let own = href.as_ref().filter(|href| href.counts).map(|href| &*href.text);
    let document = Document::new(own, below, pass.encoding, pass.settings, place)?;
    let mut document = document.with_base_use(pass.base_use, own, pass.settings);
    document.base_owner = owner;
    if let Some(BaseHref { text, counts: false }) = href {
        document.established.reject_outside_head(&text, pass.settings.standard);
    }
    Ok(document)
}

/// Whether a page has the mark of a browser, whatever URL that names.
fn is_saved(pass: &LinkPass<'_>) -> bool {
    let Some(head) = pass.head.filter(|_| pass.settings.learn.has(BaseSource::SavedFrom)) else {
        return false;
    };
    may_say(head)
        && page::said(&head.text()).iter().any(|hint| hint.source == BaseSource::SavedFrom)
}

#[cfg(test)]
mod tests;
