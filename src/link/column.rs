//! The columns of lists of links, one row per column, for every host: the lists of `absolve links`,
//! the objects and tables of Python, and the objects of JavaScript.

use std::borrow::Cow;

use super::{Detail, Link};

use crate::url::Base;

/// A column of links.
#[derive(Debug)]
pub struct Column {
    /// The name, such as `base_source`.
    pub name: &'static str,
    /// The meaning, in a sentence or two; without a period if the host has to add something.
    pub help: &'static str,
    /// The type, with the function that reads the value of a link.
    pub read: Read,
    /// The lists that have the column.
    pub lists: Lists,
    /// Whether an object lacks the column if the link has no value.
    pub is_optional: bool,
}

/// The type of a column, with the function that reads the value of a link.
#[derive(Debug, Clone, Copy)]
pub enum Read {
    /// A short text that many links share.
    Name(for<'l> fn(&'l Link<'_>) -> &'l str),
    /// A short text about an element. For links of a style sheet that is a document, only objects
    /// have it.
    InElement(for<'l> fn(&'l Link<'_>) -> &'l str),
    /// A text.
    Text(ReadText),
    /// A reference as the document has it, which may contain a password.
    Reference(ReadText),
    /// A URL in two consecutive parts, which may contain a password.
    Url(for<'l> fn(&'l Link<'_>) -> Option<(&'l str, &'l str)>),
    /// A URL that many links share, which may contain a password.
    Base(ReadText),
    /// A number.
    Number(fn(&Link<'_>, &mut dyn Places) -> Option<u64>),
    /// Yes or no.
    Flag(fn(&Link<'_>) -> Option<bool>),
    /// A start and an end.
    Span(fn(&Link<'_>, &mut dyn Places) -> Option<[usize; 2]>),
}

type ReadText = for<'l> fn(&'l Link<'_>) -> Option<&'l str>;

/// The lists that have a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// All.
    All,
    /// Links as objects, and the lists of the command.
    Objects,
    /// Tables, which have numbers in place of spans.
    Tables,
    /// Tables for which the caller names the column.
    OnRequest,
}

/// Locates links in the unit of a host, such as bytes or characters.
pub trait Places {
    /// Start and end of the reference.
    fn span(&mut self, link: &Link<'_>) -> Option<[usize; 2]>;
    /// The line and the column of the reference, from 1.
    fn line_and_column(&mut self, link: &Link<'_>) -> Option<(u64, u64)>;
    /// Start and end of the value around a document inside an attribute.
    fn enclosing(&mut self, link: &Link<'_>) -> Option<[usize; 2]>;
}

/// The columns, in the order of attributes and tables.
#[rustfmt::skip]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough in its lifetimes")]
pub const COLUMNS: &[Column] = &[
    Column::new("element", Read::InElement(|link| link.element()),
        "The name of the element, in lower case."),
    Column::new("attribute", Read::InElement(|link| link.attribute()),
        "The name of the attribute, in lower case; `(text)` for the text of the element."),
    Column::new("grammar", Read::Name(|link| link.grammar().name()),
        "How the attribute holds references, such as `url` or `srcset`."),
    Column::new("reference", Read::Reference(|link| Some(link.reference())),
        "The reference as an HTML parser reads it: character references are decoded."),
    Column::new("url", Read::Url(|link| link.url_parts()),
        "The absolute URL; `None` if the reference stays unresolved."),
    Column::new("base", Read::Base(|link| link.base().map(Base::as_str)),
        "The base URL that the reference was resolved against."),
    Column::new("base_source", Read::Name(|link| link.base_source().name()),
        "Where the base URL came from, such as `retrieval-url` or `base-element`."),
    Column::new("span", Read::Span(|link, places| places.span(link)),
        "Start and end of the reference as it is written").with_lists(Lists::Objects),
    Column::new("start", Read::Number(|link, places| Some(places.span(link)?[0] as u64)),
        "The start of the reference.").with_lists(Lists::Tables),
    Column::new("end", Read::Number(|link, places| Some(places.span(link)?[1] as u64)),
        "The end of the reference.").with_lists(Lists::Tables),
    Column::new("line", Read::Number(|link, places| Some(places.line_and_column(link)?.0)),
        "The line of the reference, from 1"),
    Column::new("column", Read::Number(|link, places| Some(places.line_and_column(link)?.1)),
        "The column of the reference in characters, from 1"),
    Column::new("enclosing", Read::Span(|link, places| places.enclosing(link)),
        "For a link of a document inside a `srcdoc`: the span of that attribute's value.")
        .with_lists(Lists::Objects).optional(),
    Column::new("text", Read::Text(|link| link.detail(Detail::Text)),
        "The text of an `a` element with its white space collapsed and the `alt` of images.")
        .with_lists(Lists::OnRequest),
    Column::new("rel", Read::Text(|link| link.detail(Detail::Rel)),
        "The attribute `rel`.").with_lists(Lists::OnRequest),
    Column::new("hreflang", Read::Text(|link| link.detail(Detail::Hreflang)),
        "The attribute `hreflang`.").with_lists(Lists::OnRequest),
    Column::new("title", Read::Text(|link| link.detail(Detail::Title)),
        "The attribute `title`.").with_lists(Lists::OnRequest),
    Column::new("nofollow", Read::Flag(is_nofollow),
        "Whether `rel` has `nofollow`.").with_lists(Lists::OnRequest),
];

impl Column {
    const fn new(name: &'static str, read: Read, help: &'static str) -> Self {
        Self { name, help, read, lists: Lists::All, is_optional: false }
    }

    const fn with_lists(self, lists: Lists) -> Self {
        Self { lists, ..self }
    }

    const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// Returns the columns of a link as an object.
    pub fn of_objects() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| matches!(column.lists, Lists::All | Lists::Objects))
    }

    /// Returns the columns of a table by default.
    pub fn of_tables() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| matches!(column.lists, Lists::All | Lists::Tables))
    }

    /// Returns the columns that a table may have.
    pub fn on_request() -> impl Iterator<Item = &'static Self> {
        COLUMNS.iter().filter(|column| column.lists != Lists::Objects)
    }

    /// Whether a link as an object has a value under all circumstances.
    #[must_use]
    pub fn is_required(&self) -> bool {
        matches!(self.read, Read::Name(_) | Read::InElement(_) | Read::Reference(_))
    }

    /// Reads the value of a link, for a list without a representation of its own.
    #[inline]
    pub fn value<'l>(&self, link: &'l Link<'_>, places: &mut dyn Places) -> Option<Value<'l>> {
        Some(match self.read {
            Read::Span(read) => Value::Span(read(link, places)?),
            Read::Number(read) => Value::Number(read(link, places)?),
            Read::Flag(read) => Value::Flag(read(link)?),
            read => Value::Text(match read.text(link)? {
                ("", text) => text.into(),
                (start, rest) => (start.to_owned() + rest).into(),
            }),
        })
    }
}

impl Read {
    /// Whether the values are texts.
    #[must_use]
    pub fn is_text(self) -> bool {
        !matches!(self, Self::Number(_) | Self::Flag(_) | Self::Span(_))
    }

    /// Reads the text of a link, in two consecutive parts.
    #[inline]
    pub fn text<'l>(self, link: &'l Link<'_>) -> Option<(&'l str, &'l str)> {
        match self {
            Self::Url(read) => read(link),
            Self::Name(read) => Some(("", read(link))),
            Self::InElement(read) => Some(("", in_element(link, read(link))?)),
            Self::Text(read) | Self::Reference(read) | Self::Base(read) => Some(("", read(link)?)),
            Self::Number(_) | Self::Flag(_) | Self::Span(_) => None,
        }
    }

    /// Reads the number of a link; 1 for yes and 0 for no.
    #[inline]
    pub fn number(self, link: &Link<'_>, places: &mut dyn Places) -> Option<u64> {
        match self {
            Self::Number(read) => read(link, places),
            Self::Flag(read) => read(link).map(u64::from),
            _ => None,
        }
    }
}

/// The value of a column.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
pub enum Value<'v> {
    /// A text.
    Text(Cow<'v, str>),
    /// A number.
    Number(u64),
    /// Yes or no.
    Flag(bool),
    /// A start and an end.
    Span([usize; 2]),
}

/// Returns a text about the element of a link; `None` in a style sheet that is a document.
fn in_element<'t>(link: &Link<'_>, text: &'t str) -> Option<&'t str> {
    (!link.element().is_empty()).then_some(text)
}

fn is_nofollow(link: &Link<'_>) -> Option<bool> {
    let rel = link.sibling("rel").unwrap_or_default();
    in_element(link, &rel)?;
    Some(rel.split_ascii_whitespace().any(|kind| kind.eq_ignore_ascii_case("nofollow")))
}
