//! A book that is audited as a site.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::audit::reference::{BookResource, resource_of_type};
use crate::audit::site::files::{Files, bytes_of, path_of};
use crate::batch::{Failure, OpenBook};
use crate::container::Format;
use crate::container::epub::{ManifestItem, Package};

/// A book as a site.
#[derive(Debug)]
pub(crate) struct BookSite {
    book: OpenBook,
    packages: Vec<Package>,
    /// The formats of its documents, by file number.
    formats: HashMap<usize, Format>,
    /// The numbers of the files that a manifest lists.
    listed: HashSet<usize>,
    /// The URLs of resources on the web that a manifest lists, and where it allows them to be.
    listed_urls: HashMap<String, BookResource>,
    /// The numbers of the package documents.
    package_files: HashSet<usize>,
}

impl BookSite {
    /// `formats` are those of its documents, by file number.
    pub(super) fn new(book: OpenBook, files: &Files, formats: HashMap<usize, Format>) -> Self {
        let packages = book.packages();
        let number = |name: &str| files.find_file(name.as_bytes());
        let items = || packages.iter().flat_map(|package| &package.items);
        let listed = items().filter_map(|item| number(item.member.as_deref()?)).collect();
        let urls = items().filter(|item| item.member.is_none());
        let resource = |item: &ManifestItem| resource_of_type(&item.media_type);
        let listed_urls = urls.map(|item| (item.href.clone(), resource(item))).collect();
        let package_files = packages.iter().filter_map(|package| number(&package.name)).collect();
        Self { book, packages, formats, listed, listed_urls, package_files }
    }

    /// The format of a document.
    pub(super) fn format(&self, number: usize) -> Option<Format> {
        self.formats.get(&number).copied()
    }

    pub(crate) fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Whether a manifest lists a file.
    pub(crate) fn lists(&self, number: usize) -> bool {
        self.listed.contains(&number)
    }

    /// Where a resource on the web has to be, by its media type in a manifest; `None` for a URL that
    /// no manifest lists.
    pub(crate) fn listed_url(&self, url: &str) -> Option<BookResource> {
        self.listed_urls.get(url).copied()
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
        shown.push(path_of(member));
        shown.into()
    }

    /// The member of a path as findings show it.
    pub(super) fn member(book: &Path, shown: &Path) -> Option<Vec<u8>> {
        let (book, shown) = (book.to_str()?, shown.to_str()?);
        Some(bytes_of(Path::new(shown.strip_prefix(book)?.strip_prefix('!')?)))
    }
}
