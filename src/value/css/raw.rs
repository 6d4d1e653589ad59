//! Where the contents of a string or a url-token end in the source.
//!
//! A token of `cssparser` has its value, escapes undone, and no span inside its marks. The
//! functions here read escapes over and do not undo them.

use crate::value::reference::QuoteMark;

/// Whether a string token has its second mark; the end of the text closes a string too.
pub(super) fn is_closed(raw: &str, mark: QuoteMark) -> bool {
    let Some(contents) = raw.as_bytes()[1..].strip_suffix(&[mark.byte()]) else {
        return false;
    };
    // A run of backslashes begins with one that escapes the next, and so on to the mark.
    let backslashes = contents.iter().rev().take_while(|&&byte| byte == b'\\').count();
    backslashes % 2 == 0
}

/// The length of a string's contents without the white space at its end.
///
/// The white space that ends an escape is part of the escape.
pub(super) fn contents_end(contents: &str) -> usize {
    let bytes = contents.as_bytes();
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let space = byte.is_ascii_whitespace();
        at = unit_end(bytes, at);
        end = if space { end } else { at };
    }
    end
}

/// The length of an unquoted URL: it ends at white space or a parenthesis that is not escaped.
pub(super) fn unquoted_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while bytes.get(at).is_some_and(|&byte| byte != b')' && !byte.is_ascii_whitespace()) {
        at = unit_end(bytes, at);
    }
    at
}

/// The position after the byte or the escape at `at`.
///
/// <https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point>; an escaped newline counts.
fn unit_end(bytes: &[u8], at: usize) -> usize {
    if bytes[at] != b'\\' {
        return at + 1;
    }
    let rest = &bytes[at + 1..];
    let digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let space = match &rest[digits..] {
        [b'\r', b'\n', ..] => 2,
        [byte, ..] if byte.is_ascii_whitespace() || digits == 0 => 1,
        _ => 0,
    };
    at + 1 + digits + space
}
