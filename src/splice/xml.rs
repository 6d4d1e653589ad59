//! Decides on the links of an XML document.

mod names;
mod place;
mod scopes;
mod text;

use place::Place;
use scopes::{Scopes, base_use, written};
use text::text;

use super::page::Page;
use super::write::Output;
use crate::attributes::Namespace;
use crate::base::{BaseLayer, RejectedBase, ResolvedBase};
use crate::error::Error;
use crate::link::{Anchor, AnchorKind, BaseNeed, BasePlace, BaseTag, Document, LinkPass};
use crate::scan::Interest;
use crate::scan::xml::{XmlCandidates, XmlContent, local_name, split};

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
    pass.unknown_namespace = unknown_namespace(page, found);
    let document = document(page, found, below, pass)?;
    let instructions = Document::new(None, below, pass.encoding, pass.settings, None)?;
    let mut established = document.established.clone();
    let mut scopes = Scopes::new(page, found, document);
    for candidate in &found.list {
        let is_instruction = candidate.namespace == Namespace::Instruction;
        let is_marked = found.is_marked(candidate.element);
        if is_marked && !pass.takes_ignored() {
            continue;
        }
        let outer = std::mem::replace(&mut pass.is_ignored, is_marked);
        let document = if is_instruction {
            &instructions
        } else {
            scopes.enter(candidate.scope, pass)?;
            pass.base_need = scopes.base_need();
            scopes.document()
        };
        let decided = Place { page, found, interest, document, candidate }.decide(pass, output);
        pass.is_ignored = outer;
        decided?;
        if std::mem::replace(&mut pass.base_need, BaseNeed::Ignored) == BaseNeed::Seen {
            scopes.reject();
        }
    }
    established.rejected = established.rejected.or_else(|| scopes.into_rejected());
    if let (None, None, Some(span)) = (&established.rejected, &found.base, &found.base_outside_head)
    {
        established.reject_outside_head(&text(page, span.clone()), pass.settings.standard);
    }
    Ok(established)
}

/// The document, whose base is that of its `base` element if it has one.
fn document(
    page: &Page<'_>,
    found: &XmlCandidates,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
) -> Result<Document, Error> {
    let base = found.base.as_ref();
    let href = base.map(|span| text(page, span.clone()));
    let known = href.as_deref().filter(|_| found.base_content == XmlContent::Known);
    let place = base.map(|span| page.place(span.start));
    let document = Document::new(known, below, pass.encoding, pass.settings, place)?;
    let mut document = document.with_base_use(base_use(found, 0), known, pass.settings);
    if let (Some(href), None) = (&href, known) {
        document = document.with_unknown_base(RejectedBase::with_entity(href));
    }
    let rejected = document.established.rejected.take();
    if let (Some(span), Some(href), Some(rejected)) = (base, href, rejected) {
        let written = written(page, found.base_element, (span.clone(), href));
        document.established.rejected = Some(rejected.written_at(written));
    }
    Ok(document)
}

/// The element, or the declaration, whose namespace is not known.
fn unknown_namespace(page: &Page<'_>, found: &XmlCandidates) -> Option<String> {
    let span = found.unknown_namespace.as_ref()?;
    Some(
        String::from_utf8_lossy(&page.bytes()[span.start as usize..span.end as usize]).into_owned(),
    )
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
    if found.anchor_content != XmlContent::Known {
        pass.unknown_anchors();
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
