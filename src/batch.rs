//! Documents in files: reads them, and writes them completely or not at all.
//!
//! [`Walk`] finds the files of a run, [`Workers`] works on them in parallel with
//! results in the order of the walk, and [`Rewriting`] writes them, into another
//! folder or in place. Writes are atomic: a file always holds its complete old or
//! its complete new contents. [`read()`] and [`write()`] are for a single file.
//!
//! The root of a tree is opened once; everything below it is accessed by names in
//! open folders.

mod address;
mod backup;
mod commit;
mod descriptor;
mod enclosure;
mod exchange;
mod failure;
mod flush;
mod folder;
mod globs;
mod identity;
mod list;
mod mirror;
#[cfg(feature = "audit")]
mod monitored_file;
mod open_files;
mod origin;
mod outcome;
mod pending_rename;
mod preflight;
mod preserve;
mod read;
mod rewriting;
mod settings;
mod temporary;
mod tree;
mod walk;
mod write;
mod write_item;

pub use crate::jobs::{ThreadState, Workers, lock_if_large};
pub(crate) use address::NOT_IN_A_NAME;
pub use address::{NotAFolderUrl, check_folder_url, url_below};
pub use commit::Commit;
pub use descriptor::{is_descriptor, is_stdout};
pub use enclosure::Enclosure;
pub use failure::{Failure, reason};
pub use flush::Sync;
pub use globs::{Effect, Glob, Globs, InvalidGlob};
#[cfg(feature = "audit")]
pub(crate) use globs::{LetterCase, Pattern, Slashes};
pub use list::{open_list, read_file, read_list};
pub use mirror::{Mirror, NotEmpty, PlannedMirror};
#[cfg(feature = "audit")]
pub(crate) use monitored_file::MonitoredFile;
pub use open_files::allow_open_files;
pub use origin::{BaseMap, InvalidBaseMap, Layout, Origins, Scheme};
pub use outcome::{FileOutcome, Monitor, Report, RunStatus};
pub use preflight::PreflightError;
pub use preserve::Timestamps;
pub use read::{FileBuffers, open, read, read_from, read_opened};
pub use rewriting::check_in_place;
pub use settings::{Destination, HardLinks, Rewriting};
pub use tree::{Item, Kind, Skip, Tree};
pub use walk::{OtherFiles, RootPlace, Symlinks, Walk, WriteMode};
pub use write::{Access, Content, check_write, is_same_file, names, write, write_with};
