//! How a tree is rewritten.

use super::commit::Commit;
use super::flush::Sync;
use super::mirror::{Mirror, PlannedMirror};
use super::origin::Origins;
use super::preserve::Timestamps;
use super::walk::WriteMode;
use crate::container::Format;
use crate::rewrite::Rewriter;

/// Where rewritten documents go.
#[derive(Debug)]
pub enum Destination {
    /// No output: reports which documents would change in place and, with
    /// [`WriteMode::Replace`], which could not be replaced. A file with several names is skipped
    /// as in place.
    Check(WriteMode),
    /// No output: reports what would be written to this folder, and what could not be.
    Preview(PlannedMirror),
    /// They replace the old ones.
    InPlace,
    /// Into another folder, with the other files of the tree.
    Mirror(Mirror),
}

/// Whether a file with several names (hard links) is rewritten under one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// It is skipped in a folder, and an error if its own path was given.
    #[default]
    Skip,
    /// It is rewritten; the other names keep the old content.
    Break,
}

/// The settings of a run over a tree.
#[derive(Debug)]
pub struct Rewriting<'r> {
    /// Rewrites the documents.
    pub rewriter: &'r Rewriter,
    /// The format of the documents; by default their names decide.
    pub format: Option<Format>,
    /// Where their retrieval URLs come from.
    pub origins: &'r Origins,
    /// Where documents are written.
    pub destination: &'r Destination,
    /// Whether files are flushed before they replace old ones.
    pub sync: Sync,
    /// When files replace the old ones.
    pub commit: Commit,
    /// Whether files keep their times.
    pub times: Timestamps,
    /// Whether files with several names are rewritten.
    pub hard_links: HardLinks,
    /// The suffix of backups; `None` keeps no backup.
    pub backup: Option<&'r str>,
}
