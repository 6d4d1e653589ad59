//! Reads the folder of a site, and assigns a role in the audit to each file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use absolve::{Advice, Limits, Syntax};
use absolve_archive::Format;
use absolve_files::{
    Failure, FileBuffers, Globs, Item, ItemKind, OtherFiles, RootPlace, Skip, Symlinks, Tree, Walk,
    WriteMode, read_item, remove_leftovers_in,
};

use crate::{FileKind, Files, bytes_of, path_of, split_name};

pub(crate) mod deployment;
pub(crate) mod files;
pub(crate) mod redirect_rules;
pub(crate) mod server;

/// The files of a site, and the pages among them.
///
/// Every file is a target of links, whatever its name. Symbolic links are followed, as a server
/// does; the caller decides whether to audit pages that are only reached through them. The target
/// of a symbolic link to the outside of the root exists for the audit, and is not read.
#[derive(Debug, Default)]
pub struct Site {
    tree: Tree,
    files: Files,
    /// By file number: the index of its item in `tree` plus 1; 0 without an item.
    items: Vec<u32>,
    /// By file number.
    roles: Vec<Role>,
    pages: Vec<usize>,
    styles: Vec<usize>,
    /// XML documents that are no pages: SVG, feeds, sitemaps.
    xml: Vec<usize>,
    unread: Vec<(PathBuf, Failure)>,
    /// Symbolic links to folders that the walk does not enter, outside the root or around the link.
    outside: Vec<Vec<u8>>,
    /// Broken symbolic links, sorted, with their targets.
    dangling: Vec<(Vec<u8>, PathBuf)>,
    /// By a document that is reached through a symbolic link: the first name of its file.
    other_names: HashMap<usize, usize>,
    /// The number of pages that are not audited because they are reached through symbolic links.
    skipped_pages: u64,
    /// The patterns that select pages and exclude files.
    globs: Globs,
    root: PathBuf,
    /// The root without symbolic links.
    canonical_root: PathBuf,
}

/// The role of a file in an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Page,
    Style,
    /// An XML document that is no page.
    Xml,
    /// Another file in the audited folder.
    Asset,
    /// A file that is only a target of links: outside the audited folder, reached through a
    /// symbolic link, skipped by the walk, or written by the run. Folders have this role too.
    TargetOnly,
}

impl Site {
    pub(crate) fn new(files: Files, tree: Tree, root: PathBuf, canonical_root: PathBuf) -> Self {
        Self { tree, files, root, canonical_root, ..Self::default() }
    }

    /// Excludes a file that the run writes from the audit. It stays a target of links, and is
    /// neither a document to audit nor an orphan.
    #[doc(hidden)]
    pub fn exclude_from_audit(&mut self, path: &Path) {
        let Some(number) = self.find(path) else { return };
        self.roles[number] = Role::TargetOnly;
        for numbers in [&mut self.pages, &mut self.styles, &mut self.xml] {
            numbers.retain(|other| *other != number);
        }
    }

    /// Returns all files and folders, which are the targets of links.
    #[must_use]
    #[doc(hidden)]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the file numbers of the pages to audit, in the order of the walk.
    #[must_use]
    pub fn pages(&self) -> &[usize] {
        &self.pages
    }

    /// Returns the number of pages that are not audited because only symbolic links lead to them.
    #[must_use]
    pub fn skipped_pages(&self) -> u64 {
        self.skipped_pages
    }

    /// Returns the file numbers of the style sheets to audit, in the order of the walk.
    #[must_use]
    pub fn styles(&self) -> &[usize] {
        &self.styles
    }

    /// Returns the file numbers of the XML documents to audit that are no pages, in the order of
    /// the walk: SVG, feeds, sitemaps.
    #[must_use]
    pub fn xml_documents(&self) -> &[usize] {
        &self.xml
    }

    /// Whether a file is a page to audit.
    pub(crate) fn is_page(&self, number: usize) -> bool {
        self.roles[number] == Role::Page
    }

    /// Whether every server sends a file as a page because of its extension.
    pub(crate) fn is_page_by_name(&self, number: usize) -> bool {
        let path = self.path(number);
        let extension = memchr::memrchr(b'.', path).map_or(&b""[..], |dot| &path[dot + 1..]);
        [&b"html"[..], b"htm", b"xhtml", b"xht", b"shtml"]
            .iter()
            .any(|page| extension.eq_ignore_ascii_case(page))
    }

    /// Whether a file is a style sheet to audit.
    pub(crate) fn is_style(&self, number: usize) -> bool {
        self.roles[number] == Role::Style
    }

    /// Whether a file is an XML document to audit that is no page.
    pub(crate) fn is_xml(&self, number: usize) -> bool {
        self.roles[number] == Role::Xml
    }

    /// Whether a file is a document to audit: a page, a style sheet or another XML document.
    pub(crate) fn is_document(&self, number: usize) -> bool {
        matches!(self.roles[number], Role::Page | Role::Style | Role::Xml)
    }

    /// Returns the word for a document in messages.
    pub(crate) fn noun(&self, number: usize) -> &'static str {
        if self.is_xml(number) { "file" } else { "page" }
    }

    /// Whether a file is only a target of links, and is not audited.
    pub(crate) fn is_target_only(&self, number: usize) -> bool {
        self.roles[number] == Role::TargetOnly
    }

    /// Returns the documents to audit: pages, style sheets and other XML documents, in this order.
    pub(crate) fn documents(&self) -> impl Iterator<Item = usize> {
        [&self.pages, &self.styles, &self.xml].into_iter().flatten().copied()
    }

    /// Returns the numbers of all names of each document that has several, by the first name's.
    pub(crate) fn names_of_linked_files(&self) -> HashMap<usize, Vec<usize>> {
        let mut names = HashMap::new();
        for other in self.documents().filter(|_| !self.other_names.is_empty()) {
            if let Some(&first) = self.other_names.get(&other) {
                names.entry(first).or_insert_with(|| vec![first]).push(other);
            }
        }
        names
    }

    /// Returns the number of a document's first name. If the audit covers the path without symbolic
    /// links, that path is the first name.
    pub(crate) fn first_name(&self, number: usize) -> usize {
        self.other_names.get(&number).copied().unwrap_or(number)
    }

    /// Whether the user excludes a file.
    pub(crate) fn is_excluded(&self, number: usize) -> bool {
        self.files.get(number).is_some_and(|(path, _)| self.globs.is_excluded(&path_of(path)))
    }

    /// Returns the files and folders that could not be read, by their paths as findings show them.
    pub(crate) fn unread(&self) -> &[(PathBuf, Failure)] {
        &self.unread
    }

    /// Returns the target of the broken symbolic link at a path, if there is one.
    pub(crate) fn dangling(&self, path: &[u8]) -> Option<&Path> {
        let position = self.dangling.binary_search_by(|(link, _)| link.as_slice().cmp(path));
        position.ok().map(|at| &*self.dangling[at].1)
    }

    /// Whether a path leads through a symbolic link to a folder that the walk does not enter.
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

    /// Returns the path of a file relative to the root; empty for an unknown number.
    pub(crate) fn path(&self, number: usize) -> &[u8] {
        self.files.get(number).map_or(b"", |(path, _)| path)
    }

    /// Returns the format that the name of a document indicates.
    pub(crate) fn format(&self, number: usize) -> Format {
        Format::from_name(&path_of(self.path(number)))
    }

    /// Returns the path of a file as findings show it: inside the root as the caller gave it.
    #[must_use]
    pub fn shown(&self, number: usize) -> PathBuf {
        let path = self.files.get(number).map(|(path, _)| path);
        path.map_or_else(|| self.root.clone(), |path| self.shown_path(path))
    }

    /// Returns a path in the root as findings show it; it need not exist.
    pub(crate) fn shown_path(&self, path: &[u8]) -> PathBuf {
        absolve_files::with_slashes(self.root.join(path_of(path)))
    }

    /// Finds the number of the file at a path of the file system, if it is in the root.
    #[must_use]
    pub fn find(&self, path: &Path) -> Option<usize> {
        // Only the folder is canonicalized: for a site, a symbolic link is a separate file.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        let canonical_path = folder.join(path.file_name()?);
        self.files.find(&bytes_of(canonical_path.strip_prefix(&self.canonical_root).ok()?))
    }

    /// Reads a file by its path as findings show it; returns `None` if it cannot be read.
    #[must_use]
    pub fn read(&self, shown: &Path) -> Option<Vec<u8>> {
        let number = self.number_of(shown)?;
        let item = self.item(number)?;
        read_item(&self.tree, item, &Limits::default()).ok()
    }

    /// Finds the number of a file by its path as findings show it.
    pub(crate) fn number_of(&self, shown: &Path) -> Option<usize> {
        self.files.find(&bytes_of(shown.strip_prefix(&self.root).ok()?))
    }

    /// Reads a file into buffers; a folder, or a file outside the root, is an error.
    pub(crate) fn read_into(
        &self,
        number: usize,
        buffers: &mut FileBuffers,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let item =
            self.item(number).ok_or_else(|| Failure::new("it is not a file that can be read"))?;
        buffers.read(&self.tree, item, limits)
    }

    /// Removes the temporary files that killed runs have left in the folders of the site.
    #[doc(hidden)]
    pub fn remove_leftovers(&self) {
        remove_leftovers_in(&self.tree);
    }

    fn item(&self, number: usize) -> Option<&Item> {
        let at = self.items.get(number)?.checked_sub(1)?;
        self.tree.items().get(at as usize)
    }
}

impl Site {
    /// Finds every file in `root` and the folders inside it.
    ///
    /// The audit covers the folder `audited`, which is the root or inside it: documents by `globs`,
    /// and files with the extension `.css` that `globs` do not exclude. Files that are only reached
    /// through a symbolic link are covered if `symlinks` says so.
    ///
    /// # Errors
    ///
    /// If `root` or `audited` is not a folder or cannot be read, or `audited` is not in the root.
    /// Folders inside that cannot be read become findings.
    pub fn walk(
        root: &Path,
        audited: &Path,
        globs: &Globs,
        symlinks: Symlinks,
    ) -> Result<Self, Failure> {
        let canonical_root = root.canonicalize().map_err(|error| Failure::read(&error))?;
        let inside = audited.canonicalize().map_err(|error| Failure::read(&error))?;
        if !canonical_root.is_dir() || !inside.is_dir() {
            return Err(Failure::new("it is not a folder; give the folder of a built site"));
        }
        let audited = inside.strip_prefix(&canonical_root).map_err(|_| {
            Failure::new("it is not in the root folder; give a folder that contains it")
                .advising(Advice::Set("{root-dir}"))
        })?;
        let mut walk = Walk::new(WriteMode::Read)
            .globs(globs.clone())
            .symlinks(Symlinks::Followed)
            .other_files(OtherFiles::Listed);
        walk.add(root, RootPlace::default());
        let tree = walk.finish();
        let mut paths = Vec::new();
        let mut outside = Vec::new();
        let mut unread = Vec::new();
        let mut dangling = Vec::new();
        for item in tree.items() {
            let path = tree.below_root(item);
            match item.kind() {
                ItemKind::Skipped(Skip::LeadsOutside | Skip::LeadsBack)
                    if tree.path(item).is_dir() =>
                {
                    outside.push(bytes_of(&path));
                    paths.push((path, FileKind::Folder));
                }
                // A symbolic link to the outside may be broken too.
                ItemKind::Skipped(Skip::LeadsOutside) if !tree.path(item).exists() => {
                    let to = tree.leads_to(item).unwrap_or_default();
                    dangling.push((bytes_of(&path), to));
                }
                ItemKind::Document | ItemKind::Other | ItemKind::Skipped(_) => {
                    paths.push((path, FileKind::File));
                }
                ItemKind::Failed(_) | ItemKind::Link if tree.path(item).is_symlink() => {
                    let to = tree.leads_to(item).unwrap_or_default();
                    dangling.push((bytes_of(&path), to));
                }
                ItemKind::Failed(failure) if path.starts_with(audited) => {
                    unread.push((tree.path(item), failure.clone()));
                }
                _ => {}
            }
        }
        dangling.sort_unstable();
        let site = Self::new(Files::new(paths), tree, root.to_owned(), canonical_root);
        let mut site = Self { unread, outside, dangling, globs: globs.clone(), ..site };
        site.assign_roles(audited, globs, symlinks);
        site.find_other_names();
        Ok(site)
    }

    /// Finds the documents that are reached through symbolic links, and the first name of each.
    fn find_other_names(&mut self) {
        let mut firsts: HashMap<PathBuf, usize> = HashMap::new();
        let mut other_names = HashMap::new();
        for number in self.documents() {
            let Some(item) = self.item(number).filter(|item| !self.tree.is_own(item)) else {
                continue;
            };
            let real = self.tree.real_below_root(item);
            let target = self.files.find(&bytes_of(&real)).filter(|&file| self.is_document(file));
            let first = target.unwrap_or_else(|| *firsts.entry(real).or_insert(number));
            if first != number {
                other_names.insert(number, first);
            }
        }
        self.other_names = other_names;
    }

    /// Assigns items and roles to files, and lists the documents of the folder `audited`.
    fn assign_roles(&mut self, audited: &Path, globs: &Globs, symlinks: Symlinks) {
        self.items = vec![0; self.files.len()];
        self.roles = vec![Role::TargetOnly; self.files.len()];
        for (at, item) in (1..).zip(self.tree.items()) {
            let path = self.tree.below_root(item);
            let Some(number) = self.files.find(&bytes_of(&path)) else { continue };
            if !matches!(item.kind(), ItemKind::Document | ItemKind::Other) {
                continue;
            }
            self.items[number] = at;
            if !path.starts_with(audited) {
                continue;
            }
            // A message, which has several documents, is an asset, like an image.
            let is_document =
                matches!(item.kind(), ItemKind::Document) && !Format::from_name(&path).has_parts();
            if symlinks == Symlinks::Kept && !self.tree.is_own(item) {
                self.skipped_pages += u64::from(is_document);
                continue;
            }
            let is_style = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("css"))
                && !globs.is_excluded(&path);
            let is_xml =
                Format::from_name(&path).syntax() == Some(Syntax::Xml) && !Format::is_xhtml(&path);
            let (role, documents) = match (is_document, is_xml) {
                (true, true) => (Role::Xml, Some(&mut self.xml)),
                (true, false) => (Role::Page, Some(&mut self.pages)),
                (false, _) if is_style => (Role::Style, Some(&mut self.styles)),
                (false, _) => (Role::Asset, None),
            };
            self.roles[number] = role;
            if let Some(documents) = documents {
                documents.push(number);
            }
        }
    }
}
