//! Rewrites archives.

use std::fmt;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, thread};

use super::batches;
use super::cdxj::Cdxj;
use super::late_pages::LatePages;
use super::level::Level;
use super::limits::ArchiveLimits;
use super::outcome::{Entry, Totals};
use super::reader::Reader;
use super::record_rewriter::{RecordBuffers, RecordRewriter};
use super::record_type::{Interest, RecordType, Statuses};
use super::rewritten_record::RewrittenRecord;
use super::segments::Purpose;
use super::tee::{Written, tee};
use super::warcinfo::WarcInfo;
use super::writer::{OnEntry, RecordsBefore, WriteError, Writer};
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

impl From<WriteError> for ArchiveError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => Self::Write(error),
            WriteError::Stopped => Self::Stopped,
        }
    }
}

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
/// assert!(out.starts_with(archive));
/// assert!(out.ends_with(b"\r\n\r\n<a href=http://h/a/b>\r\n\r\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Rewriting<'r> {
    rewriter: &'r Rewriter,
    record_type: RecordType,
    statuses: Statuses,
    level: Level,
    info: Option<WarcInfo>,
    /// The records of the archives before, if there may be archives before.
    before: Option<Arc<Mutex<RecordsBefore>>>,
    late: Option<LatePages>,
}

impl<'r> Rewriting<'r> {
    /// Rewrites with these options; each record has the base URL of its document
    /// ([`Page::rewriter`](super::Page::rewriter)).
    #[must_use]
    pub fn new(rewriter: &'r Rewriter) -> Self {
        Self {
            rewriter,
            record_type: RecordType::default(),
            statuses: Statuses::default(),
            level: Level::default(),
            info: None,
            before: None,
            late: None,
        }
    }

    /// The type of the records with rewritten documents; [`RecordType::Conversion`] unless set.
    #[must_use]
    pub fn record_type(mut self, record_type: RecordType) -> Self {
        self.record_type = record_type;
        self
    }

    /// The responses that are rewritten; [`Statuses::Successful`] unless set.
    #[must_use]
    pub fn statuses(mut self, statuses: Statuses) -> Self {
        self.statuses = statuses;
        self
    }

    /// What the archive says of the rewriting. With [`RecordType::Conversion`], conversions have
    /// its date; unless set, that of the original. With [`RecordType::Response`], a `warcinfo`
    /// record precedes the first record that changes; unless set, none is written.
    #[must_use]
    pub fn warcinfo(mut self, info: WarcInfo) -> Self {
        self.info = Some(info);
        self
    }

    /// The level at which new gzip members are compressed; 4 unless set.
    #[must_use]
    pub fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }

    /// Finds the pages that revisits before them refer to, or uses those that the first run found. Unless
    /// set, such revisits are [`RecordOutcome::Stale`](super::RecordOutcome::Stale).
    #[must_use]
    pub fn late_pages(mut self, pages: &LatePages) -> Self {
        self.late = Some(pages.clone());
        self
    }

    /// The same for the archives of one file, in their order: a revisit may refer to a page of an
    /// archive before its own.
    #[cfg(feature = "wacz")]
    pub(in crate::container) fn of_one_file(&self) -> Self {
        Self { before: Some(Arc::default()), ..self.clone() }
    }

    /// Reads an archive and writes the new one to `output`, both as streams that need no buffer.
    /// `report` gets each written record, in order; a break stops the run, with an incomplete
    /// archive in `output`.
    ///
    /// Records without a document or without links to change, and damaged bytes, are copied.
    /// Without anything to change, the new archive equals the old one, but for
    /// [`Totals::split`].
    ///
    /// # Errors
    ///
    /// If reading or writing fails. Problems of single records go to `report`.
    pub fn run<R: Read + Send>(
        &self,
        archive: Reader<R>,
        mut output: impl Write,
        workers: &Workers,
        mut report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        self.map(archive, Purpose::Write(self.level), &mut output, workers, &mut report)
    }

    /// Like [`Rewriting::run`], and adds the records of the new archive to an index, in a thread of
    /// its own that reads what is written.
    ///
    /// # Errors
    ///
    /// As for [`Rewriting::run`].
    pub fn run_with_index<R: Read + Send>(
        &self,
        archive: Reader<R>,
        output: impl Write,
        workers: &Workers,
        index: &mut Cdxj,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        self.run_with_reader(
            archive,
            output,
            workers,
            |written, limits| Reader::new(written).limits(limits).index(index),
            report,
        )
    }

    /// Like [`Rewriting::run`], while another thread reads what is written.
    pub(in crate::container) fn run_with_reader<R: Read + Send>(
        &self,
        archive: Reader<R>,
        output: impl Write,
        workers: &Workers,
        read: impl FnOnce(Written, ArchiveLimits) -> io::Result<()> + Send,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        let limits = archive.segments.limits;
        let (mut output, written) = tee(output);
        thread::scope(|scope| {
            let indexing = thread::Builder::new().spawn_scoped(scope, || read(written, limits));
            let indexing = indexing.map_err(|error| {
                let what = format!("the thread that reads it back cannot be started: {error}");
                ArchiveError::Write(io::Error::new(error.kind(), what))
            })?;
            let totals = self.run(archive, &mut output, workers, report);
            // It ends the reader.
            drop(output);
            let indexed = indexing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            totals.and_then(|totals| indexed.map(|()| totals).map_err(ArchiveError::Write))
        })
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
        mut report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ArchiveError> {
        self.map(archive, Purpose::Read, &mut io::sink(), workers, &mut report)
    }

    /// One for all types of output and callback: 27 copies of what it calls took 0.4 MB of the
    /// command, and their time to compile.
    fn map<R: Read + Send>(
        &self,
        archive: Reader<R>,
        purpose: Purpose,
        output: &mut dyn Write,
        workers: &Workers,
        report: &mut OnEntry<'_>,
    ) -> Result<Totals, ArchiveError> {
        let mut segments = archive.segments;
        let Self { record_type, statuses, .. } = *self;
        // A record has the URL that it was captured from.
        let rewriter = &self.rewriter.clone().with_fixed_documents();
        segments.interest = Interest::Rewriting(record_type, statuses);
        segments.purpose = purpose;
        let (limits, info) = (segments.limits, self.info.as_ref());
        let selection = &segments.selection.clone();
        let large = Mutex::default();
        let work = RecordRewriter {
            rewriter,
            record_type,
            statuses,
            limits,
            purpose,
            info,
            selection,
            large,
        };
        let shared = || {
            let shared = self.before.as_ref()?;
            Some(shared.lock().unwrap_or_else(PoisonError::into_inner))
        };
        let before = shared().map(|mut before| mem::take(&mut *before)).unwrap_or_default();
        let mut writer = Writer::new(output, report, &work, before, self.late.as_ref());
        let flow = batches::map_ordered(
            segments,
            workers,
            |buffers: &mut RecordBuffers, segment| work.on(segment, buffers),
            |done| done.iter().map(RewrittenRecord::size).sum(),
            |segment, done| match writer.put(segment, done) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            },
        );
        if let ControlFlow::Break(error) = flow.map_err(ArchiveError::Read)? {
            return Err(error.into());
        }
        let (totals, before) = writer.finish()?;
        if let Some(mut shared) = shared() {
            *shared = before;
        }
        Ok(totals)
    }
}
