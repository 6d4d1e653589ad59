//! Reads the documents or the captures of an archive, one after the other or in threads.

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use absolve::Buffers;

use super::capture::Capture;
use super::frame::SpanKind;
use super::options::{ArchiveLimits, RecordSelection, RecordUse};
use super::page::Page;
use super::record::{Record, RecordPosition};
use super::segments::{Segment, Segments};
use super::unread::{RecordProblem, UnreadRecord};
use crate::jobs::{ThreadState, Workers};

/// Maximum bytes of a text whose memory is reused for the next text.
const MAX_REUSED_LEN: usize = 8 << 20;

/// Reads an archive once, from its beginning to its end, in memory that does not depend on its
/// size.
#[derive(Debug)]
pub struct Reader<R> {
    pub(super) segments: Segments<R>,
    /// The only record to read; `None` for all records.
    only: Option<RecordPosition>,
}

impl<R: Read> Reader<R> {
    /// Creates a reader of a stream, which needs no buffer.
    pub fn new(source: R) -> Self {
        Self { segments: Segments::new(source), only: None }
    }

    /// Sets the limits on its records; [`ArchiveLimits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: ArchiveLimits) -> Self {
        self.segments.options.limits = limits;
        self
    }

    /// Selects the documents to read; all documents unless set.
    #[must_use]
    pub fn select(mut self, selection: RecordSelection) -> Self {
        self.segments.options.selection = selection;
        self
    }

    /// Sets the offset of the first byte, from which positions are counted, as in a file that
    /// contains the archive.
    #[must_use]
    #[doc(hidden)]
    pub fn start_at(mut self, offset: u64) -> Self {
        self.segments.start_at(offset);
        self
    }

    /// Reads only the record at this position.
    #[must_use]
    #[doc(hidden)]
    pub fn only(mut self, position: RecordPosition) -> Self {
        self.only = Some(position);
        self
    }

    /// Passes every document, or the reason why it cannot be read, to `visit`, until that breaks.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use absolve::Rewriter;
    /// use absolve_archive::warc::Reader;
    ///
    /// let archive = b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Type: text/html\r\n\
    ///     WARC-Target-URI: http://h/a/\r\nContent-Length: 10\r\n\r\n<a href=b>\r\n\r\n";
    /// let mut urls = Vec::new();
    /// Reader::new(&archive[..]).pages(|found| {
    ///     let Ok(page) = found else { return ControlFlow::Continue(()) };
    ///     let rewriter = page.rewriter(&Rewriter::new());
    ///     let shown = rewriter.links(page.document(), |link| urls.extend(link.url().map(str::to_owned)));
    ///     assert!(shown.is_ok());
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(urls, ["http://h/a/b"]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the source cannot be read. Problems of records are passed to `visit`.
    pub fn pages(
        mut self,
        mut visit: impl FnMut(Result<Page<'_>, UnreadRecord>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        while let Some(flow) = self.next_pages(&mut visit) {
            if flow?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Passes the first record, with or without a document, to `read`; `None` if there is no
    /// record.
    ///
    /// # Errors
    ///
    /// If the source cannot be read.
    #[doc(hidden)]
    pub fn first<T>(
        self,
        read: impl Fn(&Page<'_>) -> T,
    ) -> io::Result<Option<Result<T, UnreadRecord>>> {
        let mut first = None;
        self.select(RecordSelection::any()).pages(|page| {
            first = Some(page.map(|page| read(&page)));
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Passes the documents of the next segment, which are in memory together, to `visit`, as
    /// [`Reader::pages`] does for all segments; `None` at the end.
    #[doc(hidden)]
    pub fn next_pages(
        &mut self,
        mut visit: impl FnMut(Result<Page<'_>, UnreadRecord>) -> ControlFlow<()>,
    ) -> Option<io::Result<ControlFlow<()>>> {
        let (limits, only) = (self.segments.options.limits, self.only);
        self.segments.text_buffer.get_or_insert_default();
        Some(self.segments.next()?.map(|segment| {
            let flow = list_views(&segment, only).try_for_each(|view| {
                decode_view(view, &limits, &mut visit)?;
                flow_after_record(only)
            });
            if let Segment::Pages { text, .. } = segment
                && text.len() <= MAX_REUSED_LEN
            {
                self.segments.text_buffer = Some(text);
            }
            flow
        }))
    }

    /// Passes every capture and all damage to `visit`, in order, until `visit` breaks. This
    /// includes records too large for memory, and records that [`Reader::select`] excludes
    /// ([`Capture::is_selected`]).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use absolve_archive::warc::Reader;
    ///
    /// let archive = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a/\r\n\
    ///     Content-Length: 24\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n\r\n";
    /// Reader::new(&archive[..]).captures(|capture| {
    ///     let Ok(capture) = capture else { return ControlFlow::Continue(()) };
    ///     assert_eq!((&*capture.url, capture.status), ("http://h/a/", Some(404)));
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the source cannot be read. Problems of records are passed to `visit`.
    #[doc(hidden)]
    pub fn captures(
        mut self,
        mut visit: impl FnMut(Result<Capture, UnreadRecord>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.segments.options.record_use = RecordUse::Captures;
        while let Some(segment) = self.segments.next() {
            let capture = match segment? {
                Segment::Capture(capture) => Ok(*capture),
                Segment::Unread(unread) => Err(*unread),
                Segment::Pages { .. } => continue,
            };
            if visit(capture).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read + Send> Reader<R> {
    /// Processes every document in the threads of `workers`, and passes the results to `finish` in
    /// order, until `finish` breaks. `work` gets the same as in [`Reader::pages`].
    ///
    /// # Errors
    ///
    /// If the source cannot be read. Problems of records are passed to `work`.
    #[doc(hidden)]
    pub fn pages_in_order<T: Send>(
        self,
        workers: &Workers,
        work: impl Fn(&mut Buffers, Result<Page<'_>, UnreadRecord>) -> T + Sync,
        mut finish: impl FnMut(&PageHandle<'_>, T) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (limits, only) = (self.segments.options.limits, self.only);
        let work = |buffers: &mut Buffers, segment: &Segment| -> Vec<T> {
            let decode = |view| decode_view(view, &limits, |page| work(buffers, page));
            list_views(segment, only).map(decode).collect()
        };
        let finish = |segment: &Segment, results: Vec<T>| {
            list_views(segment, only).zip(results).try_for_each(|(view, result)| {
                finish(&PageHandle { view, limits }, result)?;
                flow_after_record(only)
            })
        };
        map_ordered(self.segments, workers, work, finish).map(|_| ())
    }
}

/// A processed document, which can be decoded again.
pub struct PageHandle<'p> {
    view: RecordView<'p>,
    limits: ArchiveLimits,
}

impl PageHandle<'_> {
    /// Returns the position of its record.
    #[must_use]
    pub fn position(&self) -> RecordPosition {
        self.view.position
    }

    /// Passes the document to `visit` again.
    pub fn show<T>(&self, visit: impl FnOnce(Result<Page<'_>, UnreadRecord>) -> T) -> T {
        decode_view(self.view, &self.limits, visit)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Creates a reader of a seekable file. The length of a large record is verified before its
    /// bytes are skipped, so that no record after it is lost.
    pub fn seekable(source: R) -> Self {
        Self { segments: Segments::seekable(source), only: None }
    }

    /// Creates a reader of the record at a position of a seekable file. Reads nothing before the
    /// record but a dictionary at the beginning of the file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read at that position.
    pub fn seek(source: R, position: RecordPosition) -> io::Result<Self> {
        let segments = Segments::seek(source, position.offset)?;
        Ok(Self { segments, only: Some(position) })
    }
}

/// A document in a segment, or a record that cannot be read.
#[derive(Clone, Copy)]
struct RecordView<'p> {
    position: RecordPosition,
    /// The bytes of the record with its parsed heads, or the reason why it cannot be read.
    record: Result<(&'p [u8], &'p SpanKind), &'p UnreadRecord>,
}

/// Breaks after the record, if it is the only record to read.
fn flow_after_record(only: Option<RecordPosition>) -> ControlFlow<()> {
    if only.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// Lists the documents and unread records of a segment; with `only`, the one at this position.
fn list_views(
    segment: &Segment,
    only: Option<RecordPosition>,
) -> impl Iterator<Item = RecordView<'_>> {
    let (unread, text, pages): (_, &[u8], &[_]) = match segment {
        Segment::Unread(unread) => (Some(&**unread), &[], &[]),
        Segment::Pages { text, pages } => (None, text, pages),
        Segment::Capture(_) => (None, &[], &[]),
    };
    let unread = unread.map(|unread| RecordView { position: unread.position, record: Err(unread) });
    let pages = pages.iter().map(|page| RecordView {
        position: page.position,
        record: Ok((&text[page.start..page.end], &page.kind)),
    });
    // With `only`, a position at which no record begins is not reported as damage.
    let is_record = |view: &RecordView<'_>| {
        !view.record.is_err_and(|unread| unread.problem == RecordProblem::NoRecord)
    };
    let views = unread.into_iter().chain(pages);
    views.filter(move |view| only.is_none_or(|only| only == view.position && is_record(view)))
}

/// Passes a document, or the report on a record that cannot be read, to `visit`.
fn decode_view<T>(
    RecordView { position, record }: RecordView<'_>,
    limits: &ArchiveLimits,
    visit: impl FnOnce(Result<Page<'_>, UnreadRecord>) -> T,
) -> T {
    let record = match record {
        Ok((text, SpanKind::Page(Some(parsed)))) => Ok(parsed.move_to(text)),
        Ok((text, _)) => Record::parse(text),
        Err(unread) => return visit(Err(unread.clone())),
    };
    match record {
        Ok(record) => {
            let page = Page::decode(position, &record, limits);
            visit(page.map_err(|problem| UnreadRecord::from_record(position, &record, problem)))
        }
        Err(why) => visit(Err(UnreadRecord::new(position, RecordProblem::damaged(why)))),
    }
}

/// Bytes of a batch. Two batches are in memory: one is read while the other is processed.
const BATCH_LEN: usize = 2 << 20;

/// Maximum threads. A fourth thread has little to do while another one reads, but keeps some 40 MiB
/// of freed memory: with four threads, pages of 4 MiB that were compressed to 40 KB took 244 MiB.
const MAX_THREADS: usize = 3;

/// Maximum segments of a batch.
const MAX_SEGMENTS: usize = 4096;

/// Maximum bytes of a Zstandard window with read-ahead; with a larger window, only one batch is in
/// memory.
const MAX_SHARED_WINDOW: u64 = 32 << 20;

/// Reads and processes segments in the threads of `workers`, and passes the results to `finish` in
/// order, until `finish` breaks.
///
/// Only one thread reads at a time, since a gzip member must be inflated to find its end.
fn map_ordered<R: Read + Send, D: ThreadState, T: Send, B>(
    mut segments: Segments<R>,
    workers: &Workers,
    work: impl Fn(&mut D, &Segment) -> T + Sync,
    finish: impl FnMut(&Segment, T) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    let (mut failure, mut deferred_segment, mut is_alone) = (None, None, false);
    // More threads would take more memory.
    let fewer_workers = (workers.threads() > MAX_THREADS).then(|| Workers::new(MAX_THREADS));
    let flow = fewer_workers.as_ref().unwrap_or(workers).map_batches(
        || {
            // Beside a large window, an empty batch follows each batch, so nothing is read
            // meanwhile.
            is_alone = !is_alone && segments.window_size() > MAX_SHARED_WINDOW;
            if is_alone {
                Some(Vec::new())
            } else {
                read_batch(&mut segments, &mut deferred_segment, &mut failure)
            }
        },
        work,
        finish,
    );
    match failure {
        // The segments before the error are processed first.
        Some(error) if flow.is_continue() => Err(error),
        _ => Ok(flow),
    }
}

/// Reads the next batch of segments, which ends before an error. A large segment is a batch alone:
/// `deferred_segment` keeps it for the next call.
fn read_batch<R: Read>(
    segments: &mut Segments<R>,
    deferred_segment: &mut Option<Segment>,
    failure: &mut Option<io::Error>,
) -> Option<Vec<Segment>> {
    if let Some(segment) = deferred_segment.take() {
        return Some(vec![segment]);
    }
    let (mut batch, mut size) = (Vec::new(), 0);
    while size < BATCH_LEN && batch.len() < MAX_SEGMENTS {
        match segments.next() {
            Some(Ok(segment)) if segment.mem_size() > BATCH_LEN && !batch.is_empty() => {
                *deferred_segment = Some(segment);
                break;
            }
            Some(Ok(segment)) => {
                size += segment.mem_size();
                batch.push(segment);
            }
            Some(Err(error)) => {
                *failure = Some(error);
                break;
            }
            None => break,
        }
    }
    (!batch.is_empty()).then_some(batch)
}
