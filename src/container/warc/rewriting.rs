//! Rewrites archives.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, thread};

use super::batches;
use super::cdxj::Cdxj;
use super::limits::ArchiveLimits;
use super::outcome::{Entry, Totals};
use super::reader::Reader;
use super::record_rewriter::{RecordBuffers, RecordRewriter};
use super::record_type::{Interest, RecordType, Statuses};
use super::rewritten_record::RewrittenRecord;
use super::segments::Purpose;
use super::tee::{Written, tee};
use super::warcinfo::WarcInfo;
use super::writer::{OnEntry, RecordsBefore, Writer};
use crate::container::ContainerError;
use crate::jobs::Workers;
use crate::rewrite::Rewriter;

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
/// let workers = Workers::new(1);
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
    info: Option<WarcInfo>,
    /// The records of the archives before, if there may be archives before.
    before: Option<ArchivesBefore>,
}

/// The archives that were rewritten before, whose pages revisits in the next ones refer to.
#[derive(Debug, Clone, Default)]
pub struct ArchivesBefore(Arc<Mutex<RecordsBefore>>);

impl<'r> Rewriting<'r> {
    /// Rewrites with these options; each record has the base URL of its document
    /// ([`Page::rewriter`](super::Page::rewriter)).
    #[must_use]
    pub fn new(rewriter: &'r Rewriter) -> Self {
        Self {
            rewriter,
            record_type: RecordType::default(),
            statuses: Statuses::default(),
            info: None,
            before: None,
        }
    }

    /// The options for documents.
    pub(in crate::container) fn rewriter(&self) -> &'r Rewriter {
        self.rewriter
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

    /// Each archive follows those before, and is added to them: a revisit may refer to a page of any.
    /// Unless set, archives are independent of each other.
    #[must_use]
    pub fn after(mut self, archives: &ArchivesBefore) -> Self {
        self.before = Some(archives.clone());
        self
    }

    /// The same for the archives of one file, in their order.
    #[cfg(feature = "wacz")]
    pub(in crate::container) fn of_one_file(&self) -> Self {
        Self { before: Some(self.before.clone().unwrap_or_default()), ..self.clone() }
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
    ) -> Result<Totals, ContainerError> {
        self.map(archive, Purpose::Write, &mut output, workers, &mut report)
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
    ) -> Result<Totals, ContainerError> {
        self.run_with_reader(
            archive,
            output,
            workers,
            |written, limits| Reader::new(written).limits(limits).index(index),
            report,
        )
    }

    /// Like [`Rewriting::run`], while another thread reads what is written. Without threads, it is read
    /// at the end.
    pub(in crate::container) fn run_with_reader<R: Read + Send>(
        &self,
        archive: Reader<R>,
        mut output: impl Write,
        workers: &Workers,
        read: impl FnOnce(Written, ArchiveLimits) -> io::Result<()> + Send,
        report: impl FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Totals, ContainerError> {
        let limits = archive.segments.options.limits;
        if cfg!(target_family = "wasm") {
            let mut bytes = Vec::new();
            let totals = self.run(archive, &mut bytes, workers, report)?;
            let read = output.write_all(&bytes).and_then(|()| read(Written::whole(bytes), limits));
            return read.map(|()| totals).map_err(ContainerError::Write);
        }
        let (mut output, written) = tee(output);
        thread::scope(|scope| {
            let indexing = thread::Builder::new().spawn_scoped(scope, || read(written, limits));
            let indexing = indexing.map_err(|error| {
                let what = format!("the thread that reads it back cannot be started: {error}");
                ContainerError::Write(io::Error::new(error.kind(), what))
            })?;
            let totals = self.run(archive, &mut output, workers, report);
            // It ends the reader.
            drop(output);
            let indexed = indexing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            totals.and_then(|totals| indexed.map(|()| totals).map_err(ContainerError::Write))
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
    ) -> Result<Totals, ContainerError> {
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
    ) -> Result<Totals, ContainerError> {
        let mut segments = archive.segments;
        let Self { record_type, statuses, .. } = *self;
        // A record has the URL that it was captured from.
        let rewriter = &self.rewriter.clone().with_fixed_documents();
        segments.options.interest = Interest::Rewriting(record_type, statuses);
        segments.purpose = purpose;
        let (limits, info) = (segments.options.limits, self.info.as_ref());
        let selection = &segments.options.selection.clone();
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
            let ArchivesBefore(shared) = self.before.as_ref()?;
            Some(shared.lock().unwrap_or_else(PoisonError::into_inner))
        };
        let before = shared().map(|mut before| mem::take(&mut *before)).unwrap_or_default();
        let mut writer = Writer::new(output, report, &work, before);
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
        if let ControlFlow::Break(error) = flow.map_err(ContainerError::Read)? {
            return Err(error);
        }
        let (totals, before) = writer.finish()?;
        if let Some(mut shared) = shared() {
            *shared = before;
        }
        Ok(totals)
    }
}
