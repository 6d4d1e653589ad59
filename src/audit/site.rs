//! The files of a site, and the pages among them.

pub(crate) mod book;
mod container;
pub(crate) mod deployment;
pub(crate) mod files;
mod members;
pub(crate) mod redirect_rules;
pub(crate) mod server;
mod server_path;
mod walk;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::audit::site::book::BookSite;
use crate::audit::site::files::{FileKind, Files, bytes_of, path_of, split_name};
use crate::batch::{
    self, Archive, Failure, FileBuffers, Globs, Item, Tree, read_item, remove_leftovers_in,
};
use crate::link::Limits;

/// The files of a site, and the pages among them.
///
/// Every file is a target of links, whatever its name. Symbolic links are followed, as a server
/// does; the caller decides whether pages that only they lead to are audited. A target outside the
/// root exists, and is not read.
#[derive(Debug)]
pub struct Site {
    tree: Tree,
    files: Files,
    /// By file number: one more than the index of its item, or 0.
    items: Vec<u32>,
    /// By file number.
    roles: Vec<Role>,
    pages: Vec<usize>,
    styles: Vec<usize>,
    messages: Vec<usize>,
    /// XML documents that are no pages: SVG, feeds, sitemaps.
    xml: Vec<usize>,
    archive: Option<usize>,
    /// The archives, each with its position in all of them.
    archives: Vec<(u64, Archive)>,
    kind: SiteKind,
    unread: Vec<(PathBuf, Failure)>,
    /// Symbolic links to folders outside the root.
    outside: Vec<Vec<u8>>,
    /// Broken symbolic links, sorted, with their targets.
    dangling: Vec<(Vec<u8>, PathBuf)>,
    /// Documents that symbolic links name, and the first name of each file.
    other_names: HashMap<usize, usize>,
    /// Pages that only symbolic links lead to, which are not audited.
    skipped_pages: u64,
    /// The pages to audit, and what the user excludes.
    globs: Globs,
    root: PathBuf,
    /// The root without symbolic links.
    real: PathBuf,
}

/// Whether a site is a folder, a container or a book.
#[derive(Debug)]
enum SiteKind {
    Folder,
    /// A container alone; files around it are not known.
    Container,
    /// A book, whose members are the files.
    Book(Box<BookSite>),
}

/// The role of a file in an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Page,
    Style,
    Message,
    /// An XML document that is no page.
    Xml,
    Archive,
    /// Another file in the audited folder.
    Asset,
    /// A file outside the audited folder, which is only a target.
    Around,
}

impl Site {
    pub(crate) fn new(files: Files, tree: Tree, root: PathBuf, real: PathBuf) -> Self {
        Self {
            files,
            tree,
            items: Vec::new(),
            roles: Vec::new(),
            pages: Vec::new(),
            styles: Vec::new(),
            messages: Vec::new(),
            xml: Vec::new(),
            archive: None,
            archives: Vec::new(),
            kind: SiteKind::Folder,
            unread: Vec::new(),
            outside: Vec::new(),
            dangling: Vec::new(),
            other_names: HashMap::new(),
            skipped_pages: 0,
            globs: Globs::default(),
            root,
            real,
        }
    }

    /// The files and folders, which are the targets of links.
    #[must_use]
    #[doc(hidden)]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The numbers of the pages to audit, in the order of the walk.
    #[must_use]
    pub fn pages(&self) -> &[usize] {
        &self.pages
    }

    /// The number of pages that only symbolic links lead to, which are not audited.
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

    /// The numbers of the XML documents to audit that are no pages, in the order of the walk: SVG,
    /// feeds, sitemaps.
    #[must_use]
    pub fn xml_documents(&self) -> &[usize] {
        &self.xml
    }

    /// The number of the archive, if the site is one.
    pub(crate) fn archive(&self) -> Option<usize> {
        self.archive
    }

    /// Whether the site is a container: a message or a web archive.
    pub(crate) fn is_container(&self) -> bool {
        matches!(self.kind, SiteKind::Container)
    }

    /// The book, if the site is one.
    pub(crate) fn book(&self) -> Option<&BookSite> {
        match &self.kind {
            SiteKind::Book(book) => Some(book),
            SiteKind::Folder | SiteKind::Container => None,
        }
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

    /// Whether a file is an XML document to audit that is no page.
    pub(crate) fn is_xml(&self, number: usize) -> bool {
        // Documents in containers have numbers after those of the files.
        self.roles.get(number) == Some(&Role::Xml)
    }

    /// The word for a file in messages: a page, or another document with anchors.
    pub(crate) fn noun(&self, number: usize) -> &'static str {
        if self.is_xml(number) { "file" } else { "page" }
    }

    /// Whether a file is outside the audited folder.
    pub(crate) fn is_around(&self, number: usize) -> bool {
        self.roles[number] == Role::Around
    }

    /// The numbers of all names of each document that has several, by the first.
    pub(crate) fn names_of_linked_files(&self) -> HashMap<usize, Vec<usize>> {
        let mut names = HashMap::new();
        if self.other_names.is_empty() {
            return names;
        }
        for other in self.pages.iter().chain(&self.styles).chain(&self.xml) {
            if let Some(&first) = self.other_names.get(other) {
                names.entry(first).or_insert_with(|| vec![first]).push(*other);
            }
        }
        names
    }

    /// The number of the first name of a document: that without symbolic links, if it is audited
    /// too.
    pub(crate) fn first_name(&self, number: usize) -> usize {
        self.other_names.get(&number).copied().unwrap_or(number)
    }

    /// Whether the user excludes a file.
    pub(crate) fn is_excluded(&self, number: usize) -> bool {
        self.files.get(number).is_some_and(|(path, _)| self.globs.is_excluded(&path_of(path)))
    }

    /// What could not be read, by its path as findings show it.
    pub(crate) fn unread(&self) -> &[(PathBuf, Failure)] {
        &self.unread
    }

    /// The target of the broken symbolic link at a path, if there is one.
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

    /// The path of a file below the root; that of the root for another number.
    pub(crate) fn path(&self, number: usize) -> &[u8] {
        self.files.get(number).map_or(b"", |(path, _)| path)
    }

    /// The path of a file as findings show it: below the root as given.
    #[must_use]
    pub fn shown(&self, number: usize) -> PathBuf {
        let path = self.files.get(number).map(|(path, _)| path);
        path.map_or_else(|| self.root.clone(), |path| self.shown_path(path))
    }

    /// A path below the root as findings show it, whether it exists or not.
    pub(crate) fn shown_path(&self, path: &[u8]) -> PathBuf {
        match self.kind {
            SiteKind::Book(_) if path.is_empty() => self.root.clone(),
            SiteKind::Book(_) => BookSite::shown(&self.root, path),
            SiteKind::Folder | SiteKind::Container => {
                batch::with_slashes(self.root.join(path_of(path)))
            }
        }
    }

    /// The number of the file at a path of the file system, if it is below the root.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<usize> {
        if let SiteKind::Book(_) = self.kind {
            return self.number_of(path);
        }
        // Only the folder is canonicalized: a symbolic link is a file of its own here.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        let real = folder.join(path.file_name()?);
        self.files.find(&bytes_of(real.strip_prefix(&self.real).ok()?))
    }

    /// Reads a file, by its path as findings show it; `None` if it cannot be read.
    #[must_use]
    pub fn read(&self, shown: &Path) -> Option<Vec<u8>> {
        let number = self.number_of(shown)?;
        if let Some(book) = self.book() {
            return book.read(self.files.get(number)?.0).ok();
        }
        let item = self.item(number)?;
        read_item(&self.tree, item, &Limits::default()).ok()
    }

    /// The number of a file, by its path as findings show it.
    pub(crate) fn number_of(&self, shown: &Path) -> Option<usize> {
        if let SiteKind::Book(_) = self.kind {
            return self.files.find_file(&BookSite::member(&self.root, shown)?);
        }
        self.files.find(&bytes_of(shown.strip_prefix(&self.root).ok()?))
    }

    /// Reads a file into buffers.
    pub(crate) fn read_number(
        &self,
        number: usize,
        buffers: &mut FileBuffers,
        limits: &Limits,
    ) -> Result<(), Failure> {
        if let (Some(book), Some((path, FileKind::File))) = (self.book(), self.files.get(number)) {
            buffers.fill(book.read(path)?);
            return Ok(());
        }
        let item =
            self.item(number).ok_or_else(|| Failure::new("it is not a file that can be read"))?;
        buffers.read(&self.tree, item, limits)
    }

    /// Removes temporary files that killed runs left in the folders of the site.
    #[doc(hidden)]
    pub fn remove_leftovers(&self) {
        remove_leftovers_in(&self.tree);
    }

    fn item(&self, number: usize) -> Option<&Item> {
        let at = self.items.get(number)?.checked_sub(1)?;
        self.tree.items().get(at as usize)
    }
}
