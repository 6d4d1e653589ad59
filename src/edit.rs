//! Edits: spans of a text, and their replacements.

use std::ops::Range;

use crate::error::{Error, Limit, Location};
use crate::value::Container;

/// A span of a text, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit<'t> {
    /// The bytes of the text to replace; an empty span inserts.
    pub(crate) span: Range<usize>,
    /// The replacement, escaped for its container.
    pub(crate) text: &'t str,
    /// The syntax around the replaced text.
    pub(crate) container: Container,
}

/// Edits of a text.
///
/// All replacements are in one string, and offsets have 32 bits. Even the edits of a text that
/// consists of references take little more memory than the replacements.
#[derive(Debug)]
pub(crate) struct Edits {
    list: Vec<EditRecord>,
    texts: String,
    /// Maximum bytes of the replacements; 0 for no limit.
    max: usize,
    /// The location that the error has if the limit is exceeded.
    location: Option<Location>,
}

#[derive(Debug)]
struct EditRecord {
    /// The span in the edited text.
    span: Range<u32>,
    /// The range in [`Edits::texts`].
    text: Range<u32>,
    container: Container,
}

impl Edits {
    /// Creates an empty list. The limit on the output also limits the replacements.
    pub(crate) fn new(max: usize, location: Option<Location>) -> Self {
        Self { list: Vec::new(), texts: String::new(), max, location }
    }

    /// Adds an edit.
    ///
    /// # Errors
    ///
    /// If the edit exceeds the limit, or an offset does not fit into 32 bits.
    pub(crate) fn push(&mut self, edit: Edit<'_>) -> Result<(), Error> {
        let Edit { span, text, container } = edit;
        let start = self.texts.len();
        let end = start + text.len();
        let max = if self.max == 0 { u32::MAX as usize } else { self.max };
        let (true, Some(span), Some(range)) = (end <= max, narrow(span), narrow(start..end)) else {
            return Err(Error::limit(Limit::Output, max, self.location));
        };
        self.texts.push_str(text);
        self.list.push(EditRecord { span, text: range, container });
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Sorts the edits by their starts, and keeps the first of overlapping edits.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by_key(|record| record.span.start);
        let mut end = 0;
        self.list.retain(|record| {
            let is_disjoint = record.span.start >= end;
            if is_disjoint {
                end = record.span.end;
            }
            is_disjoint
        });
    }

    /// Returns the edits in the order in which they were added, or sorted after [`Edits::sort`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = Edit<'_>> {
        self.list.iter().map(|record| Edit {
            span: widen(&record.span),
            text: &self.texts[widen(&record.text)],
            container: record.container,
        })
    }

    /// Applies the edits to the text. They must ascend and not overlap.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + self.texts.len());
        let mut done = 0;
        for edit in self.iter() {
            out.push_str(&text[done..edit.span.start]);
            out.push_str(edit.text);
            done = edit.span.end;
        }
        out + &text[done..]
    }
}

/// Edits of the bytes of a document, in order: spans and their replacements.
#[derive(Debug, Default)]
pub struct Patches {
    /// The spans, each with the end of its replacement in `bytes`.
    list: Vec<(Range<usize>, usize)>,
    /// The replacements, one after the other.
    bytes: Vec<u8>,
}

impl Patches {
    /// Creates the single edit that turns `old` into `new`; no edit if they are equal.
    pub(crate) fn from_difference(old: &[u8], new: &[u8]) -> Self {
        let same = |(a, b): &(&u8, &u8)| a == b;
        let start = old.iter().zip(new).take_while(same).count();
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let common_end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(same).count();
        let mut patches = Self::default();
        if old != new {
            let end = new_rest.len() - common_end;
            patches.push(start..old.len() - common_end, &new_rest[..end]);
        }
        patches
    }

    /// Adds an edit after the others.
    pub fn push(&mut self, span: Range<usize>, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.list.push((span, self.bytes.len()));
    }

    #[must_use]
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    #[doc(hidden)]
    pub fn iter(&self) -> impl Iterator<Item = (Range<usize>, &[u8])> {
        let mut start = 0;
        self.list.iter().map(move |(span, end)| {
            let bytes = &self.bytes[start..*end];
            start = *end;
            (span.clone(), bytes)
        })
    }

    /// Applies the edits to the document.
    #[must_use]
    pub fn apply(&self, document: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(document.len() + self.bytes.len());
        let mut done = 0;
        for (span, bytes) in self.iter() {
            out.extend_from_slice(&document[done..span.start]);
            out.extend_from_slice(bytes);
            done = span.end;
        }
        out.extend_from_slice(&document[done..]);
        out
    }
}

fn narrow(span: Range<usize>) -> Option<Range<u32>> {
    Some(u32::try_from(span.start).ok()?..u32::try_from(span.end).ok()?)
}

fn widen(span: &Range<u32>) -> Range<usize> {
    span.start as usize..span.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(span: Range<usize>, text: &str) -> Edit<'_> {
        Edit { span, text, container: Container::Whole }
    }

    #[track_caller]
    fn gives(list: &[(Range<usize>, &str)], expected: &str) {
        let mut edits = Edits::new(0, None);
        for (span, text) in list {
            edits.push(edit(span.clone(), text)).unwrap();
        }
        edits.sort();
        assert_eq!(edits.apply("0123456789"), expected);
    }

    #[test]
    fn edits_replace_insert_and_remove() {
        gives(&[], "0123456789");
        gives(&[(0..1, "a")], "a123456789");
        gives(&[(1..3, ""), (9..10, "bc")], "0345678bc");
        gives(&[(2..4, "a"), (4..6, "b")], "01ab6789");
        gives(&[(0..0, "a"), (10..10, "c")], "a0123456789c");
        gives(&[(0..10, "")], "");
    }

    #[test]
    fn edits_come_in_order_and_the_first_of_those_that_overlap_counts() {
        gives(&[(4..6, "b"), (2..4, "a")], "01ab6789");
        gives(&[(1..1, "a"), (1..1, "b")], "0ab123456789");
        gives(&[(5..6, "b"), (2..9, "a")], "01a9");
    }

    #[test]
    fn what_edits_put_in_has_a_bound() {
        let mut edits = Edits::new(3, Some(Location::Byte(7)));
        assert!(edits.push(edit(0..1, "ab")).is_ok());
        let error = edits.push(edit(1..2, "cd"));
        assert_eq!(error, Err(Error::limit(Limit::Output, 3, Some(Location::Byte(7)))));
        assert!(edits.push(edit(1..2, "c")).is_ok());
        assert_eq!(edits.apply("012"), "abc2");
    }
}
