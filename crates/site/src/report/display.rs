//! Text for terminals, logs and tables, shared by reports and the command.

use std::borrow::Cow;
use std::path::Path;

use absolve::url::is_invisible;
use unicode_width::UnicodeWidthChar;

mod records;
mod workflow_commands;

pub use records::{add_cell, push};
pub use workflow_commands::{WithoutCommands, without_commands};

/// Escapes the characters of a text that could move the cursor or end the line.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    push_printable(&mut printable, text);
    printable
}

/// A path for a person to read.
#[must_use]
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Appends a text as [`printable`] returns it.
pub fn push_printable(out: &mut String, text: &str) {
    // Most of the many texts of a report have only such characters.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return out.push_str(text);
    }
    let mut last = ' ';
    for c in text.chars() {
        // A letter and its accent as two characters look like the one that they are not.
        let is_decomposed = last.is_ascii_alphabetic() && matches!(c, '\u{300}'..='\u{36f}');
        if is_harmless(c) && !is_decomposed {
            out.push(c);
        } else {
            out.extend(c.escape_default());
        }
        last = c;
    }
}

/// Whether a character is seen, and neither moves the cursor, nor ends the line, nor turns the
/// direction of text.
#[must_use]
pub fn is_harmless(c: char) -> bool {
    !(is_invisible(c) || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// A number and what it counts: `1 page`, `1,169 pages`.
pub fn counted(count: impl Into<Count>, name: &str) -> String {
    let Count(count) = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {name}{plural}", thousands(count))
}

/// A number with separators, for people; programs and options have it without.
pub fn thousands(count: impl Into<Count>) -> String {
    let Count(count) = count.into();
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, in memory or in a stream.
pub struct Count(u64);

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self(count)
    }
}

impl From<usize> for Count {
    fn from(count: usize) -> Self {
        Self(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

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
    fn numbers_for_people_have_separators() {
        let shown = |count: u64, text: &str| assert_eq!(thousands(count), text);
        shown(0, "0");
        shown(999, "999");
        shown(1_000, "1,000");
        shown(1_234_567, "1,234,567");
        assert_eq!(counted(1_u64, "page"), "1 page");
        assert_eq!(counted(1_169_usize, "page"), "1,169 pages");
    }

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
