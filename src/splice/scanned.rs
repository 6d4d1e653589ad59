//! A document that is scanned: its candidates and its base.

use super::page::Page;
use crate::base::{BaseHref, BaseLayer};
use crate::encoding::{Confidence, Detected, of_text};
use crate::error::Error;
use crate::learn;
use crate::link::{BasePlace, BaseTag, Document, LinkPass, Settings, Syntax};
use crate::scan::json::{FeedString, scan_feed};
use crate::scan::xml::XmlCandidates;
use crate::scan::{
    Attribute, BaseElement, Candidates, Interest, Placement, Rules, ScanOptions, Styles, all_bases,
    attributes_of, hides_markup,
};

/// What is kept from one document to the next, so that its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct SpliceBuffers {
    pub(super) candidates: Candidates,
    pub(super) xml: XmlCandidates,
    pub(super) json: Vec<FeedString>,
}

/// A document in its encoding; its candidates are in the buffers that it was scanned with.
pub(crate) struct Scanned<'s, 'w> {
    pub(super) page: Page<'s>,
    /// Those of an earlier document if this one is not HTML.
    pub(super) candidates: &'w Candidates,
    /// Those of an earlier document if this one is not XML.
    pub(super) xml: &'w XmlCandidates,
    /// Those of an earlier document if this one is no JSON Feed.
    pub(super) json: &'w [FeedString],
    pub(super) interest: &'w Interest,
    pub(super) syntax: Syntax,
}

impl Scanned<'_, '_> {
    /// Whether HTML takes its markup for the text of a script that XML closes.
    pub(crate) fn hides_markup(&self) -> bool {
        self.syntax == Syntax::Html && hides_markup(self.page.bytes(), self.candidates)
    }
}

/// The same of a decoded document, which the other engine reads.
#[cfg(feature = "dom")]
pub(crate) fn hides_markup_in(
    text: &str,
    interest: &Interest,
    buffers: &mut SpliceBuffers,
) -> bool {
    let SpliceBuffers { candidates, .. } = buffers;
    if text.starts_with("<?xml") {
        candidates.scan(text.as_bytes(), interest, options(interest));
        return hides_markup(text.as_bytes(), candidates);
    }
    false
}

/// Scans a document, in the encoding that it turns out to be in; nothing where that is one which
/// no decoder reads.
pub(crate) fn scan<'s, 'w>(
    source: &'s [u8],
    (mut detected, confidence): (Detected, Confidence),
    interest: &'w Interest,
    buffers: &'w mut SpliceBuffers,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    let SpliceBuffers { candidates, xml, json } = buffers;
    let mut options = ScanOptions { confidence, ..options(interest) };
    loop {
        if detected.is_replacement() {
            return Ok((detected, None));
        }
        let page = Page::new(source, detected)?;
        candidates.scan(page.bytes(), interest, options);
        let Some(changed) = candidates.declared.and_then(|declared| detected.change(declared))
        else {
            let syntax = Syntax::Html;
            return Ok((detected, Some(Scanned { page, candidates, xml, json, interest, syntax })));
        };
        (detected, options.confidence) = (changed, Confidence::Certain);
    }
}

/// A style sheet in its encoding, which has no tags to scan; nothing where no decoder reads it.
pub(crate) fn stylesheet<'s, 'w>(
    source: &'s [u8],
    detected: Detected,
    interest: &'w Interest,
    buffers: &'w mut SpliceBuffers,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    if detected.is_replacement() {
        return Ok((detected, None));
    }
    let page = Page::new(source, detected)?;
    let SpliceBuffers { candidates, xml, json } = buffers;
    let syntax = Syntax::Css;
    Ok((detected, Some(Scanned { page, candidates, xml, json, interest, syntax })))
}

/// A JSON Feed, which is an error where it is no JSON, or no feed.
pub(crate) fn json_feed<'s, 'w>(
    source: &'s [u8],
    interest: &'w Interest,
    buffers: &'w mut SpliceBuffers,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    let detected = of_text(source);
    let page = Page::new(source, detected)?;
    let SpliceBuffers { candidates, xml, json } = buffers;
    let read = scan_feed(page.bytes(), json);
    read.map_err(|fault| fault.into_error(page.bytes()).of_json())?;
    let syntax = Syntax::JsonFeed;
    Ok((detected, Some(Scanned { page, candidates, xml, json, interest, syntax })))
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
    let tags = all_bases(Rules::Scripting, page.bytes()).into_iter().filter_map(|base| {
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

/// A document with its base.
pub(super) fn established(
    page: &Page<'_>,
    candidates: &Candidates,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
) -> Result<Document, Error> {
    let place = candidates.base.map(|base| page.place(base.start));
    learn::document(base_href(page, candidates.base, pass.settings), below, pass, place)
}

/// The `href` of the first `base` element of a document that is text.
#[cfg(feature = "dom")]
pub(crate) fn base_href_in(text: &str, settings: &Settings) -> Option<BaseHref> {
    base_href(&Page::of_text(text), crate::scan::first_base(text.as_bytes()), settings)
}

/// What a scan is to find in a document whose encoding is certain.
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
    let (attributes, _) = attributes_of(bytes, base.start + 1);
    attributes.into_iter().find(|one| bytes[one.name.clone()].eq_ignore_ascii_case(b"href"))
}
