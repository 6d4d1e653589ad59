//! Selects the links to list, and writes their lines.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use absolve::encoding::Lines;
use absolve::{Buffers, Credentials, Error, Link};
use absolve_archive::{Documents, EntryId, Spans};
use absolve_files::Globs;
use absolve_site::report::display::counted;
use encoding_rs::UTF_8;

use super::external::{ExternalLinks, UnmarkedLinks};
use super::record::{CELLS_PER_ROW, FileName, LinkRecord, format_header};

use crate::args::{LinksArgs, ListFormat};
use crate::run::links::{Document, Lister};
use crate::session::failure::Failure;
use crate::session::output::{BoundedBuffer, MAX_BUFFERED, Sink, write_to_stdout};
use crate::terminal::{Cells, Columns, Messages};

/// Lines that were printed, with their ends.
type PrintedLines = HashSet<Box<[u8]>>;

/// The arguments of a list, and the state that its documents share.
pub(super) struct Listing {
    /// The arguments. With `--external`, the defaults are those of an audit.
    pub(super) args: LinksArgs,
    /// Selects links, with `--external`.
    external: Option<ExternalLinks>,
    /// The URLs that were printed, with `--unique`.
    printed: Option<Mutex<PrintedLines>>,
    /// The number of links without a URL, which a list of URLs leaves out.
    unresolved: AtomicU64,
}

impl Listing {
    pub(super) fn new(mut args: LinksArgs, messages: Messages) -> Result<Self, Failure> {
        let listing = &args.listing;
        if listing.unique && listing.format != ListFormat::Url {
            return Err(Failure::message("--unique is for a list of URLs; give --format url too"));
        }
        let printed = listing.unique.then(Mutex::default);
        let is_external = listing.external;
        let external = is_external.then(|| ExternalLinks::new(&mut args, messages)).transpose()?;
        Ok(Self { args, external, printed, unresolved: AtomicU64::new(0) })
    }

    /// Returns the patterns of the documents in a folder. With `--external`, style sheets are
    /// documents, as in an audit.
    pub(super) fn globs(&self) -> Globs {
        let inputs = &self.args.inputs;
        let has_styles = self.external.is_some() && inputs.file_format.is_none();
        let globs = inputs.globs();
        if has_styles { globs.with_style_sheets() } else { globs }
    }

    /// Returns the URL of a link for a list of URLs. Control characters are encoded, since they
    /// would end the line or move the cursor.
    fn url<'u>(&self, link: &'u Link<'_>) -> Option<Cow<'u, str>> {
        if let Some(external) = &self.external {
            return external.url(link).map(Cow::Owned);
        }
        let options = &self.args.document.options;
        let url = match (link.url()?, options.credentials()) {
            (url, Credentials::Keep) => url.into(),
            (url, _) => options.standard().masked(None, url),
        };
        let has_controls = url.chars().any(char::is_control);
        Some(if has_controls { encode_controls(&url).into() } else { url })
    }

    /// Prints the number of links that a list of URLs leaves out.
    pub(super) fn report(&self, messages: Messages) {
        let unresolved = self.unresolved.load(Ordering::Relaxed);
        if unresolved > 0 {
            let links = counted(unresolved, "link");
            messages.warning(format_args!("{links} without an absolute URL left out"));
        }
    }

    /// Passes the links of a document to `show`; with `--external`, none inside an element with
    /// `data-absolve-ignore`.
    fn visit_links(
        &self,
        document: &Document<'_>,
        mut show: impl FnMut(Option<EntryId>, &Link<'_>, Spans),
    ) -> Result<Documents, Error> {
        let &Document { rewriter, source, format, .. } = document;
        if self.external.is_none() || format.syntax().is_none() {
            return absolve_archive::links(source, format, rewriter, show);
        }
        let rewriter = absolve_archive::apply_syntax(rewriter, format);
        let mut show = |link: &Link<'_>| show(None, link, Spans::new(link, |span| span));
        let summary =
            rewriter.inspect(source, &mut Buffers::new(), &mut UnmarkedLinks(&mut show))?;
        Ok(Documents::One(Box::new(summary)))
    }
}

impl Sink for Listing {
    /// Writes to stdout; with `--unique`, only lines that were not printed before.
    fn print<T>(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> Result<T, Failure> {
        write_to_stdout(|out| {
            let Some(printed) = &self.printed else { return write(out) };
            let mut printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
            write(&mut UniqueLineWriter { out, printed: &mut printed, line: Vec::new() })
        })
    }
}

impl Lister for Listing {
    type Columns = Columns;

    fn begin(&self) -> Result<(), Failure> {
        match self.args.listing.format {
            ListFormat::Tsv => write_to_stdout(|out| writeln!(out, "{}", format_header())),
            ListFormat::Text | ListFormat::Jsonl | ListFormat::Url => Ok(()),
        }
    }

    fn measure(&self, document: &Document<'_>) -> Result<(Columns, Documents), Error> {
        let mut printer = LinePrinter::new(self, document, Columns::default());
        let is_text = self.args.listing.format == ListFormat::Text;
        let documents = self.visit_links(document, |entry, link, spans| {
            if is_text && printer.is_listed(entry) {
                // Measuring writes nothing, and therefore cannot fail.
                let _ = printer.add(RowUse::Measure, (entry, link, spans), &mut io::sink());
            }
        })?;
        Ok((printer.columns, documents))
    }

    fn list(
        &self,
        document: &Document<'_>,
        (columns, measured): (Columns, &Documents),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut printer = LinePrinter::new(self, document, columns);
        let failed = measured.failures().iter().filter_map(Error::part).map(EntryId::Part);
        let listed = printer.print_all(RowUse::Write, &failed.collect(), out)?;
        self.unresolved.fetch_add(printer.unresolved, Ordering::Relaxed);
        listed.map_err(io::Error::other).map(|_| ())
    }

    fn list_at_once(
        &self,
        document: &Document<'_>,
        out: &mut dyn Write,
    ) -> io::Result<Result<Documents, Error>> {
        let mut printer = LinePrinter::new(self, document, Columns::default());
        // The widths of columns are known after the last link, so rows are kept until then.
        let mut lines = BoundedBuffer(Vec::new());
        let listed = printer.print_all(RowUse::Keep, &HashSet::new(), &mut lines)?;
        if listed.is_ok() {
            printer.print_kept(&mut lines)?;
            self.unresolved.fetch_add(printer.unresolved, Ordering::Relaxed);
            out.write_all(&lines.0)?;
        }
        Ok(listed)
    }
}

/// The use of the row of a link, in the list for people.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowUse {
    /// Widens the columns to fit the row.
    Measure,
    /// Keeps the row until the widths of all columns are known.
    Keep,
    Write,
}

/// Prints a line for each link of a document.
struct LinePrinter<'a> {
    listing: &'a Listing,
    document: &'a Document<'a>,
    file: FileName<'a>,
    columns: Columns,
    /// The cells of all kept rows, or of the last row.
    cells: Cells,
    lines: Lines<'a>,
    /// The number of links that a list of URLs leaves out.
    unresolved: u64,
}

impl<'a> LinePrinter<'a> {
    fn new(listing: &'a Listing, document: &'a Document<'a>, columns: Columns) -> Self {
        let &Document { rewriter, source, file, format, .. } = document;
        // The lines of a message are counted as those of UTF-8.
        let encoding = match format.syntax() {
            Some(syntax) => rewriter.clone().syntax(syntax).detect(source),
            None => absolve::detect(source, Some(UTF_8)),
        };
        let (file, lines) = (FileName::new(file), Lines::new(source, encoding));
        Self { listing, document, file, columns, cells: Cells::default(), lines, unresolved: 0 }
    }

    fn is_listed(&self, part: Option<EntryId>) -> bool {
        match self.document.entry {
            only @ Some(EntryId::Part(_)) => part == only,
            _ => true,
        }
    }

    /// Adds the lines of all links, except in parts that failed. Returns the outer error only if
    /// the output fails.
    fn print_all(
        &mut self,
        row_use: RowUse,
        failed: &HashSet<EntryId>,
        out: &mut dyn Write,
    ) -> io::Result<Result<Documents, Error>> {
        let mut written = Ok(());
        let listing = self.listing;
        let listed = listing.visit_links(self.document, |entry, link, spans| {
            let has_failed = entry.is_some_and(|entry| failed.contains(&entry));
            if written.is_ok() && !has_failed && self.is_listed(entry) {
                written = self.add(row_use, (entry, link, spans), out);
            }
        });
        written.map(|()| listed)
    }

    fn add(
        &mut self,
        row_use: RowUse,
        (entry, link, spans): (Option<EntryId>, &Link<'_>, Spans),
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Listing { args, external, .. } = self.listing;
        if args.listing.format == ListFormat::Url {
            self.unresolved += u64::from(link.url().is_none());
            return self.listing.url(link).map_or(Ok(()), |url| writeln!(out, "{url}"));
        }
        if external.as_ref().is_some_and(|external| external.url(link).is_none()) {
            return Ok(());
        }
        let entry = entry.or(self.document.entry);
        let record = LinkRecord::new((&self.file, entry), link, spans, &mut self.lines, args);
        match args.listing.format {
            ListFormat::Text => {
                if row_use != RowUse::Keep {
                    self.cells.clear();
                }
                let has_parts = self.document.format.has_parts();
                record.add_to(&mut self.cells, has_parts || !self.document.is_alone);
                match row_use {
                    RowUse::Measure => self.columns.fit(self.cells.iter()),
                    // The document is then listed at its turn, in two passes.
                    RowUse::Keep if self.cells.size() > MAX_BUFFERED => {
                        return Err(io::ErrorKind::OutOfMemory.into());
                    }
                    RowUse::Keep => {}
                    RowUse::Write => self.columns.write(out, self.cells.iter())?,
                }
                Ok(())
            }
            ListFormat::Jsonl => {
                serde_json::to_writer(&mut *out, &record)?;
                writeln!(out)
            }
            ListFormat::Tsv | ListFormat::Url => writeln!(out, "{}", record.format_row()),
        }
    }

    /// Prints the rows that were kept.
    fn print_kept(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let cells: Vec<&str> = self.cells.iter().collect();
        let rows = || cells.chunks_exact(CELLS_PER_ROW);
        rows().for_each(|row| self.columns.fit(row.iter().copied()));
        rows().try_for_each(|row| self.columns.write(out, row.iter().copied()))
    }
}

/// Percent-encodes control characters.
fn encode_controls(url: &str) -> String {
    let mut encoded = String::new();
    for c in url.chars() {
        if c.is_control() {
            let mut buffer = [0; 4];
            encoded.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("%{byte:02X}")));
        } else {
            encoded.push(c);
        }
    }
    encoded
}

/// Writes each line once.
struct UniqueLineWriter<'a> {
    out: &'a mut dyn Write,
    printed: &'a mut PrintedLines,
    /// The last line, if it is not complete.
    line: Vec<u8>,
}

impl Write for UniqueLineWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                if !self.printed.contains(&*self.line) {
                    self.out.write_all(&self.line)?;
                    self.printed.insert((&*self.line).into());
                }
                self.line.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
