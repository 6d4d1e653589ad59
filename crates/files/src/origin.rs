//! Finds the retrieval URL of a file: in a list, on the command line, or where a download program
//! recorded it: in attributes of the file, in a file beside it, or in the names of its folders.

mod file_metadata;
mod layout;
mod map;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use absolve::internal::{BaseLayer, HintSource, Learned, SavedFiles, parse_recorded_url};
use absolve::url::{Base, clean, rfc1808};
use absolve::{Advice, BaseSource, Error, Learn, Limits, NotLearned, Rewriter};
use file_metadata::{FileSources, is_absent};
use layout::HostFolders;
use percent_encoding::percent_decode_str;

use super::failure::{Failure, reason};
use super::folder::{Folder, LastLink, parent};
use super::paths::{path_of, retrieval_url, served_url};
use super::read::FileBuffers;
use super::tree::{Item, Tree};

#[doc(hidden)]
pub use layout::host_folders;
pub use layout::{Layout, Scheme, is_below_host};
pub use map::BaseMap;

/// The sources of the retrieval URLs of files.
///
/// A list of files has precedence over a given base URL, which has precedence over learned URLs,
/// unless [`Origins::learned_first`] is set. URLs are learned from the page itself
/// ([`Rewriter::learn`]), else from its file, else from its folders.
///
/// [`Rewriting`](crate::Rewriting) has an example.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    map: Option<Arc<BaseMap>>,
    base: Option<Base>,
    learn: Learn,
    precedence: Precedence,
    layout: Layout,
    hosts: HostFolders,
    url_cache: UrlCache,
}

/// The URL that applies to a file with a given and a learned one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Precedence {
    #[default]
    Given,
    Learned,
}

/// The sources of URLs that are stored with a file, in the order of their precedence.
const FILE_SOURCES: &[(BaseSource, ReadUrl)] = &[
    (BaseSource::Xattr, file_metadata::read_xattr),
    (BaseSource::ZoneIdentifier, file_metadata::read_zone_identifier),
];

/// The URL that the list has for a file, or that is stored with it.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct RecordedUrl {
    /// The URL.
    pub url: Base,
    /// Whether the program that saved the file replaced its links by names of files, which do not
    /// resolve against the URL.
    pub is_converted: bool,
}

/// Reads a URL that was stored with a file.
type ReadUrl = fn(&FileSources<'_>) -> io::Result<Option<String>>;

/// The paths of a file.
struct FilePaths<'n> {
    /// The path as given.
    shown: &'n Path,
    /// The folder that paths are relative to, without symbolic links.
    root: &'n Path,
    /// The path of the file below `root`.
    below: &'n Path,
    /// The path below `root` of the given folder, or of the folder of a given file.
    given: &'n Path,
}

/// Returns the failure of a document with an unreadable source, which may contain its base URL.
fn unread_failure(error: &io::Error) -> Failure {
    let reason = reason(error);
    Failure::new(format!(
        "cannot read what its URL is learned from: {reason}; give a base URL, or learn none"
    ))
    .advising(Advice::Set("{base-url}, {base-map} or {learn none}"))
}

impl Origins {
    /// Creates origins with the base URL of the tree or the single file, and all learned sources.
    #[must_use]
    pub fn new(base: Option<Base>) -> Self {
        Self { base, ..Self::default() }
    }

    /// Sets a list of files and their URLs, which has precedence over other sources.
    #[must_use]
    #[doc(hidden)]
    pub fn map(self, map: BaseMap) -> Self {
        Self { map: Some(Arc::new(map)), ..self }
    }

    /// Sets the sources to learn from; by default, all.
    #[must_use]
    pub fn learn(self, learn: Learn) -> Self {
        Self { learn, ..self }
    }

    /// Gives learned URLs precedence over the base URL, which then applies to all other files.
    #[must_use]
    pub fn learned_first(self) -> Self {
        Self { precedence: Precedence::Learned, ..self }
    }

    /// Sets the naming of folders; by default, [`Layout::Unmapped`].
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Replaces the base URL of the tree or of the single file.
    #[must_use]
    pub fn base_url(self, base: Base) -> Self {
        Self { base: Some(base), ..self }
    }

    /// Returns the base URL, if it has precedence over learned URLs.
    fn given_base(&self) -> Option<&Base> {
        self.base.as_ref().filter(|_| self.precedence == Precedence::Given)
    }

    /// Returns the given base URL, whatever its precedence.
    #[must_use]
    pub fn base(&self) -> Option<&Base> {
        self.base.as_ref()
    }

    /// Returns the rewriter for a single document, whose URL is the base URL; `below` is its path
    /// below `root`, the folder that paths are relative to.
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
        let file = if self.uses_file_sources(&names) { open_folder_of(path) } else { Ok(None) };
        let file = file.map_err(|error| unread_failure(&error))?;
        let sources = file.as_ref().map(|(folder, name)| FileSources { folder, name });
        let url = |base: &Base| Ok(base.clone());
        Ok(self.with_file_url(rewriter, &names, url, sources.as_ref())?.into_owned())
    }

    /// Whether a URL that is stored with a file can apply to it.
    fn uses_file_sources(&self, names: &FilePaths<'_>) -> bool {
        let is_given = self.given_base().is_some() || self.mapped_url(names).is_some();
        !is_given && FILE_SOURCES.iter().any(|&(source, _)| self.learn.has(source))
    }

    /// Returns the rewriter for a document from stdin, whose path in a list is `-`.
    ///
    /// # Errors
    ///
    /// If a layout is set and the folder that paths are relative to cannot be read.
    pub fn rewriter_of_stdin(&self, rewriter: &Rewriter) -> Result<Rewriter, Failure> {
        let (stdin, no_folder) = (Path::new("-"), Path::new(""));
        let names = FilePaths { shown: stdin, root: no_folder, below: stdin, given: no_folder };
        let url = |base: &Base| Ok(base.clone());
        Ok(self.with_file_url(rewriter, &names, url, None)?.into_owned())
    }

    /// Returns the rewriter for an item whose file is in this folder.
    pub(super) fn rewriter_of_item<'r>(
        &self,
        rewriter: &'r Rewriter,
        tree: &Tree,
        item: &Item,
        folder: &Folder,
    ) -> Result<Cow<'r, Rewriter>, Failure> {
        let rewriter = self.with_item_url(rewriter, tree, item, folder)?;
        let Some(raw) = &rewriter.settings().raw_base else { return Ok(rewriter) };
        let raw = tree.retrieval_url(item, raw)?;
        Ok(Cow::Owned(rewriter.into_owned().with(|settings| settings.raw_base = Some(raw))))
    }

    /// Sets the retrieval URL of an item in a rewriter.
    fn with_item_url<'r>(
        &self,
        rewriter: &'r Rewriter,
        tree: &Tree,
        item: &Item,
        folder: &Folder,
    ) -> Result<Cow<'r, Rewriter>, Failure> {
        let url = |base: &Base| tree.retrieval_url(item, base);
        // A given base URL needs no paths of the file, which take longer to compute than its URL.
        if let (None, Some(base)) = (&self.map, self.given_base()) {
            return Ok(set_retrieval_url(rewriter, url(base)?, BaseSource::RetrievalUrl));
        }
        let (shown, below) = (tree.path(item), tree.relative_path(item));
        let (_, _, name) = tree.locate(item);
        let sources = FileSources { folder, name };
        let (root, given) = tree.path_root(item);
        let names = FilePaths { shown: &shown, root, below: &below, given };
        self.with_file_url(rewriter, &names, url, Some(&sources))
    }

    /// Sets the retrieval URL of a file in a rewriter: the URL of the list, else the given and the
    /// learned one in the order of their precedence. `url` computes the given one from the base.
    fn with_file_url<'r>(
        &self,
        rewriter: &'r Rewriter,
        names: &FilePaths<'_>,
        url: impl FnOnce(&Base) -> Result<Base, Error>,
        sources: Option<&FileSources<'_>>,
    ) -> Result<Cow<'r, Rewriter>, Failure> {
        let saved = |links| Arc::new(self.saved_page(names, links));
        if let (Some(map), Some(base)) = (&self.map, self.mapped_url(names)) {
            let links = if map.is_of_httrack() { LinkForm::Converted } else { LinkForm::Unknown };
            let rewriter =
                set_retrieval_url(rewriter, base.clone(), BaseSource::BaseMap).into_owned();
            let saved = saved(links);
            return Ok(Cow::Owned(rewriter.with(|settings| settings.saved_files = Some(saved))));
        }
        if let Some(base) = self.given_base() {
            return Ok(set_retrieval_url(rewriter, url(base)?, BaseSource::RetrievalUrl));
        }
        let mut learned =
            self.learn_url(rewriter, names, sources).map_err(|error| unread_failure(&error))?;
        if let (None, Some(base)) = (learned.layer.base(), &self.base) {
            learned.layer = BaseLayer::new(Some(url(base)?), BaseSource::RetrievalUrl);
        }
        // Most files have no source, and use the shared rewriter.
        if learned.layer.base().is_none() && learned.refused.is_empty() {
            return Ok(Cow::Borrowed(rewriter));
        }
        let links = match (learned.layer.source(), sources) {
            (BaseSource::Xattr, Some(sources)) => {
                let is_own = file_metadata::has_own_xattr(sources);
                let is_own = is_own.map_err(|error| unread_failure(&error))?;
                Some(if is_own { LinkForm::Unknown } else { LinkForm::Converted })
            }
            (BaseSource::ZoneIdentifier | BaseSource::Layout, _) => Some(LinkForm::Unknown),
            _ => None,
        };
        Ok(Cow::Owned(rewriter.clone().with(|settings| {
            settings.external_base = learned;
            if let Some(links) = links {
                settings.saved_files = Some(saved(links));
            }
        })))
    }

    /// Describes a saved document, whose links may name files.
    fn saved_page(&self, names: &FilePaths<'_>, links: LinkForm) -> SavedPage {
        let (origins, root) = (self.clone(), names.root.to_owned());
        let given = names.given.to_owned();
        // A list has the paths of other files as given too, which begin like that of the document.
        let is_shown = names.shown.ends_with(names.below);
        let mut parents = names.shown.ancestors().skip(names.below.components().count());
        let shown_root = parents.next().filter(|_| is_shown).unwrap_or(names.root).to_owned();
        let url = move |below: &Path| {
            let given = if below.starts_with(&given) { &*given } else { below.parent()? };
            let shown = shown_root.join(below);
            let names = FilePaths { shown: &shown, root: &root, below, given };
            // A file whose record cannot be read has no URL.
            let recorded = origins.find_recorded(&names).ok().flatten().map(|record| record.url);
            recorded.or_else(|| origins.layout_url(&names).ok().flatten())
        };
        let cache = self.url_cache.clone();
        SavedPage::new((names.root, names.below), links, cache, Box::new(url))
    }

    /// Returns the URL that the list has for a file, or that is stored with it; `None` for a
    /// symbolic link, and for an original that `wget -K` keeps.
    ///
    /// # Errors
    ///
    /// If a source of the URL exists and cannot be read.
    #[doc(hidden)]
    pub fn recorded(&self, root: &Path, below: &Path) -> Result<Option<RecordedUrl>, Failure> {
        let shown = root.join(below);
        self.find_recorded(&FilePaths { shown: &shown, root, below, given: Path::new("") })
    }

    fn find_recorded(&self, names: &FilePaths<'_>) -> Result<Option<RecordedUrl>, Failure> {
        let (path, below) = (names.root.join(names.below), names.below);
        if below.extension().is_some_and(|end| end == "orig") || path.is_symlink() {
            return Ok(None);
        }
        if let (Some(map), Some(base)) = (&self.map, self.mapped_url(names)) {
            return Ok(Some(RecordedUrl { url: base.clone(), is_converted: map.is_of_httrack() }));
        }
        if !self.uses_file_sources(names) {
            return Ok(None);
        }
        let read = || {
            let Some((folder, name)) = open_folder_of(&path)? else { return Ok(None) };
            let sources = FileSources { folder: &folder, name: &name };
            let layer = self.read_recorded(&sources, Limits::default().base_url)?.layer;
            let Some(url) = layer.base().cloned() else { return Ok(None) };
            let is_xattr = layer.source() == BaseSource::Xattr;
            let is_converted = is_xattr && !file_metadata::has_own_xattr(&sources)?;
            Ok(Some(RecordedUrl { url, is_converted }))
        };
        read().map_err(|error| unread_failure(&error))
    }

    /// Returns the URL that the list has for a file.
    fn mapped_url(&self, names: &FilePaths<'_>) -> Option<&Base> {
        self.map.as_ref()?.get(names.shown, names.below)
    }

    /// Learns a URL from sources outside of the page: those stored with the file, then its folders.
    fn learn_url(
        &self,
        rewriter: &Rewriter,
        names: &FilePaths<'_>,
        sources: Option<&FileSources<'_>>,
    ) -> io::Result<Learned> {
        let max = rewriter.settings().limits.base_url;
        let learned = sources.map(|sources| self.read_recorded(sources, max)).transpose()?;
        let mut learned = learned.unwrap_or_default();
        if learned.layer.base().is_some() {
            return Ok(learned);
        }
        if self.layout != Layout::Unmapped {
            learned.layer = BaseLayer::new(self.layout_url(names)?, BaseSource::Layout);
        }
        Ok(learned)
    }

    /// Computes the URL of a file from the names of its folders.
    fn layout_url(&self, names: &FilePaths<'_>) -> io::Result<Option<Base>> {
        let Layout::HostPath(scheme) = self.layout else { return Ok(None) };
        let folder = self.hosts.path_from_host(names.root, names.given)?;
        let below = names.below.strip_prefix(names.given).unwrap_or(names.below);
        let url = layout::compute_url(scheme, &folder.join(below));
        Ok(url.and_then(|url| Base::new(&url).ok()))
    }

    /// Reads the first usable URL that is stored with a file, and the reasons why others are not.
    fn read_recorded(&self, sources: &FileSources<'_>, max: usize) -> io::Result<Learned> {
        let mut learned = Learned::default();
        for &(source, read_url) in
            FILE_SOURCES.iter().filter(|&&(source, _)| self.learn.has(source))
        {
            let Some(url) = read_url(sources)? else { continue };
            match parse_recorded_url(&url, HintSource::File, max) {
                Ok(base) => {
                    learned.layer = BaseLayer::new(Some(base), source);
                    return Ok(learned);
                }
                Err(error) => learned.refused.push(NotLearned::new(source, error)),
            }
        }
        Ok(learned)
    }
}

/// Sets a retrieval URL that is not learned in a copy of a rewriter.
fn set_retrieval_url(rewriter: &Rewriter, url: Base, source: BaseSource) -> Cow<'static, Rewriter> {
    let layer = BaseLayer::new(Some(url), source);
    Cow::Owned(rewriter.clone().with(|settings| settings.retrieval_layer = layer))
}

impl FileBuffers {
    /// Returns the rewriter for an item, with a retrieval URL if a source besides the page has one.
    ///
    /// # Errors
    ///
    /// If the retrieval URL is not usable, or the folder or a source of the URL cannot be read.
    pub fn rewriter<'r>(
        &mut self,
        tree: &Tree,
        item: &Item,
        rewriter: &'r Rewriter,
        origins: &Origins,
    ) -> Result<Cow<'r, Rewriter>, Failure> {
        let folder = self.open_folder(tree, item).map_err(|error| Failure::read(&error))?;
        origins.rewriter_of_item(rewriter, tree, item, &folder)
    }
}

/// Opens the folder of a regular file, after resolving symbolic links, and returns it with the name
/// of the file; `None` if the file does not exist or is another kind of file, such as a pipe.
fn open_folder_of(path: &Path) -> io::Result<Option<(Folder, OsString)>> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    match real.file_name() {
        Some(name) if fs::metadata(&real)?.is_file() => {
            Ok(Some((Folder::open(parent(&real), LastLink::Followed)?, name.to_owned())))
        }
        _ => Ok(None),
    }
}

/// Caches the URLs of files, since many links of a run may name the same file.
#[derive(Debug, Clone, Default)]
struct UrlCache(Arc<Mutex<HashMap<PathBuf, Option<String>>>>);

/// Whether the links of a saved document name files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LinkForm {
    /// Links name files: the program that saved the document replaced URLs by names of files.
    Converted,
    /// The program is unknown: a link names a file only if a download program generated the name,
    /// for example from a URL with a query.
    Unknown,
}

/// Returns the URL of an existing file by its path below the root.
type UrlOfFile = dyn Fn(&Path) -> Option<Base> + Send + Sync;

/// A saved document, whose links may name files beside it.
struct SavedPage {
    root: PathBuf,
    /// The path of its folder below the root.
    folder: PathBuf,
    links: LinkForm,
    cache: UrlCache,
    url: Box<UrlOfFile>,
}

impl SavedPage {
    /// Creates the description of a document at a path below a root.
    fn new(
        (root, below): (&Path, &Path),
        links: LinkForm,
        cache: UrlCache,
        url: Box<UrlOfFile>,
    ) -> Self {
        let folder = below.parent().unwrap_or(Path::new(""));
        Self { root: root.to_owned(), folder: folder.to_owned(), links, cache, url }
    }

    /// Resolves a relative path to a path below the root; `None` if no file there can have it.
    fn resolve_path(&self, path: &str) -> Option<PathBuf> {
        let mut target = self.folder.clone();
        for segment in path.split('/') {
            match segment {
                "." => {}
                ".." if target.pop() => {}
                ".." => return None,
                name => {
                    let name = percent_decode_str(name).collect::<Vec<_>>();
                    let name = path_of(&name).filter(|_| !name.contains(&0))?;
                    let mut names = name.components();
                    match (names.next(), names.next()) {
                        (Some(Component::Normal(name)), None) => target.push(name),
                        _ => return None,
                    }
                }
            }
        }
        Some(target)
    }

    fn file_url(&self, path: &str) -> Option<String> {
        self.url_of(&self.resolve_path(path)?)
    }

    /// Returns the URL of the file at a path below the root, if it exists.
    fn url_of(&self, below: &Path) -> Option<String> {
        let path = self.root.join(below);
        let cache = || self.cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(url) = cache().get(&path) {
            return url.clone();
        }
        if !fs::metadata(&path).is_ok_and(|file| file.is_file()) {
            return None;
        }
        let url = (self.url)(below).map(|url| url.as_str().to_owned());
        cache().insert(path, url.clone());
        url
    }
}

impl fmt::Debug for SavedPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedPage").field("links", &self.links).finish_non_exhaustive()
    }
}

impl SavedFiles for SavedPage {
    fn may_name(&self, reference: &[u8]) -> bool {
        // A generated name has an `@` before a query, or an encoded character.
        self.links == LinkForm::Converted || memchr::memchr2(b'%', b'@', reference).is_some()
    }

    fn url(&self, reference: &str) -> Option<String> {
        let reference = clean(reference);
        let (name, fragment) = reference.split_at(reference.find('#').unwrap_or(reference.len()));
        // HTTrack leaves the query of the URL after the name of a file.
        let path = &name[..name.find('?').unwrap_or(name.len())];
        if path.is_empty() || path.ends_with('/') || rfc1808::scheme_end(path).is_some() {
            return None;
        }
        let url = match self.links {
            LinkForm::Converted => self.file_url(name).or_else(|| self.file_url(path)),
            LinkForm::Unknown if path != name => None,
            LinkForm::Unknown => {
                let is_generated = |file: &PathBuf| has_generated_name(file);
                self.url_of(&self.resolve_path(path).filter(is_generated)?)
            }
        };
        Some(url? + fragment)
    }
}

/// Whether a download program generated the name of a file, with a query or encoded characters.
fn has_generated_name(file: &Path) -> bool {
    let root = Base::unchecked("http://h/");
    let url = retrieval_url(&root, file.parent(), file.file_name().unwrap_or_default());
    url != served_url(&root, file)
}
