//! Aligned columns.

use std::fmt;
use std::io::{self, Write};

use absolve::report::display::without_commands;

/// Columns as wide as their widest cell; the last one is as long as it is.
#[derive(Default)]
pub(crate) struct Columns {
    widths: Vec<usize>,
}

impl Columns {
    /// A cell that is longer pushes the others instead of widening the column.
    const WIDEST: usize = 60;

    /// Makes the columns wide enough for a row.
    pub(crate) fn fit(&mut self, row: &[String]) {
        self.widths.resize(self.widths.len().max(row.len()), 0);
        for (width, cell) in self.widths.iter_mut().zip(row) {
            *width = cell.chars().count().min(Self::WIDEST).max(*width);
        }
    }

    /// Writes a row.
    pub(crate) fn write(&self, out: &mut dyn Write, row: &[String]) -> io::Result<()> {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&self.widths) {
            let _ = fmt::Write::write_fmt(&mut line, format_args!("{cell:width$}  "));
        }
        writeln!(out, "{}", without_commands(line.trim_end()))
    }
}

/// Writes rows with their columns aligned.
pub(crate) fn write_aligned(out: &mut dyn Write, rows: &[Vec<String>]) -> io::Result<()> {
    let mut columns = Columns::default();
    for row in rows {
        columns.fit(row);
    }
    rows.iter().try_for_each(|row| columns.write(out, row))
}
