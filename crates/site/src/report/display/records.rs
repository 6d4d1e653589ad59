//! Records as rows of tab-separated values, safe in a terminal and a spreadsheet.

use std::fmt::{self, Write};

use absolve::column::Value;

use crate::report::is_harmless;

/// Adds a cell to a row, whose first one is not empty.
#[inline]
pub fn add_cell(row: &mut String, value: Option<Value<'_>>) {
    if !row.is_empty() {
        row.push('\t');
    }
    match value {
        None => {}
        Some(Value::Text(text)) => push_escaped(row, &text),
        Some(Value::Number(number)) => push(row, format_args!("{number}")),
        Some(Value::Flag(flag)) => push(row, format_args!("{flag}")),
        Some(Value::Span([start, end])) => push(row, format_args!("{start}-{end}")),
    }
}

/// Appends to a text.
#[expect(clippy::expect_used, reason = "a text takes all that is written to it")]
pub fn push(text: &mut String, more: fmt::Arguments<'_>) {
    text.write_fmt(more).expect("BUG: writing to memory failed");
}

/// Appends a text with escapes for what would end the cell or the line, move the cursor, or make a
/// spreadsheet read the cell as a formula, with the quotes that hide one.
///
/// `\t`, `\r`, `\n` and `\u{1b}` (in hexadecimal digits) encode these characters, and a backslash
/// before any other stands for that one. A backslash is escaped itself, so that cells are
/// unambiguous.
fn push_escaped(cell: &mut String, text: &str) {
    // Most texts have only such characters.
    let is_plain = |byte| matches!(byte, b' '..=b'~') && byte != b'\\';
    let may_be_formula = text.starts_with(['=', '+', '-', '@', '"', '\'']);
    if !may_be_formula && text.bytes().all(is_plain) {
        return cell.push_str(text);
    }
    for (at, c) in text.char_indices() {
        match c {
            '\\' => cell.push_str("\\\\"),
            // The wide forms are operators in a Japanese spreadsheet.
            '=' | '+' | '-' | '@' | '"' | '\'' | '＝' | '＋' | '－' | '＠' if at == 0 => {
                cell.push('\\');
                cell.push(c);
            }
            c if is_harmless(c) => cell.push(c),
            c => cell.extend(c.escape_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut cell = String::new();
        push_escaped(&mut cell, text);
        cell
    }

    /// The text of a cell.
    fn unescaped(cell: &str) -> Option<String> {
        let (mut text, mut chars) = (String::new(), cell.chars());
        while let Some(c) = chars.next() {
            if c != '\\' {
                text.push(c);
                continue;
            }
            text.push(match chars.next()? {
                't' => '\t',
                'r' => '\r',
                'n' => '\n',
                'u' => {
                    let digits: String = chars.by_ref().take_while(|&c| c != '}').collect();
                    let code = u32::from_str_radix(digits.strip_prefix('{')?, 16).ok()?;
                    char::from_u32(code)?
                }
                c => c,
            });
        }
        Some(text)
    }

    #[test]
    fn a_cell_is_read_back() {
        // Every text of four of these characters.
        let alphabet =
            ['\\', '\'', '"', '=', '＝', 't', 'u', '{', '\t', '\n', '\u{1b}', '\u{202e}'];
        for number in 0..alphabet.len().pow(4) {
            let at = |place: u32| alphabet[number / alphabet.len().pow(place) % alphabet.len()];
            for length in 0..=4 {
                let text: String = (0..length).map(at).collect();
                let cell = escaped(&text);
                assert_eq!(unescaped(&cell).as_ref(), Some(&text), "{cell}");
                assert!(cell.chars().all(is_harmless), "{cell}");
            }
        }
    }

    #[test]
    fn no_cell_ends_early_or_is_a_formula() {
        let row = |text: &str, cell: &str| assert_eq!(escaped(text), cell);
        row("a=b-c", "a=b-c");
        row("=1+1", "\\=1+1");
        row("+1", "\\+1");
        row("-1", "\\-1");
        row("@SUM(A1)", "\\@SUM(A1)");
        row("\"=1", "\\\"=1");
        row("＝1", "\\＝1");
        row("\t=1", "\\t=1");
        row("\r=1", "\\r=1");
        row("\n=1", "\\n=1");
        row("a\tb\\c", "a\\tb\\\\c");
        row("\u{1b}[1m\u{202e}", "\\u{1b}[1m\\u{202e}");
    }
}
