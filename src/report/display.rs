//! Text for terminals, logs and tables, shared by reports and the command.

mod numbers;
mod records;
mod workflow_commands;

use crate::container::EntryId;

pub use numbers::{Count, counted, thousands};
pub use records::{Cell, PlaceKeys, cells, push};
pub use workflow_commands::{WithoutCommands, without_commands};

/// Escapes the characters of a text that could move the cursor or end the line.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    push_printable(&mut printable, text);
    printable
}

/// Appends a text as [`printable`] returns it.
pub fn push_printable(out: &mut String, text: &str) {
    // Most of the many texts of a report have only such characters.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return out.push_str(text);
    }
    for c in text.chars() {
        if is_harmless(c) { out.push(c) } else { out.extend(c.escape_default()) }
    }
}

/// Whether a character neither moves the cursor, nor ends the line, nor turns the
/// direction of text.
#[must_use]
pub fn is_harmless(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(turns || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// The name of a document in a file: `page.mhtml!3`.
#[must_use]
pub fn inside(file: &str, inside: Option<EntryId>) -> String {
    match inside {
        Some(inside) => format!("{file}!{inside}"),
        None => file.to_owned(),
    }
}
