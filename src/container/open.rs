//! Opens containers, and reads and rewrites each of them through one interface.

use std::io::{BufWriter, Read, Seek};
use std::ops::ControlFlow;

use super::entry_id::EntryId;
use super::epub::{Book, BookEntry};
use super::error::ContainerError;
use super::format::Format;
use super::interface::{
    Container, ContainerDocument, ContainerTotals, Content, DocumentOutcome, OnDocument, OnWork,
    Only, Outcome, Output, ReadOptions, Reading, WriteOptions,
};
use super::source::Source;
#[cfg(feature = "wacz")]
use super::wacz::Wacz;
use super::warc::{Entry, Page, Reader, RecordOutcome, Totals};
use crate::rewrite::Rewriter;

impl Format {
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
        let ReadOptions { documents, archives, .. } = *options;
        let selection = options.selection.clone();
        Ok(match self {
            Self::Warc => {
                let reader = match options.only {
                    Some(Only::Record(position)) => source.reader_at(position),
                    _ => Ok(source.reader()),
                };
                let reader = reader.map_err(ContainerError::Read)?;
                Box::new(reader.limits(archives).select(selection))
            }
            #[cfg(feature = "wacz")]
            Self::Wacz => Box::new(Wacz::open(source)?.limits(archives).select(selection)),
            Self::Epub => {
                let book = Book::open(source, documents)?;
                Box::new(match &options.only {
                    Some(Only::Member(name)) => book.only(name),
                    _ => book,
                })
            }
            _ => return Err(ContainerError::Invalid(format!("{} is no container", self.noun()))),
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

    fn write(
        self: Box<Self>,
        output: Option<&mut dyn Output>,
        options: WriteOptions<'_>,
        report: &mut OnDocument<'_>,
    ) -> Result<ContainerTotals, ContainerError> {
        let WriteOptions { rewriting, workers, index } = options;
        let report = |entry: &Entry| report(&DocumentOutcome::of_record(None, entry));
        let documents = match (output, index) {
            (Some(output), Some(index)) => {
                rewriting.run_with_index(*self, output, workers, index, report)
            }
            (Some(output), None) => rewriting.run(*self, output, workers, report),
            (None, _) => rewriting.check(*self, workers, report),
        };
        Ok(ContainerTotals { documents: documents?, ..ContainerTotals::default() })
    }
}

#[cfg(feature = "wacz")]
impl<R: Read + Seek + Send> Container for Wacz<R> {
    fn read(
        mut self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut OnWork<'_>,
    ) -> Result<(), ContainerError> {
        for archive in self.archives()? {
            let name = Some(&*archive.name);
            let reader = self.reader(&archive.name)?;
            if pages(reader, name, reading, finish)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn write(
        mut self: Box<Self>,
        output: Option<&mut dyn Output>,
        options: WriteOptions<'_>,
        report: &mut OnDocument<'_>,
    ) -> Result<ContainerTotals, ContainerError> {
        let WriteOptions { rewriting, workers, .. } = options;
        let report =
            |member: &str, entry: &Entry| report(&DocumentOutcome::of_record(Some(member), entry));
        let Some(output) = output else {
            let documents = self.check(rewriting, workers, report)?;
            return Ok(ContainerTotals { documents, ..ContainerTotals::default() });
        };
        let new = self.rewrite(output, rewriting, workers, report)?;
        Ok(ContainerTotals {
            documents: new.records,
            bytes: Some(new.bytes),
            was_signed: new.was_signed,
            index_lines_left_out: new.index_lines_left_out,
        })
    }
}

impl<R: Read + Seek> Container for Book<R> {
    fn count(&self) -> Option<usize> {
        Some(self.documents().len())
    }

    fn read(
        mut self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut OnWork<'_>,
    ) -> Result<(), ContainerError> {
        for document in self.documents().to_vec() {
            let source = Book::read(&mut self, &document.name)?;
            let rewriter = document.rewriter(reading.rewriter);
            let content = match &rewriter {
                Ok(rewriter) => Ok(Content { source: &source, format: document.format, rewriter }),
                Err(error) => Err(error.to_string()),
            };
            let found = ContainerDocument { member: Some(&document.name), record: None, content };
            if finish(&found, (reading.work)(&found), &|visit| visit(&found)).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn write(
        mut self: Box<Self>,
        output: Option<&mut dyn Output>,
        options: WriteOptions<'_>,
        report: &mut OnDocument<'_>,
    ) -> Result<ContainerTotals, ContainerError> {
        let rewriter = options.rewriting.rewriter();
        let report = |entry: &BookEntry<'_>| report(&DocumentOutcome::of_book(entry));
        let totals = match output {
            Some(output) => self.rewrite(BufWriter::new(output), rewriter, report),
            None => self.check(rewriter, report),
        }?;
        let documents = Totals {
            records: totals.rewritten + totals.unchanged + totals.failed,
            rewritten: totals.rewritten,
            unchanged: totals.unchanged,
            failed: totals.failed,
            ..Totals::default()
        };
        Ok(ContainerTotals { documents, ..ContainerTotals::default() })
    }
}

impl<'e> DocumentOutcome<'e> {
    fn of_record(member: Option<&'e str>, entry: &'e Entry) -> Self {
        let outcome = match &entry.outcome {
            RecordOutcome::Rewritten(summary) => Outcome::Rewritten(summary),
            RecordOutcome::Unchanged(summary) => Outcome::Unchanged(summary),
            RecordOutcome::Stale(problem) => Outcome::Stale(problem),
            RecordOutcome::Skipped(skip) => Outcome::Failed(skip),
            RecordOutcome::Failed(problem) => Outcome::Failed(problem),
            _ => Outcome::Copied,
        };
        Self { member, record: Some(EntryId::Record(entry.position)), outcome, texts: None }
    }

    fn of_book(entry: &'e BookEntry<'_>) -> Self {
        let member = Some(&*entry.document.name);
        let (outcome, new) = match &entry.result {
            Ok(new) if new.is_changed() => (Outcome::Rewritten(new.summary()), new.bytes()),
            Ok(new) => (Outcome::Unchanged(new.summary()), entry.source),
            Err(error) => (Outcome::Failed(error), entry.source),
        };
        Self { member, record: None, outcome, texts: Some((entry.source, new)) }
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
            let record = Some(EntryId::Record(handle.position()));
            let place = ContainerDocument { member, record, content: Err(String::new()) };
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
    found: Result<Page<'_>, Entry>,
    rewriter: &Rewriter,
    visit: impl FnOnce(&ContainerDocument<'_>) -> T,
) -> T {
    let record = |position| Some(EntryId::Record(position));
    let page = match found {
        Ok(page) => page,
        Err(entry) => {
            let record = record(entry.position);
            return visit(&ContainerDocument { member, record, content: Err(entry.problem()) });
        }
    };
    let rewriter = &page.rewriter(rewriter);
    let content = Ok(Content { source: page.document(), format: Format::Html, rewriter });
    visit(&ContainerDocument { member, record: record(page.position()), content })
}
