//! A scanned document: its candidates and its base.

use super::page::Page;

use crate::base::{BaseHref, BaseLayer};
use crate::encoding::{self, Confidence};
use crate::error::Error;
use crate::learn;
use crate::link::{BasePlace, BaseTag, Document, LinkPass, Settings, Syntax};
use crate::scan::json::FeedString;
#[cfg(feature = "markdown")]
use crate::scan::markdown::MarkdownLinks;
use crate::scan::xml::XmlCandidates;
use crate::scan::{
    Attribute, BaseElement, Candidates, Interest, Placement, ScanOptions, Styles, find_all_bases,
    hides_markup, read_attributes,
};

/// Buffers that are reused from one document to the next. A scan does not clear those of other
/// syntaxes.
#[derive(Debug, Default)]
pub(crate) struct SpliceBuffers {
    /// The attributes of HTML, and of the HTML in Markdown.
    pub(super) candidates: Candidates,
    pub(super) xml: XmlCandidates,
    pub(super) json: Vec<FeedString>,
    #[cfg(feature = "markdown")]
    pub(super) markdown: MarkdownLinks,
}

/// A document in its encoding, and the buffers with the results of its scan.
pub(crate) struct Scanned<'s, 'w> {
    pub(super) page: Page<'s>,
    pub(super) buffers: &'w SpliceBuffers,
    pub(super) interest: &'w Interest,
    pub(super) syntax: Syntax,
    /// Whether the encoding is inferred from the bytes alone: no element of a page declares it.
    pub(super) is_tentative: bool,
}

impl Scanned<'_, '_> {
    /// Whether browsers guess the encoding of a page: no `meta` element, XML declaration, byte
    /// order mark or caller names it.
    pub(crate) fn is_encoding_guessed(&self) -> bool {
        self.is_tentative && !encoding::declares(self.page.source())
    }

    /// Whether HTML reads markup as the text of a script that XML closes.
    pub(crate) fn hides_markup(&self) -> bool {
        self.syntax == Syntax::Html && hides_markup(self.page.bytes(), &self.buffers.candidates)
    }
}

/// [`Scanned::hides_markup`] for a decoded document of the DOM engine.
pub(crate) fn hides_markup_in(
    text: &str,
    interest: &Interest,
    buffers: &mut SpliceBuffers,
) -> bool {
    text.starts_with("<?xml") && {
        buffers.candidates.scan(text.as_bytes(), interest, options(interest));
        hides_markup(text.as_bytes(), &buffers.candidates)
    }
}

/// The `base` elements with an `href`, in the order of the source.
pub(super) fn base_tags(
    page: &Page<'_>,
    candidates: &Candidates,
    settings: &Settings,
) -> Vec<BaseTag> {
    if !candidates.has_base {
        return Vec::new();
    }
    let own = candidates.base.filter(|base| base.counts(settings.base_scope));
    let bases = find_all_bases(page.bytes()).into_iter();
    let tags = bases.filter(|base| !base.is_in_noscript).filter_map(|base| {
        Some(BaseTag {
            href: page.source_range(href(page, base)?.value),
            place: match base.place {
                Placement::Head => BasePlace::Head,
                Placement::Body => BasePlace::Body,
                Placement::Template => BasePlace::Template,
            },
            counts: own.is_some_and(|own| own.start == base.start),
        })
    });
    tags.collect()
}

/// Determines the base of a document.
pub(super) fn established(
    page: &Page<'_>,
    candidates: &Candidates,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
) -> Result<Document, Error> {
    let place = candidates.base.map(|base| page.place(base.start));
    learn::document(base_href(page, candidates.base, pass.settings), below, pass, place)
}

/// The `href` of the first `base` element of a decoded document.
pub(crate) fn base_href_in(text: &str, settings: &Settings) -> Option<BaseHref> {
    base_href(&Page::of_text(text), crate::scan::find_first_base(text.as_bytes()), settings)
}

/// The options for scanning a document whose encoding is certain.
pub(super) fn options(interest: &Interest) -> ScanOptions {
    ScanOptions {
        styles: if interest.has_styles() { Styles::Keep } else { Styles::Skip },
        confidence: Confidence::Certain,
    }
}

/// The `href` of the first `base` element.
pub(super) fn base_href(
    page: &Page<'_>,
    base: Option<BaseElement>,
    settings: &Settings,
) -> Option<BaseHref> {
    let base = base?;
    let text = page.value(href(page, base)?.value).into_owned();
    Some(BaseHref { text, counts: base.counts(settings.base_scope) })
}

fn href(page: &Page<'_>, base: BaseElement) -> Option<Attribute> {
    let bytes = page.bytes();
    let (attributes, _) = read_attributes(bytes, base.start + 1);
    attributes.into_iter().find(|one| bytes[one.name.clone()].eq_ignore_ascii_case(b"href"))
}
