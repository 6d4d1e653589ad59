//! The files of a site, and the pages among them.

mod container;
pub(crate) mod deployment;
pub(crate) mod files;
pub(crate) mod redirect_rules;
pub(crate) mod server;

use std::path::{Path, PathBuf};

use crate::audit::site::files::{FileKind, Files, bytes_of, path_of, split_name};
use crate::batch::{
    Failure, FileBuffers, Globs, Item, Kind, OtherFiles, RootPlace, Skip, Symlinks, Tree, Walk,
    WriteMode,
};
use crate::container::Format;
use crate::link::Limits;

/// The files of a site, and the pages among them.
///
/// Every file is a target of links, whatever its name. Symbolic links are followed as a
/// server does; whether pages behind them are audited too is for the caller to say. What
/// one leads to outside the root is there, and is not read.
#[derive(Debug)]
pub struct Site {
    tree: Tree,
    files: Files,
    /// By the number of a file: one more than the number of its item; 0 for none.
    items: Vec<u32>,
    /// By the number of a file.
    roles: Vec<Role>,
    pages: Vec<usize>,
    styles: Vec<usize>,
    messages: Vec<usize>,
    archive: Option<usize>,
    kind: SiteKind,
    unread: Vec<(PathBuf, Failure)>,
    /// Folders that symbolic links lead to outside the root.
    outside: Vec<Vec<u8>>,
    /// Symbolic links that lead to nothing, in order, and what is written in them.
    dangling: Vec<(Vec<u8>, PathBuf)>,
    /// Pages behind symbolic links that are not audited.
    skipped_pages: u64,
    root: PathBuf,
    /// The root with no symbolic link in it.
    real: PathBuf,
}

/// Where the pages of a site are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SiteKind {
    Folder,
    /// In a container that nothing is known around.
    Container,
}

/// What a file is in an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Page,
    Style,
    Message,
    Archive,
    /// Another file in the folder that is audited.
    Asset,
    /// A target only.
    Around,
}

impl Site {
    fn new(files: Files, tree: Tree, root: PathBuf, real: PathBuf) -> Self {
        Self {
            files,
            tree,
            items: Vec::new(),
            roles: Vec::new(),
            pages: Vec::new(),
            styles: Vec::new(),
            messages: Vec::new(),
            archive: None,
            kind: SiteKind::Folder,
            unread: Vec::new(),
            outside: Vec::new(),
            dangling: Vec::new(),
            skipped_pages: 0,
            root,
            real,
        }
    }

    /// Finds every file below `root`. Documents by `globs` are pages or messages, and files
    /// whose names end in `.css` are style sheets unless `globs` exclude them: where they are
    /// in the folder `audited`, which is the root or in it, and not behind symbolic links
    /// unless `symlinks` says so.
    ///
    /// # Errors
    ///
    /// If one of them is no folder that can be read, or `audited` is not in the root.
    pub fn walk(
        root: &Path,
        audited: &Path,
        globs: &Globs,
        symlinks: Symlinks,
    ) -> Result<Self, Failure> {
        let real = root.canonicalize().map_err(|error| Failure::read(&error))?;
        let inside = audited.canonicalize().map_err(|error| Failure::read(&error))?;
        if !real.is_dir() || !inside.is_dir() {
            return Err(Failure::new("it is not a folder; give the folder of a built site"));
        }
        let below = inside.strip_prefix(&real).map_err(|_| {
            Failure::new("it is not in the folder of --root-dir; give one that it is in")
        })?;
        let mut walk =
            Walk::new(globs.clone(), Symlinks::Followed, OtherFiles::Listed, WriteMode::Read);
        walk.add(root, RootPlace::default());
        let tree = walk.finish();
        let mut found = Vec::new();
        let mut outside = Vec::new();
        let mut unread = Vec::new();
        let mut dangling = Vec::new();
        for item in tree.items() {
            let path = tree.below_root(item);
            match item.kind() {
                Kind::Skipped(Skip::LeadsOutside | Skip::LeadsBack) if tree.path(item).is_dir() => {
                    outside.push(bytes_of(&path));
                    found.push((path, FileKind::Folder));
                }
                // What a link leads to outside may not be there.
                Kind::Skipped(Skip::LeadsOutside) if !tree.path(item).exists() => {
                    let to = tree.leads_to(item).unwrap_or_default();
                    dangling.push((bytes_of(&path), to));
                }
                Kind::Document | Kind::Other | Kind::Skipped(_) => {
                    found.push((path, FileKind::File));
                }
                Kind::Failed(_) | Kind::Link if tree.path(item).is_symlink() => {
                    let to = tree.leads_to(item).unwrap_or_default();
                    dangling.push((bytes_of(&path), to));
                }
                Kind::Failed(failure) if path.starts_with(below) => {
                    unread.push((tree.path(item), failure.clone()));
                }
                Kind::Link | Kind::Failed(_) => {}
            }
        }
        dangling.sort_unstable();
        let site = Self::new(Files::new(found), tree, root.to_owned(), real);
        let mut site = Self { unread, outside, dangling, ..site };
        site.number(below, globs, symlinks);
        Ok(site)
    }

    /// Finds the numbers of the items, and which of them are audited.
    fn number(&mut self, audited: &Path, globs: &Globs, symlinks: Symlinks) {
        self.items = vec![0; self.files.len()];
        self.roles = vec![Role::Around; self.files.len()];
        for (at, item) in (1..).zip(self.tree.items()) {
            let path = self.tree.below_root(item);
            let Some(number) = self.files.find(&bytes_of(&path)) else { continue };
            if !matches!(item.kind(), Kind::Document | Kind::Other) {
                continue;
            }
            self.items[number] = at;
            if !path.starts_with(audited) {
                continue;
            }
            let is_document = matches!(item.kind(), Kind::Document);
            if symlinks == Symlinks::Kept && !self.tree.is_own(item) {
                self.skipped_pages += u64::from(is_document);
                continue;
            }
            let is_style = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("css"))
                && !globs.is_excluded(&path);
            self.roles[number] = match item.kind() {
                Kind::Document if Format::of_name(&path) == Format::Message => Role::Message,
                Kind::Document => Role::Page,
                _ if is_style => Role::Style,
                _ => Role::Asset,
            };
            match self.roles[number] {
                Role::Page => self.pages.push(number),
                Role::Style => self.styles.push(number),
                Role::Message => self.messages.push(number),
                Role::Archive | Role::Asset | Role::Around => {}
            }
        }
    }

    /// Everything that a link can lead to.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The numbers of the pages to audit, in the order of the walk.
    #[must_use]
    pub fn pages(&self) -> &[usize] {
        &self.pages
    }

    /// How many pages behind symbolic links are not audited.
    #[must_use]
    pub fn skipped_pages(&self) -> u64 {
        self.skipped_pages
    }

    /// The numbers of the style sheets to audit, in the order of the walk.
    #[must_use]
    pub fn styles(&self) -> &[usize] {
        &self.styles
    }

    /// The numbers of the messages to audit, in the order of the walk.
    #[must_use]
    pub fn messages(&self) -> &[usize] {
        &self.messages
    }

    /// The number of the archive that stands in place of a folder.
    pub(crate) fn archive(&self) -> Option<usize> {
        self.archive
    }

    /// Whether a container stands in place of a folder.
    pub(crate) fn is_container(&self) -> bool {
        self.kind == SiteKind::Container
    }

    /// Whether a file is a message to audit.
    pub(crate) fn is_message(&self, number: usize) -> bool {
        self.roles[number] == Role::Message
    }

    /// Whether a file is a page to audit.
    pub(crate) fn is_page(&self, number: usize) -> bool {
        self.roles[number] == Role::Page
    }

    /// Whether a file is a style sheet to audit.
    pub(crate) fn is_style(&self, number: usize) -> bool {
        self.roles[number] == Role::Style
    }

    /// Whether a file is a target only.
    pub(crate) fn is_around(&self, number: usize) -> bool {
        self.roles[number] == Role::Around
    }

    /// What could not be looked at, by its path as findings have it.
    pub(crate) fn unread(&self) -> &[(PathBuf, Failure)] {
        &self.unread
    }

    /// What is written in the symbolic link at a path, if that leads to nothing.
    pub(crate) fn dangling(&self, path: &[u8]) -> Option<&Path> {
        let found = self.dangling.binary_search_by(|(link, _)| link.as_slice().cmp(path));
        found.ok().map(|at| &*self.dangling[at].1)
    }

    /// Whether a path is in a folder that is outside the root.
    pub(crate) fn is_outside(&self, path: &[u8]) -> bool {
        let mut path = path;
        loop {
            if self.outside.iter().any(|folder| folder == path) {
                return true;
            }
            match split_name(path) {
                Some((folder, _)) if !self.outside.is_empty() => path = folder,
                _ => return false,
            }
        }
    }

    /// The path of a file as findings have it: below the root as it was given.
    #[must_use]
    pub fn shown(&self, number: usize) -> PathBuf {
        let path = self.files.get(number).map(|(path, _)| path);
        path.map_or_else(|| self.root.clone(), |path| self.shown_path(path))
    }

    /// The same for a path below the root, whether something is there or not.
    pub(crate) fn shown_path(&self, path: &[u8]) -> PathBuf {
        self.root.join(path_of(path))
    }

    /// The number of the file at a path of the file system, if it is below the root.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<usize> {
        // The name itself may be a link, which is a file of its own here.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        let real = folder.join(path.file_name()?);
        self.files.find(&bytes_of(real.strip_prefix(&self.real).ok()?))
    }

    /// The bytes of a file, by its path as findings have it; `None` where it cannot be
    /// read.
    #[must_use]
    pub fn read(&self, shown: &Path) -> Option<Vec<u8>> {
        let number = self.files.find(&bytes_of(shown.strip_prefix(&self.root).ok()?))?;
        let mut buffers = FileBuffers::default();
        self.read_number(number, &mut buffers, &Limits::default()).ok()?;
        Some(buffers.source().to_vec())
    }

    /// Reads the file of a number to a desk.
    pub(crate) fn read_number(
        &self,
        number: usize,
        buffers: &mut FileBuffers,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let item = self.item(number).ok_or_else(|| Failure::new("it is no file to read"))?;
        buffers.read(&self.tree, item, limits)
    }

    fn item(&self, number: usize) -> Option<&Item> {
        let at = self.items.get(number)?.checked_sub(1)?;
        self.tree.items().get(at as usize)
    }
}
