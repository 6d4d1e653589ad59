//! Where a document type declaration ends.

use memchr::{memchr, memmem};

use super::fault::Fault;

/// How a document type declaration begins.
pub(super) const START: &[u8] = b"<!DOCTYPE";

/// The end of the [declaration](https://www.w3.org/TR/xml/#NT-doctypedecl) that begins at `start`:
/// a `>` outside of quotes, comments, instructions and the internal subset.
pub(super) fn end(bytes: &[u8], start: usize) -> Result<usize, Fault> {
    let unclosed = || Fault::new(start, "the document type declaration is not closed");
    let mut at = start + START.len();
    let mut is_inside = false;
    loop {
        let rest = bytes.get(at..).ok_or_else(unclosed)?;
        let skipped = |open: &[u8], close: &[u8]| {
            let end = memmem::find(&rest[open.len()..], close)?;
            Some(open.len() + end + close.len())
        };
        at += match rest {
            [b'>', ..] if !is_inside => return Ok(at + 1),
            [b'[', ..] if !is_inside => {
                is_inside = true;
                1
            }
            [b']', ..] if is_inside => {
                is_inside = false;
                1
            }
            [b'<', b'!', b'-', b'-', ..] if is_inside => {
                skipped(b"<!--", b"-->").ok_or_else(unclosed)?
            }
            [b'<', b'?', ..] if is_inside => skipped(b"<?", b"?>").ok_or_else(unclosed)?,
            [quote @ (b'"' | b'\''), rest @ ..] => memchr(*quote, rest).ok_or_else(unclosed)? + 2,
            [b'<', ..] if !is_inside => return Err(unclosed()),
            [_, ..] => 1,
            [] => return Err(unclosed()),
        };
    }
}
