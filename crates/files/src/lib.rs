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
pub mod crawl;
mod exchange;
mod failure;
mod flush;
mod folder;
mod globs;
mod integrity;
mod mirror;
mod native;
mod origin;
mod outcome;
mod preflight;
mod read;
mod rewriting;
mod settings;
mod tree;
mod walk;
mod write;

pub use absolve::InvalidGlob;
pub use absolve_archive::jobs::Workers;
#[doc(hidden)]
pub use absolve_archive::jobs::{ThreadState, lock_if_large};
#[doc(hidden)]
pub use address::ADDED_EXTENSIONS;
#[doc(hidden)]
pub use address::NOT_IN_A_NAME;
#[doc(hidden)]
pub use address::QUERY_MARKS;
#[doc(hidden)]
pub use address::served_url;
#[doc(hidden)]
pub use address::{check_folder_url, url_below};
#[doc(hidden)]
pub use archive::{Archive, archives_below};
pub(crate) use exchange::TEMPORARY;
pub use exchange::{InvalidSuffix, OldFiles};
#[doc(hidden)]
pub use failure::Failure;
#[doc(hidden)]
pub use failure::reason;
pub use flush::Sync;
pub use globs::Globs;
#[doc(hidden)]
pub use globs::{Effect, Glob};
#[doc(hidden)]
pub use integrity::Digests;
pub use mirror::NewFolder;
#[doc(hidden)]
pub use mirror::PlannedMirror;
pub use mirror::{Mirror, NotEmpty};
#[doc(hidden)]
pub use native::{path_of, with_slashes};
#[doc(hidden)]
pub use origin::host_folders;
#[doc(hidden)]
pub use origin::{BaseMap, is_below_host};
pub use origin::{Layout, Origins, RecordedUrl, Scheme};
#[doc(hidden)]
pub use outcome::Monitored;
pub use outcome::{FileOutcome, Monitor, Report, RunStatus};
pub use preflight::PreflightError;
pub use read::read;
#[doc(hidden)]
pub use read::{
    FileBuffers, open, open_list, read_beginning, read_file, read_from, read_item, read_list,
    read_opened,
};
pub use rewriting::check_in_place;
#[doc(hidden)]
pub use rewriting::remove_leftovers_in;
pub use settings::{Destination, Editor, HardLinks, Rewriting};
pub use tree::{Item, Kind, RootPlace, Skip, Tree};
pub use walk::{OtherFiles, Symlinks, Walk, WriteMode};
pub use write::write;
#[doc(hidden)]
pub use write::{append, check_write, is_same_file, names, write_like, write_with};
