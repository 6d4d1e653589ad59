//! Delimiter lines of multiparts
//! ([RFC 2046 section 5.1.1](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1)).

use memchr::{memchr, memmem};

/// Whether a text contains a line that is a delimiter of one of these boundaries.
pub(super) fn contains_delimiter(text: &[u8], boundaries: &[&[u8]]) -> bool {
    let starts = memmem::find_iter(text, b"\n--").map(|at| at + 1);
    let starts = starts.chain(text.starts_with(b"--").then_some(0));
    starts.into_iter().any(|start| {
        let line = &text[start..start + line_len(&text[start..])];
        names(line).into_iter().any(|(name, _)| boundaries.contains(&name))
    })
}

/// What a delimiter ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Part,
    All,
}

/// The boundaries that a line may be a delimiter of.
pub(super) fn names(line: &[u8]) -> [(&[u8], End); 2] {
    let name = line.trim_ascii_end().get(2..).unwrap_or_default();
    [(name, End::Part), (name.strip_suffix(b"--").unwrap_or_default(), End::All)]
}

/// Bytes of the first line, with its end.
pub(super) fn line_len(text: &[u8]) -> usize {
    memchr(b'\n', text).map_or(text.len(), |end| end + 1)
}

/// The first line end of a text.
pub(super) fn line_end(text: &[u8]) -> Option<&'static [u8]> {
    let end = memchr(b'\n', text)?;
    Some(if text[..end].ends_with(b"\r") { b"\r\n" } else { b"\n" })
}
