//! One link, as a row or an object.

use std::ffi::OsStr;
use std::ops::Range;

use absolve::container::{EntryId, Spans};
use absolve::encoding::Lines;
use absolve::report::display::{inside, place_keys};
use absolve::url::masked;
use absolve::{Credentials, Link};
use serde_json::{Map, Value, json};

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

/// What the first column for people shows.
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
    inside: Option<EntryId>,
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

/// A link under its keys; `file_bytes`, `enclosing`, and what names a place in a container
/// are there where they say something.
///
/// User and password in URLs are shown where they are copied into links, else masked.
pub(super) fn record(
    at: &Place<'_>,
    link: &Link<'_>,
    credentials: Credentials,
) -> Map<String, Value> {
    let shown = |url: &str| match credentials {
        Credentials::Keep => url.to_owned(),
        _ => masked(url).into_owned(),
    };
    let span = |span: Range<usize>| json!([span.start, span.end]);
    let (file, place) = (at.file, at.line_and_column);
    let name = file.to_str();
    let bytes = name.is_none().then(|| json!(file.as_encoded_bytes()));
    let entries = [
        (
            "file",
            Some(json!(name.map_or_else(|| file.to_string_lossy().into_owned(), str::to_owned))),
        ),
        ("file_bytes", bytes),
        ("line", Some(json!(place.map(|(line, _)| line)))),
        ("column", Some(json!(place.map(|(_, column)| column)))),
        ("span", Some(at.spans.reference.clone().map_or(Value::Null, span))),
        ("element", Some(json!(link.element()))),
        ("attribute", Some(json!(link.attribute()))),
        ("grammar", Some(json!(link.grammar().name()))),
        ("reference", Some(json!(shown(link.reference())))),
        ("url", Some(json!(link.url().map(shown)))),
        ("base", Some(json!(link.base().map(|base| shown(base.as_str()))))),
        ("base_source", Some(json!(link.base_source().name()))),
        ("enclosing", at.spans.enclosing.clone().map(span)),
    ];
    let entries = entries.into_iter().filter_map(|(key, value)| Some((key, value?)));
    entries.chain(place_keys(at.inside)).map(|(key, value)| (key.to_owned(), value)).collect()
}

pub(super) fn text_row(at: &Place<'_>, record: &Map<String, Value>, shown: Shown) -> Vec<String> {
    let text = |key: &str| match &record[key] {
        Value::Null => "-".to_owned(),
        value => printable(value.as_str().unwrap_or_default()),
    };
    let place = match (&record["line"], &record["column"]) {
        (Value::Number(line), Value::Number(column)) => format!("{line}:{column}"),
        _ => "-".to_owned(),
    };
    let place = match shown {
        Shown::Place => place,
        Shown::FileAndPlace => format!("{}:{place}", inside(&text("file"), at.inside)),
    };
    let element = format!("{}[{}]", text("element"), text("attribute"));
    vec![place, element, text("reference"), text("url"), text("base_source")]
}
