//! Scans an XML document in its encoding, and decides on its links. A link is relative to the bases
//! of the elements around it; HTML in an item of a feed may be relative to the link of the item.

mod site;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::page::{Charset, Output, Page, pass_edits};
use super::tags;
use super::value::ElementText;
use crate::attributes::Namespace;
use crate::base::{BaseLayer, RejectedBase, ResolvedBase, WrittenBase};
use crate::edit::Edits;
use crate::encoding::{Detected, HAS_TABLES, Repertoire, xml_label};
use crate::error::{Error, Limit, Limits};
use crate::link::{
    Anchor, BaseNeed, BaseTag, BaseUse, Document, LinkPass, Settings, Visit, is_identifier,
};
use crate::scan::Interest;
use crate::scan::xml::{
    Fault, ItemLink, XmlCandidate, XmlCandidates, XmlContent, XmlPart, XmlScope, locate,
    spell_element, split_name, widen,
};
use crate::url::clean;
use site::{CandidateDecider, decode_value, find_element_name};

/// Scans an XML document into `candidates`; returns its page, which limits the characters of edits.
///
/// # Errors
///
/// If the document is not well-formed, or has bytes that are invalid in its encoding.
pub(super) fn scan<'s>(
    page: Page<'s>,
    detected: Detected,
    (settings, interest): (&Settings, &Interest),
    candidates: &mut XmlCandidates,
) -> Result<Page<'s>, Error> {
    let source = page.source();
    let page = page.with_charset(find_charset(source, detected, settings.encoding));
    let repertoire = match settings.encoding {
        Some(_) => settings.repertoire,
        None => Repertoire::from_label(xml_label(source).unwrap_or_default()),
    };
    if let Some((at, encoding)) = find_invalid_bytes(source, detected, repertoire, &page) {
        let why = format!("bytes that are not {encoding}");
        return Err(Fault { at, why }.into_error(page.bytes()));
    }
    let scanned = candidates.scan(page.bytes(), settings, interest);
    scanned.map_err(|fault| fault.into_error(page.bytes()).adapt_to_xml(candidates.is_page))?;
    Ok(page)
}

/// Returns the characters that edits may insert into a document, by the declared name of its
/// encoding. [Labels][spec] may select a larger encoding: browsers read `us-ascii` and `iso-8859-1`
/// as windows-1252, but other readers may not. A character reference is correct for all readers.
///
/// [spec]: https://encoding.spec.whatwg.org/#names-and-labels
fn find_charset(source: &[u8], detected: Detected, named: Option<&'static Encoding>) -> Charset {
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
fn find_invalid_bytes(
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
        // The first replacement character marks the bytes, unless the source has one before them.
        memchr::memmem::find(page.bytes(), "\u{fffd}".as_bytes()).unwrap_or_default()
    };
    Some((at, encoding.name()))
}

/// Decides on every link of an XML document, and returns the base of the document: the URL of a
/// `base` element of XHTML, or else the document's own URL. An
/// [`xml:base`](https://www.w3.org/TR/xmlbase/) applies to its element only.
pub(super) fn decide(
    page: &Page<'_>,
    (candidates, interest): (&XmlCandidates, &Interest),
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    pass.notes.unknown_namespace = candidates
        .unknown_namespace
        .as_ref()
        .map(|span| String::from_utf8_lossy(&page.bytes()[widen(span)]).into_owned());
    pass.notes.late_declaration = candidates.late_declaration.map(|at| locate(page.bytes(), at));
    let document = new_document(page, candidates, below, pass)?;
    let instructions = Document::new(None, below, pass.encoding, pass.settings, None)?;
    let mut established = document.established.clone();
    let mut scopes = OpenScopes::new(page, candidates, document);
    let mut items = FeedItems::new(page, candidates);
    let mut tag_edits = Vec::new();
    // An edit of `integrity` may precede the attribute that causes it, so the edits need sorting.
    let mut edits =
        pass.edits_integrity().then(|| Edits::new(pass.max_output, Some(page.locate(0))));
    for candidate in &candidates.list {
        let is_instruction = candidate.namespace == Namespace::Instruction;
        let is_marked = candidates.is_marked(candidate.element);
        if is_marked && pass.skips_ignored() {
            continue;
        }
        let outer = std::mem::replace(&mut pass.is_ignored, is_marked);
        let mut item_document = None;
        let document = if is_instruction {
            &instructions
        } else {
            scopes.enter(candidate.scope, pass)?;
            pass.base_need = scopes.base_need();
            let document = &scopes.innermost().document;
            item_document = items.find_document(candidate, document, pass)?;
            document
        };
        let decider =
            CandidateDecider { page, candidates, interest, document, item_document, candidate };
        let result = match &mut edits {
            Some(edits) => {
                decider.add_integrity_edits(pass, &mut tag_edits);
                decider.decide(pass, edits)
            }
            None => decider.decide(pass, output),
        };
        pass.is_ignored = outer;
        result?;
        if std::mem::replace(&mut pass.base_need, BaseNeed::Ignored) == BaseNeed::Seen {
            scopes.reject();
        }
    }
    if let Some(mut edits) = edits {
        tags::add_edits(tag_edits, &mut edits)?;
        edits.sort();
        pass_edits(&edits, output)?;
    }
    established.rejected = established.rejected.or(scopes.rejected);
    let (has_base, outside) = (candidates.scopes[0].base.end != 0, &candidates.base_outside_head);
    if let (None, false, Some(span)) = (&established.rejected, has_base, outside) {
        established.reject_outside_head(&decode_value(page, widen(span)), pass.settings.standard);
    }
    Ok(established)
}

/// Creates the document with its base, which is from the `base` element, if there is one.
fn new_document(
    page: &Page<'_>,
    candidates: &XmlCandidates,
    below: &BaseLayer,
    pass: &LinkPass<'_>,
) -> Result<Document, Error> {
    let scope = &candidates.scopes[0];
    let base = (scope.base.end > 0).then(|| widen(&scope.base));
    let location = base.as_ref().map(|span| page.locate(span.start));
    let href = base.map(|span| decode_value(page, span));
    let known = href.as_deref().filter(|_| scope.base_content == XmlContent::Known);
    let document = Document::new(known, below, pass.encoding, pass.settings, location)?;
    let mut document = document.with_base_use(base_use(scope, pass), known, pass.settings);
    if let (Some(href), None) = (&href, known) {
        document = document.with_unknown_base(RejectedBase::with_entity(href));
    }
    let rejected = document.established.rejected.take();
    document.established.rejected =
        rejected.map(|base| base.written_at(describe_base(page, scope)));
    Ok(document)
}

/// Reports the anchors and the `base` elements of a document.
///
/// An [`id`](https://dom.spec.whatwg.org/#concept-id) is an anchor in any namespace, and so is an
/// [`xml:id`](https://www.w3.org/TR/xml-id/).
pub(super) fn report_facts(page: &Page<'_>, candidates: &XmlCandidates, visit: &mut dyn Visit) {
    for (href, place) in &candidates.bases {
        let counts = candidates.scopes[0].base == *href;
        let href = page.source_range(widen(href));
        visit.base(&BaseTag { href, place: *place, counts });
    }
    if candidates.anchor_content != XmlContent::Known {
        visit.unknown_anchors();
    }
    for anchor in &candidates.anchors {
        let name = &page.bytes()[find_element_name(page.bytes(), anchor.element)];
        let element = spell_element(split_name(name).1, Namespace::Other);
        let span = widen(&anchor.value);
        visit.anchor(&Anchor {
            kind: anchor.kind,
            element: &element,
            value: &decode_value(page, span.clone()),
            span: page.source_range(span),
            is_ignored: candidates.is_marked(anchor.element),
        });
    }
}

/// Maximum total bytes of the base URLs of the scopes around a candidate, as each may repeat the
/// base URL outside it. The limit on a single base URL applies instead if it is higher or off.
const MAX_BASES_LEN: usize = 16 * 1024 * 1024;

/// The documents of the scopes around a candidate; the first is the whole document, always open.
struct OpenScopes<'d> {
    page: &'d Page<'d>,
    candidates: &'d XmlCandidates,
    /// The total bytes of the base URLs of `open`.
    length: usize,
    open: Vec<OpenScope>,
    /// The first unusable `xml:base` that a reference needs.
    rejected: Option<RejectedBase>,
}

/// A scope around a candidate.
struct OpenScope {
    /// The index in [`XmlCandidates::scopes`].
    number: u32,
    document: Document,
    /// The index of the open scope with the unusable `xml:base` that relative references of this
    /// scope need, if any.
    cause: Option<usize>,
}

impl<'d> OpenScopes<'d> {
    /// Opens the scope of the document.
    fn new(page: &'d Page<'d>, candidates: &'d XmlCandidates, document: Document) -> Self {
        Self {
            page,
            candidates,
            length: 0,
            open: vec![OpenScope { number: 0, document, cause: None }],
            rejected: None,
        }
    }

    /// Returns `Unseen` if relative references need the unusable `xml:base` of the current scope,
    /// and none is recorded yet. The pass then tracks whether a reference needs it.
    fn base_need(&self) -> BaseNeed {
        let has_cause = self.innermost().cause.is_some();
        if has_cause && self.rejected.is_none() { BaseNeed::Unseen } else { BaseNeed::Ignored }
    }

    /// Records the unusable `xml:base` that a reference of the current scope needs.
    fn reject(&mut self) {
        let cause = self.innermost().cause.map(|cause| &self.open[cause]);
        let Some(OpenScope { number, document, .. }) = cause else { return };
        let scope = &self.candidates.scopes[*number as usize];
        let rejected = document.established.rejected.clone();
        let describe = |base: RejectedBase| base.written_at(describe_base(self.page, scope));
        self.rejected = rejected.map(|base| describe(base.at_xml_base()));
    }

    /// Returns the current scope.
    fn innermost(&self) -> &OpenScope {
        &self.open[self.open.len() - 1]
    }

    /// Enters a scope, and leaves the scopes that do not contain it. Candidates come in the order
    /// of the source, so each scope is entered once.
    fn enter(&mut self, scope: u32, pass: &LinkPass<'_>) -> Result<(), Error> {
        let mut missing = Vec::new();
        let mut next = scope;
        let known = loop {
            match self.open.binary_search_by_key(&next, |open| open.number) {
                Ok(known) => break known,
                Err(_) => missing.push(next),
            }
            next = self.candidates.scopes.get(next as usize).map_or(0, |scope| scope.outer);
        };
        for closed in self.open.drain(known + 1..) {
            self.length -= base_length(&closed.document);
        }
        for number in missing.into_iter().rev() {
            self.push(number, pass)?;
        }
        Ok(())
    }

    fn push(&mut self, number: u32, pass: &LinkPass<'_>) -> Result<(), Error> {
        let scope = &self.candidates.scopes[number as usize];
        let span = widen(&scope.base);
        let location = self.page.locate(span.start);
        let href = decode_value(self.page, span);
        let OpenScope { document: outer, cause: outer_cause, .. } = self.innermost();
        let outer_cause = *outer_cause;
        let known = if scope.base_content == XmlContent::Known { &*href } else { "" };
        let base = (known, base_use(scope, pass));
        let mut document = outer.scope(base, pass.encoding, pass.settings, location)?;
        if scope.base_content != XmlContent::Known {
            document = document.with_unknown_base(RejectedBase::with_entity(&href));
        }
        let this_scope = Some(self.open.len());
        let cause = match &document.established.rejected {
            Some(rejected) if rejected.leaves_unresolved() => this_scope,
            Some(_) => outer_cause.or(this_scope),
            // An empty `xml:base` means the base of the outer scope.
            None if clean(known).is_empty() => outer_cause,
            None => None,
        };
        self.length += base_length(&document);
        let max = pass.settings.limits.base_url;
        let max = if max == 0 { 0 } else { max.max(MAX_BASES_LEN) };
        if Limits::exceeds(max, self.length) {
            return Err(Error::limit(Limit::BaseUrls, max, Some(location)));
        }
        self.open.push(OpenScope { number, document, cause });
        Ok(())
    }
}

/// Describes the base of a scope as written, for the message about an unusable base.
fn describe_base(page: &Page<'_>, scope: &XmlScope) -> WrittenBase {
    let (bytes, span) = (page.bytes(), widen(&scope.base));
    let (_, name) = split_name(&bytes[find_element_name(bytes, scope.element)]);
    WrittenBase {
        element: String::from_utf8_lossy(name).into_owned(),
        reference: decode_value(page, span.clone()),
        location: locate(bytes, span.start),
        span: page.source_range(span),
    }
}

/// Returns the use of the base of a scope: kept, if values relative to it stay unchanged.
fn base_use(scope: &XmlScope, pass: &LinkPass<'_>) -> BaseUse {
    if scope.content == XmlContent::Known { pass.base_use } else { BaseUse::Kept }
}

/// Returns the total bytes of both base URLs of a document.
fn base_length(document: &Document) -> usize {
    let bytes = |layer: &BaseLayer| layer.base().map_or(0, |base| base.as_str().len());
    bytes(&document.established.layer) + bytes(&document.established.below)
}

/// Creates the documents of the items of a feed: the base of each document is the link of the item.
struct FeedItems<'d> {
    page: &'d Page<'d>,
    candidates: &'d XmlCandidates,
    /// The index of the item that was entered last, and its document if its link is usable.
    last: Option<(usize, Option<Document>)>,
}

impl<'d> FeedItems<'d> {
    fn new(page: &'d Page<'d>, candidates: &'d XmlCandidates) -> Self {
        Self { page, candidates, last: None }
    }

    /// Returns the document of the item around a candidate, unless an `xml:base` is between them;
    /// `outer` is the document of the candidate's scope.
    fn find_document(
        &mut self,
        candidate: &XmlCandidate,
        outer: &Document,
        pass: &LinkPass<'_>,
    ) -> Result<Option<&Document>, Error> {
        let number = self.candidates.find_item(candidate.element);
        let items = &self.candidates.items;
        let in_scope = number.filter(|&number| items[number].scope == candidate.scope);
        let Some(number) = in_scope else { return Ok(None) };
        if self.last.as_ref().is_none_or(|(last, _)| *last != number) {
            let document = match &items[number].link {
                Some((kind, link)) => {
                    let (href, start) = self.read_link(link);
                    let is_name = *kind == ItemLink::Guid && is_identifier(&href);
                    let href = if is_name { String::new() } else { href };
                    outer.item(&href, pass.encoding, pass.settings, self.page.locate(start))?
                }
                None => None,
            };
            self.last = Some((number, document));
        }
        Ok(self.last.as_ref().and_then(|(_, document)| document.as_ref()))
    }

    /// Returns the reference of a link, and its offset.
    fn read_link(&self, link: &XmlPart) -> (String, usize) {
        match link {
            XmlPart::Attribute { value, .. } => {
                (decode_value(self.page, widen(value)), value.start as usize)
            }
            XmlPart::Text(pieces) => {
                let pieces = &self.candidates.pieces[widen(pieces)];
                let text = ElementText::new(self.page, pieces).whole_text().into_owned();
                (text, pieces[0].span().start)
            }
        }
    }
}
