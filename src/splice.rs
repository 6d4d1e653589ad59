//! The splice engine: the source with edits applied, and every other byte as it
//! was.
//!
//! A scan finds the attributes that may hold references and the base; then each
//! of them is decided on, in the order of the source, and what changes goes into
//! the output with the bytes between. What is written for a reference is the
//! least that can be: mostly a prefix in front of it.
//!
//! A scan can meet a `meta` element that declares another encoding than the document is
//! read in; it is scanned once more then, in that one.
//!
//! Documents whose bytes can be scanned as they are, in UTF-8 and in encodings of
//! one byte a character, are. The others are decoded first, with a map back.

mod page;
mod sites;
mod style;
mod value;
mod write;

use std::ops::Range;

use crate::base::{Established, Layer};
use crate::edit::Edits;
#[cfg(feature = "files")]
use crate::edit::Patches;
use crate::encoding::{Confidence, Detected};
use crate::error::Error;
use crate::learn;
use crate::link::{
    BaseElement, BasePlace, BaseTag, ConditionalComments, Document, MARKERS, OwnBase, Run, Settings,
};
use crate::scan::{
    Attribute, Candidate, Candidates, Comments, Fact, Interest, Placement, Styles, Wanted,
    attributes_of, extents_of, places_of,
};

#[cfg(feature = "files")]
pub(crate) use page::Charset;
use page::Page;
use sites::Sites;
use write::{Output, Writer};

/// What is kept from one document to the next, so that its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    candidates: Candidates,
}

/// Whether a document is written with edits, or stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Yes,
    No,
}

/// A document in its encoding; its candidates are in the workspace that it was scanned with.
pub(crate) struct Scanned<'s, 'w> {
    page: Page<'s>,
    candidates: &'w Candidates,
    interest: &'w Interest,
}

/// Scans a document, in the encoding that it turns out to be in; nothing where that is one which
/// no decoder reads.
pub(crate) fn scan<'s, 'w>(
    source: &'s [u8],
    (mut detected, confidence): (Detected, Confidence),
    settings: &Settings,
    interest: &'w Interest,
    workspace: &'w mut Workspace,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    let candidates = &mut workspace.candidates;
    let mut wanted = Wanted { confidence, ..wanted(settings, interest) };
    loop {
        if detected.is_replacement() {
            return Ok((detected, None));
        }
        let page = Page::new(source, detected)?;
        candidates.scan(page.bytes(), interest, wanted);
        let Some(changed) = candidates.declared.and_then(|declared| detected.change(declared))
        else {
            return Ok((detected, Some(Scanned { page, candidates, interest })));
        };
        (detected, wanted.confidence) = (changed, Confidence::Certain);
    }
}

/// Decides on every link of a document, and writes it with the edits to `out`, or
/// nothing where there are none.
pub(crate) fn rewrite(
    scanned: &Scanned<'_, '_>,
    below: &Layer,
    run: &mut Run<'_>,
    out: &mut Vec<u8>,
) -> Result<(Established, Changed), Error> {
    out.clear();
    let page = &scanned.page;
    run.max_output = run.settings.limits.max_output(page.source().len());
    let mut writer = Writer::new(page, out, run.max_output);
    let established = document(scanned, below, run, &mut writer)?;
    Ok((established, writer.finish()?))
}

/// Decides on every link of a document, and returns the edits of its bytes, which bring nothing
/// but these characters into it.
#[cfg(feature = "files")]
pub(crate) fn patches(
    mut scanned: Scanned<'_, '_>,
    charset: Charset,
    below: &Layer,
    run: &mut Run<'_>,
) -> Result<(Established, Patches), Error> {
    scanned.page = scanned.page.with_charset(charset);
    let page = &scanned.page;
    run.max_output = run.settings.limits.max_output(page.source().len());
    let mut out = Vec::new();
    let mut collector = write::Collector::new(page, &mut out, run.max_output);
    let established = document(&scanned, below, run, &mut collector)?;
    Ok((established, collector.finish()))
}

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(
    scanned: &Scanned<'_, '_>,
    below: &Layer,
    run: &mut Run<'_>,
) -> Result<Established, Error> {
    document(scanned, below, run, &mut write::Nowhere)
}

/// The same, and tells of the document's anchors and `base` elements. Links inside an
/// element with a marker are left out.
pub(crate) fn inspect(
    scanned: &Scanned<'_, '_>,
    below: &Layer,
    run: &mut Run<'_>,
) -> Result<Established, Error> {
    let Scanned { page, candidates, interest } = scanned;
    let document = established(page, candidates, below, run)?;
    for mut base in base_tags(page, candidates) {
        base.counts &= document.own_base() == OwnBase::Counts;
        run.base(&base);
    }
    let is_marked = |one: &Candidate| interest.fact(one.name) == Some(Fact::Marker);
    let ignored = if candidates.list.iter().any(is_marked) {
        extents_of(page.bytes(), &MARKERS)
    } else {
        Vec::new()
    };
    let sites = Sites::new(page, &document, candidates, interest, run.settings);
    sites.ignoring(&ignored).each(run, &mut write::Nowhere)?;
    Ok(document.established)
}

/// The `base` elements with an `href`, in the order of the source.
fn base_tags(page: &Page<'_>, candidates: &Candidates) -> Vec<BaseTag> {
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

fn document(
    scanned: &Scanned<'_, '_>,
    below: &Layer,
    run: &mut Run<'_>,
    output: &mut dyn Output,
) -> Result<Established, Error> {
    let Scanned { page, candidates, interest } = scanned;
    let document = established(page, candidates, below, run)?;
    decide(page, &document, candidates, run, interest, output)?;
    Ok(document.established)
}

/// A document with its base.
fn established(
    page: &Page<'_>,
    candidates: &Candidates,
    below: &Layer,
    run: &Run<'_>,
) -> Result<Document, Error> {
    let href = base_href(page, candidates);
    let place = candidates.base.map(|base| page.place(base as usize));
    learn::document(href.as_deref(), below, run, place)
}

/// Decides on every link of a document inside a value, and gives the edits of its
/// text to `output` in order.
///
/// It calls itself for the documents inside that one, as deep as the limit on
/// `srcdoc` nesting allows.
fn nested(
    text: &str,
    outer: &Document,
    enclosing: Range<usize>,
    run: &mut Run<'_>,
    interest: &Interest,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let page = Page::of_text(text);
    // The limit goes first: what is too deep is not read.
    let inner = outer.nested(None, Some(enclosing.clone()), run)?;
    let mut candidates = Candidates::default();
    candidates.scan(page.bytes(), interest, wanted(run.settings, interest));
    let document = match base_href(&page, &candidates) {
        Some(href) => outer.nested(Some(&href), Some(enclosing), run)?,
        None => inner,
    };
    decide(&page, &document, &candidates, run, interest, output)
}

/// Decides on every candidate, and gives the edits to `output` in order.
fn decide(
    page: &Page<'_>,
    document: &Document,
    candidates: &Candidates,
    run: &mut Run<'_>,
    interest: &Interest,
    output: &mut dyn Output,
) -> Result<(), Error> {
    let sites = Sites::new(page, document, candidates, interest, run.settings);
    if run.settings.base_element != BaseElement::Remove || candidates.bases.is_empty() {
        return sites.each(run, output);
    }
    let mut edits = Edits::new(run.max_output, Some(page.place(0)));
    sites.each(run, &mut edits)?;
    for &base in &candidates.bases {
        sites.remove_base(base as usize, &mut edits)?;
    }
    edits.sort();
    write::pass(&edits, output)
}

/// Decides on the links in the text of a comment, and returns what becomes of it,
/// if it changes: the markup in a conditional comment is no part of a tree.
pub(crate) fn comment(
    text: &str,
    document: &Document,
    run: &mut Run<'_>,
    interest: &Interest,
) -> Result<Option<String>, Error> {
    let page = Page::of_text(text);
    let mut edits = Edits::new(run.max_output, Some(page.place(0)));
    let candidates = Candidates::default();
    let sites = Sites::new(&page, document, &candidates, interest, run.settings);
    sites.comment(0..text.len(), run, &mut edits)?;
    Ok((!edits.is_empty()).then(|| edits.apply(text)))
}

/// What a scan is to find in a document whose encoding is certain.
fn wanted(settings: &Settings, interest: &Interest) -> Wanted {
    Wanted {
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
fn base_href(page: &Page<'_>, candidates: &Candidates) -> Option<String> {
    Some(page.value(href(page, candidates.base?)?.value).into_owned())
}

/// The `href` of the tag that begins at `start`.
fn href(page: &Page<'_>, start: u32) -> Option<Attribute> {
    let bytes = page.bytes();
    let (attributes, _) = attributes_of(bytes, start as usize + 1);
    attributes.into_iter().find(|one| bytes[one.name.clone()].eq_ignore_ascii_case(b"href"))
}
