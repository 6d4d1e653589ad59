//! Edits: spans of a source with what takes their place, applied in one pass.
//!
//! The type knows nothing of HTML or encodings; it moves bytes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A byte span and its replacement.
///
/// `T` is `Vec<u8>` where the replacement has been encoded for a page that is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit<T = String> {
    /// The bytes of the source that go. An empty span inserts.
    pub span: Range<usize>,
    /// What takes their place.
    pub text: T,
}

/// Why edits cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditError {
    kind: ErrorKind,
    index: usize,
    span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ErrorKind {
    Reversed,
    OutOfBounds { length: usize },
    Unordered { previous_end: usize },
}

impl EditError {
    /// The position of the bad edit in the list.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }

    /// The span of the bad edit.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.span;
        write!(f, "edit {} at bytes {start}..{end} ", self.index)?;
        match self.kind {
            ErrorKind::Reversed => write!(f, "ends before it begins"),
            ErrorKind::OutOfBounds { length } => {
                write!(f, "ends behind the source, which has {length} bytes")
            }
            ErrorKind::Unordered { previous_end } => {
                write!(f, "begins before byte {previous_end}, the end of the edit before it")
            }
        }
    }
}

impl std::error::Error for EditError {}

/// Applies `edits` to `source`; no edits give the source itself.
///
/// # Errors
///
/// Every span lies in the source, and the spans ascend without overlapping; the first edit that
/// breaks this is the error.
///
/// # Examples
///
/// ```
/// # use absolve::edit::{Edit, apply};
/// let edit = Edit { span: 9..10, text: "http://h/g".to_owned() };
/// assert_eq!(*apply(b"<a href='g'>", &[edit]).unwrap(), *b"<a href='http://h/g'>");
/// ```
pub fn apply<'s, T: AsRef<[u8]>>(
    source: &'s [u8],
    edits: &[Edit<T>],
) -> Result<Cow<'s, [u8]>, EditError> {
    let length = checked_length(source.len(), edits)?;
    if edits.is_empty() {
        return Ok(Cow::Borrowed(source));
    }
    let mut output = Vec::with_capacity(length);
    let mut kept = 0;
    for edit in edits {
        output.extend_from_slice(&source[kept..edit.span.start]);
        output.extend_from_slice(edit.text.as_ref());
        kept = edit.span.end;
    }
    output.extend_from_slice(&source[kept..]);
    Ok(Cow::Owned(output))
}

/// The length of the output, once the spans are known to be sound.
fn checked_length<T: AsRef<[u8]>>(length: usize, edits: &[Edit<T>]) -> Result<usize, EditError> {
    let (mut kept, mut previous_end) = (length, 0);
    let mut added = 0_usize;
    for (index, edit) in edits.iter().enumerate() {
        let Range { start, end } = edit.span;
        let kind = if start > end {
            ErrorKind::Reversed
        } else if end > length {
            ErrorKind::OutOfBounds { length }
        } else if start < previous_end {
            ErrorKind::Unordered { previous_end }
        } else {
            kept -= end - start;
            added = added.saturating_add(edit.text.as_ref().len());
            previous_end = end;
            continue;
        };
        return Err(EditError { kind, index, span: edit.span.clone() });
    }
    Ok(kept.saturating_add(added))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(rows: &[(usize, usize, &'static str)]) -> Vec<Edit<&'static str>> {
        rows.iter().map(|&(start, end, text)| Edit { span: start..end, text }).collect()
    }

    #[track_caller]
    fn check(rows: &[(usize, usize, &'static str)], expected: &str) {
        let output = apply(b"0123456789", &edits(rows)).unwrap();
        assert_eq!(str::from_utf8(&output).unwrap(), expected);
        if let Cow::Owned(output) = output {
            assert_eq!(output.len(), output.capacity());
        }
    }

    #[track_caller]
    fn fails(rows: &[(usize, usize, &'static str)], message: &str) {
        assert_eq!(apply(b"0123456789", &edits(rows)).unwrap_err().to_string(), message);
    }

    #[test]
    fn no_edit_borrows() {
        assert!(matches!(apply::<String>(b"0123", &[]), Ok(Cow::Borrowed(b"0123"))));
    }

    #[test]
    fn edits_apply_in_order() {
        check(&[(0, 1, "a")], "a123456789");
        check(&[(1, 3, ""), (9, 10, "bc")], "0345678bc");
        check(&[(0, 10, "")], "");
        check(&[(2, 4, "a"), (4, 6, "b")], "01ab6789");
    }

    #[test]
    fn an_empty_span_inserts() {
        check(&[(0, 0, "a"), (0, 0, "b"), (10, 10, "c")], "ab0123456789c");
    }

    #[test]
    fn bad_spans_are_errors() {
        fails(&[(3, 2, "")], "edit 0 at bytes 3..2 ends before it begins");
        fails(
            &[(0, 1, ""), (9, 11, "")],
            "edit 1 at bytes 9..11 ends behind the source, which has 10 bytes",
        );
        fails(
            &[(2, 4, ""), (3, 5, "")],
            "edit 1 at bytes 3..5 begins before byte 4, the end of the edit before it",
        );
    }

    #[test]
    fn an_error_names_its_edit() {
        let error = apply(b"", &edits(&[(0, 1, "")])).unwrap_err();
        assert_eq!((error.index(), error.span()), (0, 0..1));
    }
}
