//! The documents of an archive as a table.

use std::sync::Arc;

use absolve::container::warc::{Headers, Page, RecordPosition, UnreadRecord};
use absolve::{Rewriter, Syntax};
use arrow_array::builder::{ArrayBuilder, Int32Builder, Int64Builder, MapBuilder, StringBuilder};
use arrow_array::{Array as _, ArrayRef, BinaryArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};

use super::rows::Rows;
use crate::columns::{BATCH, Stop, pool};

/// Documents of an archive, and records whose documents cannot be read.
#[derive(Debug)]
pub(super) struct PageRows {
    url: StringBuilder,
    date: StringBuilder,
    status: Int32Builder,
    mime: StringBuilder,
    html: Vec<u8>,
    /// Bytes of the documents; `None` for a failure.
    lengths: Vec<Option<usize>>,
    headers: MapBuilder<StringBuilder, StringBuilder>,
    places: Places,
    error: StringBuilder,
}

impl PageRows {
    /// No rows yet, with memory for documents of so many bytes.
    pub(super) fn new(max_bytes: usize) -> Self {
        let headers = MapBuilder::new(None, StringBuilder::new(), StringBuilder::new());
        Self {
            url: StringBuilder::new(),
            date: StringBuilder::new(),
            status: Int32Builder::new(),
            mime: StringBuilder::new(),
            html: pool::vector(max_bytes.min(BATCH) / 8 * 9),
            lengths: Vec::new(),
            headers,
            places: Places::default(),
            error: StringBuilder::new(),
        }
    }
}

/// Positions of records, as columns.
#[derive(Debug, Default)]
pub(super) struct Places {
    offset: Int64Builder,
    within: Int64Builder,
}

impl Places {
    /// Adds the position of so many rows.
    pub(super) fn add(&mut self, position: RecordPosition, rows: usize) {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.offset.append_value_n(number(position.offset), rows);
        self.within.append_value_n(number(position.within), rows);
    }

    pub(super) fn columns(mut self) -> [(&'static str, ArrayRef); 2] {
        [("offset", Arc::new(self.offset.finish())), ("within", Arc::new(self.within.finish()))]
    }
}

impl PageRows {
    fn headers(&mut self, headers: Option<&Headers<'_>>) {
        let is_known = headers.is_some();
        let mut fields: Vec<(String, String)> = Vec::new();
        for (name, value) in headers.into_iter().flat_map(Headers::fields) {
            let name = name.to_ascii_lowercase();
            // RFC 9110, section 5.3: one field with the values in their order.
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
        // There are as many keys as values.
        let _ = self.headers.append(is_known);
    }
}

/// The type in a `Content-Type`, without its parameters.
fn mime(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl Rows for PageRows {
    fn page(&mut self, page: &Page<'_>, _: &Rewriter) {
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
        self.mime.append_option(content_type.map(|text| mime(&text)));
        self.html.extend_from_slice(page.document());
        self.lengths.push(Some(page.document().len()));
        self.headers(http);
        self.places.add(page.position(), 1);
        self.error.append_null();
    }

    fn failure(&mut self, entry: &UnreadRecord, message: &str) {
        self.url.append_option(entry.target_uri.as_ref());
        self.date.append_null();
        self.status.append_null();
        self.mime.append_null();
        self.lengths.push(None);
        self.headers(None);
        self.places.add(entry.position, 1);
        self.error.append_value(message);
    }

    fn size(&self) -> usize {
        self.html.len() + self.error.values_slice().len()
    }

    fn is_empty(&self) -> bool {
        self.places.offset.is_empty()
    }
}

impl PageRows {
    pub(super) fn array(mut self) -> Result<StructArray, Stop> {
        let [offset, within] = self.places.columns();
        let lengths = self.lengths.iter().map(|length| length.unwrap_or_default());
        let present: NullBuffer = self.lengths.iter().map(Option::is_some).collect();
        let (ends, bytes) = (OffsetBuffer::from_lengths(lengths), pool::buffer(self.html));
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
        table(columns)
    }
}

/// A struct of these columns, each of which may have nulls.
pub(super) fn table(columns: Vec<(&str, ArrayRef)>) -> Result<StructArray, Stop> {
    let field =
        |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), true);
    let fields: Fields = columns.iter().map(field).collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(StructArray::try_new(fields, columns, None)?)
}
