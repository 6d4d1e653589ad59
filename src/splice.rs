//! The splice engine: copies the source with edits applied, and leaves every other byte unchanged.
//!
//! A scan finds the base, and the attributes and texts that may contain references. The engine then
//! decides on them in the order of the source, and writes the edits and the bytes between the
//! edits. An edit replaces as little as possible: most edits insert a prefix before a reference.
//!
//! If a scan finds a `meta` element that declares another encoding than the assumed one, the engine
//! scans the document once more, in the declared encoding. It scans documents in UTF-8 and in
//! single-byte encodings as they are, and decodes all others first, with a map back to the source.

mod json;
#[cfg_attr(not(feature = "markdown"), path = "splice/markdown/absent.rs")]
mod markdown;
mod page;
mod sites;
mod tags;
mod value;
mod xml;

use crate::attributes::{Namespace, Spot, TEXT};
use crate::base::{BaseLayer, ResolvedBase};
use crate::edit::Patches;
use crate::encoding::{self, Confidence, Detected};
use crate::error::{Error, Location};
use crate::grammar::Grammar;
use crate::link::{BaseOwner, Document, LinkPass, Settings, Siblings, Site, Syntax};
use crate::scan::json::scan_feed;
use crate::scan::{Interest, Piece, ScanOptions, TextKind};

#[doc(hidden)]
pub use page::Charset;
pub(crate) use page::{Changed, Scanned, SpliceBuffers, hides_markup_in};
use page::{NoOutput, Output, Page, PatchCollector, Writer};
use sites::decide;
pub(crate) use sites::decide_noscript;
pub(crate) use tags::find_base_href_in;
use tags::{establish_base, find_base_tags};
use value::ElementText;

/// Finds the encoding in which a document is scanned first, by the rules of its syntax.
///
/// # Errors
///
/// If the reader cannot follow the encoding declaration of an XML document.
pub(crate) fn sniff(source: &[u8], settings: &Settings) -> Result<(Detected, Confidence), Error> {
    let named = settings.encoding;
    let detected = match settings.syntax {
        Syntax::Html => return Ok(encoding::sniff(source, named)),
        Syntax::Css => encoding::detect_stylesheet(source, named),
        Syntax::Xml => encoding::detect_xml(source, named).map_err(|why| {
            Error::not_well_formed(why, Location::Character { line: 1, column: 1 })
        })?,
        Syntax::Markdown => encoding::detect_text(source, named),
        Syntax::JsonFeed => encoding::detect_utf_8(source),
    };
    Ok((detected, Confidence::Certain))
}

/// Scans a document in its encoding; returns no scan if no decoder reads that encoding.
///
/// # Errors
///
/// If the document exceeds a limit, if the reader cannot follow its encoding declaration, if this
/// build cannot read its encoding or syntax, or if the document does not match its syntax: XML that
/// is not well-formed, JSON that is invalid or no feed, or Markdown that the parser cannot read.
pub(crate) fn scan<'s, 'w>(
    source: &'s [u8],
    settings: &Settings,
    interest: &'w Interest,
    buffers: &'w mut SpliceBuffers,
) -> Result<(Detected, Option<Scanned<'s, 'w>>), Error> {
    let (mut detected, mut confidence) = sniff(source, settings)?;
    loop {
        if detected.is_replacement() {
            return Ok((detected, None));
        }
        let mut page = Page::new(source, detected)?;
        let mut is_tentative = false;
        match settings.syntax {
            Syntax::Html => {
                let options = ScanOptions { confidence, ..ScanOptions::new(interest) };
                buffers.candidates.scan(page.bytes(), interest, options);
                let declared = buffers.candidates.declared;
                if let Some(changed) = declared.and_then(|declared| detected.change(declared)) {
                    (detected, confidence) = (changed, Confidence::Certain);
                    continue;
                }
                is_tentative = confidence == Confidence::Tentative && declared.is_none();
            }
            // A style sheet has no tags.
            Syntax::Css => {}
            Syntax::Xml => {
                page = xml::scan(page, detected, (settings, interest), &mut buffers.xml)?;
            }
            Syntax::Markdown => page = markdown::scan(page, (settings, interest), buffers)?,
            Syntax::JsonFeed => scan_feed(page.bytes(), &mut buffers.json)
                .map_err(|fault| fault.into_error(page.bytes()).adapt_to_json())?,
        }
        let syntax = settings.syntax;
        return Ok((detected, Some(Scanned { page, buffers, interest, syntax, is_tentative })));
    }
}

/// Rewrites a document into `out`, which stays empty if no link changes; also returns its base.
pub(crate) fn rewrite(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    out: &mut Vec<u8>,
) -> Result<(ResolvedBase, Changed), Error> {
    out.clear();
    let page = &scanned.page;
    pass.max_output = pass.settings.limits.max_output(page.source().len());
    let mut writer = Writer::new(page, out, pass.max_output);
    let established = decide_document(scanned, below, pass, &mut writer)?;
    Ok((established, writer.finish()?))
}

/// Collects the edits of a document instead of writing it; the edits insert only characters of
/// `charset`. Also returns the base of the document.
pub(crate) fn collect_patches(
    mut scanned: Scanned<'_, '_>,
    charset: Charset,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<(ResolvedBase, Patches), Error> {
    scanned.page = scanned.page.with_charset(charset);
    let page = &scanned.page;
    pass.max_output = pass.settings.limits.max_output(page.source().len());
    let mut out = Vec::new();
    let mut collector = PatchCollector::new(page, &mut out, pass.max_output);
    let established = decide_document(&scanned, below, pass, &mut collector)?;
    Ok((established, collector.finish()))
}

/// Runs a pass over every link of a document without writing it, and returns its base.
pub(crate) fn visit_links(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    decide_document(scanned, below, pass, &mut NoOutput)
}

/// Decides on every link of a document by the rules of its syntax, and returns its base. A visitor
/// also receives the anchors and `base` elements.
fn decide_document(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let Scanned { page, buffers, interest, syntax, .. } = scanned;
    match syntax {
        Syntax::Html => {}
        Syntax::Css => return decide_style_sheet(page, below, pass, output),
        Syntax::Xml => {
            if let Some(visit) = pass.visitor() {
                xml::report_facts(page, &buffers.xml, visit);
            }
            return xml::decide(page, (&buffers.xml, interest), below, pass, output);
        }
        Syntax::Markdown => return markdown::decide(scanned, below, pass, output),
        Syntax::JsonFeed => {
            return json::decide(page, (&buffers.json, interest), below, pass, output);
        }
    }
    let candidates = &buffers.candidates;
    let document = establish_base(page, candidates, below, pass)?;
    let settings = pass.settings;
    if let Some(visit) = pass.visitor() {
        for mut base in find_base_tags(page, candidates, settings) {
            base.counts &= document.base_owner == BaseOwner::Page;
            visit.base(&base);
        }
    }
    decide(page, &document, candidates, pass, interest, output)?;
    Ok(document.established)
}

/// The rules for a whole style sheet, which has no element.
const STYLE_SHEET: Spot = Spot { grammar: Grammar::Stylesheet, ..Spot::PLAIN };

/// Decides on every link of a style sheet that is a document. The base is the sheet's own URL
/// ([CSS Values](https://www.w3.org/TR/css-values-4/#relative-urls)).
fn decide_style_sheet(
    page: &Page<'_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let document = Document::new(None, below, pass.encoding, pass.settings, None)?;
    if pass.settings.selection.has_styles() {
        let (namespace, siblings) = (Namespace::Other, Siblings::NONE);
        let site = Site {
            element: "",
            namespace,
            attribute: TEXT,
            spot: STYLE_SHEET,
            codebase: None,
            siblings,
        };
        // A document has less than 4 GiB (`Page::new`).
        let end = u32::try_from(page.bytes().len()).unwrap_or(u32::MAX);
        let text = [Piece { start: 0, end, kind: TextKind::Raw }];
        ElementText::new(page, &text).decide(&document, &site, pass, output)?;
    }
    Ok(document.established)
}
