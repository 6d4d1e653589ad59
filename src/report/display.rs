//! Text for terminals, logs and tables, shared by reports and the command.

use std::path::Path;

use crate::url::is_invisible;

mod numbers;
mod records;
mod workflow_commands;
mod wrapping;

pub use numbers::{Count, counted, thousands};
pub use records::{add_cell, push};
pub use workflow_commands::{WithoutCommands, without_commands};
pub use wrapping::wrapped;

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
