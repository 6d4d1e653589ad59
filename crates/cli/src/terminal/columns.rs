//! Rows in aligned columns.

use std::io::{self, Write};
use std::iter::repeat_n;

use absolve_site::report::display::{without_commands, wrapped};

use super::stdout_columns;

/// The cells of rows, in a shared text.
#[derive(Default)]
pub struct Cells {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    /// Removes all cells, and keeps the allocation.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Adds a cell, which `write` appends to the text.
    pub fn add(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.ends.push(self.text.len());
    }

    /// Returns the size of the cells in memory, in bytes.
    pub fn size(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<usize>()
    }

    /// Lists the cells of all rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.text[std::mem::replace(&mut start, end)..end])
    }
}

/// Columns that are as wide as their widest cell; the last one needs no width.
pub struct Columns {
    widths: Vec<usize>,
    /// The columns of the terminal. Longer lines are wrapped.
    terminal_width: usize,
    /// The buffer of a line.
    line: String,
}

impl Default for Columns {
    fn default() -> Self {
        Self { widths: Vec::new(), terminal_width: stdout_columns(), line: String::new() }
    }
}

impl Columns {
    /// Maximum width of a column. A longer cell does not widen its column, and pushes the next
    /// cells to the right.
    const MAX_WIDTH: usize = 60;

    /// Widens the columns to fit a row.
    pub fn fit<'c>(&mut self, row: impl IntoIterator<Item = &'c str>) {
        for (number, cell) in row.into_iter().enumerate() {
            let width = cell.chars().count().min(Self::MAX_WIDTH);
            match self.widths.get_mut(number) {
                Some(widest) => *widest = width.max(*widest),
                None => self.widths.push(width),
            }
        }
    }

    /// Writes a row.
    pub fn write<'c>(
        &mut self,
        out: &mut dyn Write,
        row: impl IntoIterator<Item = &'c str>,
    ) -> io::Result<()> {
        self.line.clear();
        for (cell, &width) in row.into_iter().zip(&self.widths) {
            self.line.push_str(cell);
            let missing = width.saturating_sub(cell.chars().count());
            self.line.extend(repeat_n(' ', missing + 2));
        }
        self.line.truncate(self.line.trim_end().len());
        self.line.push('\n');
        let line = wrapped(&self.line, self.terminal_width, 2);
        out.write_all(without_commands(&line).as_bytes())
    }
}

/// Writes rows in aligned columns.
pub fn write_aligned(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let mut columns = Columns::default();
    for row in rows {
        columns.fit(row.iter().map(String::as_str));
    }
    rows.iter().try_for_each(|row| columns.write(out, row.iter().map(String::as_str)))
}
