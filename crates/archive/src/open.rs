//! Opens containers, and reads each of them through one interface.

use std::io::{Read, Seek};
use std::ops::ControlFlow;

use absolve::Diagnosis;
use absolve::Rewriter;

use super::entry_id::EntryId;
use super::error::ContainerError;
use super::format::Format;
use super::interface::{Container, ContainerDocument, Content, OnWork, ReadOptions, Reading};
use super::source::Source;
use super::stored::StoredArchive;
use super::wacz::Wacz;
use super::warc::{Page, Reader, UnreadRecord};

impl Format {
    /// The web archives inside a file of this format.
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
            _ => Err(self.no_container()),
        }
    }

    fn no_container(self) -> ContainerError {
        ContainerError::Invalid(format!("{} is no container", self.noun()))
    }

    /// Opens a container of this format.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is damaged, or cannot be sought where the format needs that, and
    /// for a format of files that are one document or a message.
    pub fn open<'s>(
        self,
        source: Source<'s>,
        options: &ReadOptions,
    ) -> Result<Box<dyn Container + 's>, ContainerError> {
        if self.needs_file()
            && let Source::Stream(_) = source
        {
            let what = format!("{} cannot be read from a pipe; give a file", self.noun());
            return Err(ContainerError::Invalid(what));
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
            _ => return Err(self.no_container()),
        })
    }
}

impl<R: Read + Send> Container for Reader<R> {
    fn read(
        self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut OnWork<'_>,
    ) -> Result<(), ContainerError> {
        pages(*self, None, reading, finish).map(|_| ())
    }
}

impl<R: Read + Seek + Send> Container for Wacz<R> {
    fn read(
        mut self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut OnWork<'_>,
    ) -> Result<(), ContainerError> {
        for archive in self.archives().to_vec() {
            let reader = self.reader(archive.bytes)?;
            if pages(reader, Some(&archive.name), reading, finish)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Shows the pages of an archive, which may be a member of another file.
fn pages<R: Read + Send>(
    archive: Reader<R>,
    member: Option<&str>,
    reading: &Reading<'_>,
    finish: &mut OnWork<'_>,
) -> Result<ControlFlow<()>, ContainerError> {
    let mut flow = ControlFlow::Continue(());
    let read = archive.pages_in_order(
        reading.workers,
        |_, found| with_page(member, found, reading.rewriter, |document| (reading.work)(document)),
        |handle, done| {
            let record = EntryId::Record(handle.position());
            let place = ContainerDocument { member, record, content: Err(Diagnosis::new("")) };
            flow = finish(&place, done, &|visit| {
                handle.show(|found| {
                    with_page(member, found, reading.rewriter, |document| visit(document));
                });
            });
            flow
        },
    );
    read.map_err(ContainerError::Read).map(|()| flow)
}

/// Shows a page of an archive, or a record whose page cannot be read.
fn with_page<T>(
    member: Option<&str>,
    found: Result<Page<'_>, UnreadRecord>,
    rewriter: &Rewriter,
    visit: impl FnOnce(&ContainerDocument<'_>) -> T,
) -> T {
    let page = match found {
        Ok(page) => page,
        Err(entry) => {
            let record = EntryId::Record(entry.position);
            let content = Err(Diagnosis::new(entry.problem));
            return visit(&ContainerDocument { member, record, content });
        }
    };
    let rewriter = &page.rewriter(rewriter);
    let content = Ok(Content { source: page.document(), format: Format::Html, rewriter });
    visit(&ContainerDocument { member, record: EntryId::Record(page.position()), content })
}
