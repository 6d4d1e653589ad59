//! Files and directory trees: reads documents, and writes each whole or not at all.
//!
//! [`Walk`] finds the files of a run, [`Workers`] process them in parallel with results in the
//! order of the walk, and [`Rewriting`] writes them, into another folder or in place. A file always
//! holds its complete old or its complete new contents. [`Origins`] say where retrieval URLs come
//! from. [`read()`] and [`write()`] are for a single file.
//!
//! [`Rewriting`] has an example. The root of a tree is opened once; everything else is opened below
//! it, by names in open folders.

mod address;
mod archive;
mod backup;
mod commit;
mod exchange;
mod failure;
mod flush;
mod folder;
mod globs;
mod identity;
mod integrity;
mod list;
mod mirror;
mod monitored;
mod native;
#[cfg(feature = "crawl")]
mod new_folder;
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

pub use crate::jobs::Workers;
#[doc(hidden)]
pub use crate::jobs::{ThreadState, lock_if_large};
pub use crate::link::InvalidGlob;
#[cfg(feature = "audit")]
pub(crate) use address::{ADDED_EXTENSIONS, NOT_IN_A_NAME, QUERY_MARKS, served_url};
#[doc(hidden)]
pub use address::{check_folder_url, url_below};
#[doc(hidden)]
pub use archive::Archive;
pub use backup::{InvalidSuffix, OldFiles};
#[doc(hidden)]
pub use failure::Failure;
#[doc(hidden)]
pub use failure::reason;
pub use flush::Sync;
pub use globs::Globs;
#[doc(hidden)]
pub use globs::{Effect, Glob};
#[cfg(feature = "audit")]
pub(crate) use integrity::Digests;
#[doc(hidden)]
pub use list::{open_list, read_file, read_list};
#[doc(hidden)]
pub use mirror::PlannedMirror;
pub use mirror::{Mirror, NotEmpty};
#[cfg(feature = "cli")]
pub(crate) use monitored::Monitored;
#[doc(hidden)]
pub use native::{path_of, with_slashes};
#[cfg(feature = "crawl")]
pub use new_folder::NewFolder;
#[cfg(feature = "audit")]
pub(crate) use origin::host_folders;
#[doc(hidden)]
pub use origin::{BaseMap, is_below_host};
pub use origin::{Layout, Origins, RecordedUrl, Scheme};
pub use outcome::{FileOutcome, Monitor, Report, RunStatus};
pub use preflight::PreflightError;
pub use read::read;
#[doc(hidden)]
pub use read::{FileBuffers, open, read_beginning, read_from, read_item, read_opened};
pub use rewriting::check_in_place;
#[cfg(feature = "audit")]
pub(crate) use rewriting::remove_leftovers_in;
pub use settings::{Destination, Editor, HardLinks, Rewriting};
#[cfg(feature = "crawl")]
pub(crate) use temporary::TEMPORARY;
pub use tree::{Item, Kind, RootPlace, Skip, Tree};
#[doc(hidden)]
pub use walk::archives_below;
pub use walk::{OtherFiles, Symlinks, Walk, WriteMode};
pub use write::write;
#[doc(hidden)]
pub use write::{append, check_write, is_same_file, names, write_like, write_with};
