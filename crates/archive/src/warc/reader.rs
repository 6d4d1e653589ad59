//! Reads the documents of an archive.

mod views;

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use absolve::Buffers;
use views::{RecordView, after, show, views};

use super::batches;
use super::capture::Capture;
use super::frame::Interest;
use super::limits::ArchiveLimits;
use super::page::Page;
use super::record::RecordPosition;
use super::segments::{Segment, Segments};
use super::selection::RecordSelection;
use super::unread::UnreadRecord;

use crate::jobs::Workers;

/// Maximum bytes of memory that is used again.
const MOST_RETURNED: usize = 8 << 20;

/// Reads an archive once, from its beginning to its end, in memory that does not depend on its
/// size.
#[derive(Debug)]
pub struct Reader<R> {
    pub(super) segments: Segments<R>,
    /// The only record that is read, if there is one.
    only: Option<RecordPosition>,
}

impl<R: Read> Reader<R> {
    /// Reads an archive from a stream, which needs no buffer.
    pub fn new(source: R) -> Self {
        Self { segments: Segments::new(source), only: None }
    }

    /// Limits on its records; [`ArchiveLimits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: ArchiveLimits) -> Self {
        self.segments.options.limits = limits;
        self
    }

    /// Which documents are read; all of them unless set.
    #[must_use]
    pub fn select(mut self, selection: RecordSelection) -> Self {
        self.segments.options.selection = selection;
        self
    }

    /// Counts positions from this offset of the first byte, as in a file that contains the archive.
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

    /// Shows every document to `visit`, in order, and every record whose document cannot be read.
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
    /// If the source cannot be read. Problems of records are shown to `visit`.
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

    /// Shows the first record, with or without a document, to `read`; `None` if there is no record.
    ///
    /// # Errors
    ///
    /// If the source cannot be read.
    #[doc(hidden)]
    pub fn first<T>(
        self,
        read: impl Fn(&Page<'_>) -> T,
    ) -> io::Result<Option<Result<T, UnreadRecord>>> {
        let mut found = None;
        self.select(RecordSelection::any()).pages(|page| {
            found = Some(page.map(|page| read(&page)));
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// Shows the documents of the next records to `visit`, as [`Reader::pages`] does, but only as
    /// many as are in memory together; `None` at the end.
    #[doc(hidden)]
    pub fn next_pages(
        &mut self,
        mut visit: impl FnMut(Result<Page<'_>, UnreadRecord>) -> ControlFlow<()>,
    ) -> Option<io::Result<ControlFlow<()>>> {
        let (limits, only) = (self.segments.options.limits, self.only);
        self.segments.returned.get_or_insert_default();
        Some(self.segments.next()?.map(|segment| {
            let flow = views(&segment, only).try_for_each(|view| {
                show(view, &limits, &mut visit)?;
                after(only)
            });
            if let Segment::Pages { text, .. } = segment
                && text.len() <= MOST_RETURNED
            {
                self.segments.returned = Some(text);
            }
            flow
        }))
    }

    /// Shows every capture to `visit`, in order, records too large for memory included, and every
    /// damaged place, until that breaks. Those that [`Reader::select`] leaves out are shown too
    /// ([`Capture::is_selected`]).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use absolve_archive::warc::Reader;
    ///
    /// let archive = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a/\r\n\
    ///     Content-Length: 24\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n\r\n";
    /// Reader::new(&archive[..]).captures(|found| {
    ///     let Ok(capture) = found else { return ControlFlow::Continue(()) };
    ///     assert_eq!((&*capture.url, capture.status), ("http://h/a/", Some(404)));
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the source cannot be read.
    #[doc(hidden)]
    pub fn captures(
        mut self,
        mut visit: impl FnMut(Result<Capture, UnreadRecord>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.segments.options.interest = Interest::Captures;
        while let Some(segment) = self.segments.next() {
            let found = match segment? {
                Segment::Capture(capture) => Ok(*capture),
                Segment::Unread(unread) => Err(*unread),
                Segment::Pages { .. } => continue,
            };
            if visit(found).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read + Send> Reader<R> {
    /// Processes every document in the threads of `workers`, and passes the results to `finish`, in
    /// order, until that breaks; `work` gets what [`Reader::pages`] shows.
    ///
    /// # Errors
    ///
    /// If the source cannot be read. What is wrong with a record is shown to `work`.
    #[doc(hidden)]
    pub fn pages_in_order<T: Send>(
        self,
        workers: &Workers,
        work: impl Fn(&mut Buffers, Result<Page<'_>, UnreadRecord>) -> T + Sync,
        mut finish: impl FnMut(&PageHandle<'_>, T) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (limits, only) = (self.segments.options.limits, self.only);
        let work = |buffers: &mut Buffers, segment: &Segment| -> Vec<T> {
            let show = |view| show(view, &limits, |found| work(buffers, found));
            views(segment, only).map(show).collect()
        };
        let finish = |segment: &Segment, done: Vec<T>| {
            views(segment, only).zip(done).try_for_each(|(view, done)| {
                finish(&PageHandle { view, limits }, done)?;
                after(only)
            })
        };
        batches::map_ordered(self.segments, workers, work, finish).map(|_| ())
    }
}

/// A processed document, which can be shown again.
pub struct PageHandle<'p> {
    view: RecordView<'p>,
    limits: ArchiveLimits,
}

impl PageHandle<'_> {
    /// Where its record is.
    #[must_use]
    pub fn position(&self) -> RecordPosition {
        self.view.position
    }

    /// Shows the document again.
    pub fn show<T>(&self, visit: impl FnOnce(Result<Page<'_>, UnreadRecord>) -> T) -> T {
        show(self.view, &self.limits, visit)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads an archive from a seekable file: the length of a large record is verified before its
    /// bytes are passed, so that no record after it is lost.
    pub fn seekable(source: R) -> Self {
        Self { segments: Segments::seekable(source), only: None }
    }

    /// Reads only the record at a position of a seekable file, and nothing before it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read at that position.
    pub fn seek(source: R, position: RecordPosition) -> io::Result<Self> {
        let segments = Segments::seek(source, position.offset)?;
        Ok(Self { segments, only: Some(position) })
    }
}
