//! The columns of links, each with how its value is read.

use std::fmt::Display;
use std::sync::Arc;

use absolve::url::Base;
use absolve::{Detail, Link};
use pyo3::prelude::*;

use crate::document::{Places, Unit};
use crate::options::{named, texts};

/// A column of links.
#[derive(Debug)]
pub(crate) struct LinkColumn {
    pub(super) name: &'static str,
    pub(super) read: Read,
    /// Whether it is there unless columns are chosen.
    is_default: bool,
}

type ReadText = for<'v> fn(&'v View<'_, '_>) -> Option<&'v str>;

/// How the value of a column is read from a link.
#[derive(Debug, Clone, Copy)]
pub(super) enum Read {
    Text(ReadText),
    /// A text in two parts.
    Parts(for<'v> fn(&'v View<'_, '_>) -> Option<(&'v str, &'v str)>),
    Number(fn(&mut View<'_, '_>) -> Option<u64>),
    Flag(fn(&View<'_, '_>) -> Option<bool>),
}

const TABLE: &[LinkColumn] = &[
    text("element", |view| view.in_element(view.link.element())),
    text("attribute", |view| view.in_element(view.link.attribute())),
    text("grammar", |view| Some(view.link.grammar().name())),
    text("reference", |view| Some(view.link.reference())),
    LinkColumn { name: "url", read: Read::Parts(|view| view.link.url_parts()), is_default: true },
    text("base", |view| view.link.base().map(Base::as_str)),
    text("base_source", |view| Some(view.link.base_source().name())),
    number("start", |view| Some(view.offset(view.link.span()?.start))),
    number("end", |view| Some(view.offset(view.link.span()?.end))),
    number("line", |view| Some(view.line_and_column()?.0)),
    number("column", |view| Some(view.line_and_column()?.1)),
    text("text", |view| view.link.detail(Detail::Text)).on_request(),
    text("rel", |view| view.link.detail(Detail::Rel)).on_request(),
    text("hreflang", |view| view.link.detail(Detail::Hreflang)).on_request(),
    text("title", |view| view.link.detail(Detail::Title)).on_request(),
    LinkColumn { name: "nofollow", read: Read::Flag(is_nofollow), is_default: false },
];

const fn text(name: &'static str, read: ReadText) -> LinkColumn {
    LinkColumn { name, read: Read::Text(read), is_default: true }
}

const fn number(name: &'static str, read: fn(&mut View<'_, '_>) -> Option<u64>) -> LinkColumn {
    LinkColumn { name, read: Read::Number(read), is_default: true }
}

impl LinkColumn {
    const fn on_request(self) -> Self {
        Self { is_default: false, ..self }
    }
}

fn is_nofollow(view: &View<'_, '_>) -> Option<bool> {
    let rel = view.link.sibling("rel").unwrap_or_default();
    view.in_element(&rel)?;
    Some(rel.split_ascii_whitespace().any(|kind| kind.eq_ignore_ascii_case("nofollow")))
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

/// A link whose columns are read.
pub(super) struct View<'v, 'd> {
    pub(super) link: &'v Link<'v>,
    pub(super) document: &'v Document<'d>,
    /// Found from one link of the document to the next.
    pub(super) places: &'v mut Option<Places<'d>>,
}

impl<'d> View<'_, 'd> {
    /// A text about an element; a style sheet that is a document has none.
    fn in_element<'t>(&self, text: &'t str) -> Option<&'t str> {
        (!self.link.element().is_empty()).then_some(text)
    }

    fn places(&mut self) -> &mut Places<'d> {
        let Document { source, unit, .. } = *self.document;
        self.places.get_or_insert_with(|| Places::new(source, unit, self.link.encoding()))
    }

    fn offset(&mut self, byte: usize) -> u64 {
        self.places().offset(byte) as u64
    }

    fn line_and_column(&mut self) -> Option<(u64, u64)> {
        let start = self.link.span()?.start;
        Some(self.places().line_and_column(start))
    }
}

/// The columns that are listed.
#[derive(Debug, Clone)]
pub(crate) struct Selection(pub(super) Arc<[&'static LinkColumn]>);

impl Selection {
    /// Reads the argument: names, in the order of the result; `None` for the default.
    pub(crate) fn new(columns: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(names) = columns else {
            return Ok(Self(TABLE.iter().filter(|column| column.is_default).collect()));
        };
        let mut chosen: Vec<&LinkColumn> = Vec::new();
        for name in texts("columns", names)? {
            let column = named("columns", &name, TABLE.iter().map(|column| (column.name, column)))?;
            if !chosen.iter().any(|known| known.name == name) {
                chosen.push(column);
            }
        }
        Ok(Self(chosen.into()))
    }
}
