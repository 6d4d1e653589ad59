//! How a tree is rewritten.

use std::path::Path;

use absolve::Rewriter;
use absolve::setters;
use absolve_archive::Format;

use super::OldFiles;
use super::failure::Failure;
use super::flush::Sync;
use super::mirror::{Mirror, PlannedMirror};
use super::origin::Origins;
use super::walk::WriteMode;

/// The destination of rewritten documents.
///
/// [`Rewriting`](crate::Rewriting) has an example.
#[derive(Debug)]
pub enum Destination {
    /// No output: reports which documents would change in place and, with
    /// [`WriteMode::Replace`], which could not be replaced. A file with several names is skipped
    /// as in place.
    Check(WriteMode),
    /// No output: reports what would be written to this folder, and what could not be.
    #[doc(hidden)]
    Preview(PlannedMirror),
    /// The new files replace the old ones.
    InPlace,
    /// Into another folder, with the other files of the tree.
    Mirror(Mirror),
}

/// Whether a file with several names (hard links) is rewritten under one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HardLinks {
    /// The file is skipped in a folder, and an error if its own path was given.
    #[default]
    Skip,
    /// The file is rewritten; the other names keep the old content.
    Break,
}

/// How a tree is rewritten: options, and [`run`](Rewriting::run).
///
/// ```
/// use std::path::{Path, PathBuf};
/// use absolve::Rewriter;
/// use absolve_archive::jobs::Workers;
/// use absolve_files::{Destination, Globs, Mirror, NotEmpty, OtherFiles, Origins, Rewriting, RootPlace, RunStatus, Sync, Walk, WriteMode};
/// use absolve::url::Base;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (site, output) = (folder.path().join("site"), folder.path().join("output"));
/// # std::fs::create_dir(&site)?;
/// # std::fs::write(site.join("index.html"), "<a href=docs/>")?;
///
/// let mut walk = Walk::new(WriteMode::Mirror).other_files(OtherFiles::Listed);
/// // The base URL corresponds to the folder itself.
/// let place = RootPlace { below_base: Some(PathBuf::new()), ..RootPlace::default() };
/// walk.add(&site, place);
/// let tree = walk.finish();
///
/// let mirror = Mirror::new(&tree, &output, NotEmpty::Refused)?;
/// let destination = Destination::Mirror(mirror);
/// let origins = Origins::new(Some(Base::new("https://example.org/")?));
/// let rewriter = Rewriter::new();
/// let rewriting = Rewriting::new(&rewriter, &origins, &destination);
/// let status = rewriting.run(&tree, &Workers::new(0), &(), &mut |item, report| {
///     assert!(!report.has_failed(), "{:?}", tree.path(item));
/// });
/// assert_eq!(status, RunStatus::Done);
/// if let Destination::Mirror(mirror) = destination {
///     mirror.finish(Sync::default())?;
/// }
/// let page = std::fs::read(output.join("index.html"))?;
/// assert_eq!(page, b"<a href=https://example.org/docs/>");
/// # Ok(())
/// # }
/// ```
pub struct Rewriting<'r> {
    pub(super) rewriter: &'r Rewriter,
    pub(super) origins: &'r Origins,
    pub(super) destination: &'r Destination,
    pub(super) format: Option<Format>,
    pub(super) sync: Sync,
    pub(super) hard_links: HardLinks,
    pub(super) old_files: OldFiles,
    pub(super) editor: Option<&'r dyn Editor>,
}

/// Edits documents otherwise than a [`Rewriter`] does.
pub trait Editor: std::marker::Sync {
    /// The new bytes of a document; `None` leaves it as it is. `path` is the path as given.
    ///
    /// # Errors
    ///
    /// If the document has to stay as it is, with the reason.
    fn edit(&self, path: &Path, source: &[u8]) -> Result<Option<Vec<u8>>, Failure>;
}

impl<'r> Rewriting<'r> {
    /// Rewrites documents with `rewriter`, whose retrieval URLs come from `origins`, and writes
    /// them to `destination`; every option has its default.
    #[must_use]
    pub fn new(rewriter: &'r Rewriter, origins: &'r Origins, destination: &'r Destination) -> Self {
        Self {
            rewriter,
            origins,
            destination,
            format: None,
            sync: Sync::default(),
            hard_links: HardLinks::default(),
            old_files: OldFiles::default(),
            editor: None,
        }
    }

    setters! {
        /// Sets the format of every file; by default, the name of a file decides.
        pub fn format(format: Option<Format>) => format = format;

        /// Sets whether files are flushed before they replace others.
        pub fn sync(sync: Sync) => sync = sync;

        /// Sets whether a file that has several names is rewritten.
        pub fn hard_links(hard_links: HardLinks) => hard_links = hard_links;

        /// Lets an editor edit every document, whatever its format; by default, the rewriter does.
        pub fn editor(editor: &'r dyn Editor) => editor = Some(editor);

        /// Sets whether the old files are kept, in place; by default, they are not.
        pub fn old_files(old_files: OldFiles) => old_files = old_files;
    }
}
