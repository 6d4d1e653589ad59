//! Links of documents of an array.

use std::fmt::Display;

use absolve::url::Base;
use absolve::{Link, Rewriter};
use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{DataType, Field, Fields};

use super::bases::Bases;
use super::batches::{ThreadState, Threads};
use super::column::Column;
use super::queue::{Batch, Output};
use super::stop::Stop;
use super::values::{Numbers, Texts};
use crate::document::{Places, Unit};
use crate::errors::{Failure, catch};

/// The columns of strings, after `document`.
const TEXTS: [&str; 8] =
    ["error", "element", "attribute", "grammar", "reference", "url", "base", "base_source"];

/// The columns of numbers, after these.
const NUMBERS: [&str; 4] = ["start", "end", "line", "column"];

/// The fields of the result.
pub(crate) fn fields() -> Fields {
    let document = Field::new("document", DataType::Int64, false);
    let texts = TEXTS.map(|name| Field::new(name, DataType::Utf8, true));
    let numbers = NUMBERS.map(|name| Field::new(name, DataType::Int64, true));
    std::iter::once(document).chain(texts).chain(numbers).collect()
}

/// Lists the links; an array a chunk.
pub(super) fn links(
    documents: &Column,
    bases: &Bases,
    threads: Threads,
) -> Result<Vec<StructArray>, Stop> {
    let outputs = threads.each_chunk(documents, LinkColumns::default, |state, batch, output| {
        list_batch(documents, bases, state, batch, output)
    })?;
    outputs.into_iter().map(LinkColumns::array).collect()
}

fn list_batch(
    documents: &Column,
    bases: &Bases,
    state: &mut ThreadState,
    batch: &Batch,
    output: &mut LinkColumns,
) -> Result<(), Stop> {
    let first = documents.rows(batch.chunk).start;
    for row in batch.rows.clone().map(|row| first + row) {
        let Some(document) = documents.checked(row)? else { continue };
        let name = format_args!("row {row}");
        let unit = documents.unit(document);
        let document = Document { row, name: &name, source: document, unit };
        match bases.options(&mut state.last_base, row)? {
            Ok(options) => drop(output.list(&document, options, usize::MAX)),
            Err(error) => output.failure(&document, &error.into()),
        }
        if output.overflows() {
            return Err(Stop::TEXT_OVERFLOW);
        }
    }
    Ok(())
}

/// A document of an array.
pub(crate) struct Document<'d> {
    pub(super) row: usize,
    /// In the message about a bug.
    pub(super) name: &'d dyn Display,
    pub(super) source: &'d [u8],
    pub(super) unit: Unit<'d>,
}

impl<'d> Document<'d> {
    /// A document of bytes.
    pub(crate) fn of_bytes(row: usize, name: &'d dyn Display, source: &'d [u8]) -> Self {
        Self { row, name, source, unit: Unit::Byte }
    }
}

/// Links as columns, each with the row of its document; an error for a document that fails.
#[derive(Debug, Default)]
pub(crate) struct LinkColumns {
    documents: Numbers,
    texts: [Texts; TEXTS.len()],
    numbers: [Numbers; NUMBERS.len()],
}

/// The links of a document exceed the bytes that they may have.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl LinkColumns {
    /// Adds the links of a document, or its error alone.
    ///
    /// # Errors
    ///
    /// If the columns would have more than `max_bytes`; then nothing is added.
    pub(crate) fn list(
        &mut self,
        document: &Document<'_>,
        options: &Rewriter,
        max_bytes: usize,
    ) -> Result<(), TooLarge> {
        let first = self.len();
        let mut places = None;
        let mut is_full = false;
        let result = catch(|| {
            options.links(document.source, |link| {
                is_full |= self.overflows() || self.size() > max_bytes;
                if !is_full {
                    self.link(document, link, &mut places);
                }
            })
        });
        if let Err(failure) = &result {
            self.truncate(first);
            self.failure(document, failure);
        } else if is_full && max_bytes < usize::MAX {
            self.truncate(first);
            return Err(TooLarge);
        }
        Ok(())
    }

    /// Adds a link of a document, whose places are found from one link to the next.
    pub(super) fn link<'d>(
        &mut self,
        document: &Document<'d>,
        link: &Link<'_>,
        places: &mut Option<Places<'d>>,
    ) {
        let places = places
            .get_or_insert_with(|| Places::new(document.source, document.unit, link.encoding()));
        // A style sheet that is a document has no elements.
        let is_in_element = !link.element().is_empty();
        self.row(
            document.row,
            [
                None,
                is_in_element.then_some(link.element()),
                is_in_element.then_some(link.attribute()),
                Some(link.grammar().name()),
                Some(link.reference()),
                link.url(),
                link.base().map(Base::as_str),
                Some(link.base_source().name()),
            ],
            link.span().map(|span| {
                let (start, end) = places.span(&span);
                let place = places.line_and_column(span.start);
                [start as u64, end as u64, place.0, place.1]
            }),
        );
    }

    /// Adds the error of a document.
    pub(crate) fn failure(&mut self, document: &Document<'_>, failure: &Failure) {
        let message = failure.message(&document.name.to_string(), document.unit);
        self.error(document.row, &message);
    }

    /// Adds the error of a row.
    pub(crate) fn error(&mut self, row: usize, message: &str) {
        let mut texts = [None; TEXTS.len()];
        texts[0] = Some(message);
        self.row(row, texts, None);
    }

    fn row(
        &mut self,
        row: usize,
        texts: [Option<&str>; TEXTS.len()],
        numbers: Option<[u64; NUMBERS.len()]>,
    ) {
        self.documents.push(Some(row as u64));
        self.texts.iter_mut().zip(texts).for_each(|(column, text)| column.push(text));
        for (place, column) in self.numbers.iter_mut().enumerate() {
            column.push(numbers.map(|numbers| numbers[place]));
        }
    }

    /// The rows of the documents of the links, in their order.
    pub(crate) fn documents(&self) -> impl Iterator<Item = usize> {
        self.documents.values().iter().map(|&row| usize::try_from(row).unwrap_or(usize::MAX))
    }

    pub(crate) fn len(&self) -> usize {
        self.documents.values().len()
    }

    /// Bytes of the columns.
    pub(crate) fn size(&self) -> usize {
        /// Of the numbers of a link, and of the offsets of its strings.
        const ROW: usize = 8 * (1 + NUMBERS.len()) + 4 * TEXTS.len();
        self.texts.iter().map(Texts::size).sum::<usize>() + self.len() * ROW
    }

    fn overflows(&self) -> bool {
        self.texts.iter().any(Texts::overflows)
    }

    fn truncate(&mut self, rows: usize) {
        self.documents.truncate(rows);
        self.texts.iter_mut().for_each(|column| column.truncate(rows));
        self.numbers.iter_mut().for_each(|column| column.truncate(rows));
    }

    /// A row a link, with the fields of [`fields`].
    pub(crate) fn array(self) -> Result<StructArray, Stop> {
        let mut columns: Vec<ArrayRef> = vec![self.documents.array()];
        for texts in self.texts {
            columns.push(texts.array()?);
        }
        columns.extend(self.numbers.into_iter().map(Numbers::array));
        Ok(StructArray::try_new(fields(), columns, None)?)
    }
}

impl Output for LinkColumns {
    fn append(&mut self, next: Self) -> Result<(), Stop> {
        self.documents.append(next.documents);
        for (column, next) in self.texts.iter_mut().zip(next.texts) {
            column.append(next)?;
        }
        for (column, next) in self.numbers.iter_mut().zip(next.numbers) {
            column.append(next);
        }
        Ok(())
    }
}
