//! The links of the splice engine are those of html5ever's tree.
//!
//! Outside of that are the links of start tags that the tree builder drops or whose content it
//! replaces, and attributes that no element takes over: what the tree shows of each start tag
//! decides. Clones are left out by the DOM engine. In a `noscript` there are no such differences.

use absolve::encoding::Detected;
use absolve::reference::{Context, decode};
use absolve::scan::Namespace;
use absolve::{Engine, Summary};
use encoding_rs::UTF_8;

use super::markup::{Markup, Spot, Tag};
use super::tree::{self, Tree};
use super::{Figures, Found, Seen, Settings, base, found, same};

pub(super) fn engines_agree(
    settings: &Settings,
    source: &[u8],
    figures: &mut Figures,
) -> Result<(), String> {
    let splice = found(&settings.rewriter(Engine::Splice), source);
    let dom = found(&settings.rewriter(Engine::Dom), source);
    let ((splice, summary), (dom, dom_summary)) = match (splice, dom) {
        (Ok(splice), Ok(dom)) => (splice, dom),
        (Ok(_), Err(error))
            if error.contains("HTML parser failed")
                || error.contains("would read other elements") =>
        {
            figures.refused += 1;
            return Ok(());
        }
        (Err(_), Err(_)) => {
            figures.refused += 1;
            return Ok(());
        }
        (splice, dom) => {
            return Err(format!("one engine fails: {:?} {:?}", splice.err(), dom.err()));
        }
    };
    let detected = settings.detect(source);
    if detected.is_replacement() {
        return same("links of a page that no decoder reads", &splice.len(), &0);
    }
    if !is_scannable(detected) {
        let text = detected.decode(source);
        if text.starts_with('\u{feff}') {
            return same("links of the engines", &sorted(&splice), &sorted(&dom));
        }
        let utf8 = Settings { encoding: Some("utf-8"), ..settings.clone() };
        let (decoded, _) = found(&utf8.rewriter(Engine::Splice), text.as_bytes())?;
        same("links of the decoded text", &sorted(&splice), &sorted(&decoded))?;
        return engines_agree(&utf8, text.as_bytes(), figures);
    }
    same_base(&summary, &dom_summary)?;
    base::is_that_of_the_tree(settings, &detected.decode(source), &summary)?;
    let Some(expected) = in_tree(settings, source, detected, &splice, &summary)? else {
        figures.refused += 1;
        return Ok(());
    };
    figures.links += splice.len();
    figures.excused += splice.len() - expected.len();
    let (expected, dom) = (sorted_seen(expected), sorted(&dom));
    if expected == dom {
        return Ok(());
    }
    let missing: Vec<_> = expected.iter().filter(|link| !dom.contains(link)).collect();
    let extra: Vec<_> = dom.iter().filter(|link| !expected.contains(link)).collect();
    Err(format!("the engines differ: splice alone {missing:?}, dom alone {extra:?}"))
}

/// Whether the source's own bytes are scanned.
pub(super) fn is_scannable(detected: Detected) -> bool {
    detected.encoding == UTF_8 || detected.encoding.is_single_byte()
}

fn same_base(splice: &Summary, dom: &Summary) -> Result<(), String> {
    let of = |summary: &Summary| {
        let rejected = summary.rejected_base().map(ToString::to_string);
        (summary.base().map(ToString::to_string), summary.base_source(), rejected)
    };
    same("the bases of the engines", &of(splice), &of(dom))
}

/// The links that the tree has as well; `None` where that cannot be known.
fn in_tree(
    settings: &Settings,
    source: &[u8],
    detected: Detected,
    splice: &[Found],
    summary: &Summary,
) -> Result<Option<Vec<Seen>>, String> {
    let bytes = &source[detected.bom..];
    let markup = Markup::read(bytes);
    let Some(tree) = tree::parse(&detected.decode(source)) else { return Ok(None) };
    same("start tags", &markup.tags.len(), &tree.tags.len())?;
    let mut expected = Vec::new();
    for link in splice.iter().filter(|link| link.enclosing.is_none()) {
        let span = link.span.clone().ok_or_else(|| format!("no span: {link:?}"))?;
        let span = span.start - detected.bom..span.end - detected.bom;
        let spot = markup.spot(&span).ok_or_else(|| format!("a span nowhere: {link:?}"))?;
        if is_in_tree(&markup, &tree, &spot) {
            expected.push(link.seen.clone());
        }
    }
    let base = summary.base().map(ToString::to_string);
    let inner = Settings { base, encoding: Some("utf-8"), ..settings.clone() };
    let is_iframe = |tag: &Tag| tag.name == "iframe" && tag.namespace == Namespace::Html;
    for (tag, iframe) in markup.tags.iter().enumerate().filter(|(_, tag)| is_iframe(tag)) {
        for (index, attribute) in iframe.attributes.iter().enumerate() {
            if markup.name(tag, index) != "srcdoc" {
                continue;
            }
            let value = attribute.value.start + detected.bom..attribute.value.end + detected.bom;
            let text = detected.encoding.decode_without_bom_handling(&source[value.clone()]).0;
            let text = decode(&text, Context::Attribute);
            if text.starts_with('\u{feff}') {
                return Ok(None);
            }
            let text = text.as_bytes();
            let (own, own_summary) = found(&inner.rewriter(Engine::Splice), text)?;
            let enclosed = splice.iter().filter(|link| link.enclosing.as_ref() == Some(&value));
            let enclosed = enclosed.map(|link| link.seen.clone()).collect();
            same("links of a document in a value", &sorted_seen(enclosed), &sorted(&own))?;
            if tree.tags[tag].is_in_noscript {
                expected.extend(own.into_iter().map(|link| link.seen));
                continue;
            }
            let detected = inner.detect(text);
            let Some(own) = in_tree(&inner, text, detected, &own, &own_summary)? else {
                return Ok(None);
            };
            if is_in_tree(&markup, &tree, &Spot::Attribute(tag, index)) {
                expected.extend(own);
            }
        }
    }
    Ok(Some(expected))
}

fn is_in_tree(markup: &Markup<'_>, tree: &Tree, spot: &Spot) -> bool {
    let (Spot::Attribute(tag, _) | Spot::Text(tag)) = *spot;
    if tree.tags[tag].is_in_noscript {
        return true;
    }
    match *spot {
        Spot::Attribute(tag, index) => tree.tags[tag].attributes.contains(&markup.name(tag, index)),
        Spot::Text(tag) => tree.tags[tag].is_element,
    }
}

fn sorted(links: &[Found]) -> Vec<Seen> {
    sorted_seen(links.iter().map(|link| link.seen.clone()).collect())
}

fn sorted_seen(mut links: Vec<Seen>) -> Vec<Seen> {
    links.sort_unstable();
    links
}

/// A template makes the exact scanner read the document; it finds what the hot one finds.
pub(super) fn scanners_agree(
    settings: &Settings,
    source: &[u8],
    figures: &mut Figures,
) -> Result<(), String> {
    let detected = settings.detect(source);
    if !is_scannable(detected) {
        return Ok(());
    }
    let longer = [source, b"<template></template>"].concat();
    let markup = Markup::read(&longer[detected.bom..]);
    let is_tag = |tag: &Tag| tag.span.start + detected.bom == source.len();
    if !markup.tags.last().is_some_and(is_tag) {
        // The document ends inside of something.
        return Ok(());
    }
    let settings = Settings { encoding: Some(detected.encoding.name()), ..settings.clone() };
    let rewriter = settings.rewriter(Engine::Splice);
    let (Ok((hot, base)), Ok((exact, exact_base))) =
        (found(&rewriter, source), found(&rewriter, &longer))
    else {
        return Ok(());
    };
    figures.scanned_twice += 1;
    same("links of the two scanners", &hot, &exact)?;
    same_base(&base, &exact_base)
}
