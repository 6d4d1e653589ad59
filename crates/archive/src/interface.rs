//! The interface of the files whose documents are read one by one: web archives.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use absolve::Diagnosis;
use absolve::{Rewriter, Summary};

use super::entry_id::EntryId;
use super::error::ContainerError;
use super::format::Format;
use super::warc::{ArchiveLimits, RecordPosition, RecordSelection};

use crate::jobs::Workers;

/// A file whose documents are read one by one: a web archive.
pub trait Container {
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
}

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
    pub record: EntryId,
    /// Its content, or why it cannot be read.
    pub content: Result<Content<'d>, Diagnosis>,
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
    pub result: io::Result<Result<Summary, Diagnosis>>,
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
    /// Limits on records.
    pub archives: ArchiveLimits,
    /// Which records are read.
    pub selection: RecordSelection,
    /// The position of the only record that is read, if there is one.
    pub only: Option<RecordPosition>,
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
