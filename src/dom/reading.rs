//! Records how browsers read a text, and checks that the parser reads it in the same way.
//!
//! html5ever departs from the HTML Standard around integration points of foreign content, in
//! templates, and at `search`: its tree may lack links that a browser finds. So the exact scanner,
//! which reads as browsers do, reads each text before the parser. Both must turn each start tag
//! into an element in the same namespace, or into none, and must agree on whether the current node
//! is foreign wherever that matters. Then both read the same tags. The number of cloned formatting
//! elements must be equal too.

use std::ops::{ControlFlow, Range};

use memchr::memchr_iter;

use crate::error::{Error, Limit, Location, shortened};
use crate::scan::{Namespace, Sink, StartTag, TreeAction, count_attributes, exact};

/// A decision of a tree builder that affects how the rest of the text is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The namespace of the element that a start tag becomes, or `None` if it becomes no element.
    Tag(Option<Namespace>),
    /// Whether the current node is foreign.
    Foreign(bool),
}

/// The decisions made while a text is read.
#[derive(Default)]
pub(super) struct Reading {
    steps: Vec<Step>,
    /// The number of clones of formatting elements; `usize::MAX` if the scanner does not know it.
    clones: usize,
}

impl Reading {
    /// Reads a text as browsers do. Fails if a tag has more attributes than the limit: the parser
    /// compares each attribute with all before it.
    pub(super) fn scan(text: &str, max_attributes: usize) -> Result<Self, Error> {
        let max = if max_attributes == 0 { usize::MAX } else { max_attributes };
        let text = text.as_bytes();
        let mut scan = Scan { text, reading: Self::default(), max, exceeded: None };
        let _ = exact::scan(text, &mut scan);
        match scan.exceeded {
            Some(at) => {
                let line = 1 + memchr_iter(b'\n', &text[..at]).count() as u64;
                Err(Error::limit(Limit::Attributes, max, Some(Location::Line(line))))
            }
            None => Ok(scan.reading),
        }
    }

    /// Adds a step. The parser may ask twice about the same declaration, so that equal steps about
    /// the current node count once.
    fn add(&mut self, step: Step) {
        if matches!(step, Step::Tag(_)) || self.steps.last() != Some(&step) {
            self.steps.push(step);
        }
    }

    /// Adds a step, and returns whether it is the expected one.
    pub(super) fn follow(&mut self, expected: &Self, step: Step) -> bool {
        self.add(step);
        expected.steps.get(self.steps.len() - 1) == self.steps.last()
    }

    /// Whether no step is missing at the end, and the number of clones is the expected one.
    pub(super) fn is_complete(&self, expected: &Self, clones: usize) -> bool {
        self.steps.len() == expected.steps.len() && [usize::MAX, clones].contains(&expected.clones)
    }
}

/// The error for a document in which browsers read other elements from this tag on.
pub(super) fn differs(tag: &str) -> Error {
    Error::tree(format!(
        "browsers would read other elements than in the source, from <{}> on, and inert markup could become active",
        shortened(tag).escape_debug()
    ))
}

struct Scan<'t> {
    text: &'t [u8],
    reading: Reading,
    max: usize,
    /// The offset of the first tag that has too many attributes.
    exceeded: Option<usize>,
}

impl Sink for Scan<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        if tag.attribute_count > self.max {
            self.exceeded = self.exceeded.or(Some(tag.span.start));
        }
        // The parser reads the content of `noscript` as text.
        if tag.is_in_noscript {
            return ControlFlow::Continue(());
        }
        let is_element = tag.action == TreeAction::Inserted;
        self.reading.add(Step::Tag(is_element.then_some(tag.namespace)));
        if self.exceeded.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    // The parser also reads the attributes of end tags and of unfinished tags. An attribute takes
    // at least two bytes, and most end tags have no attributes.
    fn other_tag(&mut self, span: Range<usize>) {
        if span.len() / 2 > self.max && count_attributes(self.text, span.clone()) > self.max {
            self.exceeded = self.exceeded.or(Some(span.start));
        }
    }

    fn current_node(&mut self, is_foreign: bool) {
        self.reading.add(Step::Foreign(is_foreign));
    }

    fn clones(&mut self, count: usize) {
        self.reading.clones = count;
    }
}
