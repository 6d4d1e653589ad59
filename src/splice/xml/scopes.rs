//! The bases of XML documents: those of the elements around a place.

use std::ops::Range;

use super::names::name_at;
use super::text::text;
use crate::base::{BaseLayer, RejectedBase, WrittenBase};
use crate::error::{Error, Limit};
use crate::link::{BaseUse, Document, Limits, LinkPass};
use crate::scan::xml::{XmlCandidates, XmlContent, location, split};
use crate::splice::page::Page;

/// Bytes that the base URLs of the scopes around a place may have together: every one may repeat
/// the one around it. A higher limit of one base URL counts for them too, and so does none.
const MAX_BASES: usize = 16 * 1024 * 1024;

/// The documents of the scopes around a place, from the outermost.
pub(super) struct Scopes<'d> {
    page: &'d Page<'d>,
    found: &'d XmlCandidates,
    /// Bytes of their base URLs.
    length: usize,
    open: Vec<(u32, Document)>,
    /// The first `xml:base` that is not usable.
    rejected: Option<RejectedBase>,
}

impl<'d> Scopes<'d> {
    /// The scope of the document alone.
    pub(super) fn new(page: &'d Page<'d>, found: &'d XmlCandidates, document: Document) -> Self {
        Self { page, found, length: 0, open: vec![(0, document)], rejected: None }
    }

    /// The first `xml:base` so far that is not usable.
    pub(super) fn into_rejected(self) -> Option<RejectedBase> {
        self.rejected
    }

    /// The document of a scope. Scopes come in the order of the source, so that each is entered
    /// once.
    pub(super) fn enter(&mut self, scope: u32, pass: &LinkPass<'_>) -> Result<&Document, Error> {
        let mut missing = Vec::new();
        let mut next = scope;
        let known = loop {
            match self.open.binary_search_by_key(&next, |(number, _)| *number) {
                Ok(known) => break known,
                Err(_) => missing.push(next),
            }
            next = self.found.scopes.get(next as usize).map_or(0, |scope| scope.outer);
        };
        for (_, document) in self.open.drain(known + 1..) {
            self.length -= length(&document);
        }
        for number in missing.into_iter().rev() {
            self.push(number, pass)?;
        }
        let last = self.open.len() - 1;
        Ok(&self.open[last].1)
    }

    fn push(&mut self, number: u32, pass: &LinkPass<'_>) -> Result<(), Error> {
        let scope = &self.found.scopes[number as usize];
        let span = scope.base.start as usize..scope.base.end as usize;
        let place = self.page.place(span.start);
        let href = text(self.page, span.clone());
        let outer = &self.open[self.open.len() - 1].1;
        let known = if scope.base_content == XmlContent::Known { &*href } else { "" };
        let own = (known, base_use(self.found, number as usize));
        let mut document = outer.scope(own, pass.encoding, pass.settings, place)?;
        if scope.base_content != XmlContent::Known {
            document = document.with_unknown_base(RejectedBase::with_entity(&href));
        }
        if self.rejected.is_none()
            && let Some(rejected) = &document.established.rejected
        {
            let written = written(self.page, scope.element, (span, href));
            self.rejected = Some(rejected.clone().of_xml_base().written_at(written));
        }
        self.length += length(&document);
        let max = match pass.settings.limits.base_url {
            0 => 0,
            one => one.max(MAX_BASES),
        };
        if Limits::exceeds(max, self.length) {
            return Err(Error::limit(Limit::BaseUrl, max, Some(place)));
        }
        self.open.push((number, document));
        Ok(())
    }
}

/// Where the value of a base is written.
pub(super) fn written(
    page: &Page<'_>,
    element: u32,
    (span, reference): (Range<usize>, String),
) -> WrittenBase {
    let bytes = page.bytes();
    let (_, name) = split(&bytes[name_at(bytes, element)]);
    WrittenBase {
        element: String::from_utf8_lossy(name).into_owned(),
        reference,
        location: location(bytes, span.start),
        span: page.source_range(span),
    }
}

/// What the base of a scope is for.
pub(super) fn base_use(found: &XmlCandidates, scope: usize) -> BaseUse {
    match found.scopes[scope].content {
        XmlContent::Known => BaseUse::Links,
        XmlContent::TextEntity | XmlContent::Entity => BaseUse::Entities,
    }
}

/// Bytes of the base URLs that a document keeps.
fn length(document: &Document) -> usize {
    let bytes = |layer: &BaseLayer| layer.base().map_or(0, |base| base.as_str().len());
    bytes(&document.established.layer) + bytes(&document.established.below)
}
