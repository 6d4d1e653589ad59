//! Wraps text between words.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

/// The lines of a text, broken at spaces where they are wider than this many columns. What follows
/// a break is indented by `indent` more than its line.
///
/// A terminal breaks longer lines inside words. A word that is too long for a line stays whole, so
/// that a URL can be selected.
#[must_use]
pub fn wrapped(text: &str, width: usize, indent: usize) -> Cow<'_, str> {
    if width == usize::MAX || text.lines().all(|line| columns(line) <= width) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len() + indent;
        let (mut column, mut has_word) = (0, false);
        for word in line.split_inclusive(' ') {
            let length = columns(word.trim_end());
            if has_word && length > 0 && column + length > width {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            }
            has_word |= length > 0;
            out.push_str(word);
            column += columns(word);
        }
    }
    Cow::Owned(out)
}

/// The columns of a text, without the sequences that color it.
fn columns(text: &str) -> usize {
    let mut is_color = false;
    let shown = text.chars().filter(|&c| {
        let is_shown = !is_color && c != '\x1b';
        is_color = !is_shown && c != 'm';
        is_shown
    });
    shown.map(|c| c.width().unwrap_or(0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_between_words() {
        let wraps = |text, expected: &str| assert_eq!(wrapped(text, 8, 2), expected, "{text}");
        wraps("a bc def g", "a bc def\n  g");
        wraps("a bc\ndef", "a bc\ndef");
        wraps("toolongaword a\n", "toolongaword\n  a\n");
        wraps("   a bcd ef g", "   a bcd\n     ef\n     g");
        wraps("cell    cell     cell\n", "cell\n  cell\n  cell\n");
        wraps("\x1b[1;31merr\x1b[0m abcd e", "\x1b[1;31merr\x1b[0m abcd\n  e");
        wraps("\u{4e00}\u{4e00} \u{4e00}\u{4e00}", "\u{4e00}\u{4e00}\n  \u{4e00}\u{4e00}");
        assert_eq!(wrapped("a bc def g", usize::MAX, 2), "a bc def g");
    }
}
