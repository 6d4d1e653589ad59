//! The links of a document, outside the interpreter.

use absolve::Rewriter;
use absolve::url::Base;

use super::places::{Places, Unit};

/// Start and end.
pub(super) type Span = (usize, usize);

/// What is known of a link, with its strings or their places in the text of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values<S> {
    pub(super) element: S,
    pub(super) attribute: S,
    pub(super) grammar: S,
    pub(super) reference: S,
    pub(super) url: Option<S>,
    pub(super) base: Option<S>,
    pub(super) base_source: S,
    pub(super) span: Option<Span>,
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
    pub(super) enclosing: Option<Span>,
}

/// The links of a document, outside the interpreter.
#[derive(Debug, Default)]
pub(super) struct LinkList {
    /// The strings of all links.
    pub(super) text: String,
    pub(super) links: Vec<Values<Span>>,
}

impl LinkList {
    /// The links of a document, in their order.
    pub(super) fn read(
        source: &[u8],
        unit: Unit<'_>,
        rewriter: &Rewriter,
    ) -> Result<Self, absolve::Error> {
        let mut list = Self::default();
        let mut places = None;
        rewriter.links(source, |link| {
            let places = places.get_or_insert_with(|| Places::new(source, unit, link.encoding()));
            let span = link.span();
            let place = span.as_ref().map(|span| places.line_and_column(span.start));
            list.push(&Values {
                element: link.element(),
                attribute: link.attribute(),
                grammar: link.grammar().name(),
                reference: link.reference(),
                url: link.url(),
                base: link.base().map(Base::as_str),
                base_source: link.base_source().name(),
                span: span.map(|span| places.span(&span)),
                line: place.map(|place| place.0),
                column: place.map(|place| place.1),
                enclosing: link.enclosing().map(|span| places.span_around(&span)),
            });
        })?;
        Ok(list)
    }

    /// Adds a link, most of whose names are those of the link before.
    pub(super) fn push(&mut self, values: &Values<&str>) {
        let last = self.links.last().copied();
        let text = &mut self.text;
        let mut put = |value: &str, last: Option<Span>| match last {
            Some((start, end)) if text[start..end] == *value => (start, end),
            _ => {
                text.push_str(value);
                (text.len() - value.len(), text.len())
            }
        };
        self.links.push(Values {
            element: put(values.element, last.map(|last| last.element)),
            attribute: put(values.attribute, last.map(|last| last.attribute)),
            grammar: put(values.grammar, last.map(|last| last.grammar)),
            reference: put(values.reference, None),
            url: values.url.map(|url| put(url, None)),
            base: values.base.map(|base| put(base, last.and_then(|last| last.base))),
            base_source: put(values.base_source, last.map(|last| last.base_source)),
            span: values.span,
            line: values.line,
            column: values.column,
            enclosing: values.enclosing,
        });
    }
}
