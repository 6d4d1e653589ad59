//! The bases of the items of a feed: their links.

use super::names::text;
use crate::error::Error;
use crate::link::{Document, LinkPass, is_identifier};
use crate::scan::xml::{ItemLink, XmlCandidate, XmlCandidates, XmlPlace, wide};
use crate::splice::page::Page;
use crate::splice::style::Style;

/// The document of the item around a place, whose base is the link of the item.
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

    /// The document of the item that a candidate is in, unless there is an `xml:base` between them;
    /// `outer` is that of the scope of the candidate.
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

    /// The reference of a link, and where it begins.
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
