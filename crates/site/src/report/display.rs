//! Formats text for terminals, logs and tables, for reports and the command.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use absolve::column::Value;
use absolve::url::is_invisible;
use unicode_width::UnicodeWidthChar;

/// Escapes the characters of a text that are invisible or control the cursor, line or direction.
#[must_use]
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    push_printable(&mut printable, text);
    printable
}

/// Converts a path to printable text.
#[must_use]
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Appends a text as [`printable`] returns it.
pub fn push_printable(out: &mut String, text: &str) {
    // The fast path: most texts of a report are printable ASCII.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return out.push_str(text);
    }
    let mut previous = ' ';
    for c in text.chars() {
        // A letter with a combining accent looks like the precomposed letter, but differs from it.
        let is_decomposed = previous.is_ascii_alphabetic() && matches!(c, '\u{300}'..='\u{36f}');
        if is_harmless(c) && !is_decomposed {
            out.push(c);
        } else {
            out.extend(c.escape_default());
        }
        previous = c;
    }
}

/// Whether a character is visible, and neither moves the cursor, ends the line, nor changes the
/// direction of text.
#[must_use]
pub fn is_harmless(c: char) -> bool {
    !(is_invisible(c) || c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Formats a number with its noun: `1 page`, `1,169 pages`.
pub fn counted(count: impl Into<Count>, name: &str) -> String {
    let Count(count) = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {name}{plural}", thousands(count))
}

/// Formats a number with thousands separators. Output for programs has none.
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

/// A count, which a `usize` or a `u64` converts to.
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

/// Wraps lines that are wider than this many columns, between words. The rest after a break is
/// indented by `indent` more than its line.
///
/// A terminal would break lines inside words. A word that is too long for a line stays whole, so
/// that a reader can select a URL.
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

/// Counts the columns of a text, without its escape sequences for color.
fn columns(text: &str) -> usize {
    let mut is_in_escape = false;
    let visible = text.chars().filter(|&c| {
        let is_visible = !is_in_escape && c != '\x1b';
        is_in_escape = !is_visible && c != 'm';
        is_visible
    });
    visible.map(|c| c.width().unwrap_or(0)).sum()
}

/// Adds a cell to a row of tab-separated values, escaped for terminals and spreadsheets. The first
/// cell of a row must not be empty, because an empty row gets no separator.
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

/// Appends a formatted text.
#[expect(clippy::expect_used, reason = "a text takes all that is written to it")]
pub fn push(text: &mut String, more: fmt::Arguments<'_>) {
    fmt::Write::write_fmt(text, more).expect("BUG: writing to memory failed");
}

/// Appends a text to a cell. Escapes the characters that would end the cell or line, or move the
/// cursor, and those at its start that make a spreadsheet read a formula, quoted or not.
///
/// `\t`, `\r`, `\n` and `\u{1b}` (in hexadecimal digits) encode these characters; before any other
/// character, a backslash stands for that character. A backslash itself is escaped, so every cell
/// can be decoded unambiguously.
fn push_escaped(cell: &mut String, text: &str) {
    // The fast path: most texts need no escapes.
    let is_plain = |byte| matches!(byte, b' '..=b'~') && byte != b'\\';
    let may_be_formula = text.starts_with(['=', '+', '-', '@', '"', '\'']);
    if !may_be_formula && text.bytes().all(is_plain) {
        return cell.push_str(text);
    }
    for (at, c) in text.char_indices() {
        match c {
            '\\' => cell.push_str("\\\\"),
            // Spreadsheets in Japanese take the fullwidth forms as operators too.
            '=' | '+' | '-' | '@' | '"' | '\'' | '＝' | '＋' | '－' | '＠' if at == 0 => {
                cell.push('\\');
                cell.push(c);
            }
            c if is_harmless(c) => cell.push(c),
            c => cell.extend(c.escape_default()),
        }
    }
}

/// Disables the workflow commands in a text by escaping one character of each.
///
/// The runners of GitHub and Azure execute [commands][spec] in the log of a step: `::name::` at the
/// start of a line, and `##[name]` anywhere in a line. Pages and file names provide parts of a
/// text, so they could inject commands.
///
/// [spec]: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
#[must_use]
pub fn without_commands(text: &str) -> Cow<'_, str> {
    if !text.contains("##[") && !text.contains("::") {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        let line = line.replace("##[", "#\\u{23}[");
        let rest = line.trim_start();
        if !rest.starts_with("::") {
            return line;
        }
        let (space, rest) = line.split_at(line.len() - rest.len());
        format!("{space}\\u{{3a}}{}", &rest[1..])
    });
    Cow::Owned(lines.collect())
}

/// Disables workflow commands and wraps lines; buffers a line, as writes may split a command.
pub struct WithoutCommands<'w> {
    out: &'w mut dyn Write,
    /// The unfinished line.
    line: Vec<u8>,
    /// Maximum columns of a line.
    width: usize,
}

impl<'w> WithoutCommands<'w> {
    #[must_use]
    pub fn new(out: &'w mut dyn Write, width: usize) -> Self {
        Self { out, line: Vec::new(), width }
    }
}

impl Write for WithoutCommands<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.flush()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        let line = wrapped(&line, self.width, 2);
        self.out.write_all(without_commands(&line).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people_have_separators() {
        let assert_shown = |count: u64, text: &str| assert_eq!(thousands(count), text);
        assert_shown(0, "0");
        assert_shown(999, "999");
        assert_shown(1_000, "1,000");
        assert_shown(1_234_567, "1,234,567");
        assert_eq!(counted(1_u64, "page"), "1 page");
        assert_eq!(counted(1_169_usize, "page"), "1,169 pages");
    }

    #[test]
    fn text_is_wrapped_between_words() {
        let assert_wraps =
            |text, expected: &str| assert_eq!(wrapped(text, 8, 2), expected, "{text}");
        assert_wraps("a bc def g", "a bc def\n  g");
        assert_wraps("a bc\ndef", "a bc\ndef");
        assert_wraps("toolongaword a\n", "toolongaword\n  a\n");
        assert_wraps("   a bcd ef g", "   a bcd\n     ef\n     g");
        assert_wraps("cell    cell     cell\n", "cell\n  cell\n  cell\n");
        assert_wraps("\x1b[1;31merr\x1b[0m abcd e", "\x1b[1;31merr\x1b[0m abcd\n  e");
        assert_wraps("\u{4e00}\u{4e00} \u{4e00}\u{4e00}", "\u{4e00}\u{4e00}\n  \u{4e00}\u{4e00}");
        assert_eq!(wrapped("a bc def g", usize::MAX, 2), "a bc def g");
    }

    fn escape(text: &str) -> String {
        let mut cell = String::new();
        push_escaped(&mut cell, text);
        cell
    }

    fn unescape(cell: &str) -> Option<String> {
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
            let digit = |at: u32| alphabet[number / alphabet.len().pow(at) % alphabet.len()];
            for length in 0..=4 {
                let text: String = (0..length).map(digit).collect();
                let cell = escape(&text);
                assert_eq!(unescape(&cell).as_ref(), Some(&text), "{cell}");
                assert!(cell.chars().all(is_harmless), "{cell}");
            }
        }
    }

    #[test]
    fn no_cell_ends_early_or_is_a_formula() {
        let assert_cell = |text: &str, cell: &str| assert_eq!(escape(text), cell);
        assert_cell("a=b-c", "a=b-c");
        assert_cell("=1+1", "\\=1+1");
        assert_cell("+1", "\\+1");
        assert_cell("-1", "\\-1");
        assert_cell("@SUM(A1)", "\\@SUM(A1)");
        assert_cell("\"=1", "\\\"=1");
        assert_cell("＝1", "\\＝1");
        assert_cell("\t=1", "\\t=1");
        assert_cell("\r=1", "\\r=1");
        assert_cell("\n=1", "\\n=1");
        assert_cell("a\tb\\c", "a\\tb\\\\c");
        assert_cell("\u{1b}[1m\u{202e}", "\\u{1b}[1m\\u{202e}");
    }

    #[test]
    fn a_command_is_escaped() {
        for (text, shown) in [
            ("a: x::y ##vso[a] # #[b]\n", "a: x::y ##vso[a] # #[b]\n"),
            ("::error::x", "\\u{3a}:error::x"),
            ("a\n \t::set-env name=A::b\nc", "a\n \t\\u{3a}:set-env name=A::b\nc"),
            ("a ##[add-path]b ####[c]", "a #\\u{23}[add-path]b ###\\u{23}[c]"),
        ] {
            assert_eq!(without_commands(text), shown);
        }
    }

    #[test]
    fn a_line_is_looked_at_as_a_whole() {
        let mut out = Vec::new();
        let mut writer = WithoutCommands::new(&mut out, usize::MAX);
        for part in ["a #", "#", "[b]\n:", ":c\nd", " é\n"] {
            writer.write_all(part.as_bytes()).unwrap();
        }
        assert_eq!(String::from_utf8(out).unwrap(), "a #\\u{23}[b]\n\\u{3a}:c\nd é\n");
    }
}
