//! Makes tables of the documents in an archive, or of their links.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use absolve::{Buffers, Rewriter, Syntax};
use absolve_archive::warc::{Headers, Page, RecordPosition, UnreadRecord};
use arrow_array::builder::{ArrayBuilder, Int32Builder, Int64Builder, MapBuilder, StringBuilder};
use arrow_array::{ArrayRef, BinaryArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};

use crate::columns::{
    BATCH_BYTES, Document, LinkColumns, LinkStream, Selection, Texts, TooLarge, make_table, pool,
};
use crate::errors::ArrayError;

/// The rows of a batch, which documents are added to.
pub(super) trait Rows {
    /// Adds a document.
    fn add_page(&mut self, page: &Page<'_>, options: &Rewriter);
    /// Adds a record whose document cannot be read.
    fn add_failure(&mut self, entry: &UnreadRecord, message: &str);
    /// The size of the documents, in bytes.
    fn size(&self) -> usize;
    fn is_empty(&self) -> bool;
}

/// The documents of an archive, and records without a readable one.
#[derive(Debug)]
pub(super) struct PageRows {
    url: StringBuilder,
    date: StringBuilder,
    status: Int32Builder,
    mime: StringBuilder,
    html: Vec<u8>,
    /// The length of each document; `None` for a failure.
    lengths: Vec<Option<usize>>,
    headers: MapBuilder<StringBuilder, StringBuilder>,
    positions: PositionColumns,
    error: StringBuilder,
}

impl PageRows {
    /// Makes empty rows, with memory for documents of `max_bytes` and an eighth more, since the
    /// last document may exceed them.
    pub(super) fn new(max_bytes: usize) -> Self {
        let headers = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        Self {
            url: StringBuilder::new(),
            date: StringBuilder::new(),
            status: Int32Builder::new(),
            mime: StringBuilder::new(),
            html: pool::take_empty(max_bytes.min(BATCH_BYTES) / 8 * 9),
            lengths: Vec::new(),
            headers,
            positions: PositionColumns::default(),
            error: StringBuilder::new(),
        }
    }
}

/// The positions of records as columns.
#[derive(Debug, Default)]
pub(super) struct PositionColumns {
    offset: Int64Builder,
    within: Int64Builder,
}

impl PositionColumns {
    /// Adds a position to `rows` rows.
    pub(super) fn add(&mut self, position: RecordPosition, rows: usize) {
        let to_i64 = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.offset.append_value_n(to_i64(position.offset), rows);
        self.within.append_value_n(to_i64(position.within), rows);
    }

    pub(super) fn into_columns(mut self) -> [(&'static str, ArrayRef); 2] {
        [("offset", Arc::new(self.offset.finish())), ("within", Arc::new(self.within.finish()))]
    }
}

impl PageRows {
    fn add_headers(&mut self, headers: Option<&Headers<'_>>) {
        let is_known = headers.is_some();
        let mut fields: Vec<(String, String)> = Vec::new();
        for (name, value) in headers.into_iter().flat_map(Headers::fields) {
            let name = name.to_ascii_lowercase();
            // RFC 9110, section 5.3: repeated fields equal one field with all values in order.
            match fields.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => {
                    values.push_str(", ");
                    values.push_str(&value);
                }
                None => fields.push((name, value.into_owned())),
            }
        }
        for (name, value) in fields {
            self.headers.keys().append_value(name);
            self.headers.values().append_value(value);
        }
        // The numbers of keys and values are equal.
        let _ = self.headers.append(is_known);
    }
}

impl Rows for PageRows {
    fn add_page(&mut self, page: &Page<'_>, _: &Rewriter) {
        if page.syntax() != Syntax::Html {
            return;
        }
        let http = page.http_headers();
        let content_type = match http {
            Some(headers) => headers.text("Content-Type"),
            None => page.record().headers().text("Content-Type"),
        };
        self.url.append_option(page.url());
        self.date.append_option(page.date());
        self.status.append_option(page.status().map(i32::from));
        // The column has the type without its parameters.
        let mime = content_type.as_deref().and_then(|text| text.split(';').next());
        self.mime.append_option(mime.map(|text| text.trim().to_ascii_lowercase()));
        self.html.extend_from_slice(page.document());
        self.lengths.push(Some(page.document().len()));
        self.add_headers(http);
        self.positions.add(page.position(), 1);
        self.error.append_null();
    }

    fn add_failure(&mut self, entry: &UnreadRecord, message: &str) {
        self.url.append_option(entry.target_uri.as_ref());
        self.date.append_null();
        self.status.append_null();
        self.mime.append_null();
        self.lengths.push(None);
        self.add_headers(None);
        self.positions.add(entry.position, 1);
        self.error.append_value(message);
    }

    fn size(&self) -> usize {
        self.html.len() + self.error.values_slice().len()
    }

    fn is_empty(&self) -> bool {
        self.positions.offset.is_empty()
    }
}

impl PageRows {
    pub(super) fn into_array(mut self) -> Result<StructArray, ArrayError> {
        let [offset, within] = self.positions.into_columns();
        let lengths = self.lengths.iter().map(|length| length.unwrap_or_default());
        let present: NullBuffer = self.lengths.iter().map(Option::is_some).collect();
        let (ends, bytes) = (OffsetBuffer::from_lengths(lengths), pool::into_buffer(self.html));
        let html = BinaryArray::try_new(ends, bytes, Some(present))?;
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("url", Arc::new(self.url.finish())),
            ("date", Arc::new(self.date.finish())),
            ("status", Arc::new(self.status.finish())),
            ("mime", Arc::new(self.mime.finish())),
            ("html", Arc::new(html)),
            ("headers", Arc::new(self.headers.finish())),
            offset,
            within,
            ("error", Arc::new(self.error.finish())),
        ];
        make_table(columns, 0)
    }
}

/// The links of an archive, and the failures of documents.
#[derive(Debug)]
pub(super) struct LinkRows {
    tables: VecDeque<LinkTable>,
    last: PageLinks,
    size: usize,
    buffers: Buffers,
}

/// The links of several documents, or of one document with many links.
#[derive(Debug)]
pub(super) enum LinkTable {
    /// Links of documents that have few.
    Small(Box<PageLinks>),
    /// A document whose links exceed a batch, and are not listed yet.
    Large { page: PageName, source: Vec<u8>, options: Box<Rewriter> },
    /// Such a document while its links are listed.
    Stream { page: PageName, stream: LinkStream },
}

/// The URL and the position of a document.
type PageName = (Option<String>, RecordPosition);

/// The links of documents, and the URL and the position of each document.
#[derive(Debug)]
pub(super) struct PageLinks {
    pages: Vec<PageName>,
    links: LinkColumns,
}

impl LinkTable {
    /// Returns the first rows, and the table of the others; `None` if no row is left.
    pub(super) fn take_batch(
        self,
        columns: &Selection,
    ) -> Result<Option<(StructArray, Option<Self>)>, ArrayError> {
        let (page, stream) = match self {
            Self::Small(links) => return Ok(Some((links.into_array()?, None))),
            Self::Large { page, source, options } => {
                let (name, columns) = (page.1.to_string(), LinkColumns::new(columns));
                (page, LinkStream::from_bytes(source, name, *options, columns, BATCH_BYTES)?)
            }
            Self::Stream { page, stream } => (page, stream),
        };
        let Some(links) = stream.next() else { return Ok(None) };
        let array = PageLinks { pages: vec![page.clone()], links: links? }.into_array()?;
        Ok(Some((array, Some(Self::Stream { page, stream }))))
    }
}

impl LinkRows {
    /// Makes empty rows with these columns.
    pub(super) fn new(columns: &Selection) -> Self {
        let last = PageLinks { pages: Vec::new(), links: LinkColumns::new(columns) };
        Self { tables: VecDeque::new(), last, size: 0, buffers: Buffers::new() }
    }

    /// Returns the tables in the order of the documents.
    pub(super) fn into_tables(mut self) -> VecDeque<LinkTable> {
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
    fn add_page(&mut self, page: &Page<'_>, options: &Rewriter) {
        let (source, options) = (page.document(), page.rewriter(options));
        let page: PageName = (page.url().map(Into::into), page.position());
        let PageLinks { pages, links } = &mut self.last;
        let size = links.size();
        let document = Document::from_bytes(pages.len(), &page.1, source);
        let max_bytes = size + BATCH_BYTES;
        if let Err(TooLarge) = links.list(&document, &options, &mut self.buffers, max_bytes) {
            self.end_table();
            self.size += source.len();
            let (source, options) = (source.to_vec(), Box::new(options));
            self.tables.push_back(LinkTable::Large { page, source, options });
            return;
        }
        self.size += source.len().max(links.size() - size);
        pages.push(page);
    }

    fn add_failure(&mut self, entry: &UnreadRecord, message: &str) {
        let PageLinks { pages, links } = &mut self.last;
        links.add_error(pages.len(), message.to_owned());
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
    fn into_array(self) -> Result<StructArray, ArrayError> {
        let mut urls = Texts::default();
        let mut positions = PositionColumns::default();
        for (row, links) in self.links.documents() {
            let (url, position) = &self.pages[row];
            (0..links).for_each(|_| urls.push(url.as_deref()));
            positions.add(*position, links);
        }
        let mut columns = vec![("page", urls.into_array()?)];
        columns.extend(positions.into_columns());
        columns.extend(self.links.into_columns()?.into_iter().skip(1));
        make_table(columns, 0)
    }
}
