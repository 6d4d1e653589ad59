//! Removes white space and control characters that do not count in a reference.

use std::borrow::Cow;

/// Removes C0 controls and spaces around a reference, and TAB, LF and CR inside it: the first steps
/// of the [basic URL parser][parser].
///
/// NOTE: RFC 1808 has no such rule. Without it `\x01javascript:` would become a
/// path, where a browser runs it.
///
/// [parser]: https://url.spec.whatwg.org/#concept-basic-url-parser
#[must_use]
#[inline]
pub fn clean(reference: &str) -> Cow<'_, str> {
    if reference.bytes().all(|byte| byte > b' ') {
        return Cow::Borrowed(reference);
    }
    clean_thoroughly(reference)
}

#[cold]
fn clean_thoroughly(reference: &str) -> Cow<'_, str> {
    let trimmed = reference.trim_matches(|c| c <= ' ');
    if trimmed.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        Cow::Owned(trimmed.replace(['\t', '\n', '\r'], ""))
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// Whether a character is invisible: a zero-width space, a byte order mark, a soft hyphen, or a
/// character that changes the direction of text.
///
/// The joiners U+200C and U+200D do not count: they are letters of some scripts, and parts of
/// emoji.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn cleans(reference: &str, expected: &str) {
        assert_eq!(clean(reference), expected);
    }

    #[test]
    fn white_space_and_controls_do_not_count() {
        cleans("a b", "a b");
        cleans(" \u{c}a\u{0} ", "a");
        cleans("\u{1}javascript:x", "javascript:x");
        cleans("a\r\n\tb", "ab");
        cleans("\u{a0}a\u{7f}", "\u{a0}a\u{7f}");
        cleans(" \n ", "");
    }
}
