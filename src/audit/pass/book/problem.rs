//! A problem that a document of a book has in an attribute.

use std::ops::Range;

use crate::audit::rules::Rule;

/// A problem of an attribute of a document of a book.
pub(super) struct BookProblem<'p> {
    pub(super) rule: Rule,
    pub(super) element: &'static str,
    pub(super) attribute: &'static str,
    pub(super) value: &'p str,
    /// The bytes of the value in its document.
    pub(super) span: Option<Range<usize>>,
    pub(super) message: String,
}

impl<'p> BookProblem<'p> {
    /// A problem of the attribute of an element, with this value.
    pub(super) fn new(
        rule: Rule,
        (element, attribute): (&'static str, &'static str),
        (value, span): (&'p str, &Option<Range<usize>>),
        message: impl Into<String>,
    ) -> Self {
        let (span, message) = (span.clone(), message.into());
        Self { rule, element, attribute, value, span, message }
    }
}
