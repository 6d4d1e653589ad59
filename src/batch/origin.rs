//! The retrieval URL of a file: from a list, the command line, or what the program that
//! fetched it left beside or around it.

mod file_metadata;
mod file_sources;
mod host;
mod layout;
mod map;

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use super::failure::{Failure, reason};
use super::folder::{Folder, LastLink, parent};
use super::read::FileBuffers;
use super::tree::{Item, Tree};
use crate::base::{BaseLayer, BaseSource, Learn, Learned, NotLearned};
use crate::error::Error;
use crate::learn::{HintSource, usable};
use crate::rewrite::Rewriter;
use crate::url::Base;

use file_sources::{FileSources, is_absent};
pub use host::is_below_host;
use layout::HostFolders;
pub use layout::{Layout, Scheme};
pub use map::{BaseMap, InvalidBaseMap};

/// Where the retrieval URLs of files come from.
///
/// A list of files has precedence over a given base URL, and that over learned URLs: from the
/// page itself ([`Rewriter::learn`]), else from its file, else from its folders.
///
/// [`Rewriting`](crate::batch::Rewriting) has an example.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    map: Option<BaseMap>,
    base: Option<Base>,
    learn: Learn,
    layout: Layout,
    hosts: HostFolders,
}

/// Sources besides the page, in this order.
const FILE_SOURCES: &[(BaseSource, ReadUrl)] = &[
    (BaseSource::Xattr, file_metadata::xattr),
    (BaseSource::ZoneIdentifier, file_metadata::zone_identifier),
];

/// Reads a URL that was stored with a file.
type ReadUrl = fn(&FileSources<'_>) -> io::Result<Option<String>>;

/// The paths of a file.
struct FilePaths<'n> {
    /// As it was given.
    shown: &'n Path,
    /// The folder that paths are relative to, without symbolic links.
    root: &'n Path,
    /// Below that folder.
    below: &'n Path,
    /// The folder that was given below that folder, or that a given file is in.
    given: &'n Path,
}

/// A source that cannot be read may contain the base URL of a document, so the document fails.
fn unread(error: &io::Error) -> Failure {
    let reason = reason(error);
    Failure::new(format!(
        "cannot read what its URL is learned from: {reason}; give a base URL, or learn none"
    ))
}

impl Origins {
    /// Origins with the base URL of the tree or of the one file, and the default learned sources.
    #[must_use]
    pub fn new(base: Option<Base>) -> Self {
        Self { base, ..Self::default() }
    }

    /// A list of files and their URLs, which has precedence over other sources.
    #[must_use]
    #[doc(hidden)]
    pub fn map(self, map: BaseMap) -> Self {
        Self { map: Some(map), ..self }
    }

    /// Which sources are learned from; all unless set.
    #[must_use]
    pub fn learn(self, learn: Learn) -> Self {
        Self { learn, ..self }
    }

    /// How folders are named; [`Layout::Unknown`] unless set.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Replaces the base URL of the tree or of the one file.
    #[must_use]
    pub fn base_url(self, base: Base) -> Self {
        Self { base: Some(base), ..self }
    }

    /// The base URL that is given.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// The rewriter for a single document, whose URL is the base URL; `below` is its path below
    /// `root`, the folder that paths are relative to.
    ///
    /// # Errors
    ///
    /// If a source of the URL exists and cannot be read.
    pub fn rewriter_of_file(
        &self,
        rewriter: &Rewriter,
        path: &Path,
        root: &Path,
        below: &Path,
    ) -> Result<Rewriter, Failure> {
        let names = FilePaths { shown: path, root, below, given: below.parent().unwrap_or(below) };
        let real = if self.is_learned(&names) {
            regular(path).map_err(|error| unread(&error))?
        } else {
            None
        };
        let folder = real.as_deref().and_then(|real| Some((parent(real), real.file_name()?)));
        let folder = folder.map(|(folder, name)| Ok((open_folder(folder)?, name))).transpose();
        let folder = folder.map_err(|error| unread(&error))?;
        let sources = folder.as_ref().map(|(folder, name)| FileSources { folder, name });
        let found = self.find(rewriter, &names, given, sources.as_ref())?;
        Ok(found.set(rewriter).into_owned())
    }

    /// Whether URLs stored with a file count.
    fn is_learned(&self, names: &FilePaths<'_>) -> bool {
        let is_given = self.base.is_some() || self.mapped(names).is_some();
        !is_given && FILE_SOURCES.iter().any(|&(source, _)| self.learn.has(source))
    }

    /// The rewriter for a document from stdin; a list has it as `-`.
    ///
    /// # Errors
    ///
    /// If a layout is set and the folder that paths are relative to cannot be read.
    pub fn rewriter_of_stdin(&self, rewriter: &Rewriter) -> Result<Rewriter, Failure> {
        let (stdin, no_folder) = (Path::new("-"), Path::new(""));
        let names = FilePaths { shown: stdin, root: no_folder, below: stdin, given: no_folder };
        Ok(self.find(rewriter, &names, given, None)?.set(rewriter).into_owned())
    }

    /// The rewriter for an item whose file is in this folder.
    pub(super) fn rewriter_of_item<'r>(
        &self,
        rewriter: &'r Rewriter,
        tree: &Tree,
        item: &Item,
        folder: &Folder,
    ) -> Result<Cow<'r, Rewriter>, Failure> {
        let url = |base: &Base| tree.retrieval_url(item, base);
        // The paths of a file, which take longer to make than its URL, decide nothing then.
        if let (None, Some(base)) = (&self.map, &self.base) {
            return Ok(Origin::retrieved(url(base)?).set(rewriter));
        }
        let (shown, below) = (tree.path(item), tree.below_counted(item));
        let (_, _, name) = tree.place(item);
        let sources = FileSources { folder, name };
        let (root, given) = tree.counted_from(item);
        let names = FilePaths { shown: &shown, root, below: &below, given };
        let found = self.find(rewriter, &names, url, Some(&sources))?;
        Ok(found.set(rewriter))
    }

    fn find(
        &self,
        rewriter: &Rewriter,
        names: &FilePaths<'_>,
        url: impl FnOnce(&Base) -> Result<Base, Error>,
        sources: Option<&FileSources<'_>>,
    ) -> Result<Origin, Failure> {
        if let Some(base) = self.mapped(names) {
            return Ok(Origin::Given(BaseLayer::new(Some(base.clone()), BaseSource::BaseMap)));
        }
        if let Some(base) = &self.base {
            return Ok(Origin::retrieved(url(base)?));
        }
        let learned = self.learned(rewriter, names, sources);
        learned.map(Origin::Learned).map_err(|error| unread(&error))
    }

    /// The URL that the list has for a file.
    fn mapped(&self, names: &FilePaths<'_>) -> Option<&Base> {
        self.map.as_ref()?.get(names.shown, names.below)
    }

    /// The URL learned from sources outside of the page.
    fn learned(
        &self,
        rewriter: &Rewriter,
        names: &FilePaths<'_>,
        sources: Option<&FileSources<'_>>,
    ) -> io::Result<Learned> {
        let max = rewriter.settings().limits.base_url;
        let mut learned = Learned::default();
        for &(source, read_url) in
            FILE_SOURCES.iter().filter(|&&(source, _)| self.learn.has(source))
        {
            let Some(url) = sources.map(read_url).transpose()?.flatten() else { continue };
            match usable(&url, HintSource::File, max) {
                Ok(base) => {
                    learned.layer = BaseLayer::new(Some(base), source);
                    return Ok(learned);
                }
                Err(error) => learned.refused.push(NotLearned::new(source, error)),
            }
        }
        if let Layout::HostPath(scheme) = self.layout {
            let folder = self.hosts.folder(names.root, names.given)?;
            let below = names.below.strip_prefix(names.given).unwrap_or(names.below);
            let url = layout::host_path(scheme, &folder.join(below));
            let base = url.and_then(|url| Base::new(&url).ok());
            learned.layer = BaseLayer::new(base, BaseSource::Layout);
        }
        Ok(learned)
    }
}

/// What is known of a file's retrieval URL.
enum Origin {
    Given(BaseLayer),
    Learned(Learned),
}

impl Origin {
    fn retrieved(url: Base) -> Self {
        Self::Given(BaseLayer::new(Some(url), BaseSource::RetrievalUrl))
    }

    fn set(self, rewriter: &Rewriter) -> Cow<'_, Rewriter> {
        match self {
            Self::Given(layer) => Cow::Owned(rewriter.clone().retrieved_from(layer)),
            // Most files have no source, and use the shared rewriter.
            Self::Learned(Learned { layer, refused })
                if layer.base().is_none() && refused.is_empty() =>
            {
                Cow::Borrowed(rewriter)
            }
            Self::Learned(learned) => Cow::Owned(rewriter.clone().or_learned(learned)),
        }
    }
}

impl FileBuffers {
    /// The rewriter for an item, with its retrieval URL if a source outside of the page has it.
    ///
    /// # Errors
    ///
    /// If the retrieval URL is not usable, or the folder cannot be entered.
    pub fn rewriter<'r>(
        &mut self,
        tree: &Tree,
        item: &Item,
        rewriter: &'r Rewriter,
        origins: &Origins,
    ) -> Result<Cow<'r, Rewriter>, Failure> {
        let folder = self.folder_of(tree, item).map_err(|error| Failure::read(&error))?;
        origins.rewriter_of_item(rewriter, tree, item, &folder)
    }
}

/// The path of a regular file without symbolic links; `None` for a pipe, whose folder is not
/// searched.
fn regular(path: &Path) -> io::Result<Option<PathBuf>> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(std::fs::metadata(&real)?.is_file().then_some(real))
}

fn open_folder(path: &Path) -> io::Result<Folder> {
    Folder::open(path, LastLink::Followed)
}

/// The URL of a single document is the base URL.
#[expect(clippy::unnecessary_wraps, reason = "a tree's URL function can fail")]
fn given(base: &Base) -> Result<Base, Error> {
    Ok(base.clone())
}
