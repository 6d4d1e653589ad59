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

mod anchor;
mod base_element;
mod candidate;
mod integrity;
mod json;
#[cfg(feature = "markdown")]
mod markdown;
mod page;
mod scanned;
mod sheet;
mod sites;
mod style;
mod value;
mod write;
mod xml;
mod xml_document;

use crate::base::{BaseLayer, ResolvedBase};
use crate::edit::Patches;
use crate::error::Error;
use crate::link::{BaseOwner, LinkPass, Syntax};

#[cfg(feature = "markdown")]
pub(crate) use markdown::markdown;
pub(crate) use page::Charset;
pub(crate) use scanned::{Scanned, SpliceBuffers, json_feed, scan, stylesheet};
#[cfg(feature = "dom")]
pub(crate) use scanned::{base_href_in, hides_markup_in};
use scanned::{base_tags, established};
#[cfg(feature = "dom")]
pub(crate) use sites::noscript;
use sites::{Sites, decide, ignored};
pub(crate) use write::Changed;
use write::{Output, Writer};
pub(crate) use xml_document::xml;

/// Decides on every link of a document, and writes it with the edits to `out`, or
/// nothing where there are none.
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
    let established = document(scanned, below, pass, &mut writer)?;
    Ok((established, writer.finish()?))
}

/// Decides on every link of a document, and returns the edits of its bytes, which bring nothing
/// but these characters into it.
pub(crate) fn patches(
    mut scanned: Scanned<'_, '_>,
    charset: Charset,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<(ResolvedBase, Patches), Error> {
    scanned.page = scanned.page.with_charset(charset);
    let page = &scanned.page;
    pass.max_output = pass.settings.limits.max_output(page.source().len());
    let mut out = Vec::new();
    let mut collector = write::Collector::new(page, &mut out, pass.max_output);
    let established = document(&scanned, below, pass, &mut collector)?;
    Ok((established, collector.finish()))
}

/// Decides on every link of a document, and returns its base.
pub(crate) fn links(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    document(scanned, below, pass, &mut write::NoOutput)
}

/// The same, and reports the document's anchors and `base` elements. Links inside an
/// element with a marker are left out.
pub(crate) fn inspect(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
) -> Result<ResolvedBase, Error> {
    let Scanned { page, candidates, interest, xml, syntax, .. } = scanned;
    if *syntax == Syntax::Xml {
        xml::facts(page, xml, pass);
    }
    if let Some(base) = other_syntax(scanned, below, pass, &mut write::NoOutput)? {
        return Ok(base);
    }
    let document = established(page, candidates, below, pass)?;
    for mut base in base_tags(page, candidates, pass.settings) {
        base.counts &= document.base_owner() == BaseOwner::Page;
        pass.base(&base);
    }
    let ignored = ignored(page, candidates, pass);
    let sites = Sites::new((page, candidates, interest), &document, &ignored);
    sites.each(pass, &mut write::NoOutput)?;
    Ok(document.established)
}

fn document(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let Scanned { page, candidates, interest, .. } = scanned;
    if let Some(base) = other_syntax(scanned, below, pass, output)? {
        return Ok(base);
    }
    let document = established(page, candidates, below, pass)?;
    decide(page, &document, candidates, pass, interest, output)?;
    Ok(document.established)
}

/// The same for a document that is not HTML; nothing for one that is.
fn other_syntax(
    scanned: &Scanned<'_, '_>,
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<Option<ResolvedBase>, Error> {
    let Scanned { page, xml, json, interest, syntax, .. } = scanned;
    match syntax {
        Syntax::Html => Ok(None),
        Syntax::Css => sheet::decide(page, below, pass, output).map(Some),
        Syntax::Xml => xml::decide(page, (xml, interest), below, pass, output).map(Some),
        #[cfg(feature = "markdown")]
        Syntax::Markdown => markdown::decide(scanned, below, pass, output).map(Some),
        Syntax::JsonFeed => json::decide(page, (json, interest), below, pass, output).map(Some),
    }
}
