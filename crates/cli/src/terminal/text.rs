//! Text that a terminal shows literally.

use absolve_site::report::display::without_commands;

pub use absolve_site::report::display::{is_harmless, printable, printable_path};

/// A message with long values and a long text cut to a readable length.
pub fn message(text: &str) -> String {
    /// Longer than any message whose values are short.
    const LONGEST: usize = 4000;
    /// The middle of a longer value is cut: both ends of a path or a URL identify it best.
    const VALUE: usize = 256;
    let text = without_commands(text);
    let mut shown = String::new();
    for word in text.split_inclusive(' ') {
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

/// The width of a text in columns: comfortable to read, and narrower than most terminals.
pub const TEXT_WIDTH: usize = 78;

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
