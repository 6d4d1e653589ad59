//! Links of documents of an array.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, StringArray, StructArray};
use arrow_schema::{DataType, Field, Fields};

use super::bases::Bases;
use super::batches::{Batch, Output, ThreadState, Threads};
use super::column::Column;
use super::stop::Stop;
use crate::document::LinkRecord;
use crate::errors::catch;

/// The fields of the result.
pub(crate) fn fields() -> Fields {
    let text = |name: &str| Field::new(name, DataType::Utf8, true);
    let number = |name: &str| Field::new(name, DataType::Int64, true);
    Fields::from(vec![
        Field::new("document", DataType::Int64, false),
        text("error"),
        text("element"),
        text("attribute"),
        text("grammar"),
        text("reference"),
        text("url"),
        text("base"),
        text("base_source"),
        number("start"),
        number("end"),
        number("line"),
        number("column"),
    ])
}

/// Lists the links; an array a chunk.
pub(super) fn links(
    documents: &Column,
    bases: &Bases,
    threads: Threads,
) -> Result<Vec<StructArray>, Stop> {
    let outputs = threads.each_chunk(documents, Listed::default, |state, batch, output| {
        list_batch(documents, bases, state, batch, output)
    })?;
    outputs.into_iter().map(|output| output.array(fields())).collect()
}

fn list_batch(
    documents: &Column,
    bases: &Bases,
    state: &mut ThreadState,
    batch: &Batch,
    output: &mut Listed,
) -> Result<(), Stop> {
    let first = documents.rows(batch.chunk).start;
    for row in batch.rows.clone().map(|row| first + row) {
        let Some(document) = documents.checked(row)? else { continue };
        let unit = documents.unit(document);
        let result = match bases.options(&mut state.last_base, row)? {
            Ok(options) => catch(|| LinkRecord::all(document, unit, options)),
            Err(error) => Err(error.into()),
        };
        match result {
            Ok(links) => output.rows.extend(links.into_iter().map(|link| (row, Ok(link)))),
            Err(failure) => {
                let message = failure.message(&format!("row {row}"), unit);
                output.rows.push((row, Err(message)));
            }
        }
    }
    Ok(())
}

/// Links of a chunk, each with the row of its document; an error for a document that fails.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) rows: Vec<(usize, Result<LinkRecord, String>)>,
}

impl Output for Listed {
    fn append(&mut self, mut next: Self) -> Result<(), Stop> {
        self.rows.append(&mut next.rows);
        Ok(())
    }
}

impl Listed {
    /// A row a link, with the fields of [`fields`].
    pub(crate) fn array(self, fields: Fields) -> Result<StructArray, Stop> {
        let rows = &self.rows;
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let documents: Int64Array = rows.iter().map(|(row, _)| Some(number(*row as u64))).collect();
        let errors = rows.iter().map(|(_, row)| row.as_ref().err().map(String::as_str));
        let text = |pick: fn(&LinkRecord) -> Option<&str>| {
            strings(rows.iter().map(move |(_, row)| row.as_ref().ok().and_then(pick)))
        };
        let numbers = |pick: fn(&LinkRecord) -> Option<u64>| -> ArrayRef {
            let numbers = rows.iter().map(|(_, row)| row.as_ref().ok().and_then(pick).map(number));
            Arc::new(numbers.collect::<Int64Array>())
        };
        let columns = vec![
            Arc::new(documents) as ArrayRef,
            strings(errors)?,
            text(|link| in_element(link).then_some(&*link.element))?,
            text(|link| in_element(link).then_some(&*link.attribute))?,
            text(|link| Some(&link.grammar))?,
            text(|link| Some(&link.reference))?,
            text(|link| link.url.as_deref())?,
            text(|link| link.base.as_deref())?,
            text(|link| Some(&link.base_source))?,
            numbers(|link| link.span.map(|(start, _)| start as u64)),
            numbers(|link| link.span.map(|(_, end)| end as u64)),
            numbers(|link| link.line),
            numbers(|link| link.column),
        ];
        Ok(StructArray::try_new(fields, columns, None)?)
    }
}

/// Whether a link is in an element, and not in a style sheet that is a document.
fn in_element(link: &LinkRecord) -> bool {
    !link.element.is_empty()
}

/// An array of strings, if offsets of 32 bits represent it.
fn strings<'a>(texts: impl Iterator<Item = Option<&'a str>> + Clone) -> Result<ArrayRef, Stop> {
    let bytes: usize = texts.clone().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        return Err(Stop::Overflow { data_type: "string" });
    }
    Ok(Arc::new(texts.collect::<StringArray>()))
}
