//! Edits of a decoded value: spans with what takes their place.

use std::ops::Range;

use crate::value::Container;

/// A part of a decoded value, and what takes its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes of the value that go; an empty span inserts.
    pub(crate) span: Range<usize>,
    /// What takes their place, escaped for its container.
    pub(crate) text: String,
    /// What the text stands in.
    pub(crate) container: Container,
}

/// Applies edits in one pass; they ascend and do not overlap.
pub(crate) fn apply(value: &str, edits: &[Edit]) -> String {
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut out = String::with_capacity(value.len() + added);
    let mut done = 0;
    for edit in edits {
        out.push_str(&value[done..edit.span.start]);
        out.push_str(&edit.text);
        done = edit.span.end;
    }
    out + &value[done..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn gives(edits: &[(Range<usize>, &str)], expected: &str) {
        let edit = |(span, text): &(Range<usize>, &str)| Edit {
            span: span.clone(),
            text: (*text).to_owned(),
            container: Container::Whole,
        };
        let edits: Vec<_> = edits.iter().map(edit).collect();
        assert_eq!(apply("0123456789", &edits), expected);
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
}
