//! Reading an archive for its documents.

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use super::batches;
use super::capture::{Capture, Captures};
use super::limits::ArchiveLimits;
use super::outcome::{Entry, Outcome, Problem};
use super::page::{Hidden, Page};
use super::record::{Record, RecordPosition};
use super::segments::{RecordGroup, RecordSpan, Segment, Segments, SkipReason};
use crate::jobs::Workers;
use crate::rewrite::Buffers;

/// An archive that is read from its beginning to its end, once, in memory that does not
/// depend on its size.
#[derive(Debug)]
pub struct Reader<R> {
    pub(super) segments: Segments<R>,
}

impl<R: Read> Reader<R> {
    /// An archive that comes as a stream. It needs no buffer.
    pub fn new(source: R) -> Self {
        Self { segments: Segments::new(source, ArchiveLimits::default()) }
    }

    /// Limits on its records; [`ArchiveLimits::default`] unless set.
    #[must_use]
    pub fn limits(mut self, limits: ArchiveLimits) -> Self {
        self.segments.limits = limits;
        self
    }

    /// Shows every document to `visit`, in order, and every record of which the document
    /// cannot be shown.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use absolve::Rewriter;
    /// use absolve::container::warc::Reader;
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
    /// If the source cannot be read. What is wrong with a record is shown to `visit`.
    pub fn pages(
        mut self,
        mut visit: impl FnMut(Result<Page<'_>, Entry>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let limits = self.segments.limits;
        while let Some(segment) = self.segments.next() {
            if sights(&segment?).try_for_each(|sight| show(sight, &limits, &mut visit)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read> Reader<R> {
    /// Shows what there is for each URL to `visit`, in order, also where the record is too
    /// large for memory; a break ends it. What is damaged is skipped.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use absolve::container::warc::Reader;
    ///
    /// let archive = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a/\r\n\
    ///     Content-Length: 24\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n\r\n";
    /// Reader::new(&archive[..]).captures(|capture| {
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
    pub fn captures(mut self, mut visit: impl FnMut(Capture) -> ControlFlow<()>) -> io::Result<()> {
        self.segments.captures = Captures::SkipReason;
        while let Some(segment) = self.segments.next() {
            if let Segment::Capture(capture) = segment?
                && visit(*capture).is_break()
            {
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read + Send> Reader<R> {
    /// Works on every document in the threads of `workers`, and gives each result to `finish`,
    /// in order, until that breaks; `work` is shown what [`Reader::pages`] shows.
    ///
    /// # Errors
    ///
    /// If the source cannot be read. What is wrong with a record is shown to `work`.
    #[doc(hidden)]
    pub fn pages_in_order<T: Send>(
        self,
        workers: &Workers,
        work: impl Fn(&mut Buffers, Result<Page<'_>, Entry>) -> T + Sync,
        mut finish: impl FnMut(&Found<'_>, T) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let limits = self.segments.limits;
        let work = |buffers: &mut Buffers, segment: &Segment| -> Vec<T> {
            sights(segment)
                .map(|sight| show(sight, &limits, |found| work(buffers, found)))
                .collect()
        };
        let finish = |segment: &Segment, done: Vec<T>| {
            sights(segment).zip(done).try_for_each(|((position, sight), done)| {
                finish(&Found { position, sight, limits }, done)
            })
        };
        batches::map_ordered(self.segments, workers, work, finish).map(|_| ())
    }
}

/// A document that was worked on, to be inspected again.
pub struct Found<'p> {
    position: RecordPosition,
    sight: RecordView<'p>,
    limits: ArchiveLimits,
}

impl Found<'_> {
    /// Where its record is.
    #[must_use]
    pub fn position(&self) -> RecordPosition {
        self.position
    }

    /// Shows it once more.
    pub fn show<T>(&self, visit: impl FnOnce(Result<Page<'_>, Entry>) -> T) -> T {
        show((self.position, self.sight), &self.limits, visit)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// An archive in a file that can be read from any byte: the length of a large record is
    /// then verified before its bytes are passed, so that no record after it is lost.
    pub fn seekable(source: R) -> Self {
        Self { segments: Segments::seekable(source, ArchiveLimits::default()) }
    }
}

impl From<SkipReason> for Outcome {
    fn from(reason: SkipReason) -> Self {
        match reason {
            SkipReason::Copied => Self::Copied,
            SkipReason::Skipped(skip) => Self::Skipped(skip),
            SkipReason::Failed(problem) => Self::Failed(problem),
        }
    }
}

/// Something to see in a segment of an archive.
#[derive(Clone, Copy)]
enum RecordView<'p> {
    SkipReason(&'p SkipReason),
    Document(&'p RecordGroup, &'p RecordSpan),
}

/// What there is to see in a segment, and where that is.
fn sights(segment: &Segment) -> impl Iterator<Item = (RecordPosition, RecordView<'_>)> {
    let (reason, unit) = match segment {
        Segment::Bytes(_) | Segment::Capture(_) | Segment::SkipReason(_, SkipReason::Copied) => {
            (None, None)
        }
        Segment::SkipReason(position, reason) => {
            (Some((*position, RecordView::SkipReason(reason))), None)
        }
        Segment::RecordGroup(unit) => (None, Some(unit)),
    };
    let documents = unit.into_iter().flat_map(|unit| {
        let parts = unit.parts.iter().filter(|part| part.holds.is_document());
        parts.map(move |part| (part.position, RecordView::Document(unit, part)))
    });
    reason.into_iter().chain(documents)
}

/// Shows a document, or why it cannot be shown.
fn show<T>(
    (position, sight): (RecordPosition, RecordView<'_>),
    limits: &ArchiveLimits,
    visit: impl FnOnce(Result<Page<'_>, Entry>) -> T,
) -> T {
    let (unit, part) = match sight {
        RecordView::SkipReason(reason) => {
            return visit(Err(Entry::at(position, reason.clone().into())));
        }
        RecordView::Document(unit, part) => (unit, part),
    };
    match Record::parse(&unit.text[part.start..part.end]) {
        Ok(record) => {
            let page = Page::of(position, &record, limits);
            visit(page.map_err(|hidden| hidden_entry(position, &record, hidden)))
        }
        Err(why) => visit(Err(Entry::at(position, Outcome::Failed(Problem::new(why))))),
    }
}

/// The report of a record whose document cannot be shown.
pub(super) fn hidden_entry(position: RecordPosition, record: &Record<'_>, hidden: Hidden) -> Entry {
    entry(
        position,
        record,
        match hidden {
            Hidden::Skipped(skip) => Outcome::Skipped(skip),
            Hidden::Failed(problem) => Outcome::Failed(problem),
        },
    )
}

/// The report of a record that holds a document.
pub(super) fn entry(position: RecordPosition, record: &Record<'_>, outcome: Outcome) -> Entry {
    Entry {
        position,
        id: record.id().map(Into::into),
        target_uri: record.target_uri().map(Into::into),
        outcome,
    }
}
