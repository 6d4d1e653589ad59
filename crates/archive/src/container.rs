//! Containers whose documents are read one by one: web archives, and ZIP files with web archives.
//! [`Format::open`] opens each format, and [`Container::read`] reads it.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use absolve::{Diagnosis, Rewriter, Summary};

use super::entry_id::EntryId;
use super::error::ContainerError;
use super::format::Format;
use super::jobs::Workers;
use super::wacz::{StoredArchive, Wacz};
use super::warc::{ArchiveLimits, Page, Reader, RecordPosition, RecordSelection, UnreadRecord};

/// A file with documents that are read one by one.
pub trait Container {
    /// Processes each document, and passes the results to `finish` in order, until `finish` breaks.
    ///
    /// # Errors
    ///
    /// If the file cannot be read. A document that cannot be read is passed to [`Reading::work`].
    fn read(
        self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut WorkHandler<'_>,
    ) -> Result<(), ContainerError>;
}

/// Processes a document, in any thread.
pub type DocumentHandler<'w> = dyn Fn(&ContainerDocument<'_>) -> Work + Sync + 'w;

/// Handles the result of the work on a document; breaks to stop the run. The document comes without
/// its content, but with a function that reads it again.
pub type WorkHandler<'w> =
    dyn FnMut(&ContainerDocument<'_>, Work, &ReadAgain<'_>) -> ControlFlow<()> + 'w;

/// Passes a processed document to a visitor again, with its content.
pub type ReadAgain<'a> = dyn Fn(&mut dyn FnMut(&ContainerDocument<'_>)) + 'a;

/// A document of a container that is read.
pub struct ContainerDocument<'d> {
    /// The web archive inside the container; `None` if the container is the web archive itself.
    pub member: Option<&'d str>,
    /// The record of the document in a web archive.
    pub record: EntryId,
    /// Its content, or the reason why it cannot be read.
    pub content: Result<Content<'d>, Diagnosis>,
}

/// The content of a document of a container.
pub struct Content<'d> {
    /// Its bytes, with transfer and content codings decoded.
    pub source: &'d [u8],
    /// The format to read it with; [`Format::Html`] keeps the syntax of `rewriter`.
    pub format: Format,
    /// The rewriter with its base URL and its syntax.
    pub rewriter: &'d Rewriter,
}

/// The result of the work on a document.
pub struct Work {
    /// The output for the document.
    pub output: Vec<u8>,
    /// The report on the document, or the reason why it failed. An I/O error means that `output` is
    /// incomplete and must be written again.
    pub result: io::Result<Result<Summary, Diagnosis>>,
}

/// The work on the documents of a container, with its threads and its options.
pub struct Reading<'r> {
    /// The threads that read web archives.
    pub workers: &'r Workers,
    /// The rewriter; each document adds its base URL and syntax.
    pub rewriter: &'r Rewriter,
    /// Processes each document.
    pub work: &'r DocumentHandler<'r>,
}

/// The records of a container to read, and limits on them.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Limits on records.
    pub archives: ArchiveLimits,
    /// The records to read.
    pub selection: RecordSelection,
    /// The only record to read; ignored for a WACZ archive.
    pub only: Option<RecordPosition>,
}

/// Returns the path `container!member`; without a member, the path of the container.
#[must_use]
pub fn path_of_member(container: &Path, member: Option<&str>) -> PathBuf {
    let mut path = container.as_os_str().to_owned();
    if let Some(member) = member {
        path.push("!");
        path.push(member);
    }
    path.into()
}

/// A source that can be read from any position.
pub trait Seekable: Read + Seek + Send {}

impl<R: Read + Seek + Send> Seekable for R {}

/// Bytes that a container is read from.
pub enum Source<'s> {
    /// A file, or a part of one.
    Seekable(Box<dyn Seekable + 's>),
    /// A pipe or a device. Only web archives are read from a stream.
    Stream(Box<dyn Read + Send + 's>),
}

impl Source<'_> {
    /// Creates a reader of the web archive in the source.
    #[must_use]
    pub fn reader(self) -> Reader<Self> {
        match self {
            Self::Seekable(_) => Reader::seekable(self),
            Self::Stream(_) => Reader::new(self),
        }
    }

    /// Creates a reader of the record at a position of a web archive, after a seek if possible.
    ///
    /// # Errors
    ///
    /// If the file cannot be read at that position.
    pub fn reader_at(self, position: RecordPosition) -> io::Result<Reader<Self>> {
        match self {
            Self::Seekable(_) => Reader::seek(self, position),
            Self::Stream(_) => Ok(Reader::new(self).only(position)),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seekable(_) => "Seekable",
            Self::Stream(_) => "Stream",
        })
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Seekable(file) => file.read(buf),
            Self::Stream(stream) => stream.read(buf),
        }
    }
}

impl Seek for Source<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Seekable(file) => file.seek(to),
            Self::Stream(_) => Err(io::ErrorKind::NotSeekable.into()),
        }
    }
}

impl Format {
    /// Returns the web archives inside a file of this format.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged, and for a format without archives inside.
    #[doc(hidden)]
    pub fn archives_inside(
        self,
        source: impl Read + Seek + Send,
    ) -> Result<Vec<StoredArchive>, ContainerError> {
        match self {
            Self::Wacz => Ok(Wacz::open(source)?.archives().to_vec()),
            _ => Err(self.no_container_error()),
        }
    }

    fn no_container_error(self) -> ContainerError {
        ContainerError::Invalid(format!("{} is no container", self.noun()))
    }

    /// Opens a container of this format.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is damaged, or is a stream while the format needs a file; if
    /// files of the format are documents or messages.
    pub fn open<'s>(
        self,
        source: Source<'s>,
        options: &ReadOptions,
    ) -> Result<Box<dyn Container + 's>, ContainerError> {
        if self.needs_file()
            && let Source::Stream(_) = source
        {
            let why = format!("{} cannot be read from a pipe; give a file", self.noun());
            return Err(ContainerError::Invalid(why));
        }
        let ReadOptions { archives, only, .. } = *options;
        let selection = options.selection.clone();
        Ok(match self {
            Self::Warc => {
                let reader = match only {
                    Some(position) => source.reader_at(position),
                    _ => Ok(source.reader()),
                };
                let reader = reader.map_err(ContainerError::Read)?;
                Box::new(reader.limits(archives).select(selection))
            }
            Self::Wacz => Box::new(Wacz::open(source)?.limits(archives).select(selection)),
            _ => return Err(self.no_container_error()),
        })
    }
}

impl<R: Read + Send> Container for Reader<R> {
    fn read(
        self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut WorkHandler<'_>,
    ) -> Result<(), ContainerError> {
        read_pages(*self, None, reading, finish).map(|_| ())
    }
}

impl<R: Read + Seek + Send> Container for Wacz<R> {
    fn read(
        mut self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut WorkHandler<'_>,
    ) -> Result<(), ContainerError> {
        for archive in self.archives().to_vec() {
            let reader = self.open_archive(archive.bytes)?;
            if read_pages(reader, Some(&archive.name), reading, finish)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Processes the pages of an archive, or of a member of a container; breaks if `finish` breaks.
fn read_pages<R: Read + Send>(
    archive: Reader<R>,
    member: Option<&str>,
    reading: &Reading<'_>,
    finish: &mut WorkHandler<'_>,
) -> Result<ControlFlow<()>, ContainerError> {
    let mut flow = ControlFlow::Continue(());
    let result = archive.pages_in_order(
        reading.workers,
        |_, page| visit_page(member, page, reading.rewriter, |document| (reading.work)(document)),
        |handle, work| {
            let record = EntryId::Record(handle.position());
            // The handler gets the content only if it asks for the document again.
            let document = ContainerDocument { member, record, content: Err(Diagnosis::new("")) };
            flow = finish(&document, work, &|visit| {
                handle.show(|page| {
                    visit_page(member, page, reading.rewriter, |document| visit(document));
                });
            });
            flow
        },
    );
    result.map_err(ContainerError::Read).map(|()| flow)
}

/// Passes a page, or a record whose page cannot be read, to `visit` as a document of a container.
fn visit_page<T>(
    member: Option<&str>,
    page: Result<Page<'_>, UnreadRecord>,
    rewriter: &Rewriter,
    visit: impl FnOnce(&ContainerDocument<'_>) -> T,
) -> T {
    let page = match page {
        Ok(page) => page,
        Err(unread) => {
            let record = EntryId::Record(unread.position);
            let content = Err(Diagnosis::new(unread.problem));
            return visit(&ContainerDocument { member, record, content });
        }
    };
    // The page sets the syntax of the rewriter, and `Format::Html` keeps this syntax.
    let rewriter = &page.rewriter(rewriter);
    let content = Ok(Content { source: page.document(), format: Format::Html, rewriter });
    visit(&ContainerDocument { member, record: EntryId::Record(page.position()), content })
}
