//! One interface for the files whose documents are read and rewritten one by one: web archives and
//! books.

use std::fmt::Display;
use std::io::{self, Seek, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::entry_id::EntryId;
use super::error::ContainerError;
use super::format::Format;
use super::warc::{ArchiveLimits, Cdxj, RecordPosition, RecordSelection, Rewriting, Totals};
use crate::jobs::Workers;
use crate::link::Limits;
use crate::rewrite::{Rewriter, Summary};

/// A file whose documents are rewritten one by one: a web archive or a book.
pub trait Container {
    /// The number of its documents, if it is known before they are read.
    fn count(&self) -> Option<usize> {
        None
    }

    /// Passes what the work on each document makes to `finish`, in order, until that breaks.
    ///
    /// # Errors
    ///
    /// If it cannot be read. Documents that cannot be read are shown.
    fn read(
        self: Box<Self>,
        reading: &Reading<'_>,
        finish: &mut OnWork<'_>,
    ) -> Result<(), ContainerError>;

    /// Writes the file with rewritten documents; without an output, only reports what it would
    /// write. `report` gets each document, in order; a break stops the run, with an incomplete output.
    ///
    /// # Errors
    ///
    /// If reading or writing fails, and for a file that is damaged as a whole. Problems of single
    /// documents go to `report`.
    fn write(
        self: Box<Self>,
        output: Option<&mut dyn Output>,
        options: WriteOptions<'_>,
        report: &mut OnDocument<'_>,
    ) -> Result<ContainerTotals, ContainerError>;
}

/// Gets each document of a container, and may stop the run.
pub type OnDocument<'r> = dyn FnMut(&DocumentOutcome<'_>) -> ControlFlow<()> + 'r;

/// Does the work on a document, in any thread.
pub type OnContent<'w> = dyn Fn(&ContainerDocument<'_>) -> Work + Sync + 'w;

/// Gets a document without its content, what work on it made, and what shows the document again; may
/// stop the run.
pub type OnWork<'w> = dyn FnMut(&ContainerDocument<'_>, Work, &Again<'_>) -> ControlFlow<()> + 'w;

/// Shows a document again.
pub type Again<'a> = dyn Fn(&mut dyn FnMut(&ContainerDocument<'_>)) + 'a;

/// A document of a container that is read.
pub struct ContainerDocument<'d> {
    /// The file in the container that has the document, or is it.
    pub member: Option<&'d str>,
    /// The record of the document in a web archive.
    pub record: Option<EntryId>,
    /// Its content, or why it cannot be read.
    pub content: Result<Content<'d>, String>,
}

/// The content of a document of a container.
pub struct Content<'d> {
    /// Its bytes.
    pub source: &'d [u8],
    /// Its format.
    pub format: Format,
    /// The rewriter with its base URL and its syntax.
    pub rewriter: &'d Rewriter,
}

/// What work on a document made.
pub struct Work {
    /// Its output.
    pub output: Vec<u8>,
    /// The report on the document, or why it failed. An error is one of the output, which has to be
    /// made again.
    pub result: io::Result<Result<Summary, String>>,
}

/// An output that can be sought.
pub trait Output: Write + Seek {}

impl<W: Write + Seek> Output for W {}

/// How a container is rewritten.
pub struct WriteOptions<'o> {
    /// The options for documents and records.
    pub rewriting: &'o Rewriting<'o>,
    /// The threads that rewrite.
    pub workers: &'o Workers,
    /// Gets the records of the new web archive.
    pub index: Option<&'o mut Cdxj>,
}

/// How the documents of a container are read.
pub struct Reading<'r> {
    /// The threads that read web archives.
    pub workers: &'r Workers,
    /// The rewriter that documents add their base URL and syntax to.
    pub rewriter: &'r Rewriter,
    /// The work on each document.
    pub work: &'r OnContent<'r>,
}

/// What is read of a container.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Limits on documents.
    pub documents: Limits,
    /// Limits on records.
    pub archives: ArchiveLimits,
    /// Which records are read.
    pub selection: RecordSelection,
    /// The only document that is read, if there is one.
    pub only: Option<Only>,
}

/// One document of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Only {
    /// The record of a web archive at this position.
    Record(RecordPosition),
    /// The file of a book with this name.
    Member(String),
}

/// A document of a container, and its outcome.
pub struct DocumentOutcome<'e> {
    /// The file in the container that has the document, or is it.
    pub member: Option<&'e str>,
    /// The record of the document in a web archive.
    pub record: Option<EntryId>,
    /// Its outcome.
    pub outcome: Outcome<'e>,
    /// Its old and its new bytes, in a book.
    pub texts: Option<(&'e [u8], &'e [u8])>,
}

/// The outcome of a document of a container.
pub enum Outcome<'e> {
    /// It has other links.
    Rewritten(&'e Summary),
    /// It has no link to change.
    Unchanged(&'e Summary),
    /// A revisit that may not agree with rewritten records, and why.
    Stale(&'e dyn Display),
    /// It stays as it is, and why.
    Failed(&'e dyn Display),
    /// No document that is read.
    Copied,
}

/// The outcome of a run over a container.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ContainerTotals {
    /// Its records or documents, by outcome.
    pub documents: Totals,
    /// Bytes of the new file, if the output may have more, which are to be removed.
    pub bytes: Option<u64>,
    /// The old archive had a signature, which was left out.
    pub was_signed: bool,
    /// Lines of an index that pointed to no record, and were left out.
    pub index_lines_left_out: u64,
}

/// The path of a file in the container at a path; without a file, that of the container.
#[must_use]
pub fn path_of_member(container: &Path, member: Option<&str>) -> PathBuf {
    let mut path = container.as_os_str().to_owned();
    if let Some(member) = member {
        path.push("!");
        path.push(member);
    }
    path.into()
}
