//! The links of the documents of an archive as a table.

use std::collections::VecDeque;
use std::mem;

use absolve::Rewriter;
use absolve::container::warc::{Page, RecordPosition, UnreadRecord};
use arrow_array::{ArrayRef, StructArray};

use super::pages::{Places, table};
use super::rows::Rows;
use crate::columns::{BATCH, Document, LinkColumns, LinkStream, Selection, Stop, Texts, TooLarge};

/// Links of an archive, and failures of documents.
#[derive(Debug)]
pub(super) struct LinkRows {
    tables: VecDeque<LinkTable>,
    last: PageLinks,
    size: usize,
}

/// Links of documents, as one table or as several.
#[derive(Debug)]
pub(super) enum LinkTable {
    /// Of documents that have few.
    Small(Box<PageLinks>),
    /// Of a document that has more than a batch, which are not listed yet.
    Large { page: PageName, source: Vec<u8>, options: Box<Rewriter> },
    /// Of the same document, while they are listed.
    Stream { page: PageName, stream: LinkStream },
}

/// The URL of a document, and its place.
type PageName = (Option<String>, RecordPosition);

/// Links, and the documents that they are of.
#[derive(Debug)]
pub(super) struct PageLinks {
    pages: Vec<PageName>,
    links: LinkColumns,
}

impl LinkTable {
    /// The first rows, and the table of the others; `None` where no row is left.
    pub(super) fn take(
        self,
        columns: &Selection,
    ) -> Result<Option<(StructArray, Option<Self>)>, Stop> {
        let (page, stream) = match self {
            Self::Small(links) => return Ok(Some((links.array()?, None))),
            Self::Large { page, source, options } => {
                let (name, columns) = (page.1.to_string(), LinkColumns::new(columns));
                (page, LinkStream::of_bytes(source, name, *options, columns, BATCH)?)
            }
            Self::Stream { page, stream } => (page, stream),
        };
        let Some(links) = stream.next() else { return Ok(None) };
        let array = PageLinks { pages: vec![page.clone()], links: links? }.array()?;
        Ok(Some((array, Some(Self::Stream { page, stream }))))
    }
}

impl LinkRows {
    /// No rows yet, with these columns.
    pub(super) fn new(columns: &Selection) -> Self {
        let last = PageLinks { pages: Vec::new(), links: LinkColumns::new(columns) };
        Self { tables: VecDeque::new(), last, size: 0 }
    }

    /// The tables, in the order of the documents.
    pub(super) fn tables(mut self) -> VecDeque<LinkTable> {
        self.end_table();
        self.tables
    }

    fn end_table(&mut self) {
        if !self.last.pages.is_empty() {
            let pages = mem::take(&mut self.last.pages);
            let last = PageLinks { pages, links: self.last.links.take() };
            self.tables.push_back(LinkTable::Small(Box::new(last)));
        }
    }
}

impl Rows for LinkRows {
    fn page(&mut self, page: &Page<'_>, options: &Rewriter) {
        let (source, options) = (page.document(), page.rewriter(options));
        let page: PageName = (page.url().map(Into::into), page.position());
        let PageLinks { pages, links } = &mut self.last;
        let size = links.size();
        let document = Document::of_bytes(pages.len(), &page.1, source);
        if let Err(TooLarge) = links.list(&document, &options, size + BATCH) {
            self.end_table();
            self.size += source.len();
            let (source, options) = (source.to_vec(), Box::new(options));
            self.tables.push_back(LinkTable::Large { page, source, options });
            return;
        }
        self.size += source.len().max(links.size() - size);
        pages.push(page);
    }

    fn failure(&mut self, entry: &UnreadRecord, message: &str) {
        let PageLinks { pages, links } = &mut self.last;
        links.error(pages.len(), message);
        pages.push((entry.target_uri.clone(), entry.position));
        self.size += message.len();
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_empty(&self) -> bool {
        self.tables.is_empty() && self.last.pages.is_empty()
    }
}

impl PageLinks {
    fn array(self) -> Result<StructArray, Stop> {
        let mut urls = Texts::default();
        let mut places = Places::default();
        for (row, links) in self.links.documents() {
            let (url, position) = &self.pages[row];
            (0..links).for_each(|_| urls.push(url.as_deref()));
            places.add(*position, links);
        }
        let links = self.links.array()?;
        let mut columns: Vec<(&str, ArrayRef)> = vec![("page", urls.array()?)];
        columns.extend(places.columns());
        let listed = links.fields().iter().map(|field| field.name().as_str());
        columns.extend(listed.zip(links.columns().iter().cloned()).skip(1));
        table(columns)
    }
}
