//! Reading an archive for its documents.

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use super::bounds::Bounds;
use super::frame::Holds;
use super::outcome::{Entry, Outcome, Problem};
use super::page::{Hidden, Page};
use super::pieces::{Piece, Pieces, Told, Unit};
use super::record::{Place, Record};

/// An archive that is read from its beginning to its end, once, in memory that does not
/// depend on its size.
#[derive(Debug)]
pub struct Reader<R> {
    pub(super) pieces: Pieces<R>,
}

impl<R: Read> Reader<R> {
    /// An archive that comes as a stream. It needs no buffer.
    pub fn new(source: R) -> Self {
        Self { pieces: Pieces::new(source, Bounds::default()) }
    }

    /// Bounds on its records; [`Bounds::default`] unless set.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.pieces.bounds = bounds;
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
        let bounds = self.pieces.bounds;
        while let Some(piece) = self.pieces.next() {
            let flow = match piece? {
                Piece::Bytes(_) | Piece::Told(_, Told::Copied) => ControlFlow::Continue(()),
                Piece::Told(place, told) => visit(Err(Entry::at(place, told.into()))),
                Piece::Unit(unit) => pages_of(&unit, &bounds, &mut visit),
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read + Seek> Reader<R> {
    /// An archive in a file that can be read from any byte: the length of a large record is
    /// then verified before its bytes are passed, so that no record behind is lost.
    pub fn seekable(source: R) -> Self {
        Self { pieces: Pieces::seekable(source, Bounds::default()) }
    }
}

impl From<Told> for Outcome {
    fn from(told: Told) -> Self {
        match told {
            Told::Copied => Self::Copied,
            Told::Skipped(skip) => Self::Skipped(skip),
            Told::Failed(problem) => Self::Failed(problem),
        }
    }
}

fn pages_of(
    unit: &Unit,
    bounds: &Bounds,
    visit: &mut impl FnMut(Result<Page<'_>, Entry>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for part in unit.parts.iter().filter(|part| part.holds == Holds::Page) {
        let record = match Record::parse(&unit.text[part.start..part.end]) {
            Ok(record) => record,
            Err(why) => {
                visit(Err(Entry::at(part.place, Outcome::Failed(Problem::new(why)))))?;
                continue;
            }
        };
        let page = Page::of(part.place, &record, bounds);
        visit(page.map_err(|hidden| hidden_entry(part.place, &record, hidden)))?;
    }
    ControlFlow::Continue(())
}

/// What is told of a record whose document cannot be shown.
pub(super) fn hidden_entry(place: Place, record: &Record<'_>, hidden: Hidden) -> Entry {
    entry(
        place,
        record,
        match hidden {
            Hidden::Skipped(skip) => Outcome::Skipped(skip),
            Hidden::Failed(problem) => Outcome::Failed(problem),
        },
    )
}

/// What is told of a record that holds a document.
pub(super) fn entry(place: Place, record: &Record<'_>, outcome: Outcome) -> Entry {
    Entry {
        place,
        id: record.id().map(Into::into),
        target_uri: record.target_uri().map(Into::into),
        outcome,
    }
}
