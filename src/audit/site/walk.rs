//! Finds the files of a site in a folder.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::audit::site::files::{FileKind, Files, bytes_of};
use crate::audit::site::{Role, Site};
use crate::batch::{Failure, Globs, Kind, OtherFiles, RootPlace, Skip, Symlinks, Walk, WriteMode};
use crate::container::Format;

impl Site {
    /// Finds every file below `root`.
    ///
    /// The audit covers the folder `audited`, which is the root or in it: documents by `globs`, and
    /// files with the extension `.css` that `globs` do not exclude. Files that only a symbolic link
    /// leads to are included if `symlinks` says so.
    ///
    /// # Errors
    ///
    /// If one of the folders cannot be read, or `audited` is not in the root.
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
            Failure::new("it is not in the root folder; give a folder that contains it")
        })?;
        let mut walk = Walk::new(WriteMode::Read)
            .globs(globs.clone())
            .symlinks(Symlinks::Followed)
            .other_files(OtherFiles::Listed);
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
                // The target of a link to the outside may not exist.
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
        let mut site = Self { unread, outside, dangling, globs: globs.clone(), ..site };
        site.number(below, globs, symlinks);
        site.find_other_names();
        Ok(site)
    }

    /// Finds the documents that symbolic links name.
    fn find_other_names(&mut self) {
        let mut firsts: HashMap<PathBuf, usize> = HashMap::new();
        for &number in self.pages.iter().chain(&self.styles).chain(&self.xml) {
            let Some(item) = self.item(number).filter(|item| !self.tree.is_own(item)) else {
                continue;
            };
            let real = self.tree.real_below_root(item);
            let own = self.files.find(&bytes_of(&real));
            let own =
                own.filter(|&own| self.is_page(own) || self.is_style(own) || self.is_xml(own));
            let first = own.unwrap_or_else(|| *firsts.entry(real).or_insert(number));
            if first != number {
                self.other_names.insert(number, first);
            }
        }
    }

    /// Assigns items and roles to the numbers of files.
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
                Kind::Document
                    if Format::of_name(&path) == Format::Xml && !Format::is_xhtml(&path) =>
                {
                    Role::Xml
                }
                Kind::Document => Role::Page,
                _ if is_style => Role::Style,
                _ => Role::Asset,
            };
            match self.roles[number] {
                Role::Page => self.pages.push(number),
                Role::Style => self.styles.push(number),
                Role::Message => self.messages.push(number),
                Role::Xml => self.xml.push(number),
                Role::Archive | Role::Asset | Role::Around => {}
            }
        }
    }
}
