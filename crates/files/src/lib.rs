//! Files and directory trees: reads documents, and writes each whole or not at all. A file always
//! holds its complete old or its complete new contents.
//!
//! ```
//! use absolve::{Limits, Rewriter};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("page.html");
//! # std::fs::write(&path, "<a href=docs/>")?;
//!
//! let page = absolve_files::read(&path, &Limits::default())?;
//! let rewritten = Rewriter::new().base_url("https://example.org/")?.rewrite(&page)?;
//! absolve_files::write(&path, rewritten.bytes())?;
//! assert_eq!(std::fs::read(&path)?, b"<a href=https://example.org/docs/>");
//! # Ok(())
//! # }
//! ```
//!
//! [absolve](https://docs.rs/absolve) rewrites one document, and
//! [absolve-archive](https://docs.rs/absolve-archive) finds documents in messages and web archives.
//! Two packages build on this one: [absolve-site](https://docs.rs/absolve-site) for the audit of a
//! site, and [absolve-cli](https://docs.rs/absolve-cli), the command.
//!
//! # A tree
//!
//! [`Walk`] finds the files of a run, which [`Globs`] select. [`Rewriting`] writes them, into
//! another folder ([`Mirror`]) or in place, in parallel and with results in the order of the walk;
//! it has an example. [`Origins`] are the sources of retrieval URLs, and a [`Monitor`] receives the
//! progress. [`crawl`] extracts web archives to a folder, whose links lead from file to file.
//!
//! # How it works
//!
//! 1. [`Walk`] lists the names before anything is written.
//! 2. Threads take sixteen files at a time, in windows of a few hundred, and each reuses its
//!    buffers.
//! 3. A file is opened by its name in an open folder inside the open root, never through a symbolic
//!    link.
//! 4. In place, the new contents go to a locked temporary file beside the old one. One flush of the
//!    file system covers a window; then each pair is exchanged, and the old file is deleted if it
//!    is still the version that was read (`exchange`, `rewriting`).
//! 5. A new tree is assembled in a locked temporary folder beside the output, and renamed at the
//!    end (`mirror`).
//!
//! Calls that differ by system are in `folder`, and forms of paths in `paths`.
//! `crates/cli/tests/faults` tests all of this: kills, signals, failing calls, limits, full disks,
//! swapped names, concurrent editors.

mod archive;
pub mod crawl;
mod exchange;
mod failure;
mod flush;
mod folder;
mod globs;
mod integrity;
mod mirror;
mod origin;
mod outcome;
mod paths;
mod preflight;
mod read;
mod rewriting;
mod tree;
mod walk;
mod write;

#[doc(hidden)]
pub use archive::{Archive, archives_below};
pub use exchange::{InvalidSuffix, OldFiles};
pub use failure::Failure;
#[doc(hidden)]
pub use failure::reason;
pub use flush::Sync;
pub use globs::Globs;
#[doc(hidden)]
pub use globs::{Effect, Glob};
#[doc(hidden)]
pub use integrity::Digests;
#[doc(hidden)]
pub use mirror::PlannedMirror;
pub use mirror::{Mirror, NewFolder, NotEmpty};
#[doc(hidden)]
pub use origin::{BaseMap, host_folders, is_below_host};
pub use origin::{Layout, Origins, RecordedUrl, Scheme};
#[doc(hidden)]
pub use outcome::Monitored;
pub use outcome::{FileOutcome, Monitor, Report, RunStatus};
#[doc(hidden)]
pub use paths::{
    ADDED_EXTENSIONS, NOT_IN_A_NAME, QUERY_MARKS, check_folder_url, path_of, served_url, url_below,
    with_slashes,
};
pub use preflight::PreflightError;
pub use read::read;
#[doc(hidden)]
pub use read::{
    FileBuffers, open, open_list, read_beginning, read_file, read_from, read_item, read_list,
    read_opened,
};
#[doc(hidden)]
pub use rewriting::remove_leftovers_in;
pub use rewriting::{Destination, Editor, HardLinks, Rewriting, check_in_place};
pub use tree::{Item, ItemKind, RootPlace, Skip, Tree};
pub use walk::{OtherFiles, Symlinks, Walk, WriteMode};
pub use write::write;
#[doc(hidden)]
pub use write::{append, check_write, is_same_file, names, write_like, write_with};
