//! The spans of links in a file.

use std::ops::Range;

use absolve::Link;

/// The spans of a link in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spans {
    /// The span of the reference ([`Link::span`]).
    pub reference: Option<Range<usize>>,
    /// The span of the outermost enclosing `srcdoc` ([`Link::enclosing`]).
    pub enclosing: Option<Range<usize>>,
}

impl Spans {
    #[doc(hidden)]
    pub fn of(link: &Link<'_>, in_file: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        let enclosing = link.enclosing().map(&in_file);
        Self { reference: link.span().map(in_file), enclosing }
    }
}
