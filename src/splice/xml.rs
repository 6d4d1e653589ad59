//! Decides on the links of an XML document.

mod names;
mod place;
mod scopes;
mod text;

use names::Names;
use place::Place;
use scopes::Scopes;
use text::text;

use super::page::Page;
use super::write::Output;
use crate::attributes::Namespace;
use crate::base::{BaseLayer, ResolvedBase};
use crate::error::Error;
use crate::grammar::Grammar;
use crate::link::{Anchor, AnchorKind, BasePlace, BaseTag, Document, LinkPass};
use crate::scan::Interest;
use crate::scan::xml::{XmlCandidate, XmlCandidates, XmlContent, local_name, split};

/// Decides on every link of an XML document, and returns its base: that of a `base` element of
/// XHTML, else its own URL. An [`xml:base`](https://www.w3.org/TR/xmlbase/) counts for the element
/// that has it.
pub(super) fn decide(
    page: &Page<'_>,
    (found, interest): (&XmlCandidates, &Interest),
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let href = found.base.clone().map(|span| text(page, span));
    let place = found.base.as_ref().map(|span| page.place(span.start));
    let document = Document::new(href.as_deref(), below, pass.encoding, pass.settings, place)?;
    let instructions = Document::new(None, below, pass.encoding, pass.settings, None)?;
    let established = document.established.clone();
    let mut scopes = Scopes::new(page, found, document);
    for candidate in &found.list {
        if candidate.content == XmlContent::Entity {
            entity(page, candidate, pass);
            continue;
        }
        let document = match candidate.namespace {
            Namespace::Instruction => &instructions,
            _ => scopes.enter(candidate.scope, pass)?,
        };
        let place = Place { page, found, interest, document, candidate };
        if !found.is_marked(candidate.element) {
            place.decide(pass, output)?;
        } else if pass.takes_ignored() {
            let outer = std::mem::replace(&mut pass.is_ignored, true);
            let shown = place.decide(pass, output);
            pass.is_ignored = outer;
            shown?;
        }
    }
    Ok(established)
}

/// Counts a value that an entity is in, and that stays.
fn entity(page: &Page<'_>, candidate: &XmlCandidate, pass: &mut LinkPass<'_>) {
    let Some(spot) = Names::new(page, candidate).spot(pass) else { return };
    if spot.grammar != Grammar::Html {
        pass.counts.links += 1;
        pass.counts.kept += 1;
    }
}

/// Reports the anchors and the `base` elements of a document.
///
/// An [`id`](https://dom.spec.whatwg.org/#concept-id) is an anchor in any namespace, and so is an
/// [`xml:id`](https://www.w3.org/TR/xml-id/).
pub(super) fn facts(page: &Page<'_>, found: &XmlCandidates, pass: &mut LinkPass<'_>) {
    let span = |span: &std::ops::Range<u32>| span.start as usize..span.end as usize;
    for base in &found.bases {
        let place = if base.is_in_head { BasePlace::Head } else { BasePlace::Body };
        let counts = found.base.as_ref() == Some(&span(&base.href));
        pass.base(&BaseTag { href: page.source_range(span(&base.href)), place, counts });
    }
    for anchor in &found.anchors {
        let rest = &page.bytes()[anchor.element as usize..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
        let name = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
        let element = local_name(split(name).1, Namespace::Other);
        let kind = if anchor.is_name { AnchorKind::Name } else { AnchorKind::Id };
        pass.anchor(&Anchor {
            kind,
            element: &element,
            value: &text(page, span(&anchor.value)),
            span: page.source_range(span(&anchor.value)),
            is_ignored: found.is_marked(anchor.element),
        });
    }
}
