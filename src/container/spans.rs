//! Where links are in a file.

use std::ops::Range;

use crate::link::Link;

/// Where in a file a link is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spans {
    /// The bytes that hold the reference ([`Link::span`]).
    pub reference: Option<Range<usize>>,
    /// Those of the outermost `srcdoc` that it is in ([`Link::enclosing`]).
    pub enclosing: Option<Range<usize>>,
}

impl Spans {
    pub(super) fn of(link: &Link<'_>, in_file: impl Fn(Range<usize>) -> Range<usize>) -> Self {
        let enclosing = link.enclosing().map(&in_file);
        Self { reference: link.span().map(in_file), enclosing }
    }
}
