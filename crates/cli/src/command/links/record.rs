//! A link as a row of cells, a row of tab-separated values, or a JSON object.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::ops::Range;
use std::sync::LazyLock;

use absolve::column::{Column, Places, Read, Value};
use absolve::encoding::Lines;
use absolve::url::Base;
use absolve::{Credentials, Link};
use absolve_archive::{EntryId, Spans};
use absolve_site::report::display::{add_cell, push, push_printable};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::args::LinksArgs;
use crate::terminal::Cells;

/// The number of cells per row in the list for people.
pub(super) const CELLS_PER_ROW: usize = 5;

/// The columns of a link. The columns of its position come first.
static COLUMNS: LazyLock<Vec<&Column>> = LazyLock::new(|| {
    let mut columns: Vec<_> = Column::of_objects().collect();
    let rank =
        |column: &&Column| ["line", "column", "span"].iter().position(|&name| name == column.name);
    columns.sort_by_key(|column| rank(column).unwrap_or(usize::MAX));
    columns
});

/// Lists the columns of an entry in a container. A JSON object leaves out those without a value.
fn list_entry_columns(entry: Option<EntryId>) -> [(&'static str, Option<u64>); 3] {
    let (part, position) = match entry {
        Some(EntryId::Part(number)) => (Some(number as u64), None),
        Some(EntryId::Record(position)) => (None, Some(position)),
        _ => (None, None),
    };
    let within = position.map(|position| position.within).filter(|&within| within != 0);
    [("part", part), ("offset", position.map(|position| position.offset)), ("within", within)]
}

/// Capacity for a row, in bytes, which few rows exceed.
const ROW_CAPACITY: usize = 512;

/// Returns the header of a list of tab-separated values.
pub(super) fn format_header() -> String {
    let links = COLUMNS.iter().map(|column| column.name);
    let names =
        ["file"].into_iter().chain(links).chain(list_entry_columns(None).map(|(name, _)| name));
    names.collect::<Vec<_>>().join("\t")
}

/// A file name, as text and as bytes.
pub(super) struct FileName<'a> {
    text: Cow<'a, str>,
    /// The bytes of a name that is not Unicode.
    bytes: Option<&'a [u8]>,
}

impl<'a> FileName<'a> {
    pub(super) fn new(file: &'a OsStr) -> Self {
        let bytes = file.to_str().is_none().then_some(file.as_encoded_bytes());
        Self { text: file.to_string_lossy(), bytes }
    }
}

/// A link with its position. Its URLs show user and password only with `--keep-credentials`.
pub(super) struct LinkRecord<'a> {
    file: &'a FileName<'a>,
    entry: Option<EntryId>,
    /// The spans in the file, or in the document of an archive.
    spans: Spans,
    line_and_column: Option<(u64, u64)>,
    link: &'a Link<'a>,
    args: &'a LinksArgs,
}

impl Places for &LinkRecord<'_> {
    fn span(&mut self, _: &Link<'_>) -> Option<[usize; 2]> {
        self.spans.reference.as_ref().map(to_array)
    }

    fn line_and_column(&mut self, _: &Link<'_>) -> Option<(u64, u64)> {
        self.line_and_column
    }

    fn enclosing(&mut self, _: &Link<'_>) -> Option<[usize; 2]> {
        self.spans.enclosing.as_ref().map(to_array)
    }
}

fn to_array(span: &Range<usize>) -> [usize; 2] {
    [span.start, span.end]
}

impl<'a> LinkRecord<'a> {
    pub(super) fn new(
        (file, entry): (&'a FileName<'a>, Option<EntryId>),
        link: &'a Link<'a>,
        spans: Spans,
        lines: &mut Lines<'_>,
        args: &'a LinksArgs,
    ) -> Self {
        let line_and_column = spans.reference.as_ref().map(|span| lines.locate(span.start));
        Self { file, entry, spans, line_and_column, link, args }
    }

    /// Removes user and password from a URL, or from a reference with this base, unless an option
    /// keeps them.
    fn mask<'t>(&self, base: Option<&Base>, url: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
        let (options, url) = (&self.args.document.options, url.into());
        let masked = match options.credentials() {
            Credentials::Keep => None,
            _ => match options.standard().masked(base, &url) {
                Cow::Owned(masked) => Some(masked),
                Cow::Borrowed(_) => None,
            },
        };
        masked.map_or(url, Cow::Owned)
    }

    /// Returns the value of a column, with masked URLs.
    #[inline]
    fn value(&self, column: &Column) -> Option<Value<'_>> {
        Some(match (column.value(self.link, &mut &*self)?, column.read) {
            (Value::Text(text), Read::Reference(_)) => {
                Value::Text(self.mask(self.link.base(), text))
            }
            (Value::Text(text), Read::Url(_) | Read::Base(_)) => Value::Text(self.mask(None, text)),
            (value, _) => value,
        })
    }

    /// Adds the cells of a row for people; `is_named` adds the name of the file.
    pub(super) fn add_to(&self, cells: &mut Cells, is_named: bool) {
        cells.add(|cell| {
            if is_named {
                push_printable(cell, &self.file.text);
                if let Some(entry) = self.entry {
                    push(cell, format_args!("!{entry}"));
                }
                cell.push(':');
            }
            match self.line_and_column {
                Some((line, column)) => push(cell, format_args!("{line}:{column}")),
                None => cell.push('-'),
            }
        });
        cells.add(|cell| {
            if self.link.element().is_empty() {
                return cell.push_str(self.link.grammar().name());
            }
            push_printable(cell, self.link.element());
            cell.push('[');
            push_printable(cell, self.link.attribute());
            cell.push(']');
        });
        let reference = self.mask(self.link.base(), self.link.reference());
        cells.add(|cell| push_printable(cell, &reference));
        let url = self.link.url().map(|url| self.mask(None, url));
        cells.add(|cell| push_printable(cell, url.as_deref().unwrap_or("-")));
        cells.add(|cell| push_printable(cell, self.link.base_source().name()));
    }

    /// Returns the row of tab-separated values.
    pub(super) fn format_row(&self) -> String {
        let mut row = String::with_capacity(ROW_CAPACITY);
        add_cell(&mut row, Some(Value::Text(Cow::Borrowed(&self.file.text))));
        for column in &*COLUMNS {
            add_cell(&mut row, self.value(column));
        }
        for (_, number) in list_entry_columns(self.entry) {
            add_cell(&mut row, number.map(Value::Number));
        }
        row
    }
}

/// Writes an object. A key without a value is null, or left out if its column is optional.
impl Serialize for LinkRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("file", &self.file.text)?;
        if let Some(bytes) = self.file.bytes {
            object.serialize_entry("file_bytes", bytes)?;
        }
        for column in &*COLUMNS {
            let value = self.value(column);
            if value.is_some() || !column.is_optional {
                object.serialize_key(column.name)?;
                object.serialize_value(&value)?;
            }
        }
        for (name, number) in list_entry_columns(self.entry) {
            if let Some(number) = number {
                object.serialize_entry(name, &number)?;
            }
        }
        object.end()
    }
}
