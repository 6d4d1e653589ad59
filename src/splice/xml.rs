//! Scans an XML document in its encoding, and decides on its links.

mod bases;
mod place;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use bases::{Items, Scopes, base_use, written};
use place::{Place, name_at, text};

use super::page::{Charset, Page};
use super::tags;
use super::write::{self, Output};
use crate::attributes::Namespace;
use crate::base::{BaseLayer, RejectedBase, ResolvedBase};
use crate::edit::Edits;
use crate::encoding::{Detected, HAS_TABLES, Repertoire, xml_label};
use crate::error::Error;
use crate::link::{Anchor, BaseNeed, BaseTag, Document, LinkPass, Settings, Visit};
use crate::scan::Interest;
use crate::scan::xml::{Fault, XmlCandidates, XmlContent, local_name, location, split, wide};

/// Scans an XML document, and fails if it is not well-formed; returns its page.
pub(super) fn scan<'s>(
    page: Page<'s>,
    detected: Detected,
    (settings, interest): (&Settings, &Interest),
    found: &mut XmlCandidates,
) -> Result<Page<'s>, Error> {
    let source = page.source();
    let page = page.with_charset(charset(source, detected, settings.encoding));
    let repertoire = match settings.encoding {
        Some(_) => settings.repertoire,
        None => Repertoire::from_label(xml_label(source).unwrap_or_default()),
    };
    if let Some((at, encoding)) = wrong_bytes(source, detected, repertoire, &page) {
        let why = format!("bytes that are not {encoding}");
        return Err(Fault { at, why }.into_error(page.bytes()));
    }
    let scanned = found.scan(page.bytes(), settings, interest);
    scanned.map_err(|fault| fault.into_error(page.bytes()).adapt_to_xml(found.is_page))?;
    Ok(page)
}

/// The characters of a document's encoding by its declared name. [Labels][spec] may give it a
/// larger encoding: `us-ascii` and `iso-8859-1` are read as windows-1252. A character reference is
/// correct in either.
///
/// [spec]: https://encoding.spec.whatwg.org/#names-and-labels
fn charset(source: &[u8], detected: Detected, named: Option<&'static Encoding>) -> Charset {
    let Detected { encoding, bom } = detected;
    if bom > 0 || encoding == UTF_8 || encoding == UTF_16LE || encoding == UTF_16BE {
        return Charset::Own;
    }
    let label = xml_label(source).filter(|_| named.is_none()).unwrap_or_default();
    if label.eq_ignore_ascii_case(encoding.name().as_bytes()) {
        return Charset::Own;
    }
    let is_latin_1 = encoding == WINDOWS_1252
        && Repertoire::from_label(label) == Repertoire::Whole
        && !label.is_empty()
        && !label.ends_with(b"1252");
    if is_latin_1 { Charset::Latin1 } else { Charset::Ascii }
}

/// Finds bytes that are invalid in the encoding of a document, which are
/// [fatal](https://www.w3.org/TR/xml/#charencoding) in XML; returns their offset and the name of
/// the encoding.
fn wrong_bytes(
    source: &[u8],
    Detected { encoding, bom }: Detected,
    repertoire: Repertoire,
    page: &Page<'_>,
) -> Option<(usize, &'static str)> {
    let body = &source[bom..];
    let at = if encoding == UTF_8 || !HAS_TABLES {
        std::str::from_utf8(body).err()?.valid_up_to()
    } else if bom == 0 && repertoire == Repertoire::Ascii {
        return Some((body.iter().position(|byte| !byte.is_ascii())?, "US-ASCII"));
    } else if encoding.decode_without_bom_handling_and_without_replacement(body).is_some() {
        return None;
    } else {
        // The first replacement character marks them, unless the source itself has one before.
        memchr::memmem::find(page.bytes(), "\u{fffd}".as_bytes()).unwrap_or_default()
    };
    Some((at, encoding.name()))
}

/// Decides on every link of an XML document, and returns its base: that of a `base` element of
/// XHTML, or else its own URL. An [`xml:base`](https://www.w3.org/TR/xmlbase/) applies to its
/// element.
pub(super) fn decide(
    page: &Page<'_>,
    (found, interest): (&XmlCandidates, &Interest),
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    pass.notes.unknown_namespace = found
        .unknown_namespace
        .as_ref()
        .map(|span| String::from_utf8_lossy(&page.bytes()[wide(span)]).into_owned());
    pass.notes.late_declaration = found.late_declaration.map(|at| location(page.bytes(), at));
    let document = document(page, found, below, pass)?;
    let instructions = Document::new(None, below, pass.encoding, pass.settings, None)?;
    let mut established = document.established.clone();
    let mut scopes = Scopes::new(page, found, document);
    let mut items = Items::new(page, found);
    let mut tag_edits = Vec::new();
    // Some edits precede the attribute that causes them.
    let mut edits =
        pass.edits_integrity().then(|| Edits::new(pass.max_output, Some(page.place(0))));
    for candidate in &found.list {
        let is_instruction = candidate.namespace == Namespace::Instruction;
        let is_marked = found.is_marked(candidate.element);
        if is_marked && pass.skips_ignored() {
            continue;
        }
        let outer = std::mem::replace(&mut pass.is_ignored, is_marked);
        let mut item = None;
        let document = if is_instruction {
            &instructions
        } else {
            scopes.enter(candidate.scope, pass)?;
            pass.base_need = scopes.base_need();
            let document = &scopes.innermost().document;
            item = items.document(candidate, document, pass)?;
            document
        };
        let place = Place { page, found, interest, document, item, candidate };
        let decided = match &mut edits {
            Some(edits) => {
                place.integrity(pass, &mut tag_edits);
                place.decide(pass, edits)
            }
            None => place.decide(pass, output),
        };
        pass.is_ignored = outer;
        decided?;
        if std::mem::replace(&mut pass.base_need, BaseNeed::Ignored) == BaseNeed::Seen {
            scopes.reject();
        }
    }
    if let Some(mut edits) = edits {
        tags::add_edits(tag_edits, &mut edits)?;
        edits.sort();
        write::pass(&edits, output)?;
    }
    established.rejected = established.rejected.or(scopes.rejected);
    let has_base = found.scopes[0].base.end != 0;
    if let (None, false, Some(span)) = (&established.rejected, has_base, &found.base_outside_head) {
        established.reject_outside_head(&text(page, wide(span)), pass.settings.standard);
    }
    Ok(established)
}

/// The document with its base, from its `base` element if it has one.
fn document(
    page: &Page<'_>,
    found: &XmlCandidates,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
) -> Result<Document, Error> {
    let scope = &found.scopes[0];
    let base = (scope.base.end > 0).then(|| wide(&scope.base));
    let place = base.as_ref().map(|span| page.place(span.start));
    let href = base.map(|span| text(page, span));
    let known = href.as_deref().filter(|_| scope.base_content == XmlContent::Known);
    let document = Document::new(known, below, pass.encoding, pass.settings, place)?;
    let mut document = document.with_base_use(base_use(scope, pass), known, pass.settings);
    if let (Some(href), None) = (&href, known) {
        document = document.with_unknown_base(RejectedBase::with_entity(href));
    }
    let rejected = document.established.rejected.take();
    document.established.rejected = rejected.map(|base| base.written_at(written(page, scope)));
    Ok(document)
}

/// Reports the anchors and the `base` elements of a document.
///
/// An [`id`](https://dom.spec.whatwg.org/#concept-id) is an anchor in any namespace, and so is an
/// [`xml:id`](https://www.w3.org/TR/xml-id/).
pub(super) fn facts(page: &Page<'_>, found: &XmlCandidates, visit: &mut dyn Visit) {
    for (href, place) in &found.bases {
        let counts = found.scopes[0].base == *href;
        let href = page.source_range(wide(href));
        visit.base(&BaseTag { href, place: *place, counts });
    }
    if found.anchor_content != XmlContent::Known {
        visit.unknown_anchors();
    }
    for anchor in &found.anchors {
        let name = &page.bytes()[name_at(page.bytes(), anchor.element)];
        let element = local_name(split(name).1, Namespace::Other);
        let span = wide(&anchor.value);
        visit.anchor(&Anchor {
            kind: anchor.kind,
            element: &element,
            value: &text(page, span.clone()),
            span: page.source_range(span),
            is_ignored: found.is_marked(anchor.element),
        });
    }
}
