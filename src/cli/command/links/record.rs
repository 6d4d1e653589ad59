//! One link, as a row or an object.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::Range;

use crate::container::{EntryId, Spans};
use crate::encoding::Lines;
use crate::report::display::{self, Cell, PlaceKeys, push, push_printable};
use crate::url::Base;
use crate::{Credentials, Link};
use serde::Serialize;

use crate::cli::args::LinksArgs;
use crate::cli::terminal::Cells;

/// The number of cells of the list for people.
pub(super) const CELLS: usize = 5;

/// The columns of a link, in the order of its keys in JSON.
pub(super) const KEYS: &[&str] = &[
    "file",
    "line",
    "column",
    "span",
    "element",
    "attribute",
    "grammar",
    "reference",
    "url",
    "base",
    "base_source",
    "enclosing",
    "part",
    "offset",
    "within",
];

/// The content of the first column for people.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Line and column.
    Place,
    /// The file too.
    FileAndPlace,
}

/// Where a link is.
pub(super) struct Place<'a> {
    file: &'a OsStr,
    pub(super) inside: Option<EntryId>,
    /// In the file, or in the document in an archive.
    spans: Spans,
    line_and_column: Option<(u64, u64)>,
}

impl<'a> Place<'a> {
    pub(super) fn new(
        file: &'a OsStr,
        inside: Option<EntryId>,
        spans: Spans,
        lines: &mut Lines<'_>,
    ) -> Self {
        let line_and_column = spans.reference.as_ref().map(|span| lines.place(span.start));
        Self { file, inside, spans, line_and_column }
    }
}

/// A link as a JSON object; a field without a value is null or left out.
#[derive(Serialize)]
pub(super) struct LinkRecord<'a> {
    file: Cow<'a, str>,
    /// The name of a file that is not Unicode.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_bytes: Option<&'a [u8]>,
    line: Option<u64>,
    column: Option<u64>,
    span: Option<[usize; 2]>,
    /// `None` for a link of a style sheet that is a document.
    element: Option<&'a str>,
    attribute: Option<&'a str>,
    grammar: &'a str,
    reference: Cow<'a, str>,
    url: Option<Cow<'a, str>>,
    base: Option<Cow<'a, str>>,
    base_source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    enclosing: Option<[usize; 2]>,
    #[serde(flatten)]
    place: PlaceKeys,
}

impl<'a> LinkRecord<'a> {
    /// The record of a link: user and password in URLs are shown where they are copied into links,
    /// else masked.
    pub(super) fn new(at: &Place<'a>, link: &'a Link<'_>, args: &LinksArgs) -> Self {
        let (standard, credentials) = (args.document.standard, args.base.credentials());
        let shown = |base: Option<&Base>, url: &'a str| match credentials {
            Credentials::Keep => Cow::Borrowed(url),
            _ => standard.masked(base, url),
        };
        let span = |span: &Range<usize>| [span.start, span.end];
        let is_in_element = !link.element().is_empty();
        let is_unicode = at.file.to_str().is_some();
        Self {
            file: at.file.to_string_lossy(),
            file_bytes: (!is_unicode).then_some(at.file.as_encoded_bytes()),
            line: at.line_and_column.map(|(line, _)| line),
            column: at.line_and_column.map(|(_, column)| column),
            span: at.spans.reference.as_ref().map(span),
            element: is_in_element.then(|| link.element()),
            attribute: is_in_element.then(|| link.attribute()),
            grammar: link.grammar().name(),
            reference: shown(link.base(), link.reference()),
            url: link.url().map(|url| shown(None, url)),
            base: link.base().map(|base| shown(None, base.as_str())),
            base_source: link.base_source().name(),
            enclosing: at.spans.enclosing.as_ref().map(span),
            place: at.inside.into(),
        }
    }

    /// Adds the cells of the list for people.
    pub(super) fn add_to(&self, cells: &mut Cells, inside: Option<EntryId>, shown: Shown) {
        cells.add(|cell| {
            if shown == Shown::FileAndPlace {
                push_printable(cell, &self.file);
                if let Some(inside) = inside {
                    push(cell, format_args!("!{inside}"));
                }
                cell.push(':');
            }
            match (self.line, self.column) {
                (Some(line), Some(column)) => push(cell, format_args!("{line}:{column}")),
                _ => cell.push('-'),
            }
        });
        cells.add(|cell| match (self.element, self.attribute) {
            (Some(element), Some(attribute)) => {
                push_printable(cell, element);
                cell.push('[');
                push_printable(cell, attribute);
                cell.push(']');
            }
            _ => cell.push_str(self.grammar),
        });
        cells.add(|cell| push_printable(cell, &self.reference));
        cells.add(|cell| push_printable(cell, self.url.as_deref().unwrap_or("-")));
        cells.add(|cell| push_printable(cell, self.base_source));
    }

    /// The row of tab-separated values.
    pub(super) fn row(&self) -> String {
        let text = |text: Option<&'a str>| text.map_or(Cell::Empty, Cell::Text);
        let number = |number: Option<u64>| number.map_or(Cell::Empty, Cell::Number);
        let span = |span: Option<[usize; 2]>| span.map_or(Cell::Empty, Cell::Span);
        let [part, offset, within] = self.place.numbers().map(number);
        let cells: [Cell<'_>; KEYS.len()] = [
            Cell::Text(&self.file),
            number(self.line),
            number(self.column),
            span(self.span),
            text(self.element),
            text(self.attribute),
            Cell::Text(self.grammar),
            Cell::Text(&self.reference),
            self.url.as_deref().map_or(Cell::Empty, Cell::Text),
            self.base.as_deref().map_or(Cell::Empty, Cell::Text),
            Cell::Text(self.base_source),
            span(self.enclosing),
            part,
            offset,
            within,
        ];
        display::cells(cells)
    }
}
