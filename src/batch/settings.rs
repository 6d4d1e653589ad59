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
    /// Nowhere: it is found out which would change in place and, as far as the purpose is to
    /// replace them, which could not be. A file with several names is skipped as in place.
    Nowhere(WriteMode),
    /// Nowhere: it is found out what would be done in this folder, and what could not be.
    #[doc(hidden)]
    Preview(PlannedMirror),
    /// In the place of the old ones.
    InPlace,
    /// Into another folder, with the other files of the tree.
    Mirror(Mirror),
}

/// Whether a file that has several names is rewritten under one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// It is skipped in a folder, and an error where its own path is given.
    #[default]
    Skipped,
    /// It is, and the other names keep the old content.
    Broken,
}

/// How a tree is rewritten.
#[derive(Debug)]
pub struct Rewriting<'r> {
    /// How documents are.
    pub rewriter: &'r Rewriter,
    /// What files are that have documents in them; decided by their names unless set.
    pub format: Option<Format>,
    /// Where their retrieval URLs come from.
    pub origins: &'r Origins,
    /// Where they go.
    pub destination: &'r Destination,
    /// Whether they are flushed first.
    pub sync: Sync,
    /// When they replace the old ones.
    pub commit: Commit,
    /// Whether they keep their times.
    pub times: Timestamps,
    /// Treatment of files with several names.
    pub hard_links: HardLinks,
    /// What is added to the name that the old file keeps, in place.
    pub backup: Option<&'r str>,
}
