//! Sites that are a book: its members are the files.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::audit::site::files::{FileKind, Files, bytes_of};
use crate::audit::site::{Role, Site, SiteKind};
use crate::batch::{Failure, OpenBook, Walk, WriteMode};
use crate::container::Format;
use crate::container::epub::Package;
use crate::link::Limits;

/// A book as a site.
#[derive(Debug)]
pub(crate) struct BookSite {
    book: OpenBook,
    packages: Vec<Package>,
    /// The formats of its documents, by file number.
    formats: HashMap<usize, Format>,
    /// The numbers of the files that a manifest lists.
    listed: HashSet<usize>,
    /// The numbers of the package documents.
    package_files: HashSet<usize>,
}

impl Site {
    /// Creates a site from a book (`.epub`); its members are the files, and its documents the pages.
    ///
    /// # Errors
    ///
    /// If the book cannot be read, is damaged or hostile, or has an encrypted document.
    pub fn of_book(path: &Path, limits: Limits) -> Result<Self, Failure> {
        let book = OpenBook::open(path, limits)?;
        let files = Files::new(book.names().iter().map(|name| (name, FileKind::File)));
        let (documents, packages) = (book.documents(), book.packages());
        let number = |name: &str| files.find_file(name.as_bytes());
        let items = packages.iter().flat_map(|package| &package.items);
        let listed = items.filter_map(|item| number(item.member.as_deref()?)).collect();
        let package_files = packages.iter().filter_map(|package| number(&package.name)).collect();
        let mut roles = vec![Role::Asset; files.len()];
        let mut formats = HashMap::new();
        let (mut pages, mut styles, mut xml) = (Vec::new(), Vec::new(), Vec::new());
        for document in documents {
            let Some(number) = number(&document.name) else { continue };
            formats.insert(number, document.format);
            let (role, numbers) = match document.format {
                _ if document.is_page => (Role::Page, &mut pages),
                Format::Css => (Role::Style, &mut styles),
                _ => (Role::Xml, &mut xml),
            };
            roles[number] = role;
            numbers.push(number);
        }
        for numbers in [&mut pages, &mut styles, &mut xml] {
            numbers.sort_unstable();
        }
        let tree = Walk::new(WriteMode::Read).finish();
        let site = Self::new(files, tree, path.to_owned(), path.to_owned());
        let book = BookSite { book, packages, formats, listed, package_files };
        Ok(Self { kind: SiteKind::Book(Box::new(book)), roles, pages, styles, xml, ..site })
    }

    /// The book, if the site is one.
    pub(crate) fn book(&self) -> Option<&BookSite> {
        match &self.kind {
            SiteKind::Book(book) => Some(book),
            SiteKind::Folder | SiteKind::Container => None,
        }
    }

    /// The format of a document, by its name, or as the manifest of a book has it.
    pub(crate) fn format(&self, number: usize) -> Format {
        let listed = self.book().and_then(|book| book.formats.get(&number).copied());
        listed.unwrap_or_else(|| {
            let path = self.files.get(number).map_or(&b""[..], |(path, _)| path);
            Format::of_name(&crate::audit::site::files::path_of(path))
        })
    }
}

impl BookSite {
    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Whether a manifest lists a file.
    pub(crate) fn lists(&self, number: usize) -> bool {
        self.listed.contains(&number)
    }

    /// Whether a file is a package document.
    pub(crate) fn is_package(&self, number: usize) -> bool {
        self.package_files.contains(&number)
    }

    /// The bytes of a member.
    pub(super) fn read(&self, path: &[u8]) -> Result<Vec<u8>, Failure> {
        self.book.read(&String::from_utf8_lossy(path))
    }

    /// The path of a member as findings show it: `book.epub!OEBPS/a.xhtml`.
    pub(super) fn shown(book: &Path, member: &[u8]) -> PathBuf {
        let mut shown = OsString::from(book);
        shown.push("!");
        shown.push(crate::audit::site::files::path_of(member));
        shown.into()
    }

    /// The member of a path as findings show it.
    pub(super) fn member(book: &Path, shown: &Path) -> Option<Vec<u8>> {
        let (book, shown) = (book.to_str()?, shown.to_str()?);
        Some(bytes_of(Path::new(shown.strip_prefix(book)?.strip_prefix('!')?)))
    }
}
