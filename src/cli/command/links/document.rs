//! One document whose links are listed.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, Write};

use crate::container::{self, Documents, EntryId, Format, Spans};
use crate::encoding::Lines;
use crate::{Link, Rewriter};
use encoding_rs::UTF_8;

use super::record::{CELLS, KEYS, LinkRecord, Place, Shown};
use crate::cli::args::{LinksArgs, ListFormat};
use crate::cli::session::ordered_output::MOST;
use crate::cli::terminal::{Cells, Columns};

/// Printed after a list that a signal cut short.
pub(super) const INTERRUPTED: &str = "interrupted: the list is incomplete";

/// The error of a position without a document.
pub(super) const NO_DOCUMENT: &str =
    "no document begins there; give a position as links and audit print it";

/// The line above the links.
pub(super) fn header(args: &LinksArgs, out: &mut dyn Write) -> io::Result<()> {
    match args.format {
        ListFormat::Tsv => writeln!(out, "{}", KEYS.join("\t")),
        ListFormat::Text | ListFormat::Jsonl => Ok(()),
    }
}

/// A file whose links are listed in two passes, so that nothing is written if it reaches a limit,
/// and no link is kept in memory.
pub(super) struct Document<'a> {
    pub(super) args: &'a LinksArgs,
    pub(super) rewriter: &'a Rewriter,
    pub(super) source: &'a [u8],
    pub(super) file: &'a OsStr,
    pub(super) format: Format,
    /// Its entry in the file, if it is not the whole file.
    pub(super) inside: Option<EntryId>,
    /// The only entry of the file that is listed, if there is one.
    pub(super) only: Option<EntryId>,
}

impl Document<'_> {
    /// Measures the columns.
    pub(super) fn measure(&self, shown: Shown) -> Result<(Columns, Documents), crate::Error> {
        let (mut columns, mut cells) = (Columns::default(), Cells::default());
        let mut lines = self.lines();
        let documents =
            container::links(self.source, self.format, self.rewriter, |inside, link, spans| {
                if let ListFormat::Text = self.args.format
                    && self.is_listed(inside)
                {
                    let place = Place::new(self.file, inside.or(self.inside), spans, &mut lines);
                    let record = LinkRecord::new(&place, link, self.args);
                    cells.clear();
                    record.add_to(&mut cells, place.inside, shown);
                    columns.fit(cells.iter());
                }
            })?;
        Ok((columns, documents))
    }

    pub(super) fn print(
        &self,
        columns: Columns,
        measured: &Documents,
        shown: Shown,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let failed: HashSet<EntryId> =
            measured.failures().iter().filter_map(crate::Error::part).map(EntryId::Part).collect();
        let mut printer = self.printer(columns, shown);
        let mut written = Ok(());
        let print = |inside: Option<EntryId>, link: &Link<'_>, spans| {
            let has_failed = inside.is_some_and(|inside| failed.contains(&inside));
            if written.is_ok() && !has_failed && self.is_listed(inside) {
                written = printer.print(inside, link, spans, out);
            }
        };
        let listed = container::links(self.source, self.format, self.rewriter, print);
        written.and(listed.map_err(io::Error::other).map(|_| ()))
    }

    /// Prints the links in one pass, to a buffer whose content counts only without an error. Not for
    /// messages, whose parts can fail.
    pub(super) fn print_once(
        &self,
        out: &mut dyn Write,
    ) -> io::Result<Result<Documents, crate::Error>> {
        let mut printer = self.printer(Columns::default(), Shown::FileAndPlace);
        let mut written = Ok(());
        let print = |inside, link: &Link<'_>, spans| {
            if written.is_ok() {
                written = match self.args.format {
                    ListFormat::Text => printer.keep(inside, link, spans),
                    ListFormat::Jsonl | ListFormat::Tsv => printer.print(inside, link, spans, out),
                };
            }
        };
        let listed = container::links(self.source, self.format, self.rewriter, print);
        written?;
        printer.print_kept(out)?;
        Ok(listed)
    }

    fn is_listed(&self, entry: Option<EntryId>) -> bool {
        self.only.is_none() || self.only == entry
    }

    fn printer(&self, columns: Columns, shown: Shown) -> LinePrinter<'_> {
        LinePrinter { document: self, columns, cells: Cells::default(), shown, lines: self.lines() }
    }

    /// Lines and columns; a message counts as UTF-8.
    fn lines(&self) -> Lines<'_> {
        let detected = if self.format == Format::Message {
            crate::detect(self.source, Some(UTF_8))
        } else {
            let syntax = self.format.syntax().unwrap_or_default();
            self.rewriter.clone().syntax(syntax).detect(self.source)
        };
        Lines::new(self.source, detected)
    }
}

/// Prints a line for each link of a document.
struct LinePrinter<'a> {
    document: &'a Document<'a>,
    columns: Columns,
    /// The rows that are kept until the columns are known, or those of one row.
    cells: Cells,
    shown: Shown,
    lines: Lines<'a>,
}

impl LinePrinter<'_> {
    fn print(
        &mut self,
        inside: Option<EntryId>,
        link: &Link<'_>,
        spans: Spans,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Document { args, file, inside: entry, .. } = self.document;
        let place = Place::new(file, inside.or(*entry), spans, &mut self.lines);
        let record = LinkRecord::new(&place, link, args);
        match args.format {
            ListFormat::Text => {
                self.cells.clear();
                record.add_to(&mut self.cells, place.inside, self.shown);
                self.columns.write(out, self.cells.iter())
            }
            ListFormat::Jsonl => {
                serde_json::to_writer(&mut *out, &record)?;
                writeln!(out)
            }
            ListFormat::Tsv => writeln!(out, "{}", record.row()),
        }
    }

    /// Keeps the row of a link until the columns are known; fails if that takes much memory.
    fn keep(&mut self, inside: Option<EntryId>, link: &Link<'_>, spans: Spans) -> io::Result<()> {
        let Document { args, file, inside: entry, .. } = self.document;
        let place = Place::new(file, inside.or(*entry), spans, &mut self.lines);
        let record = LinkRecord::new(&place, link, args);
        record.add_to(&mut self.cells, place.inside, self.shown);
        if self.cells.size() > MOST { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) }
    }

    /// Prints the rows that were kept.
    fn print_kept(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let cells: Vec<&str> = self.cells.iter().collect();
        let rows = || cells.chunks_exact(CELLS);
        rows().for_each(|row| self.columns.fit(row.iter().copied()));
        rows().try_for_each(|row| self.columns.write(out, row.iter().copied()))
    }
}
