//! A document that is scanned: its candidates and its base.

use super::page::Page;
use crate::base::BaseLayer;
use crate::encoding::{Confidence, Detected};
use crate::error::Error;
use crate::learn;
use crate::link::{BasePlace, BaseTag, ConditionalComments, Document, LinkPass, Settings, Syntax};
use crate::scan::xml::XmlCandidates;
use crate::scan::{
    Attribute, Candidates, Comments, Interest, Placement, ScanOptions, Styles, attributes_of,
    hides_markup, places_of,
};

/// What is kept from one document to the next, so that its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct SpliceBuffers {
    pub(super) candidates: Candidates,
    pub(super) xml: XmlCandidates,
}

/// A document in its encoding; its candidates are in the buffers that it was scanned with.
pub(crate) struct Scanned<'s, 'w> {
    pub(super) page: Page<'s>,
    /// Those of an earlier document if this one is not HTML.
    pub(super) candidates: &'w Candidates,
    /// Those of an earlier document if this one is not XML.
    pub(super) xml: &'w XmlCandidates,
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
    settings: &Settings,
    interest: &Interest,
    buffers: &mut SpliceBuffers,
) -> bool {
    let SpliceBuffers { candidates, .. } = buffers;
    if text.starts_with("<?xml") {
        candidates.scan(text.as_bytes(), interest, options(settings, interest));
        return hides_markup(text.as_bytes(), candidates);
    }
    false
}

/// Scans a document, in the encoding that it turns out to be in; nothing where that is one which
/// no decoder reads.
pub(crate) fn scan<'s, 'w>(
    source: &'s [u8],
    (mut detected, confidence): (Detected, Confidence),
    settings: &Settings,
    interest: &'w Interest,
    buffers: &'w mut SpliceBuffers,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    let SpliceBuffers { candidates, xml } = buffers;
    let mut options = ScanOptions { confidence, ..options(settings, interest) };
    loop {
        if detected.is_replacement() {
            return Ok((detected, None));
        }
        let page = Page::new(source, detected)?;
        candidates.scan(page.bytes(), interest, options);
        let Some(changed) = candidates.declared.and_then(|declared| detected.change(declared))
        else {
            let syntax = Syntax::Html;
            return Ok((detected, Some(Scanned { page, candidates, xml, interest, syntax })));
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
    let SpliceBuffers { candidates, xml } = buffers;
    let syntax = Syntax::Css;
    Ok((detected, Some(Scanned { page, candidates, xml, interest, syntax })))
}

/// The `base` elements with an `href`, in the order of the source.
pub(super) fn base_tags(page: &Page<'_>, candidates: &Candidates) -> Vec<BaseTag> {
    if candidates.bases.is_empty() {
        return Vec::new();
    }
    let places = places_of(page.bytes(), &candidates.bases);
    let tags = candidates.bases.iter().zip(places).filter_map(|(&start, place)| {
        Some(BaseTag {
            href: page.source_range(href(page, start)?.value),
            place: match place {
                Placement::Head => BasePlace::Head,
                Placement::Body => BasePlace::Body,
                Placement::Template => BasePlace::Template,
            },
            counts: candidates.base == Some(start),
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
    let href = base_href(page, candidates);
    let place = candidates.base.map(|base| page.place(base as usize));
    learn::document(href.as_deref(), below, pass, place)
}

/// What a scan is to find in a document whose encoding is certain.
pub(super) fn options(settings: &Settings, interest: &Interest) -> ScanOptions {
    ScanOptions {
        scope: settings.base_scope,
        comments: match settings.comments {
            ConditionalComments::Closed => Comments::Skip,
            ConditionalComments::Open => Comments::Keep,
        },
        styles: if interest.has_styles() { Styles::Keep } else { Styles::Skip },
        confidence: Confidence::Certain,
    }
}

/// The `href` of the `base` element that counts.
pub(super) fn base_href(page: &Page<'_>, candidates: &Candidates) -> Option<String> {
    Some(page.value(href(page, candidates.base?)?.value).into_owned())
}

/// The `href` of the tag that begins at `start`.
fn href(page: &Page<'_>, start: u32) -> Option<Attribute> {
    let bytes = page.bytes();
    let (attributes, _) = attributes_of(bytes, start as usize + 1);
    attributes.into_iter().find(|one| bytes[one.name.clone()].eq_ignore_ascii_case(b"href"))
}
