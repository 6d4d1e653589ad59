//! Text for terminals, logs and tables, shared by reports and the command.

mod numbers;
mod records;
mod workflow_commands;

use crate::container::EntryId;

pub use numbers::{Count, counted, thousands};
pub use records::{PlaceKeys, row};
pub use workflow_commands::{WithoutCommands, without_commands};

/// Escapes the characters of a text that could move the cursor or end the line.
#[must_use]
pub fn printable(text: &str) -> String {
    // Most of the many texts of a report have only such characters.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars()
        .flat_map(|c| {
            let escaped = !is_harmless(c);
            let (escape, plain) =
                if escaped { (Some(c.escape_default()), None) } else { (None, Some(c)) };
            escape.into_iter().flatten().chain(plain)
        })
        .collect()
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
