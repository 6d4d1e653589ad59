//! Reading an archive for its documents.

use std::io::{self, Read, Seek};
use std::ops::ControlFlow;

use super::batches;
use super::bounds::Bounds;
use super::frame::Holds;
use super::outcome::{Entry, Outcome, Problem};
use super::page::{Hidden, Page};
use super::pieces::{Piece, Pieces, Told};
use super::record::{Place, Record};
use crate::batch::{Desk, Jobs};
use crate::rewrite::Scratch;

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
            if pages_of(&piece?, &bounds, &mut |_, found| visit(found)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read + Send> Reader<R> {
    /// Works on every document in the threads of `jobs`, and gives each result to `finish`,
    /// in order; `work` is shown what [`Reader::pages`] shows. `finish` gets the place of the
    /// record; a break ends it.
    ///
    /// # Errors
    ///
    /// If the source cannot be read. What is wrong with a record is shown to `work`.
    pub fn pages_in_order<T: Send>(
        self,
        jobs: &Jobs,
        work: impl Fn(&mut Scratch, Result<Page<'_>, Entry>) -> T + Sync,
        mut finish: impl FnMut(Place, T) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let bounds = self.pieces.bounds;
        let work = |desk: &mut Desk, piece: &Piece| {
            let scratch = desk.parts().1;
            let mut done = Vec::new();
            // Nothing breaks here: what is found is worked on before it is asked for.
            let _ = pages_of(piece, &bounds, &mut |place, found| {
                done.push((place, work(scratch, found)));
                ControlFlow::Continue(())
            });
            done
        };
        batches::in_order(self.pieces, jobs, work, |_, done| {
            done.into_iter().try_for_each(|(place, done)| finish(place, done))
        })
        .map(|_| ())
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

/// Shows what there is to see in a piece.
fn pages_of(
    piece: &Piece,
    bounds: &Bounds,
    visit: &mut impl FnMut(Place, Result<Page<'_>, Entry>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let unit = match piece {
        Piece::Bytes(_) | Piece::Told(_, Told::Copied) => return ControlFlow::Continue(()),
        Piece::Told(place, told) => {
            return visit(*place, Err(Entry::at(*place, told.clone().into())));
        }
        Piece::Unit(unit) => unit,
    };
    for part in unit.parts.iter().filter(|part| part.holds == Holds::Page) {
        let record = match Record::parse(&unit.text[part.start..part.end]) {
            Ok(record) => record,
            Err(why) => {
                let entry = Entry::at(part.place, Outcome::Failed(Problem::new(why)));
                visit(part.place, Err(entry))?;
                continue;
            }
        };
        let page = Page::of(part.place, &record, bounds);
        visit(part.place, page.map_err(|hidden| hidden_entry(part.place, &record, hidden)))?;
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
