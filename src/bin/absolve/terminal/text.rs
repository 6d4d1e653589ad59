//! Text that a terminal shows as it is.

use std::path::Path;

use absolve::report::display::without_commands;
use absolve::url::masked;

pub(crate) use absolve::report::display::{is_harmless, printable};

/// A path for a person to read.
pub(crate) fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// A message as it is shown: without passwords, and with values and the whole cut to what can be
/// read.
pub(crate) fn message(text: &str) -> String {
    /// More than any message has whose values are short.
    const LONGEST: usize = 4000;
    /// A value beyond it is cut; what a path and a URL begin and end with says most.
    const VALUE: usize = 256;
    let masked = masked(text);
    let masked = without_commands(&masked);
    let mut shown = String::new();
    for word in masked.split_inclusive(' ') {
        if shown.len() > LONGEST {
            shown.truncate(shown.trim_end().len());
            shown.push('…');
            break;
        }
        let (word, space) = word.strip_suffix(' ').map_or((word, ""), |word| (word, " "));
        if word.len() <= VALUE {
            shown.extend([word, space]);
            continue;
        }
        let is_boundary = |at: &usize| word.is_char_boundary(*at);
        let first = (0..=VALUE / 2).rev().find(is_boundary).unwrap_or(0);
        let last = (word.len() - VALUE / 2..word.len()).find(is_boundary).unwrap_or(word.len());
        shown.extend([&word[..first], "…", &word[last..], space]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_repeats_no_long_value() {
        for text in ["", "a: cannot read 'b'\n  c", &"x".repeat(256)] {
            assert_eq!(message(text), text);
        }
        let (one, other) = ("é".repeat(64), "z".repeat(128));
        let long = format!("{one}{}{other}", "é".repeat(100_000));
        assert_eq!(message(&format!("a {long} b")), format!("a {one}…{other} b"));
        let many = message(&"a b ".repeat(100_000));
        assert!(many.ends_with('…') && many.len() < 5000, "{many}");
    }
}
