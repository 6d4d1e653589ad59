//! Rewrites archives.

use std::fmt;
use std::io::{self, BufWriter, Read, Write};
use std::ops::ControlFlow;

use super::batches;
use super::level::Level;
use super::outcome::{Entry, Totals};
use super::reader::Reader;
use super::record_rewriter::{Originals, RecordBuffers, RecordRewriter, RewrittenSegment};
use super::segments::{Purpose, Segment};
use crate::jobs::Workers;
use crate::rewrite::Rewriter;

/// Why the rewriting of an archive ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The archive cannot be read.
    Read(io::Error),
    /// The new archive cannot be written.
    Write(io::Error),
    /// The callback stopped it.
    Stopped,
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "cannot read the archive: {error}"),
            Self::Write(error) => write!(f, "cannot write the new archive: {error}"),
            Self::Stopped => f.write_str("it was stopped"),
        }
    }
}

impl std::error::Error for ArchiveError {}

/// Rewrites the documents of archives.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use absolve::Rewriter;
/// use absolve::container::warc::{Reader, Rewriting};
/// use absolve::jobs::Workers;
///
/// let archive = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n\
///     WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n";
/// let mut out = Vec::new();
/// let workers = Workers::new(1)?;
/// let rewriter = Rewriter::new();
/// let rewriting = Rewriting::new(&rewriter);
/// let totals =
///     rewriting.run(Reader::new(&archive[..]), &mut out, &workers, |_| ControlFlow::Continue(()))?;
/// assert_eq!(totals.rewritten, 1);
/// assert!(out.ends_with(b"\r\n\r\n<a href=http://h/a/b>\r\n\r\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rewriting<'r> {
    rewriter: &'r Rewriter,
    originals: Originals,
    level: Level,
}

impl<'r> Rewriting<'r> {
    /// Rewrites with these options; each record has the base URL of its document
    /// ([`Page::rewriter`](super::Page::rewriter)).
    #[must_use]
    pub fn new(rewriter: &'r Rewriter) -> Self {
        Self { rewriter, originals: Originals::default(), level: Level::default() }
    }

    /// Whether originals are kept; [`Originals::Replace`] unless set.
    #[must_use]
    pub fn originals(mut self, originals: Originals) -> Self {
        self.originals = originals;
        self
    }

    /// The level at which new gzip members are compressed; 4 unless set.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Reads an archive and writes the new one to `output`, both as streams that need no buffer.
    /// `report` gets each written record, in order; a break stops the run, with an incomplete
    /// archive in `output`.
    ///
    /// Records without a document or without links to change, and damaged bytes, are copied.
    ///
    /// # Errors
    ///
    /// If reading or writing fails. Problems of single records go to `report`.
    pub fn run<R: Read + Send>(
        &self,
        archive: Reader<R>,
        output: impl Write,
        workers: &Workers,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        self.map(archive, Purpose::Write(self.level), output, workers, report)
    }

    /// Reports what [`Rewriting::run`] would do, and writes and compresses nothing.
    ///
    /// # Errors
    ///
    /// If reading fails. Problems of single records go to `report`.
    pub fn check<R: Read + Send>(
        &self,
        archive: Reader<R>,
        workers: &Workers,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        self.map(archive, Purpose::Read, io::sink(), workers, report)
    }

    fn map<R: Read + Send>(
        &self,
        mut archive: Reader<R>,
        purpose: Purpose,
        output: impl Write,
        workers: &Workers,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        let limits = archive.segments.limits;
        archive.segments.purpose = purpose;
        let (rewriter, originals) = (self.rewriter, self.originals);
        let work = RecordRewriter { rewriter, originals, limits, purpose };
        // Damage comes in small segments.
        let output = BufWriter::new(output);
        let mut writer = Writer { output, report, totals: Totals::default() };
        let flow = batches::map_ordered(
            archive.segments,
            workers,
            |buffers: &mut RecordBuffers, segment| work.on(segment, buffers),
            |segment, done| match writer.put(segment, &done) {
                Ok(()) => ControlFlow::Continue(()),
                Err(stopped) => ControlFlow::Break(stopped),
            },
        );
        if let ControlFlow::Break(stopped) = flow.map_err(ArchiveError::Read)? {
            return Err(stopped);
        }
        writer.output.flush().map_err(ArchiveError::Write)?;
        Ok(writer.totals)
    }
}

struct Writer<W, F> {
    output: W,
    report: F,
    totals: Totals,
}

impl<W: Write, F: FnMut(&Entry) -> ControlFlow<()>> Writer<W, F> {
    fn put(&mut self, segment: &Segment, done: &RewrittenSegment) -> Result<(), ArchiveError> {
        self.output.write_all(done.bytes(segment)).map_err(ArchiveError::Write)?;
        self.totals.split += done.split;
        for entry in &done.entries {
            self.totals.add(&entry.outcome);
            if (self.report)(entry).is_break() {
                return Err(ArchiveError::Stopped);
            }
        }
        Ok(())
    }
}
