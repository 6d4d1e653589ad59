//! Lists the files that a run works on, in the order of the walk.
//!
//! The walk finds names by paths, before anything else happens. Afterwards a file is accessed by
//! its name in an open folder, below an open root. If another program replaced a folder by a
//! symbolic link in between, the access fails or reaches the file that was found.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::Syntax;
use absolve::url::Base;
use absolve::{Advice, Error, HasAdvice};
use absolve_archive::Format;

use super::failure::Failure;
use super::folder::Folder;
use super::paths::{retrieval_url, with_slashes};

/// The files that a run works on, in the order of the walk. Items refer to their folders, and
/// folders to their roots, by number.
///
/// [`Rewriting`](crate::Rewriting) has an example.
#[derive(Debug, Default)]
pub struct Tree {
    pub(super) roots: Vec<Root>,
    pub(super) folders: Vec<TreeFolder>,
    pub(super) items: Vec<Item>,
    /// The folders that contain temporary files.
    pub(super) leftover_folders: Vec<usize>,
    /// The number of XML files that are not documents.
    pub(super) xml_files: usize,
    /// Whether XML files are documents without a pattern that includes them.
    pub(super) has_xml_by_default: bool,
}

/// The kind of the file that a given path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RootKind {
    Folder,
    File,
}

/// A given path.
#[derive(Debug)]
pub(super) struct Root {
    /// The open folder; for a single file, its parent folder.
    pub(super) folder: Arc<Folder>,
    pub(super) kind: RootKind,
    /// The path as given; for a single file, the path of its folder.
    pub(super) shown: PathBuf,
    /// Its path without symbolic links.
    pub(super) real: PathBuf,
    pub(super) place: RootPlace,
}

/// The position of a given path in the output, below the base URL, and in lists and layouts.
///
/// [`Rewriting`](crate::Rewriting) has an example.
#[derive(Debug, Clone, Default)]
pub struct RootPlace {
    /// Its path in the output: empty for the only root.
    pub output: PathBuf,
    /// The path of its folder below the folder that the base URL corresponds to; `None` if the
    /// base URL is the URL of the single file.
    pub below_base: Option<PathBuf>,
    /// The path of its folder below the one that paths in lists and layouts are relative to, if
    /// `below_base` is `None`.
    pub below_counted: PathBuf,
    /// The folder that paths are relative to, without symbolic links.
    pub counted_from: PathBuf,
}

/// A folder that the walk entered.
#[derive(Debug)]
pub(super) struct TreeFolder {
    pub(super) root: usize,
    /// Its path below the root.
    pub(super) path: PathBuf,
    /// Its path below the root with symbolic links resolved.
    pub(super) real: PathBuf,
}

/// An entry that the walk found, and that the run reports on.
#[derive(Debug)]
pub struct Item {
    /// The number of its folder in the tree.
    pub(super) folder: usize,
    pub(super) name: OsString,
    /// The folder below the root and the name of the file that a followed symbolic link leads to.
    pub(super) link: Option<Box<(PathBuf, OsString)>>,
    pub(super) kind: ItemKind,
}

/// The treatment of an entry.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ItemKind {
    /// A document, by its name.
    Document,
    /// Another regular file.
    Other,
    /// A symbolic link.
    Link,
    /// Something that is skipped.
    Skipped(Skip),
    /// Something that could not be inspected.
    Failed(Failure),
}

impl ItemKind {
    /// Whether it is written to a mirror of the tree.
    pub(super) fn is_written(&self) -> bool {
        matches!(self, Self::Document | Self::Other | Self::Link)
    }
}

/// The reason why an item is skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Skip {
    /// A symbolic link.
    Link,
    /// A symbolic link that leads out of the tree.
    LeadsOutside,
    /// A symbolic link to a folder above it.
    LeadsBack,
    /// A pipe, a device or a socket instead of a regular file.
    Special,
    /// A file with this many hard links, only one of which would get the new content.
    HardLinks(u64),
    /// An XML document of a folder that is not well-formed, for this reason. Pages, and files
    /// that a pattern includes, fail instead.
    NotWellFormed(String),
    /// A file that was found before, at this path.
    Again(PathBuf),
}

impl HasAdvice for Skip {
    fn advice(&self) -> Option<Advice> {
        match self {
            Self::Link => Some(FOLLOW),
            Self::HardLinks(_) => Some(Advice::Set("{break-hardlinks}")),
            _ => None,
        }
    }
}

/// Advice to follow symbolic links.
pub(super) const FOLLOW: Advice = Advice::Set("{follow-symlinks}");

impl std::fmt::Display for Skip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Link => f.write_str("symbolic link; follow symbolic links to include it"),
            Self::LeadsOutside => f.write_str(
                "symbolic link whose target is outside the tree; give the path of the target",
            ),
            Self::LeadsBack => f.write_str("symbolic link to a folder above it"),
            Self::Special => f.write_str("not a regular file"),
            Self::HardLinks(names) => {
                write!(
                    f,
                    "file has {names} hard links; break hard links to rewrite this one and leave the others old"
                )
            }
            Self::NotWellFormed(why) => f.write_str(why),
            Self::Again(path) => write!(f, "the same file as {}", path.display()),
        }
    }
}

impl Item {
    /// Returns the treatment of the entry.
    #[must_use]
    pub fn kind(&self) -> &ItemKind {
        &self.kind
    }

    /// Returns the name of the entry in its folder.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        &self.name
    }
}

impl Tree {
    /// Returns the entries in the order of the walk: root by root, by name in each folder.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Returns the number of XML files that were found and are not documents: SVG, feeds, sitemaps,
    /// XHTML.
    #[must_use]
    pub fn xml_files(&self) -> usize {
        self.xml_files
    }

    /// Whether an item is an XML document in a folder, but not XHTML, and no pattern includes
    /// files. Such a file may not be meant as a document, so it is skipped if it is not
    /// well-formed.
    pub(super) fn is_optional(&self, item: &Item) -> bool {
        let name = Path::new(&item.name);
        self.has_xml_by_default
            && self.roots[self.folders[item.folder].root].kind == RootKind::Folder
            && Format::from_name(name).syntax() == Some(Syntax::Xml)
            && !Format::is_xhtml(name)
    }

    /// Returns the reason to skip a document after an error; `None` if the document fails.
    #[must_use]
    pub fn skipped(&self, item: &Item, error: &Error) -> Option<Skip> {
        let is_skipped = error.is_not_well_formed() && self.is_optional(item);
        is_skipped.then(|| Skip::NotWellFormed(error.to_string()))
    }

    /// Returns the path of an item, beginning with the root's path as given.
    #[must_use]
    pub fn path(&self, item: &Item) -> PathBuf {
        let folder = &self.folders[item.folder];
        let mut path = self.roots[folder.root].shown.clone();
        // An empty path would add a separator.
        if !folder.path.as_os_str().is_empty() {
            path.push(&folder.path);
        }
        path.push(&item.name);
        with_slashes(path)
    }

    /// Returns the path of an item below its root.
    #[must_use]
    pub fn below_root(&self, item: &Item) -> PathBuf {
        self.folders[item.folder].path.join(&item.name)
    }

    /// Returns the path of an item's file below its root, without symbolic links.
    #[must_use]
    pub fn real_below_root(&self, item: &Item) -> PathBuf {
        let (_, folder, name) = self.locate(item);
        folder.join(name)
    }

    /// Returns the path of an item in the output of a run over the tree.
    #[must_use]
    pub fn path_in_output(&self, item: &Item) -> PathBuf {
        self.output_folder(item.folder).join(&item.name)
    }

    /// Reads the target of an item that is a symbolic link, as written.
    #[must_use]
    pub fn leads_to(&self, item: &Item) -> Option<PathBuf> {
        self.path(item).read_link().ok()
    }

    /// Whether the item's own path was given, not that of a parent folder.
    #[must_use]
    pub fn is_given(&self, item: &Item) -> bool {
        self.roots[self.folders[item.folder].root].kind == RootKind::File
    }

    /// Whether an item was found by the name of its file, not through a symbolic link to the file
    /// or to a parent folder.
    #[must_use]
    pub fn is_own(&self, item: &Item) -> bool {
        let folder = &self.folders[item.folder];
        item.link.is_none() && folder.path == folder.real
    }

    /// Computes the retrieval URL of an item from the base URL.
    ///
    /// # Errors
    ///
    /// If the retrieval URL is not usable as a base.
    pub fn retrieval_url(&self, item: &Item, base: &Base) -> Result<Base, Error> {
        let folder = &self.folders[item.folder];
        match &self.roots[folder.root].place.below_base {
            None => Ok(base.clone()),
            Some(below) => {
                base.with_same_authority(retrieval_url(base, [below, &*folder.path], &item.name))
            }
        }
    }

    /// Returns the path of an item below the folder that paths are relative to.
    pub(super) fn relative_path(&self, item: &Item) -> PathBuf {
        let (_, below) = self.path_root(item);
        below.join(&self.folders[item.folder].path).join(&item.name)
    }

    /// Returns the folder that the path of an item is relative to, and the path of the item's root
    /// below that folder.
    pub(super) fn path_root(&self, item: &Item) -> (&Path, &Path) {
        let place = &self.roots[self.folders[item.folder].root].place;
        (&place.counted_from, place.below_base.as_ref().unwrap_or(&place.below_counted))
    }

    /// Returns a folder's path in the output.
    pub(super) fn output_folder(&self, folder: usize) -> PathBuf {
        let folder = &self.folders[folder];
        self.roots[folder.root].place.output.join(&folder.path)
    }

    /// Locates an item's file: its root, the path of its folder below the root, and its name.
    pub(super) fn locate<'t>(&'t self, item: &'t Item) -> (&'t Root, &'t Path, &'t OsStr) {
        let folder = &self.folders[item.folder];
        let root = &self.roots[folder.root];
        match item.link.as_deref() {
            Some((real, name)) => (root, real, name),
            None => (root, &folder.real, &item.name),
        }
    }
}
