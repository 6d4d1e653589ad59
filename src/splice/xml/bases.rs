//! The bases of XML documents: those of the elements around a candidate, and of the items of a
//! feed.

use super::place::{name_at, text};

use crate::base::{BaseLayer, RejectedBase, WrittenBase};
use crate::error::{Error, Limit, Limits};
use crate::link::{BaseNeed, BaseUse, Document, LinkPass, is_identifier};
use crate::scan::xml::{
    ItemLink, Scope, XmlCandidate, XmlCandidates, XmlContent, XmlPlace, location, split, wide,
};
use crate::splice::page::Page;
use crate::splice::style::Style;
use crate::url::clean;

/// Maximum total bytes of the base URLs of the scopes around a candidate: each may repeat the one
/// around it. A higher or disabled limit on a single base URL applies instead.
const MAX_BASES: usize = 16 * 1024 * 1024;

/// The documents of the scopes around a candidate, from the outermost.
pub(super) struct Scopes<'d> {
    page: &'d Page<'d>,
    found: &'d XmlCandidates,
    /// Total bytes of their base URLs.
    length: usize,
    open: Vec<OpenScope>,
    /// The first `xml:base` that is not usable although a reference needs it.
    pub(super) rejected: Option<RejectedBase>,
}

/// A scope around a candidate.
pub(super) struct OpenScope {
    number: u32,
    pub(super) document: Document,
    /// The index of the open scope whose `xml:base` is not usable, if relative references of this
    /// scope need it.
    cause: Option<usize>,
}

impl<'d> Scopes<'d> {
    /// Creates the scope of the document alone.
    pub(super) fn new(page: &'d Page<'d>, found: &'d XmlCandidates, document: Document) -> Self {
        Self {
            page,
            found,
            length: 0,
            open: vec![OpenScope { number: 0, document, cause: None }],
            rejected: None,
        }
    }

    /// Whether a reference in the current scope needs a base whose rejection is not reported yet.
    pub(super) fn base_need(&self) -> BaseNeed {
        let has_cause = self.innermost().cause.is_some();
        if has_cause && self.rejected.is_none() { BaseNeed::Unseen } else { BaseNeed::Ignored }
    }

    /// Reports the unusable `xml:base` that a reference of the current scope needs.
    pub(super) fn reject(&mut self) {
        let cause = self.innermost().cause.map(|cause| &self.open[cause]);
        let Some(OpenScope { number, document, .. }) = cause else { return };
        let scope = &self.found.scopes[*number as usize];
        let rejected = document.established.rejected.clone();
        let written = |base: RejectedBase| base.written_at(written(self.page, scope));
        self.rejected = rejected.map(|base| written(base.at_xml_base()));
    }

    /// The current scope; that of the document is always open.
    pub(super) fn innermost(&self) -> &OpenScope {
        &self.open[self.open.len() - 1]
    }

    /// Enters a scope. Scopes come in the order of the source, so that each is entered once.
    pub(super) fn enter(&mut self, scope: u32, pass: &LinkPass<'_>) -> Result<(), Error> {
        let mut missing = Vec::new();
        let mut next = scope;
        let known = loop {
            match self.open.binary_search_by_key(&next, |open| open.number) {
                Ok(known) => break known,
                Err(_) => missing.push(next),
            }
            next = self.found.scopes.get(next as usize).map_or(0, |scope| scope.outer);
        };
        for left in self.open.drain(known + 1..) {
            self.length -= length(&left.document);
        }
        for number in missing.into_iter().rev() {
            self.push(number, pass)?;
        }
        Ok(())
    }

    fn push(&mut self, number: u32, pass: &LinkPass<'_>) -> Result<(), Error> {
        let scope = &self.found.scopes[number as usize];
        let span = wide(&scope.base);
        let place = self.page.place(span.start);
        let href = text(self.page, span);
        let OpenScope { document: outer, cause: outer_cause, .. } = self.innermost();
        let outer_cause = *outer_cause;
        let known = if scope.base_content == XmlContent::Known { &*href } else { "" };
        let own = (known, base_use(scope, pass));
        let mut document = outer.scope(own, pass.encoding, pass.settings, place)?;
        if scope.base_content != XmlContent::Known {
            document = document.with_unknown_base(RejectedBase::with_entity(&href));
        }
        let own = Some(self.open.len());
        let cause = match &document.established.rejected {
            Some(rejected) if rejected.leaves_unresolved() => own,
            Some(_) => outer_cause.or(own),
            // An empty `xml:base` is that of the scope around it.
            None if clean(known).is_empty() => outer_cause,
            None => None,
        };
        self.length += length(&document);
        let max = pass.settings.limits.base_url;
        let max = if max == 0 { 0 } else { max.max(MAX_BASES) };
        if Limits::exceeds(max, self.length) {
            return Err(Error::limit(Limit::BaseUrls, max, Some(place)));
        }
        self.open.push(OpenScope { number, document, cause });
        Ok(())
    }
}

/// The value of a base, and its place.
pub(super) fn written(page: &Page<'_>, scope: &Scope) -> WrittenBase {
    let (bytes, span) = (page.bytes(), wide(&scope.base));
    let (_, name) = split(&bytes[name_at(bytes, scope.element)]);
    WrittenBase {
        element: String::from_utf8_lossy(name).into_owned(),
        reference: text(page, span.clone()),
        location: location(bytes, span.start),
        span: page.source_range(span),
    }
}

/// The purpose of the base of a scope.
pub(super) fn base_use(scope: &Scope, pass: &LinkPass<'_>) -> BaseUse {
    if scope.content == XmlContent::Known { pass.base_use } else { BaseUse::Kept }
}

/// Bytes of the base URLs of a document.
fn length(document: &Document) -> usize {
    let bytes = |layer: &BaseLayer| layer.base().map_or(0, |base| base.as_str().len());
    bytes(&document.established.layer) + bytes(&document.established.below)
}

/// The document of the item around a candidate, whose base is the link of the item.
pub(super) struct Items<'d> {
    page: &'d Page<'d>,
    found: &'d XmlCandidates,
    /// The item that was entered last, and its document if its link is usable.
    last: Option<(usize, Option<Document>)>,
}

impl<'d> Items<'d> {
    pub(super) fn new(page: &'d Page<'d>, found: &'d XmlCandidates) -> Self {
        Self { page, found, last: None }
    }

    /// The document of the item around a candidate, unless an `xml:base` is between them; `outer`
    /// is that of the scope of the candidate.
    pub(super) fn document(
        &mut self,
        candidate: &XmlCandidate,
        outer: &Document,
        pass: &LinkPass<'_>,
    ) -> Result<Option<&Document>, Error> {
        let number = self.found.item(candidate.element);
        let items = &self.found.items;
        let found = number.filter(|&number| items[number].scope == candidate.scope);
        let Some(number) = found else { return Ok(None) };
        if self.last.as_ref().is_none_or(|(last, _)| *last != number) {
            let document = match &items[number].link {
                Some((kind, link)) => {
                    let (href, start) = self.link(link);
                    let is_name = *kind == ItemLink::Guid && is_identifier(&href);
                    let href = if is_name { String::new() } else { href };
                    outer.item(&href, pass.encoding, pass.settings, self.page.place(start))?
                }
                None => None,
            };
            self.last = Some((number, document));
        }
        Ok(self.last.as_ref().and_then(|(_, document)| document.as_ref()))
    }

    /// The reference of a link, and its offset.
    fn link(&self, link: &XmlPlace) -> (String, usize) {
        match link {
            XmlPlace::Attribute { value, .. } => {
                (text(self.page, wide(value)), value.start as usize)
            }
            XmlPlace::Text(pieces) => {
                let pieces = &self.found.pieces[wide(pieces)];
                (Style::new(self.page, pieces).whole().into_owned(), pieces[0].span().start)
            }
        }
    }
}
