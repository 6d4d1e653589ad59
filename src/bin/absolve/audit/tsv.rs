//! Findings as tab-separated values.

use std::io::{self, Write};

use absolve::audit::Finding;
use serde_json::Value;

use super::json::{HELD_KEYS, KEYS, record};
use crate::output::is_harmless;

pub(super) fn write(findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    let keys = [KEYS, HELD_KEYS].concat();
    writeln!(out, "{}", keys.join("\t"))?;
    for finding in findings {
        let record = record(finding);
        let cells: Vec<String> =
            keys.iter().map(|&key| record.get(key).map_or(String::new(), cell)).collect();
        writeln!(out, "{}", cells.join("\t"))?;
    }
    Ok(())
}

/// A value as a cell: null is empty, a span `start-end`.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Array(span) => {
            let ends: Vec<String> = span.iter().map(Value::to_string).collect();
            ends.join("-")
        }
        Value::String(text) => escaped(text),
        other => other.to_string(),
    }
}

/// What would end the cell or the line, or move the cursor, is escaped with a
/// backslash; so is what would make a spreadsheet take the cell for a formula, and
/// the quotes that hide one.
fn escaped(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '\\' => cell.push_str("\\\\"),
            // The wide forms are operators where a spreadsheet is Japanese.
            '=' | '+' | '-' | '@' | '"' | '\'' | '＝' | '＋' | '－' | '＠' if at == 0 => {
                cell.push('\\');
                cell.push(c);
            }
            c if is_harmless(c) => cell.push(c),
            c => cell.extend(c.escape_default()),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::format::Format;
    use crate::audit::sample::{assert_harmless, broken, hostile, report};

    #[test]
    fn a_finding_is_a_row() {
        assert_eq!(
            report(Format::Tsv, &[broken("a", "x")]),
            "rule\tlevel\tfile\tline\tcolumn\tspan\telement\tattribute\treference\turl\tbase\t\
             base_source\tmessage\thint\tpart\toffset\twithin\tpage\n\
             broken-link\terror\ta\t1\t9\t8-9\ta\thref\tx\thttp://h/x\thttp://h/\t\
             retrieval-url\tnothing is at x\t\t\t\t\t\n"
        );
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

    #[test]
    fn hostile_texts_stay_in_their_cells() {
        let report = report(Format::Tsv, &[hostile(), hostile()]);
        assert_harmless(&report);
        let rows: Vec<Vec<&str>> = report.lines().map(|row| row.split('\t').collect()).collect();
        assert_eq!(rows.len(), 3);
        for row in &rows {
            assert_eq!(row.len(), KEYS.len() + HELD_KEYS.len());
            assert!(row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@'])), "{row:?}");
        }
    }
}
