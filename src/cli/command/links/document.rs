//! One document whose links are listed.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, Write};

use crate::container::{self, Documents, EntryId, Format, Spans};
use crate::encoding::Lines;
use crate::{Buffers, Link, Rewriter, Syntax};
use encoding_rs::UTF_8;

use super::external::Unmarked;
use super::listing::Listing;
use super::record::{CELLS, FileName, LinkRecord, Place, Shown, names};
use crate::cli::args::{LinksArgs, ListFormat};
use crate::cli::session::ordered_output::MOST;
use crate::cli::terminal::{Cells, Columns};

/// Printed after a list that a signal cut short.
pub(super) const INTERRUPTED: &str = "interrupted: the list is incomplete";

/// The error of a position without a document.
pub(super) const NO_DOCUMENT: &str = "no document begins there; give a position as links prints it";

/// The line above the links.
pub(super) fn header(args: &LinksArgs, out: &mut dyn Write) -> io::Result<()> {
    match args.listing.format {
        ListFormat::Tsv => writeln!(out, "{}", names()),
        ListFormat::Text | ListFormat::Jsonl | ListFormat::Url => Ok(()),
    }
}

/// A file whose links are listed in two passes, so that nothing is written if it reaches a limit,
/// and no link is kept in memory.
pub(super) struct Document<'a> {
    pub(super) args: &'a LinksArgs,
    pub(super) listing: &'a Listing,
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
        let (file, mut lines) = (FileName::new(self.file), self.lines());
        let documents = self.links(|inside, link, spans| {
            if let ListFormat::Text = self.args.listing.format
                && self.is_listed(inside)
                && self.listing.lists(link)
            {
                let place = Place::new(&file, inside.or(self.inside), spans, &mut lines);
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
        let listed = self.links(print);
        self.listing.add_unresolved(printer.unresolved);
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
                written = match self.args.listing.format {
                    ListFormat::Text => printer.keep(inside, link, spans),
                    _ => printer.print(inside, link, spans, out),
                };
            }
        };
        let listed = self.links(print);
        written?;
        printer.print_kept(out)?;
        self.listing.add_unresolved(if listed.is_ok() { printer.unresolved } else { 0 });
        Ok(listed)
    }

    /// Shows the links of the file; with `--external`, no links inside elements to ignore.
    fn links(
        &self,
        mut show: impl FnMut(Option<EntryId>, &Link<'_>, Spans),
    ) -> Result<Documents, crate::Error> {
        let is_external = self.listing.external.is_some();
        let Some(syntax) = self.format.syntax().filter(|_| is_external) else {
            return container::links(self.source, self.format, self.rewriter, show);
        };
        let rewriter = match syntax {
            Syntax::Html => Cow::Borrowed(self.rewriter),
            other => Cow::Owned(self.rewriter.clone().syntax(other)),
        };
        let mut show = |link: &Link<'_>| show(None, link, Spans::of(link, |span| span));
        let summary =
            rewriter.inspect(self.source, &mut Buffers::new(), &mut Unmarked(&mut show))?;
        Ok(Documents::One(Box::new(summary)))
    }

    fn is_listed(&self, entry: Option<EntryId>) -> bool {
        self.only.is_none() || self.only == entry
    }

    fn printer(&self, columns: Columns, shown: Shown) -> LinePrinter<'_> {
        let (file, cells, lines) = (FileName::new(self.file), Cells::default(), self.lines());
        LinePrinter { document: self, file, columns, cells, shown, lines, unresolved: 0 }
    }

    /// Lines and columns; a message counts as UTF-8.
    fn lines(&self) -> Lines<'_> {
        let detected = match self.format.syntax() {
            Some(syntax) => self.rewriter.clone().syntax(syntax).detect(self.source),
            None => crate::detect(self.source, Some(UTF_8)),
        };
        Lines::new(self.source, detected)
    }
}

/// Prints a line for each link of a document.
struct LinePrinter<'a> {
    document: &'a Document<'a>,
    file: FileName<'a>,
    columns: Columns,
    /// The rows that are kept until the columns are known, or those of one row.
    cells: Cells,
    shown: Shown,
    lines: Lines<'a>,
    /// Links that a list of URLs leaves out because they have none.
    unresolved: u64,
}

impl LinePrinter<'_> {
    fn print(
        &mut self,
        inside: Option<EntryId>,
        link: &Link<'_>,
        spans: Spans,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Document { args, listing, inside: entry, .. } = self.document;
        if args.listing.format == ListFormat::Url {
            self.unresolved += u64::from(link.url().is_none());
            return listing.url(link, args).map_or(Ok(()), |url| writeln!(out, "{url}"));
        }
        if !listing.lists(link) {
            return Ok(());
        }
        let place = Place::new(&self.file, inside.or(*entry), spans, &mut self.lines);
        let record = LinkRecord::new(&place, link, args);
        match args.listing.format {
            ListFormat::Text => {
                self.cells.clear();
                record.add_to(&mut self.cells, place.inside, self.shown);
                self.columns.write(out, self.cells.iter())
            }
            ListFormat::Jsonl => {
                serde_json::to_writer(&mut *out, &record)?;
                writeln!(out)
            }
            ListFormat::Tsv | ListFormat::Url => writeln!(out, "{}", record.row()),
        }
    }

    /// Keeps the row of a link until the columns are known; fails if that takes much memory.
    fn keep(&mut self, inside: Option<EntryId>, link: &Link<'_>, spans: Spans) -> io::Result<()> {
        let Document { args, listing, inside: entry, .. } = self.document;
        if !listing.lists(link) {
            return Ok(());
        }
        let place = Place::new(&self.file, inside.or(*entry), spans, &mut self.lines);
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
