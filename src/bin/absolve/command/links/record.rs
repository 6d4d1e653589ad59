//! One link, as a row or an object.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::Range;

use absolve::container::{EntryId, Spans};
use absolve::encoding::Lines;
use absolve::report::display::{self, PlaceKeys};
use absolve::url::masked;
use absolve::{Credentials, Link};
use serde::Serialize;

use crate::terminal::printable;

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
    pub(super) fn new(at: &Place<'a>, link: &'a Link<'_>, credentials: Credentials) -> Self {
        let shown = |url: &'a str| match credentials {
            Credentials::Keep => Cow::Borrowed(url),
            _ => masked(url),
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
            reference: shown(link.reference()),
            url: link.url().map(shown),
            base: link.base().map(|base| shown(base.as_str())),
            base_source: link.base_source().name(),
            enclosing: at.spans.enclosing.as_ref().map(span),
            place: at.inside.into(),
        }
    }

    /// The cells of the list for people.
    pub(super) fn text_row(&self, inside: Option<EntryId>, shown: Shown) -> Vec<String> {
        let place = match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            _ => "-".to_owned(),
        };
        let place = match shown {
            Shown::Place => place,
            Shown::FileAndPlace => {
                format!("{}:{place}", display::inside(&printable(&self.file), inside))
            }
        };
        let element = match (self.element, self.attribute) {
            (Some(element), Some(attribute)) => {
                format!("{}[{}]", printable(element), printable(attribute))
            }
            _ => self.grammar.to_owned(),
        };
        let url = self.url.as_deref().map_or_else(|| "-".to_owned(), printable);
        vec![place, element, printable(&self.reference), url, printable(self.base_source)]
    }
}
