//! The links of the documents of an archive as a table.

use std::sync::Arc;

use absolve::Rewriter;
use absolve::container::warc::{Entry, Page, RecordPosition};
use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, StructArray};

use super::pages::{Places, table};
use super::reader::Rows;
use crate::columns::{Listed, Stop, link_fields};
use crate::document::{LinkRecord, Unit};
use crate::errors::catch;

/// Links of an archive, and failures of documents.
#[derive(Debug, Default)]
pub(super) struct LinkRows {
    /// The URL of each document that has a row, and its place.
    pages: Vec<(Option<String>, RecordPosition)>,
    listed: Listed,
    size: usize,
}

impl Rows for LinkRows {
    fn page(&mut self, page: &Page<'_>, options: &Rewriter) {
        /// Bytes of the columns of a link beside its references.
        const ROW: usize = 200;
        let document = page.document();
        let result = catch(|| LinkRecord::all(document, Unit::Byte, &page.rewriter(options)));
        let number = self.pages.len();
        match result {
            Ok(links) => {
                // Many short links are larger than their document.
                self.size += document.len().max(links.len() * ROW);
                self.listed.rows.extend(links.into_iter().map(|link| (number, Ok(link))));
            }
            Err(failure) => {
                let name = page.position().to_string();
                let message = failure.message(&name, Unit::Byte);
                self.size += document.len();
                self.listed.rows.push((number, Err(message)));
            }
        }
        let url = page.record().target_uri().map(Into::into);
        self.pages.push((url, page.position()));
    }

    fn failure(&mut self, entry: &Entry, message: &str) {
        self.listed.rows.push((self.pages.len(), Err(message.to_owned())));
        self.pages.push((entry.target_uri.clone(), entry.position));
        self.size += message.len();
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn array(self) -> Result<StructArray, Stop> {
        let mut urls = StringBuilder::new();
        let mut places = Places::default();
        for (number, _) in &self.listed.rows {
            let (url, position) = &self.pages[*number];
            urls.append_option(url.as_deref());
            places.add(*position);
        }
        let links = self.listed.array(link_fields())?;
        let mut columns: Vec<(&str, ArrayRef)> = vec![("page", Arc::new(urls.finish()))];
        columns.extend(places.columns());
        let listed = links.fields().iter().map(|field| field.name().as_str());
        columns.extend(listed.zip(links.columns().iter().cloned()).skip(1));
        table(columns)
    }
}
